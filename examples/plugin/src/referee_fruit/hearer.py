"""A hearer: gets a description and a scene without the target, and answers with belief."""

from __future__ import annotations

from referee.hearers.answering import Listener, answer
from referee.records import Description, HearerView, Response


class FirstFit(Listener):
    """Believes most in the entities of which most is true; entities come shuffled, so there is no first place to lean to."""

    name = "fruit-first"

    def resolve(self, description: Description, view: HearerView) -> Response:
        said = set(description.properties or ())
        return answer(self.name, view, [1 + len(said & set(e.attributes)) ** 3 for e in view.scene.entities])
