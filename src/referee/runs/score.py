"""From outputs to a table: every system measured on every trial (`referee score`).

Trials stream through in chunks and leave only their additive statistics behind, so memory grows with the numbers kept, not with the scenes read.
"""

from __future__ import annotations

import pickle
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import islice, pairwise
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
from referee.signature import Fingerprint, written

__all__ = [
    "PROBLEMS",
    "Measured",
    "Measurer",
    "ScoreTable",
    "Settings",
    "in_passing",
    "make_metrics",
    "measure",
    "metric_names",
    "new_table",
    "number_of_references",
    "score_trials",
]

# Decides about memory and never about results: statistics are added up in the end.
CHUNK = 20_000
PROBLEMS = ("missing", "unparsable", "unknown", "duplicate", "empty", "outside")


Statistics = tuple[dict[tuple[str, str], FloatArray], dict[tuple[str, str], Any], dict[str, str]]


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
    learners: frozenset[tuple[str, str]] = field(init=False)
    failed: dict[str, str] = field(default_factory=dict)
    # Where in `kept` one chunk ends and the next begins.
    edges: list[int] = field(default_factory=lambda: [0])

    def __post_init__(self) -> None:
        self.parts = {key: [] for key in self.metrics}
        self.learners = self.aside.intersection(learning(self.metrics))

    @classmethod
    def with_aside(cls, metrics: Mapping[tuple[str, str], Any], kept: BinaryIO) -> Measured:
        """For one reading: metrics that learn first put aside what they need of it."""
        aside = {key for key, metric in metrics.items() if isinstance(metric, LearnsFirst)}
        return cls(metrics, frozenset(aside if in_passing(metrics) else ()), kept)

    def add(self, batches: Mapping[str, Batch]) -> None:
        self.take(self.statistics(batches))

    def statistics(self, batches: Mapping[str, Batch]) -> Statistics:
        """The rows of metrics that can be measured at once, what the others put aside, and what broke."""
        mine = {key: metric for key, metric in self.metrics.items() if key[0] in batches}
        failed: dict[str, str] = {}
        rows = measure({key: metric for key, metric in mine.items() if key not in self.aside}, batches, failed)
        return rows, {key: mine[key].put_aside(batches[key[0]]) for key in sorted(self.aside & mine.keys())}, failed

    def take(self, found: Statistics) -> None:
        """Keep the statistics of one more chunk."""
        rows, later, failed = found
        for key, measured in rows.items():
            self.parts[key].append(measured)
        self.failed = failed | self.failed
        for key in self.learners & later.keys():
            self.metrics[key].learn_aside(later[key])
        if later:
            pickle.dump(later, self.kept, pickle.HIGHEST_PROTOCOL)
            self.edges.append(self.kept.tell())

    def finish(self) -> Measured:
        """Measure what was put aside, chunk by chunk."""
        self.kept.seek(0)
        for start, end in pairwise(self.edges):
            for key, rows in self.measure_again(self.kept.read(end - start)):
                self.parts[key].append(rows)
        return self

    def measure_again(self, kept: bytes) -> Iterator[tuple[tuple[str, str], FloatArray]]:
        """The rows of metrics that put something aside of a chunk, from this."""
        for key, aside in pickle.loads(kept).items():
            yield key, self.metrics[key].measure_aside(aside)

    def give_to(self, table: ScoreTable) -> None:
        """One metric after the other, its parts let go: the statistics of all trials are not held twice."""
        table.rows = {key: _joined(self.parts.pop(key), table.metrics[key]) for key in list(self.parts)}
        table.notes += self.failed.values()


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
    scoring = _Scoring(answers, trials, settings, everyone or trials, source or Source(), size or CHUNK)
    # A file without a name: what metrics put aside takes no memory, and is gone with the process.
    with TemporaryFile(prefix="referee-") as kept:
        return scoring.table_of(elsewhere, kept)


def new_table(systems: Sequence[str], settings: Settings, source: Source) -> ScoreTable:
    """A table with its metrics and nothing measured yet."""
    if settings.baseline is not None and settings.baseline not in systems:
        raise InputError(
            f"no system is called {settings.baseline!r}", remedy=f"--baseline takes one of {', '.join(systems)}"
        )
    groups: dict[str, list[str | None]] = {name: [] for name in settings.by}
    return ScoreTable(settings, source, groups=groups, metrics=make_metrics(systems, settings.metrics))


