"""Arrays of coefficients against scipy's, one by one; divisions by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import pearsonr, spearmanr

from referee.courtroom.agreement import agree, agree_permuted, divide_into_two_groups


def holed(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 6, (9, 3)).astype(float), rng.normal(size=(9, 2))
    x[4, 0] = y[1, 1] = y[7, 1] = np.nan
    return x, y


def test_every_coefficient_is_that_of_scipy_over_the_units_with_both_values() -> None:
    x, y = holed(1)
    found = agree(x, y)
    for a in range(3):
        for h in range(2):
            there = ~(np.isnan(x[:, a]) | np.isnan(y[:, h]))
            assert found.n[a, h] == there.sum()
            assert found.r[a, h] == pytest.approx(pearsonr(x[there, a], y[there, h])[0], abs=1e-12)
            assert found.rho[a, h] == pytest.approx(spearmanr(x[there, a], y[there, h])[0], abs=1e-12)


def test_without_each_unit_it_is_scipy_on_the_others() -> None:
    x, y = holed(2)
    found = agree(x, y)
    for k in range(9):
        there = ~(np.isnan(x[:, 0]) | np.isnan(y[:, 1]))
        if not there[k]:
            assert np.isnan(found.without_r[k, 0, 1]), "whoever has no values cannot be left out"
            continue
        there[k] = False
        assert found.without_r[k, 0, 1] == pytest.approx(pearsonr(x[there, 0], y[there, 1])[0], abs=1e-12)
        assert found.without_rho[k, 0, 1] == pytest.approx(spearmanr(x[there, 0], y[there, 1])[0], abs=1e-12)


def test_a_column_that_does_not_vary_has_no_coefficient() -> None:
    found = agree(np.full((5, 1), 0.1), np.arange(5.0)[:, None])
    assert np.isnan(found.r).all()
    assert np.isnan(found.rho).all()


def division(x: list[float], y: list[float]) -> tuple[float, float, list[bool]]:
    shape = (len(x), 1, 1)
    between, within, upper = divide_into_two_groups(
        np.array(x).reshape(shape), np.array(y).reshape(shape), np.ones(shape, dtype=bool)
    )
    return float(between[0, 0]), float(within[0, 0]), [bool(u) for u in upper[:, 0, 0]]


def test_even_units_are_no_two_groups_and_agree_within_halves() -> None:
    """1 to 6 cut in the middle: between the means 2 and 5 there are 6 · 1.5² = 13.5 of 17.5 squares; within, everything lies on a line."""
    between, within, upper = division([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])
    assert between == pytest.approx(13.5 / 17.5)
    assert within == pytest.approx(1)
    assert upper == [False] * 3 + [True] * 3


def test_two_heaps_are_two_groups_with_nothing_in_them() -> None:
    """By hand: heaps about 0 and 10 with (0, 1), (1, 0) in each, so that within them r = -1; between them x has 4 · 25 of 101 squares."""
    between, within, upper = division([0, 1, 10, 11], [1, 0, 11, 10])
    assert between == pytest.approx(100 / 101)
    assert within == pytest.approx(-1)
    assert upper == [False, False, True, True]


def test_groups_on_opposite_sides_are_found_as_well() -> None:
    between, _, upper = division([0, 1, 10, 11], [11, 10, 1, 0])
    assert between == pytest.approx(100 / 101)
    assert upper == [False, False, True, True]


def test_tables_dealt_together_are_those_dealt_one_by_one():
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 5, size=(9, 3)) / 4, rng.normal(size=(9, 2))
    x[2, 1] = y[4, 0] = np.nan
    orders = rng.permuted(np.tile(np.arange(9), (4, 1)), axis=1)
    together = agree_permuted(x, y, orders)
    for place, order in enumerate(orders):
        for name, alone in agree(x, y[order])._asdict().items():
            part = getattr(together, name)[..., 2 * place : 2 * place + 2]
            np.testing.assert_allclose(part, alone, rtol=1e-9, atol=1e-12, err_msg=name)
