"""Intervals and paired tests for any measure, corpus-level ones included, by re-aggregating additive statistics.

A bootstrap resample is a row of counts (how often each item was drawn), so ten thousand resamples are one matrix product and one vectorised
finishing step (Efron & Tibshirani 1993; Riezler & Maxwell 2005; Noreen 1989 for approximate randomisation).
Above `BLOCKS` items, items are first pooled at random into
`BLOCKS` blocks whose sums are resampled: the same distribution in the limit, with cost that no longer grows with the number of items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.statistics.dependent_trials import BLOCKS, Sample
from referee.statistics.rounding import TIE, Steady

__all__ = ["BLOCKS", "BaselineComparison", "Sample", "bootstrap", "compare", "interval", "resample_counts"]

Finish = Callable[[FloatArray, FloatArray], FloatArray]
# At the sizes of TUNA nothing is pooled; beyond, a block of a few items is still small beside the whole.
# A slice of 1,024 x 5,000 counts is 40 MB; all 10,000 resamples at once would be 400.
_SLICE = 1024


def resample_counts(units: int, resamples: int, seed: int) -> Iterator[FloatArray]:
    """How often each unit is drawn in each resample, in slices of at most 1,024 resamples (so memory stays flat)."""
    rng = np.random.default_rng(seed)
    for start in range(0, resamples, _SLICE):
        size = min(_SLICE, resamples - start)
        draws = rng.integers(units, size=(size, units), dtype=np.int32)
        # Every resample gets its own range of numbers, so that one bincount counts them all; int32 holds 1,024 x 5,000.
        draws += (np.arange(size, dtype=np.int32) * units)[:, None]
        yield np.bincount(draws.ravel(), minlength=size * units).reshape(size, units).astype(float)


def bootstrap(samples: list[Sample], finishes: list[Finish], resamples: int, seed: int) -> FloatArray:
    """Values of several statistics under the *same* resamples of units, shape (len(samples), resamples)."""
    units = len(samples[0].counts) if samples else 0
    if units == 0 or resamples == 0:
        return np.full((len(samples), resamples), np.nan)
    # All statistics side by side: drawing the counts is dear, multiplying by more columns is not.
    joined = np.hstack([np.column_stack([s.sums, s.counts]) for s in samples])
    edges = np.cumsum([0, *(s.sums.shape[1] + 1 for s in samples)])
    values = np.empty((len(samples), resamples))
    steady = Steady(joined, units)
    done = 0
    for counts in resample_counts(units, resamples, seed):
        totals = steady.weigh(counts)
        for i, finish in enumerate(finishes):
            part = totals[:, edges[i] : edges[i + 1]]
            values[i, done : done + len(counts)] = finish(part[:, :-1], part[:, -1])
        done += len(counts)
    return values


def interval(values: FloatArray, confidence: float = 0.95) -> tuple[float, float] | None:
    """Percentile interval; None where no resample has a value."""
    known = values[~np.isnan(values)]
    if not len(known):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(known, [tail, 1 - tail])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """A system against a baseline on the same items: difference, its interval, and two two-sided p values."""

    difference: float
    low: float
    high: float
    p_bootstrap: float
    p_randomisation: float
    n: int


def compare(
    pairs: list[tuple[FloatArray, FloatArray]],
    finishes: list[Finish],
    resamples: int,
    seed: int,
    confidence: float = 0.95,
    randomise: bool = True,
) -> list[BaselineComparison | None]:
    """Paired tests of several (system rows, baseline rows) on the items that both have; None where there are none.

    Bootstrap: share of resamples whose difference lies at least as far from the observed one as that lies from 0 (the two-sided
    shift test; sacrebleu's is one-sided and smaller). Randomisation: share of random swaps of the two systems' items with a
    difference at least as large (NaN when `randomise` is off). Both add one to numerator and denominator, so p is never 0.
    """
    joint = [_in_common(a, b, seed) for a, b in _shared(pairs, seed)]
    # A baseline is in every pair; by identity it is resampled once, and the pairs share its resamples exactly.
    unique = {id(sample): (sample, finish) for pair, finish in zip(joint, finishes, strict=True) for sample in pair}
    samples, own_finishes = [s for s, _ in unique.values()], [f for _, f in unique.values()]
    values = dict(zip(unique, bootstrap(samples, own_finishes, resamples, seed), strict=True))
    swaps = _randomise(joint, finishes, resamples if randomise else 0, seed)
    return [
        _comparison(a, b, finish, values[id(a)] - values[id(b)], swaps[i], confidence)
        for i, ((a, b), finish) in enumerate(zip(joint, finishes, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class _SampledRows:
    """Rows with their sample made once, however many pairs they take part in (a baseline is in all of them)."""

    rows: FloatArray
    absent: npt.NDArray[np.bool_]
    sample: Sample


def _shared(pairs: list[tuple[FloatArray, FloatArray]], seed: int) -> Iterator[tuple[_SampledRows, _SampledRows]]:
    made: dict[int, _SampledRows] = {}
    for pair in pairs:
        for rows in pair:
            if id(rows) not in made:
                made[id(rows)] = _SampledRows(rows, ~np.isfinite(rows.sum(axis=1)), Sample.of(rows, seed))
        yield made[id(pair[0])], made[id(pair[1])]


def _in_common(a: _SampledRows, b: _SampledRows, seed: int) -> tuple[Sample, Sample]:
    """Two samples over the same units, with the items that only one of them has left out of both."""
    if (a.absent == b.absent).all():
        return a.sample, b.sample
    hole = np.where(a.absent | b.absent, np.nan, 0.0)[:, None]
    return Sample.of(a.rows + hole, seed), Sample.of(b.rows + hole, seed)


def _comparison(
    a: Sample, b: Sample, finish: Finish, differences: FloatArray, swaps: FloatArray, confidence: float
) -> BaselineComparison | None:
    n = int(a.counts.sum())
    if n == 0:
        return None
    ours, theirs = float(finish(*a.totals())), float(finish(*b.totals()))
    observed = ours - theirs
    # As near as this a resample ties with what was observed: differences carry the noise of the two values they were taken from.
    noise = TIE * max(abs(ours), abs(theirs))
    low, high = interval(differences, confidence) or (float("nan"), float("nan"))
    return BaselineComparison(
        difference=observed,
        low=low,
        high=high,
        p_bootstrap=_share(np.abs(differences - observed), observed, noise),
        p_randomisation=_share(np.abs(swaps), observed, noise) if len(swaps) else float("nan"),
        n=n,
    )


def _share(distances: FloatArray, observed: float, noise: float) -> float:
    """Share of values at least as far out as the observed one, the observed one itself included."""
    known = distances[~np.isnan(distances)]
    # The slack lets a swap that gives the observed difference back count, whatever order its sums were added in.
    return float((1 + np.count_nonzero(known >= abs(observed) - noise)) / (1 + len(known)))


def _randomise(pairs: list[tuple[Sample, Sample]], finishes: list[Finish], resamples: int, seed: int) -> FloatArray:
    """Differences after swapping each unit between the two systems with probability one half, the same swaps for all pairs."""
    result = np.empty((len(pairs), resamples))
    if not pairs:
        return result
    # A stream of its own: with the seed alone the swaps would follow the bootstrap's draws.
    rng = np.random.default_rng([seed, 1])
    # Swapping a unit moves b - a from one total to the other, so a swap is one product with 0 and 1.
    gaps = np.hstack([b.sums - a.sums for a, b in pairs])
    steady = Steady(gaps, len(gaps))
    edges = np.cumsum([0, *(a.sums.shape[1] for a, _ in pairs)])
    totals = [(a.sums.sum(axis=0), b.sums.sum(axis=0), float(a.counts.sum())) for a, b in pairs]
    for start in range(0, resamples, _SLICE):
        size = min(_SLICE, resamples - start)
        moved = steady.weigh(rng.integers(2, size=(size, len(gaps)), dtype=np.int8).astype(float))
        for i, (total_a, total_b, count) in enumerate(totals):
            shift, counts = moved[:, edges[i] : edges[i + 1]], np.full(size, count)
            result[i, start : start + size] = finishes[i](total_a + shift, counts) - finishes[i](
                total_b - shift, counts
            )
    return result
