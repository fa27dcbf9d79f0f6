"""The court over items.

Do hearers identify the target of a better-scored description more often, and faster? AUC and rank correlation by
cluster.

AUC is the probability that a description that was understood scores better than one that was not (Hanley & McNeil 1982; ties count one half).
Answers of one game, speaker or item resemble each other: intervals and p leave out one cluster at a time, with ranks made anew, and use the CR2 variance
with Satterthwaite's degrees of freedom, as passports do (`statistics.dependent_trials`). Two crossed factors: the variances of both less that of the cells.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.dependent_trials import TESTABLE, Clusters, cross_codes, jackknife_variance, make_interval
from referee.statistics.frames import IntArray, as_numbers

BLOCKS = 400
"""Largest number of clusters; more are pooled at random into this number of blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Association:
    """A value with its interval and p over clusters, the number of answers, and of clusters (of the factor with the fewest); None where it is not defined.

    `p_corrected` is Holm's over the measures that are tried against the same answers.
    """

    value: float | None
    n: int
    clusters: int
    low: float | None = None
    high: float | None = None
    p: float | None = None
    p_corrected: float | None = None


class LeftOut(NamedTuple):
    """A value, its values without each cluster of every factor, the sizes of the clusters, and the numbers of answers and clusters."""

    value: float
    without: tuple[FloatArray, ...]
    counts: tuple[FloatArray, ...]
    n: int
    clusters: int


def auc(
    scores: Iterable[float | None],
    success: Iterable[float | None],
    clusters: Sequence[Any] | Clusters | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 1,
) -> Association:
    """Return the AUC: how well scores separate successes (1) from failures (0)."""
    return make_association(leave_out_auc(scores, success, clusters, seed=seed), 0.5, confidence)


def leave_out_auc(
    scores: Iterable[float | None],
    success: Iterable[float | None],
    clusters: Sequence[Any] | Clusters | None = None,
    *,
    seed: int = 1,
) -> LeftOut:
    """Return the AUC of all answers, and the AUC without each cluster (the input of intervals and tests)."""
    x, y, groups = _select_complete_pairs(scores, success, clusters)
    if not np.isin(y, (0.0, 1.0)).all():
        raise InputError(
            "'success' has values other than 0 and 1", remedy="use 1 if the hearer chose the target and 0 otherwise"
        )
    codes = _number_values(x)

    def measure(weights: FloatArray) -> float:
        """Return the weighted AUC; NaN if all answers are right or all are wrong."""
        ranks = _compute_weighted_ranks(codes, weights)
        won, lost = float(weights @ y), float(weights @ (1 - y))
        return float((weights * y) @ ranks - won * won / 2) / (won * lost) if won and lost else np.nan

    return _measure_without_each_cluster(measure, groups, seed)


def rank_correlation(
    scores: Iterable[float | None],
    values: Iterable[float | None],
    clusters: Sequence[Any] | Clusters | None = None,
    *,
    confidence: float = 0.95,
    seed: int = 1,
) -> Association:
    """Return Spearman's rho of scores and another number for each answer, such as a time."""
    x, y, groups = _select_complete_pairs(scores, values, clusters)
    first, second = _number_values(x), _number_values(y)

    def measure(weights: FloatArray) -> float:
        """Return the weighted rank correlation; NaN if a column is constant."""
        a, b = _compute_weighted_ranks(first, weights), _compute_weighted_ranks(second, weights)
        total = float(weights.sum())
        if not total:  # crossed factors can be resampled so that no answer has weight
            return np.nan
        a, b = a - weights @ a / total, b - weights @ b / total
        spread = float(weights @ (a * a)) * float(weights @ (b * b))
        return float(weights @ (a * b)) / spread**0.5 if spread > 1e-12 * total**2 else np.nan

    return make_association(_measure_without_each_cluster(measure, groups, seed), 0.0, confidence)


