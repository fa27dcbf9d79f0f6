"""Comparisons of two systems.

T-tests with effect size and interval, equivalence (Schuirmann 1987), many pairs (Holm 1979).

All data of a shared task are paired by item, so `compare_systems` pairs by default. A difference without any spread has no
t: its p and d are None. Missing values are left out, in paired data together with their partner.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import as_numbers, complete_rows, make_frame
from referee.statistics.rounding import is_rounding

if TYPE_CHECKING:
    import polars as pl

Numbers = Iterable[float | None]
CORRECTIONS = ("holm", "bh", "by", "bonferroni")
_LARGE_T = 1000.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A difference (first minus second) with interval, two-sided t test and Cohen's d with its interval.

    The interval of d is that of the non-central t.

    For pairs d is the mean difference over the standard deviation of the differences, else over the pooled one.
    """

    difference: float | None
    low: float | None = None
    high: float | None = None
    t: float | None = None
    df: float | None = None
    p: float | None = None
    d: float | None = None
    d_low: float | None = None
    d_high: float | None = None
    n_a: int
    n_b: int
    error: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Equivalence:
    """Two one-sided tests: the difference lies significantly above -margin and below +margin.

    low and high are the 1 - 2·alpha interval of the difference, which lies inside the margins exactly when p <= alpha.
    """

    difference: float | None
    margin: float
    low: float | None
    high: float | None
    p: float | None
    equivalent: bool | None
    n_a: int
    n_b: int


def paired_t(x: Numbers, y: Numbers, *, confidence: float = 0.95) -> Comparison:
    """Test the mean difference of pairs with Student's t."""
    a, b = _select_complete_pairs(x, y)
    gaps = a - b
    n = len(gaps)
    if n < 2:
        return _make_untested(float(gaps[0]) if n else None, n, n)
    mean, deviation = float(gaps.mean()), float(gaps.std(ddof=1))
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    # .3 - .2 and .2 - .1 differ in their last digit: differences that vary by no more are one difference
    if is_rounding(deviation, size):
        mean, deviation = 0.0 if is_rounding(mean, size) else float(gaps[0]), 0.0
    return paired_t_from_summaries(mean, deviation, n, confidence=confidence)


def paired_t_from_summaries(difference: float, sd: float, n: int, *, confidence: float = 0.95) -> Comparison:
    """Test the mean difference of pairs from the mean and standard deviation of the differences."""
    return _make_comparison(difference, sd / sqrt(n), n - 1, 1 / sqrt(n), n, n, confidence)


def independent_t(x: Numbers, y: Numbers, *, equal_variances: bool = False, confidence: float = 0.95) -> Comparison:
    """Test the difference of two separate groups with Welch's t, or Student's if variances are equal."""
    a, b = (v[~np.isnan(v)] for v in (as_numbers(x, "x"), as_numbers(y, "y")))
    if min(len(a), len(b)) < 2:
        return _make_untested(float(a.mean() - b.mean()) if len(a) and len(b) else None, len(a), len(b))
    size = max(float(np.abs(a).max()), float(np.abs(b).max()))
    summaries = [(float(v.mean()), _compute_deviation(v, size), len(v)) for v in (a, b)]
    return independent_t_from_summaries(*summaries, equal_variances=equal_variances, confidence=confidence)


def independent_t_from_summaries(
    a: tuple[float, float, int],
    b: tuple[float, float, int],
    *,
    equal_variances: bool = False,
    confidence: float = 0.95,
) -> Comparison:
    """Test the difference of two groups from the mean, standard deviation and size of each."""
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = a, b
    parts = sd_a**2 / n_a, sd_b**2 / n_b
    pooled = ((n_a - 1) * sd_a**2 + (n_b - 1) * sd_b**2) / (n_a + n_b - 2)
    per_d = sqrt(1 / n_a + 1 / n_b)
    if equal_variances or sum(parts) == 0:
        return _make_comparison(mean_a - mean_b, sqrt(pooled) * per_d, n_a + n_b - 2, per_d, n_a, n_b, confidence)
    df = sum(parts) ** 2 / (parts[0] ** 2 / (n_a - 1) + parts[1] ** 2 / (n_b - 1))
    d = (mean_a - mean_b) / sqrt(pooled)
    return _make_comparison(mean_a - mean_b, sqrt(sum(parts)), df, per_d, n_a, n_b, confidence, d=d)


def equivalence(
    x: Numbers, y: Numbers, *, margin: float, paired: bool = True, alpha: float = 0.05, equal_variances: bool = False
) -> Equivalence:
    """Test whether two systems are equal up to a margin chosen beforehand, in the unit of the data (TOST)."""
    from scipy.special import stdtr

    if margin <= 0:
        raise InputError(
            f"'margin' is {margin}, but must be above 0", remedy="give the largest difference that does not matter"
        )
    inner = 1 - 2 * alpha
    separate = None if paired else independent_t(x, y, equal_variances=equal_variances, confidence=inner)
    comparison = separate or paired_t(x, y, confidence=inner)
    p = None
    if comparison.error and comparison.difference is not None:
        p = float(stdtr(comparison.df, -(margin - abs(comparison.difference)) / comparison.error))
    return Equivalence(
        difference=comparison.difference,
        margin=margin,
        low=comparison.low,
        high=comparison.high,
        p=p,
        equivalent=None if p is None else p <= alpha,
        n_a=comparison.n_a,
        n_b=comparison.n_b,
    )


