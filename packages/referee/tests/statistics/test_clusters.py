"""Clustered intervals and permutation tests."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from referee.errors import InputError
from referee.statistics.clusters import cluster_bootstrap, cluster_differences, permutation_test


def responses(participant_sd: float, item_sd: float, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    people, items = rng.normal(0, participant_sd, 20), rng.normal(0, item_sd, 30)
    rows = [
        (f"p{p}", f"i{i}", "ab"[(p + i) % 2], people[p] + items[i] + 0.5 * ((p + i) % 2) + rng.normal())
        for p in range(20)
        for i in range(30)
    ]
    return pl.DataFrame(rows, schema=["participant", "item", "system", "value"], orient="row")


def width(frame: pl.DataFrame, by: tuple[str, ...]) -> float:
    row = cluster_bootstrap(frame, value="value", system="system", by=by, seed=2).row(0, named=True)
    return float(row["high"] - row["low"])


def test_clustering_by_one_column_gives_the_standard_error_of_cluster_means() -> None:
    rng = np.random.default_rng(4)
    effects = rng.normal(0, 1, 40)
    rows = [("x", f"p{p}", effects[p]) for p in range(40) for _ in range(5)]
    frame = pl.DataFrame(rows, schema=["system", "participant", "value"], orient="row")
    row = cluster_bootstrap(frame, value="value", system="system", by=["participant"], resamples=4000).row(
        0, named=True
    )
    error = effects.std() / 40**0.5
    assert row["mean"] == pytest.approx(effects.mean())
    assert (row["high"] - row["low"]) / (2 * 1.96 * error) == pytest.approx(1, abs=0.05)
    assert (row["n"], row["n_participant"]) == (200, 40)


def test_intervals_widen_when_answers_of_a_person_or_to_an_item_resemble_each_other() -> None:
    assert width(responses(1.0, 0.0), ("participant", "item")) > 1.4 * width(
        responses(0.0, 0.0), ("participant", "item")
    )
    frame = responses(0.7, 0.7)
    assert width(frame, ("participant", "item")) > max(width(frame, ("participant",)), width(frame, ("item",)))


def test_the_two_way_interval_has_the_width_of_the_two_way_variance() -> None:
    """Random effects s, t over P people and I items: variance s²/P + t²/I, here 1/20 + 0.25/30 and a little noise."""
    frame = responses(1.0, 0.5, seed=3)
    means = {by: frame.group_by(by).agg(pl.col("value").mean())["value"].to_numpy() for by in ("participant", "item")}
    error = sum(m.var() / len(m) for m in means.values()) ** 0.5
    everyone = frame.with_columns(pl.lit("all").alias("system"))
    row = cluster_bootstrap(everyone, value="value", system="system", resamples=4000).row(0, named=True)
    assert (row["high"] - row["low"]) / (2 * 1.96 * error) == pytest.approx(1, abs=0.1)


def test_a_difference_between_systems_leaves_people_and_items_out() -> None:
    """Only the noise of 300 answers a system is left: a standard error of sqrt(2/300) = .082, however people differ."""
    row = cluster_differences(responses(3.0, 2.0, seed=5), value="value", system="system").row(0, named=True)
    assert row["difference"] == pytest.approx(-0.5, abs=0.25)
    assert row["error"] == pytest.approx((2 / 300) ** 0.5, rel=0.25)
    assert row["p"] < 0.001
    assert (row["n_a"], row["n_b"]) == (300, 300)


def test_a_difference_that_varies_from_person_to_person_is_less_sure() -> None:
    """Tastes of spread 1 over 20 people: the variance of the mean difference is 1/20 + 2/300."""
    frame = responses(0.0, 0.0, seed=7)
    drawn = np.random.default_rng(1).normal(0, 1, 20)
    tastes = dict(zip([f"p{i}" for i in range(20)], drawn / drawn.std(ddof=1), strict=True))
    shift = pl.Series([tastes[p] * (s == "a") for p, s in frame.select("participant", "system").iter_rows()])
    row = cluster_differences(frame.with_columns(pl.col("value") + shift), value="value", system="system").row(
        0, named=True
    )
    assert row["error"] == pytest.approx((1 / 20 + 2 / 300) ** 0.5, rel=0.3)


def test_a_hard_item_does_not_count_against_the_system_that_got_it() -> None:
    frame = responses(0.5, 3.0, seed=8)
    hardest = frame.group_by("item").agg(pl.col("value").mean()).sort("value")["item"][-1]
    unlucky = frame.filter((pl.col("item") != hardest) | (pl.col("system") == "a"))
    fair = cluster_differences(frame, value="value", system="system")["difference"][0]
    assert cluster_differences(unlucky, value="value", system="system")["difference"][0] == pytest.approx(
        fair, abs=0.05
    )


def test_adjusted_differences_are_those_of_least_squares() -> None:
    import statsmodels.formula.api as smf

    frame = responses(1.0, 1.0, seed=9).sample(400, seed=1)
    data = {c: frame[c].to_list() for c in frame.columns}
    fit = smf.ols("value ~ C(system) + C(participant) + C(item)", data).fit()
    found = cluster_differences(frame, value="value", system="system")["difference"][0]
    assert found == pytest.approx(-float(fit.params["C(system)[T.b]"]), abs=1e-7)


def test_p_of_a_difference_that_is_not_there_is_large() -> None:
    frame = responses(1.0, 1.0, seed=6).with_columns((pl.col("value") - 0.5 * (pl.col("system") == "b")).alias("value"))
    assert cluster_differences(frame, value="value", system="system").row(0, named=True)["p"] > 0.05


def test_a_single_cluster_gives_no_error() -> None:
    frame = responses(0.0, 0.0).filter(pl.col("participant") == "p1")
    assert cluster_differences(frame, value="value", system="system")["error"].to_list() == [None]


def test_no_rows_and_three_kinds_of_cluster_are_refused() -> None:
    frame = responses(0, 0)
    with pytest.raises(InputError, match="no row without missing values"):
        cluster_bootstrap(frame.clear(), value="value", system="system")
    with pytest.raises(InputError, match="3 columns"):
        cluster_bootstrap(frame, value="value", system="system", by=["participant", "item", "system"])


def test_the_exact_permutation_test_agrees_with_scipy() -> None:
    gaps = [0.3, -0.1, 0.4, 0.25, 0.05, -0.02, 0.6, 0.1]
    theirs = stats.permutation_test((gaps,), np.mean, permutation_type="samples", n_resamples=np.inf)
    ours = permutation_test(gaps)
    assert ours.exact
    assert ours.p == pytest.approx(theirs.pvalue, abs=1e-12)


def test_three_equal_differences_have_the_smallest_p_three_signs_allow() -> None:
    assert permutation_test([1.0, 1.0, 1.0]).p == 2 / 8


def test_signs_flip_together_within_a_cluster() -> None:
    gaps = [1.0] * 30
    assert permutation_test(gaps, clusters=["x"] * 15 + ["y"] * 15).p == 1 / 2
    free = permutation_test(gaps, resamples=999)
    assert (free.p, free.exact) == (1 / 1000, False)


def test_a_random_permutation_test_comes_near_the_exact_one() -> None:
    gaps = np.random.default_rng(9).normal(0.4, 1, 20)
    theirs = stats.permutation_test((gaps,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1)
    assert permutation_test(gaps, resamples=20_000).p == pytest.approx(theirs.pvalue, abs=0.012)


def test_no_differences_have_no_p_and_gaps_are_left_out() -> None:
    assert permutation_test([]).p is None
    assert permutation_test([None, 1.0, 2.0]).n == 2
    with pytest.raises(InputError, match="1 cluster labels for 2"):
        permutation_test([1.0, 2.0], clusters=["a"])
