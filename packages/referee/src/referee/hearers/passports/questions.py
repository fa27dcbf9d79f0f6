"""Asks hearers questions after training each on its lessons, in this process or on an engine."""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.capabilities import (
    Remembers,
    SignsCalls,
    answer_in_parallel,
    count_parallel_questions,
    needs_of,
    resolve_all,
)
from referee.engines.choice import count_cores
from referee.engines.local import LocalEngine
from referee.engines.pieces import Engine, Needs, WorkPiece, pickle_object
from referee.engines.stored_work import StoredWork, format_lines
from referee.errors import InputError, RefereeError
from referee.hearers.passports.answer_columns import Belief, read_belief
from referee.hearers.passports.named_hearer import name_of, summon
from referee.jobs.listen import show_to_hearer
from referee.options import SHARD
from referee.records import Description, HearerView, Trial

Advance = Callable[[int], None]
Question = tuple[str, Description]
# Training data, and lists of questions to ask afterwards.
Asking = tuple[Sequence[Trial], Sequence[Sequence[Question]]]
CHUNK = 512
MANY = 100_000
"""Number of training trials, over all folds, from which several processes are faster than one."""
PLAN = "plan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Examination:
    """The settings of a passport.

    `probes` is the number of scenes for constructed descriptions, `families` are the speakers to be judged.

    `reads` is words or properties; `train` the training data instead of other folds; `beside` also tests a trained
    hearer on new scenes, kinds of objects and conditions; `elsewhere` tests it on the other corpora of the same kind.
    """

    hearer: str
    corpus: str | None = None
    data: str | Path | None = None
    folds: int = 5
    by: str = "game"
    reads: str = "words"
    train: str | None = None
    beside: bool = True
    elsewhere: bool = True
    limit: int | None = None
    probes: int = 100
    resamples: int = 500
    seed: int = 1
    families: tuple[str, ...] = ()
    calls: Path | None = None
    # Where questions are put, and how many at a time: neither decides anything.
    engine: Engine | None = None
    shard: int = SHARD
    # Whether a long schooling may be spread over the cores where no engine was named.
    spread: bool = False


def create_hearer(examination: Examination) -> Any:
    return summon(examination.hearer, examination.seed)


def put(
    examination: Examination, trials: Mapping[str, Trial], plan: Sequence[Asking], advance: Advance = lambda n: None
) -> list[list[list[Belief]]]:
    """Return hearers' answers, for every part of the plan and every list of questions in it."""
    engine = examination.engine or (_choose_engine(plan) if examination.spread else None)
    if engine is not None and not isinstance(create_hearer(examination), Remembers):
        return _put_elsewhere(examination, engine, trials, plan, advance)
    beliefs = []
    for lessons, lists in plan:
        hearer = _train_hearer(_add_cache(examination), lessons, examination)
        beliefs.append([_ask(hearer, questions, trials, examination, advance) for questions in lists])
    return beliefs


def _choose_engine(plan: Sequence[Asking]) -> Engine | None:
    """Return an engine with one process per core if training is long enough to justify it; None otherwise."""
    return LocalEngine(count_cores()) if sum(len(lessons) for lessons, _ in plan) >= MANY else None


