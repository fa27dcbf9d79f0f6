"""The court over items: does a better-scored description get found more often, and faster? AUC and rank correlation, resampled by cluster.

AUC is the chance that a description that was found scores better than one that was not (Hanley & McNeil 1982; ties count one half).
Answers of one game, speaker or item resemble each other, so whole clusters are drawn, and ranks are made anew in every resample. Several crossed factors
(scenes described by speakers) are drawn each by itself, and an answer counts as often as the product says (the pigeonhole bootstrap, Owen 2007).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.dependent_trials import Clusters
from referee.statistics.frames import IntArray, as_numbers

__all__ = ["Association", "auc", "rank_correlation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """A value with its cluster-bootstrap interval, the number of answers, and of clusters (of the factor with the fewest); None where it is not defined."""

    value: float | None
    n: int
    clusters: int
    low: float | None = None
    high: float | None = None


def auc(
    scores: Iterable[float | None],
    success: Iterable[float | None],
    clusters: Sequence[Any] | Clusters | None = None,
    *,
    resamples: int = 500,
    confidence: float = 0.95,
    seed: int = 1,
) -> Association:
    """How well scores tell successes (1) from failures (0): .5 not at all, 1 perfectly, below .5 the wrong way round."""
    x, y, groups = _complete(scores, success, clusters)
    if not np.isin(y, (0.0, 1.0)).all():
        raise InputError("success is 0 or 1", remedy="give 1 where the referent was found, 0 where it was not")
    codes = _codes(x)

    def measure(weights: FloatArray) -> float:
        ranks = _weighted_ranks(codes, weights)
        won, lost = float(weights @ y), float(weights @ (1 - y))
        return float((weights * y) @ ranks - won * won / 2) / (won * lost) if won and lost else np.nan

    return _resampled(measure, groups, resamples, confidence, seed)


def rank_correlation(
    scores: Iterable[float | None],
    values: Iterable[float | None],
    clusters: Sequence[Any] | Clusters | None = None,
    *,
    resamples: int = 500,
    confidence: float = 0.95,
    seed: int = 1,
) -> Association:
    """Spearman's rho of scores and another number (a time, say)."""
    x, y, groups = _complete(scores, values, clusters)
    first, second = _codes(x), _codes(y)

    def measure(weights: FloatArray) -> float:
        a, b = _weighted_ranks(first, weights), _weighted_ranks(second, weights)
        total = float(weights.sum())
        if not total:  # crossed factors can be drawn so that no answer is left
            return np.nan
        a, b = a - weights @ a / total, b - weights @ b / total
        spread = float(weights @ (a * a)) * float(weights @ (b * b))
        return float(weights @ (a * b)) / spread**0.5 if spread > 1e-12 * total**2 else np.nan

    return _resampled(measure, groups, resamples, confidence, seed)


def _complete(
    scores: Iterable[float | None], values: Iterable[float | None], clusters: Sequence[Any] | Clusters | None
) -> tuple[FloatArray, FloatArray, tuple[IntArray, ...]]:
    """The pairs without missing members, and the number of each pair's cluster, factor by factor."""
    x, y = as_numbers(scores, "scores"), as_numbers(values, "values")
    if not isinstance(clusters, Clusters):
        clusters = Clusters.of({"cluster": [str(c) for c in (range(len(x)) if clusters is None else clusters)]})
    lengths = {len(x), len(y), *map(len, clusters.codes)}
    if len(lengths) > 1:
        told = " x ".join(str(len(codes)) for codes in clusters.codes)
        raise InputError(f"{len(x)} scores, {len(y)} values, {told} clusters", remedy="give one of each per answer")
    kept = ~(np.isnan(x) | np.isnan(y))
    return x[kept], y[kept], tuple(_codes(codes[kept]) for codes in clusters.codes)


def _codes(values: Any) -> IntArray:
    codes: IntArray = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes


def _weighted_ranks(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Mid-ranks minus one half, when every value occurs as often as its weight says."""
    counts = np.bincount(codes, weights)
    middle: FloatArray = np.cumsum(counts) - counts / 2
    return middle[codes]


def _resampled(
    measure: Callable[[FloatArray], float], groups: tuple[IntArray, ...], resamples: int, confidence: float, seed: int
) -> Association:
    n = len(groups[0])
    sizes = [int(codes.max()) + 1 if n else 0 for codes in groups]
    value = measure(np.ones(n)) if n else np.nan
    if np.isnan(value):
        return Association(value=None, n=n, clusters=min(sizes))
    rng = np.random.default_rng(seed)
    drawn = np.array([measure(_draw(groups, sizes, rng)) for _ in range(resamples if min(sizes) > 1 else 0)])
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Association(value=float(value), n=n, clusters=min(sizes))
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Association(value=float(value), n=n, clusters=min(sizes), low=float(low), high=float(high))


def _draw(groups: Sequence[IntArray], sizes: Sequence[int], rng: np.random.Generator) -> FloatArray:
    """How often every answer counts when the clusters of each factor are drawn with replacement."""
    weights = np.ones(len(groups[0]))
    for codes, size in zip(groups, sizes, strict=True):
        weights *= np.bincount(rng.integers(size, size=size), minlength=size)[codes]
    return weights
