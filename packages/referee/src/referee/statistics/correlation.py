"""Correlation over systems with stars, n, intervals and the influence of single systems (as in Belz & Gatt 2008).

A coefficient over a dozen systems can depend on one of them, so `leave_one_out` returns its range without any one.
Pairs with a missing value are left out; n is the number of complete ones. A constant column has no correlation: r is
None, not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from math import atanh, fsum, sqrt, tanh
from typing import TYPE_CHECKING

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import IntArray, as_numbers, complete_rows, make_frame
from referee.statistics.rounding import number_levels

if TYPE_CHECKING:
    import polars as pl

Numbers = Iterable[float | None]
# Relative to a column's length: the residue of centring equal numbers such as .1 that double precision cannot
# represent.
NEARLY_CONSTANT = 1e-13


@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """A coefficient with the number of pairs, two-sided p, stars and Fisher interval.

    None where it is not defined.
    """

    r: float | None
    n: int
    p: float | None = None
    low: float | None = None
    high: float | None = None
    stars: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveOneOut:
    """The smallest and largest coefficient without one pair, and the positions of those pairs."""

    low: float | None
    high: float | None
    without_for_low: int | None
    without_for_high: int | None
    n: int


def stars(p: float | None) -> str:
    """Return two stars for p ≤ .01, one for p ≤ .05, none above (two-sided), as in the TUNA tables."""
    return "" if p is None or p > 0.05 else "**" if p <= 0.01 else "*"


def critical_r(n: int, alpha: float = 0.05) -> float | None:
    """Return the smallest significant |r| (two-sided) with n pairs: t / sqrt(t² + n - 2).

    None below three pairs.
    """
    from scipy.special import stdtrit

    if n < 3:
        return None
    t = float(stdtrit(n - 2, 1 - alpha / 2))
    return t / sqrt(t * t + n - 2)


def pearson(x: Numbers, y: Numbers, *, confidence: float = 0.95) -> Correlation:
    """Compute Pearson's r with p (t test) and Fisher's interval."""
    return _correlate(*_select_complete_pairs(x, y), confidence, _compute_pearson_error)


def spearman(x: Numbers, y: Numbers, *, confidence: float = 0.95) -> Correlation:
    """Return Pearson's r of mid-ranks; p is exact up to n = 8, then the t approximation.

    Interval after Bonett & Wright (2000).

    A perfect rho has no interval: agreement in a few items gives no certainty about others.
    """
    a, b = _select_complete_pairs(x, y)
    first, second = _rank_values(a), _rank_values(b)
    correlation = _correlate(first, second, confidence, _compute_spearman_error)
    if correlation.r is None or correlation.p is None:
        return correlation
    # 8! = 40,320 orders are tried in a moment; nine would be nine times as many.
    p = _compute_exact_p(first, second) if correlation.n <= 8 else correlation.p
    low, high = (None, None) if abs(correlation.r) > 1 - 1e-12 else (correlation.low, correlation.high)
    return replace(correlation, p=p, stars=stars(p), low=low, high=high)


def _compute_exact_p(a: FloatArray, b: FloatArray) -> float:
    """Return the proportion of all orders of one column that agree at least as strongly as the observed one."""
    products = np.abs((b - b.mean())[_list_permutations(len(b))] @ (a - a.mean()))
    observed = abs(float((a - a.mean()) @ (b - b.mean())))
    # Ranks are multiples of a half, so any real difference of products is far above the slack.
    return float(np.mean(products >= observed - 1e-9))


@lru_cache
def _list_permutations(n: int) -> IntArray:
    """Return all permutations of n positions, cached because a table needs them hundreds of times."""
    return np.array(list(permutations(range(n))), dtype=np.int64)


def leave_one_out(x: Numbers, y: Numbers, *, method: str = "pearson") -> LeaveOneOut:
    """Return the range of the coefficient when any one pair is left out.

    Positions refer to the original columns.
    """
    a, b = as_numbers(x, "x"), as_numbers(y, "y")
    a, b = _check_lengths(a, b)
    measure = _find_method(method)
    complete = [i for i in range(len(a)) if not np.isnan(a[i]) and not np.isnan(b[i])]
    coefficients = [(r, i) for i in complete if (r := measure(np.delete(a, i), np.delete(b, i)).r) is not None]
    if not coefficients:
        return LeaveOneOut(low=None, high=None, without_for_low=None, without_for_high=None, n=len(complete))
    (low, at_low), (high, at_high) = min(coefficients), max(coefficients)
    return LeaveOneOut(low=low, high=high, without_for_low=at_low, without_for_high=at_high, n=len(complete))


def correlation_table(frame: pl.DataFrame, columns: Sequence[str], *, method: str = "pearson") -> pl.DataFrame:
    """Correlate every pair of columns: r, n, p, stars, interval, and the range without any one row."""
    complete_rows(frame, None, *columns)
    measure = _find_method(method)
    numbers = {c: as_numbers(frame[c].to_list(), f"the values of {c}") for c in columns}
    rows = []
    for a, b in combinations(columns, 2):
        correlation, moved = measure(numbers[a], numbers[b]), leave_one_out(numbers[a], numbers[b], method=method)
        rows.append(
            (
                a,
                b,
                correlation.r,
                correlation.n,
                correlation.p,
                correlation.stars,
                correlation.low,
                correlation.high,
                moved.low,
                moved.high,
            )
        )
    names = ("measure_a", "measure_b", "r", "n", "p", "stars", "low", "high", "without_one_low", "without_one_high")
    return make_frame(names, rows)


def _find_method(name: str) -> Callable[[Numbers, Numbers], Correlation]:
    """Return a correlation function by name. Raises InputError for an unknown one."""
    methods: dict[str, Callable[[Numbers, Numbers], Correlation]] = {"pearson": pearson, "spearman": spearman}
    if name not in methods:
        raise InputError(f"the correlation {name!r} is unknown", remedy="use 'pearson' or 'spearman'")
    return methods[name]


def _check_lengths(a: FloatArray, b: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return two columns; raise InputError if their lengths differ."""
    if len(a) != len(b):
        raise InputError(f"x has {len(a)} numbers and y has {len(b)}", remedy="give two columns of the same length")
    return a, b


