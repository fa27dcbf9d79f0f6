"""The literal hearer: a description means the entities it is true of, no more and no less (Frank & Goodman 2012; Golland et al. 2010).

One entity left is an answer, several left are several (with even chances), none left is none. It is the zero of all listener models: no noise, no
preferences, no reasoning about the speaker.
"""

from __future__ import annotations

from referee.hearers.answering import Listener, answer, denote, shrug, understand
from referee.records import Description, HearerView, Outcome, Response

__all__ = ["Literal"]


class Literal(Listener):
    """Points at the only entity that the whole description is true of; says several, or none, where there is no such entity."""

    name = "literal"

    def resolve(self, description: Description, view: HearerView) -> Response:
        if description.meaning is not None:
            return self._point(view, view.scene.denotation(description.meaning))
        said = understand(description, view.scene)
        if isinstance(said, Outcome):
            return shrug(self.name, view, said)
        return self._point(view, denote(said, view.scene))

    def _point(self, view: HearerView, left: int) -> Response:
        scene = view.scene
        if not left:
            return answer(self.name, view, [0.0] * len(scene.entities), none=1.0)
        even = 1 / left.bit_count()
        return answer(self.name, view, [even if left >> i & 1 else 0.0 for i in range(len(scene.entities))])
