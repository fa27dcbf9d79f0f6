"""Cleaning of response times."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import InputError
from referee.statistics.outliers import drop_timeouts, replace_outliers


def test_times_outside_two_standard_deviations_become_the_overall_mean() -> None:
    # mean 19, sample SD sqrt(9·81 + 729 over 9) = 28.46: only 100 lies outside [-37.9, 75.9]
    times = [10.0] * 9 + [100.0]
    found = replace_outliers(times)
    assert found.touched == 1
    assert found.values.tolist() == [10.0] * 9 + [19.0]
    assert found.high == pytest.approx(19 + 2 * (8100 * 0.9 / 9) ** 0.5)


def test_replacement_shrinks_the_spread_which_is_why_it_is_an_option() -> None:
    times = np.random.default_rng(1).lognormal(7, 0.5, 500)
    found = replace_outliers(times)
    assert 0 < found.touched < 50
    assert found.values.std() < times.std()
    assert found.values is not times


def test_missing_times_stay_missing_and_are_not_counted() -> None:
    found = replace_outliers([1.0, None, 2.0, 3.0])
    assert np.isnan(found.values[1])
    assert (found.n, found.touched) == (3, 0)
    assert replace_outliers([5.0]).low is None


def test_time_outs_become_missing() -> None:
    found = drop_timeouts([1_000, 15_000, 14_999.9, None])
    assert np.isnan(found.values).tolist() == [False, True, False, True]
    assert (found.touched, found.n) == (1, 3)


def test_no_width_is_refused() -> None:
    with pytest.raises(InputError, match="'sds' is 0"):
        replace_outliers([1, 2, 3], sds=0)
