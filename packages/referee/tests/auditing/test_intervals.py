"""How far a result can move: against closed forms, and against random points of the box."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.auditing.checks.correlations import _correlate
from referee.auditing.intervals import MARGIN, find_extremes


def test_a_sum_moves_by_the_sum_of_its_roundings() -> None:
    low, high = find_extremes(lambda p: p.sum(axis=1), np.array([1.0, 2.0]), np.array([0.1, 0.2]))
    assert (low, high) == pytest.approx((3 - 0.3 * (1 + MARGIN), 3 + 0.3 * (1 + MARGIN)))


def test_a_square_has_its_minimum_inside_the_box() -> None:
    low, high = find_extremes(lambda p: p[:, 0] ** 2, np.array([0.05]), np.array([0.2]), starts=4)
    assert low == pytest.approx(0.0, abs=1e-3)
    assert high == pytest.approx(0.0625, rel=0.05)


def test_exact_inputs_leave_no_room() -> None:
    assert find_extremes(lambda p: p[:, 0] / 3, np.array([1.0]), np.array([0.0])) == (1 / 3, 1 / 3)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10_000), n=st.integers(3, 16), half=st.sampled_from([0.5, 0.05, 0.005]))
def test_no_rounding_leads_out_of_the_interval_by_more_than_a_thousandth(seed: int, n: int, half: float) -> None:
    rng = np.random.default_rng(seed)
    middle = rng.normal(size=2 * n) * rng.choice([0.3, 1.0, 5.0])
    compute = _correlate(n, 1, 1)
    low, high = find_extremes(compute, middle, np.full(2 * n, half), starts=4)
    inside = compute(middle + rng.uniform(-half, half, size=(500, 2 * n)))
    corners = compute(middle + rng.choice([-half, half], size=(500, 2 * n)))
    slack = 1e-3 * (high - low)
    assert low - slack <= min(inside.min(), corners.min())
    assert high + slack >= max(inside.max(), corners.max())
