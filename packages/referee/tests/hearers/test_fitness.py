"""The verdict of a passport: who passes, who fails, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.hearers.passports.areas import Area
from referee.hearers.passports.fitness import (
    CARE,
    ELSEWHERE,
    FIT,
    HERE,
    OPEN,
    UNFIT,
    Probe,
    Verdict,
    decide_fitness,
    decide_judge,
)
from referee.hearers.passports.judges import JudgeAgreement
from referee.hearers.passports.measures import AnswerColumns, measure
from referee.hearers.passports.novelty import Novelty
from referee.hearers.passports.ranking import RankAgreement
from referee.hearers.passports.transfer import Experiment, sum_up
from referee.statistics.dependent_trials import Clusters

N = 900
RNG = np.random.default_rng(5)
EASY = RNG.random(N) < 0.7
PLACE = RNG.integers(3, size=N)
GAME = np.arange(N) % 30
HUMAN_RIGHT = RNG.random(N) < np.where(EASY, 0.95, 0.5)


def evidence(target: np.ndarray, right: np.ndarray) -> AnswerColumns:
    """A hearer with these probabilities of the target and these successes, beside the same people."""
    miss = (PLACE + 1) % 3
    return AnswerColumns(
        target=target,
        taken=np.where(HUMAN_RIGHT, target, (1 - target) / 2),
        top=np.maximum(target, (1 - target) / 2),
        delay=-target,
        times=np.full(N, np.nan),
        right=right,
        human_right=HUMAN_RIGHT,
        choices=tuple(str(p) for p in np.where(right, PLACE, miss)),
        human_choices=tuple(str(p) for p in np.where(HUMAN_RIGHT, PLACE, miss)),
        shown=tuple(str(p) for p in np.where(right, PLACE, miss)),
        sizes=np.full(N, 3),
        questions=np.arange(N),
        games=GAME,
        conditions=np.zeros(N, dtype=np.int64),
        clusters=Clusters(("game",), (GAME,)),
    )


SOUND = evidence(np.where(EASY, 0.95, 0.5), EASY | (np.arange(N) % 2 == 0))


def verdict(t: AnswerColumns, probes: dict[str, Probe] | None = None, **more: bool | float) -> Verdict:
    return decide_fitness(measure(t), probes or {}, **more)  # type: ignore[arg-type]


def test_a_hearer_that_knows_what_people_find_hard_may_be_used() -> None:
    assert verdict(SOUND).word == HERE


def test_the_floor_fails_and_what_was_tested_is_printed() -> None:
    found = verdict(evidence(np.where(np.arange(N) % 4, 0.25, 0.5), np.zeros(N, dtype=bool)))
    assert found.word == UNFIT
    assert found.reasons[0].startswith(
        "It is not above chance: expected accuracy 0.312 against 0.333 by uniform guessing, n = 900 over 30 games: t = -"
    )
    assert "one-sided p = " in found.reasons[0]
    assert "(limit 0.025)" in found.reasons[0]
    never = verdict(evidence(np.zeros(N), np.zeros(N, dtype=bool)))
    assert "nothing varies" in never.reasons[0]


def test_the_ceiling_fails_because_it_tells_nothing_apart() -> None:
    found = verdict(evidence(np.ones(N), np.ones(N, dtype=bool)))
    assert found.word == UNFIT
    assert "AUC 0.500 is not above 0.5" in found.reasons[0]
    assert any("more often than people" in reason for reason in found.reasons)


def test_a_hearer_less_than_halfway_from_chance_to_people_fails_however_well_it_tells_them_apart() -> None:
    halfway = 1 / 3 + (HUMAN_RIGHT.mean() - 1 / 3) / 2
    rarely = EASY & (np.arange(N) // 30 % 5 < 3)
    m = measure(evidence(np.where(EASY, 0.6, 0.2), rarely))
    assert m.chance < m.intervals["accuracy"][0] < m.accuracy < halfway  # type: ignore[index]
    assert m.expected_accuracy < halfway
    found = decide_fitness(m, {})
    assert found.word == UNFIT
    assert found.reasons[0].startswith("It comes less than half of the way from chance (0.333) to people")


def test_several_is_not_wrong() -> None:
    # it points in 42 % of the answers only, but its belief in the target is .81 on average, and people find .81
    found = verdict(evidence(np.where(EASY, 0.95, 0.5), EASY & (np.arange(N) // 30 % 5 < 3)))
    assert found.word == HERE


def test_a_hearer_whose_belief_is_far_below_people_needs_care() -> None:
    found = verdict(evidence(np.where(EASY, 0.75, 0.4), EASY & (np.arange(N) // 30 % 5 < 3)))
    assert found.word == CARE
    assert any("less often than people" in reason for reason in found.reasons)


def test_a_hearer_that_only_tells_conditions_apart_is_told_so() -> None:
    by_condition = replace(SOUND, conditions=EASY.astype(np.int64))
    found = verdict(by_condition)
    assert found.word == CARE
    assert "It tells conditions apart rather than descriptions: within conditions its AUC is 0.500" in found.reasons[0]


RANKED = RankAgreement(
    over="games",
    units=30,
    least=10,
    n=900,
    spearman=0.5,
    spearman_interval=(0.2, 0.8),
    spa=0.7,
    spa_interval=(0.6, 0.8),
    spa_chance=0.6,
    intervals_over="games",
)


def test_ranking_is_in_the_verdict() -> None:
    m = measure(SOUND)
    assert (
        "ranks 30 games as people do with rho 0.500 [0.200, 0.800]" in decide_fitness(m, {}, ranking=RANKED).reasons[0]
    )
    found = decide_fitness(m, {}, ranking=replace(RANKED, spearman=0.1, spearman_interval=(-0.2, 0.4)))
    assert found.word == CARE
    assert "does not rank 30 games as people do: rho 0.100 [-0.200, 0.400]" in found.reasons[0]


def test_what_does_not_hold_on_new_objects_says_so() -> None:
    fails = Novelty(
        n=900, units=12, folds=5, accuracy=0.1, expected_accuracy=0.1, auc=0.5, auc_interval=(0.4, 0.6), holds=False
    )
    found = decide_fitness(measure(SOUND), {}, new={"object": fails, "scene": replace(fails, holds=True)})
    assert found.word == CARE
    assert found.reasons[0].startswith("What it learned does not hold for new objects: accuracy 0.100 instead of")
    held = decide_fitness(measure(SOUND), {}, new={"scene": replace(fails, holds=True), "object": Novelty(why="one")})
    assert (held.word, "It holds on new scenes as well." in held.reasons[0]) == (HERE, True)


def judge(area: float | None, bounds: tuple[float, float] | None, people: float = 0.8) -> Verdict:
    value = Area(area, bounds, 100)
    found = JudgeAgreement(
        n=900,
        human_accuracy=people,
        area=value,
        within_condition=value,
        within_game=value,
        correlation=None,
        correlation_interval=None,
        agreed=None,
        kappa=None,
    )
    return decide_judge(found, None)


def test_judges_have_to_tell_what_people_understand() -> None:
    assert judge(0.7, (0.6, 0.8)).word == HERE
    assert judge(0.55, (0.52, 0.58)).word == CARE
    assert judge(0.7, (0.45, 0.95)).word == UNFIT
    assert judge(None, None, people=1.0).word == OPEN


def test_a_hearer_with_a_favourite_place_fails() -> None:
    m = measure(SOUND)
    leaning = replace(m, position_shown=replace(m.position_shown, value=0.3, p=1e-9))
    assert decide_fitness(leaning, {}).word == UNFIT
    slightly = replace(m, position_shown=replace(m.position_shown, value=0.06, p=1e-9))
    assert decide_fitness(slightly, {}).word == CARE
    by_chance = replace(m, position_shown=replace(m.position_shown, value=0.06, p=0.4))
    assert decide_fitness(by_chance, {}).word == HERE


def test_certainty_about_nothing_calls_for_care() -> None:
    sure = Probe(n=50, pointed=1.0, top=0.97)
    for kind, words in (
        ("empty", "nothing was said"),
        ("contradictory", "contradicts"),
        ("ambiguous", "several objects"),
    ):
        found = verdict(SOUND, {kind: sure})
        assert found.word == CARE
        assert words in found.reasons[0]
    assert verdict(SOUND, {"empty": Probe(n=50, pointed=1.0, top=0.4), "ambiguous": Probe(n=0)}).word == HERE


def test_circumstances_call_for_care() -> None:
    assert verdict(SOUND, same_family=True).reasons == (
        "Speaker and hearer are of one family, so it may reward their common quirks.",
    )
    assert verdict(SOUND, certain=False).word == CARE
    assert verdict(SOUND, unread=0.2).reasons == ("It could not read 20.0% of the descriptions.",)


def test_few_answers_call_for_care() -> None:
    found = verdict(SOUND.rows(np.arange(N) < 90))
    assert found.word in (CARE, UNFIT)
    assert any("The data are few: 90 answers" in reason for reason in found.reasons)


def test_where_people_never_failed_nobody_can_be_judged() -> None:
    found = verdict(SOUND.rows(HUMAN_RIGHT))
    assert found.word == OPEN
    assert "People always found the target" in found.reasons[0]


def elsewhere(*areas: float, half: float = 0.02) -> list[Experiment]:
    """Experiments with these AUCs, each known to within `half`."""
    return [
        Experiment(
            corpus="c",
            experiment=f"e{i}",
            n=400,
            accuracy=0.8,
            human_accuracy=0.9,
            auc=area,
            calibration_error=0.05,
            log_likelihood=-0.4,
            read=1.0,
            words_known=None,
            auc_interval=(area - half, area + half),
            accuracy_interval=(0.77, 0.83),
        )
        for i, area in enumerate(areas)
    ]


def test_one_experiment_earns_no_word_about_others() -> None:
    assert verdict(SOUND).word == HERE
    assert sum_up(elsewhere(0.8)) is None


def test_few_experiments_are_listed_and_predict_nothing() -> None:
    few = sum_up(elsewhere(0.80, 0.78, 0.81, 0.79))
    assert few is not None
    assert (few.low, few.high) == (None, None)
    assert few.auc == np.mean([0.80, 0.78, 0.81, 0.79])
    found = decide_fitness(measure(SOUND), {}, transfer=few)
    assert found.word == ELSEWHERE
    assert all(value in found.reasons[0] for value in ("0.800", "0.780", "0.810", "0.790"))


def test_five_experiments_that_agree_earn_a_verdict_and_five_that_do_not_earn_none() -> None:
    agree, differ = sum_up(elsewhere(0.80, 0.78, 0.81, 0.79, 0.80)), sum_up(elsewhere(0.9, 0.55, 0.8, 0.6, 0.75))
    assert agree is not None
    assert differ is not None
    assert (agree.is_known, differ.is_known) == (True, False)
    assert differ.low is not None
    assert decide_fitness(measure(SOUND), {}, transfer=agree).word == FIT
    assert decide_fitness(measure(SOUND), {}, transfer=differ).word == ELSEWHERE


def test_a_prediction_that_reaches_chance_calls_for_care() -> None:
    weak = sum_up(elsewhere(0.55, 0.58, 0.52, 0.60, 0.54, 0.57))
    assert weak is not None
    assert weak.is_known
    assert decide_fitness(measure(SOUND), {}, transfer=weak).word == CARE


def test_what_fails_here_fails_whatever_other_experiments_say() -> None:
    agree = sum_up(elsewhere(0.80, 0.78, 0.81, 0.79, 0.80))
    assert decide_fitness(measure(evidence(np.zeros(N), np.zeros(N, dtype=bool))), {}, transfer=agree).word == UNFIT