def _select_complete_pairs(x: Numbers, y: Numbers) -> tuple[FloatArray, FloatArray]:
    """Return the two columns without the pairs that have a missing value."""
    a, b = _check_lengths(as_numbers(x, "x"), as_numbers(y, "y"))
    is_complete = ~(np.isnan(a) | np.isnan(b))
    return a[is_complete], b[is_complete]


def _rank_values(values: FloatArray) -> FloatArray:
    """Return ranks from 1; equal values share their mean rank."""
    codes = number_levels(values)
    counts = np.bincount(codes)
    last = np.cumsum(counts)
    middle: FloatArray = (2 * last - counts + 1) / 2
    return middle[codes]


def _compute_coefficient(a: FloatArray, b: FloatArray) -> float | None:
    """Compute Σab / sqrt(Σa²·Σb²) of the centred columns; None if one does not vary beyond rounding."""
    if len(a) < 2:
        return None
    centred = [v - v.mean() for v in (a, b)]
    norms = [_compute_norm(c) for c in centred]
    if any(norm <= NEARLY_CONSTANT * _compute_norm(v) for norm, v in zip(norms, (a, b), strict=True)):
        return None
    return float(np.clip(fsum(centred[0] * centred[1]) / (norms[0] * norms[1]), -1.0, 1.0))


def _compute_norm(values: FloatArray) -> float:
    # `fsum`, not a dot product: r has the same last bit on every processor, and so do printed values.
    """Return the Euclidean norm, with exact summation."""
    return sqrt(fsum(values * values))


def _compute_pearson_error(r: float, n: int) -> float:
    """Return the standard error of Fisher's z of Pearson's r over n pairs."""
    return 1 / sqrt(n - 3)


def _compute_spearman_error(r: float, n: int) -> float:
    # Bonett & Wright 2000: Fisher's error is too small for ranks, the more so the stronger the correlation.
    """Return the standard error of Fisher's z of Spearman's rho over n pairs (Bonett & Wright 2000)."""
    return sqrt((1 + r * r / 2) / (n - 3))


def _correlate(a: FloatArray, b: FloatArray, confidence: float, error: Callable[[float, int], float]) -> Correlation:
    """Return a coefficient with its p and interval."""
    from scipy.special import betainc, ndtri

    n, r = len(a), _compute_coefficient(a, b)
    if r is None or n < 3:
        return Correlation(r=r, n=n)
    # The same as the t test, without dividing by 1 - r² and without losing digits where r is near 1.
    p = float(betainc(n / 2 - 1, 0.5, (1 - r) * (1 + r)))
    low = high = None
    # atanh(1) is infinite; a perfect line has nothing to be uncertain about under the normal model.
    if abs(r) == 1:
        low = high = r
    elif n > 3:
        reach = float(ndtri((1 + confidence) / 2)) * error(r, n)
        low, high = tanh(atanh(r) - reach), tanh(atanh(r) + reach)
    # three points lie on a line by chance too often for a star to mean anything
    return Correlation(r=r, n=n, p=p, low=low, high=high, stars=stars(p) if n > 3 else "")