def adjust(p_values: Sequence[float | None], method: str = "holm") -> list[float | None]:
    """Return p values corrected by holm, bh, by or bonferroni.

    A test without a p (None) does not belong to the family.
    """
    if method not in CORRECTIONS:
        raise InputError(f"the correction {method!r} is unknown", remedy=f"use one of {', '.join(CORRECTIONS)}")
    # A test without data must not make the others' correction harsher.
    p_values = [None if p is None or np.isnan(p) else p for p in p_values]
    family = np.array([p for p in p_values if p is not None])
    if ((family < 0) | (family > 1)).any():
        raise InputError("a p value is below 0 or above 1", remedy="check the list of p values")
    corrected = iter(_correct_p_values(family, method).tolist() if len(family) else ())
    return [None if p is None else float(next(corrected)) for p in p_values]


def compare_systems(
    frame: pl.DataFrame, *, value: str, system: str, item: str, correction: str = "holm", confidence: float = 0.95
) -> pl.DataFrame:
    """Compare every pair of systems, paired by item, with p corrected for the number of pairs.

    Repeated values of an item are averaged first.
    """
    rows = complete_rows(frame, value, system, item)
    wide = rows.pivot(on=system, index=item, values=value, aggregate_function="mean")
    columns = {name: wide[name].to_numpy() for name in wide.columns if name != item}
    if len(columns) < 2:
        raise InputError("fewer than two systems have values", remedy="give rows of at least two systems")
    pairs = list(combinations(columns, 2))
    comparisons = [paired_t(columns[a], columns[b], confidence=confidence) for a, b in pairs]
    corrected = adjust([c.p for c in comparisons], correction)
    names = ("difference", "low", "high", "t", "df", "p", "d", "d_low", "d_high")
    table = [
        (a, b, *(getattr(c, name) for name in names), p, c.n_a)
        for (a, b), c, p in zip(pairs, comparisons, corrected, strict=True)
    ]
    return make_frame(("system_a", "system_b", *names, "p_corrected", "n"), table)


def _correct_p_values(p: FloatArray, method: str) -> FloatArray:
    """Return p values corrected by a method of `CORRECTIONS`.

    Statsmodels has them too, but collects the garbage of the whole process on every call.
    """
    if method in ("bh", "by"):
        from scipy.stats import false_discovery_control

        return np.asarray(false_discovery_control(p, method=method), dtype=float)
    if method == "bonferroni":
        return np.minimum(p * len(p), 1.0)
    # Holm: the smallest p times their number, the next times one less, and none below the one before it.
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def _select_complete_pairs(x: Numbers, y: Numbers) -> tuple[FloatArray, FloatArray]:
    """Return the values of both columns for the pairs that have both."""
    a, b = as_numbers(x, "x"), as_numbers(y, "y")
    if len(a) != len(b):
        raise InputError(
            f"x has {len(a)} values and y has {len(b)}", remedy="give values in pairs, or use independent_t"
        )
    missing = np.isnan(a) | np.isnan(b)
    return (a[~missing], b[~missing]) if missing.any() else (a, b)


def _compute_deviation(values: FloatArray, size: float) -> float:
    """Return the standard deviation; 0 if it is only rounding error of numbers of this size."""
    deviation = float(values.std(ddof=1))
    return 0.0 if is_rounding(deviation, size) else deviation


def _make_untested(difference: float | None, n_a: int, n_b: int) -> Comparison:
    """Return a comparison without a test, for too few values."""
    return Comparison(difference=difference, n_a=n_a, n_b=n_b)


def _make_comparison(
    difference: float,
    error: float,
    df: float,
    per_d: float,
    n_a: int,
    n_b: int,
    confidence: float,
    d: float | None = None,
) -> Comparison:
    """Return test, interval and effect size; `per_d` is the standard error of d when there is no effect."""
    from scipy.special import stdtr, stdtrit

    # Differences that are all equal leave an error of rounding alone, and would give a t of 1e15.
    if error <= 1e-13 * abs(difference) or error == 0 or df < 1:
        return _make_untested(difference, n_a, n_b)
    t, reach = difference / error, float(stdtrit(df, (1 + confidence) / 2)) * error
    size = t * per_d if d is None else d
    levels = (1 + confidence) / 2, (1 - confidence) / 2
    # Exact bounds of a standardised difference turn the non-central t round; the normal approximation is poor in small samples.
    d_low, d_high = (_find_noncentrality(df, level, size / per_d) * per_d for level in levels)
    return Comparison(
        difference=difference,
        low=difference - reach,
        high=difference + reach,
        t=t,
        df=df,
        p=2 * float(stdtr(df, -abs(t))),
        d=size,
        d_low=d_low,
        d_high=d_high,
        n_a=n_a,
        n_b=n_b,
        error=error,
    )


def _find_noncentrality(df: float, level: float, t: float) -> float:
    """Return the non-centrality at which a t of this size or smaller has the probability `level`."""
    from scipy.special import chdtri, nctdtrinc

    if abs(t) <= _LARGE_T:
        return float(nctdtrinc(df, level, t))
    # Beside a large non-centrality the normal part vanishes and chi-square remains; scipy's search would not end.
    return t * sqrt(float(chdtri(df, level if t > 0 else 1 - level)) / df)


def mcnemar(only: int, others: int) -> float:
    """Return the exact two-sided p of McNemar's test.

    `only` and `others` are the items that only one of the two systems gets right.

    >>> round(mcnemar(120, 103), 3)
    0.284
    """
    from scipy.stats import binomtest

    return float(binomtest(only, only + others).pvalue) if only + others else 1.0
