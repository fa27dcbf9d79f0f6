"""Intervals for answers that cluster by participant and item.

Bootstrap (Owen 2007), standard errors (Cameron et al. 2011), permutation.

Answers of one participant are similar, and so are answers to one item; an interval that treats them as independent is
too narrow. For means, participants and items are resampled separately and an answer gets the product of its two
weights, which is conservative. For differences, effects of participants and items are subtracted first, and errors are
clustered by both.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import IntArray, as_numbers, complete_rows, encode, make_frame
from referee.statistics.rounding import TIE, Steady

if TYPE_CHECKING:
    import polars as pl

# 2^14 sign patterns are 16,384 rows; one more doubles them, and by then a random sample is as good.
EXACT_UP_TO = 14
BACKFITS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutation:
    """Mean difference, two-sided p, numbers of differences and clusters, and whether all flips were tried."""

    difference: float | None
    p: float | None
    n: int
    clusters: int
    exact: bool


def cluster_bootstrap(
    frame: pl.DataFrame,
    *,
    value: str,
    system: str,
    by: Sequence[str] = ("participant", "item"),
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 1,
) -> pl.DataFrame:
    """Return the mean of every system with an interval clustered by one or two columns.

    Columns: system, mean, low, high, n and clusters.
    """
    systems, means, counts, drawn, clusters = _resample_means(frame, value, system, by, resamples, seed)
    low, high = _compute_percentile_bounds(drawn, confidence)
    rows = [
        (name, float(means[s]), float(low[s]), float(high[s]), int(counts[s]), *clusters)
        for s, name in enumerate(systems)
    ]
    return make_frame(("system", "mean", "low", "high", "n", *(f"n_{name}" for name in by)), rows)


def cluster_differences(
    frame: pl.DataFrame,
    *,
    value: str,
    system: str,
    by: Sequence[str] = ("participant", "item"),
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Return difference, clustered standard error, interval and p of every pair of systems.

    t has one degree of freedom less than the fewest clusters.

    A hard item does not count against its system: differences are those of the additive model of system, participant
    and item, which in a Latin square are the plain differences of means.
    """
    rows, systems, s, places = _encode_rows(frame, value, system, by)
    values = _subtract_cluster_effects(rows[value].to_numpy(), [s, *places])
    counts, sizes = np.bincount(s), [int(p.max()) + 1 for p in places]
    means = np.bincount(s, values) / counts
    # The fewest clusters decide: with two kinds of cluster the rarer one carries the uncertainty (Cameron & Miller 2015).
    rest, df = (values - means[s]) / counts[s], min(sizes) - 1
    table = []
    for a, b in combinations(range(len(systems)), 2):
        gap, pull = float(means[a] - means[b]), np.where(s == a, rest, 0) - np.where(s == b, rest, 0)
        test = _test_difference(gap, _compute_clustered_error(pull, places, sizes), df, confidence)
        table.append((systems[a], systems[b], gap, *test, int(counts[a]), int(counts[b])))
    return make_frame(("system_a", "system_b", "difference", "error", "low", "high", "p", "n_a", "n_b"), table)


def permutation_test(
    differences: Iterable[float | None],
    *,
    clusters: Sequence[Any] | None = None,
    resamples: int = 10_000,
    seed: int = 1,
) -> Permutation:
    """Test whether paired differences average 0, by flipping the signs of whole clusters.

    All flips are tried when there are few enough clusters, else a random sample that always includes the observed signs.
    """
    numbers = as_numbers(differences, "differences")
    is_present = ~np.isnan(numbers)
    gaps = numbers[is_present]
    labels = range(len(numbers)) if clusters is None else clusters
    if len(labels) != len(numbers):
        raise InputError(
            f"there are {len(labels)} cluster labels for {len(numbers)} differences",
            remedy="give one cluster label for each difference",
        )
    if not len(gaps):
        return Permutation(difference=None, p=None, n=0, clusters=0, exact=True)
    codes = np.unique([str(c) for c, k in zip(labels, is_present, strict=True) if k], return_inverse=True)[1]
    sums = np.bincount(codes, weights=gaps).astype(float)
    observed = abs(float(sums.sum()))
    exact = len(sums) <= EXACT_UP_TO
    totals = np.abs(Steady(sums[:, None], len(sums)).weigh(_make_signs(len(sums), exact, resamples, seed))[:, 0])
    # A flip that ties with the observed signs may come out a last bit lower: noise is a share of all that was added.
    as_large = int((totals >= observed - TIE * float(np.abs(sums).sum())).sum())
    # The full set of patterns includes the observed one; a random sample gets it added, so that p is never 0.
    p = as_large / len(totals) if exact else (1 + as_large) / (1 + len(totals))
    return Permutation(difference=float(gaps.mean()), p=p, n=len(gaps), clusters=len(sums), exact=exact)


