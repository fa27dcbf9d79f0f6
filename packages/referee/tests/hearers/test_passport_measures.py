"""The measures of a passport, against scikit-learn, scipy and counts by hand."""

from __future__ import annotations

from dataclasses import replace
from math import log

import numpy as np
import pytest
from scipy.stats import chisquare, spearmanr, ttest_1samp
from sklearn.calibration import calibration_curve
from sklearn.metrics import cohen_kappa_score, roc_auc_score

from jackknife_by_hand import interval_by_hand
from referee.errors import InputError
from referee.hearers.passports.areas import compute_auc
from referee.hearers.passports.measures import (
    LAPSE,
    AnswerColumns,
    calibrate,
    compute_choice_kappa,
    log_likelihoods,
    measure,
    measure_position_bias,
    set_against_chance,
)
from referee.statistics.dependent_trials import Clusters

SHARES = np.array([0.1, 0.2, 0.25, 0.5, 0.75, 0.9, 1.0])


def invented_answers() -> AnswerColumns:
    """Invented answers in 20 games: people succeed as often as the hearer expects."""
    rng, n = np.random.default_rng(3), 400
    target = rng.choice(SHARES, size=n)
    human_right = rng.random(n) < target
    right = target > 0.5
    place = rng.integers(4, size=n)
    return AnswerColumns(
        target=target,
        taken=np.where(human_right, target, (1 - target) / 3),
        top=np.maximum(target, 1 - target),
        delay=1 - target,
        times=np.where(rng.random(n) < 0.1, np.nan, 1000 - 300 * target + rng.normal(0, 100, n)),
        right=right,
        human_right=human_right,
        choices=tuple(str(p) if r else "several" for p, r in zip(place, right, strict=True)),
        human_choices=tuple(str(p if r else (p + 1) % 4) for p, r in zip(place, human_right, strict=True)),
        shown=tuple(str((p + 1) % 4) if r else "several" for p, r in zip(place, right, strict=True)),
        sizes=np.full(n, 4),
        questions=np.arange(n),
        games=np.arange(n) % 20,
        conditions=np.arange(n) % 3,
        clusters=Clusters(("game",), (np.arange(n) % 20,)),
    )


def test_area_counts_ties_half_as_sklearn_does() -> None:
    t = invented_answers()
    assert compute_auc(t.target, t.human_right) == pytest.approx(roc_auc_score(t.human_right, t.target))
    constant = np.full(len(t.target), 0.7)
    assert compute_auc(constant, t.human_right) == 0.5


def test_area_is_undefined_where_people_never_failed() -> None:
    assert compute_auc(np.array([0.2, 0.9]), np.array([True, True])) is None


def test_calibration_is_that_of_sklearn_with_equal_bins() -> None:
    t = invented_answers()
    observed, predicted = calibration_curve(t.human_right, t.target, n_bins=10, strategy="uniform")
    found = calibrate(t.target, t.human_right)
    assert [b.observed for b in found.curve] == pytest.approx(list(observed))
    assert [b.predicted for b in found.curve] == pytest.approx(list(predicted))
    assert sum(b.n for b in found.curve) == len(t.target)


def test_calibration_error_weighs_gaps_by_answers() -> None:
    # three promises of 0.95 kept twice (gap 0.95 - 2/3), one of 0.15 not kept (gap 0.15), by hand
    found = calibrate(np.array([0.95, 0.95, 0.95, 0.15]), np.array([True, True, False, False]))
    assert found.error == pytest.approx((3 * (0.95 - 2 / 3) + 0.15) / 4)
    assert calibrate(np.empty(0), np.empty(0, dtype=bool)).error is None


def test_kappa_is_that_of_sklearn() -> None:
    t = invented_answers()
    assert compute_choice_kappa(t.choices, t.human_choices) == pytest.approx(
        cohen_kappa_score(t.choices, t.human_choices)
    )
    assert compute_choice_kappa(["0"] * 4, ["0", "1", "0", "2"]) == 0
    assert compute_choice_kappa(["0", "0"], ["0", "0"]) is None


def test_position_bias_adds_the_chi_squares_of_scene_sizes() -> None:
    places = np.array([0] * 30 + [1] * 10 + [2] * 20 + [0] * 12 + [1] * 8)
    sizes = np.array([3] * 60 + [2] * 20)
    found = measure_position_bias(places, sizes)
    three, two = chisquare([30, 10, 20]), chisquare([12, 8])
    from scipy.stats import chi2

    assert found.p == pytest.approx(chi2.sf(three.statistic + two.statistic, 3))
    # out of place, by hand: (10 + 10 + 0) / 2 and (2 + 2) / 2 of 80 choices
    assert found.value == pytest.approx(12 / 80)
    assert found.rates[3] == pytest.approx((0.5, 1 / 6, 1 / 3))


def test_position_bias_without_choices_is_unknown() -> None:
    empty = np.empty(0, dtype=np.int64)
    assert (measure_position_bias(empty, empty).value, measure_position_bias(empty, empty).p) == (None, None)
    alone = measure_position_bias(np.zeros(3, dtype=np.int64), np.ones(3, dtype=np.int64))
    assert (alone.value, alone.p, alone.n) == (None, None, 3)


