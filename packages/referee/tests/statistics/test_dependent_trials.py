"""Intervals and tests that respect clusters, against hand calculations, scipy, statsmodels and brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from referee.contracts import FloatArray
from referee.metrics.bleu import Bleu
from referee.metrics.sets import Dice
from referee.statistics import dependent_trials
from referee.statistics.dependent_trials import (
    Clusters,
    Sample,
    compare_clustered,
    has_few_carriers,
    make_interval,
    spread,
)

FINISH = Dice().finish
UNIT = (0.0, 1.0)


def one_factor(sizes: list[int]) -> Clusters:
    return Clusters(("scene",), (np.repeat(np.arange(len(sizes)), sizes),))


def test_equal_clusters_give_the_t_interval_of_their_means():
    """With clusters of one size that are not skewed the jackknife is the one-sample t interval over cluster means (scipy.stats.t.interval)."""
    half = np.random.default_rng(5).normal(size=(4, 4))
    rows = np.vstack([half, np.zeros((1, 4)), -half]).reshape(-1, 1) + 0.3
    means = rows.reshape(9, 4).mean(axis=1)
    low, high = stats.t.interval(0.95, 8, means.mean(), stats.sem(means))
    found = spread(rows, FINISH, one_factor([4] * 9))
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)
    assert found.df == 8
    assert found.sizes == (9,)


def test_unequal_clusters_by_hand():
    """Clusters {1, 2}, {6}, {3, 3, 3}: mean 3; without each 3.75, 2.4, 3; CR2 is 4/6 · .75² + 5/6 · .6² = .675."""
    rows = np.array([[1.0], [2.0], [6.0], [3.0], [3.0], [3.0]])
    clusters = one_factor([2, 1, 3])
    interval = spread(rows, FINISH, clusters)
    assert interval.value == pytest.approx(3)
    assert interval.error**2 == pytest.approx(0.675)
    assert interval.df == pytest.approx(cr2_by_matrices(rows[:, 0], clusters.codes[0])[1])
    assert interval.high == pytest.approx(3 + stats.t.ppf(0.975, interval.df) * interval.error)


def cr2_by_matrices(values: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """CR2 variance and Satterthwaite's degrees of freedom of a mean, by the matrices of Pustejovsky & Tipton (2018, equations 6 and 11)."""
    n = len(values)
    hat = np.full((n, n), 1 / n)
    rest = np.eye(n) - hat
    residuals, variance, columns = rest @ values, 0.0, []
    for code in np.unique(codes):
        inside = codes == code
        roots, vectors = np.linalg.eigh(rest[np.ix_(inside, inside)])
        adjusted = vectors @ np.diag(roots**-0.5) @ vectors.T @ np.ones(inside.sum()) / n
        variance += float(adjusted @ residuals[inside]) ** 2
        columns.append(rest[:, inside] @ adjusted)
    products = np.array(columns) @ np.array(columns).T
    return variance, float(np.trace(products) ** 2 / (products**2).sum())


def test_unequal_clusters_have_cr2_and_its_degrees_of_freedom():
    rng = np.random.default_rng(12)
    for sizes in ([40, 3, 3, 5, 2, 8, 1], [2, 9], [7] * 6, list(rng.integers(1, 30, 15))):
        clusters = one_factor([int(n) for n in sizes])
        rows = rng.normal(size=(len(clusters.codes[0]), 1)) + rng.normal(size=len(sizes))[clusters.codes[0]][:, None]
        variance, df = cr2_by_matrices(rows[:, 0], clusters.codes[0])
        interval = spread(rows, FINISH, clusters)
        assert interval.error**2 == pytest.approx(variance)
        assert interval.df == pytest.approx(df)
        gap = compare_clustered(rows, np.zeros_like(rows), FINISH, clusters)
        assert gap is not None
        assert gap.p_t == pytest.approx(2 * stats.t.sf(abs(rows.mean()) / variance**0.5, df))


def test_items_that_differ_inside_equal_clusters_have_an_interval():
    """Clusters {0, 8}: their means agree. Independent items have s² / n = 17.45 / 12; at least its 5 % point of chi² with 5 df counts."""
    rows = np.array([[0.0], [8.0]] * 6)
    interval = spread(rows, FINISH, one_factor([2] * 6))
    assert interval.value == 4
    assert interval.error**2 == pytest.approx(rows.var(ddof=1) / 12 * stats.chi2.ppf(0.05, 5) / 5)
    assert interval.low < 4 < interval.high


