"""A hearer that resolves references in dialogue by mentions, handling, pointing and words (Iida, Kobayashi & Tokunaga
2010).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

from referee.errors import InputError, NotTrained
from referee.hearers.answering import Listener, answer, shrug
from referee.records import Description, HearerView, Outcome, Response, Trial
from referee_lab.tangram.models.dialogue_items import situation_in
from referee_lab.tangram.models.resolution import ReferenceResolver
from referee_lab.tangram.tiers.reference_forms import in_words


@dataclass(eq=False, repr=False)
class ContextHearer(Listener):
    """The ranking machine of `referee tangram resolve`, with separate weights for pronouns and other expressions."""

    name = "dialogue/resolver"
    learns = True

    separate: bool = True

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn from references to one object whose trials have a history."""
        single = [t for t in trials if len(t.targets) == 1 and t.references and t.references[0].text]
        if not single:
            raise InputError("there is no reference to one object to learn from", remedy="train on dialogue items")
        situations = [situation_in(t.for_speaker(), t.targets[0], t.references[0].text or "") for t in single]
        self.resolver_ = ReferenceResolver(separate=self.separate).fit(situations)
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the piece with the highest probability in the view's dialogue."""
        if not hasattr(self, "resolver_"):
            raise NotTrained(self)
        text = in_words(description)
        if not text:
            return shrug(self.name, view, Outcome.DONT_KNOW)
        situation = situation_in(view, view.scene.entities[0].id, text)
        beliefs = dict(self.resolver_.probabilities(situation))
        return answer(self.name, view, [beliefs[entity.id] for entity in view.scene.entities])
