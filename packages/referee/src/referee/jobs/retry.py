"""Repeats the failed questions of a finished run (`referee run --retry RUN`).

Answered ones are not repeated; the new run replaces the old when complete.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from referee.capabilities import Remembers
from referee.engines.local import LocalEngine
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.jobs.folds import RunPlan, cut_folds
from referee.jobs.open import Opened
from referee.jobs.run import Watch, do_work, serialise_plan
from referee.jobs.speak import Spoken, System
from referee.jobs.unfinished import FAILURES, RunPart, Unfinished
from referee.models.response_cache import read_calls
from referee.options import SHARD
from referee.signature import signature

# Hearers' and people's data in the folder are kept; scores of the old outputs are not.
KEPT = ("responses.jsonl", "hearing-calls", "passports")


def count_failures(folder: Path) -> int:
    """Return how many questions of a run stayed unanswered, and how many trials have no output."""
    died = sum(map(len, _find_crashed_trials(folder).values()))
    if not (folder / "calls.jsonl").is_file():
        return died
    answered: set[str] = set()
    failed: set[str] = set()
    for call in read_calls(folder / "calls.jsonl"):
        (answered if call.failure is None else failed).add(call.key)
    return len(failed - answered) + died


def _find_crashed_trials(folder: Path) -> dict[str, set[str]]:
    """Return the trials that ended their process, by system."""
    trials_by_system: dict[str, set[str]] = {}
    if (folder / FAILURES).is_file():
        for line in (folder / FAILURES).read_text("utf-8").splitlines():
            failure = json.loads(line)
            trials_by_system.setdefault(failure["system"], set()).add(failure["trial"])
    return trials_by_system


def retry(
    folder: Path,
    systems: Sequence[System] = (),
    *,
    command: Sequence[str] = (),
    watch: Watch = lambda total: lambda n: None,
) -> dict[str, dict[str, float]]:
    """Repeat failed questions, at the rate limits of `systems` if given.

    Return the new counts of every system.
    """
    run = Run(folder)
    manifest = run.manifest
    plan = _read_plan(manifest, systems, folder)
    facts = {k: v for k, v in manifest["corpus"].items() if k not in ("trials", "checksum")}
    opened = Opened(name=str(facts.pop("name")), trials=run.trials, everyone=run.trials, parameters=facts)
    signatures = {s.label: signature(s.written.partition("|")[0], s.build(plan.seed)) for s in plan.systems}
    _check_same(signatures, manifest["signatures"], folder)
    unfinished = Unfinished(folder)
    with unfinished.alone():
        try:
            unfinished.begin({**serialise_plan(plan, opened, signatures), "retry": True}, opened.trials(), True, False)
            trials = list(unfinished.trials())
            # With a named cut the run holds the tested part alone: nothing is learned from it.
            folds = cut_folds(plan, trials) if plan.split is None else [([], trials)]
            died = _find_crashed_trials(folder)
            if died and plan.split is not None:
                raise InputError(
                    f"{next(iter(died))} was trained on a part of the corpus that the run does not contain",
                    where=folder,
                    remedy="make the run again under another name",
                )
            asking = [s for s in plan.systems if isinstance(s.build(plan.seed), Remembers)]
            _check_examples(asking, plan, folder)
            if asking and not (unfinished.calls / "replayed.jsonl").exists():
                unfinished.remember(folder)
            _store_other_outputs(run, manifest, plan, asking, unfinished, died)
            # In a separate process: items that failed here before have crashed others.
            failures = do_work(plan, unfinished, folds, LocalEngine(1, apart=True), SHARD, False, watch)
        except BaseException:
            unfinished.forget_if_empty()
            raise
        for name in KEPT:
            _copy(folder / name, unfinished.folder / name)
        manifest_fields = {
            k: v for k, v in manifest.items() if k not in ("format", "version", "counts", "systems", "corpus")
        }
        manifest_fields["retried"] = ["referee", *command]
        return unfinished.finish(
            [s.label for s in plan.systems], trials, failures, corpus={"name": opened.name, **facts}, **manifest_fields
        )


def _read_plan(manifest: dict[str, Any], systems: Sequence[System], folder: Path) -> RunPlan:
    """Return the plan of a run. Raises InputError for a folder of another kind."""
    settings = manifest.get("settings", {})
    if manifest.get("kind") != "outputs" or not isinstance(settings.get("systems"), dict):
        raise InputError("this is not a run of systems", where=folder, remedy="name a folder that `referee run` wrote")
    systems_by_label = {s.label: s for s in systems}
    unknown = sorted(set(systems_by_label) - set(settings["systems"]))
    if unknown:
        raise InputError(
            f"the run has no system {unknown[0]!r}", where=folder, remedy=f"it has {', '.join(settings['systems'])}"
        )
    named = tuple(systems_by_label.get(label, System(label, written)) for label, written in settings["systems"].items())
    rest = {name: settings[name] for name in ("folds", "by", "split", "seed")}
    return replace(RunPlan(systems=named), **rest)


def _check_same(now: dict[str, str], then: dict[str, str], folder: Path) -> None:
    """Raise InputError if a system or version differs from the run's."""
    differing = [label for label in now if now[label] != then.get(label)]
    if differing:
        raise InputError(
            f"{differing[0]} differs from when the run was made",
            where=folder,
            remedy="only pace, patience and prices can be changed, in the same release; otherwise make another run (--replay reuses its answers)",
        )


def _check_examples(asking: Sequence[System], plan: RunPlan, folder: Path) -> None:
    """Raise InputError for systems with examples from a training part that the run does not contain."""
    shown = [s.label for s in asking if getattr(s.build(plan.seed), "examples", 0)]
    if plan.split is not None and shown:
        raise InputError(
            f"{shown[0]} had examples from the training part, which the run does not contain",
            where=folder,
            remedy="repeat the run under another name; --replay reuses its answers",
        )


def _store_other_outputs(
    run: Run,
    manifest: dict[str, Any],
    plan: RunPlan,
    asking: Sequence[System],
    unfinished: Unfinished,
    died: dict[str, set[str]],
) -> None:
    """Store the outputs of systems without remote calls as one part."""
    labels = {s.label for s in plan.systems} - {s.label for s in asking}
    trials = [t.id for t in run.trials()]
    descriptions: dict[str, list[Any]] = {label: [] for label in labels}
    for output in run.outputs():
        if output.system in descriptions:
            descriptions[output.system].append((output.trial, output.description))
    for label in labels:
        undone = died.get(label, set())
        counts = {k: v for k, v in manifest["counts"][label].items() if k != "failed"}
        counts["trials"] -= len(undone)
        asked = [t for t in trials if t not in undone]
        unfinished.keep(RunPart.of(label, asked, Spoken(descriptions=tuple(descriptions[label]), counts=counts)))


def _copy(source: Path, target: Path) -> None:
    """Copy a file or folder."""
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    elif source.is_file():
        shutil.copyfile(source, target)
