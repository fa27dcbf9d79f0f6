"""Orders phrases by typical dependencies of their words (ATT-Dependency; Di Fabbrizio, Stent & Bangalore 2008).

The authors parsed the training strings with a supertag parser; here a small noun-phrase parser is used
(`noun_phrase_trees`). Pairs of words are counted as in the paper: one before the other, directly before it, and
depending on it from either side. Determiners are not inserted, as in the original.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from itertools import pairwise, product
from typing import Self

from referee.errors import NotTrained
from referee.realisation.annotation import HEAD, Example, choose_model, group_by_domain, read_examples
from referee.realisation.cheapest_string import Next, Option, find_cheapest_string
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.realisation.noun_phrase_trees import find_heads
from referee.realisation.permutation import RankedPhrases, Resources
from referee.realisation.phrases import Words
from referee.records import Property, SpeakerView, Trial

COMBINATIONS = 2_000  # looked through for the most probable ones; many slots get fewer phrases each


class WordPairs:
    """How often one word precedes another in a description, directly or not, and how often it does so while depending on it."""

    def __init__(self, examples: Iterable[Example], language: Language) -> None:
        self.language = language
        self.before: Counter[tuple[str, str]] = Counter()
        self.directly: Counter[tuple[str, str]] = Counter()
        self.depends_before: Counter[tuple[str, str]] = Counter()
        self.depends_after: Counter[tuple[str, str]] = Counter()
        descriptions = list(examples)
        self.nouns = frozenset(
            piece.words[-1] for e in descriptions for piece in e.pieces if HEAD in piece.names and len(piece.words) < 3
        )
        for example in descriptions:
            self._add(example.words)

    def _add(self, words: Words) -> None:
        """Count the pairs of one string."""
        self.before.update(
            (earlier, other) for i, earlier in enumerate(words) for other in words[i + 1 :] if earlier != other
        )
        self.directly.update(pairwise(words))
        for place, head in enumerate(find_heads(words, self.nouns, self.language)):
            if head > place:
                self.depends_before[words[place], words[head]] += 1
            elif head >= 0:
                self.depends_after[words[place], words[head]] += 1

    def compare_order(self, phrase: Words, another: Words) -> bool | None:
        """Return whether a phrase precedes another; None without evidence for either order.

        By the pair of words, one of each, with the most frequent dependency; without any, by the order in which their
        words co-occur.
        """
        pairs = [(a, b) for a in phrase for b in another if a != b]
        tied = [(*self._count_dependencies(a, b), a, b) for a, b in pairs]
        first, second, *_ = max(tied, key=lambda t: (t[0] + t[1], t[2:]), default=(0, 0))
        if first + second == 0:
            first, second = sum(self.before[p] for p in pairs), sum(self.before[b, a] for a, b in pairs)
        if first == second and phrase and another:
            first, second = self.directly[phrase[-1], another[0]], self.directly[another[-1], phrase[0]]
        return None if first == second else first > second

    def _count_dependencies(self, a: str, b: str) -> tuple[int, int]:
        """Return how often one of two words depends on the other, with the first word first and with the second word
        first.
        """
        first = self.depends_before[a, b] + self.depends_after[b, a]
        return first, self.depends_after[a, b] + self.depends_before[b, a]


class DependencyOrder(RankedPhrases):
    """The most probable combinations of phrases, in all orders that dependencies allow.

    The language model selects.

    `combinations` is the number of combinations; `options` the number of phrases per slot.
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
        groups = group_by_domain(read_examples(trials))
        self.resources_ = {domain: Resources.learn(examples) for domain, examples in groups.items()}
        self.pairs_ = {domain: WordPairs(examples, self.language) for domain, examples in groups.items()}
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the best string of all combinations and orders."""
        if not hasattr(self, "pairs_"):
            raise NotTrained(self)
        book, model = self.learned(view)
        pairs = choose_model(self.pairs_, view.domain)
        slots = self.slots(properties, book)
        # The root of the number, so that the product stays below it for any number of slots.
        few = max(1, int(COMBINATIONS ** (1 / max(len(slots), 1))))
        combinations = product(*(options[:few] for options in slots))
        likely = nsmallest(self.combinations, combinations, key=lambda c: sum(cost for _, cost in c))
        strings = []
        for phrases in likely:
            chosen: list[list[Option]] = [[phrase] for phrase in phrases]
            best = find_cheapest_string(
                chosen, _follow([words for words, _ in phrases], pairs), model, self.weight(view)
            )
            strings += [(best[1], best[0])] if best else []
        return " ".join(min(strings)[1]) if strings else ""


def _follow(phrases: Sequence[Words], pairs: WordPairs) -> Next:
    """Return the function that permits a phrase after all that must precede it.

    In a cycle of preferences, the one with the fewest open ones.
    """
    first = [
        sum(1 << j for j, other in enumerate(phrases) if j != i and pairs.compare_order(other, phrase))
        for i, phrase in enumerate(phrases)
    ]

    def follow(covered: int) -> list[int]:
        """Return the phrases that may come next: those with the fewest missing predecessors."""
        open_ = [i for i in range(len(phrases)) if not covered >> i & 1]
        waiting = {i: (first[i] & ~covered).bit_count() for i in open_}
        least = min(waiting.values(), default=0)
        return [i for i in open_ if waiting[i] == least]

    return follow
