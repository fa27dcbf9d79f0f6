"""Hearers that were asked elsewhere: files with one answer per line and the entities in the order shown.

``recorded:FILE.jsonl`` has lines ``{"trial": ID, "outcome": "entity", "entity": ID or null, "places": [IDs], "probabilities"?: {ID: p}, "text"?: "…"}``;
``recorded:FOLDER/MODEL`` is a model of a folder of data: of ``mllm-listeners`` (Junker et al. 2025; asked about `color-grids`), of ``franke2024`` (language
models' mean log probability of a token of each object, with which they believe in proportion to exp(alpha x score)), or of ``coop-nets`` (clicks only).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from math import exp, isclose, isfinite
from pathlib import Path
from typing import Any, NamedTuple

from referee.corpora.reading.lines import WrongShape, get_field, get_optional_field, parse_object, read_lines
from referee.corpora.reading.packed import add_location, find_files
from referee.errors import DataNotFound, DuplicateTrial, InputError, UnknownName, UnknownTrial
from referee.records import Outcome, Response, Trial

PREFIX = "recorded:"
UNREADABLE = -1
ALPHA = 1.0
OTHERS = ("several", "none")
FORM = 'write {"trial": ID, "outcome": "entity", "entity": ID, "places": [IDs as shown]} on every line'
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """A hearer's recorded answers by trial, with the entities in the order shown and its own words, if stored.

    Trials that it was not asked about are missing. `scores` are what probabilities were made of, by trial and entity, where that is a choice of ours.
    """

    name: str
    where: str
    answers: Mapping[str, Response]
    places: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str]
    scores: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def with_alpha(self, alpha: float) -> Recorded:
        """Return the same scores with beliefs in proportion to exp(alpha × score)."""
        answers = {
            trial: replace_fields(answer, probabilities=_compute_beliefs(self.scores[trial], alpha))
            for trial, answer in self.answers.items()
        }
        return replace_fields(self, answers=answers)


class Answered(NamedTuple):
    """One line: the answer, the order in which the entities were shown, the hearer's own words."""

    response: Response
    places: tuple[str, ...]
    text: str | None = None
    scores: Mapping[str, float] | None = None


class LineForm(NamedTuple):
    """How a file's lines are read: which trial a line is about, and what was answered (None: nothing, by this hearer).

    A `stranger` says what to do about a trial that is not in the corpus; without one, such lines are skipped.
    """

    trial_of: Callable[[Row], str]
    answer_of: Callable[[Row, Trial], Answered | None]
    stranger: str = ""


class Folder(NamedTuple):
    """A folder of data with recorded models.

    Its file, the models that a line names, and the form of a line for one of them.
    """

    file: str
    models_of: Callable[[Row], Iterable[str]]
    form: Callable[[str, str], LineForm]


def is_recorded(name: str) -> bool:
    """Return whether a hearer's name refers to a file of answers."""
    return name.startswith(PREFIX)


def name_of_recorded(name: str) -> str:
    """Return the name to print: a file without its folders, a model of a collection with the name of the collection."""
    stored = name.removeprefix(PREFIX)
    model = stored.partition("/")[0] in FOLDERS and not Path(stored).is_file()
    return name if model else PREFIX + Path(stored).name


def read_recorded(name: str, trials: Iterable[Trial], data: str | Path | None = None) -> Recorded:
    """Return the answers of a hearer, checked against the trials.

    `data` is the folder of corpora (default: REFEREE_DATA).
    """
    stored = name.removeprefix(PREFIX)
    folder, _, model = stored.partition("/")
    if folder in FOLDERS and not Path(stored).is_file():
        path = _find_model_file(folder, data)
        _check_model(folder, model, path)
        form = FOLDERS[folder].form(model, name)
    else:
        path = Path(stored)
        form = LineForm(
            lambda row: str(get_field(row, "trial", str)),
            lambda row, trial: _parse_line(row, name, trial),
            "name trials of this corpus, by the ids of its export",
        )
    return _collect_answers(name, path, {trial.id: trial for trial in trials}, form)


