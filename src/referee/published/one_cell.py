"""Solving for one cell: the values that would make several printed numbers follow at once.

The cell is moved over a wide range in steps; where every claim comes within the reach of rounding, the place is looked at again in finer steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.published.claims import ValueClaim, values_of
from referee.published.printed import Number

__all__ = ["Solution", "solve_cell"]

STEPS = 401


@dataclass(frozen=True)
class Solution:
    """A cell, the interval of values that would do, and the one that does best."""

    number: Number
    low: float
    high: float
    best: float


def solve_cell(number: Number, claims: Sequence[ValueClaim], column: Sequence[float]) -> Solution | None:
    """Values of a cell between one span below and one above its column that satisfy all claims; None where there are none.

    The cell may be an input of a claim, or the number that should follow.
    """
    if not claims:
        return None
    span = max(column) - min(column) or abs(number.value) or 1.0
    around = np.linspace(min(column) - span, max(column) + span, STEPS)
    misses = _misses(number, claims, around)
    # between two steps a miss changes by about as much as it does from one step to the next
    slack = np.maximum(np.abs(np.diff(misses, axis=1, prepend=misses[:, :1])), 1e-12)
    slack = np.maximum(slack, np.roll(slack, -1, axis=1))
    near = (misses <= 1 + slack).all(axis=0)
    if not near.any():
        return None
    step = around[1] - around[0]
    fine = np.concatenate([np.linspace(v - step, v + step, 81) for v in around[near][:40]])
    misses = _misses(number, claims, np.unique(fine))
    good = (misses <= 1).all(axis=0)
    if not good.any():
        return None
    values, worst = np.unique(fine)[good], misses[:, good].max(axis=0)
    return _rounded(number, values, float(values[worst.argmin()]))


def _rounded(number: Number, values: FloatArray, best: float) -> Solution:
    digits = max(0, round(-np.log10(2 * number.half))) if number.half else 6
    return Solution(number, *(round(float(v), digits) for v in (values.min(), values.max(), best)))


def _misses(number: Number, claims: Sequence[ValueClaim], values: FloatArray) -> FloatArray:
    """How far each claim is off for each value of the cell, in units of what rounding allows."""
    result = []
    for claim in claims:
        points = np.tile(values_of(claim.inputs), (len(values), 1))
        for i, cell in enumerate(claim.inputs):
            if cell.place == number.place:
                points[:, i] = values
        low, high = claim.reach
        allowed = claim.printed.half + (high - low) / 2 + 1e-9
        target = values if claim.printed.place == number.place else claim.printed.value
        result.append(np.abs(claim.compute(points) - target) / allowed)
    return np.nan_to_num(np.array(result), nan=np.inf)
