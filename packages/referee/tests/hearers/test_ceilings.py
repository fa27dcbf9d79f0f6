"""How well people foretell people: made answers with a known law, and counts by hand."""

from __future__ import annotations

import numpy as np
import pytest

from referee.hearers.passports.ceilings import find_ceiling


def test_without_anything_to_foretell_the_ceiling_is_one_half() -> None:
    rng = np.random.default_rng(3)
    questions = np.repeat(np.arange(8000), 4)
    right = rng.random(32000) < 0.6
    found = find_ceiling(questions, right, [str(int(r)) for r in right])
    assert found is not None
    assert found.auc == pytest.approx(0.5, abs=0.02)
    assert found.kappa == pytest.approx(0.0, abs=0.02)
    assert (found.questions, found.n) == (8000, 32000)


def test_people_who_all_agree_foretell_each_other_wholly() -> None:
    questions = np.repeat(np.arange(40), 3)
    right = questions % 2 == 0
    found = find_ceiling(questions, right, [str(q % 4) for q in questions])
    assert found is not None
    assert (found.auc, found.kappa) == (1.0, 1.0)


def test_the_area_is_that_of_the_others_by_hand() -> None:
    # 20 descriptions found by 2 of 3 (the successes see 1/2 of the others succeed, the failures 2/2), 20 by nobody (all see 0): a success (1/2) meets
    # 20 failures that see 1 and 60 that see 0, so the area is 60/80
    questions = np.repeat(np.arange(40), 3)
    right = np.array([True, True, False] * 20 + [False] * 60)
    found = find_ceiling(questions, right, [str(r) for r in right])
    assert found is not None
    assert found.auc == pytest.approx(0.75)


def test_kappa_of_two_people_by_hand() -> None:
    # 20 descriptions with answers a a b (pairs that agree: 1 of 3), 20 with b b b (all): (20·3·1/3 + 20·3·1) / 120 = 2/3 agree;
    # a has 40 of 120 answers, b 80: 1/9 + 4/9 = 5/9 by chance; (2/3 − 5/9) / (1 − 5/9) = 1/4
    questions = np.repeat(np.arange(40), 3)
    choices = ["a", "a", "b"] * 20 + ["b"] * 60
    found = find_ceiling(questions, np.array([c == "b" for c in choices]), choices)
    assert found is not None
    assert found.kappa == pytest.approx(0.25)


def test_answers_that_stand_alone_are_left_out_and_few_descriptions_have_no_ceiling() -> None:
    questions = np.concatenate([np.repeat(np.arange(20), 2), np.arange(100, 150)])
    right = np.arange(len(questions)) % 3 > 0
    found = find_ceiling(questions, right, [str(r) for r in right])
    assert found is not None
    assert (found.questions, found.n) == (20, 40)
    assert find_ceiling(questions[2:], right[2:], [str(r) for r in right[2:]]) is None


def test_descriptions_that_people_find_equally_often_leave_nothing_to_rank() -> None:
    """Chi-square of successes by description against scipy.stats.chi2_contingency without its correction."""
    from scipy.stats import chi2_contingency

    rng = np.random.default_rng(3)
    for rates, differ in ((np.full(40, 0.6), False), (np.repeat([0.2, 0.9], 20), True)):
        questions = np.repeat(np.arange(40), 12)
        right = rng.random(480) < rates[questions]
        ceiling = find_ceiling(questions, right, [str(r) for r in right])
        successes = np.bincount(questions, right)
        statistic, p, df, _ = chi2_contingency(np.column_stack([successes, 12 - successes]), correction=False)
        assert ceiling is not None
        assert (ceiling.chi2, ceiling.df, ceiling.p) == pytest.approx((statistic, df, p))
        assert ceiling.has_differences == differ
