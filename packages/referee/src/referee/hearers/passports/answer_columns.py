"""From a hearer's answers and people's answers to the columns of a passport, with the checks that a stranger's hearer needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isclose, log2

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.hearers.passports.measures import AnswerColumns
from referee.hearers.passports.people import HumanAnswer
from referee.records import NOT_ANSWERED, HearerView, Outcome, Response
from referee.statistics.dependent_trials import Clusters
from referee.statistics.frames import IntArray

OTHERS = ("several", "none")
CORRECTED = "corrected"
NAN = float("nan")


@dataclass(frozen=True, slots=True, kw_only=True)
class Belief:
    """A hearer's answer to a description: its outcome, its probabilities, and the positions of the entities in its
    view.

    `shown` has the positions that an externally asked hearer saw, if they differ from the view. `certain` is false if
    the hearer gave no probabilities and they were derived from its choice; `answered` is false if its endpoint failed; `flags` are those of the response.
    """

    outcome: Outcome
    entity: str | None
    shares: Mapping[str, float]
    places: Mapping[str, int]
    certain: bool
    predicted_ms: float | None
    shown: Mapping[str, int] | None = None
    answered: bool = True
    flags: tuple[str, ...] = ()

    @property
    def top(self) -> float:
        return max((self.shares.get(e, 0.0) for e in self.places), default=0.0)

    @property
    def entropy(self) -> float:
        """Uncertainty in bits, over entities and the answers several and none."""
        return -sum(p * log2(p) for p in self.shares.values() if p > 0)


def read_belief(response: Response, view: HearerView, name: str) -> Belief:
    """Return a response as a belief; one that cannot be is an error that names the hearer and the trial."""
    if not isinstance(response, Response):
        raise _make_answer_error(
            name, view, f"answers with {type(response).__name__}", "resolve returns a referee.records.Response"
        )
    places = {e.id: i for i, e in enumerate(view.scene.entities)}
    if response.outcome == Outcome.ENTITY and response.entity not in places:
        raise _make_answer_error(
            name, view, f"chooses {response.entity!r}, which is not there", "choose an entity of the view"
        )
    return Belief(
        outcome=response.outcome,
        entity=response.entity if response.outcome == Outcome.ENTITY else None,
        shares=_get_probabilities(response, places, view, name),
        places=places,
        certain=response.probabilities is not None,
        predicted_ms=_get_time(response),
        answered=NOT_ANSWERED not in response.flags,
        flags=response.flags,
    )


def _get_probabilities(response: Response, places: Mapping[str, int], view: HearerView, name: str) -> dict[str, float]:
    """Return the hearer's probabilities; without any, 1 for the chosen entity, or equal ones."""
    if response.probabilities is None:
        chosen = [response.entity] if response.outcome == Outcome.ENTITY else list(places)
        return {e: (1 / len(chosen) if e in chosen else 0.0) for e in places}
    probabilities = dict(response.probabilities)
    strange = [e for e in probabilities if e not in places and e not in OTHERS]
    if strange:
        raise _make_answer_error(
            name, view, f"has a probability for {strange[0]!r}", "only entities of the view, several and none have one"
        )
    total = sum(probabilities.values())
    if not all(p >= 0 for p in probabilities.values()) or not isclose(total, 1, abs_tol=1e-6):
        raise _make_answer_error(
            name, view, f"has probabilities that sum to {total:g}", "none is negative and they sum to 1"
        )
    return {**dict.fromkeys(places, 0.0), **probabilities}


def _make_answer_error(name: str, view: HearerView, problem: str, remedy: str) -> InputError:
    return InputError(f"{name} {problem} (trial {view.id!r})", remedy=remedy)


def _get_time(response: Response) -> float | None:
    """Return reading plus identification time if both are known, else identification time alone."""
    if response.identification_ms is None or CORRECTED in response.flags:
        return None
    return response.identification_ms + (response.reading_ms or 0.0)


def tabulate(answers: Sequence[HumanAnswer], beliefs: Sequence[Belief], clusters: Clusters) -> AnswerColumns:
    """Return one row per human answer; `clusters` are the sampling units of the answers."""
    pairs = list(zip(answers, beliefs, strict=True))
    predicts = any(b.predicted_ms is not None for b in beliefs)
    return AnswerColumns(
        target=_make_column(b.shares[a.trial.targets[0]] for a, b in pairs),
        taken=_make_column(
            b.shares[a.response.entity] if _has_chosen(a) and a.response.entity else NAN for a, b in pairs
        ),
        top=_make_column(b.top for b in beliefs),
        delay=_make_column((b.predicted_ms if predicts else b.entropy) for b in beliefs),
        times=_make_column(_get_time(a.response) for a in answers),
        right=np.array([b.entity == a.trial.targets[0] for a, b in pairs]),
        human_right=np.array([_has_chosen(a) and a.response.entity == a.trial.targets[0] for a in answers]),
        choices=tuple(_label(b.outcome, b.entity, b.places) for b in beliefs),
        human_choices=tuple(_label(a.response.outcome, a.response.entity, b.places) for a, b in pairs),
        shown=tuple(_label(b.outcome, b.entity, b.shown or b.places) for b in beliefs),
        sizes=np.array([len(b.places) for b in beliefs], dtype=np.int64),
        questions=encode_names([(a.trial.id, a.description) for a in answers]),
        games=encode_names([a.trial.meta.get("game") for a in answers]),
        conditions=encode_names([a.trial.condition for a in answers]),
        clusters=clusters,
    )


def _has_chosen(answer: HumanAnswer) -> bool:
    return answer.response.outcome == Outcome.ENTITY


def _label(outcome: Outcome, entity: str | None, places: Mapping[str, int]) -> str:
    """Return a choice by its position in the hearer's view: ids may reveal the target, positions are random."""
    return str(places[entity]) if outcome == Outcome.ENTITY and entity is not None else str(outcome)


def _make_column(values: object) -> FloatArray:
    column: FloatArray = np.array([NAN if v is None else v for v in values], dtype=np.float64)  # type: ignore[attr-defined]
    return column


def encode_names(names: Sequence[object]) -> IntArray:
    """Return a number from 0 for every name; -1 if there is none."""
    places: dict[object, int] = {}
    return np.array([-1 if n is None else places.setdefault(n, len(places)) for n in names], dtype=np.int64)
