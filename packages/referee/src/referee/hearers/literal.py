"""The literal hearer.

A description means the entities it is true of, no more and no less (Frank & Goodman 2012; Golland et al. 2010).

One entity left is an answer, several left are several (with even chances), none left is none. It is the zero of all listener models: no noise, no
preferences, no reasoning about the speaker.
"""

from __future__ import annotations

from referee.hearers.answering import Listener, answer_literally, denote, shrug, understand
from referee.records import Description, HearerView, Outcome, Response

__all__ = ["Literal"]


class Literal(Listener):
    """Chooses the only entity that satisfies the whole description.

    Answers several, or none, if there is no unique one.
    """

    name = "literal"
    reads_values = True

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the entity that satisfies the description, or the outcome without a unique one."""
        if description.meaning is not None:
            return answer_literally(self.name, view, view.scene.denotation(description.meaning))
        properties = understand(description, view.scene)
        if isinstance(properties, Outcome):
            return shrug(self.name, view, properties)
        return answer_literally(self.name, view, denote(properties, view.scene))
