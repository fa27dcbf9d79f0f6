"""Computes the answers of simulated participants on an engine: a work item is a participant with all questions.

Answers depend only on the seed, the participant's number and the step, so they can be computed anywhere and in advance.
`simulation` plays the sessions against one server with its clocks.
"""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from referee.capabilities import learns, needs_of
from referee.contracts import Hearer
from referee.engines.pieces import Engine, Needs, WorkPiece, pickle_object
from referee.engines.stored_work import StoredWork, format_lines
from referee.errors import InputError
from referee.records import Trial
from referee_lab.bots.person import Someone
from referee_lab.server.sessions.plan import PlanStep
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.contract import GivenAnswer
from referee_lab.study.protocols.own_plugin import create_protocol

ASKED, TRAIN = "asked", "train.jsonl"
Questions = Mapping[int, Sequence[PlanStep]]  # by participant


def make_hearer(written: str, seed: int, study_trials: Sequence[str], train: Path | None = None) -> Hearer:
    """Return a hearer by name; one that learns needs training trials, none of which is in the study."""
    from referee.corpora.jsonl import read_trials
    from referee.jobs.listen import create_hearer

    hearer: Hearer = create_hearer(written, seed)
    if not learns(hearer):
        return hearer.fit(()) or hearer
    if train is None:
        raise InputError(
            f"the hearer {written!r} learns from trials",
            remedy="give it some with --train FILE.jsonl, other than the study's",
        )
    asked = set(study_trials)
    trials: list[Trial] = [t for t in read_trials(train) if t.id not in asked]
    return hearer.fit(trials) or hearer


def make_person(hearer: Hearer, seed: int, number: int) -> Someone:
    """Return the simulated participant with a number."""
    return Someone(hearer, f"{seed}|{number}")


def simulate_answer(
    person: Someone, kind: Any, settings: Mapping[str, Any], step: PlanStep, seed: int, number: int
) -> GivenAnswer:
    """Return a participant's answer to a step.

    Seeded by the step, so that neither the engine nor network faults change it.
    """
    answer: GivenAnswer = kind.simulate(
        step.stimulus, step.shown, settings, person, Random(f"{seed}|{number}|{step.index}")
    )
    return answer


@dataclass(frozen=True, slots=True)
class _AskedPeople:
    """The state that a worker keeps: protocol, settings, questions and hearer."""

    kind: Any
    settings: Mapping[str, Any]
    questions: Questions
    hearer: Hearer


@dataclass(frozen=True, slots=True)
class Thinking:
    """The answers of all participants; `asked` is a file with their questions."""

    hearer: str
    seed: int
    asked: Path
    train: Path | None = None

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {ASKED: self.asked, **({} if self.train is None else {TRAIN: self.train})}

    @property
    def needs(self) -> Needs:
        """Return the resources and files that the hearer needs."""
        from referee.jobs.listen import create_hearer

        return Needs(*needs_of(create_hearer(self.hearer, self.seed)))

    def begin(self, inputs: Mapping[str, Path]) -> _AskedPeople:
        """Load the questions and train the hearer in a worker."""
        protocol, settings, trials, questions = pickle.loads(inputs[ASKED].read_bytes())
        hearer = make_hearer(self.hearer, self.seed, trials, inputs.get(TRAIN))
        return _AskedPeople(create_protocol(protocol), settings, questions, hearer)

    def do(self, begun: _AskedPeople, piece: WorkPiece) -> bytes:
        """Return the answers of a piece's participants as bytes."""
        return format_lines(
            [b64encode(pickle_object(self._simulate_answers(begun, int(item)))).decode() for item in piece.items]
        )

    def _simulate_answers(self, begun: _AskedPeople, number: int) -> dict[int, GivenAnswer]:
        """Return a participant's answers by step."""
        person = make_person(begun.hearer, self.seed, number)
        return {
            step.index: simulate_answer(person, begun.kind, begun.settings, step, self.seed, number)
            for step in begun.questions[number]
        }


def compute_answers(
    engine: Engine,
    shard: int,
    study: Study,
    hearer: str,
    seed: int,
    train: Path | None,
    questions: Questions,
    advance: Callable[[int], None] = lambda n: None,
) -> dict[int, dict[int, GivenAnswer]]:
    """Return the answers by participant and step, computed in batches of `shard` participants."""
    work = StoredWork(None)
    trials = [s.trial.id for s in study.iterate_stimuli()]
    with TemporaryDirectory(prefix="referee-") as place:
        file = Path(place, ASKED)
        file.write_bytes(pickle_object((study.protocol, dict(study.settings), trials, dict(questions))))
        task = Thinking(hearer, seed, file, train)
        work.do(engine, task, {"participants": [str(number) for number in questions]}, shard, lambda i: advance(len(i)))
    for number, why in work.failures.items():
        raise InputError(
            f"participant {number} could not be simulated: {why}", remedy="use fewer --jobs, or another --hearer"
        )
    return {number: pickle.loads(b64decode(work.lines[str(number)])) for number in questions}
