"""Kruskal-Wallis with tie correction, and its closed form for the 0/1 data of the challenges (Gatt et al. 2008).

For 0/1 data the tie-corrected H is (N-1)/N times the chi-square of the k x 2 table, with k - 1 degrees of freedom:
H = (N-1)·Σ n_i (p_i - p)² / (N·p·(1-p)).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import IntArray, as_numbers, complete_rows, encode
from referee.statistics.rounding import number_levels

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, kw_only=True)
class KruskalWallis:
    """H (chi-square with df degrees of freedom), p, and epsilon² = H / (n - 1); None for constant values.

    low and high bound epsilon² with 90% confidence (non-central chi-square). For 0/1 data epsilon² is Cramér's V².
    """

    h: float | None
    df: int
    p: float | None
    epsilon2: float | None
    low: float | None
    high: float | None
    n: int


def kruskal_wallis(groups: Sequence[Iterable[float | None]]) -> KruskalWallis:
    """Compute the tie-corrected H over groups of numbers; missing values are left out."""
    numbers = [as_numbers(group, "the values of a group") for group in groups]
    samples = [g[~np.isnan(g)] for g in numbers]
    codes = np.repeat(np.arange(len(samples)), [len(g) for g in samples])
    return _test_codes(np.concatenate(samples) if samples else np.empty(0), codes, len(samples))


def kruskal_wallis_frame(frame: pl.DataFrame, *, value: str, system: str) -> KruskalWallis:
    """Compute the tie-corrected H from a tidy frame."""
    rows = complete_rows(frame, value, system)
    systems, codes = encode(rows[system])
    return _test_codes(rows[value].to_numpy(), codes, len(systems))


def kruskal_wallis_binary(rates: Sequence[float], counts: Sequence[float] | float) -> KruskalWallis:
    """Return H for 0/1 data from the proportion of ones and the size of every group.

    One number is the size of all groups.
    """
    p = as_numbers(rates, "rates")
    n = np.broadcast_to(np.asarray(counts, dtype=float), p.shape)
    if np.isnan(p).any() or (p < 0).any() or (p > 1).any():
        raise InputError("rates must lie between 0 and 1", remedy="divide percentages by 100")
    _check_groups(n)
    total = float(n.sum())
    mean = float((n * p).sum()) / total
    if mean * (1 - mean) == 0:
        return _make_result(None, len(p) - 1, total)
    return _make_result(
        (total - 1) * float((n * (p - mean) ** 2).sum()) / (total * mean * (1 - mean)), len(p) - 1, total
    )


def _check_groups(counts: FloatArray) -> None:
    """Raise InputError for fewer than two groups, or an empty one."""
    if len(counts) < 2:
        raise InputError("there are fewer than two groups", remedy="give the values of at least two systems")
    if (counts < 1).any():
        raise InputError("a group has no values", remedy="leave out the systems that were not measured")


def _test_codes(values: FloatArray, codes: IntArray, k: int) -> KruskalWallis:
    """Return the Kruskal-Wallis test of values in k groups."""
    counts = np.bincount(codes, minlength=k).astype(float)
    _check_groups(counts)
    n = len(values)
    place = number_levels(values)
    ties = np.bincount(place)
    last = np.cumsum(ties)
    ranks = ((2 * last - ties + 1) / 2)[place]
    # In floats: the cube of 3,000,000 equal values does not fit into 64 bits.
    shrink = 1 - float((ties.astype(float) ** 3 - ties).sum()) / (float(n) ** 3 - n)
    if len(ties) == 1:
        return _make_result(None, k - 1, n)
    sums = np.bincount(codes, weights=ranks, minlength=k)
    spread = float((sums**2 / counts).sum())
    return _make_result((12 / (n * (n + 1)) * spread - 3 * (n + 1)) / shrink, k - 1, n)


def _make_result(h: float | None, df: int, n: float) -> KruskalWallis:
    """Return H with its p value and effect size (epsilon²) with interval."""
    from scipy.special import chdtrc, chndtrinc

    if h is None:
        return KruskalWallis(h=None, df=df, p=None, epsilon2=None, low=None, high=None, n=round(n))
    # The lower bound is the non-centrality under which an H this large is still rare (5 %), the upper one that under which it is common (95 %).
    low, high = (min(float(chndtrinc(h, df, level)) / (n - 1), 1.0) for level in (0.95, 0.05))
    return KruskalWallis(h=h, df=df, p=float(chdtrc(df, h)), epsilon2=h / (n - 1), low=low, high=high, n=round(n))