def _collect_answers(name: str, path: Path, trials_by_id: Mapping[str, Trial], form: LineForm) -> Recorded:
    """Return the recorded answers of a file. Raises InputError for unknown or repeated trials."""
    collected: dict[str, Answered] = {}
    for line, text in read_lines(path):
        with add_location(path, line):
            row = parse_object(text)
            trial = form.trial_of(row)
        if trial not in trials_by_id:
            if not form.stranger:
                continue
            problem = f"trial {trial!r} is not in the corpus"
            raise UnknownTrial(problem, where=path, line=line, remedy=form.stranger)
        with add_location(path, line):
            answered = form.answer_of(row, trials_by_id[trial])
        if trial in collected:
            problem = f"trial {trial!r} is answered twice"
            raise DuplicateTrial(problem, where=path, line=line, remedy="keep one line for every trial")
        if answered is not None:
            collected[trial] = answered
    if not collected:
        raise InputError("the file has no answers", where=path, remedy=FORM)
    return Recorded(
        name=name,
        where=str(path),
        answers={trial: a.response for trial, a in collected.items()},
        places={trial: a.places for trial, a in collected.items()},
        texts={trial: a.text for trial, a in collected.items() if a.text is not None},
        scores={trial: a.scores for trial, a in collected.items() if a.scores is not None},
    )


# -- files of users ----------------------------------------------------------------------------------------------------


def _parse_line(row: Row, hearer: str, trial: Trial) -> Answered:
    """Return the answer of a line. Raises WrongShape for an invalid one."""
    places = _parse_display_order(row, trial)
    outcome = get_optional_field(row, "outcome", str) or Outcome.ENTITY.value
    if outcome not in list(Outcome):
        raise WrongShape(f"the outcome {outcome!r} is not known", f"one of {', '.join(Outcome)}")
    response = Response(
        trial=trial.id,
        hearer=hearer,
        outcome=Outcome(outcome),
        entity=_parse_entity(row, Outcome(outcome), places),
        probabilities=_parse_probabilities(row, places),
    )
    return Answered(response, places, get_optional_field(row, "text", str))


def _parse_display_order(row: Row, trial: Trial) -> tuple[str, ...]:
    """Return the entities in the displayed order; every entity of the scene must occur exactly once."""
    places = get_field(row, "places", list)
    entity_ids = {e.id for e in trial.scene.entities}
    if not all(isinstance(p, str) for p in places) or len(set(places)) < len(places):
        raise WrongShape(f"the places {places!r:.60} are not ids, or one occurs twice", FORM)
    if set(places) != entity_ids:
        odd = sorted(set(places) ^ entity_ids)[0]
        problem = f"{odd!r} is not in the scene" if odd in places else f"{odd!r} is in the scene and has no place"
        raise WrongShape(problem, "places are the ids of the scene's entities, in the order shown")
    return tuple(places)


def _parse_entity(row: Row, outcome: Outcome, places: tuple[str, ...]) -> str | None:
    """Return the chosen entity. Raises WrongShape if it contradicts the outcome."""
    chosen: str | None = get_optional_field(row, "entity", str)
    if outcome != Outcome.ENTITY:
        if chosen is not None:
            raise WrongShape(f"the outcome is {outcome}, and yet {chosen!r} is chosen", '"entity" is null there')
        return None
    if chosen is None:
        raise WrongShape("the outcome is an entity, but none is named", 'add "entity": ID, or name another outcome')
    if chosen not in places:
        raise WrongShape(f"{chosen!r} is chosen and not among the places", "choose one of the entities shown")
    return chosen


def _parse_probabilities(row: Row, places: tuple[str, ...]) -> tuple[tuple[str, float], ...] | None:
    """Return the probabilities of a line. Raises WrongShape for invalid ones."""
    stored = get_optional_field(row, "probabilities", dict)
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


# -- folders of data with models -------------------------------------------------------------------------------------------


def list_models(folder: str, data: str | Path | None = None) -> tuple[str, ...]:
    """Return the models of a folder."""
    return _read_model_names(folder, _find_model_file(folder, data))


def _find_model_file(folder: str, data: str | Path | None) -> Path:
    """Return the file of answers, among the corpus's own files or beside the corpus's folder."""
    file = FOLDERS[folder].file
    beside = () if data is None else (Path(data).resolve().parent, None)
    try:
        return find_files(data, folder, file)[0]
    except DataNotFound as missing:
        for place in beside:
            with suppress(DataNotFound):
                return find_files(place, folder, file)[0]
        # The folder that was named is where they belong.
        raise missing from None


