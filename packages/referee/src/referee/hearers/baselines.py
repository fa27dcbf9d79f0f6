"""Hearers that ignore the description: their accuracy is the chance level for all other hearers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from math import exp, log
from typing import Self

from referee.errors import InputError, NotTrained
from referee.hearers.answering import Listener, answer
from referee.records import Description, Entity, HearerView, Property, Response, Trial


class Position(Listener):
    """Always chooses the same position of the view (0 is the first, -1 the last), whatever the description.

    Views are shuffled, so its accuracy is chance; anything above that is a leak.
    """

    name = "position"

    def __init__(self, place: int = 0) -> None:
        self.place = place

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the entity at the position. Raises InputError if the view is smaller."""
        size = len(view.scene.entities)
        if size and not -size <= self.place < size:
            raise InputError(
                f"there is no position {self.place} among {size} entities (trial {view.id!r})",
                remedy=f"choose a place from {-size} to {size - 1}",
            )
        return answer(self.name, view, [float(i == self.place % size) for i in range(size)])


class Majority(Listener):
    """Chooses the entity that looks most like typical targets, whatever the description.

    The weight of a property is its log odds ratio between targets and all entities (with 0.5 added to every count); an
    entity's probability is proportional to the exponential of the sum over its properties. Its accuracy shows how far a
    corpus can be solved without descriptions.
    """

    name = "majority"
    learns = True

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn the weight of every property."""
        targets: Counter[Property] = Counter()
        others: Counter[Property] = Counter()
        sizes = [0, 0]
        for trial in trials:
            mask = trial.target_mask
            for i, entity in enumerate(trial.scene.entities):
                is_target = mask >> i & 1
                (targets if is_target else others).update(set(entity.attributes))
                sizes[is_target] += 1
        self.weights_ = {
            p: _compute_log_odds(targets[p], sizes[1]) - _compute_log_odds(others[p], sizes[0])
            for p in targets | others
        }
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return probabilities from the weights of the entities' properties."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        scores = [self._score_entity(entity) for entity in view.scene.entities]
        # Minus the highest score, so that no exponential overflows.
        top = max(scores, default=0.0)
        return answer(self.name, view, [exp(score - top) for score in scores])

    def _score_entity(self, entity: Entity) -> float:
        """Return the sum of the weights of an entity's properties."""
        # Sorted, because a floating-point sum depends on its order and sets have none.
        return sum(self.weights_.get(p, 0.0) for p in sorted(set(entity.attributes)))


def _compute_log_odds(cases: int, of: int) -> float:
    return log((cases + 0.5) / (of - cases + 0.5))
