"""From outputs to a table: every system measured on every trial (`referee score`).

Trials stream through in chunks and leave only their additive statistics behind, so memory grows with the numbers kept, not with the scenes read.
"""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Protocol

import numpy as np

from referee import catalogue
from referee.capabilities import LearnsFirst, LearnsFrom, PutsAside, width_of
from referee.contracts import Batch, FloatArray, Metric
from referee.errors import BrokenPlugin, InputError
from referee.records import HUMAN, Description, Response, Trial
from referee.runs.grounding import PlaceQuestion, asked_by, conventions_meant, conventions_of, warnings_about
from referee.runs.open import Answers
from referee.runs.score_table import ScoreTable, Settings, Source, choose_clusters, metric_names
from referee.signature import Fingerprint

__all__ = ["PROBLEMS", "Measured", "Measurer", "ScoreTable", "Settings", "measure", "metric_names", "score_trials"]

# Decides about memory and never about results: statistics are added up in the end.
CHUNK = 20_000
PROBLEMS = ("missing", "unparsable", "unknown", "duplicate", "empty", "outside")


class Measurer(Protocol):
    """Takes one chunk after the other, as the batches of all systems, and gives what was measured in the end."""

    def add(self, batches: Mapping[str, Batch]) -> None: ...
    def finish(self) -> Measured: ...


@dataclass(slots=True)
class Measured:
    """The statistics of every chunk, in order, by system and metric; metrics of other packages that broke, with what to say of them.

    Those in `aside` are measured at the end, from what they put aside of every chunk (into `kept`): only then have they learnt from all of them.
    """

    metrics: Mapping[tuple[str, str], Any]
    aside: frozenset[tuple[str, str]] = frozenset()
    kept: BinaryIO = field(default_factory=BytesIO)
    parts: dict[tuple[str, str], list[FloatArray]] = field(init=False)
    failed: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.parts = {key: [] for key in self.metrics}

    def add(self, batches: Mapping[str, Batch]) -> None:
        now = {key: metric for key, metric in self.metrics.items() if key not in self.aside}
        for key, rows in measure(now, batches, self.failed).items():
            self.parts[key].append(rows)
        if self.aside:
            later = {key: self.metrics[key].put_aside(batches[key[0]]) for key in sorted(self.aside)}
            pickle.dump(later, self.kept, pickle.HIGHEST_PROTOCOL)

    def finish(self) -> Measured:
        end = self.kept.tell()
        self.kept.seek(0)
        while self.kept.tell() < end:
            for key, kept in pickle.load(self.kept).items():
                self.parts[key].append(self.metrics[key].measure_aside(kept))
        return self


# -- measuring ---------------------------------------------------------------------------------------------------------------


def score_trials(
    answers: Answers,
    trials: Callable[[], Iterable[Trial]],
    settings: Settings,
    everyone: Callable[[], Iterable[Trial]] | None = None,
    source: Source | None = None,
    size: int | None = None,
    elsewhere: Callable[[Mapping[tuple[str, str], Any]], Measurer] | None = None,
) -> ScoreTable:
    """Measure all systems on all trials; `trials` is called once, or twice where a metric learns from the whole set first and can put nothing aside.

    `everyone` gives the trials that pooled references may come from (the whole corpus); by default the trials themselves. `source` says where they
    come from, for the signature and for what the trials are clustered by. `size` is that of a chunk; `elsewhere` measures chunks in other processes (see
    `referee.runs.measuring`).
    """
    # A file without a name: what metrics put aside takes no memory, and is gone with the process.
    with TemporaryFile(prefix="referee-") as kept:
        return _score(answers, trials, settings, everyone or trials, source or Source(), size or CHUNK, elsewhere, kept)


