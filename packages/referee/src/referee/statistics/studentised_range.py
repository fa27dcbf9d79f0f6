"""Critical values of the studentised range (Tukey 1949), in milliseconds and without importing scipy.stats, which the audit has no time for.

P(range of k normals / s ≤ q) is an integral over s of an integral over the smallest value; both are smooth, so fixed Gauss-Legendre nodes give about ten
digits (scipy's adaptive quadrature is the oracle in the tests).
"""

from __future__ import annotations

from functools import lru_cache
from math import lgamma, log, pi, sqrt

import numpy as np

from referee.contracts import FloatArray

FEW = 8


@lru_cache(maxsize=4)
def _compute_nodes(count: int) -> tuple[FloatArray, FloatArray]:
    """Return Gauss-Legendre nodes and weights on [-1, 1], cached."""
    x, w = np.polynomial.legendre.leggauss(count)
    return x, w


def _stretch_nodes(low: float, high: float, count: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of the quadrature on an interval."""
    x, w = _compute_nodes(count)
    return low + (x + 1) / 2 * (high - low), w * (high - low) / 2


def compute_range_probability(q: float, k: int, df: float) -> float:
    """Return P(range of k standard normals / s ≤ q), with s from df degrees of freedom."""
    from scipy.special import chdtri, ndtr

    # Outside these bounds s has a probability of 1e-13: the integral ends where its digits do.
    lowest, highest = sqrt(chdtri(df, 1 - 1e-13) / df), sqrt(chdtri(df, 1e-13) / df)
    if df < FEW:
        # s may be next to nothing here, and q·s decides: nodes on the scale of log s reach all sizes of it
        t, t_weights = _stretch_nodes(log(max(lowest, 1e-9)), log(highest), 160)
        s, s_weights = np.exp(t), t_weights * np.exp(t)
    else:
        s, s_weights = _stretch_nodes(lowest, highest, 48)
    # In logarithms, since the gamma function of large df overflows.
    density = np.exp(df / 2 * log(df) - lgamma(df / 2) - (df / 2 - 1) * log(2) + (df - 1) * np.log(s) - df * s * s / 2)
    # Beyond eight standard deviations the normal density is below 1e-14.
    z, z_weights = _stretch_nodes(-8.0, 8.0, 96)
    normal = k * np.exp(-z * z / 2) / sqrt(2 * pi) * z_weights
    inner = normal @ (ndtr(z)[:, None] - ndtr(z[:, None] - q * s[None, :])) ** (k - 1)
    return float((density * s_weights) @ inner)


def find_critical_value(k: int, df: float, alpha: float = 0.05) -> float:
    """Find q(alpha; k, df) by secant steps, guarded by bisection."""
    low, high = 0.0, 2.0
    while compute_range_probability(high, k, df) < 1 - alpha:
        low, high = high, 2 * high
    below = compute_range_probability(low, k, df) - 1 + alpha if low else alpha - 1
    above = compute_range_probability(high, k, df) - 1 + alpha
    q = high
    for _ in range(60):
        q = high - above * (high - low) / (above - below)
        # A secant step that lands at an end hardly shrinks the bracket; halving it always does.
        if not low + 0.01 * (high - low) < q < high - 0.01 * (high - low):
            q = (low + high) / 2
        error = compute_range_probability(q, k, df) - 1 + alpha
        if abs(error) < 1e-12 or high - low < 1e-11:
            break
        if error < 0:
            low, below = q, error
        else:
            high, above = q, error
    return q
