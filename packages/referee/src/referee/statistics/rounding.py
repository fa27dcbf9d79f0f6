"""Removes rounding noise, so that results do not depend on the processor.

Matrix kernels (OpenBLAS selects one by processor and number of threads) add in different orders, so sums of the same
numbers differ in their last bits. That matters in comparisons: a resample that ties with the observed value, two equal
scores that get different ranks, a coefficient of exactly .125 that is printed with two digits.
"""

from __future__ import annotations

import numpy as np

from referee.contracts import FloatArray
from referee.statistics.frames import IntArray

# Noise was seen up to 2e-13 of a value (weights that an iterative fit found); real differences are far larger.
TIE = 1e-10
# Shares of belief far below this part of the largest are all the same to a rank: none at all.
NOTHING = 1e-12


def is_rounding(spread: float, size: float) -> bool:
    """Return whether a spread or difference is only rounding error among numbers of this size."""
    return abs(spread) <= NOTHING * abs(size)


class Steady:
    """Sums with integer weights whose bits do not depend on the order of adding.

    Numbers are split in two. The first parts are multiples of so large a power of two that all their partial sums fit into 53 bits: they are added
    without any rounding. The rests are so small that noise in *their* total is lost when the two totals are put together.
    """

    def __init__(self, sums: FloatArray, weight: float) -> None:
        """`weight` bounds the sum of the absolute weights of one total (resampled units: how many are drawn)."""
        largest = np.abs(sums).max(axis=0, initial=0.0) * max(weight, 1.0)
        grid = np.exp2(np.frexp(largest)[1] - 52.0)
        firsts: FloatArray = np.round(sums / grid) * grid
        rests: FloatArray = sums - firsts
        self.width = sums.shape[1]
        self.rough = rests.any(axis=0)  # whole numbers leave no rest
        self.parts: FloatArray = np.hstack([firsts, rests[:, self.rough]])

    def weigh(self, weights: FloatArray) -> FloatArray:
        """Return `weights @ sums`, with bits that do not depend on the order of adding."""
        both: FloatArray = weights @ self.parts
        totals = both[..., : self.width]
        totals[..., self.rough] += both[..., self.width :]
        return totals


def rank_without_rounding(values: FloatArray) -> FloatArray:
    """Return the values replaced by level numbers, so that those that differ only by rounding are equal."""
    is_present = ~np.isnan(values)
    ranks = values.copy()
    if is_present.any():
        ranks[is_present] = number_levels(values[is_present])
    return ranks


def number_levels(values: FloatArray) -> IntArray:
    """Return, for every value, the number of distinct lower ones.

    Values that differ only by noise count as one.

    Integers have no noise, and may be as close as two seconds of a calendar time: they are compared exactly.
    """
    if (values == np.round(values)).all():
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    sizes = np.abs(ordered)
    apart = np.diff(ordered) > TIE * np.maximum(sizes[1:], sizes[:-1]) + NOTHING * sizes.max()
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.concatenate([[0], np.cumsum(apart)])
    return ranks
