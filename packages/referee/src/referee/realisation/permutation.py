"""Permute and rank.

All phrases of all properties in any order, and a language model picks (ATT-PermuteRank; Di Fabbrizio, Stent &
Bangalore 2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Self

from referee.errors import NotTrained
from referee.realisation.annotation import (
    HEAD,
    UNSAYABLE,
    Example,
    Properties,
    choose_model,
    group_by_domain,
    normalise,
    read_examples,
)
from referee.realisation.cheapest_string import Option, find_cheapest_string, list_open_slots
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.realisation.ngrams import NgramModel
from referee.realisation.phrases import PhraseBook
from referee.records import Property, SpeakerView, Trial


class Resources(NamedTuple):
    """The data that all ranked realisers learn per domain."""

    book: PhraseBook
    model: NgramModel

    @classmethod
    def learn(cls, examples: Sequence[Example]) -> Resources:
        return cls(PhraseBook(examples), NgramModel([e.words for e in examples]))


class RankedPhrases:
    """The common frame: a phrase lexicon and a trigram model per domain.

    Subclasses define the possible orders of phrases.

    `balance` is λ per domain, the weight of the candidates' own probability relative to the language model (0: the
    model alone, as submitted in 2008). At most `options` phrases per slot are tried, the most frequent ones. A property
    unseen in training gets the words of `language`.
    """

    def __init__(
        self, balance: Mapping[str, float] | None = None, options: int = 12, language: Language = ENGLISH
    ) -> None:
        self.balance = balance
        self.options = options
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn phrases and the language model from annotated descriptions."""
        groups = group_by_domain(read_examples(trials))
        self.resources_ = {domain: Resources.learn(examples) for domain, examples in groups.items()}
        return self

    def learned(self, view: SpeakerView) -> Resources:
        """Return the lexicon and the model of a view's domain."""
        if not hasattr(self, "resources_"):
            raise NotTrained(self)
        return choose_model(self.resources_, view.domain)

    def weight(self, view: SpeakerView) -> float:
        return (self.balance or {}).get(view.domain or "", 0.0)

    def slots(self, properties: Sequence[Property], book: PhraseBook) -> list[list[Option]]:
        """Return, for each group of properties expressed together, the phrases to choose from."""
        sayable = [p for p in properties if p.value not in UNSAYABLE]
        return [
            book.options(group, self.options) or self.use_plain_words(group) for group in book.group_properties(sayable)
        ]

    def use_plain_words(self, group: Properties) -> list[Option]:
        """Return the language's own words for properties unseen in training."""
        phrases = [p.text for p in self.language.word(sorted(group))]
        nouns = [self.language.noun(group).word] if any(p.name == HEAD for p in group) else []
        # Its probability is not known; the language model alone judges.
        return [(normalise(" ".join(phrases or nouns)), 0.0)]


class PermuteAndRank(RankedPhrases):
    """Phrases in any order, or (with a `window`) only among the next few of the input's order.

    More than `most` phrases have too many orders; they are moved within a window of two.
    """

    def __init__(
        self,
        window: int | None = None,
        most: int = 6,
        balance: Mapping[str, float] | None = None,
        options: int = 12,
        language: Language = ENGLISH,
    ) -> None:
        super().__init__(balance, options, language)
        self.window = window
        self.most = most

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the best string over phrases and orders."""
        book, model = self.learned(view)
        slots = self.slots(properties, book)
        # The order that the paper's window of two starts from is not published; all orders come nearer to its scores.
        window = self.window if len(slots) <= self.most else 2
        best = find_cheapest_string(slots, list_open_slots(len(slots), window), model, self.weight(view))
        return " ".join(best[0]) if best else ""
