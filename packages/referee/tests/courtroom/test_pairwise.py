"""Soft pairwise accuracy, accuracy with ties and permutation tests between measures, against google-research/mt-metrics-eval.

The expected values were made by `stats.PairwiseConfidenceError`, `stats.KendallWithTiesOpt` (acc23, by item, all pairs), `stats.PermutationSigDiff` and
`stats.PairwisePermutationSigDiff` of commit 68a481aea1a787392d55af8f76ac8ef40c5f4664 on the matrices of `world`, with NumPy's legacy generator seeded as below.
Where that program compares equal floats that were summed in another order it loses some ties; there the value is what its own draws give with ties kept.
"""

from __future__ import annotations

import numpy as np
import pytest

from referee.courtroom.pairwise import (
    compare_soft_accuracy,
    compare_tied_accuracy,
    compute_accuracy_with_ties,
    compute_soft_pairwise_accuracy,
    rank_clusters,
)
from referee.errors import InputError

SHAPES = {1: (5, 40, None), 2: (8, 25, 2), 3: (12, 60, 1), 5: (10, 200, None)}
SOFT = {
    1: (0.9161, 0.6571),
    2: (0.8605357142857143, 0.7399642857142857),
    3: (0.8953030303030303, 0.7013939393939395),
    5: (0.9362, 0.8626666666666667),
}
TIED = {
    1: ((0.6775, 0.0), (0.66, 0.0)),
    2: ((0.6714285714285715, 0.0), (0.5414285714285714, 0.0)),
    3: ((0.5696969696969697, 0.04953480407452249), (0.5037878787878786, 0.0031384906560225634)),
    5: ((0.7017777777777776, 0.0), (0.5834444444444445, 0.0)),
}
BOTH = {1: (0.259, 0.0), 2: (0.12057142857142855, 0.04), 3: (0.1939090909090908, 0.0), 5: (0.07353333333333334, 0.02)}
PAIRS = {1: (0.0175, 0.34), 2: (0.13, 0.0), 3: (0.06590909090909092, 0.0), 5: (0.11833333333333333, 0.0)}
DRAWS = 200


def world(seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People, a good measure and a poor one, as systems by items; people's scores rounded to so many levels a unit where there are levels."""
    systems, items, levels = SHAPES[seed]
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=(systems, 1)) * 0.4
    human = quality + rng.normal(size=(systems, items))
    good, poor = 0.7 * human + rng.normal(size=human.shape), 0.3 * human + rng.normal(size=human.shape)
    return (np.round(human * levels) / levels if levels else human), good, poor


@pytest.mark.parametrize("seed", SHAPES)
def test_soft_pairwise_accuracy_equals_the_wmt_program(seed: int):
    human, good, poor = world(seed)
    found = (compute_soft_pairwise_accuracy(human, good), compute_soft_pairwise_accuracy(human, poor))
    assert found == pytest.approx(SOFT[seed], abs=1e-9)


@pytest.mark.parametrize("seed", SHAPES)
def test_accuracy_with_ties_equals_the_wmt_program(seed: int):
    human, *measures = world(seed)
    for measure, expected in zip(measures, TIED[seed], strict=True):
        found = compute_accuracy_with_ties(human, measure, shuffles=0)
        assert (found.accuracy, found.threshold) == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("seed", SHAPES)
def test_perm_both_equals_the_wmt_program(seed: int):
    human, good, poor = world(seed)
    old = np.random.RandomState(11)
    swaps = np.array([old.binomial(1, 0.5, human.size) for _ in range(DRAWS)]).astype(bool)
    assert compare_soft_accuracy(human, good, poor, swaps=swaps) == pytest.approx(BOTH[seed], abs=1e-9)


@pytest.mark.parametrize("seed", [1, 2])
def test_swapping_pairs_equals_the_wmt_program(seed: int):
    human, good, poor = world(seed)
    systems, items = human.shape
    old, above = np.random.RandomState(12), np.triu_indices(systems, 1)
    swaps = [[old.binomial(1, 0.5, (systems, systems))[above] for _ in range(items)] for _ in range(DRAWS)]
    found = compare_tied_accuracy(human, good, poor, swaps=np.array(swaps).reshape(DRAWS, -1).astype(bool))
    assert found == pytest.approx(PAIRS[seed], abs=1e-9)


def test_ties_by_hand():
    """Three systems, one item: people 1, 1, 0; measure .9, .8, .1. Without ties 2 of 3 pairs; calling gaps up to .1 equal makes it 3 of 3."""
    found = compute_accuracy_with_ties(np.array([[1.0], [1.0], [0.0]]), np.array([[0.9], [0.8], [0.1]]), shuffles=0)
    assert found.accuracy == 1
    assert found.threshold == pytest.approx(0.1)
    assert found.pairs == 3


def test_a_measure_that_knows_nothing_is_at_its_chance_level():
    """People who tie in most pairs reward whoever calls everything equal: chance is far above one half, and a random measure does not beat it."""
    rng = np.random.default_rng(7)
    human = (rng.random((6, 80)) < 0.9).astype(float)
    found = compute_accuracy_with_ties(human, rng.random((6, 80)), shuffles=100)
    assert found.chance is not None
    assert found.chance > 0.75
    assert found.accuracy <= found.chance_high


def test_items_without_a_score_of_every_system_are_left_out():
    human, good, _ = world(1)
    holed = good.copy()
    holed[2, :3] = np.nan
    assert compute_soft_pairwise_accuracy(human, holed) == compute_soft_pairwise_accuracy(human[:, 3:], good[:, 3:])
    with pytest.raises(InputError, match="no pairs"):
        compute_soft_pairwise_accuracy(human, np.full_like(good, np.nan))


def test_the_same_measure_twice_is_no_better_than_itself():
    human, good, _ = world(2)
    assert compare_soft_accuracy(human, good, good, permutations=50) == (0.0, 1.0)
    assert compare_tied_accuracy(human, good, good, permutations=50) == (0.0, 1.0)


def test_ranks_begin_anew_where_a_measure_is_worse():
    """As `AssignRanks` of the WMT program: c is worse than a of the first rank and so opens the second; d is worse than b, but not than c."""
    p = {("a", "b"): 0.3, ("a", "c"): 0.01, ("b", "c"): 0.2, ("a", "d"): 0.01, ("b", "d"): 0.02, ("c", "d"): 0.4}
    assert rank_clusters({"d": 0.5, "a": 0.9, "c": 0.7, "b": 0.8}, p) == {"a": 1, "b": 1, "c": 2, "d": 2}


@pytest.mark.parametrize("scores", ["steps", "continuous"])
def test_chance_with_ties_is_that_of_sorting_the_gaps_of_every_deal(scores):
    """The definition, deal by deal: scores dealt anew within items, all pairs' gaps sorted, the best threshold chosen again."""
    rng = np.random.default_rng(1)
    human = rng.integers(0, 3, size=(5, 30)).astype(float)
    measure = rng.integers(0, 4, size=human.shape) / 4 if scores == "steps" else rng.normal(size=human.shape)
    dealing = np.random.default_rng(4)
    expected = [
        compute_accuracy_with_ties(human, dealing.permuted(measure, axis=0), shuffles=0).accuracy for _ in range(20)
    ]
    found = compute_accuracy_with_ties(human, measure, shuffles=20)
    assert found.chance == pytest.approx(np.mean(expected), abs=1e-12)
    assert found.chance_high == pytest.approx(np.quantile(expected, 0.95), abs=1e-12)
