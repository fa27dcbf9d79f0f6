"""From outputs to a table: every system measured on every trial, and additive statistics made values, intervals, tests and signatures (`referee score`).

Trials stream through in chunks and leave only their additive statistics behind, so memory grows with the numbers kept, not with the scenes read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from referee import catalogue
from referee.capabilities import LearnsFirst, LearnsFrom, width_of
from referee.contracts import Batch, FloatArray, Metric
from referee.corpora.natural_order import natural
from referee.errors import InputError
from referee.records import HUMAN, Description, Trial
from referee.runs.open import Answers, open_corpus, open_outputs
from referee.signature import signature
from referee.statistics.resampling import Sample, bootstrap, compare, interval

if TYPE_CHECKING:
    import polars as pl

__all__ = ["DEFAULT_METRICS", "GROUPINGS", "ScoreTable", "Settings", "metric_names", "score", "score_trials"]

DEFAULT_METRICS = (
    "set/dice",
    "set/masi",
    "set/exact",
    "scene/unique",
    "scene/minimal",
    "scene/surplus",
    "string/exact",
    "string/edit",
    "string/bleu.4",
    "string/nist",
    "string/rouge-su4",
)
GROUPINGS = ("domain", "condition", "speaker", "scene", "language")
CHUNK = 20_000
PROBLEMS = ("missing", "unparsable", "unknown", "duplicate", "empty", "outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that shapes a table of scores; all of it goes into the run's manifest.

    Args:
        metrics: names, with switches where wanted.
        by: fields of trials to score in groups as well.
        references: ``own``, or ``others`` for those of other speakers of the same scene.
        humans: whether people are a system too.
        baseline: the system that others are compared with.
        resamples: of the bootstrap and the randomisation test; 0 for none.
        confidence: of the intervals.
        seed: of all randomness.
        lenient: whether problems are counted instead of raised.

    >>> Settings(metrics=("set/dice",)).references
    'own'
    """

    metrics: tuple[str, ...] = DEFAULT_METRICS
    by: tuple[str, ...] = ()
    references: str = "own"
    humans: bool = False
    baseline: str | None = None
    resamples: int = 1000
    confidence: float = 0.95
    seed: int = 1
    lenient: bool = False


def metric_names(wanted: Iterable[str]) -> tuple[str, ...]:
    """Metric names from names, families (``set``, ``string``), ``default`` or ``all``."""
    known = catalogue.names("metric")
    result: list[str] = []
    for name in wanted:
        if name == "all":
            found: Sequence[str] = known
        elif name == "default":
            found = DEFAULT_METRICS
        else:
            family = f"{name.rstrip('/*')}/"
            found = [n for n in known if n.startswith(family)] or [name]
        result += [n for n in found if n not in result]
    for name in result:
        catalogue.configure("metric", name)
    return tuple(result)


def score(outputs: Any, corpus: Any, **options: Any) -> pl.DataFrame:
    """Score outputs against a corpus.

    Args:
        outputs: a path (or several) to an outputs file, or rows as in such a file (dicts, a polars or pandas frame).
        corpus: a name of the catalogue, a JSONL file, a `Corpus`, or an iterable of trials.
        **options: those of `Settings`, plus `data`, `reading` and `split`.

    Returns:
        A tidy data frame: system, group, metric, value, n, low, high, signature.

    Raises:
        InputError: where outputs and corpus do not fit together; the message says which file, where in it, and what to do.
        UnknownName: for a metric or corpus that is not in the catalogue.

    >>> import referee
    >>> red, blue = referee.Property("colour", "red"), referee.Property("colour", "blue")
    >>> things = tuple(referee.Entity(id=p.value, attributes=(p,)) for p in (red, blue))
    >>> said = referee.Description(properties=(red,))
    >>> scene = referee.Scene(entities=things)
    >>> trials = [referee.Trial(id="t1", scene=scene, targets=("red",), references=(said,))]
    >>> rows = [{"trial": "t1", "system": "mine", "properties": [["colour", "red"]]}]
    >>> referee.score(rows, trials, metrics=["set/dice"], resamples=0)["value"].to_list()
    [1.0]
    """
    import polars as pl

    chosen = {key: options.pop(key, None) for key in ("data", "reading", "split")}
    if "metrics" in options:
        names = options["metrics"]
        options["metrics"] = metric_names([names] if isinstance(names, str) else names)
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in options.items()}
    settings = Settings(**given)
    opened = open_corpus(corpus, seed=settings.seed, **chosen)
    table = score_trials(open_outputs(outputs, settings.lenient), opened.trials, settings, everyone=opened.everyone)
    return pl.DataFrame(table.scores(), infer_schema_length=None)


