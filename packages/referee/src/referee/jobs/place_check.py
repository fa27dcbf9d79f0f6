"""`referee ground --check`: a file of boxes and points read whole, and the convention detective over each model in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan
from pathlib import Path
from typing import Any

from referee.corpora.rec_eval import SUFFIXES, RecEval
from referee.errors import InputError
from referee.geometry import Box, Convention, Order, ScenePicture, Size, WrongConvention
from referee.grounding.detective import ConventionFinding, NumberReading, investigate
from referee.jobs.grounding import asked_by, declare, evidence_of, suspects
from referee.jobs.open import Answers, open_corpus, open_outputs
from referee.jobs.progress import with_progress
from referee.records import Trial


@dataclass(frozen=True, slots=True, kw_only=True)
class PlaceReport:
    """The detective's finding about each model of a file."""

    file: str
    trials: list[Trial]
    answers: Answers
    findings: dict[str, ConventionFinding]

    def as_rows(self) -> dict[str, Any]:
        readings = [f.best for f in self.findings.values() if f.best is not None and not f.needs_size]
        orders = {reading.gold for reading in readings}
        return {
            "file": self.file,
            "items": len(self.trials),
            "gold": " or ".join(sorted({reading.gold_text for reading in readings})) or None,
            "inverted": [t.id for t in self.trials if _is_inverted(t, orders)],
            "models": [_row(model, finding) for model, finding in self.findings.items()],
        }


def _is_inverted(trial: Trial, orders: set[Order]) -> bool:
    region = trial.scene.entity(trial.targets[0]).region if len(trial.targets) == 1 else None
    if not isinstance(region, Box):
        return False
    order = next(iter(orders)) if len(orders) == 1 else region.convention.order
    return Box(region.numbers, Convention(region.convention.unit, order)).empty


def _row(model: str, finding: ConventionFinding) -> dict[str, Any]:
    best, declared, rival = finding.best, finding.declared, finding.runner_up
    return {
        "model": model,
        "n": finding.n,
        "reading": None if best is None else str(best.convention),
        "gold": None if best is None else best.gold_text,
        "fit": _fit(best),
        "sure": finding.sure,
        "confidence": finding.confidence,
        "needs_size": finding.needs_size,
        "declared": None if declared is None else str(declared.convention),
        "declared_gold": None if declared is None else declared.gold_text,
        "declared_fit": _fit(declared),
        "declared_fits": finding.fits,
        "runner_up": None if rival is None else str(rival.convention),
        "runner_up_fit": _fit(rival),
        "p": None if isnan(finding.p) else finding.p,
        "remarks": list(finding.remarks),
    }


def _fit(reading: NumberReading | None) -> float | None:
    return None if reading is None or isnan(reading.fit) else reading.fit


def check_file(
    path: Path,
    *,
    corpus: str | None = None,
    data: Any = None,
    reading: str | None = None,
    gold: str | None = None,
    declared: list[str] | None = None,
    size: str | None = None,
) -> PlaceReport:
    """The detective over a file: lines with ``gt`` and ``answers``, or outputs for a corpus."""
    trials, answers = _with_corpus(path, corpus, data, reading) if corpus else _lone_file(path, gold)
    if size is not None:
        trials = [_sized(trial, _size(size)) for trial in trials]
    declare(answers, [text if "=" in text else f"={text}" for text in declared or ()])
    findings, asked = {}, [asked_by(trial) for trial in trials]
    for model, outputs in with_progress(answers.by_system.items(), "all readings of the numbers of every model"):
        evidence = evidence_of(outputs, asked)
        if evidence is not None:
            # A file alone does not say how its boxes are written; a corpus or a user does.
            undeclared = replace(evidence, gold_order=evidence.gold_order if gold else None, gold_unit=None)
            findings[model] = investigate(evidence if corpus else undeclared)
    if not findings:
        raise InputError(
            "no model of this file answers with a box or a point",
            where=path,
            remedy="one line an item: gt and answers, or outputs with --corpus",
        )
    return PlaceReport(file=str(path), trials=trials, answers=answers, findings=findings)


def _lone_file(path: Path, gold: str | None) -> tuple[list[Trial], Answers]:
    """A file of the form of rec-eval, wherever it lies."""
    suffix = next((s for s in SUFFIXES if path.name.endswith(s)), None)
    if suffix is None or not path.is_file():
        problem = "there is no such file" if not path.exists() else "this is not a file of lines of JSON"
        raise InputError(
            problem, where=path, remedy="name a .jsonl or .jsonl.gz file: one line an item, with gt and answers"
        )
    source = RecEval(path.resolve().parent, path.name.removesuffix(suffix), gold or "")
    return list(source.trials()), Answers.of(source.recorded())


def _with_corpus(path: Path, corpus: str, data: Any, reading: str | None) -> tuple[list[Trial], Answers]:
    opened = open_corpus(corpus, data=data, reading=reading)
    return list(opened.trials()), open_outputs([str(path)], lenient=True, opened=opened)


def _size(text: str) -> Size:
    width, _, height = text.partition("x")
    try:
        return Size(int(width), int(height))
    except (ValueError, WrongConvention):
        raise InputError(f"{text!r} is no size", remedy="write --size 640x480") from None


def _sized(trial: Trial, size: Size) -> Trial:
    picture = trial.scene.picture or ScenePicture(path="")
    if picture.size is not None:
        return trial
    picture = replace(picture, size=size)
    return replace(trial, scene=replace(trial.scene, picture=picture))


def missed_by_all(report: PlaceReport) -> dict[str, Any]:
    """The items that no model with boxes finds."""
    missed, systems = suspects(report.answers, report.trials)
    items = [
        {
            "trial": s.trial.id,
            "same_place": s.same_place,
            "text": next((d.text for d in s.trial.references if d.text), None),
            "picture": s.trial.scene.picture.path or None if s.trial.scene.picture else None,
        }
        for s in missed
    ]
    return {"systems": systems, "of": len(report.trials), "items": items}
