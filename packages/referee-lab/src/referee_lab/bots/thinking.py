"""Computes the answers of simulated participants on an engine: a work item is a participant with all questions.

Answers depend only on the seed, the participant's number and the step, so they can be computed anywhere and in advance.
`simulation` plays the sessions against one server with its clocks.
"""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import exp, log2
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from referee.capabilities import learns, needs_of
from referee.contracts import Hearer
from referee.engines.pieces import Engine, Needs, WorkPiece, pickle_object
from referee.engines.stored_work import StoredWork, format_lines
from referee.errors import InputError
from referee.hearers.answering import NONE, PSEUDO, split_words
from referee.records import Description, HearerView, Outcome, Response, Trial
from referee_lab.server.sessions.plan import PlanStep
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.contract import GivenAnswer
from referee_lab.study.protocols.own_plugin import create_protocol
from referee_lab.study.protocols.simulated_answers import IDENTIFYING_MS, PER_WORD_MS, READING_MS

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
        remedy = "give it trials that are not in the study: --train FILE.jsonl"
        raise InputError(f"the hearer {written!r} learns from trials", remedy=remedy)
    asked = set(study_trials)
    trials: list[Trial] = [t for t in read_trials(train) if t.id not in asked]
    return hearer.fit(trials) or hearer


def simulate_answer(
    person: Someone, kind: Any, settings: Mapping[str, Any], step: PlanStep, seed: int, number: int
) -> GivenAnswer:
    """Return a participant's answer to a step.

    Seeded by the step, so that neither the engine nor network faults change it.
    """
    rng = Random(f"{seed}|{number}|{step.index}")
    answer: GivenAnswer = kind.simulate(step.stimulus, step.shown, settings, person, rng)
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
        person = Someone(begun.hearer, f"{self.seed}|{number}")
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


# Spreads are SDs on the log scale; care above 1 sharpens a hearer's belief, below 1 blunts it.
PACE_SPREAD, USUAL_CARE, CARE_SPREAD, MOST_LAPSES = 0.2, 1.5, 0.3, 0.03
PER_BIT = 0.15
FIRST_GUESS = 0.85


class Someone:
    """One simulated person, determined by the seed, who answers the same question in the same way."""

    learns = False

    def __init__(self, hearer: Hearer, seed: str) -> None:
        self.hearer = hearer
        self.seed = seed
        rng = Random(f"{seed}|person")
        self.pace = exp(rng.gauss(0.0, PACE_SPREAD))
        self.care = USUAL_CARE * exp(rng.gauss(0.0, CARE_SPREAD))
        self.lapses = MOST_LAPSES * rng.random()

    def fit(self, trials: Iterable[Trial]) -> Someone:
        """Return the person unchanged: simulated people do not learn from trials."""
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return a random answer from the hearer's probabilities, with times."""
        heard = self.hearer.resolve(description, view)
        # From the question alone: the same person answers it alike, whatever came before.
        rng = Random(f"{self.seed}|{view.id}|{description.text}")
        answered = self._draw_answer(heard, rng)
        reading, finding = self._estimate_times(heard, description)
        return replace(answered, reading_ms=reading * self.pace, identification_ms=finding * self.pace)

    def _draw_answer(self, heard: Response, rng: Random) -> Response:
        """Return one answer, drawn in proportion to the probabilities raised to the person's care."""
        shares = dict(heard.probabilities or ())
        if not shares:
            return heard
        even = rng.random() < self.lapses
        weights = [1.0 if even else share**self.care for share in shares.values()]
        if not sum(weights) > 0:
            return heard
        name = rng.choices(list(shares), weights)[0]
        if name in PSEUDO:
            return replace(heard, outcome=Outcome.NONE if name == NONE else Outcome.SEVERAL, entity=None)
        return replace(heard, outcome=Outcome.ENTITY, entity=name)

    def _estimate_times(self, heard: Response, description: Description) -> tuple[float, float]:
        """Return reading and identification times: the hearer's, or estimates from length and entropy."""
        words = len(split_words(description.text or ""))
        reading = READING_MS + PER_WORD_MS * words if heard.reading_ms is None else heard.reading_ms
        if heard.identification_ms is not None:
            return reading, heard.identification_ms
        return reading, IDENTIFYING_MS * (FIRST_GUESS + PER_BIT * _compute_entropy(heard.probabilities or ()))


def _compute_entropy(probabilities: Iterable[tuple[str, float]]) -> float:
    """Return the entropy of probabilities in bits."""
    return abs(sum(share * log2(share) for _, share in probabilities if share > 0.0))