def _score(
    answers: Answers,
    trials: Callable[[], Iterable[Trial]],
    settings: Settings,
    everyone: Callable[[], Iterable[Trial]],
    source: Source,
    size: int,
    elsewhere: Callable[[Mapping[tuple[str, str], Any]], Measurer] | None,
    kept: BinaryIO,
) -> ScoreTable:
    systems = list(answers.by_system) + ([HUMAN] if settings.humans else [])
    if settings.baseline is not None and settings.baseline not in systems:
        raise InputError(
            f"no system is called {settings.baseline!r}", remedy=f"--baseline takes one of {', '.join(systems)}"
        )
    table = ScoreTable(settings, source)
    table.metrics = _make_metrics(systems, settings.metrics)
    # References of other speakers may come from trials that are not in the chosen part.
    find = _reference_finder(settings, everyone)
    learners = _learners(table.metrics)
    # Elsewhere nothing is measured before everything is read.
    in_passing = elsewhere is not None or all(_puts_aside(table.metrics[key]) for key in learners)
    if not in_passing:
        _learn(learners, table, answers, trials, find, size)
    aside = frozenset(k for k, m in table.metrics.items() if in_passing and isinstance(m, LearnsFirst))
    measurer: Measurer = Measured(table.metrics, aside, kept) if elsewhere is None else elsewhere(table.metrics)
    table.groups = {name: [] for name in settings.by}
    seen: set[str] = set()
    labels: dict[str, list[str | None]] = {name: [] for name in table.source.factors(settings.cluster)}
    read, against = Fingerprint(), Counter[int]()
    finders = {s for s, said in answers.by_system.items() if said.finds}
    asked: list[PlaceQuestion] = []
    for chunk in _chunks(trials(), size):
        asked += map(asked_by, chunk) if finders else ()
        for trial in chunk:
            seen.add(trial.id)
            table.trials.append(trial.id)
            read.add(trial)
            for name in settings.by:
                table.groups[name].append(_group(trial, name))
            for name, column in labels.items():
                column.append(trial.cluster(name))
        # Found once for all systems; a batch's cache shares encodings among metrics, not among systems.
        references = [find(t) for t in chunk]
        against.update(map(len, references))
        batches = {}
        for system in systems:
            answers.check_said(system, chunk)
            found = _found(answers, system, chunk) if system in finders else []
            batches[system] = Batch(_said(answers, system, chunk), chunk, references, answers=found)
            if found:
                table.outcomes.setdefault(system, []).extend(a.outcome if a else None for a in found)
        for system, name in learners if in_passing else ():
            table.metrics[system, name].learn(batches[system])
        measurer.add(batches)
    # Only now: the corpus streams, and which trials it has is known at its end.
    answers.leave_out(seen, everyone)
    answers.check_complete(seen)
    table.clusters = choose_clusters(labels, settings.cluster)
    table.fingerprint, table.references = str(read), _range(against)
    measured = measurer.finish()
    table.rows = {
        key: np.concatenate(rows) if rows else np.empty((0, width_of(table.metrics[key])))
        for key, rows in measured.parts.items()
    }
    for system in systems:
        missing = len(seen.difference(answers.by_system[system].descriptions)) if system in answers.by_system else 0
        table.counts[system] = {kind: answers.problems[system][kind] for kind in PROBLEMS} | {"missing": missing}
    table.notes = [*answers.notes, *measured.failed.values()]
    table.conventions = {s: conventions_of(answers.by_system[s].values()) for s in table.outcomes}
    if table.outcomes:
        table.meant, table.warnings = conventions_meant(asked), warnings_about(answers, asked)
    return table


def measure(
    metrics: Mapping[tuple[str, str], Any], batches: Mapping[str, Batch], failed: dict[str, str]
) -> dict[tuple[str, str], FloatArray]:
    """All metrics on one chunk; those of other packages that break are noted in `failed`."""
    return {
        (system, name): _statistics(metric, name, batches[system], failed) for (system, name), metric in metrics.items()
    }


def _statistics(metric: Metric, name: str, batch: Batch, failed: dict[str, str]) -> FloatArray:
    """One row per item. A metric of another package that breaks gives no value (n = 0), and is named once."""
    if catalogue.is_shipped("metric", name):
        return metric.statistics(batch)
    wide = (len(batch), width_of(metric))
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