def test_fewer_than_six_clusters_have_an_interval_and_no_p():
    rng = np.random.default_rng(3)
    for clusters, has_p in ((5, False), (6, True)):
        rows = rng.normal(size=(4 * clusters, 1)) + 9
        gap = compare_clustered(rows, rows * 0, FINISH, one_factor([4] * clusters))
        assert gap is not None
        assert gap.low < gap.difference < gap.high
        assert np.isnan(gap.p) != has_p


def test_type_i_error_with_unequal_clusters():
    """One cluster with half of all trials, 8 clusters, a fifth of the variance between them: t with 7 degrees of freedom rejects in .08 of samples."""
    rng = np.random.default_rng(1)
    clusters = one_factor([70] + [10] * 7)
    codes = clusters.codes[0]
    rejections = 0
    for _ in range(1000):
        a, b = (np.sqrt(0.2) * rng.normal(size=8)[codes] + np.sqrt(0.8) * rng.normal(size=140) for _ in range(2))
        gap = compare_clustered(a[:, None], b[:, None], FINISH, clusters, resamples=0)
        rejections += gap is not None and gap.p <= 0.05
    assert 0.03 <= rejections / 1000 <= 0.07


def test_single_trials_give_the_ordinary_t_interval():
    half = np.random.default_rng(2).normal(size=(12, 1))
    rows = np.vstack([half, -half])
    low, high = stats.t.interval(0.9, 23, rows.mean(), stats.sem(rows[:, 0]))
    found = spread(rows, FINISH, Clusters(), confidence=0.9)
    assert (found.low, found.high) == pytest.approx((low, high), rel=1e-9)


def test_two_factors_are_both_variances_less_the_cells():
    """Cameron, Gelbach & Miller (2011), each part by brute force: values recomputed without every scene, speaker and cell."""
    rng = np.random.default_rng(8)
    scenes, speakers = (x.ravel() for x in np.meshgrid(np.arange(5), np.arange(7), indexing="ij"))
    rows = (rng.normal(size=5)[scenes] + rng.normal(size=7)[speakers] + rng.normal(size=35))[:, None]
    cells = scenes * 7 + speakers

    def part(codes: np.ndarray) -> float:
        without = [rows[codes != c].mean() for c in np.unique(codes)]
        return float(((1 - 1 / len(without)) * (np.array(without) - rows.mean()) ** 2).sum())

    found = spread(rows, FINISH, Clusters(("scene", "speaker"), (scenes, speakers)))
    assert found.error**2 == pytest.approx(part(scenes) + part(speakers) - part(cells))
    assert found.df == 4
    assert found.low == pytest.approx(found.value - stats.t.ppf(0.975, 4) * found.error)


def test_a_long_tail_lengthens_the_interval_on_its_side():
    """Hall (1983, Annals of Statistics 11: 569-576), by hand: t + s (1 + 2 t²) / 6 standard errors with s the skewness over root n (scipy's k-statistics).

    On the short side Student's interval stays.
    """
    values = np.array([0.1, 0.2, 0.2, 0.3, 0.4, 0.6, 1.1, 3.0])
    error, t = stats.sem(values), stats.t.ppf(0.975, 7)
    s = stats.kstat(values, 3) / stats.kstat(values, 2) ** 1.5 / np.sqrt(8)
    for mirror in (1, -1):
        found = spread(mirror * values[:, None], FINISH, one_factor([1] * 8))
        ends = (values.mean() - t * error, values.mean() + (t + s * (1 + 2 * t**2) / 6) * error)
        assert (found.low, found.high) == pytest.approx(sorted(mirror * end for end in ends))
    assert s > 0.8


def test_the_third_moment_of_two_factors_leaves_out_their_cells():
    """By brute force, each part with its own number of clusters: k-statistics of scipy over scenes, speakers and cells of a full design."""
    rng = np.random.default_rng(4)
    table = np.exp(rng.normal(size=(6, 1)) + rng.normal(size=(1, 8)) + rng.normal(size=(6, 8)))
    third = sum(
        sign * stats.kstat(means, 3) / len(means) ** 2
        for sign, means in ((1, table.mean(axis=1)), (1, table.mean(axis=0)), (-1, table.ravel()))
    )
    scenes, speakers = (x.ravel() for x in np.meshgrid(np.arange(6), np.arange(8), indexing="ij"))
    found = spread(table.reshape(-1, 1), FINISH, Clusters(("scene", "speaker"), (scenes, speakers)))
    assert found.high == pytest.approx(make_interval(table.mean(), found.error**2, 5, third=third)[1])
    assert found.high > found.value + 1.01 * stats.t.ppf(0.975, 5) * found.error


