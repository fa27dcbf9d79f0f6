"""The court over items: does a better-scored description get found more often, and faster? AUC and rank correlation, resampled by cluster.

AUC is the chance that a description that was found scores better than one that was not (Hanley & McNeil 1982; ties count one half).
Answers of one game, speaker or item resemble each other, so whole clusters are drawn, and ranks are made anew in every resample.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import IntArray, as_numbers
from referee.statistics.rounding import levels

__all__ = ["Association", "auc", "rank_correlation"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """A value with its cluster-bootstrap interval, the number of answers, and of clusters; None where it is not defined."""

    value: float | None
    n: int
    clusters: int
    low: float | None = None
    high: float | None = None


def auc(
    scores: Iterable[float | None],
    success: Iterable[float | None],
    clusters: Sequence[Any] | None = None,
    *,
    resamples: int = 500,
    confidence: float = 0.95,
    seed: int = 1,
) -> Association:
    """How well scores tell successes (1) from failures (0): .5 not at all, 1 perfectly, below .5 the wrong way round."""
    x, y, groups = _complete(scores, success, clusters)
    if not np.isin(y, (0.0, 1.0)).all():
        raise InputError("success is 0 or 1", remedy="give 1 where the referent was found, 0 where it was not")
    codes = levels(x)

    def measure(weights: FloatArray) -> float:
        ranks = _weighted_ranks(codes, weights)
        won, lost = float(weights @ y), float(weights @ (1 - y))
        return float((weights * y) @ ranks - won * won / 2) / (won * lost) if won and lost else np.nan

    return _resampled(measure, groups, resamples, confidence, seed)


def rank_correlation(
    scores: Iterable[float | None],
    values: Iterable[float | None],
    clusters: Sequence[Any] | None = None,
    *,
    resamples: int = 500,
    confidence: float = 0.95,
    seed: int = 1,
) -> Association:
    """Spearman's rho of scores and another number (a time, say)."""
    x, y, groups = _complete(scores, values, clusters)
    first, second = levels(x), levels(y)

    def measure(weights: FloatArray) -> float:
        a, b = _weighted_ranks(first, weights), _weighted_ranks(second, weights)
        total = float(weights.sum())
        a, b = a - weights @ a / total, b - weights @ b / total
        # Sums, not products of vectors: these are no whole numbers any more, and kernels of different processors would differ in the last bit.
        spread = float((weights * a * a).sum()) * float((weights * b * b).sum())
        return float((weights * a * b).sum()) / spread**0.5 if spread > 1e-12 * total**2 else np.nan

    return _resampled(measure, groups, resamples, confidence, seed)


def _complete(
    scores: Iterable[float | None], values: Iterable[float | None], clusters: Sequence[Any] | None
) -> tuple[FloatArray, FloatArray, IntArray]:
    """The pairs without missing members, and the number of each pair's cluster."""
    x, y = as_numbers(scores, "scores"), as_numbers(values, "values")
    labels = np.array([str(c) for c in (range(len(x)) if clusters is None else clusters)])
    if not len(x) == len(y) == len(labels):
        raise InputError(
            f"{len(x)} scores, {len(y)} values, {len(labels)} clusters", remedy="give one of each per answer"
        )
    kept = ~(np.isnan(x) | np.isnan(y))
    return x[kept], y[kept], np.unique(labels[kept], return_inverse=True)[1].astype(np.int64)


def _weighted_ranks(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Mid-ranks minus one half, when every value occurs as often as its weight says."""
    counts = np.bincount(codes, weights)
    middle: FloatArray = np.cumsum(counts) - counts / 2
    return middle[codes]


def _resampled(measure: Any, groups: IntArray, resamples: int, confidence: float, seed: int) -> Association:
    n, clusters = len(groups), int(groups.max()) + 1 if len(groups) else 0
    value = measure(np.ones(n)) if n else np.nan
    if np.isnan(value):
        return Association(value=None, n=n, clusters=clusters)
    rng = np.random.default_rng(seed)
    drawn = np.array(
        [
            measure(np.bincount(rng.integers(clusters, size=clusters), minlength=clusters)[groups].astype(float))
            for _ in range(resamples if clusters > 1 else 0)
        ]
    )
    known = drawn[~np.isnan(drawn)]
    if not len(known):
        return Association(value=float(value), n=n, clusters=clusters)
    low, high = np.quantile(known, [(1 - confidence) / 2, (1 + confidence) / 2])
    return Association(value=float(value), n=n, clusters=clusters, low=float(low), high=float(high))
