"""Correlations against printed tables, scipy and hand calculation."""

from __future__ import annotations

from math import nan
from pathlib import Path

import polars as pl
import pytest
from scipy import stats

from referee.errors import InputError
from referee.statistics.correlation import correlation_table, critical_r, leave_one_out, pearson, spearman, stars

X = [2.0, 4.0, 4.5, 7.0, 8.0, 8.0, 11.0]
Y = [1.0, 3.0, 2.0, 5.0, 9.0, 4.0, 8.0]

# Belz & Gatt 2008, Table 1: identification time and Dice of fifteen systems, IS-FBS last
IDENTIFICATION_MS = [
    1952.39, 1877.95, 1978.24, 1809.04, 1859.25, 2053.33, 1899.59, 2188.92, 1973.19, 1960.31, 1817.30, 1766.35, 1814.93,
    1866.94, 2181.88,
]  # fmt: skip
DICE = [0.620, 0.630, 0.725, 0.721, 0.750, 0.689, 0.671, 0.770, 0.746, 0.625, 0.660, 0.645, 0.669, 0.655, 0.368]


def test_pearson_agrees_with_scipy() -> None:
    ours, theirs = pearson(X, Y), stats.pearsonr(X, Y)
    assert ours.r == pytest.approx(theirs.statistic, abs=1e-14)
    assert ours.p == pytest.approx(theirs.pvalue, rel=1e-10)
    low, high = theirs.confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-10)
    assert ours.n == 7


def test_spearman_agrees_with_scipy_when_values_tie() -> None:
    x, y = [*X, 3, 5, 5], [*Y, 2, 9, 4]
    ours, theirs = spearman(x, y), stats.spearmanr(x, y)
    assert (ours.r, ours.p) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-10)


def test_few_ranks_have_an_exact_p_and_a_perfect_rho_no_interval() -> None:
    """Of the six orders of three values, two agree or disagree perfectly: p = 2/6."""
    found = spearman([1, 2, 3], [1, 3, 5])
    assert (found.r, found.p) == pytest.approx((1.0, 1 / 3))
    assert (found.stars, found.low, found.high) == ("", None, None)
    four = spearman([1, 2, 3, 4], [1, 2, 4, 3])
    assert four.p == pytest.approx(8 / 24), "8 of the 24 orders of four reach |rho| of .8 (counted by hand)"


@pytest.mark.parametrize(
    ("n", "five", "one"),
    # standard table of critical values of r, two-sided
    [(15, 0.514, 0.641), (14, 0.532, 0.661), (12, 0.576, 0.708), (6, 0.811, 0.917), (5, 0.878, 0.959)],
)
def test_critical_r_is_the_textbook_value(n: int, five: float, one: float) -> None:
    assert (critical_r(n, 0.05), critical_r(n, 0.01)) == pytest.approx((five, one), abs=0.0005)


def test_a_coefficient_at_the_critical_value_has_p_of_five_per_cent() -> None:
    r = critical_r(7)
    assert r is not None
    x = [1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    z = [0.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0]
    y = [r * a + (1 - r * r) ** 0.5 * b for a, b in zip(x, z, strict=True)]
    assert pearson(x, y).p == pytest.approx(0.05, abs=1e-9)


def test_stars_are_two_up_to_one_per_cent_and_one_up_to_five() -> None:
    assert [stars(p) for p in (0.01, 0.0101, 0.05, 0.0501, None)] == ["**", "*", "*", "", ""]


def test_a_constant_column_has_no_correlation_rather_than_zero() -> None:
    found = pearson([0.1, 0.1, 0.1, 0.1], [1, 2, 3, 4])
    assert (found.r, found.p, found.n, found.stars) == (None, None, 4, "")
    assert pearson([1e9 + 1e-7, 1e9, 1e9], [1, 2, 4]).r is None


def test_pairs_with_a_missing_member_are_left_out() -> None:
    assert pearson([*X, None, 3.0, nan], [*Y, 1.0, None, 2.0]) == pearson(X, Y)


def test_too_few_pairs_give_no_p_and_no_pairs_give_nothing() -> None:
    assert pearson([], []).r is None
    assert pearson([], []).n == 0
    two = pearson([1, 2], [5, 3])
    assert two.r == pytest.approx(-1.0)
    assert (two.n, two.p, two.low) == (2, None, None)


def test_perfect_correlation_has_p_zero_and_a_point_for_an_interval() -> None:
    found = pearson([1, 2, 3, 4], [2, 4, 6, 8])
    assert found.r == pytest.approx(1.0)
    assert found.p == pytest.approx(0.0, abs=1e-12)


def test_infinite_values_columns_of_different_length_and_words_are_refused() -> None:
    with pytest.raises(InputError, match="infinite"):
        pearson([1, 2, float("inf")], [1, 2, 3])
    with pytest.raises(InputError, match="3 numbers and y has 2"):
        pearson([1, 2, 3], [1, 2])
    with pytest.raises(InputError, match="not all numbers"):
        pearson(["a", "b"], [1, 2])  # type: ignore[list-item]


def test_one_system_turns_the_sign_of_time_and_dice() -> None:
    """Belz & Gatt 2008: r = -.28 over all fifteen systems, +.42 without IS-FBS (recomputed from Table 1)."""
    assert pearson(IDENTIFICATION_MS, DICE).r == pytest.approx(-0.28, abs=0.005)
    moved = leave_one_out(IDENTIFICATION_MS, DICE)
    assert moved.high == pytest.approx(0.42, abs=0.005)
    assert moved.without_for_high == 14
    assert moved.n == 15


def test_leave_one_out_counts_positions_of_the_columns_as_given() -> None:
    moved = leave_one_out([None, *IDENTIFICATION_MS], [0.5, *DICE])
    assert (moved.without_for_high, moved.n) == (15, 15)
    assert leave_one_out([1.0], [2.0]).low is None


def test_correlation_table_is_tidy_and_says_n() -> None:
    frame = pl.DataFrame({"a": X, "b": Y, "c": [1.0] * 7})
    table = correlation_table(frame, ["a", "b", "c"], method="spearman")
    assert table.columns[:5] == ["measure_a", "measure_b", "r", "n", "p"]
    assert table["r"].to_list() == [pytest.approx(stats.spearmanr(X, Y).statistic), None, None]
    assert table["n"].to_list() == [7, 7, 7]
    with pytest.raises(InputError, match="no column d"):
        correlation_table(frame, ["a", "d"])
    with pytest.raises(InputError, match="kendall"):
        correlation_table(frame, ["a", "b"], method="kendall")


@pytest.mark.data
def test_every_pair_of_belz_and_gatt_2008_table_2_follows_from_table_1(data_folder: Path) -> None:
    """All 66 pairs: within rounding of the inputs (0.008), and the same stars."""
    scores = pl.read_csv(data_folder.parent / "published" / "belz_gatt_2008_table1.csv")
    printed = pl.read_csv(data_folder.parent / "published" / "belz_gatt_2008_table2.csv")
    measures = printed["measure_a"].unique(maintain_order=True).to_list()
    table = correlation_table(scores.filter(pl.col("system") != "*IS-FBS"), measures)
    both = table.join(printed, on=["measure_a", "measure_b"], suffix="_printed")
    assert both.height == 66
    for row in both.iter_rows(named=True):
        assert row["r"] == pytest.approx(row["r_printed"], abs=0.008), row
        assert len(row["stars"]) == row["stars_printed"], row
