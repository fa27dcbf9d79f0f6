"""Does what a hearer learned hold for what it never saw? Beside new games it is asked about new scenes, new kinds of objects and new conditions.

A hearer that knows twelve figures by heart from other games passes every test by games and fails on the thirteenth figure. Here both are new: in every fold it
is asked about objects (say) of that fold in games of that fold, and learns from other objects in other games. So only a part of the answers is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from referee.hearers.passports.answer_columns import Belief, tabulate
from referee.hearers.passports.areas import Bounds
from referee.hearers.passports.examination import Examination, question_of, share_out, units_of
from referee.hearers.passports.measures import Measures, measure
from referee.hearers.passports.people import People, unit_of
from referee.hearers.passports.questions import Asking, Question, put
from referee.records import Trial

__all__ = ["HALFWAY", "NEW", "Novelty", "hear_new"]

NEW = ("scene", "object", "condition")
RECURS = 1.5
HALFWAY = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Novelty:
    """What a hearer reaches on scenes, objects or conditions that it never learned from; `why` says where there is no value."""

    n: int = 0
    units: int = 0
    folds: int = 0
    accuracy: float | None = None
    expected_accuracy: float | None = None
    auc: float | None = None
    auc_interval: Bounds | None = None
    holds: bool | None = None
    why: str | None = None


def hear_new(examination: Examination, people: People, known: Measures) -> dict[str, Novelty]:
    """One further examination for each of scene, object and condition that recurs in these data; `known` is what it reaches on new games alone."""
    return {by: _hear(examination, people, by, known) for by in NEW if by != examination.by}


def _hear(examination: Examination, people: People, by: str, known: Measures) -> Novelty:
    sizes = units_of(people, by)
    if len(sizes) < 2:
        return Novelty(units=len(sizes), why=f"there is only one {by}")
    if sum(sizes.values()) < RECURS * len(sizes):
        return Novelty(units=len(sizes), why=f"hardly any {by} occurs twice: nearly all are new already")
    folds = min(examination.folds, len(sizes))
    beliefs = _beliefs(replace(examination, folds=folds), people, by)
    asked = replace(people, answers=tuple(a for a in people.answers if question_of(a) in beliefs))
    if not asked.answers:
        return Novelty(units=len(sizes), why=f"no fold has both a new {by} and a new {examination.by}")
    m = measure(tabulate(asked.answers, [beliefs[question_of(a)] for a in asked.answers], asked.clusters()))
    return Novelty(
        n=m.n,
        units=len(sizes),
        folds=folds,
        accuracy=m.accuracy,
        expected_accuracy=m.expected_accuracy,
        auc=m.auc,
        auc_interval=m.intervals["auc"],
        holds=_is_sound(m, known),
    )


def _beliefs(examination: Examination, people: People, by: str) -> dict[Question, Belief]:
    """Beliefs about what is new twice over, fold by fold."""
    kinds, games = (share_out(people, replace(examination, by=factor)) for factor in (by, examination.by))
    plan: list[Asking] = []
    for fold in range(examination.folds):

        def inside(trial: Trial, fold: int = fold) -> tuple[bool, bool]:
            return kinds.get(unit_of(trial, by)) == fold, games.get(unit_of(trial, examination.by)) == fold

        asked = list(dict.fromkeys(question_of(a) for a in people.answers if all(inside(a.trial))))
        lessons = [t for t in people.trials if not any(inside(t))]
        if asked and lessons:
            plan.append((lessons, [asked]))
    trials = {t.id: t for t in people.trials}
    found: dict[Question, Belief] = {}
    for (_, (questions,)), (beliefs,) in zip(plan, put(examination, trials, plan), strict=True):
        found |= zip(questions, beliefs, strict=True)
    return found


def _is_sound(m: Measures, known: Measures) -> bool:
    """Above chance, at least half of the way to people, and able to tell what people understand: surely, or as far as can be seen no worse than before."""
    floor = m.chance + HALFWAY * (m.human_accuracy - m.chance)
    bounds = m.intervals["auc"]
    tells = m.auc is None or bounds is None or bounds[0] > 0.5 or (known.auc is not None and bounds[1] >= known.auc)
    return m.above_chance.holds and max(m.accuracy, m.expected_accuracy) >= floor and tells