def _select_complete_pairs(
    scores: Iterable[float | None], values: Iterable[float | None], clusters: Sequence[Any] | Clusters | None
) -> tuple[FloatArray, FloatArray, tuple[IntArray, ...]]:
    """Return the pairs without missing members, and the cluster number of each pair, factor by factor."""
    x, y = as_numbers(scores, "scores"), as_numbers(values, "values")
    if not isinstance(clusters, Clusters):
        clusters = Clusters.of({"cluster": [str(c) for c in (range(len(x)) if clusters is None else clusters)]})
    lengths = {len(x), len(y), *map(len, clusters.codes)}
    if len(lengths) > 1:
        cluster_sizes = " x ".join(str(len(codes)) for codes in clusters.codes)
        raise InputError(
            f"the lengths differ: {len(x)} scores, {len(y)} values, {cluster_sizes} clusters",
            remedy="give one score, one value and one cluster for each answer",
        )
    complete = ~(np.isnan(x) | np.isnan(y))
    return x[complete], y[complete], tuple(_number_values(codes[complete]) for codes in clusters.codes)


def _number_values(values: Any) -> IntArray:
    """Number the distinct values from 0, in their order."""
    codes: IntArray = np.unique(values, return_inverse=True)[1].astype(np.int64)
    return codes


def _compute_weighted_ranks(codes: IntArray, weights: FloatArray) -> FloatArray:
    """Return mid-ranks minus one half, with every value repeated by its weight."""
    counts = np.bincount(codes, weights)
    middle: FloatArray = np.cumsum(counts) - counts / 2
    return middle[codes]


def _measure_without_each_cluster(
    measure: Callable[[FloatArray], float], groups: tuple[IntArray, ...], seed: int
) -> LeftOut:
    """Measure all answers, and again without each cluster; more than `BLOCKS` clusters are pooled at random."""
    n = len(groups[0])
    # Formulas for crossed clusters know two factors: those with the fewest clusters carry most of the uncertainty.
    groups = tuple(sorted(groups, key=lambda codes: int(codes.max(initial=-1)))[:2])
    sizes = [int(codes.max()) + 1 if n else 0 for codes in groups]
    value = float(measure(np.ones(n))) if n else np.nan
    if np.isnan(value):
        return LeftOut(value, (), (), n, min(sizes))
    units = [_pool_clusters(codes, seed) for codes in cross_codes(list(groups))]
    without = [np.array([measure((codes != c).astype(float)) for c in range(int(codes.max()) + 1)]) for codes in units]
    return LeftOut(value, tuple(without), tuple(np.bincount(codes).astype(float) for codes in units), n, min(sizes))


def subtract_measures(a: LeftOut, b: LeftOut) -> LeftOut | None:
    """Return the difference of two measures of the same answers; None if their answers differ."""
    if a.n != b.n or len(a.without) != len(b.without) or any(map(_are_different, a.counts, b.counts)):
        return None
    without = tuple(x - y for x, y in zip(a.without, b.without, strict=True))
    return LeftOut(a.value - b.value, without, a.counts, a.n, a.clusters)


def _are_different(a: FloatArray, b: FloatArray) -> bool:
    """Return whether two lists of cluster sizes differ."""
    return not np.array_equal(a, b)


def make_association(part: LeftOut, null: float, confidence: float = 0.95) -> Association:
    """Return a value with its interval and p value, from its values without each cluster."""
    from scipy.special import stdtr

    if np.isnan(part.value):
        return Association(value=None, n=part.n, clusters=part.clusters)
    variance, df = jackknife_variance(list(part.without), part.value, list(part.counts))
    low, high = make_interval(part.value, variance, df, confidence, (2 * null - 1, 1.0))
    if np.isnan(low):
        return Association(value=part.value, n=part.n, clusters=part.clusters)
    testable = part.clusters >= TESTABLE and variance > 0
    p = 2 * float(stdtr(df, -abs(part.value - null) / variance**0.5)) if testable else None
    return Association(value=part.value, n=part.n, clusters=part.clusters, low=low, high=high, p=p)


def _pool_clusters(codes: IntArray, seed: int) -> IntArray:
    """Return cluster numbers, pooled at random into at most `BLOCKS` blocks to bound the cost."""
    count = int(codes.max()) + 1
    if count <= BLOCKS:
        return codes
    blocks: IntArray = (np.random.default_rng(seed).permutation(count) % BLOCKS)[codes]
    return blocks