def test_a_choice_that_was_ruled_out_is_unlikely_but_not_impossible() -> None:
    found = log_likelihoods(np.array([0.0, 1.0]), np.array([4, 4]))
    assert found == pytest.approx([log(LAPSE / 4), log(1 - LAPSE + LAPSE / 4)])


def test_all_measures_of_the_same_answers() -> None:
    t = invented_answers()
    m = measure(t)
    known = ~np.isnan(t.times)
    assert m.n == 400
    assert m.accuracy == pytest.approx(t.right.mean())
    assert m.chance == 0.25
    assert m.time_n == known.sum()
    assert m.time_correlation == pytest.approx(spearmanr(t.delay[known], t.times[known]).statistic)
    assert m.log_likelihood == pytest.approx(np.log((1 - LAPSE) * t.taken + LAPSE / 4).mean())
    assert m.chance_log_likelihood == pytest.approx(log(1 / 4))
    low, high = m.intervals["auc"] or (1, 0)
    assert low < (m.auc or 0) < high


def test_without_times_there_is_no_correlation_with_times() -> None:
    t = invented_answers()
    m = measure(replace(t, times=np.full(len(t.times), np.nan)), intervals=False)
    assert (m.time_correlation, m.time_n) == (None, 0)
    assert m.intervals == {}


def test_a_question_that_many_answered_counts_once_for_position_bias() -> None:
    t = invented_answers()
    twice = np.tile(np.arange(400), 2)
    doubled = replace(
        t,
        **{
            name: (column + column if isinstance(column, tuple) else column[twice])
            for name in AnswerColumns.__slots__
            if name != "clusters"
            for column in [getattr(t, name)]
        },
        clusters=Clusters(("game",), (t.games[twice],)),
    )
    assert measure(doubled, intervals=False).position == measure(t, intervals=False).position
    assert measure(doubled, intervals=False).n == 800


def test_intervals_are_wider_where_answers_of_a_game_are_alike() -> None:
    rng = np.random.default_rng(1)
    game = np.repeat(np.arange(20), 20)
    t = replace(invented_answers(), right=np.repeat(rng.random(20) < 0.5, 20))
    by_game = measure(replace(t, clusters=Clusters(("game",), (game,)))).intervals["accuracy"]
    by_answer = measure(replace(t, clusters=Clusters())).intervals["accuracy"]
    assert by_game is not None
    assert by_answer is not None
    assert by_game[1] - by_game[0] > 2 * (by_answer[1] - by_answer[0])


def test_every_measure_has_an_interval_that_holds_it() -> None:
    m = measure(invented_answers())
    for name, value in (("auc", m.auc), ("kappa", m.kappa), ("expected_accuracy", m.expected_accuracy)):
        low, high = m.intervals[name] or (1, 0)
        assert low < (value or 0) < high


def test_the_interval_of_kappa_is_a_jackknife_of_sklearns_kappa() -> None:
    t = invented_answers()
    low, high = measure(t).intervals["kappa"] or (0, 0)
    ours, theirs = np.array(t.choices), np.array(t.human_choices)
    whole = cohen_kappa_score(ours, theirs)
    without = [cohen_kappa_score(ours[t.games != g], theirs[t.games != g]) for g in range(20)]
    assert (low, high) == pytest.approx(interval_by_hand(without, whole))


def test_chance_is_tested_by_game_as_scipy_does_with_means_of_equal_games() -> None:
    t = invented_answers()
    found = set_against_chance(t)
    means = [float((t.target[t.games == g] - 0.25).mean()) for g in range(20)]
    theirs = ttest_1samp(means, 0, alternative="greater")
    assert (found.t, found.p, found.df) == (pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue), 19)
    assert (found.n, found.over, found.holds) == (400, "20 games", True)


def test_places_as_shown_are_tested_beside_places_drawn_by_lot() -> None:
    t = invented_answers()
    always_first = replace(t, shown=tuple("0" if c.isdigit() else c for c in t.shown))
    m = measure(always_first, intervals=False)
    assert m.position_shown.value == pytest.approx(0.75)
    assert (m.position_shown.p or 0) < 1e-6
    assert m.position == measure(t, intervals=False).position


def test_position_bias_of_clusters_that_are_alike_counts_clusters() -> None:
    # by hand: each of 30 clusters repeats one choice five times, so that 150 choices tell as much as the 30 (Rao & Scott's design effect is about 5)
    rng = np.random.default_rng(2)
    single = rng.choice(3, size=30, p=[0.5, 0.3, 0.2])
    places, codes = np.repeat(single, 5), np.repeat(np.arange(30), 5)
    clustered = measure_position_bias(places, np.full(150, 3), Clusters(("game",), (codes,)))
    alone = measure_position_bias(single, np.full(30, 3), Clusters(("game",), (np.arange(30),)))
    assert clustered.value == pytest.approx(alone.value)
    assert clustered.p == pytest.approx(alone.p)
    assert (measure_position_bias(places, np.full(150, 3)).p or 1) < (clustered.p or 0) / 100


def test_no_answers_are_an_error() -> None:
    t = invented_answers()
    with pytest.raises(InputError, match="no human answers"):
        measure(t.rows(np.zeros(400, dtype=bool)))
