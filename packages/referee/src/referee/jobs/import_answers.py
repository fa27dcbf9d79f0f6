"""Answers from elsewhere become a run (`referee import`): descriptions its outputs, choices its responses, and what cannot be read is counted and kept out."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from referee.corpora.jsonl import json_line, response_to_json
from referee.errors import InputError, UnknownTrial
from referee.files import write_atomically
from referee.jobs.folder import write_manifest, write_outputs, write_trials, writing_run
from referee.jobs.foreign_logs import FORMATS, Episode, ForeignAnswer, read_episodes, recognise
from referee.jobs.open import Opened
from referee.models.answers import parse_answer
from referee.models.answers.calls import OUTCOMES as COUNTED
from referee.records import Description, Entity, Outcome, Property, Response, Scene, Trial

__all__ = ["Imported", "import_answers", "import_episodes"]

OUTCOMES = {"several": Outcome.SEVERAL, "none": Outcome.NONE, "unknown": Outcome.DONT_KNOW, None: Outcome.UNPARSABLE}
GRIDS = ("first", "second", "third")


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """What came of it: outputs and responses by model, and counts of what was refused or unparsable."""

    outputs: dict[tuple[str, str], Description]
    responses: list[Response]
    counts: dict[str, Counter[str]]


def import_answers(
    source: Path,
    opened: Opened,
    out: Path,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    overwrite: bool = False,
    command: Sequence[str] = (),
) -> Imported:
    """Read a log or a table of answers to a corpus' trials and write the run `out`."""
    kind = format or recognise(source)
    if kind not in FORMATS:
        raise InputError(f"there is no format {kind!r}", remedy=f"one of {', '.join([*FORMATS, 'clembench'])}")
    known = {t.id: t for t in opened.trials()}
    found = _understood(FORMATS[kind](source, columns or {}), known)
    if not found.outputs and not found.responses:
        raise InputError(
            "there is no answer in it that can be read", where=source, remedy="see `referee docs models`, Imports"
        )
    asked = {trial for _, trial in found.outputs} | {r.trial for r in found.responses}
    trials = [t for t in known.values() if t.id in asked]
    _write(out, found, trials, kind, source, {"name": opened.name, **opened.parameters}, overwrite, command)
    return found


def _understood(answers: Any, known: Mapping[str, Trial]) -> Imported:
    found = Imported(outputs={}, responses=[], counts={})
    for answer in answers:
        if answer.trial not in known:
            raise UnknownTrial(
                f"trial {answer.trial!r} is not in the corpus",
                where=answer.where,
                line=answer.line,
                remedy="name the corpus that was asked about, or the column with the trial: --map trial=COLUMN",
            )
        counts = found.counts.setdefault(answer.model, Counter())
        if answer.places:
            response = _chosen(answer, known[answer.trial])
            found.responses.append(response)
            counts["unparsable" if response.outcome == Outcome.UNPARSABLE else "answered"] += 1
            continue
        outcome, said = _said(answer.content)
        counts[outcome] += 1
        if said is not None and (answer.model, answer.trial) in found.outputs:
            raise InputError(
                f"{answer.model} describes trial {answer.trial!r} twice",
                where=answer.where,
                line=answer.line,
                remedy="keep one",
            )
        if said is not None:
            found.outputs[answer.model, answer.trial] = Description(text=said)
    return found


def _said(content: str) -> tuple[str, str | None]:
    parsed = parse_answer(content, "description")
    return COUNTED[parsed.outcome], parsed.value


def _chosen(answer: ForeignAnswer, trial: Trial) -> Response:
    strange = sorted(set(answer.places) ^ {e.id for e in trial.scene.entities})
    if strange:
        raise InputError(
            f"the places of {answer.trial!r} are not the entities of its scene ({strange[0]!r})", where=answer.where
        )
    number = parse_answer(answer.content, "choice", options=len(answer.places)).value
    entity = answer.places[number - 1] if isinstance(number, int) else None
    outcome = OUTCOMES[number] if entity is None else Outcome.ENTITY
    believed = [entity] if entity is not None else list(answer.places)
    return Response(
        trial=trial.id,
        hearer=answer.model,
        outcome=outcome,
        system=answer.of,
        entity=entity,
        probabilities=tuple((e, 1 / len(believed)) for e in believed),
        flags=(f"vote 1: shown {' '.join(answer.places)}; chose {entity or outcome}",),
    )


