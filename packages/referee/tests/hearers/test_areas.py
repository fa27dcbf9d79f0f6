"""Areas under the curve, over all pairs and within strata, with intervals by cluster: against scikit-learn, cluster by cluster."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import t as t_distribution
from sklearn.metrics import roc_auc_score

from referee.hearers.passports.areas import measure_area
from referee.statistics.dependent_trials import Clusters

RNG = np.random.default_rng(11)
N, GAMES = 300, 6
SCORES = RNG.choice([0.1, 0.3, 0.5, 0.9], size=N)
RIGHT = RNG.random(N) < SCORES
GAME = RNG.integers(GAMES, size=N)
CONDITION = RNG.integers(3, size=N)
BY_GAME = Clusters(("game",), (GAME,))


def within(kept: np.ndarray) -> float:
    """The area within conditions, each weighed by its pairs, with scikit-learn's areas."""
    won = pairs = 0.0
    for c in range(3):
        rows = kept & (c == CONDITION)
        size = RIGHT[rows].sum() * (~RIGHT[rows]).sum()
        won, pairs = won + size * roc_auc_score(RIGHT[rows], SCORES[rows]), pairs + size
    return won / pairs


def interval(without: list[float], value: float) -> tuple[float, float]:
    """CR2 with Satterthwaite's degrees of freedom (Pustejovsky & Tipton 2018), written out for the sizes of games."""
    f = np.bincount(GAME) / N
    error = np.sqrt(sum((1 - f) * (np.array(without) - value) ** 2))
    crossed = sum(f[i] ** 2 * f[j] ** 2 / (1 - f[i]) / (1 - f[j]) for i in range(GAMES) for j in range(GAMES) if i != j)
    low, high = t_distribution.interval(0.95, 1 / (sum(f**2) + crossed), value, error)
    return float(low), float(high)


def test_the_area_and_its_interval_are_those_of_sklearn_without_each_game() -> None:
    found = measure_area(SCORES, RIGHT, BY_GAME)
    whole = roc_auc_score(RIGHT, SCORES)
    without = [roc_auc_score(RIGHT[g != GAME], SCORES[g != GAME]) for g in range(GAMES)]
    assert found.value == pytest.approx(whole)
    assert found.interval == pytest.approx(interval(without, whole))
    assert found.pairs == RIGHT.sum() * (~RIGHT).sum()


def test_within_conditions_only_pairs_of_one_condition_count() -> None:
    found = measure_area(SCORES, RIGHT, BY_GAME, CONDITION)
    whole = within(np.ones(N, dtype=bool))
    assert found.value == pytest.approx(whole)
    assert found.interval == pytest.approx(interval([within(g != GAME) for g in range(GAMES)], whole))


def test_a_hearer_that_only_tells_easy_from_hard_conditions_has_one_half_within_them() -> None:
    easy = np.arange(200) % 2 == 0
    right = RNG.random(200) < np.where(easy, 0.9, 0.3)
    scores = np.where(easy, 0.8, 0.2)
    assert (measure_area(scores, right).value or 0) > 0.7
    assert measure_area(scores, right, strata=easy.astype(np.int64)).value == 0.5


def test_answers_of_no_stratum_are_left_out_and_without_pairs_there_is_no_area() -> None:
    assert measure_area(SCORES, RIGHT, strata=np.full(N, -1)).value is None
    assert measure_area(SCORES, np.ones(N, dtype=bool)).pairs == 0
    one = np.where(CONDITION == 0, 0, -1)
    rows = CONDITION == 0
    assert measure_area(SCORES, RIGHT, strata=one).value == pytest.approx(roc_auc_score(RIGHT[rows], SCORES[rows]))


def test_two_crossed_factors_are_not_narrower_than_either() -> None:
    person = RNG.integers(8, size=N)
    crossed = measure_area(SCORES, RIGHT, Clusters(("game", "participant"), (GAME, person)))
    alone = [measure_area(SCORES, RIGHT, Clusters(("x",), (codes,))) for codes in (GAME, person)]
    assert all(crossed.interval is not None and one.interval is not None for one in alone)
    width = np.diff(crossed.interval)[0]
    assert width >= max(np.diff(one.interval)[0] for one in alone) * 0.999
