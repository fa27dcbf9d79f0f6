"""Bootstrap and randomisation on additive statistics agree with doing it the long way."""

from __future__ import annotations

from dataclasses import astuple

import numpy as np
import pytest
from scipy import stats

from referee.statistics.resampling import BLOCKS, Sample, bootstrap, compare, interval, resample_counts


def mean(totals: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return np.divide(totals[..., 0], counts, out=np.full(np.shape(counts), np.nan), where=np.asarray(counts) > 0)


def ratio(totals: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """A corpus-level statistic: a ratio of sums, not a mean of ratios."""
    return totals[..., 0] / totals[..., 1]


def test_every_resample_draws_as_many_units_as_there_are() -> None:
    counts = np.vstack(list(resample_counts(7, 3000, seed=1)))
    assert counts.shape == (3000, 7)
    assert (counts.sum(axis=1) == 7).all()


def test_resampling_sums_equals_resampling_items() -> None:
    rng = np.random.default_rng(0)
    rows = rng.random((30, 2)) + 0.5
    values = bootstrap([Sample.of(rows, 1)], [ratio], 50, seed=3)[0]
    for counts, value in zip(np.vstack(list(resample_counts(30, 50, seed=3))), values, strict=True):
        drawn = np.repeat(np.arange(30), counts.astype(int))
        assert value == pytest.approx(rows[drawn, 0].sum() / rows[drawn, 1].sum())


def test_the_interval_of_a_mean_agrees_with_scipys_bootstrap() -> None:
    x = np.random.default_rng(5).normal(size=80)
    ours = interval(bootstrap([Sample.of(x[:, None], 1)], [mean], 20_000, seed=1)[0])
    theirs = stats.bootstrap((x,), np.mean, n_resamples=20_000, method="percentile", rng=1).confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.01)


def test_blocks_give_the_same_interval_as_items() -> None:
    x = np.random.default_rng(6).normal(size=(3 * BLOCKS, 1))
    blocked = interval(bootstrap([Sample.of(x, 1)], [mean], 2000, seed=1)[0])
    assert len(Sample.of(x, 1).counts) == BLOCKS
    error = 1.96 * x.std() / np.sqrt(len(x))
    assert blocked == pytest.approx((x.mean() - error, x.mean() + error), abs=error / 8)


def test_absent_rows_do_not_count() -> None:
    rows = np.array([[1.0], [np.nan], [3.0]])
    totals, count = Sample.of(rows, 1).totals()
    assert (float(totals[0]), float(count)) == (4.0, 2.0)


def test_randomisation_agrees_with_scipys_paired_permutation_test() -> None:
    rng = np.random.default_rng(7)
    a = rng.normal(0.25, 1, size=60)
    b = rng.normal(0, 1, size=60)
    (ours,) = compare([(a[:, None], b[:, None])], [mean], 20_000, seed=1)
    theirs = stats.permutation_test(
        (a, b),
        lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples",
        n_resamples=20_000,
        rng=2,
        vectorized=True,
    )
    assert ours is not None
    assert ours.difference == pytest.approx(float(np.mean(a - b)))
    assert ours.p_randomisation == pytest.approx(theirs.pvalue, abs=0.015)
    assert ours.p_bootstrap == pytest.approx(stats.ttest_rel(a, b).pvalue, abs=0.03)


def test_a_system_equal_to_the_baseline_never_differs() -> None:
    rows = np.random.default_rng(8).random((40, 1))
    (same,) = compare([(rows, rows.copy())], [mean], 500, seed=1)
    assert same is not None
    assert (same.difference, same.p_bootstrap, same.p_randomisation) == (0.0, 1.0, 1.0)


def test_nothing_in_common_is_no_comparison() -> None:
    a, b = np.array([[1.0], [np.nan]]), np.array([[np.nan], [1.0]])
    assert compare([(a, b)], [mean], 100, seed=1) == [None]
    assert compare([], [], 100, seed=1) == []
    assert interval(np.array([np.nan])) is None


def test_the_same_seed_gives_the_same_numbers() -> None:
    rows = np.random.default_rng(9).random((40, 1))
    pairs = [(rows, rows[::-1])]
    assert compare(pairs, [mean], 200, seed=4) == compare(pairs, [mean], 200, seed=4)


def test_several_comparisons_at_once_equal_one_at_a_time() -> None:
    rng = np.random.default_rng(10)
    base, first, second = (rng.random((50, 1)) for _ in range(3))
    first[3] = np.nan
    both = compare([(first, base), (second, base)], [mean, mean], 300, seed=2)
    alone = [*compare([(first, base)], [mean], 300, seed=2), *compare([(second, base)], [mean], 300, seed=2)]
    for ours, theirs in zip(both, alone, strict=True):
        assert ours is not None
        assert theirs is not None
        # Products of matrices of other shapes are added in another order on some processors: the last bits are not promised. Counts are.
        assert astuple(ours) == pytest.approx(astuple(theirs), rel=1e-12, abs=1e-15)
        assert (ours.p_bootstrap, ours.p_randomisation, ours.n) == (
            theirs.p_bootstrap,
            theirs.p_randomisation,
            theirs.n,
        )
    assert [c.n for c in both if c is not None] == [49, 50]


def test_items_that_one_system_lacks_are_left_out_of_the_difference() -> None:
    system, base = np.array([[1.0], [np.nan], [0.0]]), np.array([[0.0], [9.0], [0.0]])
    (found,) = compare([(system, base)], [mean], 100, seed=1)
    assert found is not None
    assert found.difference == pytest.approx(0.5)