# -- measuring ---------------------------------------------------------------------------------------------------------------


def score_trials(
    answers: Answers,
    trials: Callable[[], Iterable[Trial]],
    settings: Settings,
    everyone: Callable[[], Iterable[Trial]] | None = None,
) -> ScoreTable:
    """Measure all systems on all trials; `trials` is called once, or twice when a metric learns from the whole set first.

    `everyone` gives the trials that pooled references may come from (the whole corpus); by default the trials themselves.
    """
    systems = list(answers.by_system) + ([HUMAN] if settings.humans else [])
    if settings.baseline is not None and settings.baseline not in systems:
        raise InputError(
            f"no system is called {settings.baseline!r}", remedy=f"--baseline takes one of {', '.join(systems)}"
        )
    table = ScoreTable(settings)
    table.metrics = _make_metrics(systems, settings.metrics)
    find = _reference_finder(settings, everyone or trials)
    _learn(table, answers, trials, find, systems)
    parts: dict[tuple[str, str], list[FloatArray]] = {key: [] for key in table.metrics}
    table.groups = {name: [] for name in settings.by}
    seen: set[str] = set()
    for chunk in _chunks(trials()):
        for trial in chunk:
            seen.add(trial.id)
            table.trials.append(trial.id)
            for name in settings.by:
                table.groups[name].append(_group(trial, name))
        references = [find(t) for t in chunk]
        for system in systems:
            said = _said(answers, system, chunk)
            answers.check_said(system, chunk)
            batch = Batch(said, chunk, references)
            for name in settings.metrics:
                parts[system, name].append(table.metrics[system, name].statistics(batch))
    answers.check_complete(seen)
    table.rows = {
        key: np.concatenate(rows) if rows else np.empty((0, width_of(table.metrics[key])))
        for key, rows in parts.items()
    }
    for system in systems:
        missing = len(seen) - len(answers.by_system[system].keys() & seen) if system in answers.by_system else 0
        table.counts[system] = {kind: answers.problems[system][kind] for kind in PROBLEMS} | {"missing": missing}
    table.notes = answers.notes
    return table


def _make_metrics(systems: Sequence[str], names: Sequence[str]) -> dict[tuple[str, str], Any]:
    """A metric of its own for every system; one that learns from references alone is shared by all."""
    made = {(system, name): catalogue.configure("metric", name) for system in systems for name in names}
    return {
        (system, name): made[systems[0], name] if _shared(metric) else metric for (system, name), metric in made.items()
    }


def _shared(metric: Metric) -> bool:
    return isinstance(metric, LearnsFrom) and metric.learns_from == "references"


def _learn(
    table: ScoreTable, answers: Answers, trials: Callable[[], Iterable[Trial]], find: Any, systems: list[str]
) -> None:
    """First pass for metrics that need the whole set (NIST's information weights, distributions over a scene).

    Where everything fits into one chunk there is nothing to learn first: the one batch is the whole set.
    """
    learners = {
        id(metric): (key[0], metric)
        for key, metric in reversed(table.metrics.items())
        if isinstance(metric, LearnsFirst)
    }
    for i, chunk in enumerate(_chunks(trials()) if learners else ()):
        if i == 0 and len(chunk) < CHUNK:
            return
        references = [find(t) for t in chunk]
        for system in systems:
            mine = [metric for own, metric in learners.values() if own == system]
            batch = Batch(_said(answers, system, chunk), chunk, references)
            for metric in mine:
                metric.learn(batch)


def _chunks(trials: Iterable[Trial]) -> Iterator[list[Trial]]:
    iterator = iter(trials)
    while chunk := list(islice(iterator, CHUNK)):
        yield chunk


def _group(trial: Trial, name: str) -> str | None:
    value = trial.scene.id if name == "scene" else getattr(trial, name)
    return None if value is None else str(value)


def _said(answers: Answers, system: str, chunk: Sequence[Trial]) -> list[Description | None]:
    """A system's descriptions for some trials, None where it gave nothing."""
    if system == HUMAN and HUMAN not in answers.by_system:
        return [t.references[0] if t.references else None for t in chunk]
    said = answers.by_system[system]
    return [said[t.id].description if t.id in said else None for t in chunk]


