"""The examination of a hearer: people's questions, and a few probes, always about games outside its training data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random

from referee.capabilities import learns
from referee.errors import InputError
from referee.hearers.passports.answer_columns import Belief
from referee.hearers.passports.people import HumanAnswer, People, find_unit
from referee.hearers.passports.probes import KINDS, find_described, make_probes
from referee.hearers.passports.questions import Advance, Examination, Question, create_hearer, put
from referee.hearers.recorded import is_recorded
from referee.records import Description, Trial

__all__ = ["Begin", "Beliefs", "Examination", "ask_hearer", "count_units", "limit_folds", "make_question", "share_out"]

Begin = Callable[[int], Advance]


@dataclass(slots=True)
class Beliefs:
    """A hearer's answers to every question, with its fold, and to every probe."""

    beliefs: dict[Question, Belief]
    folds: dict[str, int]
    probes: dict[str, list[tuple[Belief, float | None]]]


def make_question(answer: HumanAnswer) -> Question:
    """Return the question of an answer, which is asked once for all people who answered it."""
    return answer.trial.id, answer.description


def ask_hearer(
    examination: Examination, people: People, begin: Begin, lessons: Sequence[Trial] | None = None
) -> Beliefs:
    """Return all questions and probes, each answered by a hearer that may be asked it: one that learned from the other folds, or from `lessons`."""
    folds = share_out(people, examination)
    asked = dict.fromkeys(make_question(a) for a in people.answers)
    trials = {t.id: t for t in people.trials}
    probed = _make_probes(people, examination)
    advance = begin(len(asked) + sum(len(made) for made in probed.values()))
    heard = Beliefs(
        {}, {q[0]: folds[find_unit(trials[q[0]], examination.by)] for q in asked}, {kind: [] for kind in KINDS}
    )
    parts = []
    for lessons_of_fold, fold in _make_lessons(examination, people, folds, lessons):
        fold_questions = [q for q in asked if fold is None or heard.folds[q[0]] == fold]
        made = [(q, kind, probe) for q in fold_questions for kind, probe in probed.get(q, {}).items()]
        parts.append((lessons_of_fold, fold_questions, made))
    plan = [
        (learned, (fold_questions, [(q[0], probe) for q, _, probe in made])) for learned, fold_questions, made in parts
    ]
    for (_, fold_questions, made), (beliefs, answers) in zip(
        parts, put(examination, trials, plan, advance), strict=True
    ):
        heard.beliefs.update(zip(fold_questions, beliefs, strict=True))
        for (q, kind, probe), belief in zip(made, answers, strict=True):
            if not belief.answered:
                continue
            fits = find_described(kind, probe, q[1], trials[q[0]].scene)
            heard.probes[kind].append((belief, sum(belief.shares[e] for e in sorted(fits)) if fits else None))
    return heard


def count_units(people: People, by: str) -> Counter[str]:
    """Return games (or speakers, scenes, objects, conditions) with their numbers of answers."""
    return Counter(find_unit(a.trial, by) for a in people.answers)


def limit_folds(examination: Examination, people: People) -> Examination:
    """Return the examination with no more folds than games, for a hearer without training.

    Folds then only show its variation.
    """
    if examination.train is None and not is_recorded(examination.hearer) and learns(create_hearer(examination)):
        return examination
    return replace(examination, folds=min(examination.folds, len(count_units(people, examination.by))))


def share_out(people: People, examination: Examination) -> dict[str, int]:
    """Assign units in random order to the fold with the fewest answers so far."""
    sizes = count_units(people, examination.by)
    if examination.folds > len(sizes):
        few = "2 folds (--folds 2)" if len(sizes) == 2 else f"2 to {len(sizes)} folds"
        raise InputError(
            f"{len(sizes)} unit{'s' * (len(sizes) != 1)} cannot be divided into {examination.folds} folds by {examination.by}",
            remedy=f"ask for {few}" if len(sizes) > 1 else f"a hearer that learns needs more than one {examination.by}",
        )
    order = sorted(sizes)
    Random(examination.seed).shuffle(order)
    filled = [0] * examination.folds
    folds = {}
    for unit in order:
        folds[unit] = filled.index(min(filled))
        filled[folds[unit]] += sizes[unit]
    return folds


def _make_lessons(
    examination: Examination, people: People, folds: Mapping[str, int], lessons: Sequence[Trial] | None
) -> Iterator[tuple[Sequence[Trial], int | None]]:
    """Return the training data with the fold to test on (None: all).

    A hearer that does not declare otherwise is assumed to learn.
    """
    if not learns(create_hearer(examination)) or lessons is not None:
        yield lessons or (), None
        return
    for fold in range(examination.folds):
        yield [t for t in people.trials if folds.get(find_unit(t, examination.by)) != fold], fold


def _make_probes(people: People, examination: Examination) -> dict[Question, dict[str, Description]]:
    """Return generated descriptions for questions sampled at random, at most one per trial."""
    rng = Random(f"{examination.seed}|probes")
    by_trial = {a.trial.id: a for a in people.answers}
    drawn = rng.sample(sorted(by_trial), min(examination.probes, len(by_trial)))
    made = {}
    for trial_id in drawn:
        answer = by_trial[trial_id]
        other = by_trial[rng.choice(drawn)]
        differs = _list_appearances(other.trial) != _list_appearances(answer.trial)
        elsewhere = other.description.text if differs else None
        made[make_question(answer)] = make_probes(answer.trial, answer.description, elsewhere, rng)
    return made


def _list_appearances(trial: Trial) -> object:
    return trial.scene.entity(trial.targets[0]).attributes
