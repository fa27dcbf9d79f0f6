"""The noise of a system's mean.

Its variation over other people and items, and the highest correlation that any measure could reach.

Participants, and scenes, speakers or items, are resampled independently, and an answer's weight is the product of the
counts of its units (the pigeonhole bootstrap, Owen 2007). All systems share the resamples, so effects that all systems
share move them together. Reliability is the correlation of system means from two random halves of the people, or of the
items, stepped up to the whole (Spearman 1910; Brown 1910); the lower of the two is used. A measure that equalled the
true means would correlate with the observed ones at the square root of the reliability, the ceiling (Spearman 1904).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.sampling import PARTICIPANT
from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.metrics.hearing import MEASURES, Hearing
from referee.statistics.dependent_trials import Clusters

HALVES = 50
# Draws between two words on how far it is, and weights of answers held at a time (16 MB).
STEP, AT_ONCE = 50, 2_000_000
Weights = Mapping[str, FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """Answers of one hearer (or of all people) to several systems, and the clusters that every answer of a system belongs to, numbered over all systems."""

    hearings: Mapping[str, Hearing]
    clusters: Mapping[str, Clusters]

    def count_clusters(self) -> dict[str, int]:
        """Count the clusters of each factor over all systems."""
        names = next(iter(self.clusters.values())).names
        return {n: 1 + max(int(c.codes[i].max()) for c in self.clusters.values()) for i, n in enumerate(names)}

    def compute_means(self, weights: Weights) -> FloatArray:
        """Return all measures of every system (draws by systems by MEASURES) under weights of the clusters."""
        draws = len(next(iter(weights.values())))
        result = np.empty((draws, len(self.hearings), len(MEASURES)))
        for place, (system, hearing) in enumerate(self.hearings.items()):
            step = max(1, AT_ONCE // len(hearing.items))
            for start in range(0, draws, step):
                part = {name: rows[start : start + step] for name, rows in weights.items()}
                result[start : start + step, place] = _measure_weighted(hearing, self.clusters[system], part)
        return result


def _measure_weighted(hearing: Hearing, clusters: Clusters, weights: Weights) -> FloatArray:
    """Measure one system in every draw; the weight of an answer is the product of its clusters' weights."""
    draws = len(next(iter(weights.values())))
    people, things = np.ones((draws, hearing.n_participants)), np.ones((draws, hearing.n_items))
    for name, codes in zip(clusters.names, clusters.codes, strict=True):
        if name in weights and name == PARTICIPANT:
            people[:, hearing.participants] = weights[name][:, codes]
        elif name in weights:
            factor = np.ones((draws, hearing.n_items))
            factor[:, hearing.items] = weights[name][:, codes]
            things *= factor
    return hearing.measure_each(people, things)


def draw_means(panel: Panel, draws: int, seed: int, progress: ProgressCallback = iterate_silently) -> FloatArray:
    """Return bootstrap means by draw, system and measure; NaN where a draw leaves a system without answers."""
    rng = np.random.default_rng([seed, 5])
    sizes = panel.count_clusters()
    result = np.empty((draws, len(panel.hearings), len(MEASURES)))
    for start in progress(range(0, draws, STEP), "answers drawn anew"):
        rows = [
            {name: rng.multinomial(n, np.full(n, 1 / n)) for name, n in sizes.items()}
            for _ in range(start, min(start + STEP, draws))
        ]
        weights = {name: np.array([row[name] for row in rows], dtype=float) for name in sizes}
        # Without factors there is nothing to resample: every answer has weight 1.
        result[start : start + STEP] = panel.compute_means(weights or {"": np.ones((len(rows), 1))})
    return result


@dataclass(frozen=True, slots=True, kw_only=True)
class NoiseCeiling:
    """Reliability of the means of one hearer measure over `n` units, by which halves it was found, and the highest r that noise allows (None: unknown)."""

    reliability: float | None
    ceiling: float | None
    by: str
    n: int


def find_ceilings(
    panel: Panel, measures: Sequence[str], families: Sequence[Sequence[int]], seed: int
) -> dict[str, NoiseCeiling]:
    """Return, for each hearer measure, its split-half reliability and the highest r that the noise allows.

    No value with fewer than three families: two always agree or disagree perfectly.
    """
    by_factor = {
        name: list(_measure_halves(panel, name, n, seed)) for name, n in panel.count_clusters().items() if n > 1
    }
    return {m: _choose_lowest_reliability(by_factor, MEASURES.index(m), families) for m in measures}


def _measure_halves(panel: Panel, factor: str, n: int, seed: int) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Split the clusters of a factor at random and yield the system means of both halves, many times."""
    rng = np.random.default_rng([seed, 6])
    chosen = np.zeros((HALVES, n))
    for row in chosen:
        row[rng.permutation(n)[: n // 2]] = 1.0
    yield from zip(panel.compute_means({factor: chosen}), panel.compute_means({factor: 1.0 - chosen}), strict=True)


def _choose_lowest_reliability(
    by_factor: Mapping[str, Sequence[tuple[FloatArray, FloatArray]]], column: int, families: Sequence[Sequence[int]]
) -> NoiseCeiling:
    """Return the lowest reliability over factors, with its ceiling."""
    agreements = {name: _correlate_halves(halves, column, families) for name, halves in by_factor.items()}
    defined = {name: r for name, r in agreements.items() if r is not None}
    if not defined:
        return NoiseCeiling(reliability=None, ceiling=None, by="", n=len(families))
    by = min(defined, key=lambda name: defined[name])
    reliability = step_up(defined[by])
    return NoiseCeiling(reliability=reliability, ceiling=max(reliability, 0.0) ** 0.5, by=f"{by}s", n=len(families))


def _correlate_halves(
    halves: Sequence[tuple[FloatArray, FloatArray]], column: int, families: Sequence[Sequence[int]]
) -> float | None:
    """Return the mean correlation of both halves over families; None if no split defines it."""
    if len(families) < 3:
        return None
    pairs = [[np.array([half[list(f), column].mean() for f in families]) for half in both] for both in halves]
    correlations = [r for a, b in pairs if (r := _correlate_columns(a, b)) is not None]
    return float(np.mean(correlations)) if correlations else None


def _correlate_columns(a: FloatArray, b: FloatArray) -> float | None:
    """Return Pearson's r of two columns; None if it is undefined."""
    if np.isnan(a + b).any() or min(np.ptp(a), np.ptp(b)) <= 1e-12:
        return None
    return float(np.corrcoef(a, b)[0, 1])


def step_up(half: float) -> float:
    """Return the reliability of a whole from the correlation of its halves: 2r / (1 + r) (Spearman 1910; Brown 1910).

    A negative correlation is returned unchanged.
    """
    return 2 * half / (1 + half) if half > 0 else half
