"""Correction for multiple tests over a whole table of measures.

Max-T permutation after Westfall & Young (1993), step-down.

The rows of hearer measures are permuted among the units (families of systems), which preserves the correlations among
automatic measures and among hearer measures. Every permutation gives the strongest coefficient of its table. A pair's
adjusted p is the share of permutations with a strongest coefficient that is at least as strong, without the pairs that
had stronger ones. Up to nine units, all permutations are used.

Linear and rank agreement are adjusted separately. A verdict needs both, so the larger p counts: a type I error of the
verdict requires one in the linear table, where the rate is controlled.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, permutations
from math import ceil, factorial
from typing import NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.jobs.progress import CountedWork, ProgressCallback, iterate_silently
from referee.statistics.frames import IntArray
from referee.statistics.rounding import number_levels

EXACT_UP_TO = 9
DEALS = 9999
TIE = 1e-9
_BATCH = 4096
Table = tuple[FloatArray, FloatArray]
"""Units by automatic measures and units by hearer measures; NaN where there is no value."""


class Chances(NamedTuple):
    """Two-sided p of every pair, single and among all pairs of the table, in the shape of the input."""

    alone: FloatArray
    adjusted: FloatArray


def step_down(
    table: Table, seed: int = 1, deals: int = DEALS, progress: ProgressCallback = iterate_silently
) -> Chances:
    """Return single and adjusted p values of every pair of an automatic and a hearer measure.

    Exact with few units, else (b + 1) / (m + 1) over random deals.
    """
    units, shape = len(table[0]), (table[0].shape[1], table[1].shape[1])
    observed = compute_strengths(table, np.arange(units)[None])[0]
    exact = units <= EXACT_UP_TO
    as_strong = np.zeros((2, len(observed)))
    tried = 0
    batches = _yield_all_permutations(units) if exact else _yield_random_permutations(units, deals, seed)
    number = ceil((factorial(units) if exact else deals) / _BATCH)
    for orders in progress(CountedWork(batches, number), "systems permuted"):
        as_strong += _count_as_strong(observed, compute_strengths(table, orders))
        tried += len(orders)
    extra = 0 if exact else 1
    alone, among = (as_strong + extra) / (tried + extra)
    return Chances(alone.reshape(shape), _make_monotone(observed, among).reshape(shape))


def compute_p_values(observed: FloatArray, null: FloatArray) -> Chances:
    """Return p values for observed statistics from those of permutations (rows), the observed table among them."""
    alone, among = _count_as_strong(observed, null) / len(null)
    return Chances(alone, _make_monotone(observed, among))


def _count_as_strong(observed: FloatArray, null: FloatArray) -> FloatArray:
    """Count the permutations in which each pair is as strong as observed (row 0), and those in which the pair or any weaker one is (row 1)."""
    weakest_first = np.argsort(observed, kind="stable")
    strongest = np.empty_like(null)
    strongest[:, weakest_first] = np.maximum.accumulate(null[:, weakest_first], axis=1)
    bound = observed - TIE
    return np.array([(null >= bound).sum(axis=0), (strongest >= bound).sum(axis=0)], dtype=float)


def _make_monotone(observed: FloatArray, p: FloatArray) -> FloatArray:
    """Raise p values so that a weaker pair never has a smaller p than a stronger one."""
    # The reverse of the order in which pairs are counted: equally strong pairs get the same p, whatever the order of rows.
    order = np.argsort(observed, kind="stable")[::-1]
    raised = np.empty_like(p)
    raised[order] = np.maximum.accumulate(p[order])
    return raised


# -- deals ---------------------------------------------------------------------------------------------------------------------


def permute_randomly(units: int, deals: int, seed: int) -> IntArray:
    """Return random permutations of the units, one per row."""
    rng = np.random.default_rng([seed, 3])
    return rng.permuted(np.tile(np.arange(units), (deals, 1)), axis=1)


def _yield_random_permutations(units: int, deals: int, seed: int) -> Iterator[IntArray]:
    """Yield random permutations in batches."""
    orders = permute_randomly(units, deals, seed)
    for start in range(0, deals, _BATCH):
        yield orders[start : start + _BATCH]


def _yield_all_permutations(units: int) -> Iterator[IntArray]:
    """Yield all permutations in batches."""
    orders = permutations(range(units))
    while batch := list(islice(orders, _BATCH)):
        yield np.array(batch, dtype=np.int64).reshape(len(batch), units)


# -- statistics ----------------------------------------------------------------------------------------------------------------


def rank_table(table: Table) -> Table:
    """Return both sides of a table with each column replaced by its ranks.

    Ranks are those of whole columns: with missing values they are not recomputed for each permutation (a permutation
    test allows any statistic if data and permutations use the same).
    """
    return _rank_columns(table[0]), _rank_columns(table[1])


def _rank_columns(columns: FloatArray) -> FloatArray:
    """Return ranks by column, from 1.

    Values that differ only by rounding share their mean rank, missing ones have none.
    """
    ranks = np.full(columns.shape, np.nan)
    for column, values in zip(ranks.T, columns.T, strict=True):
        present = ~np.isnan(values)
        if present.any():
            level = number_levels(values[present])
            counts = np.bincount(level)
            column[present] = (np.cumsum(counts) - (counts - 1) / 2)[level]
    return ranks


def compute_strengths(table: Table, orders: IntArray) -> FloatArray:
    """Return |atanh r| · sqrt(n - 3) of every pair under every permutation (permutations by pairs).

    0 where undefined.

    It is comparable between pairs with different numbers of units. Sums over units are one matrix product for all
    permutations; columns are centred and scaled first to keep precision.
    """
    x, y = table
    deals, (measures, hearers) = len(orders), (x.shape[1], y.shape[1])
    (u, seen_u), (v, seen_v) = _scale_columns(x), _scale_columns(y)
    dealt = [part[orders.T].reshape(len(x), deals * hearers) for part in (v, seen_v, v * v)]
    n, su, sv = seen_u.T @ dealt[1], u.T @ dealt[1], seen_u.T @ dealt[0]
    suu, svv, suv = (u * u).T @ dealt[1], seen_u.T @ dealt[2], u.T @ dealt[0]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = (suu - su * su / n) * (svv - sv * sv / n)
        r = np.where((n > 3) & (spread > TIE), (suv - su * sv / n) / np.sqrt(np.maximum(spread, TIE)), 0.0)
        strong = np.arctanh(np.clip(np.abs(r), 0.0, 1 - 1e-12)) * np.sqrt(np.maximum(n - 3, 0))
    by_deal: FloatArray = strong.reshape(measures, deals, hearers).transpose(1, 0, 2).reshape(deals, measures * hearers)
    return by_deal


def _scale_columns(columns: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return standardised columns (0 where a value is missing or the column is constant) and the mask of values.

    A constant column is 0 all over.
    """
    seen = ~np.isnan(columns)
    count = np.maximum(seen.sum(axis=0), 1)
    away = np.where(seen, columns - np.where(seen, columns, 0.0).sum(axis=0) / count, 0.0)
    spread = np.sqrt((away * away).sum(axis=0) / count)
    flat = spread <= 1e-12 * np.abs(np.where(seen, columns, 0.0)).max(axis=0, initial=0.0)
    return np.where(flat, 0.0, away / np.where(flat, 1.0, spread)), seen.astype(float)
