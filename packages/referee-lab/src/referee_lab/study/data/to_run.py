"""Converts a study to a run folder with people's answers for score, court and report.

Produced descriptions become a corpus.

Answers that are excluded from all analyses are left out; times that are excluded are removed from their answers.
Answers of simulated participants are signed as those of bots, with probability 1 on their choice, and never pass as
people's.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from referee.corpora.jsonl import response_to_json, write_json_line
from referee.errors import InputError
from referee.files import write_atomically
from referee.jobs.folder import Run, write_manifest, write_outputs, write_trials, writing_run
from referee.jobs.listen import add_people
from referee.records import Description, Outcome, Response, Trial
from referee.signature import digest
from referee_lab.study.data.dataset import Dataset, StoredAnswer
from referee_lab.study.folder.study import HUMAN, VERSUS

BOTS = "bots"


def convert_responses(collected: Dataset) -> list[Response]:
    """Return answers to trials as responses, with aliases for people and without excluded answers."""
    return [_convert_response(a) for a in collected.trials if a.response is not None and a.counts_for("")]


def _convert_response(a: StoredAnswer) -> Response:
    """Return an answer as a response.

    A simulated participant becomes a hearer with probability 1 on its choice.
    """
    assert a.response is not None  # only those are asked for
    response = replace(a.drop_excluded_times(a.response), system=a.response.system or HUMAN)
    if a.sitting.simulated is None:
        return response
    # Runs tell people by the absence of a belief; a bot without one would be counted among them.
    sure = response.entity if response.outcome is Outcome.ENTITY and response.entity else str(response.outcome)
    return replace(response, hearer=f"{BOTS}({a.sitting.simulated})", probabilities=((sure, 1.0),))


def import_run(collected: Dataset, out: Path, overwrite: bool = False, command: Iterable[str] = ()) -> int:
    """Write a run folder with the study's trials, descriptions and answers; return the number of answers."""
    responses = _require_responses(collected, convert_responses(collected))
    study = collected.study
    with writing_run(out, overwrite) as folder:
        write_trials(folder, _list_trials(collected))
        write_outputs(folder, _list_descriptions(collected))
        write_atomically(folder / "responses.jsonl", (write_json_line(response_to_json(r)) for r in responses))
        write_manifest(
            folder,
            kind="study",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            command=["referee", *command],
            corpus={
                "name": study.id,
                "trials": len(_list_trials(collected)),
                "checksum": digest((folder / "trials.jsonl").read_text("utf-8")),
            },
            systems=list(dict.fromkeys(system for _, system, _ in _list_descriptions(collected))),
            study={"id": study.id, "hash": study.hash, "mode": collected.mode},
            **_build_credits(collected, responses),
        )
    return len(responses)


def import_into(collected: Dataset, run: Path) -> int:
    """Replace people's (or the same bots') answers in a run over the same trials; return their number."""
    responses = _require_responses(collected, convert_responses(collected))
    trial_ids = {t.id for t in Run(run).trials()}
    if missing := {r.trial for r in responses} - trial_ids:
        raise InputError(
            f"the run does not have {len(missing)} of the study's trials, {sorted(missing)[0]!r} among them",
            where=run,
            remedy="name the run that the study was made from, or make a new one with --out",
        )
    people = [r for r in responses if r.probabilities is None]
    bots = [r for r in responses if r.probabilities is not None]
    if people:
        add_people(run, people, f"study {collected.study.id}")
    if bots:
        _add_bots(run, bots, collected)
    return len(responses)


def _add_bots(run: Path, bots: list[Response], collected: Dataset) -> None:
    """Add the bots' responses and credits to a run."""
    names = {r.hearer for r in bots}
    others = [r for r in Run(run).responses() if r.hearer not in names]
    write_atomically(run / "responses.jsonl", (write_json_line(response_to_json(r)) for r in [*others, *bots]))
    manifest = Run(run).manifest
    manifest["hearers"] = {**manifest.get("hearers", {}), **_build_credits(collected, bots)["hearers"]}
    write_atomically(run / "manifest.json", [json.dumps(manifest, ensure_ascii=False, indent=1)])


def _require_responses(collected: Dataset, responses: list[Response]) -> list[Response]:
    """Return the responses. Raises InputError if there are none, with the reason."""
    if responses:
        return responses
    plugin = collected.study.kind.info.plugin
    if plugin == "judge":
        raise InputError(
            "judgements choose no object, so they are not answers of hearers",
            where=collected.study.folder,
            remedy="`referee study analyse` has their means, `referee study export` the ratings",
        )
    raise InputError(
        f"no trial has been answered in mode {collected.mode}",
        where=collected.study.folder,
        remedy="name another --mode, or try the study out with `referee study simulate`",
    )


def _build_credits(collected: Dataset, responses: list[Response]) -> dict[str, dict[str, object]]:
    """Return the record of who answered, for the run's manifest."""
    study = collected.study
    people = sum(r.probabilities is None for r in responses)
    bots = sorted({r.hearer for r in responses if r.probabilities is not None})
    records: dict[str, dict[str, object]] = {}
    if people:
        records["people"] = {"source": f"study {study.id} ({collected.mode})", "responses": people}
    if bots:
        records["hearers"] = {name: f"{name}|study:{study.id}|hash:{study.hash[:8]}" for name in bots}
    return records


def _list_trials(collected: Dataset) -> list[Trial]:
    return list({s.trial.id: s.trial for s in collected.study.stimuli.values()}.values())


def _list_descriptions(collected: Dataset) -> list[tuple[str, str, Description]]:
    """Return (trial, system, description) for every description of the study."""
    descriptions = {}
    for s in collected.study.stimuli.values():
        # A pair is no system, and its two descriptions are there under their own names if at all.
        if s.system and VERSUS not in s.system:
            descriptions[s.trial.id, s.system] = s.description
    return [(trial, system, description) for (trial, system), description in descriptions.items()]


def import_corpus(collected: Dataset, out: Path, overwrite: bool = False) -> int:
    """Write the produced descriptions as a corpus: one trial per description, by its participant."""
    trials = [
        _convert_description(a)
        for a in collected.trials
        if a.counts_for("") and a.asked is not None and a.answer.get("text")
    ]
    if not trials:
        raise InputError(
            f"no trial has been described in mode {collected.mode}",
            where=collected.study.folder,
            remedy="name another --mode, or try the study out with `referee study simulate`",
        )
    with writing_run(out, overwrite) as folder:
        write_trials(folder, trials)
        write_manifest(
            folder,
            kind="corpus",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            corpus={"name": collected.study.id, "trials": len(trials)},
            study={"id": collected.study.id, "hash": collected.study.hash, "mode": collected.mode},
            simulated=collected.simulated,
        )
    return len(trials)


def _convert_description(a: StoredAnswer) -> Trial:
    """Return a produced description as a trial with one reference."""
    assert a.asked is not None  # asked for above
    trial = a.asked.trial
    speaker = f"{BOTS}({a.sitting.simulated}) {a.sitting.alias}" if a.sitting.simulated else a.sitting.alias
    description = Description(text=a.answer["text"].strip(), speaker=speaker)
    # Trials of one item share their scene by this: descriptions of others are found through it.
    scene = trial.scene if trial.scene.id else replace(trial.scene, id=trial.id)
    meta = {**trial.meta, "item": trial.id}
    return replace(
        trial, id=f"{trial.id}-{a.sitting.name}", scene=scene, speaker=speaker, references=(description,), meta=meta
    )
