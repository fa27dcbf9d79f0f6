"""Phrases ordered by what their words usually depend on (ATT-Dependency; Di Fabbrizio, Stent & Bangalore 2008).

The authors parsed the training strings. Here the dependencies are induced from the annotation: every phrase has a main word (its last one, or
the first of a phrase that opens with a preposition or participle), which hangs on the noun. Determiners are not inserted, as in the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import product
from typing import Self

from referee.errors import NotTrained
from referee.realisation.annotation import Example, by_domain, choose, read_examples
from referee.realisation.cheapest_string import Next, Option, cheapest
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.realisation.permutation import RankedPhrases, Resources
from referee.realisation.phrases import Words
from referee.records import Property, SpeakerView, Trial

__all__ = ["DependencyOrder", "WordPairs"]

COMBINATIONS = 2_000  # looked through for the most probable ones; many slots get fewer phrases each


class WordPairs:
    """How often one word precedes another in a description, and how often it does so while depending on it."""

    def __init__(self, examples: Iterable[Example], language: Language) -> None:
        self.language = language
        self.before: Counter[tuple[str, str]] = Counter()
        self.depends_before: Counter[tuple[str, str]] = Counter()
        self.depends_after: Counter[tuple[str, str]] = Counter()
        for example in examples:
            self._add(example)

    def main(self, words: Words) -> str:
        """The word that stands for a phrase."""
        return "" if not words else words[0] if words[0] in self.language.openers else words[-1]

    def _add(self, example: Example) -> None:
        pieces = [piece for piece in example.pieces if piece.properties]
        mains = [self.main(piece.words) for piece in pieces]
        for i, one in enumerate(mains):
            self.before.update((one, other) for other in mains[i + 1 :] if one != other)
        if example.head is not None:
            place = pieces.index(example.pieces[example.head])
            self.depends_before.update((word, mains[place]) for word in mains[:place])
            self.depends_after.update((word, mains[place]) for word in mains[place + 1 :])

    def precedes(self, one: Words, other: Words) -> bool | None:
        """Whether a phrase goes before another; None when nothing speaks for either order.

        Where one depends on the other, only that counts; else the order in which they occur together.
        """
        i, j = self.main(one), self.main(other)
        first = self.depends_before[i, j] + self.depends_after[j, i]
        second = self.depends_after[i, j] + self.depends_before[j, i]
        if first + second == 0:
            first, second = self.before[i, j], self.before[j, i]
        return None if first == second else first > second


class DependencyOrder(RankedPhrases):
    """The most probable combinations of phrases, each in all orders that the dependencies allow; the language model picks.

    `combinations` says how many combinations are tried; `options` how many phrases per slot they are made from.
    """

    def __init__(
        self,
        balance: Mapping[str, float] | None = None,
        options: int = 6,
        combinations: int = 40,
        language: Language = ENGLISH,
    ) -> None:
        super().__init__(balance, options, language)
        self.combinations = combinations

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn phrases, the language model and the order of words, per domain."""
        groups = by_domain(read_examples(trials))
        self.resources_ = {domain: Resources.learn(examples) for domain, examples in groups.items()}
        self.pairs_ = {domain: WordPairs(examples, self.language) for domain, examples in groups.items()}
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        if not hasattr(self, "pairs_"):
            raise NotTrained(self)
        book, model = self.learned(view)
        pairs = choose(self.pairs_, view.domain)
        slots = self.slots(properties, book)
        # The root of the number, so that the product stays within it however many slots there are.
        few = max(1, int(COMBINATIONS ** (1 / max(len(slots), 1))))
        combinations = product(*(options[:few] for options in slots))
        likely = nsmallest(self.combinations, combinations, key=lambda c: sum(cost for _, cost in c))
        found = []
        for phrases in likely:
            chosen: list[list[Option]] = [[phrase] for phrase in phrases]
            best = cheapest(chosen, _follow([words for words, _ in phrases], pairs), model, self.weight(view))
            found += [(best[1], best[0])] if best else []
        return " ".join(min(found)[1]) if found else ""


def _follow(phrases: Sequence[Words], pairs: WordPairs) -> Next:
    """A phrase may follow once all that must precede it have been said; in a circle of preferences, whichever has fewest open ones."""
    first = [
        sum(1 << j for j, other in enumerate(phrases) if j != i and pairs.precedes(other, one))
        for i, one in enumerate(phrases)
    ]

    def follow(said: int) -> list[int]:
        open_ = [i for i in range(len(phrases)) if not said >> i & 1]
        waiting = {i: (first[i] & ~said).bit_count() for i in open_}
        least = min(waiting.values(), default=0)
        return [i for i in open_ if waiting[i] == least]

    return follow