def _read_model_names(folder: str, path: Path) -> tuple[str, ...]:
    """Return the names of the models in a file."""
    names: dict[str, None] = {}
    for line, text in read_lines(path):
        with add_location(path, line):
            names.update(dict.fromkeys(FOLDERS[folder].models_of(parse_object(text))))
    return tuple(sorted(names))


def _check_model(folder: str, model: str, path: Path) -> None:
    """Raise an error unless the named model is in the file."""
    models = _read_model_names(folder, path)
    if not model:
        raise InputError(
            "the name of the recorded model is missing",
            where=path,
            remedy=f"{PREFIX}{folder}/MODEL, one of {', '.join(models)}",
        )
    if model not in models:
        raise UnknownName("recorded model", model, models, hint=f"one of {', '.join(models)}")


def _make_grid_form(model: str, hearer: str) -> LineForm:
    """Return the form of rows with answers of a model to the corpus color-grids."""
    return LineForm(
        lambda row: f"{get_field(row, 'game', str)}-{get_field(row, 'round', int)}",
        lambda row, trial: _make_model_response(row, model, hearer, trial),
        "these are answers to color-grids",
    )


def _make_model_response(row: Row, model: str, hearer: str, trial: Trial) -> Answered | None:
    """Return the answer of a model.

    Positions count from the left, as the human listener saw the grids; -1 is an unparsable answer.
    """
    stored = get_field(row, "answers", dict).get(model)
    if stored is None:
        return None
    place, text = stored
    places = tuple(trial.meta["places"])
    # Both folders say where the target is: agreement proves that places are counted the same way.
    if places[get_field(row, "target_place", int)] != trial.targets[0]:
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


def _parse_scores(model: str, hearer: str) -> LineForm:
    """Return the scores of an item's three objects, in order; items without a human listener are skipped."""

    def answer(row: Row, trial: Trial) -> Answered:
        """Return the scores of a model in a row as its answer."""
        scores = get_field(get_field(row["models"], model, dict), "listener", list)
        places = tuple(e.id for e in trial.scene.entities)
        if len(scores) != len(places) or not all(isinstance(x, int | float) and isfinite(x) for x in scores):
            raise WrongShape(f"the scores {scores!r:.60} are not {len(places)} numbers", "give every object a score")
        by_entity = dict(zip(places, map(float, scores), strict=True))
        best = [e for e in places if by_entity[e] == max(by_entity.values())]
        response = Response(
            trial=trial.id,
            hearer=hearer,
            outcome=Outcome.ENTITY if len(best) == 1 else Outcome.SEVERAL,
            entity=best[0] if len(best) == 1 else None,
            probabilities=_compute_beliefs(by_entity, ALPHA),
        )
        return Answered(response, places, scores=by_entity)

    return LineForm(lambda row: f"franke2024-listener-{get_field(row, 'item', int)}", answer)


def _compute_beliefs(scores: Mapping[str, float], alpha: float) -> tuple[tuple[str, float], ...]:
    """Return probabilities in proportion to exp(alpha x score)."""
    top = max(scores.values())
    weights = {entity: exp(alpha * (score - top)) for entity, score in scores.items()}
    return tuple((entity, weight / sum(weights.values())) for entity, weight in weights.items())


def _parse_clicks(model: str, hearer: str) -> LineForm:
    """Return the clicks of networks on colour patches, by the role of each patch.

    Places as the person who listened saw them.
    """

    def answer(row: Row, trial: Trial) -> Answered:
        """Return the click of a model in a row as its answer."""
        ids = {role: entity for entity, role in trial.meta["roles"].items()}
        positions = trial.meta["listener_positions"]
        places = tuple(sorted(positions, key=positions.__getitem__))
        clicked = get_field(row, model, str)
        if clicked not in ids:
            raise WrongShape(f"{model} clicked {clicked!r}", f"one of {', '.join(ids)}")
        return Answered(Response(trial=trial.id, hearer=hearer, outcome=Outcome.ENTITY, entity=ids[clicked]), places)

    return LineForm(lambda row: f"colors-{get_field(row, 'game', str)}-{get_field(row, 'round', int)}", answer)


FOLDERS = {
    "mllm-listeners": Folder("answers.jsonl.gz", lambda row: get_field(row, "answers", dict), _make_grid_form),
    "franke2024": Folder("items_models.jsonl.gz", lambda row: get_field(row, "models", dict), _parse_scores),
    "coop-nets": Folder("outputs.jsonl.gz", lambda row: [m for m in ("L0", "Le") if m in row], _parse_clicks),
}