# -- clembench -------------------------------------------------------------------------------------------------------------


def import_episodes(
    folder: Path, out: Path, *, speaker: str | None = None, overwrite: bool = False, command: Sequence[str] = ()
) -> Imported:
    """Episodes of clembench's reference game: three grids make a scene, player 1's expression an output, player 2's answer a response.

    Speakers are called by their model, unless `speaker` says how.
    """
    found = Imported(outputs={}, responses=[], counts={})
    trials: dict[str, Trial] = {}
    for episode in read_episodes(folder):
        trial = _grids(episode.name, episode.instance, folder)
        if trials.setdefault(trial.id, trial) != trial:
            raise InputError(
                f"{trial.id} has other grids elsewhere in the folder", where=folder, remedy="import one release alone"
            )
        _take_episode(found, trial, episode, speaker or episode.models[0] or folder.name)
    if not trials:
        raise InputError(
            "there is no episode in it", where=folder, remedy="name a folder of results with interactions.json in it"
        )
    _write(out, found, list(trials.values()), "clembench", folder, {"name": "clembench"}, overwrite, command)
    return found


def _take_episode(found: Imported, trial: Trial, episode: Episode, speaker: str) -> None:
    expression = next((content for who, content in episode.said if who.startswith("Player 1")), None)
    text = None if expression is None else parse_answer(expression, "description").value
    found.counts.setdefault(speaker, Counter())["answered" if text else "unparsable"] += 1
    if text is None:
        return
    if (speaker, trial.id) in found.outputs:
        raise InputError(
            f"{speaker} describes {trial.id} twice", where=trial.id, remedy="import each of its runs alone"
        )
    found.outputs[speaker, trial.id] = Description(text=text)
    answer = next((content for who, content in episode.said if who.startswith("Player 2")), None)
    if answer is not None:
        told = ForeignAnswer(
            trial=trial.id,
            model=f"{episode.models[1] or speaker} player 2",
            content=_as_number(answer),
            where=episode.name,
            places=tuple(e.id for e in trial.scene.entities),
            of=speaker,
        )
        found.responses.append(_chosen(told, trial))


def _grids(name: str, instance: Mapping[str, Any], folder: Path) -> Trial:
    try:
        grids = [str(instance[f"player_2_{place}_grid"]) for place in GRIDS]
        target = grids.index(str(instance["player_1_target_grid"]))
    except (KeyError, ValueError):
        raise InputError(
            f"{name} is no episode of the reference game", where=folder, remedy="import that game's episodes alone"
        ) from None
    things = tuple(
        Entity(id=place, attributes=(Property("grid", grid),)) for place, grid in zip(GRIDS, grids, strict=True)
    )
    return Trial(id=name, scene=Scene(entities=things, id=name), targets=(GRIDS[target],), domain="grids")


def _as_number(answer: str) -> str:
    """The game asks for first, second or third."""
    words = {word: str(i) for i, word in enumerate(GRIDS, 1)}
    bare = answer.strip().lower().removeprefix("answer:").strip(" .*\"'")
    return words.get(bare, answer)


def _write(
    out: Path,
    found: Imported,
    trials: Sequence[Trial],
    kind: str,
    source: Path,
    corpus: Mapping[str, Any],
    overwrite: bool,
    command: Sequence[str],
) -> None:
    with writing_run(out, overwrite) as folder:
        write_trials(folder, trials)
        write_outputs(folder, ((t, s, d) for (s, t), d in found.outputs.items()))
        if found.responses:
            write_atomically(folder / "responses.jsonl", (json_line(response_to_json(r)) for r in found.responses))
        write_manifest(
            folder,
            kind="outputs",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            command=["referee", *command],
            corpus={**corpus, "trials": len(trials)},
            imported={"from": source.name, "format": kind},
            systems=list(dict.fromkeys(s for s, _ in found.outputs)),
            counts={model: dict(counts) for model, counts in found.counts.items()},
            hearers=dict.fromkeys(
                dict.fromkeys(r.hearer for r in found.responses), f"imported|from:{source.name}|format:{kind}"
            ),
        )
