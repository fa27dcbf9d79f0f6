"""A bootstrap over shards: the same digits however the items are cut, and only sums come back."""

from __future__ import annotations

import pickle
from math import e, factorial, fsum

import numpy as np
import pytest

from referee.contracts import FloatArray
from referee.engines.local import LocalEngine
from referee.errors import InputError
from referee.statistics.dependent_trials import mean_of_rows
from referee.statistics.shard_sums import ShardSums, poisson_weights, shard_sums, sum_over

N, RESAMPLES = 3000, 200
rng = np.random.default_rng(5)
ROWS = np.column_stack([rng.random(N), rng.normal(0, 40, N), rng.integers(0, 9, N)])
SPEAKERS = [f"speaker {i}" for i in rng.integers(0, 120, N)]


def part(start: int, stop: int) -> ShardSums:
    return shard_sums(ROWS[start:stop], SPEAKERS[start:stop], RESAMPLES, seed=1)


WHOLE = part(0, N)


@pytest.mark.parametrize("size", [1, 7, 200, 1000])
def test_every_size_of_shards_gives_the_same_bits(size: int) -> None:
    # One row a shard takes long, and some hundred say as much.
    stop = 150 if size == 1 else N
    whole = part(0, stop)
    shards = [part(at, min(at + size, stop)) for at in range(0, stop, size)]
    backwards = sum(reversed(shards[:-1]), shards[-1])
    for found in (sum(shards[1:], shards[0]), backwards):
        assert np.array_equal(found.parts, whole.parts)
        assert all(np.array_equal(ours, theirs) for ours, theirs in zip(found.totals(), whole.totals(), strict=True))


def test_sums_are_those_of_exact_arithmetic() -> None:
    sums, counts = WHOLE.totals()
    weights = {speaker: [1, *poisson_weights(speaker, RESAMPLES, 1)] for speaker in SPEAKERS}
    for resample in (0, 1, 17, RESAMPLES):
        own = [weights[s][resample] for s in SPEAKERS]
        assert counts[resample] == sum(own)
        for column in range(3):
            # Numbers are rounded to 2**-50 each, so the sum of n of them is off by n * 2**-51 at most, times the largest weight.
            exact = fsum(w * x for w, x in zip(own, ROWS[:, column].tolist(), strict=True))
            assert abs(sums[resample, column] - exact) <= N * max(own) * 2.0**-51 + abs(exact) * 2.0**-52


def test_weights_are_poisson_with_mean_one_and_differ_by_cluster_seed_and_resample() -> None:
    drawn = np.concatenate([poisson_weights(f"c{i}", 1000, 3) for i in range(200)])
    for k in range(6):
        share = 1 / e / factorial(k)
        # 200,000 draws: five standard errors
        assert abs(np.mean(drawn == k) - share) < 5 * np.sqrt(share * (1 - share) / len(drawn))
    assert not np.array_equal(poisson_weights("a", 100, 1), poisson_weights("b", 100, 1))
    assert not np.array_equal(poisson_weights("a", 100, 1), poisson_weights("a", 100, 2))


def test_the_standard_error_is_that_of_a_mean_of_clusters() -> None:
    # Balanced clusters, each with a level of its own: the error of the mean is sd(levels) / sqrt(clusters).
    levels = np.random.default_rng(2).normal(size=400)
    rows, names = np.repeat(levels, 5)[:, None], [f"c{i}" for i in range(400) for _ in range(5)]
    value, drawn = shard_sums(rows, names, 4000, 1).values(mean_of_rows)
    assert value == pytest.approx(levels.mean(), abs=1e-12)
    # 4,000 resamples know a standard deviation to 1.1 % (one standard error); Poisson weights add 1/400 to the variance.
    assert drawn.std() == pytest.approx(levels.std() / 20, rel=0.05)


def test_only_sums_travel_and_absent_rows_count_nowhere() -> None:
    with_gaps = ROWS.copy()
    with_gaps[::3] = np.nan
    kept = [i for i in range(N) if i % 3]
    few = shard_sums(ROWS[kept], [SPEAKERS[i] for i in kept], RESAMPLES, 1)
    assert np.array_equal(shard_sums(with_gaps, SPEAKERS, RESAMPLES, 1).parts, few.parts)
    assert len(pickle.dumps(few)) == len(pickle.dumps(part(0, 10)))


def test_an_engine_adds_shards_up_wherever_they_are_made() -> None:
    calls = [(shard_sums, (ROWS[at : at + 900], SPEAKERS[at : at + 900], RESAMPLES, 1)) for at in range(0, N, 900)]
    assert np.array_equal(sum_over(LocalEngine(2), calls).parts, WHOLE.parts)
    with pytest.raises(InputError, match="no shard"):
        sum_over(LocalEngine(), [])


def test_what_does_not_fit_the_grid_is_refused() -> None:
    big: FloatArray = np.array([[1e5]])
    with pytest.raises(InputError, match="a statistic is 100000, more than 8192"):
        shard_sums(big, ["a"], 10, 1)
    assert shard_sums(big, ["a"], 10, 1, largest=2.0**17).totals()[0][0, 0] == 1e5
    with pytest.raises(ValueError, match="different grids"):
        shard_sums(big, ["a"], 10, 1, largest=2.0**17) + WHOLE
