"""Hearers that were asked elsewhere: files with one answer per line and the entities in the order shown.

``recorded:FILE.jsonl`` has lines ``{"trial": ID, "outcome": "entity", "entity": ID or null, "places": [IDs],
"probabilities"?: {ID: p}, "text"?: "…"}``; ``recorded:mllm-listeners/MODEL`` is a model of the folder of that name
(Junker et al. 2025), which read the dialogues of `color-grids`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any, NamedTuple

from referee.corpora.reading.lines import WrongShape, expect, optional, parse_object, read_lines
from referee.corpora.reading.packed import find, located
from referee.errors import DataNotFound, DuplicateTrial, InputError, UnknownName, UnknownTrial
from referee.records import Outcome, Response, Trial

__all__ = ["PREFIX", "Recorded", "is_recorded", "models_in", "name_of_recorded", "read_recorded"]

PREFIX = "recorded:"
FOLDER, ANSWERS = "mllm-listeners", "answers.jsonl.gz"
UNREADABLE = -1
OTHERS = ("several", "none")
FORM = 'write {"trial": ID, "outcome": "entity", "entity": ID, "places": [IDs as shown]} on every line'
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A hearer's recorded answers by trial, with the entities in the order shown and its own words, if stored.

    Trials that it was not asked about are absent.
    """

    name: str
    where: str
    answers: Mapping[str, Response]
    places: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str]


class Answered(NamedTuple):
    """One line: the answer, the order in which the entities were shown, the hearer's own words."""

    response: Response
    places: tuple[str, ...]
    text: str | None


class LineForm(NamedTuple):
    """The format of a file's lines: functions for the trial of a line, and for its answer (None: no answer by this
    hearer).
    """

    trial_of: Callable[[Row], str]
    answer_of: Callable[[Row, Trial], Answered | None]
    stranger: str


def is_recorded(name: str) -> bool:
    """Return whether a hearer's name refers to a file of answers."""
    return name.startswith(PREFIX)


def name_of_recorded(name: str) -> str:
    """Return the name to print: a file without its folders, a model of mllm-listeners with the name of the collection."""
    stored = name.removeprefix(PREFIX)
    model = stored.partition("/")[0] == FOLDER and not Path(stored).is_file()
    return name if model else PREFIX + Path(stored).name


def read_recorded(name: str, trials: Iterable[Trial], data: str | Path | None = None) -> Recorded:
    """The answers of a hearer, checked against the trials; `data` is the folder of corpora (default: REFEREE_DATA)."""
    stored = name.removeprefix(PREFIX)
    folder, _, model = stored.partition("/")
    if folder == FOLDER and not Path(stored).is_file():
        path = _model_file(data)
        _check_model(model, path)
        form = LineForm(
            _round_name, lambda row, trial: _of_model(row, model, name, trial), "these are answers to color-grids"
        )
    else:
        path = Path(stored)
        form = LineForm(
            lambda row: str(expect(row, "trial", str)),
            lambda row, trial: _of_line(row, name, trial),
            "name trials of this corpus, by the ids of its export",
        )
    return _collect(name, path, {trial.id: trial for trial in trials}, form)


def _collect(name: str, path: Path, trials_by_id: Mapping[str, Trial], form: LineForm) -> Recorded:
    """Return the recorded answers of a file. Raises InputError for unknown or repeated trials."""
    collected: dict[str, Answered] = {}
    for line, text in read_lines(path):
        with located(path, line):
            row = parse_object(text)
            trial = form.trial_of(row)
        if trial not in trials_by_id:
            problem = f"trial {trial!r} is not in the corpus"
            raise UnknownTrial(problem, where=path, line=line, remedy=form.stranger)
        with located(path, line):
            answered = form.answer_of(row, trials_by_id[trial])
        if trial in collected:
            problem = f"trial {trial!r} is answered twice"
            raise DuplicateTrial(problem, where=path, line=line, remedy="keep one line for every trial")
        if answered is not None:
            collected[trial] = answered
    if not collected:
        raise InputError("there is no answer in it", where=path, remedy=FORM)
    return Recorded(
        name=name,
        where=str(path),
        answers={trial: a.response for trial, a in collected.items()},
        places={trial: a.places for trial, a in collected.items()},
        texts={trial: a.text for trial, a in collected.items() if a.text is not None},
    )


# -- files of users
# --------------------------------------------------------------------------------------------------------


def _of_line(row: Row, hearer: str, trial: Trial) -> Answered:
    """Return the answer of a line. Raises WrongShape for an invalid one."""
    places = _places(row, trial)
    outcome = optional(row, "outcome", str) or Outcome.ENTITY.value
    if outcome not in list(Outcome):
        raise WrongShape(f"the outcome {outcome!r} is not known", f"one of {', '.join(Outcome)}")
    response = Response(
        trial=trial.id,
        hearer=hearer,
        outcome=Outcome(outcome),
        entity=_entity(row, Outcome(outcome), places),
        probabilities=_probabilities(row, places),
    )
    return Answered(response, places, optional(row, "text", str))