def _make_signs(clusters: int, exact: bool, resamples: int, seed: int) -> FloatArray:
    """Return rows of +1 and -1, one sign a cluster: every combination, or a random sample."""
    if not exact:
        return np.random.default_rng(seed).choice(np.array([1.0, -1.0]), size=(resamples, clusters))
    bits = (np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1
    return (1 - 2 * bits).astype(float)


def _encode_rows(
    frame: pl.DataFrame, value: str, system: str, by: Sequence[str]
) -> tuple[pl.DataFrame, list[str], IntArray, list[IntArray]]:
    """Return complete rows, the systems, and for every row the index of its system and of each of its clusters."""
    if len(by) not in (1, 2):
        raise InputError(
            f"'by' names {len(by)} columns to cluster by",
            remedy="name one or two columns, such as participant and item",
        )
    rows = complete_rows(frame, value, system, *by)
    if not rows.height:
        raise InputError("the frame has no row without missing values", remedy="give at least one complete row")
    systems, codes = encode(rows[system])
    return rows, systems, codes, [encode(rows[name])[1] for name in by]


def _resample_means(
    frame: pl.DataFrame, value: str, system: str, by: Sequence[str], resamples: int, seed: int
) -> tuple[list[str], FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Return systems, their means and counts, their means in every resample, and the numbers of clusters."""
    rows, systems, s, places = _encode_rows(frame, value, system, by)
    sizes = tuple(int(place.max()) + 1 for place in places)
    rng = np.random.default_rng(seed)
    weights = [_draw_cluster_counts(size, resamples, rng) for size in sizes]
    if len(by) == 1:
        # One kind of cluster is two with a single cluster in the second, always drawn once.
        places, weights = [*places, np.zeros_like(s)], [*weights, np.ones((resamples, 1))]
    shape = (len(systems), sizes[0], weights[1].shape[1])
    cell, values = np.ravel_multi_index((s, *places), shape), rows[value].to_numpy()
    sums, counts = (np.bincount(cell, weights=w, minlength=int(np.prod(shape))).reshape(shape) for w in (values, None))
    drawn = np.stack(
        [_average_resamples(weights[0], weights[1], sums[i], counts[i]) for i in range(len(systems))], axis=1
    )
    totals = counts.sum(axis=(1, 2)).astype(float)
    return systems, sums.sum(axis=(1, 2)) / totals, totals, drawn, sizes


def _subtract_cluster_effects(values: FloatArray, factors: Sequence[IntArray]) -> FloatArray:
    """Return values without cluster effects, in the additive model of system (the first factor) and clusters (by
    backfitting).
    """
    effects = [np.zeros(int(f.max()) + 1) for f in factors]
    # Convergence is judged relative to the values, which may be shares or milliseconds; all zeros have converged.
    scale = float(np.abs(values).max()) or 1.0
    for _ in range(BACKFITS):
        moved = 0.0
        for i, factor in enumerate(factors):
            others = sum(
                (e[f] for j, (e, f) in enumerate(zip(effects, factors, strict=True)) if j != i), np.zeros(len(values))
            )
            new = np.bincount(factor, values - others) / np.bincount(factor)
            moved, effects[i] = max(moved, float(np.abs(new - effects[i]).max())), new
        if moved < 1e-10 * scale:
            break
    added = sum((e[f] - e[f].mean() for e, f in zip(effects[1:], factors[1:], strict=True)), np.zeros(len(values)))
    level: FloatArray = values - added
    return level


def _compute_clustered_error(pull: FloatArray, places: Sequence[IntArray], sizes: Sequence[int]) -> float:
    """Return the standard error clustered by one or two factors: sqrt(V_first + V_second - V_both).

    Never below half the larger of the first two.
    """
    parts = [
        float((np.bincount(p, pull) ** 2).sum()) * n / (n - 1) if n > 1 else 0.0
        for p, n in zip(places, sizes, strict=True)
    ]
    if len(parts) == 1:
        return sqrt(parts[0])
    both = float((np.bincount(places[0] * sizes[1] + places[1], pull) ** 2).sum())
    return sqrt(max(sum(parts) - both, 0.5 * max(parts)))


def _test_difference(gap: float, error: float, df: int, confidence: float) -> tuple[float | None, ...]:
    """Return error, interval and two-sided p of a difference; None without spread or with one cluster."""
    from scipy.special import stdtr, stdtrit

    if error == 0 or df < 1:
        return None, None, None, None
    reach = float(stdtrit(df, (1 + confidence) / 2)) * error
    return error, gap - reach, gap + reach, 2 * float(stdtr(df, -abs(gap) / error))


def _draw_cluster_counts(size: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """Return how often every cluster is drawn in every resample."""
    return rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(float)


def _average_resamples(
    first_weights: FloatArray, second_weights: FloatArray, cell_sums: FloatArray, cell_counts: FloatArray
) -> FloatArray:
    """Return a system's mean in every resample; NaN where none of its answers was drawn.

    The weights tell how often each cluster of the two factors is drawn; `Steady` makes sums independent of their order.
    """
    top: FloatArray = (Steady(cell_sums, len(cell_sums)).weigh(first_weights) * second_weights).sum(axis=1)
    bottom: FloatArray = ((first_weights @ cell_counts) * second_weights).sum(axis=1)
    means: FloatArray = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)
    return means


def _compute_percentile_bounds(drawn: FloatArray, confidence: float) -> tuple[Any, Any]:
    """Return percentile bounds, ignoring NaN."""
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return low, high