def _put_elsewhere(
    examination: Examination, engine: Engine, trials: Mapping[str, Trial], plan: Sequence[Asking], advance: Advance
) -> list[list[list[Belief]]]:
    """Return the answers of worker processes, chunk by chunk, so that batches are the same on every machine."""
    chunks = {
        f"{part}/{number}/{start}": questions[start : start + CHUNK]
        for part, (_, lists) in enumerate(plan)
        for number, questions in enumerate(lists)
        for start in range(0, len(questions), CHUNK)
    }
    groups: dict[str, list[str]] = {}
    for item in chunks:
        groups.setdefault(f"lesson {int(item.partition('/')[0]) + 1}", []).append(item)
    work = StoredWork(None)
    with TemporaryDirectory(prefix="referee-") as place:
        file = Path(place, PLAN)
        file.write_bytes(pickle_object((dict(trials), [lessons for lessons, _ in plan], chunks)))
        task = _Questioning(replace(examination, engine=None, spread=False), file)
        count = lambda items: advance(sum(len(chunks[item]) for item in items))  # noqa: E731
        # Who learned for a lesson answers all of it: learning takes longer than answering, and a second worker would have to learn the same.
        at_once = len(chunks) if len(plan) > 1 else max(1, examination.shard // CHUNK)
        work.do(engine, task, groups, at_once, count)
    if work.failures:
        item, why = next(iter(work.failures.items()))
        raise InputError(
            f"{name_of(examination.hearer)} could not be asked about trial {chunks[item][0][0]!r} or soon after: {why}",
            remedy="use fewer --jobs, or give it more memory",
        )
    answers = {item: pickle.loads(b64decode(line)) for item, line in work.lines.items()}
    return [
        [
            [b for start in range(0, len(questions), CHUNK) for b in answers[f"{part}/{number}/{start}"]]
            for number, questions in enumerate(lists)
        ]
        for part, (_, lists) in enumerate(plan)
    ]


@dataclass(slots=True)
class _Classroom:
    trials: Mapping[str, Trial]
    lessons: Sequence[Sequence[Trial]]
    chunks: Mapping[str, Sequence[Question]]
    hearer: Any = None
    group: str = ""


@dataclass(frozen=True, slots=True)
class _Questioning:
    examination: Examination
    file: Path

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {PLAN: self.file}

    @property
    def needs(self) -> Needs:
        return Needs(*needs_of(create_hearer(self.examination)))

    def begin(self, inputs: Mapping[str, Path]) -> _Classroom:
        return _Classroom(*pickle.loads(inputs[PLAN].read_bytes()))

    def do(self, begun: _Classroom, piece: WorkPiece) -> bytes:
        """Answer the questions of one work item, training the hearer when the part changes."""
        if begun.group != piece.group:
            lessons = begun.lessons[int(piece.items[0].partition("/")[0])]
            begun.hearer, begun.group = (
                _train_hearer(_add_cache(self.examination), lessons, self.examination),
                piece.group,
            )
        answers = (
            _ask(begun.hearer, begun.chunks[i], begun.trials, self.examination, lambda n: None) for i in piece.items
        )
        return format_lines([b64encode(pickle.dumps(beliefs)).decode() for beliefs in answers])


def _add_cache(examination: Examination) -> Any:
    """Return a hearer with its response cache."""
    hearer = create_hearer(examination)
    if examination.calls is not None and isinstance(hearer, Remembers):
        examination.calls.mkdir(parents=True, exist_ok=True)
        if isinstance(hearer, SignsCalls):
            hearer.asker = name_of(examination.hearer)
        hearer.remember(examination.calls)
    return hearer


def _train_hearer(hearer: Any, trials: Sequence[Trial], examination: Examination) -> Any:
    """Return the trained hearer. Raises an error with its name if training fails."""
    try:
        fitted = hearer.fit(trials)
    except RefereeError:
        raise
    except Exception as error:
        raise _wrap_error(error, f"{name_of(examination.hearer)} cannot be trained") from error
    return hearer if fitted is None else fitted


def _wrap_error(error: Exception, what: str) -> InputError:
    return InputError(f"{what} ({type(error).__name__}: {error})", remedy="this is a fault of the hearer")


def _ask(
    hearer: Any, questions: Sequence[Question], trials: Mapping[str, Trial], examination: Examination, advance: Advance
) -> list[Belief]:
    """Return the hearer's answer to each question.

    Remote hearers get several at once, batched hearers many.
    """
    name = name_of(examination.hearer)

    def answer_pair(question: Question) -> tuple[Description, HearerView]:
        return question[1], show_to_hearer(trials[question[0]], examination.seed)

    def answer(part: Sequence[Question]) -> list[Belief]:
        """Return the hearer's beliefs about some questions. Raises InputError if the hearer fails."""
        pairs = [answer_pair(q) for q in part]
        try:
            responses = resolve_all(hearer, pairs)
        except RefereeError:
            raise
        except Exception as error:
            raise _wrap_error(error, f"{name} failed at trial {part[0][0]!r} or soon after") from error
        if len(responses) != len(pairs):
            raise InputError(f"{name} gave {len(responses)} answers to {len(pairs)} descriptions")
        return [read_belief(r, p[1], name) for r, p in zip(responses, pairs, strict=True)]

    size = CHUNK if count_parallel_questions(hearer) == 1 else 1
    parts = [questions[i : i + size] for i in range(0, len(questions), size)]
    beliefs: list[Belief] = []
    for part_beliefs in answer_in_parallel(hearer, answer, parts):
        beliefs += part_beliefs
        advance(len(part_beliefs))
    return beliefs
