"""Linear regression with clustered standard errors.

Least squares with errors that respect clusters (the CR1 sandwich; Cameron & Miller 2015).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Slope:
    """A coefficient with clustered standard error, interval and two-sided p (t, clusters - 1 df)."""

    name: str
    estimate: float
    error: float
    low: float
    high: float
    p: float | None
    n: int
    clusters: int


def regress(columns: Mapping[str, Sequence[float]], y: Sequence[float], clusters: Sequence[Any]) -> list[Slope]:
    """Fit an intercept and one slope for every column by least squares with cluster-robust errors."""
    from scipy.special import stdtr, stdtrit

    x: FloatArray = np.column_stack([np.ones(len(y)), *columns.values()])
    outcome = np.asarray(y, dtype=float)
    names, codes = np.unique(np.asarray(clusters), return_inverse=True)
    groups, (n, k) = len(names), x.shape
    if groups < 2 or n <= k or np.linalg.matrix_rank(x) < k:
        raise InputError(
            f"{n} values in {groups} clusters are too few to fit {k} coefficients, or a column does not vary",
            remedy="give more data, or leave that column out",
        )
    bread = np.linalg.inv(x.T @ x)
    weights = bread @ x.T @ outcome
    pull = x * (outcome - x @ weights)[:, None]
    # Residuals are summed within clusters before they are squared: that is where dependence enters.
    sums = np.array([np.bincount(codes, pull[:, j], groups) for j in range(k)])
    # The small-sample factor of Stata and of sandwich's HC1 with clusters: without it few clusters look too certain.
    factor = groups / (groups - 1) * (n - 1) / (n - k)
    # A line without residuals has variances of zero, which rounding may make negative.
    errors = np.sqrt(np.maximum(np.diag(bread @ (sums @ sums.T) @ bread), 0.0) * factor)
    reach = float(stdtrit(groups - 1, 0.975))
    return [
        Slope(
            name=name,
            estimate=float(b),
            error=float(e),
            low=float(b - reach * e),
            high=float(b + reach * e),
            p=2 * float(stdtr(groups - 1, -abs(b / e))) if e else 0.0,
            n=n,
            clusters=groups,
        )
        for name, b, e in zip(("intercept", *columns), weights, errors, strict=True)
    ]
