"""Solves for one cell: the values that would make several printed numbers follow at once.

The cell is varied over a wide range in steps. Where every claim may be within rounding, the range is searched again in
finer steps, until they are smaller than the rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.auditing.printed import Number
from referee.auditing.value_claims import ValueClaim, list_values
from referee.contracts import FloatArray

STEPS = 401
FINER = 20
ROUNDS = 6
KEPT = 30


@dataclass(frozen=True)
class Solution:
    """A cell, the interval of values that would do, and the one that does best."""

    number: Number
    low: float
    high: float
    best: float


def solve_cell(number: Number, claims: Sequence[ValueClaim], column: Sequence[float]) -> Solution | None:
    """Return values of a cell between one span below and one above its column that satisfy all claims.

    None where there are none.

    The cell may be an input of a claim, or the number that should follow.
    """
    if not claims:
        return None
    # A column of equal numbers has no span of its own.
    span = max(column) - min(column) or abs(number.value) or 1.0
    values = np.linspace(min(column) - span, max(column) + span, STEPS)
    step = values[1] - values[0]
    for _ in range(ROUNDS):
        misses = measure_misses(number, claims, values)
        # between two steps a miss changes by about as much as it does from one step to the next
        change = np.abs(np.diff(misses, axis=1, append=misses[:, -1:]))
        change = np.maximum(change, np.roll(change, 1, axis=1))
        near = np.flatnonzero((misses <= 1 + change).all(axis=0))
        good = (misses <= 1).all(axis=0)
        if not len(near):
            return None
        # Neighbouring values differ by less than rounding allows: finer steps would tell nothing new.
        if good.any() and change[:, good].min() < 1:
            break
        near = near[np.argsort(misses[:, near].max(axis=0))[:KEPT]]
        around = np.linspace(-step, step, 2 * FINER + 1)
        values, step = np.unique((values[near, None] + around).ravel()), step / FINER
    else:
        misses = measure_misses(number, claims, values)
        good = (misses <= 1).all(axis=0)
    if not good.any():
        return None
    worst = misses[:, good].max(axis=0)
    return _round_outwards(number, values[good], float(values[good][worst.argmin()]))


def _round_outwards(number: Number, values: FloatArray, best: float) -> Solution:
    """Return the interval with the digits of the cell, rounded outwards."""
    unit = 2 * number.half or 1e-6
    digits = max(0, round(-np.log10(unit)))
    low, high = np.floor(values.min() / unit) * unit, np.ceil(values.max() / unit) * unit
    return Solution(number, round(float(low), digits), round(float(high), digits), best)


def measure_misses(number: Number, claims: Sequence[ValueClaim], values: FloatArray) -> FloatArray:
    """Return how far each claim is off for each value of the cell, in units of its rounding."""
    result = []
    for claim in claims:
        points = np.tile(list_values(claim.inputs), (len(values), 1))
        for i, cell in enumerate(claim.inputs):
            if cell.place == number.place:
                points[:, i] = values
        low, high = claim.reach
        allowed = claim.printed.half + (high - low) / 2 + 1e-9
        target = values if claim.printed.place == number.place else claim.printed.value
        result.append(np.abs(claim.compute(points) - target) / allowed)
    # Undefined results count as infinitely far off.
    return np.nan_to_num(np.array(result), nan=1e12, posinf=1e12)
