"""Hearers that resolve references in dialogue by mentions, handling, pointing and words (Iida, Kobayashi & Tokunaga
2010).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import exp
from typing import Any, Self

from referee.catalogue import configure
from referee.errors import InputError, NotTrained
from referee.hearers.answering import NONE, SEVERAL, Listener, answer, make_undecided_response
from referee.records import Description, HearerView, Outcome, Response, Trial
from referee_lab.tangram.models.dialogue_items import infer_situation, rank_salience
from referee_lab.tangram.models.resolution import ReferenceResolver
from referee_lab.tangram.tiers.reference_forms import get_description_text


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
        situations = [infer_situation(t.for_speaker(), t.targets[0], t.references[0].text or "") for t in single]
        self.resolver_ = ReferenceResolver(separate=self.separate).fit(situations)
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the piece with the highest probability in the view's dialogue."""
        if not hasattr(self, "resolver_"):
            raise NotTrained(self)
        text = get_description_text(description)
        if not text:
            return make_undecided_response(self.name, view, Outcome.DONT_KNOW)
        situation = infer_situation(view, view.scene.entities[0].id, text)
        beliefs = dict(self.resolver_.probabilities(situation))
        return answer(self.name, view, [beliefs[entity.id] for entity in view.scene.entities])


@dataclass(eq=False, repr=False)
class SalientHearer(Listener):
    """Another hearer (`hearer:literal`) with the salience of the objects in the dialogue as its prior.

    Salience is the rank that the speaker `dialogue/salient` uses, and one more for the object mentioned last; each
    rank makes an object exp(`weight`) times as likely. Words that the other hearer does not understand, such as
    pronouns, leave the prior alone.
    """

    name = "dialogue/salient"
    learns = True

    hearer: str = "literal"
    weight: float = 1.0
    seed: int = 1
    behind: Any = field(default=None, init=False)

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the other hearer."""
        self.behind = configure("hearer", self.hearer, self.seed).fit(trials)
        return self

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the other hearer's beliefs times the prior."""
        if self.behind is None:
            raise NotTrained(self)
        response: Response = self.behind.resolve(description, view)
        if not get_description_text(description) or not view.history:
            return response
        beliefs, ids = dict(response.probabilities or ()), [e.id for e in view.scene.entities]
        situation = infer_situation(view, ids[0])
        ranks = [rank_salience(situation, id) + situation.standings[id].mentioned_last for id in ids]
        shares = [beliefs.get(id, 0.0) * exp(self.weight * rank) for id, rank in zip(ids, ranks, strict=True)]
        return answer(self.name, view, shares, beliefs.get(SEVERAL, 0.0), beliefs.get(NONE, 0.0))
