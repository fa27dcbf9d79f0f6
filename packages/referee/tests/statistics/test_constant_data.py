"""Data that do not vary have no F, t or rank order, whatever floating-point arithmetic leaves of them."""

from __future__ import annotations

import polars as pl
import pytest

from referee.statistics.comparisons import independent_t, paired_t
from referee.statistics.correlation import spearman
from referee.statistics.ranks import kruskal_wallis
from referee.statistics.variance import one_way, two_way


@pytest.mark.parametrize(("systems", "domains", "each"), [(3, 2, 7), (5, 2, 56), (14, 2, 57)])
@pytest.mark.parametrize("value", [0.1, 0.3, 1e9, -7e-9])
def test_equal_values_have_no_f(systems: int, domains: int, each: int, value: float) -> None:
    rows = [(f"s{s}", f"d{d}", value) for s in range(systems) for d in range(domains) for _ in range(each)]
    frame = pl.DataFrame(rows, schema=["system", "domain", "value"], orient="row")
    for effect in two_way(frame, value="value", system="system", domain="domain").effects:
        assert (effect.ss, effect.f, effect.p) == (0, None, None)
    assert one_way(frame, value="value", system="system").effects[0].f is None


def test_equal_values_have_no_t() -> None:
    for found in (independent_t([0.3] * 10, [0.3] * 3), independent_t([0.1] * 7, [0.1] * 49, equal_variances=True)):
        assert (found.t, found.p) == (None, None)


def test_equal_differences_have_no_t() -> None:
    """.3 - .2, .2 - .1 and .7 - .6 are one difference in three roundings; nothing varies."""
    found = paired_t([0.3, 0.2, 0.7], [0.2, 0.1, 0.6])
    assert (found.t, found.p) == (None, None)
    assert found.difference == pytest.approx(0.1)
    assert paired_t([0.1 + 0.2, 0.5], [0.3, 0.5]).difference == 0


def test_a_tie_in_another_rounding_is_a_tie() -> None:
    """.1 + .2 is .30000000000000004: the same rank as .3, and no order among systems that all have it."""
    assert kruskal_wallis([[0.3, 0.1 + 0.2], [0.3, 0.3]]).h is None
    assert spearman([0.3, 0.1 + 0.2, 0.5, 0.9], [1, 2, 3, 4]) == spearman([0.3, 0.3, 0.5, 0.9], [1, 2, 3, 4])


def test_small_differences_are_still_differences() -> None:
    """A millionth of the values is far above rounding."""
    found = paired_t([1.000001, 2.000003, 3.000001], [1.0, 2.0, 3.0])
    assert found.p is not None
