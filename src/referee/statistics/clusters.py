"""Intervals and tests that respect who answered and about what: two-way cluster bootstrap (Owen 2007), cluster permutation.

Answers of one participant resemble each other, and so do answers to one item; an interval that treats them as independent is too
narrow. The bootstrap draws participants and items separately and gives each answer the product of the two weights; it errs on the wide side.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import as_numbers, as_rows, complete_rows, encode

if TYPE_CHECKING:
    import polars as pl

__all__ = ["Permutation", "cluster_bootstrap", "cluster_differences", "permutation_test"]

EXACT_UP_TO = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Permutation:
    """Mean difference, two-sided p, the number of differences and of clusters whose sign was flipped, and whether all flips were tried."""

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
    """Mean of every system with an interval clustered by one column or by two: system, mean, low, high, n and clusters."""
    systems, means, counts, drawn, clusters = _draw(frame, value, system, by, resamples, seed)
    low, high = _bounds(drawn, confidence)
    rows = [
        (name, float(means[s]), float(low[s]), float(high[s]), int(counts[s]), *clusters)
        for s, name in enumerate(systems)
    ]
    return as_rows(("system", "mean", "low", "high", "n", *(f"n_{name}" for name in by)), rows)


def cluster_differences(
    frame: pl.DataFrame,
    *,
    value: str,
    system: str,
    by: Sequence[str] = ("participant", "item"),
    resamples: int = 2000,
    confidence: float = 0.95,
    seed: int = 1,
) -> pl.DataFrame:
    """Every pair of systems: difference of means, clustered interval, and p by the two-sided shift test.

    p is the share of resamples whose difference lies at least as far from the observed one as that lies from 0.
    """
    systems, means, counts, drawn, _ = _draw(frame, value, system, by, resamples, seed)
    rows = []
    for a, b in combinations(range(len(systems)), 2):
        gap, gaps = float(means[a] - means[b]), drawn[:, a] - drawn[:, b]
        low, high = _bounds(gaps, confidence)
        kept = gaps[~np.isnan(gaps)]
        p = (1 + int((np.abs(kept - gap) >= abs(gap)).sum())) / (1 + len(kept))
        rows.append((systems[a], systems[b], gap, float(low), float(high), p, int(counts[a]), int(counts[b])))
    return as_rows(("system_a", "system_b", "difference", "low", "high", "p", "n_a", "n_b"), rows)


def permutation_test(
    differences: Iterable[float | None],
    *,
    clusters: Sequence[Any] | None = None,
    resamples: int = 10_000,
    seed: int = 1,
) -> Permutation:
    """Whether paired differences average 0: signs are flipped, all together within a cluster (a participant, say).

    All flips are tried when there are few enough clusters, else a random sample that always includes the observed signs.
    """
    given = as_numbers(differences, "differences")
    kept = ~np.isnan(given)
    gaps = given[kept]
    labels = range(len(given)) if clusters is None else clusters
    if len(labels) != len(given):
        raise InputError(
            f"{len(labels)} clusters for {len(given)} differences", remedy="name one cluster per difference"
        )
    if not len(gaps):
        return Permutation(difference=None, p=None, n=0, clusters=0, exact=True)
    codes = np.unique([str(c) for c, k in zip(labels, kept, strict=True) if k], return_inverse=True)[1]
    sums = np.bincount(codes, weights=gaps)
    observed = abs(float(sums.sum()))
    exact = len(sums) <= EXACT_UP_TO
    totals = np.abs(_signs(len(sums), exact, resamples, seed) @ sums)
    as_large = int((totals >= observed * (1 - 1e-12) - 1e-300).sum())
    p = as_large / len(totals) if exact else (1 + as_large) / (1 + len(totals))
    return Permutation(difference=float(gaps.mean()), p=p, n=len(gaps), clusters=len(sums), exact=exact)


def _signs(clusters: int, exact: bool, resamples: int, seed: int) -> FloatArray:
    """Rows of +1 and -1: every combination, or a random sample of them."""
    if not exact:
        return np.random.default_rng(seed).choice(np.array([1.0, -1.0]), size=(resamples, clusters))
    bits = (np.arange(2**clusters)[:, None] >> np.arange(clusters)) & 1
    return (1 - 2 * bits).astype(float)


def _draw(
    frame: pl.DataFrame, value: str, system: str, by: Sequence[str], resamples: int, seed: int
) -> tuple[list[str], FloatArray, FloatArray, FloatArray, tuple[int, ...]]:
    """Systems, their means and counts, their means in every resample, and the number of clusters of each kind."""
    if len(by) not in (1, 2):
        raise InputError(f"cannot cluster by {len(by)} columns", remedy="name one or two, such as participant and item")
    rows = complete_rows(frame, value, system, *by)
    if not rows.height:
        raise InputError("no row has a value", remedy="give at least one complete row")
    systems, s = encode(rows[system])
    rng = np.random.default_rng(seed)
    places = [encode(rows[name]) for name in by]
    sizes = tuple(len(levels) for levels, _ in places)
    weights = [_weights(size, resamples, rng) for size in sizes]
    first, second = places[0][1], places[1][1] if len(by) == 2 else np.zeros(rows.height, dtype=np.int64)
    shape = (len(systems), sizes[0], sizes[1] if len(by) == 2 else 1)
    cell = np.ravel_multi_index((s, first, second), shape)
    values = rows[value].to_numpy()
    sums, counts = (np.bincount(cell, weights=w, minlength=int(np.prod(shape))).reshape(shape) for w in (values, None))
    other = weights[1] if len(by) == 2 else np.ones((resamples, 1))
    drawn = np.stack([_weighted(weights[0], other, sums[i], counts[i]) for i in range(len(systems))], axis=1)
    totals = counts.sum(axis=(1, 2)).astype(float)
    return systems, sums.sum(axis=(1, 2)) / totals, totals, drawn, sizes


def _weights(size: int, resamples: int, rng: np.random.Generator) -> FloatArray:
    """How often every cluster is drawn in every resample."""
    return rng.multinomial(size, np.full(size, 1 / size), size=resamples).astype(float)


def _weighted(first: FloatArray, second: FloatArray, sums: FloatArray, counts: FloatArray) -> FloatArray:
    """Weighted mean per resample; NaN in a resample that drew none of the system's answers."""
    top: FloatArray = ((first @ sums) * second).sum(axis=1)
    bottom: FloatArray = ((first @ counts) * second).sum(axis=1)
    means: FloatArray = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom > 0)
    return means


def _bounds(drawn: FloatArray, confidence: float) -> tuple[Any, Any]:
    tail = (1 - confidence) / 2
    low, high = np.nanquantile(drawn, [tail, 1 - tail], axis=0)
    return low, high
