"""Noise in the last bits decides nothing: sums come out the same in any order of adding, and equal values are ties."""

from __future__ import annotations

from math import fsum

import numpy as np
import pytest

from referee.statistics.clusters import permutation_test
from referee.statistics.correlation import spearman
from referee.statistics.rounding import Steady, number_levels


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e12])
def test_totals_are_the_exact_ones_rounded_once(scale: float) -> None:
    rng = np.random.default_rng(1)
    sums = rng.normal(size=(400, 3)) * scale * np.array([1.0, 1e-3, 1e3])
    weights = rng.multinomial(400, np.full(400, 1 / 400), size=50).astype(float)
    found = Steady(sums, 400).weigh(weights)
    for row, totals in zip(weights, found, strict=True):
        # Rounding is that of one addition, whichever kernel multiplied: hence equal bits, where a plain product would only come near.
        assert totals.tolist() == [fsum(np.repeat(column, row.astype(int))) for column in sums.T]


def test_whole_numbers_need_no_second_product() -> None:
    steady = Steady(np.array([[1.0, 1000.0], [2.0, 0.0]]), 2)
    assert steady.parts.shape == (2, 2)
    assert steady.weigh(np.array([[1.0, 1.0], [0.0, 2.0]])).tolist() == [[3.0, 1000.0], [4.0, 0.0]]
    assert Steady(np.empty((0, 1)), 0).weigh(np.empty((2, 0))).tolist() == [[0.0], [0.0]]


def test_what_noise_may_have_told_apart_is_one_level() -> None:
    assert number_levels(np.array([0.3, 0.1 + 0.2, 0.2, 1.0, -1.0])).tolist() == [2, 2, 1, 3, 0]
    assert number_levels(np.array([1e-15, 2e-15, 3e-15])).tolist() == [0, 1, 2]
    assert number_levels(np.array([0.0, 1e-15, 1.0])).tolist() == [0, 0, 1]
    assert number_levels(np.array([])).tolist() == []
    assert number_levels(np.array([1_800_000_000_001.0, 1_800_000_000_000.0])).tolist() == [1, 0]


def test_noise_makes_no_ranks() -> None:
    noisy = [0.3, 0.1 + 0.2, 0.5, 0.7, 0.7 + 1e-13]
    assert spearman(noisy, [1, 2, 3, 4, 5]) == spearman([0.3, 0.3, 0.5, 0.7, 0.7], [1, 2, 3, 4, 5])


def test_differences_that_cancel_but_for_noise_are_no_difference() -> None:
    assert permutation_test([0.1, 0.2, -0.3]).p == 1.0
