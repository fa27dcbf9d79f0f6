"""Rank agreement of a hearer with people, against scipy, drawn permutations and the program of the WMT tasks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import permutation_test, spearmanr

from referee.courtroom.pairwise import compute_soft_pairwise_accuracy
from referee.hearers.passports.ranking import Ranked, compare_units_apart, compare_units_on_items, rank
from referee.statistics.dependent_trials import Clusters

RNG = np.random.default_rng(4)
GAMES, EACH = 12, 25
CODES = np.repeat(np.arange(GAMES), EACH)
SKILL = np.linspace(0.3, 0.95, GAMES)
HUMAN = (RNG.random(GAMES * EACH) < SKILL[CODES]).astype(float)
HEARER = np.clip(SKILL[CODES] + RNG.normal(0, 0.2, GAMES * EACH), 0, 1)


def games(human: np.ndarray = HUMAN, hearer: np.ndarray = HEARER, codes: np.ndarray = CODES) -> Ranked:
    units = [None if c < 0 else f"g{c}" for c in codes]
    return Ranked(over="games", paired=False, units=units, items=np.arange(len(codes)), human=human, hearer=hearer)


def test_rho_over_games_is_scipys_over_their_means() -> None:
    found = rank(games(), Clusters())
    assert found is not None
    means = [[column[g == CODES].mean() for g in range(GAMES)] for column in (HUMAN, HEARER)]
    assert found.spearman == pytest.approx(spearmanr(*means).statistic)
    assert (found.units, found.n, found.over, found.intervals_over) == (GAMES, GAMES * EACH, "games", "games")
    low, high = found.spearman_interval or (1, 0)
    assert low < (found.spearman or 0) <= high <= 1


def test_a_pair_of_games_is_compared_as_by_exchanging_labels() -> None:
    # scipy draws 20,000 permutations; the normal curve with the exact variance stays within .02 of them
    p = compare_units_apart(HUMAN, CODES, GAMES)
    for i, j in ((0, 1), (2, 9), (5, 6)):
        drawn = permutation_test(
            (HUMAN[i == CODES], HUMAN[j == CODES]),
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            alternative="greater",
            n_resamples=20_000,
            vectorized=True,
            rng=np.random.default_rng(1),
        )
        ties = permutation_test(
            (HUMAN[j == CODES], HUMAN[i == CODES]),
            lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
            alternative="greater",
            n_resamples=20_000,
            vectorized=True,
            rng=np.random.default_rng(1),
        )
        # 0/1 answers tie often; half of the ties on each side is what a continuous curve stands for
        assert p[i, j] == pytest.approx((drawn.pvalue + 1 - ties.pvalue) / 2, abs=0.02)
    assert p[3, 4] == pytest.approx(1 - p[4, 3])


def test_systems_on_the_same_items_agree_with_the_program_of_the_wmt_tasks() -> None:
    skills = np.array([0.4, 0.5, 0.6, 0.7])[:, None]
    items = RNG.normal(0, 0.3, 80)
    human = skills + items + RNG.normal(0, 0.4, (4, 80))
    hearer = skills + items + RNG.normal(0, 0.6, (4, 80))
    above = np.triu_indices(4, 1)
    ours = 1 - np.abs(compare_units_on_items(human) - compare_units_on_items(hearer))[above].mean()
    assert ours == pytest.approx(compute_soft_pairwise_accuracy(human, hearer), abs=0.02)


def test_systems_are_ranked_with_intervals_over_clusters_of_items() -> None:
    systems = np.repeat(np.arange(4), 40)
    items = np.tile(np.arange(40), 4)
    human = (RNG.random(160) < np.array([0.3, 0.5, 0.7, 0.9])[systems]).astype(float)
    hearer = np.clip(np.array([0.3, 0.5, 0.7, 0.9])[systems] + RNG.normal(0, 0.1, 160), 0, 1)
    answers = Ranked(
        over="systems", paired=True, units=[f"s{s}" for s in systems], items=items, human=human, hearer=hearer
    )
    found = rank(answers, Clusters(("game",), (items % 8,)))
    assert found is not None
    assert (found.spearman, found.intervals_over) == (pytest.approx(1.0), "games")
    assert found.spa_interval is not None
    assert found.spa_interval[0] < found.spa <= found.spa_interval[1]


def test_a_hearer_without_information_is_at_the_level_of_random_order() -> None:
    found = rank(games(hearer=RNG.random(GAMES * EACH)), Clusters())
    told = rank(games(), Clusters())
    assert found is not None
    assert told is not None
    assert abs(found.spa - (found.spa_chance or 0)) < 0.15
    assert told.spa > (told.spa_chance or 1) + 0.15


def test_units_with_few_answers_do_not_count() -> None:
    few = np.where((CODES == 0) & (np.arange(len(CODES)) >= 9), -1, CODES)
    found = rank(games(codes=few), Clusters())
    assert found is not None
    assert found.units == GAMES - 1
    assert rank(games(codes=np.where(CODES > 1, -1, CODES)), Clusters()) is None


def test_people_who_never_differ_cannot_be_ranked() -> None:
    found = rank(games(human=np.ones(GAMES * EACH)), Clusters())
    assert found is not None
    assert (found.spearman, found.spearman_interval) == (None, None)