def _places(row: Row, trial: Trial) -> tuple[str, ...]:
    """The entities in the order shown: all of the scene, each once, for a hearer that saw fewer had an easier task."""
    places = expect(row, "places", list)
    entity_ids = {e.id for e in trial.scene.entities}
    if not all(isinstance(p, str) for p in places) or len(set(places)) < len(places):
        raise WrongShape(f"the places {places!r:.60} are not ids, each once", FORM)
    if set(places) != entity_ids:
        odd = sorted(set(places) ^ entity_ids)[0]
        problem = f"{odd!r} is not in the scene" if odd in places else f"{odd!r} is in the scene and has no place"
        raise WrongShape(problem, "places are the ids of the scene's entities, in the order shown")
    return tuple(places)


def _entity(row: Row, outcome: Outcome, places: tuple[str, ...]) -> str | None:
    """Return the chosen entity. Raises WrongShape if it contradicts the outcome."""
    chosen: str | None = optional(row, "entity", str)
    if outcome != Outcome.ENTITY:
        if chosen is not None:
            raise WrongShape(f"the outcome is {outcome}, and yet {chosen!r} is chosen", '"entity" is null there')
        return None
    if chosen is None:
        raise WrongShape("the outcome is an entity, but none is named", 'add "entity": ID, or name another outcome')
    if chosen not in places:
        raise WrongShape(f"{chosen!r} is chosen and not among the places", "choose one of the entities shown")
    return chosen


def _probabilities(row: Row, places: tuple[str, ...]) -> tuple[tuple[str, float], ...] | None:
    """Return the probabilities of a line. Raises WrongShape for invalid ones."""
    stored = optional(row, "probabilities", dict)
    if stored is None:
        return None
    for entity, share in stored.items():
        if entity not in places and entity not in OTHERS:
            raise WrongShape(f"{entity!r} has a probability and no place", "only places, several and none have one")
        if not isinstance(share, int | float) or isinstance(share, bool) or share < 0:
            raise WrongShape(f"the probability of {entity!r} is {share!r}", "probabilities are numbers from 0 to 1")
    # Tolerance for rounding in files.
    if not isclose(sum(stored.values()), 1, abs_tol=1e-6):
        raise WrongShape(f"the probabilities sum to {sum(stored.values()):g}", "they sum to 1")
    return tuple((entity, float(share)) for entity, share in stored.items())


# -- the folder mllm-listeners ---------------------------------------------------------------------------------------------


def models_in(data: str | Path | None = None) -> tuple[str, ...]:
    """The models of the folder mllm-listeners."""
    return _models(_model_file(data))


def _model_file(data: str | Path | None) -> Path:
    """The answers in the data folder, among the corpus' own files or beside the corpus' folder."""
    beside = () if data is None else (Path(data).resolve().parent, None)
    try:
        return find(data, FOLDER, ANSWERS)[0]
    except DataNotFound as missing:
        for place in beside:
            with suppress(DataNotFound):
                return find(place, FOLDER, ANSWERS)[0]
        # The folder that was named is where they belong.
        raise missing from None


def _models(path: Path) -> tuple[str, ...]:
    """Return the names of the models in a file."""
    names: dict[str, None] = {}
    for line, text in read_lines(path):
        with located(path, line):
            names.update(dict.fromkeys(expect(parse_object(text), "answers", dict)))
    return tuple(sorted(names))


def _check_model(model: str, path: Path) -> None:
    """Raise an error unless the named model is in the file."""
    trials_by_id = _models(path)
    if not model:
        raise InputError(
            "it is not said which model", where=path, remedy=f"{PREFIX}{FOLDER}/MODEL, one of {', '.join(trials_by_id)}"
        )
    if model not in trials_by_id:
        raise UnknownName("recorded model", model, trials_by_id, hint=f"one of {', '.join(trials_by_id)}")


def _round_name(row: Row) -> str:
    return f"{expect(row, 'game', str)}-{expect(row, 'round', int)}"


def _of_model(row: Row, model: str, hearer: str, trial: Trial) -> Answered | None:
    """Return the answer of a model.

    Positions count from the left, as the human listener saw the grids; -1 is an unparsable answer.
    """
    stored = expect(row, "answers", dict).get(model)
    if stored is None:
        return None
    place, text = stored
    places = tuple(trial.meta["places"])
    # Both folders say where the target is: agreement proves that places are counted the same way.
    if places[expect(row, "target_place", int)] != trial.targets[0]:
        raise WrongShape("the target is at another place than in the corpus", "take both folders from one source")
    if place not in range(UNREADABLE, len(places)):
        raise WrongShape(f"{model} chose place {place!r} of {len(places)}", "count places from 0; -1 is unreadable")
    read = place != UNREADABLE
    response = Response(
        trial=trial.id,
        hearer=hearer,
        outcome=Outcome.ENTITY if read else Outcome.UNPARSABLE,
        entity=places[place] if read else None,
    )
    return Answered(response, places, text)
