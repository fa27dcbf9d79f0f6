"""Detects fields whose presence reveals the outcome.

An annotation that exists only where the listener was right gives it away.

Each field that a hearer may see is tested by presence (or number) alone against people's success, with the area under
the curve. People's own behaviour, such as writing a message, may legitimately predict success; later annotations must
not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.hearers.passports.areas import Truths, compute_auc
from referee.records import Description, Entity, Outcome, Response, Trial

LIMIT = 0.55
AmountFunction = Callable[[Description, Trial], float]
NOTHING_SAID = Description()


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """How well the presence of one field predicts success: `area` is None without failures or without successes.

    `right_with` and `right_without` are the shares of success with and without the field (None: no such answers).
    """

    field: str
    annotation: bool
    n: int
    present: int
    right_with: float | None
    right_without: float | None
    area: float | None

    @property
    def strength(self) -> float | None:
        """The area in the direction of prediction: absence can be as informative as presence."""
        return None if self.area is None else max(self.area, 1 - self.area)

    @property
    def predicts(self) -> bool:
        return self.strength is not None and self.strength > LIMIT

    @property
    def refused(self) -> bool:
        """Return whether a hearer must not read this field: a later annotation that reveals the outcome."""
        return self.annotation and self.predicts


# The fields that a hearer may see, whether they are later annotations, and how to count them.
FIELDS: dict[str, tuple[bool, AmountFunction]] = {
    "properties present": (True, lambda description, _: description.properties is not None),
    "number of properties": (True, lambda description, _: len(description.properties or ())),
    "spans present": (True, lambda description, _: bool(description.spans)),
    "attributes of the target present": (True, lambda _, trial: any(e.attributes for e in _list_targets(trial))),
    "picture of the target present": (True, lambda _, trial: any(e.image for e in _list_targets(trial))),
    "message present": (False, lambda description, _: bool((description.text or "").strip())),
    "history present": (False, lambda _, trial: bool(trial.history)),
}


def find_leaks(trials: Iterable[Trial], responses: Iterable[Response]) -> tuple[Leak, ...]:
    """Return every field with its power to predict success, over all answers that chose an entity.

    Others are neither right nor wrong.
    """
    trials_by_id = {trial.id: trial for trial in trials}
    answers = [(r, trials_by_id[r.trial]) for r in responses if r.outcome == Outcome.ENTITY and r.trial in trials_by_id]
    right = np.array([r.entity in trial.targets for r, trial in answers], dtype=bool)
    heard = [(_get_description(r, trial), trial) for r, trial in answers]
    return tuple(
        _measure_leak(field, annotation, np.array([float(measure_amount(*pair)) for pair in heard], dtype=float), right)
        for field, (annotation, measure_amount) in FIELDS.items()
    )


def _get_description(response: Response, trial: Trial) -> Description:
    """Return the answered description: the response's own, or else the trial's reference."""
    if response.description is not None or response.system is not None:
        return response.description or NOTHING_SAID
    return trial.references[0] if trial.references else NOTHING_SAID


def _list_targets(trial: Trial) -> list[Entity]:
    return [trial.scene.entity(target) for target in trial.targets]


def _measure_leak(field: str, annotation: bool, amounts: FloatArray, right: Truths) -> Leak:
    """Return the results for one field."""
    present = amounts > 0
    return Leak(
        field=field,
        annotation=annotation,
        n=len(right),
        present=int(present.sum()),
        right_with=_share(right[present]),
        right_without=_share(right[~present]),
        area=compute_auc(amounts, right),
    )


def _share(right: Truths) -> float | None:
    """Return the proportion of right answers; None without answers."""
    return float(right.mean()) if len(right) else None
