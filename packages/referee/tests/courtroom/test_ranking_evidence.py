"""Measures on pairs of systems: the numbers are those of `pairwise` (held against mt-metrics-eval there); here, what goes in and who shares a rank."""

from __future__ import annotations

import numpy as np
import pytest

from referee.courtroom.pairwise import compute_accuracy_with_ties, compute_soft_pairwise_accuracy
from referee.courtroom.ranking_evidence import expect_soft_accuracy, make_matrix, rank_measures


def world(seed: int = 1) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(seed)
    chance = np.linspace(0.2, 0.9, 6)[:, None]
    human = (rng.random((6, 60)) < chance).astype(float)
    good = chance + rng.normal(0, 0.2, human.shape)
    return human, {"good": good, "again": good + rng.normal(0, 0.01, human.shape), "poor": rng.random(human.shape)}


def test_measures_get_their_accuracies_and_those_that_cannot_be_told_apart_share_a_rank() -> None:
    human, measures = world()
    found = {r.automatic: r for r in rank_measures("h", human, measures, permutations=100)}
    assert found["good"].soft_accuracy == compute_soft_pairwise_accuracy(human, measures["good"])
    expected = compute_accuracy_with_ties(human, measures["good"], shuffles=0)
    assert (found["good"].tied_accuracy, found["good"].threshold) == (expected.accuracy, expected.threshold)
    assert found["good"].soft_rank == found["again"].soft_rank == 1
    assert found["poor"].soft_rank == 2
    assert found["good"].items == 60
    assert found["poor"].chance is not None


def test_a_measure_that_knows_nothing_is_expected_where_random_ones_are() -> None:
    human, _ = world(2)
    rng = np.random.default_rng(3)
    drawn = [compute_soft_pairwise_accuracy(human, rng.random(human.shape), permutations=300) for _ in range(60)]
    # 3 standard errors of 60 draws
    assert expect_soft_accuracy(human) == pytest.approx(np.mean(drawn), abs=3 * np.std(drawn) / 60**0.5)


def test_what_never_varies_or_was_never_measured_is_not_ranked_and_says_why() -> None:
    human, measures = world()
    flat, empty = np.full_like(human, 0.1), np.full_like(human, np.nan)
    found = {r.automatic: r for r in rank_measures("h", human, {**measures, "flat": flat, "empty": empty}, 40)}
    assert found["flat"].reason == "does not vary"
    assert found["empty"].reason == "no items that all systems share"
    assert found["flat"].soft_accuracy is None
    assert found["good"].items == 60, "a measure without values takes no items from the others"


def test_items_that_any_system_lacks_are_left_out() -> None:
    human, measures = world()
    measures["good"][2, :5] = np.nan
    assert {r.items for r in rank_measures("h", human, measures, 40)} == {55}
    assert make_matrix(["a", "b"], ["x"], {("a", "x"): 1.0}).tolist()[0] == [1.0]
