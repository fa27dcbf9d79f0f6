"""Hearers that do not listen: what is reached without a word is the chance level that every other hearer is held against."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import exp, log
from typing import Self

from referee.errors import InputError, NotTrained
from referee.hearers.answering import Listener, answer
from referee.records import Description, Entity, HearerView, Property, Response, Trial

__all__ = ["Majority", "Position"]


class Position(Listener):
    """Always points at the same place of the view (0 is the first, -1 the last), whatever is said.

    Views are shuffled, so it is right as often as chance has it; anything above that is a leak.
    """

    name = "position"

    def __init__(self, place: int = 0) -> None:
        self.place = place

    def resolve(self, description: Description, view: HearerView) -> Response:
        size = len(view.scene.entities)
        if size and not -size <= self.place < size:
            raise InputError(
                f"there is no place {self.place} among {size} entities (trial {view.id!r})",
                remedy=f"choose a place from {-size} to {size - 1}",
            )
        return answer(self.name, view, [float(i == self.place % size) for i in range(size)])


class Majority(Listener):
    """Points at the entity that looks most like targets usually do, whatever is said.

    For every property it learns how much more often targets have it than entities at large (log odds ratio with half a case added everywhere); an
    entity's share is the exponential of the sum over its properties. It shows how much a corpus gives away before anybody speaks.
    """

    name = "majority"
    learns = True

    def fit(self, trials: Iterable[Trial]) -> Self:
        targets: Counter[Property] = Counter()
        others: Counter[Property] = Counter()
        sizes = [0, 0]
        for trial in trials:
            mask = trial.target_mask
            for i, entity in enumerate(trial.scene.entities):
                is_target = mask >> i & 1
                (targets if is_target else others).update(set(entity.attributes))
                sizes[is_target] += 1
        self.weights_ = {p: _log_odds(targets[p], sizes[1]) - _log_odds(others[p], sizes[0]) for p in targets | others}
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        scores = [self._score(entity) for entity in view.scene.entities]
        # Less the highest score, so that no exponential overflows.
        top = max(scores, default=0.0)
        return answer(self.name, view, [exp(score - top) for score in scores])

    def _score(self, entity: Entity) -> float:
        # Sorted, since a sum hangs on its order and a set has none.
        return sum(self.weights_.get(p, 0.0) for p in sorted(set(entity.attributes)))


def _log_odds(cases: int, of: int) -> float:
    return log((cases + 0.5) / (of - cases + 0.5))