def test_means_of_skewed_clusters_are_covered():
    """13 log-normal clusters, 2,000 times: Student's interval covers their mean in .918 of these samples, this one in .934."""
    rng = np.random.default_rng(1)
    samples = np.exp(0.5 * rng.normal(size=(2000, 13, 1)))
    found = [spread(rows, FINISH, one_factor([1] * 13)) for rows in samples]
    true = np.exp(0.125)
    alone = np.mean([abs(f.value - true) <= stats.t.ppf(0.975, 12) * f.error for f in found])
    covered = np.mean([f.low <= true <= f.high for f in found])
    assert alone < 0.925
    assert covered > 0.93


def test_a_share_of_independent_answers_has_wilsons_interval():
    """statsmodels proportion_confint(method="wilson"): 20 of 20 gives [.839, 1], 13 of 20 [.433, .819]."""
    for right in (20, 13):
        rows = np.repeat([1.0, 0.0], [right, 20 - right])[:, None]
        found = spread(rows, FINISH, Clusters(), limits=UNIT)
        assert (found.low, found.high) == pytest.approx(proportion_confint(right, 20, method="wilson"))


def wilson(proportion: float, n: float, z: float) -> tuple[float, float]:
    """Wilson (1927), written out."""
    centre, half = proportion + z * z / (2 * n), z * np.sqrt(proportion * (1 - proportion) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), min((centre + half) / (1 + z * z / n), 1)


def test_a_clustered_proportion_counts_for_fewer_answers():
    """By hand: 4 clusters of 10, proportions 1, 1, .5, .5: the variance of .75 is 1/48 and the design effect 40 / 48 / .1875 = 4.444.

    A correlation of .2 gives 1 + .2 · 9 = 2.8, with the weight 20 · 2.8 = 56; there are 10 errors: (56 · 2.8 + 10 · 4.444) / 66 = 3.0492.
    """
    rows = np.array([1.0] * 20 + ([1.0] * 5 + [0.0] * 5) * 2)[:, None]
    interval = spread(rows, FINISH, one_factor([10] * 4), limits=UNIT)
    assert interval.error**2 == pytest.approx(1 / 48)
    bounds = wilson(0.75, 40 / ((56 * 2.8 + 10 * 4.4444444) / 66), stats.t.ppf(0.975, 3))
    assert (interval.low, interval.high) == pytest.approx(bounds)


def test_answers_that_all_agree_are_no_certainty():
    """13 scenes of 57 without a miss: a design effect of 1 + .2 · 56 = 12.2, so 60.7 answers and t(12)."""
    interval = spread(np.ones((741, 1)), FINISH, one_factor([57] * 13), limits=UNIT)
    z = stats.t.ppf(0.975, 12)
    assert interval.high == 1
    assert interval.low == pytest.approx(1 / (1 + z * z / (741 / 12.2)))


