"""Interval arithmetic by search: the extremes of a function over a box of rounding intervals.

The search is Frank and Wolfe's (1956): move towards the corner in the direction of the slope, as far as it improves,
and repeat. It finds corners where the function is monotone and inner points where it is not. Extremes are attained
values; a margin of two per cent guards against a search that stopped early.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from referee.contracts import FloatArray

Compute = Callable[[FloatArray], FloatArray]
# Finer near the start, where the last rounds find their little improvements.
STEPS = np.array([0.0, 0.003, 0.01, 0.03, 0.07, 0.15, 0.3, 0.5, 0.75, 1.0])
ROUNDS = 12
MARGIN = 0.02


def find_extremes(compute: Compute, middle: FloatArray, half: FloatArray, *, starts: int = 1) -> tuple[float, float]:
    """Return the smallest and the largest value of `compute` (points x inputs to points) in the box middle ± half.

    The search begins in the middle, and with more starts also at the best of many random points (always the same ones).
    """
    centre = float(compute(middle[None, :])[0])
    if not half.any():
        return centre, centre
    low, high = (
        -_find_largest(lambda points: -compute(points), middle, half, starts),
        _find_largest(compute, middle, half, starts),
    )
    # Outwards: a mistake is claimed only where no rounding explains a number.
    return low - MARGIN * (centre - low), high + MARGIN * (high - centre)


def _find_largest(compute: Compute, middle: FloatArray, half: FloatArray, starts: int) -> float:
    """Return the largest value over the box, from several starting points."""
    if starts == 1:
        return _climb(compute, middle, middle, half)
    rng = np.random.default_rng(0)
    shape = (100 * starts, len(half))
    # Half of them are corners, where functions that are nearly monotone have their extremes.
    random = np.vstack([rng.uniform(-1, 1, size=shape), rng.choice([-1.0, 1.0], size=shape)]) * half + middle
    best = random[np.argsort(-_replace_undefined(compute(random)))[: starts - 1]]
    return max(_climb(compute, point, middle, half) for point in np.vstack([middle, best]))


def _climb(compute: Compute, point: FloatArray, middle: FloatArray, half: FloatArray) -> float:
    """Return the local maximum from a starting point."""
    best = float(_replace_undefined(compute(point[None, :]))[0])
    for _ in range(ROUNDS):
        corner = middle + np.where(_estimate_slopes(compute, point, middle, half) >= 0, half, -half)
        path = point + STEPS[:, None] * (corner - point)
        values = _replace_undefined(compute(path))
        at = int(values.argmax())
        # An improvement within floating point is none.
        if not values[at] > best + 1e-12 * abs(best):
            break
        point, best = path[at], float(values[at])
    return best


def _estimate_slopes(compute: Compute, point: FloatArray, middle: FloatArray, half: FloatArray) -> FloatArray:
    """Return the slope along every input from two small steps inside the box."""
    step = np.diag(half) * 0.05
    up = np.minimum(point + step, middle + half)
    down = np.maximum(point - step, middle - half)
    values = _replace_undefined(compute(np.vstack([up, down])))
    return values[: len(half)] - values[len(half) :]


def _replace_undefined(values: FloatArray) -> FloatArray:
    """Return values with undefined ones replaced by a very small number, so that searches avoid them."""
    return np.where(np.isfinite(values), values, -1e300)