def _found(answers: Answers, system: str, chunk: Sequence[Trial]) -> list[Response | None]:
    """What a system found on some trials; nothing at all where it describes."""
    return [answers.by_system[system].response(t.id) for t in chunk]


def _range(counts: Counter[int]) -> str:
    """How many references an item has: ``1``, or ``3..56``."""
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low}..{high}"


def _make_metrics(systems: Sequence[str], names: Sequence[str]) -> dict[tuple[str, str], Any]:
    """A metric of its own for every system; one that learns from references alone is shared by all."""
    made = {(system, name): catalogue.configure("metric", name) for system in systems for name in names}
    return {
        (system, name): made[systems[0], name] if _shared(metric) else metric for (system, name), metric in made.items()
    }


def _shared(metric: Metric) -> bool:
    return isinstance(metric, LearnsFrom) and metric.learns_from == "references"


def _learners(metrics: Mapping[tuple[str, str], Any]) -> list[tuple[str, str]]:
    """Metrics that need the whole set first (NIST's information weights, distributions over a scene), each once."""
    # Backwards, so that of a metric that systems share the first system's key is the one that stays, and it learns once.
    own = {id(metric): key for key, metric in reversed(list(metrics.items())) if isinstance(metric, LearnsFirst)}
    return list(own.values())


def _puts_aside(metric: Metric) -> bool:
    """Whether a metric needs no second reading; those of other packages are measured where a fault of theirs is caught."""
    return type(metric).__module__.startswith("referee.") and isinstance(metric, PutsAside)


def _learn(
    learners: Sequence[tuple[str, str]],
    table: ScoreTable,
    answers: Answers,
    trials: Callable[[], Iterable[Trial]],
    find: Any,
    size: int,
) -> None:
    """A first reading for metrics that have to learn before they see what they measure.

    Where everything fits into one chunk there is nothing to learn first: the one batch is the whole set.
    """
    for i, chunk in enumerate(_chunks(trials(), size)):
        # A metric that was taught nothing learns from the batch it measures.
        if i == 0 and len(chunk) < size:
            return
        references = [find(t) for t in chunk]
        for system in dict.fromkeys(system for system, _ in learners):
            batch = Batch(_said(answers, system, chunk), chunk, references)
            for name in [name for own, name in learners if own == system]:
                table.metrics[system, name].learn(batch)


def _chunks(trials: Iterable[Trial], size: int) -> Iterator[list[Trial]]:
    iterator = iter(trials)
    while chunk := list(islice(iterator, size)):
        yield chunk


def _group(trial: Trial, name: str) -> str | None:
    value = trial.scene.id if name == "scene" else getattr(trial, name)
    return None if value is None else str(value)


def _said(answers: Answers, system: str, chunk: Sequence[Trial]) -> list[Description | None]:
    """A system's descriptions for some trials, None where it gave nothing."""
    # A file of outputs may bring its own "human", which then is a system like others.
    if system == HUMAN and HUMAN not in answers.by_system:
        return [t.references[0] if t.references else None for t in chunk]
    said = answers.by_system[system].descriptions
    return [said.get(t.id) for t in chunk]


def _reference_finder(
    settings: Settings, trials: Callable[[], Iterable[Trial]]
) -> Callable[[Trial], Sequence[Description]]:
    """Own references, or (``others``) those of the same scene and target by other speakers."""
    # People are never held against their own words: with them in the table, all are held against others'.
    if settings.references == "own" and not settings.humans:
        return lambda trial: trial.references
    pools: dict[tuple[str, tuple[str, ...]], list[tuple[str | None, Description]]] = defaultdict(list)
    for trial in trials():
        pools[_place(trial)] += [(trial.speaker, d) for d in trial.references]
    return lambda trial: [d for speaker, d in pools[_place(trial)] if speaker != trial.speaker]


def _place(trial: Trial) -> tuple[str, tuple[str, ...]]:
    # A trial whose scene has no id shares its scene with no other.
    return (trial.scene.id or trial.id, trial.targets)
