"""Kruskal-Wallis against scipy and printed chi-squares."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from referee.errors import InputError
from referee.statistics.ranks import kruskal_wallis, kruskal_wallis_binary, kruskal_wallis_frame

GROUPS = [[1.0, 2.0, 2.0, 5.0], [2.0, 3.0, 7.0], [4.0, 4.0, 8.0, 9.0, 9.0]]


def test_ties_are_corrected_as_in_scipy() -> None:
    theirs = stats.kruskal(*GROUPS)
    ours = kruskal_wallis(GROUPS)
    assert (ours.h, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-12)
    assert (ours.df, ours.n) == (2, 12)
    assert ours.epsilon2 == pytest.approx(theirs.statistic / 11)


def test_a_tidy_frame_gives_the_same() -> None:
    frame = pl.DataFrame(
        {"system": [s for s, g in zip("abc", GROUPS, strict=True) for _ in g], "value": [v for g in GROUPS for v in g]}
    )
    assert kruskal_wallis_frame(frame, value="value", system="system") == kruskal_wallis(GROUPS)


def test_the_closed_form_for_zeros_and_ones_is_the_ranked_one() -> None:
    rng = np.random.default_rng(3)
    groups = [rng.integers(0, 2, size=n).astype(float) for n in (11, 20, 17)]
    closed = kruskal_wallis_binary([g.mean() for g in groups], [len(g) for g in groups])
    ranked = kruskal_wallis(groups)
    assert closed.h == pytest.approx(ranked.h, rel=1e-12)
    assert closed.h == pytest.approx(stats.kruskal(*groups).statistic, rel=1e-12)


def test_for_zeros_and_ones_h_is_nearly_pearsons_chi_square() -> None:
    table = np.array([[10, 30], [18, 22], [25, 15]])
    chi2 = stats.chi2_contingency(table).statistic
    found = kruskal_wallis_binary((table[:, 0] / 40).tolist(), 40)
    assert found.h == pytest.approx(chi2 * 119 / 120, rel=1e-12)
    assert found.epsilon2 == pytest.approx(chi2 / 120, rel=1e-12)


def test_error_rates_of_2008_give_the_printed_chi_square() -> None:
    """Gatt, Belz & Kow 2008, Table 11 (error rates in per cent, both domains) and text: chi-square 35.45, p < .001."""
    rates = [9.322, 12.712, 10.833, 9.244, 10.084, 5.0, 5.0, 10.833, 10.0, 6.780, 4.167, 22.5]
    found = kruskal_wallis_binary([r / 100 for r in rates], 120)
    assert found.h == pytest.approx(35.45, abs=0.06)
    assert found.p is not None
    assert found.p < 0.001


def test_the_interval_inverts_the_noncentral_chi_square() -> None:
    found = kruskal_wallis_binary([0.05, 0.1, 0.3], 100)
    assert found.low is not None
    assert found.high is not None
    for bound, level in ((found.low, 0.95), (found.high, 0.05)):
        assert stats.ncx2.cdf(found.h, 2, bound * 299) == pytest.approx(level, abs=1e-3)


def test_values_that_are_all_the_same_have_no_test() -> None:
    for found in (kruskal_wallis([[1, 1], [1, 1, 1]]), kruskal_wallis_binary([0.0, 0.0], [2, 3])):
        assert (found.h, found.p, found.epsilon2, found.n) == (None, None, None, 5)


def test_missing_values_are_left_out() -> None:
    assert kruskal_wallis([[*GROUPS[0], None], [*GROUPS[1], float("nan")], GROUPS[2]]) == kruskal_wallis(GROUPS)


def test_one_group_an_empty_group_and_percentages_are_refused() -> None:
    with pytest.raises(InputError, match="at least two"):
        kruskal_wallis([[1, 2, 3]])
    with pytest.raises(InputError, match="no values"):
        kruskal_wallis([[1, 2, 3], []])
    with pytest.raises(InputError, match="divide percentages"):
        kruskal_wallis_binary([5.0, 10.0], 120)
