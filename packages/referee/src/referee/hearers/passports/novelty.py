"""Tests generalisation: beside new games, a hearer is tested on new scenes, new kinds of objects and new conditions.

A hearer that has memorised twelve figures from other games passes every test by games and fails on the thirteenth
figure. Here both are new: every fold is tested on objects (for example) of that fold in games of that fold, after
training on other objects in other games. Only a part of the answers is used therefore.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from referee.hearers.passports.answer_columns import Belief, tabulate
from referee.hearers.passports.areas import Bounds
from referee.hearers.passports.examination import Examination, count_units, make_question, share_out
from referee.hearers.passports.measures import Measures, measure
from referee.hearers.passports.people import People, find_unit
from referee.hearers.passports.questions import Asking, Question, put

NEW = ("scene", "object", "condition")
RECURS = 1.5
HALFWAY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Novelty:
    """A hearer's results on scenes, objects or conditions outside its training data.

    `why` is the reason for a missing value.
    """

    n: int = 0
    units: int = 0
    folds: int = 0
    accuracy: float | None = None
    expected_accuracy: float | None = None
    auc: float | None = None
    auc_interval: Bounds | None = None
    holds: bool | None = None
    why: str | None = None


def ask_about_new(examination: Examination, people: People, baseline: Measures) -> dict[str, Novelty]:
    """Test the hearer on scenes, objects and conditions that were not in its training data.

    What hardly recurs in these data is new to it in any case and not tested again. `baseline` has its measures on new
    games alone.
    """
    sizes = {by: count_units(people, by) for by in NEW if by != examination.by}
    plans = {
        by: [] if _explain_too_few(by, unit_sizes) else _plan(examination, people, by)
        for by, unit_sizes in sizes.items()
    }
    # All at once, so that training can run in parallel.
    heard = iter(put(examination, {t.id: t for t in people.trials}, [part for plan in plans.values() for part in plan]))
    new = {}
    for by, plan in plans.items():
        beliefs: dict[Question, Belief] = {}
        for (_, (questions,)), (answers,) in zip(plan, heard, strict=False):
            beliefs |= zip(questions, answers, strict=True)
        new[by] = _measure_novelty(examination, people, by, sizes[by], beliefs, baseline)
    return new


def _explain_too_few(by: str, sizes: Counter[str]) -> str | None:
    """Return the reason why no test is possible; None if it is."""
    if len(sizes) < 2:
        return f"there is only one {by}"
    if sum(sizes.values()) < RECURS * len(sizes):
        return f"hardly any {by} occurs twice: nearly all are new already"
    return None


def _plan(examination: Examination, people: People, by: str) -> list[Asking]:
    """Return the questions that are new in both respects, by fold, with their training data."""
    examination = replace(examination, folds=_count_folds(examination, count_units(people, by)))
    kinds, games = (share_out(people, replace(examination, by=factor)) for factor in (by, examination.by))
    where = {t.id: (kinds.get(find_unit(t, by)), games.get(find_unit(t, examination.by))) for t in people.trials}
    asked = dict.fromkeys(make_question(a) for a in people.answers)
    plan: list[Asking] = []
    for fold in range(examination.folds):
        questions = [q for q in asked if where[q[0]] == (fold, fold)]
        lessons = [t for t in people.trials if fold not in where[t.id]]
        if questions and lessons:
            plan.append((lessons, [questions]))
    return plan


def _count_folds(examination: Examination, sizes: Counter[str]) -> int:
    return min(examination.folds, len(sizes))


def _measure_novelty(
    examination: Examination,
    people: People,
    by: str,
    sizes: Counter[str],
    beliefs: Mapping[Question, Belief],
    baseline: Measures,
) -> Novelty:
    """Return the results on one kind of novelty."""
    asked = replace(people, answers=tuple(a for a in people.answers if make_question(a) in beliefs))
    if not asked.answers:
        why = _explain_too_few(by, sizes) or f"no fold has both a new {by} and a new {examination.by}"
        return Novelty(units=len(sizes), why=why)
    m = measure(tabulate(asked.answers, [beliefs[make_question(a)] for a in asked.answers], asked.clusters()))
    return Novelty(
        n=m.n,
        units=len(sizes),
        folds=_count_folds(examination, sizes),
        accuracy=m.accuracy,
        expected_accuracy=m.expected_accuracy,
        auc=m.auc,
        auc_interval=m.intervals["auc"],
        holds=_is_sound(m, baseline),
    )


def _is_sound(m: Measures, baseline: Measures) -> bool:
    """Return whether results are above chance, at least half way to people, and discriminate: significantly, or not
    detectably worse than `baseline`.
    """
    floor = m.chance + HALFWAY * (m.human_accuracy - m.chance)
    bounds = m.intervals["auc"]
    tells = (
        m.auc is None or bounds is None or bounds[0] > 0.5 or (baseline.auc is not None and bounds[1] >= baseline.auc)
    )
    return m.above_chance.holds and max(m.accuracy, m.expected_accuracy) >= floor and tells