class _Scoring:
    """One table in the making."""

    def __init__(
        self,
        answers: Answers,
        trials: Callable[[], Iterable[Trial]],
        settings: Settings,
        everyone: Callable[[], Iterable[Trial]],
        source: Source,
        size: int,
    ) -> None:
        self.answers, self.trials, self.settings, self.everyone, self.size = answers, trials, settings, everyone, size
        self.systems = list(answers.by_system) + ([HUMAN] if settings.humans else [])
        self.table = new_table(self.systems, settings, source)
        self.labels: dict[str, list[str | None]] = {name: [] for name in source.factors(settings.cluster)}
        self.seen: set[str] = set()
        self.ids: list[str] = []
        self.table.trials = self.ids
        self.read, self.against = Fingerprint(), Counter[int]()
        self.finders = {s for s, said in answers.by_system.items() if said.finds}
        self.asked: list[PlaceQuestion] = []
        self.learners = learning(self.table.metrics)

    def table_of(
        self, elsewhere: Callable[[Mapping[tuple[str, str], Any]], Measurer] | None, kept: BinaryIO
    ) -> ScoreTable:
        """Read and measure in this process, or read here and measure elsewhere."""
        table, answers = self.table, self.answers
        # References of other speakers may come from trials that are not in the chosen part.
        find = _reference_finder(self.settings, self.everyone)
        # Elsewhere nothing is measured before everything is read.
        if elsewhere is None and not in_passing(table.metrics):
            _learn(self.learners, table, answers, self.trials, find, self.size)
        measurer = Measured.with_aside(table.metrics, kept) if elsewhere is None else elsewhere(table.metrics)
        for chunk in _chunks(self.trials(), self.size):
            self.asked += map(asked_by, chunk) if self.finders else ()
            # Found once for all systems; a batch's cache shares encodings among metrics, not among systems.
            references = [find(t) for t in chunk]
            self._take(chunk, references)
            batches = self._batches(chunk, references)
            for system in self.finders:
                table.outcomes.setdefault(system, []).extend(a.outcome if a else None for a in batches[system].answers)
            for system, name in self.learners if elsewhere is not None else ():
                table.metrics[system, name].learn(batches[system])
            measurer.add(batches)
        return self._finish(measurer)

    def _take(self, chunk: Sequence[Trial], references: Sequence[Sequence[Description]]) -> None:
        """What a table keeps of some trials beside their statistics."""
        ids = [trial.id for trial in chunk]
        self.seen.update(ids)
        self.ids += ids
        self.read.add_written([written(trial) for trial in chunk])
        for name, column in self.table.groups.items():
            column += [_group(trial, name) for trial in chunk]
        for name, labels in self.labels.items():
            labels += [trial.cluster(name) for trial in chunk]
        self.against.update(map(len, references))

    def _batches(self, chunk: Sequence[Trial], references: Sequence[Sequence[Description]]) -> dict[str, Batch]:
        batches = {}
        for system in self.systems:
            self.answers.check_said(system, chunk)
            found = _found(self.answers, system, chunk) if system in self.finders else []
            batches[system] = Batch(_said(self.answers, system, chunk), chunk, references, answers=found)
        return batches

    def _finish(self, measurer: Measurer) -> ScoreTable:
        table, answers, seen = self.table, self.answers, self.seen
        # Only now: the corpus streams, and which trials it has is known at its end.
        answers.leave_out(seen, self.everyone)
        answers.check_complete(seen)
        table.clusters = choose_clusters(self.labels, self.settings.cluster)
        table.fingerprint, table.references = str(self.read), number_of_references(self.against)
        table.notes = list(answers.notes)
        measurer.finish().give_to(table)
        for system in self.systems:
            missing = len(seen.difference(answers.by_system[system].descriptions)) if system in answers.by_system else 0
            table.counts[system] = {kind: answers.problems[system][kind] for kind in PROBLEMS} | {"missing": missing}
        table.conventions = {s: conventions_of(answers.by_system[s].values()) for s in table.outcomes}
        if table.outcomes:
            table.meant, table.warnings = conventions_meant(self.asked), warnings_about(answers, self.asked)
        return table


def _joined(parts: Sequence[FloatArray], metric: Metric) -> FloatArray:
    return np.concatenate(parts) if parts else np.empty((0, width_of(metric)))


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


def number_of_references(counts: Counter[int]) -> str:
    """How many references an item has: ``1``, or ``3..56``."""
    low, high = min(counts, default=0), max(counts, default=0)
    return str(low) if low == high else f"{low}..{high}"


def make_metrics(systems: Sequence[str], names: Sequence[str]) -> dict[tuple[str, str], Any]:
    """A metric of its own for every system; one that learns from references alone is shared by all."""
    made = {(system, name): catalogue.configure("metric", name) for system in systems for name in names}
    return {
        (system, name): made[systems[0], name] if _shared(metric) else metric for (system, name), metric in made.items()
    }


def _shared(metric: Metric) -> bool:
    return isinstance(metric, LearnsFrom) and metric.learns_from == "references"


def learning(metrics: Mapping[tuple[str, str], Any]) -> list[tuple[str, str]]:
    """Metrics that need the whole set first (NIST's information weights, distributions over a scene), each once."""
    # Backwards, so that of a metric that systems share the first system's key is the one that stays, and it learns once.
    own = {id(metric): key for key, metric in reversed(list(metrics.items())) if isinstance(metric, LearnsFirst)}
    return list(own.values())


def in_passing(metrics: Mapping[tuple[str, str], Any]) -> bool:
    """Whether one reading is enough for all of them."""
    return all(_puts_aside(metrics[key]) for key in learning(metrics))


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
