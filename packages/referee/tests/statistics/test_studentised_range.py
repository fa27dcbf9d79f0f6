"""Critical values of the studentised range agree with scipy and with the printed table."""

from __future__ import annotations

import pytest
from scipy.stats import studentized_range

from referee.statistics.studentised_range import compute_range_probability, find_critical_value


@pytest.mark.parametrize(
    ("k", "df"),
    [
        (2, 1),
        (3, 1),
        (10, 1),
        (20, 1),
        (2, 2),
        (10, 2),
        (20, 2),
        (6, 3),
        (2, 5),
        (3, 20),
        (8, 880),
        (14, 1540),
        (30, 100),
    ],
)
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_critical_values_equal_scipys(k: int, df: int, alpha: float) -> None:
    assert find_critical_value(k, df, alpha) == pytest.approx(float(studentized_range.ppf(1 - alpha, k, df)), rel=1e-7)


def test_a_value_of_the_printed_tables() -> None:
    """q(.05; 3, 10) = 3.877 in the tables of Harter (1960), as reprinted in most textbooks."""
    assert find_critical_value(3, 10) == pytest.approx(3.877, abs=0.0005)


def test_probability_and_critical_value_are_inverse() -> None:
    assert compute_range_probability(find_critical_value(6, 50), 6, 50) == pytest.approx(0.95, abs=1e-10)
