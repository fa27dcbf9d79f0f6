"""Permutation p values against scipy's, and step-down max-T against its definition written out (Westfall & Young 1993)."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import pearsonr, permutation_test, rankdata, spearmanr

from referee.courtroom.multiplicity import rank_table, step_down

Columns = np.ndarray


def table(units: int, measures: int, hearers: int, seed: int) -> tuple[Columns, Columns]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(units, measures)), rng.normal(size=(units, hearers))


@pytest.mark.parametrize("method", ["pearson", "spearman"])
def test_one_pair_has_the_exact_p_of_scipy(method: str) -> None:
    x, y = table(6, 1, 1, 3)
    y = y + 0.8 * x
    measure = pearsonr if method == "pearson" else spearmanr
    expected = permutation_test(
        (x[:, 0],),
        lambda a: np.abs(measure(a, y[:, 0])[0]),
        permutation_type="pairings",
        alternative="greater",
        vectorized=False,
    )
    found = step_down((x, y) if method == "pearson" else rank_table((x, y)))
    assert found.alone[0, 0] == pytest.approx(expected.pvalue, abs=1e-9)
    assert found.adjusted[0, 0] == found.alone[0, 0]


def test_step_down_is_its_definition_written_out() -> None:
    """For every pair: the share of all orders in which the strongest of this pair and of all that were observed weaker is as strong."""
    x, y = table(5, 3, 2, 4)
    y[:, 0] += 2 * x[:, 1]
    pairs = [(a, h) for a in range(3) for h in range(2)]

    def strength(order: tuple[int, ...]) -> dict[tuple[int, int], float]:
        return {(a, h): abs(np.corrcoef(x[:, a], y[list(order), h])[0, 1]) for a, h in pairs}

    seen = strength(tuple(range(5)))
    everything = [strength(order) for order in permutations(range(5))]
    expected, floor = {}, 0.0
    for pair in sorted(pairs, key=lambda p: -seen[p]):
        rivals = [p for p in pairs if seen[p] <= seen[pair]]
        share = np.mean([max(s[p] for p in rivals) >= seen[pair] - 1e-9 for s in everything])
        floor = max(floor, float(share))
        expected[pair] = floor
    found = step_down((x, y)).adjusted
    assert {pair: found[pair] for pair in pairs} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_equally_strong_pairs_have_one_p_in_every_order_of_rows(seed: int) -> None:
    """Ranks of few units are often equally strong, some with other last bits in another order of rows."""
    x, y = (np.argsort(part, axis=0).astype(float) for part in table(6, 2, 4, seed))
    strengths = np.array([[round(abs(spearmanr(a, b)[0]), 9) for b in y.T] for a in x.T])
    forth, back = (step_down(rank_table((x[::way], y[::way]))).adjusted for way in (1, -1))
    assert forth == pytest.approx(back)
    assert len(set(zip(strengths.flat, forth.flat, strict=True))) == len(set(strengths.flat)) < strengths.size


def test_many_units_are_dealt_at_random_and_come_near_the_exact_p() -> None:
    x, y = table(12, 1, 1, 5)
    y = y + 0.6 * x
    expected = pearsonr(x[:, 0], y[:, 0]).pvalue  # t distribution; a permutation test of normal values is near it
    assert step_down((x, y)).alone[0, 0] == pytest.approx(expected, abs=0.02)


def test_a_table_of_noise_seldom_shows_anything() -> None:
    """200 tables of 10 units and 5 x 4 pairs: unadjusted nearly all have a p ≤ .05 somewhere, adjusted about one in twenty (binomial: up to 19 of 200)."""
    alone, adjusted = 0, 0
    for seed in range(200):
        found = step_down(table(10, 5, 4, 1000 + seed), seed=1, deals=199)
        alone += bool((found.alone <= 0.05).any())
        adjusted += bool((found.adjusted <= 0.05).any())
    assert alone > 100
    assert adjusted <= 19


def test_what_is_missing_or_constant_counts_for_nothing() -> None:
    x, y = table(7, 2, 1, 6)
    x[:, 1] = 0.1
    y[2, 0] = np.nan
    found = step_down((x, y))
    assert found.alone[1, 0] == found.adjusted[1, 0] == 1.0
    assert 0 < found.alone[0, 0] <= 1


def test_ranks_are_those_of_scipy_with_what_is_missing_left_out():
    rng = np.random.default_rng(1)
    columns = rng.integers(0, 6, size=(12, 3)) / 7
    columns[rng.random(columns.shape) < 0.2] = np.nan
    ranks, _ = rank_table((columns, columns))
    np.testing.assert_array_equal(ranks, rankdata(columns, axis=0, nan_policy="omit"))
