"""Linear and rank agreement of every automatic with every hearer measure, over units with one vote each; also without
each unit in turn.

Arrays are units by automatic measures (`x`) and units by hearer measures (`y`), NaN where a unit was not measured.
Everything, ranks included, is computed over the units that have both values. The rules of the court (`rules`) read
these arrays; base rates under chance apply the same rules to permuted rows (`base_rates`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.statistics.frames import IntArray
from referee.statistics.rounding import rank_without_rounding

BoolArray = npt.NDArray[np.bool_]
NEARLY_CONSTANT = 1e-13
BETWEEN = 0.8
"""Share of both variances from which two groups explain a correlation; evenly spread units have .75 to .8 between halves, but also agree within them."""


class Agreements(NamedTuple):
    """By automatic and hearer measure.

    Units with both values, r, rho, both without each unit (first axis; NaN where it has no values), and the most that
    a division of the units into two groups explains of either variance, with the agreement that is left within the
    groups.
    """

    n: IntArray
    r: FloatArray
    rho: FloatArray
    without_r: FloatArray
    without_rho: FloatArray
    between: FloatArray
    within_r: FloatArray


def agree(x: FloatArray, y: FloatArray) -> Agreements:
    """Correlate every automatic measure (columns of x) with every hearer measure (columns of y)."""
    return _compute_agreements(x, y, _equalise_rounded_values(x), _equalise_rounded_values(y))


def agree_permuted(x: FloatArray, y: FloatArray, orders: IntArray) -> Agreements:
    """Correlate many tables at once, in which the rows of `y` are permuted by `orders` (one a table).

    The last axis is that of `y`, table after table.
    """
    wide, levels = (part[orders].transpose(1, 0, 2).reshape(len(x), -1) for part in (y, _equalise_rounded_values(y)))
    return _compute_agreements(x, wide, _equalise_rounded_values(x), levels)


def _compute_agreements(x: FloatArray, y: FloatArray, level_x: FloatArray, level_y: FloatArray) -> Agreements:
    """Compute r and rho of every pair of measures over all units, and without each unit in turn."""
    complete = ~np.isnan(x)[:, :, None] & ~np.isnan(y)[:, None, :]
    left = complete[None] & ~np.eye(len(x), dtype=bool)[:, :, None, None]
    wide_x, wide_y = np.nan_to_num(x)[:, :, None], np.nan_to_num(y)[:, None, :]
    steps = [_compute_rank_steps(level_x)[:, :, :, None], _compute_rank_steps(level_y)[:, :, None, :]]
    ranks = [np.einsum("jah,jiah->iah", complete, np.broadcast_to(s, (len(x), *complete.shape))) for s in steps]
    # leaving a unit out lowers the ranks of all above it by one, and of its ties by one half
    left_ranks = [whole[None] - step * complete[:, None] for whole, step in zip(ranks, steps, strict=True)]
    defined = complete[:, None].any(
        axis=1
    )  # a unit without both values leaves the coefficient as it is, which tells nothing
    without_r, without_rho = (
        correlate_complete_units(wide_x[None], wide_y[None], left),
        correlate_complete_units(left_ranks[0], left_ranks[1], left),
    )
    between, within = divide_into_two_groups(wide_x, wide_y, complete)[:2]
    return Agreements(
        n=complete.sum(axis=0).astype(np.int64),
        r=correlate_complete_units(wide_x, wide_y, complete),
        rho=correlate_complete_units(ranks[0], ranks[1], complete),
        without_r=np.where(defined, without_r, np.nan),
        without_rho=np.where(defined, without_rho, np.nan),
        between=between,
        within_r=within,
    )


def correlate_subsets(x: FloatArray, y: FloatArray, left: BoolArray) -> tuple[FloatArray, FloatArray]:
    """Return r and rho of complete columns over subsets of units (groups by units).

    `left` marks the units of each subset. Values are rounded to twelve decimals, so that equal ones compare as equal;
    NaN where undefined.
    """
    included = left[:, :, None, None]
    # a rank is the sum of the contributions of all units in the subset
    ranks = [
        (left.astype(float) @ _compute_rank_steps(_equalise_rounded_values(v[:, None]))[:, :, 0])[:, :, None, None]
        for v in (x, y)
    ]
    r = correlate_complete_units(x[None, :, None, None], y[None, :, None, None], included)[:, 0, 0]
    rho = correlate_complete_units(ranks[0], ranks[1], included)[:, 0, 0]
    return np.round(r, 12), np.round(rho, 12)


def _equalise_rounded_values(columns: FloatArray) -> FloatArray:
    """Return the columns with values that differ only by rounding made equal."""
    return np.column_stack([rank_without_rounding(c) for c in columns.T]) if columns.size else columns


def _compute_rank_steps(level: FloatArray) -> FloatArray:
    """Return the contribution of unit j to the rank of unit i: 1 if j is lower, one half if equal."""
    higher: FloatArray = (level[:, None] < level[None]) + 0.5 * (level[:, None] == level[None])
    return higher


def correlate_complete_units(x: FloatArray, y: FloatArray, complete: BoolArray) -> FloatArray:
    """Compute Pearson's r over the complete units, which are the third axis from the end.

    NaN with fewer than three of them, or where a column does not vary.
    """
    n = complete.sum(axis=-3, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        centred = [np.where(complete, v - (v * complete).sum(axis=-3, keepdims=True) / n, 0.0) for v in (x, y)]
        norms = [np.sqrt((c * c).sum(axis=-3)) for c in centred]
        sizes = [np.sqrt(((v * complete) ** 2).sum(axis=-3)) for v in (x, y)]
        flat = [norm <= NEARLY_CONSTANT * size for norm, size in zip(norms, sizes, strict=True)]
        r = (centred[0] * centred[1]).sum(axis=-3) / (norms[0] * norms[1])
    undefined = flat[0] | flat[1] | (n.squeeze(-3) < 3)
    coefficients: FloatArray = np.where(undefined, np.nan, np.clip(r, -1.0, 1.0))
    return coefficients


def divide_into_two_groups(
    x: FloatArray, y: FloatArray, complete: BoolArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Find the best division of the units into two groups, one high and one low in both measures.

    Returns the proportion of variance between the groups (in the measure with less of it), r within the groups, and a mask of the upper group."""
    n = complete.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        u, v = (_standardise(np.broadcast_to(part, complete.shape), complete, n) for part in (x, y))
        v = v * np.where((u * v).sum(axis=0) < 0, -1.0, 1.0)
        order = np.argsort(np.where(complete, -(u + v), np.inf), axis=0, kind="stable")
        top = np.cumsum(np.take_along_axis(complete, order, 0), axis=0).astype(float)
        sums = [np.cumsum(np.take_along_axis(part, order, 0), axis=0) for part in (u, v)]
        # centred columns: the other group's sum is the negative of this one's
        weight = np.where((top > 0) & (top < n), n / (top * (n - top)), 0.0)
        shares = [s * s * weight / n for s in sums]
        lesser = np.minimum(*shares)
        cut = lesser.argmax(axis=0)[None]
        within = _correlate_within_groups(
            u, v, [np.take_along_axis(s, cut, 0)[0] for s in sums], np.take_along_axis(weight, cut, 0)[0]
        )
    place = np.argsort(order, axis=0, kind="stable")
    return np.take_along_axis(lesser, cut, 0)[0], within, (place <= cut) & complete


def _standardise(values: FloatArray, complete: BoolArray, n: IntArray) -> FloatArray:
    """Return the columns minus their mean, divided by their standard deviation; 0 for constant columns."""
    away = np.where(complete, values - (values * complete).sum(axis=0) / n, 0.0)
    spread = np.sqrt((away * away).sum(axis=0) / n)
    flat = spread <= NEARLY_CONSTANT * np.abs(values).max(axis=0, initial=0.0)
    scaled: FloatArray = np.where(flat, 0.0, away / spread)
    return scaled


def _correlate_within_groups(u: FloatArray, v: FloatArray, sums: list[FloatArray], weight: FloatArray) -> FloatArray:
    """Return the correlation of u and v after subtracting the means of the two groups."""
    left = (u * v).sum(axis=0) - sums[0] * sums[1] * weight
    spread = [(part * part).sum(axis=0) - s * s * weight for part, s in zip((u, v), sums, strict=True)]
    both = spread[0] * spread[1]
    r: FloatArray = np.where(np.minimum(*spread) > 1e-9, left / np.sqrt(np.maximum(both, 1e-300)), 0.0)
    return r
