"""Discrimination within strata.

The area under the curve over all pairs of a success and a failure, or over pairs of one condition or game.

Over a whole corpus a hearer is rewarded for knowing which conditions are easy. Within strata only pairs of the same
stratum count (with equal weight), and a hearer that only distinguishes easy from hard conditions has .5. Leaving out a
cluster removes its pairs, so the jackknife needs no second pass over the answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.statistics.dependent_trials import Clusters, cross_codes, jackknife_interval
from referee.statistics.frames import IntArray

Truths = npt.NDArray[np.bool_]
Bounds = tuple[float, float]
DIGITS = 12


@dataclass(frozen=True, slots=True)
class Area:
    """An area, its 95 % interval over clusters, and the number of pairs (of a success and a failure) that it is a mean of; None without pairs."""

    value: float | None
    interval: Bounds | None
    pairs: int


def compute_auc(scores: FloatArray, success: Truths) -> float | None:
    """Return the probability that a success has a higher score than a failure; a tie counts half.

    None without both kinds.
    """
    return measure_area(scores, success).value


def measure_area(
    scores: FloatArray, success: Truths, clusters: Clusters | None = None, strata: IntArray | None = None
) -> Area:
    """Return the area over pairs of the same stratum (-1: in none), with an interval over clusters if there are any."""
    in_stratum = np.ones(len(scores), dtype=bool) if strata is None else strata >= 0
    levels, success = _rank_levels(scores[in_stratum]), success[in_stratum]
    groups = np.zeros(len(levels), dtype=np.int64) if strata is None else strata[in_stratum]
    wins, pairs = _count_pairs(levels, success, groups)
    total, size = float(wins[success].sum()), float(pairs[success].sum())
    if not size:
        return Area(None, None, 0)
    value = total / size
    if clusters is None or not clusters.codes:
        return Area(value, None, int(size))
    crossed = cross_codes([c[in_stratum] for c in clusters.codes])
    without = [_compute_areas_without(levels, success, groups, codes, wins, pairs) for codes in crossed]
    return Area(value, compute_crossed_interval(without, value, (0.0, 1.0), crossed), int(size))


def _rank_levels(scores: FloatArray) -> IntArray:
    """Return, for every score, the number of distinct lower ones; differences within rounding error are ignored."""
    return np.unique(np.round(scores, DIGITS), return_inverse=True)[1].astype(np.int64)


def _count_pairs(levels: IntArray, success: Truths, groups: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return, for every answer, the number of pairs of a success and a failure in its group, and in how many of them
    the success has the higher score (ties count half).
    """
    width = int(levels.max(initial=0)) + 1
    _, cells = np.unique(groups * width + levels, return_inverse=True)
    _, groups = np.unique(groups, return_inverse=True)
    shares = []
    for other in (~success, success):
        here = np.bincount(cells, other.astype(float))
        of_group = np.zeros(len(here), dtype=np.int64)
        of_group[cells] = groups
        in_group = np.bincount(groups, other.astype(float))
        before = np.cumsum(here) - here - (np.cumsum(in_group) - in_group)[of_group]
        shares.append((before[cells], here[cells], in_group[groups]))
    (below, equal, failures), (under, level, successes) = shares
    won = np.where(success, below + equal / 2, successes - under - level / 2)
    return won, np.where(success, failures, successes)


def _compute_areas_without(
    levels: IntArray, success: Truths, groups: IntArray, codes: IntArray, wins: FloatArray, pairs: FloatArray
) -> FloatArray:
    """Return the area without each cluster in turn.

    A pair with both answers in the cluster is subtracted once.
    """
    count = int(codes.max()) + 1
    inside_wins, inside_pairs = _count_pairs(levels, success, groups * count + codes)
    left = []
    for share, inside in ((wins, inside_wins), (pairs, inside_pairs)):
        gone = np.bincount(codes, share, count) - np.bincount(codes, np.where(success, inside, 0.0), count)
        left.append(share[success].sum() - gone)
    areas: FloatArray = np.divide(left[0], left[1], out=np.full(count, np.nan), where=left[1] > 0.5)
    return areas


def compute_crossed_interval(
    without: list[FloatArray], value: float, limits: tuple[float | None, float | None], crossed: list[IntArray]
) -> Bounds | None:
    """Return Student's interval from the values without each cluster of the factors in `crossed` (see `cross_codes`); None where it is not known."""
    counts = [np.bincount(codes).astype(float) for codes in crossed]
    low, high = jackknife_interval(without, value, limits=limits, counts=counts)
    return None if isnan(low) else (low, high)
