"""t-tests, equivalence and corrections against scipy, pingouin, statsmodels and hand calculation."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from referee.errors import InputError
from referee.statistics.comparisons import (
    Comparison,
    adjust,
    compare_systems,
    equivalence,
    independent_t,
    independent_t_from_summaries,
    paired_t,
    paired_t_from_summaries,
)

A = [0.61, 0.70, 0.55, 0.82, 0.91, 0.40, 0.77]
B = [0.58, 0.61, 0.57, 0.70, 0.80, 0.42, 0.60]
LONGER = [0.30, 0.52, 0.44, 0.61, 0.73, 0.20, 0.33, 0.48, 0.90]


def test_paired_t_agrees_with_scipy() -> None:
    ours, theirs = paired_t(A, B), stats.ttest_rel(A, B)
    assert (ours.t, ours.p, ours.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df), rel=1e-10)
    low, high = theirs.confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-10)


def test_d_of_pairs_is_the_mean_difference_in_standard_deviations_of_differences() -> None:
    gaps = np.subtract(A, B)
    assert paired_t(A, B).d == pytest.approx(gaps.mean() / gaps.std(ddof=1), rel=1e-12)


@pytest.mark.parametrize("equal", [True, False])
def test_independent_t_agrees_with_scipy(equal: bool) -> None:
    ours = independent_t(A, LONGER, equal_variances=equal)
    theirs = stats.ttest_ind(A, LONGER, equal_var=equal)
    assert (ours.t, ours.p, ours.df) == pytest.approx((theirs.statistic, theirs.pvalue, theirs.df), rel=1e-10)
    low, high = theirs.confidence_interval()
    assert (ours.low, ours.high) == pytest.approx((low, high), rel=1e-10)


def test_d_of_groups_agrees_with_pingouin() -> None:
    import pingouin as pg

    assert independent_t(A, LONGER).d == pytest.approx(pg.compute_effsize(A, LONGER, eftype="cohen"), rel=1e-10)


def test_summaries_give_what_the_values_give() -> None:
    summaries = [(float(np.mean(v)), float(np.std(v, ddof=1)), len(v)) for v in (A, LONGER)]
    again = independent_t_from_summaries(*summaries)
    assert (again.t, again.d, again.p) == pytest.approx(_three(independent_t(A, LONGER)), rel=1e-10)
    gaps = np.subtract(A, B)
    pairs = paired_t_from_summaries(float(gaps.mean()), float(gaps.std(ddof=1)), len(gaps))
    assert (pairs.t, pairs.d, pairs.p) == pytest.approx(_three(paired_t(A, B)), rel=1e-10)


def _three(found: Comparison) -> tuple[float | None, float | None, float | None]:
    return found.t, found.d, found.p


def test_the_interval_of_d_inverts_the_noncentral_t() -> None:
    found = independent_t(A, LONGER, equal_variances=True)
    per_d = (1 / 7 + 1 / 9) ** 0.5
    for bound, level in ((found.d_low, 0.975), (found.d_high, 0.025)):
        assert bound is not None
        assert stats.nct.cdf(found.t, 14, bound / per_d) == pytest.approx(level, abs=1e-4)


def test_missing_values_take_their_partner_with_them() -> None:
    assert paired_t([*A, None, 0.3], [*B, 0.4, float("nan")]) == paired_t(A, B)
    assert independent_t([*A, None], LONGER).n_a == 7


def test_a_difference_without_spread_has_no_t() -> None:
    found = paired_t([1, 2, 3], [0, 1, 2])
    assert (found.difference, found.t, found.p, found.d, found.n_a) == (1.0, None, None, None, 3)
    assert independent_t([1, 1], [2, 2]).t is None
    assert paired_t([0.1, 0.2, 0.3], [0.0, 0.1, 0.2]).p is None


def test_too_few_values_give_a_difference_at_most() -> None:
    assert paired_t([], []).difference is None
    assert paired_t([3.0], [1.0]).difference == 2.0
    assert independent_t([3.0], [1.0, 2.0]).p is None
    with pytest.raises(InputError, match="x has 1 values and y has 2"):
        paired_t([1.0], [1.0, 2.0])


@pytest.mark.parametrize("paired", [True, False])
def test_equivalence_agrees_with_pingouin(paired: bool) -> None:
    import pingouin as pg

    theirs = pg.tost(A, B, bound=0.15, paired=paired)
    ours = equivalence(A, B, margin=0.15, paired=paired, equal_variances=True)
    assert ours.p == pytest.approx(float(theirs["pval"].iloc[0]), rel=1e-6)


def test_two_systems_are_equivalent_exactly_when_the_inner_interval_lies_within_the_margin() -> None:
    for margin in (0.05, 0.1, 0.12, 0.15, 0.2):
        found = equivalence(A, B, margin=margin)
        assert found.low is not None
        assert found.high is not None
        assert found.equivalent == (-margin < found.low and found.high < margin)


def test_no_margin_is_refused_and_no_spread_gives_no_verdict() -> None:
    with pytest.raises(InputError, match="must be above 0"):
        equivalence(A, B, margin=0)
    assert equivalence([1, 2, 3], [1, 2, 3], margin=1).equivalent is None


def test_holm_and_benjamini_hochberg_by_hand() -> None:
    # Holm: 3·.01, then max with 2·.03, then with 1·.04; BH: .01·3/1, min(.03·3/2, .04·3/3) = .04
    assert adjust([0.04, 0.01, 0.03]) == pytest.approx([0.06, 0.03, 0.06])
    assert adjust([0.04, 0.01, 0.03], "bh") == pytest.approx([0.04, 0.03, 0.04])
    assert adjust([0.04, 0.01, 0.03], "bonferroni") == pytest.approx([0.12, 0.03, 0.09])


@pytest.mark.parametrize(
    ("ours", "theirs"), [("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by"), ("bonferroni", "bonferroni")]
)
def test_corrections_agree_with_statsmodels(ours: str, theirs: str) -> None:
    from statsmodels.stats.multitest import multipletests

    p = np.random.default_rng(6).beta(0.3, 1, 40)
    assert adjust(p.tolist(), ours) == pytest.approx(multipletests(p, method=theirs)[1].tolist(), rel=1e-12)


def test_a_test_without_p_is_no_member_of_the_family() -> None:
    assert adjust([None, 0.02, None]) == [None, pytest.approx(0.02), None]
    assert adjust([]) == []
    with pytest.raises(InputError, match="tukey"):
        adjust([0.1], "tukey")


def test_compare_systems_pairs_by_item_and_corrects_for_the_number_of_pairs() -> None:
    rng = np.random.default_rng(2)
    items = [f"i{i}" for i in range(12)]
    rows = [(s, i, rng.normal(shift)) for s, shift in (("x", 0), ("y", 1), ("z", 1.1)) for i in items]
    frame = pl.DataFrame(rows, schema=["system", "item", "value"], orient="row").sample(
        fraction=1, shuffle=True, seed=4
    )
    table = compare_systems(frame, value="value", system="system", item="item").sort("system_a", "system_b")
    assert table.height == 3
    columns = {s: frame.filter(pl.col("system") == s).sort("item")["value"].to_numpy() for s in "xyz"}
    for row in table.iter_rows(named=True):
        theirs = stats.ttest_rel(columns[row["system_a"]], columns[row["system_b"]])
        assert (row["t"], row["p"]) == pytest.approx((theirs.statistic, theirs.pvalue), rel=1e-9)
    assert table["p_corrected"].to_list() == pytest.approx(adjust(table["p"].to_list()))
    assert table["n"].to_list() == [12, 12, 12]


def test_compare_systems_uses_only_items_that_both_have() -> None:
    frame = pl.DataFrame(
        {"s": ["a"] * 4 + ["b"] * 3, "i": [1, 2, 3, 4, 2, 3, 4], "v": [9.0, 1.0, 2.0, 4.0, 2.0, 4.0, 5.0]}
    )
    row = compare_systems(frame, value="v", system="s", item="i").row(0, named=True)
    assert row["n"] == 3
    assert abs(row["difference"]) == pytest.approx(4 / 3)
    with pytest.raises(InputError, match="fewer than two systems"):
        compare_systems(frame.filter(pl.col("s") == "a"), value="v", system="s", item="i")


def test_a_very_large_t_has_an_effect_size_with_bounds() -> None:
    """|t| of about 1e6: beside it only chi-square matters, so the bounds of d are d sqrt(chi²(df) / df) (scipy's quantiles), whichever sign."""
    rng = np.random.default_rng(1)
    noise = rng.normal(size=(2, 12)) * 1e-6
    for sign in (1, -1):
        comparison = independent_t(sign * 1.0 + noise[0], noise[1], equal_variances=True)
        assert comparison.t is not None
        assert abs(comparison.t) > 1e5
        bounds = sorted(comparison.d * np.sqrt(stats.chi2.ppf([0.025, 0.975], 22) / 22))
        assert (comparison.d_low, comparison.d_high) == pytest.approx(bounds)
