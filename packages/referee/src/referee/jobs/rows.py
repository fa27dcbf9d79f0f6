"""From batches to rows: the measures of a piece, as work for an engine.

One row of additive statistics an item and metric comes back, and no record.
"""

from __future__ import annotations

import gc
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from referee import catalogue
from referee.capabilities import LearnsFirst, LearnsFrom, TwoPassMetric, count_statistics
from referee.contracts import Batch, FloatArray, Metric
from referee.corpora.reading.scripts import has_unspaced_script
from referee.engines.pieces import Needs, WorkPiece
from referee.errors import BrokenPlugin
from referee.jobs.batches import PieceBatches, ScorePiece
from referee.jobs.grounding import PlaceQuestion, extract_question
from referee.options import GROUPINGS
from referee.records import Outcome, Trial
from referee.signature import output_digests, trial_digests

Key = tuple[str, str]
Metrics = Mapping[Key, Any]


@dataclass(frozen=True, slots=True)
class PieceRows:
    """The result of a piece: rows by system and metric, and labels of its trials.

    `collected` are data of the piece for two-pass metrics; `failed` are metrics of other packages that raised errors.
    """

    number: int
    rows: dict[Key, FloatArray]
    collected: dict[Key, Any]
    failed: dict[str, str]
    labels: dict[str, list[str | None]]
    references: Counter[int]
    trial_digests: bytes
    output_digests: dict[str, bytes]
    missing: dict[str, int]
    problems: dict[str, dict[str, int]]
    notes: list[str]
    outcomes: dict[str, list[Outcome | None]]
    asked: list[PlaceQuestion]
    languages: Counter[tuple[str, bool]]


@dataclass(frozen=True, slots=True)
class Measuring:
    """A task for an engine: the metrics of every system, and the labels of trials for the table."""

    metrics: Metrics
    systems: Sequence[str]
    labels: Sequence[str]

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {}

    @property
    def needs(self) -> Needs:
        return Needs()

    def begin(self, inputs: Mapping[str, Path]) -> None:
        """Return None: a piece is read from its files."""

    def do(self, begun: None, piece: WorkPiece) -> list[PieceRows]:
        with _pause_collector():
            return [self.rows(item) for item in piece.items]

    def rows(self, piece: ScorePiece) -> PieceRows:
        """Read a piece and measure it."""
        read = piece.batches(self.systems)
        failed: dict[str, str] = {}
        later = {key for key, metric in self.metrics.items() if is_two_pass(metric)}
        now = {key: metric for key, metric in self.metrics.items() if key not in later}
        finds = {system: batch for system, batch in read.by_system.items() if batch.answers}
        labels = {name: [_get_label(trial, name) for trial in read.trials] for name in self.labels}
        return PieceRows(
            number=piece.number,
            rows=measure(now, read.by_system, failed),
            collected={key: self.metrics[key].collect(read.by_system[key[0]]) for key in sorted(later)},
            failed=failed,
            labels=labels,
            references=Counter(map(len, read.references)),
            trial_digests=trial_digests(read.trials, read.references),
            output_digests={
                s: output_digests([t.id for t in b.trials], b.outputs, b.answers) for s, b in read.by_system.items()
            },
            missing={system: list(batch.outputs).count(None) for system, batch in read.by_system.items()},
            problems={system: dict(kinds) for system, kinds in read.answers.problems.items()},
            notes=read.answers.notes,
            outcomes={s: [None if a is None else a.outcome for a in batch.answers] for s, batch in finds.items()},
            asked=_list_questions(read) if finds else [],
            languages=Counter(map(_detect_language, read.trials)),
        )


@contextmanager
def _pause_collector() -> Iterator[None]:
    """Switch off Python's garbage collector in the block: records have no cycles, and its search takes a sixth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _detect_language(trial: Trial) -> tuple[str, bool]:
    """Return the language of a trial, and whether its references are in a script without blanks between words."""
    text = trial.references[0].text if trial.references else None
    return trial.language, text is not None and has_unspaced_script(text)


def _list_questions(read: PieceBatches) -> list[PlaceQuestion]:
    return [extract_question(trial) for trial in read.trials]


def _get_label(trial: Trial, name: str) -> str | None:
    """Return a trial's group or cluster label."""
    if name not in GROUPINGS:
        return trial.cluster(name)
    label = trial.scene.id if name == "scene" else getattr(trial, name)
    return None if label is None else str(label)


def measure(metrics: Metrics, batches: Mapping[str, Batch], failed: dict[str, str]) -> dict[Key, FloatArray]:
    """Return all metrics of one piece; errors in metrics of other packages are recorded in `failed`."""
    return {
        (system, name): _measure_batch(metric, name, batches[system], failed)
        for (system, name), metric in metrics.items()
    }


def _measure_batch(metric: Metric, name: str, batch: Batch, failed: dict[str, str]) -> FloatArray:
    """Return one row of statistics per item; a plug-in metric that fails gives no values and is recorded once."""
    if catalogue.is_shipped("metric", name):
        return metric.statistics(batch)
    wide = (len(batch), count_statistics(metric))
    try:
        rows = np.asarray(metric.statistics(batch), dtype=float)
        if rows.shape == wide:
            return rows
        error: Exception | str = f"statistics gave {rows.shape} numbers instead of {wide}"
    except Exception as raised:
        error = raised
    about = catalogue.entry("metric", name.partition("|")[0]).about
    failed.setdefault(name, str(BrokenPlugin("metric", name, about, error)))
    return np.full(wide, np.nan)


# -- metrics that learn from all pieces first -----------------------------------------------------------------------------------


def make_metrics(systems: Sequence[str], names: Sequence[str]) -> dict[Key, Any]:
    """Return separate metrics for every system; a metric that learns only from references is shared."""
    made = {(system, name): catalogue.configure("metric", name) for system in systems for name in names}
    return {
        (system, name): made[systems[0], name] if _is_shared(metric) else metric
        for (system, name), metric in made.items()
    }


def _is_shared(metric: Metric) -> bool:
    return isinstance(metric, LearnsFrom) and metric.learns_from == "references"


def list_learning(metrics: Metrics) -> list[Key]:
    """Return the metrics that need all trials before they can measure one (such as NIST's weights), each once."""
    # In reverse, so that a shared metric keeps the first system's key and learns once.
    by_metric = {id(metric): key for key, metric in reversed(list(metrics.items())) if isinstance(metric, LearnsFirst)}
    return list(by_metric.values())


def is_two_pass(metric: Metric) -> bool:
    """Return whether a metric learns from data collected in the first pass, so that the corpus is read once.

    Metrics of other packages are computed where errors are caught.
    """
    return type(metric).__module__.startswith("referee.") and isinstance(metric, TwoPassMetric)


def needs_two_passes(metrics: Metrics) -> bool:
    """Return whether a metric needs all pieces before it can be computed."""
    return not all(is_two_pass(metrics[key]) for key in list_learning(metrics))
