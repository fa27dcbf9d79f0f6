"""A table of scores: what shapes it (`Settings`), and how additive statistics become values, intervals, tests and signatures (`Table`)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from referee import catalogue
from referee.contracts import FloatArray
from referee.corpora.natural_order import natural
from referee.signature import signature
from referee.statistics.resampling import Sample, bootstrap, compare, interval

__all__ = ["DEFAULT_METRICS", "GROUPINGS", "HUMAN", "Settings", "Table", "metric_names"]

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
HUMAN = "human"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything that shapes a table of scores; all of it goes into the run's manifest."""

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


@dataclass(slots=True)
class Table:
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
