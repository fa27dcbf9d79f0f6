"""The literal hearer.

A description means the entities it is true of, no more and no less (Frank & Goodman 2012; Golland et al. 2010).

One entity left is an answer, several left are several (with even chances), none left is none. It is the zero of all listener models: no noise, no
preferences, no reasoning about the speaker.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from referee.hearers.answering import (
    Listener,
    answer_literally,
    compute_understood_share,
    denote,
    make_undecided_response,
    understand,
)
from referee.metrics.wordnet import WordNet, open_wordnet
from referee.records import Description, HearerView, Outcome, Response, Scene


@dataclass(eq=False, repr=False)
class Literal(Listener):
    """Chooses the only entity that satisfies the whole description.

    Answers several, or none, if there is no unique one. `wordnet` names a folder with WordNet's index files: words of a
    text then also mean the values that they share a sense with, and inflected forms are understood.
    """

    name = "literal"
    reads_values = True

    wordnet: str = ""
    _wordnet: WordNet | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        if self.wordnet:
            self._wordnet = open_wordnet(self.wordnet)
            self.wordnet = self._wordnet.signed

    def understood(self, description: Description, scene: Scene) -> float | None:
        """Return the proportion of a text's content words that are values of the scene, or synonyms of one."""
        return compute_understood_share(description, scene, self._wordnet)

    def resolve(self, description: Description, view: HearerView) -> Response:
        """Return the entity that satisfies the description, or the outcome without a unique one."""
        if description.meaning is not None:
            return answer_literally(self.name, view, view.scene.denotation(description.meaning))
        properties = understand(description, view.scene, self._wordnet)
        if isinstance(properties, Outcome):
            return make_undecided_response(self.name, view, properties)
        return answer_literally(self.name, view, denote(properties, view.scene))