@pytest.mark.parametrize("clusters", [4, 6, 13, 60])
@pytest.mark.parametrize("order", ["at random", "by cluster", "in turn"])
def test_the_lower_limit_never_falls_when_errors_get_fewer(clusters: int, order: str):
    """780 items lose their errors one by one, from 300 to none."""
    rng = np.random.default_rng(clusters)
    layout = one_factor([780 // clusters] * clusters)
    n = len(layout.codes[0])
    items = {
        "at random": rng.permutation(n),
        "by cluster": np.arange(n),
        "in turn": np.arange(n).reshape(clusters, -1).T.ravel(),
    }[order]
    rows, limits = np.ones((n, 1)), []
    rows[items[:300]] = 0
    for item in items[299::-1]:
        limits.append(spread(rows, FINISH, layout, limits=UNIT).low)
        rows[item] = 1
    limits.append(spread(rows, FINISH, layout, limits=UNIT).low)
    assert (np.diff(limits) >= 0).all()
    assert limits[-1] > limits[0]


def test_an_interval_ends_where_the_measure_ends():
    rows = np.array([[0.9], [1.0], [1.0], [0.4]])
    found = spread(rows, FINISH, Clusters(), limits=UNIT)
    assert found.high == 1


def test_equal_values_have_no_spread_however_they_are_added_up():
    found = spread(np.full((21, 1), 0.1), FINISH, one_factor([2, 5, 14]))
    assert found.error == 0
    assert found.low == found.high == pytest.approx(0.1)
    gap = compare_clustered(np.full((21, 1), 0.1), np.full((21, 1), 0.1), FINISH, one_factor([2, 5, 14]))
    assert gap is not None
    assert gap.p == 1


def test_nothing_measured_is_no_value():
    found = spread(np.full((4, 1), np.nan), FINISH, one_factor([2, 2]))
    assert np.isnan([found.value, found.low, found.high]).all()
    assert compare_clustered(np.full((4, 1), np.nan), np.ones((4, 1)), FINISH, one_factor([2, 2])) is None


def test_one_cluster_tells_nothing_about_others():
    found = spread(np.array([[0.2], [0.4]]), FINISH, one_factor([2]))
    assert found.value == pytest.approx(0.3)
    assert np.isnan([found.error, found.low, found.high]).all()


def test_swapping_clusters_tries_every_way():
    """All 2^6 swaps of whole clusters by brute force over the trials."""
    rng = np.random.default_rng(4)
    codes = np.repeat(np.arange(6), [1, 3, 2, 4, 2, 3])
    a, b = rng.normal(0.4, 1, size=(15, 1)), rng.normal(size=(15, 1))
    observed = abs((a - b).mean())
    differences = [abs(((a - b)[:, 0] * np.array(s)[codes]).mean()) for s in product((1, -1), repeat=6)]
    expected = np.mean([d >= observed - 1e-12 for d in differences])
    gap = compare_clustered(a, b, FINISH, Clusters(("game",), (codes,)))
    assert gap is not None
    assert gap.exact
    assert gap.p_swaps == pytest.approx(expected)


def test_a_paired_t_test_where_trials_are_independent():
    """scipy.stats.ttest_rel on the same numbers."""
    rng = np.random.default_rng(6)
    a, b = rng.normal(0.3, 1, size=(30, 1)), rng.normal(size=(30, 1))
    gap = compare_clustered(a, b, FINISH, Clusters())
    assert gap is not None
    assert gap.p_t == pytest.approx(stats.ttest_rel(a[:, 0], b[:, 0]).pvalue)
    assert gap.p == gap.p_t


def test_trials_that_only_one_system_has_are_left_out_of_both():
    a, b = np.array([[1.0], [np.nan], [0.0], [1.0]]), np.array([[0.0], [1.0], [0.0], [np.nan]])
    gap = compare_clustered(a, b, FINISH, one_factor([2, 2]))
    assert gap is not None
    assert gap.n == 2
    assert gap.difference == pytest.approx(0.5)


def test_corpus_level_measures_are_aggregated_without_each_cluster():
    """BLEU without each cluster, from its own additive statistics."""
    rng = np.random.default_rng(3)
    metric = Bleu(order=1)
    width = metric.width
    rows = rng.integers(3, 9, size=(12, width)).astype(float)
    codes = np.repeat(np.arange(4), 3)
    without = [float(metric.finish(rows[codes != c].sum(axis=0), np.asarray(9.0))) for c in range(4)]
    value = float(metric.finish(rows.sum(axis=0), np.asarray(12.0)))
    found = spread(rows, metric.finish, Clusters(("scene",), (codes,)))
    assert found.error**2 == pytest.approx(3 / 4 * float(((np.array(without) - value) ** 2).sum()))


def test_a_trial_of_no_known_cluster_is_one_of_its_own():
    clusters = Clusters.of({"speaker": ["a", None, "a", None]})
    assert clusters.sizes() == (3,)


def test_a_difference_of_roundings_is_none():
    """The same scores in another order within each cluster: sums that differ in their last digit at most, although items differ."""
    rng = np.random.default_rng(1)
    rows = rng.random((60, 1))
    other = np.concatenate([part[::-1] for part in rows.reshape(12, 5, 1)])
    gap = compare_clustered(rows, other, FINISH, one_factor([5] * 12))
    assert gap is not None
    assert (gap.difference, gap.p) == (0, 1)
    assert gap.low < 0 < gap.high


def test_so_many_clusters_that_their_sums_are_made_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    rows = rng.random((2000, 3))
    rows[::17] = np.nan
    codes = (rng.integers(0, 300, 2000), rng.integers(0, 200, 2000))

    def ratio(totals: FloatArray, counts: FloatArray) -> FloatArray:
        return np.asarray(totals[..., 0] / np.maximum(totals[..., 1], 1e-9))

    for factors in (codes[:1], codes):
        names = ("scene", "speaker")[: len(factors)]
        at_once = spread(rows, ratio, Clusters(names, factors))
        gap = compare_clustered(rows, rows[:, ::-1], ratio, Clusters(names, factors), resamples=50)
        with monkeypatch.context() as small:
            for limit, number in (("_MANY", 64), ("_AT_ONCE", 50), ("_READ_AT_ONCE", 70)):
                small.setattr(dependent_trials, limit, number)
            assert spread(rows, ratio, Clusters(names, factors))[:5] == pytest.approx(at_once[:5], rel=1e-12)
            again = compare_clustered(rows, rows[:, ::-1], ratio, Clusters(names, factors), resamples=50)
        assert gap is not None
        assert again is not None
        assert again[:6] == pytest.approx(gap[:6], rel=1e-9, nan_ok=True)


def test_clusters_may_have_any_numbers() -> None:
    rng = np.random.default_rng(4)
    rows, codes = rng.random((500, 1)), rng.integers(0, 40, 500)
    usual = spread(rows, FINISH, Clusters(("scene", "speaker"), (codes, codes % 7)))
    for other in (3 * codes + 5, codes - 1, codes * 10**12):
        found = spread(rows, FINISH, Clusters(("scene", "speaker"), (other, codes % 7)))
        assert found[:5] == pytest.approx(usual[:5], rel=1e-12)
        assert found.sizes == (40, 7)
        assert found.n == 500


def test_whole_numbers_and_yes_and_no_are_numbers() -> None:
    answers = np.random.default_rng(5).integers(0, 2, (60, 1))
    usual = spread(answers.astype(float), FINISH, one_factor([5] * 12), limits=UNIT)
    assert spread(answers, FINISH, one_factor([5] * 12), limits=UNIT) == usual
    assert spread(answers.astype(bool), FINISH, one_factor([5] * 12), limits=UNIT) == usual


def test_an_interval_holds_its_value_when_nothing_varies():
    """Dice of 1.0 everywhere, 13 scenes x 60 speakers: rounding must not put the upper bound below 1."""
    clusters = Clusters(("scene", "speaker"), (np.arange(780) % 13, np.arange(780) % 60))
    for constant in (1.0, 0.3, 2 / 3):
        found = spread(np.full((780, 1), constant), FINISH, clusters)
        assert found.low <= found.value <= found.high


def test_many_clusters_are_pooled_whatever_their_order() -> None:
    """More clusters than blocks, and the same in another order: the same blocks up to rounding."""
    rng = np.random.default_rng(4)
    sums = rng.normal(size=(300, 2))
    pooled = [Sample(part, np.ones(300)).pool(seed=1, blocks=50) for part in (sums, sums[::-1])]
    assert pooled[0].sums == pytest.approx(pooled[1].sums, rel=1e-12)
    assert len(pooled[0].counts) == 50
    assert pooled[0].sums.sum(axis=0) == pytest.approx(sums.sum(axis=0))


def test_few_clusters_that_hold_the_values_that_differ_are_noticed() -> None:
    codes = np.repeat(np.arange(20), 10)
    clusters = Clusters(("speaker",), (codes,))
    values = np.zeros(200)
    # One other value in each of fourteen clusters counts as fourteen clusters, one in each of fifteen as fifteen.
    values[:140:10] = np.linspace(1, 9, 14)
    assert has_few_carriers(values, clusters)
    values[140] = 3.0
    assert not has_few_carriers(values, clusters)
    # (10 + 5)² / (10² + 5 · 1²) = 2.1
    values[:] = 1.0
    values[:10], values[10:60:10] = np.linspace(2, 3, 10), 0.5
    assert has_few_carriers(values, clusters)
    assert has_few_carriers(np.append(values[:-1], np.nan), clusters)
    for many in (np.arange(200.0), np.where(codes < 8, codes + 1.0, 0.0), np.zeros(200), np.full(200, np.nan)):
        assert not has_few_carriers(many, clusters)
    # Proportions have an interval of their own; of crossed factors the one with more of these clusters counts.
    zeros_and_ones = np.where(np.arange(200) == 7, 1.0, 0.0)
    assert has_few_carriers(zeros_and_ones, clusters)
    assert not has_few_carriers(zeros_and_ones, clusters, (0.0, 1.0))
    assert not has_few_carriers(values, Clusters(("speaker", "scene"), (codes, np.arange(200))))
    assert has_few_carriers(values, Clusters(("speaker", "scene"), (codes, np.arange(200) % 5)))