def _reference_finder(
    settings: Settings, trials: Callable[[], Iterable[Trial]]
) -> Callable[[Trial], Sequence[Description]]:
    """Own references, or (``others``) those of the same scene and target by other speakers."""
    if settings.references == "own" and not settings.humans:
        return lambda trial: trial.references
    pools: dict[tuple[str, tuple[str, ...]], list[tuple[str | None, Description]]] = defaultdict(list)
    for trial in trials():
        pools[_place(trial)] += [(trial.speaker, d) for d in trial.references]
    return lambda trial: [d for speaker, d in pools[_place(trial)] if speaker != trial.speaker]


def _place(trial: Trial) -> tuple[str, tuple[str, ...]]:
    return (trial.scene.id or trial.id, trial.targets)


# -- the table ---------------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class ScoreTable:
    """Statistics of every system, metric and item, with the groups that items belong to."""

    settings: Settings
    trials: list[str] = field(default_factory=list)
    groups: dict[str, list[str | None]] = field(default_factory=dict)
    rows: dict[tuple[str, str], FloatArray] = field(default_factory=dict)
    metrics: dict[tuple[str, str], Any] = field(default_factory=dict)
    counts: dict[str, dict[str, int]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def systems(self) -> list[str]:
        return list(dict.fromkeys(system for system, _ in self.rows))

    def signature(self, name: str) -> str:
        """The metric's own switches, and how references were found and intervals made."""
        metric = next(m for (_, n), m in self.metrics.items() if n == name)
        s = self.settings
        return signature(
            name.partition("|")[0], metric, against=s.references, interval=f"bootstrap-{s.resamples}", seed=s.seed
        )

    def scores(self) -> list[dict[str, Any]]:
        """Tidy rows: for every system, the whole and then its groups, each with every metric."""
        rows = [row for group, mask in self._masks() for row in self._group_scores(group, mask)]
        order = {system: i for i, system in enumerate(self.systems)}
        return sorted(rows, key=lambda row: order[row["system"]])

    def items(self) -> Iterator[dict[str, Any]]:
        """One row per system, item and metric, for those items that could be measured."""
        for (system, name), rows in self.rows.items():
            values = self.metrics[system, name].finish(np.nan_to_num(rows), (~np.isnan(rows).any(axis=1)).astype(float))
            for trial, value in zip(self.trials, values, strict=True):
                if not np.isnan(value):
                    yield {"system": system, "trial": trial, "metric": name, "value": float(value)}

    def _masks(self) -> Iterator[tuple[str | None, np.ndarray | None]]:
        yield None, None
        for name, labels in self.groups.items():
            column = np.array([x if x is not None else "" for x in labels], dtype=object)
            for value in sorted({x for x in labels if x is not None}, key=natural):
                yield f"{name}={value}", column == value

    def _group_scores(self, group: str | None, mask: np.ndarray | None) -> Iterator[dict[str, Any]]:
        """One group's rows; all systems and metrics are resampled together, so that differences are paired."""
        s, keys = self.settings, list(self.rows)
        part = {key: rows if mask is None else rows[mask] for key, rows in self.rows.items()}
        samples = [Sample.of(part[key], s.seed) for key in keys]
        finishes = [self.metrics[key].finish for key in keys]
        values = bootstrap(samples, finishes, s.resamples, s.seed)
        tested = self._against_baseline(part)
        for i, (system, name) in enumerate(keys):
            totals, count = samples[i].totals()
            n = int(count)
            bounds = interval(values[i], s.confidence) if n else None
            yield {
                "system": system,
                "group": group,
                "metric": name,
                "value": float(finishes[i](totals, count)) if n else None,
                "n": n,
                "low": bounds[0] if bounds else None,
                "high": bounds[1] if bounds else None,
                "signature": self.signature(name),
                **tested.get((system, name), {}),
                **self._counted(system),
            }

    def _against_baseline(self, part: Mapping[tuple[str, str], FloatArray]) -> dict[tuple[str, str], dict[str, Any]]:
        """Difference and p values of every system but the baseline itself."""
        s = self.settings
        if s.baseline is None:
            return {}
        others = [key for key in part if key[0] != s.baseline]
        pairs = [(part[key], part[s.baseline, key[1]]) for key in others]
        found = compare(pairs, [self.metrics[key].finish for key in others], s.resamples, s.seed, s.confidence)
        empty = {"baseline": s.baseline, "difference": None, "p_bootstrap": None, "p_randomisation": None}
        result = {key: dict(empty) for key in part}
        for key, comparison in zip(others, found, strict=True):
            if comparison is not None:
                result[key] |= {
                    name: getattr(comparison, name) for name in ("difference", "p_bootstrap", "p_randomisation")
                }
        return result

    def _counted(self, system: str) -> dict[str, int]:
        return self.counts[system] if self.settings.lenient else {}
