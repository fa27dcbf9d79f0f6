"""How far a result can move when every input moves within its rounding: the extremes of a function over a box.

The search is Frank and Wolfe's (1956): go to the corner that the slope points to, as far along the way as pays, and repeat. It finds corners
where the function is monotone and inner points where it is not. What it finds is attained, so the interval is never too wide; a margin of
two per cent guards against a search that stopped a little early.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from referee.contracts import FloatArray

__all__ = ["Compute", "extremes"]

Compute = Callable[[FloatArray], FloatArray]
STEPS = np.array([0.0, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.85, 1.0])
ROUNDS = 12
MARGIN = 0.02


def extremes(compute: Compute, middle: FloatArray, half: FloatArray, *, starts: int = 1) -> tuple[float, float]:
    """Smallest and largest value of `compute` (points x inputs to points) in the box middle ± half.

    More starts than one also begin beside the middle, for at a point of symmetry the slope says nothing.
    """
    centre = float(compute(middle[None, :])[0])
    if not half.any():
        return centre, centre
    beside = np.random.default_rng(0).uniform(-0.9, 0.9, size=(starts - 1, len(half)))
    points = middle + np.vstack([np.zeros(len(half)), beside]) * half
    low = -max(_climb(lambda tried: -compute(tried), point, middle, half) for point in points)
    high = max(_climb(compute, point, middle, half) for point in points)
    return low - MARGIN * (centre - low), high + MARGIN * (high - centre)


def _climb(compute: Compute, point: FloatArray, middle: FloatArray, half: FloatArray) -> float:
    best = float(_numbers(compute(point[None, :]))[0])
    for _ in range(ROUNDS):
        corner = middle + np.where(_slopes(compute, point, middle, half) >= 0, half, -half)
        path = point + STEPS[:, None] * (corner - point)
        values = _numbers(compute(path))
        at = int(values.argmax())
        if not values[at] > best + 1e-12 * abs(best):
            break
        point, best = path[at], float(values[at])
    return best


def _slopes(compute: Compute, point: FloatArray, middle: FloatArray, half: FloatArray) -> FloatArray:
    """Difference of the function a small step up and down along every input, kept inside the box."""
    step = np.diag(half) * 0.05
    up = np.minimum(point + step, middle + half)
    down = np.maximum(point - step, middle - half)
    values = _numbers(compute(np.vstack([up, down])))
    return values[: len(half)] - values[len(half) :]


def _numbers(values: FloatArray) -> FloatArray:
    return np.nan_to_num(values, nan=-1e300, posinf=1e300, neginf=-1e300)
