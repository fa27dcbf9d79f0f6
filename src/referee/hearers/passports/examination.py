"""A hearer examined: asked what people were asked, and a few things that nobody would say, always about games that it did not learn from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from referee.capabilities import Remembers, SignsCalls, in_parallel, learns, parallel_of, resolve_all
from referee.errors import InputError, RefereeError
from referee.hearers.passports.answer_columns import Belief, read_belief
from referee.hearers.passports.named_hearer import name_of, summon
from referee.hearers.passports.people import HumanAnswer, People, unit_of
from referee.hearers.passports.probes import KINDS, fitting, make_probes
from referee.hearers.recorded import is_recorded
from referee.records import Description, HearerView, Trial
from referee.runs.listen import shown

__all__ = [
    "Begin",
    "Beliefs",
    "Examination",
    "fitting_folds",
    "hear_everything",
    "hear_part",
    "question_of",
    "share_out",
    "units_of",
]

Advance = Callable[[int], None]
Begin = Callable[[int], Advance]
Question = tuple[str, Description]
CHUNK = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """All that decides what a passport says: `probes` is the number of scenes for made descriptions, `families` names speakers to be judged.

    `reads` is words or properties; `train` what a hearer learns from instead of the other folds; `beside` asks a hearer that learns about new scenes, kinds
    of objects and conditions as well.
    """

    hearer: str
    corpus: str | None = None
    data: str | Path | None = None
    folds: int = 5
    by: str = "game"
    reads: str = "words"
    train: str | None = None
    beside: bool = True
    limit: int | None = None
    probes: int = 100
    resamples: int = 500
    seed: int = 1
    families: tuple[str, ...] = ()
    calls: Path | None = None


@dataclass(slots=True)
class Beliefs:
    """What a hearer believed of every question, with the fold it was asked in, and of every probe."""

    beliefs: dict[Question, Belief]
    folds: dict[str, int]
    probes: dict[str, list[tuple[Belief, float | None]]]


def question_of(answer: HumanAnswer) -> Question:
    """What the hearer is asked, once, however many people answered it."""
    return answer.trial.id, answer.description


def hear_everything(
    examination: Examination, people: People, begin: Begin, lessons: Sequence[Trial] | None = None
) -> Beliefs:
    """All questions and probes, each answered by a hearer that may be asked it: one that learned from the other folds, or from `lessons`."""
    folds = share_out(people, examination)
    asked = dict.fromkeys(question_of(a) for a in people.answers)
    trials = {t.id: t for t in people.trials}
    probed = _probes(people, examination)
    advance = begin(len(asked) + sum(len(made) for made in probed.values()))
    heard = Beliefs(
        {}, {q[0]: folds[unit_of(trials[q[0]], examination.by)] for q in asked}, {kind: [] for kind in KINDS}
    )
    for hearer, fold in _trained(examination, people, folds, lessons):
        mine = [q for q in asked if fold is None or heard.folds[q[0]] == fold]
        heard.beliefs.update(zip(mine, _ask(hearer, mine, trials, examination, advance), strict=True))
        made = [(q, kind, probe) for q in mine for kind, probe in probed.get(q, {}).items()]
        answers = _ask(hearer, [(q[0], probe) for q, _, probe in made], trials, examination, advance)
        for (q, kind, probe), belief in zip(made, answers, strict=True):
            if not belief.answered:
                continue
            fits = fitting(kind, probe, q[1], trials[q[0]].scene)
            heard.probes[kind].append((belief, sum(belief.shares[e] for e in sorted(fits)) if fits else None))
    return heard


def hear_part(
    examination: Examination, people: People, lessons: Sequence[Trial], asked: Sequence[Question]
) -> dict[Question, Belief]:
    """Some questions, answered by a hearer that learned from some trials."""
    trials = {t.id: t for t in people.trials}
    hearer = _fitted(_ready(examination), lessons, examination)
    return dict(zip(asked, _ask(hearer, asked, trials, examination, lambda n: None), strict=True))


def units_of(people: People, by: str) -> Counter[str]:
    """Games (or speakers, scenes, objects, conditions) with their numbers of answers."""
    return Counter(unit_of(a.trial, by) for a in people.answers)


def fitting_folds(examination: Examination, people: People) -> Examination:
    """The same examination, with no more folds than there are games if the hearer learns nothing here: folds then only show how it varies."""
    if examination.train is None and not is_recorded(examination.hearer) and learns(_summoned(examination)):
        return examination
    return replace(examination, folds=min(examination.folds, len(units_of(people, examination.by))))


def _summoned(examination: Examination) -> Any:
    return summon(examination.hearer, examination.seed)


def share_out(people: People, examination: Examination) -> dict[str, int]:
    """Units in random order, each to the fold with the fewest answers so far."""
    sizes = units_of(people, examination.by)
    if examination.folds > len(sizes):
        few = "2 folds (--folds 2)" if len(sizes) == 2 else f"2 to {len(sizes)} folds"
        raise InputError(
            f"{len(sizes)} unit{'s' * (len(sizes) != 1)} cannot make {examination.folds} folds by {examination.by}",
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


def _trained(
    examination: Examination, people: People, folds: Mapping[str, int], lessons: Sequence[Trial] | None
) -> Iterator[tuple[Any, int | None]]:
    """Hearers with the fold each may be asked about (None: all); whoever does not say that it learns nothing is taken to learn."""
    hearer = _ready(examination)
    if not learns(hearer) or lessons is not None:
        yield _fitted(hearer, lessons or (), examination), None
        return
    for fold in range(examination.folds):
        others = [t for t in people.trials if folds.get(unit_of(t, examination.by)) != fold]
        yield _fitted(_ready(examination), others, examination), fold


def _ready(examination: Examination) -> Any:
    hearer = _summoned(examination)
    if examination.calls is not None and isinstance(hearer, Remembers):
        examination.calls.mkdir(parents=True, exist_ok=True)
        if isinstance(hearer, SignsCalls):
            hearer.asker = name_of(examination.hearer)
        hearer.remember(examination.calls)
    return hearer


def _fitted(hearer: Any, trials: Sequence[Trial], examination: Examination) -> Any:
    try:
        fitted = hearer.fit(trials)
    except RefereeError:
        raise
    except Exception as error:
        raise _told(error, f"{name_of(examination.hearer)} cannot be trained") from error
    return hearer if fitted is None else fitted


def _told(error: Exception, what: str) -> InputError:
    return InputError(f"{what} ({type(error).__name__}: {error})", remedy="this is a fault of the hearer")


def _ask(
    hearer: Any,
    questions: Sequence[Question],
    trials: Mapping[str, Trial],
    examination: Examination,
    advance: Advance,
) -> list[Belief]:
    """What the hearer believes of each question; one that waits for others is asked several at once, one that can take many gets many."""
    name = name_of(examination.hearer)

    def pair(question: Question) -> tuple[Description, HearerView]:
        return question[1], shown(trials[question[0]], examination.seed)

    def answer(part: Sequence[Question]) -> list[Belief]:
        pairs = [pair(q) for q in part]
        try:
            responses = resolve_all(hearer, pairs)
        except RefereeError:
            raise
        except Exception as error:
            raise _told(error, f"{name} failed at trial {part[0][0]!r} or soon after") from error
        if len(responses) != len(pairs):
            raise InputError(f"{name} gave {len(responses)} answers to {len(pairs)} descriptions")
        return [read_belief(r, p[1], name) for r, p in zip(responses, pairs, strict=True)]

    size = CHUNK if parallel_of(hearer) == 1 else 1
    parts = [questions[i : i + size] for i in range(0, len(questions), size)]
    beliefs: list[Belief] = []
    for found in in_parallel(hearer, answer, parts):
        beliefs += found
        advance(len(found))
    return beliefs


def _probes(people: People, examination: Examination) -> dict[Question, dict[str, Description]]:
    """Made descriptions for questions drawn by lot, at most one a trial."""
    rng = Random(f"{examination.seed}|probes")
    by_trial = {a.trial.id: a for a in people.answers}
    drawn = rng.sample(sorted(by_trial), min(examination.probes, len(by_trial)))
    made = {}
    for trial_id in drawn:
        answer = by_trial[trial_id]
        other = by_trial[rng.choice(drawn)]
        differs = _looks(other.trial) != _looks(answer.trial)
        elsewhere = other.description.text if differs else None
        made[question_of(answer)] = make_probes(answer.trial, answer.description, elsewhere, rng)
    return made


def _looks(trial: Trial) -> object:
    return trial.scene.entity(trial.targets[0]).attributes
