"""The verdict of a passport: who passes, who fails, and why."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from referee.hearers.passports.fitness import CARE, FIT, OPEN, UNFIT, Probe, Verdict, decide_fitness
from referee.hearers.passports.measures import AnswerColumns, measure

N = 900
RNG = np.random.default_rng(5)
EASY = RNG.random(N) < 0.7
PLACE = RNG.integers(3, size=N)
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
        sizes=np.full(N, 3),
        questions=np.arange(N),
        units=np.arange(N) % 30,
    )


SOUND = evidence(np.where(EASY, 0.95, 0.5), EASY | (np.arange(N) % 2 == 0))


def verdict(t: AnswerColumns, probes: dict[str, Probe] | None = None, **more: bool | float) -> Verdict:
    return decide_fitness(measure(t, resamples=100), probes or {}, **more)  # type: ignore[arg-type]


def test_a_hearer_that_knows_what_people_find_hard_may_be_used() -> None:
    assert verdict(SOUND).word == FIT


def test_the_floor_fails() -> None:
    found = verdict(evidence(np.zeros(N), np.zeros(N, dtype=bool)))
    assert found.word == UNFIT
    assert "not above chance" in found.reasons[0]


def test_the_ceiling_fails_because_it_tells_nothing_apart() -> None:
    found = verdict(evidence(np.ones(N), np.ones(N, dtype=bool)))
    assert found.word == UNFIT
    assert "AUC 0.500 is not above 0.5" in found.reasons[0]
    assert any("more often than people" in reason for reason in found.reasons)


def test_a_hearer_less_than_halfway_from_chance_to_people_fails_however_well_it_tells_them_apart() -> None:
    halfway = 1 / 3 + (HUMAN_RIGHT.mean() - 1 / 3) / 2
    rarely = EASY & (np.arange(N) // 30 % 5 < 3)
    m = measure(evidence(np.where(EASY, 0.6, 0.2), rarely), resamples=100)
    assert m.chance < m.intervals["accuracy"][0] < m.accuracy < halfway  # type: ignore[index]
    assert m.target_probability < halfway
    found = decide_fitness(m, {})
    assert found.word == UNFIT
    assert found.reasons[0].startswith("It comes less than half of the way from chance (0.333) to people")


def test_a_hearer_that_says_several_where_people_guess_is_not_taken_for_a_weak_one() -> None:
    found = verdict(evidence(np.where(EASY, 0.95, 0.5), EASY & (np.arange(N) // 30 % 5 < 3)))
    assert found.word == CARE
    assert any("less often than people" in reason for reason in found.reasons)


def test_a_hearer_with_a_favourite_place_fails() -> None:
    m = measure(SOUND, resamples=100)
    leaning = replace(m, position=replace(m.position, value=0.3, p=1e-9))
    assert decide_fitness(leaning, {}).word == UNFIT
    slightly = replace(m, position=replace(m.position, value=0.06, p=1e-9))
    assert decide_fitness(slightly, {}).word == CARE
    by_chance = replace(m, position=replace(m.position, value=0.06, p=0.4))
    assert decide_fitness(by_chance, {}).word == FIT


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
    assert verdict(SOUND, {"empty": Probe(n=50, pointed=1.0, top=0.4), "ambiguous": Probe(n=0)}).word == FIT


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
