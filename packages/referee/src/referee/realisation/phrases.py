"""A phrase book: how often each set of properties was realised by which words (the lexicon of Di Fabbrizio, Stent &
Bangalore 2008).

Properties that are usually expressed together (a white beard, a position in the middle of the grid) have their own
phrases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log

from referee.realisation.annotation import Example, Properties
from referee.records import Property

Words = tuple[str, ...]


class PhraseBook:
    """Counts of phrases, learned from annotated descriptions."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self.counts: dict[Properties, Counter[Words]] = {}
        self._together: Counter[Properties] = Counter()
        self._both: Counter[Properties] = Counter()
        for example in examples:
            self._add(example)

    def _add(self, example: Example) -> None:
        """Count the phrases of one example."""
        expressed: set[Property] = set()
        for piece in example.pieces:
            if piece.properties:
                self.counts.setdefault(piece.properties, Counter())[piece.words] += 1
                expressed |= piece.properties
        groups = {piece.properties for piece in example.pieces if len(piece.properties) > 1}
        self._together.update(groups)
        for size in (2, 3):
            self._both.update(frozenset(c) for c in combinations(sorted(expressed), size))

    def choose_modal(self, properties: Properties) -> Words | None:
        """Return the most frequent phrase (of equals the shorter, then the alphabetically first).

        None if there is none.
        """
        counts = self.counts.get(properties)
        return min(counts, key=lambda words: (-counts[words], len(words), words)) if counts else None

    def fitting(self, properties: Properties, model: Words, openers: frozenset[str]) -> Words | None:
        """Return the most frequent phrase that can replace `model`: with a preposition if and only if that has one;
        else the most frequent.
        """
        counts = self.counts.get(properties, Counter())
        alike = {w: n for w, n in counts.items() if (w[0] in openers) == (model[0] in openers)}
        return min(alike, key=lambda w: (-alike[w], len(w), w)) if alike else self.choose_modal(properties)

    def options(self, properties: Properties, most: int) -> list[tuple[Words, float]]:
        """Return the `most` frequent phrases, each with -log P(phrase | properties)."""
        counts = self.counts.get(properties, Counter())
        total = sum(counts.values())
        ranked = sorted(counts, key=lambda words: (-counts[words], len(words), words))
        return [(words, -log(counts[words] / total)) for words in ranked[:most]]

    def group_properties(self, properties: Sequence[Property]) -> list[Properties]:
        """Return the properties in groups that are worded together: those expressed together at least as often as
        separately.

        Every property occurs exactly once; groups are at the position of their first member.
        """
        left = dict.fromkeys(properties)
        groups: list[Properties] = []
        content = set(properties)
        fitting = [g for g in self._together if g <= content and 2 * self._together[g] >= self._both[g]]
        for group in sorted(fitting, key=lambda g: (-len(g), -self._together[g], sorted(g))):
            if all(p in left for p in group):
                groups.append(group)
                for prop in group:
                    del left[prop]
        groups += [frozenset([p]) for p in left]
        place = {p: i for i, p in enumerate(properties)}
        return sorted(groups, key=lambda g: min(place[p] for p in g))
