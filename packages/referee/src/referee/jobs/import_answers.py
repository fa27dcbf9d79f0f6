"""Imports external answers as a run (`referee import`): descriptions as outputs, choices as responses.

Unparsable answers are counted and left out.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.corpora.jsonl import response_to_json, write_json_line
from referee.corpora.natives.harness_material import MISSING, choose_entity, convert_episodes, parse_description
from referee.corpora.natives.logs import LogAnswer
from referee.corpora.natives.material import Declared, NativeData
from referee.corpora.natives.recognition import read_answers, recognise_format
from referee.corpora.outputs import Output
from referee.errors import InputError, UnknownTrial
from referee.files import write_atomically
from referee.jobs.folder import write_manifest, write_outputs, write_trials, writing_run
from referee.jobs.open import Opened
from referee.models.answers.parsing import parse_answer
from referee.records import Description, Outcome, Response, Trial


def import_answers(
    source: Path,
    opened: Opened,
    out: Path,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    overwrite: bool = False,
    command: Sequence[str] = (),
) -> NativeData:
    """Read a log or a table of answers to a corpus' trials and write the run `out`."""
    kind = format or recognise_format(source)
    trials = {t.id: t for t in opened.trials()}
    material = _match_answers(read_answers(source, kind, Declared(columns=columns or {})), trials, kind)
    if not material.outputs and not material.responses:
        raise InputError(
            "no answer in this file can be parsed", where=source, remedy="see `referee docs models`, Imports"
        )
    asked = {o.trial for o in material.outputs} | {r.trial for r in material.responses}
    material.trials = {name: t for name, t in trials.items() if name in asked}
    write_material(out, material, source.name, {"name": opened.name, **opened.parameters}, overwrite, command)
    return material


def _match_answers(answers: Iterable[LogAnswer], trials: Mapping[str, Trial], format: str) -> NativeData:
    """Return answers to the trials of a corpus as material."""
    material = NativeData("log", format)
    described: set[tuple[str, str]] = set()
    for answer in answers:
        if answer.content is None:
            material.count(answer.model, MISSING)
            continue
        if answer.trial not in trials:
            raise UnknownTrial(
                f"trial {answer.trial!r} is not in the corpus",
                where=answer.where,
                line=answer.line,
                remedy="name the corpus that was asked about, or the column with the trial: --map trial=COLUMN",
            )
        if answer.shown:
            response = _make_response(answer, trials[answer.trial])
            material.responses.append(response)
            material.count(answer.model, "unparsable" if response.outcome == Outcome.UNPARSABLE else "answered")
            continue
        outcome, text = parse_description(answer.content)
        material.count(answer.model, outcome)
        if text is None:
            continue
        if (answer.model, answer.trial) in described:
            raise InputError(
                f"{answer.model} describes trial {answer.trial!r} twice",
                where=answer.where,
                line=answer.line,
                remedy="keep one of the two answers",
            )
        described.add((answer.model, answer.trial))
        material.outputs.append(Output(answer.trial, answer.model, Description(text=text), answer.where, answer.line))
    return material


def _make_response(answer: LogAnswer, trial: Trial) -> Response:
    """Return an answer as a response. Raises InputError if its entities differ from the scene's."""
    unknown = sorted(set(answer.shown) ^ {e.id for e in trial.scene.entities})
    if unknown:
        raise InputError(
            f"the objects shown in {answer.trial!r} differ from the entities of its scene ({unknown[0]!r})",
            where=answer.where,
        )
    number = parse_answer(answer.content, "choice", options=len(answer.shown)).value
    return choose_entity(answer, answer.shown, number)


def import_episodes(
    folder: Path, out: Path, *, speaker: str | None = None, overwrite: bool = False, command: Sequence[str] = ()
) -> NativeData:
    """Read the episodes of clembench's reference game and write the run `out`."""
    material = convert_episodes(folder, speaker)
    write_material(out, material, folder.name, {"name": "clembench"}, overwrite, command)
    return material


def write_material(
    out: Path, material: NativeData, source: str, corpus: Mapping[str, Any], overwrite: bool, command: Sequence[str]
) -> None:
    """Write material as a run folder."""
    with writing_run(out, overwrite) as folder:
        write_trials(folder, list(material.trials.values()))
        write_outputs(folder, ((o.trial, o.system, o.description) for o in material.outputs))
        if material.responses:
            lines = (write_json_line(response_to_json(r)) for r in material.responses)
            write_atomically(folder / "responses.jsonl", lines)
        hearers = dict.fromkeys(r.hearer for r in material.responses)
        write_manifest(
            folder,
            kind="outputs",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            command=["referee", *command],
            corpus={**corpus, "trials": len(material.trials)},
            imported={"from": source, "format": material.format},
            systems=list(dict.fromkeys(o.system for o in material.outputs)),
            counts={model: dict(counts) for model, counts in material.counts.items()},
            hearers=dict.fromkeys(hearers, f"imported|from:{source}|format:{material.format}"),
        )
