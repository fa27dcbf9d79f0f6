"""The entities of many scenes side by side, as arrays: what a hearer can see of each, and which ones a question is true of.

Sets of entities are bit sets over a scene, bit i standing for entity i (as in `Scene`), in arrays of shape (words, number of sets).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter

import numpy as np

from referee.metrics.properties import IntArray, PropertyBits, WordArray, pack
from referee.metrics.smallest import relation_names
from referee.records import Property, Scene

__all__ = ["Entities", "has_relations"]

Question = Callable[[IntArray | slice, IntArray], WordArray]


class _Numbers(dict[Property, int]):
    """Properties numbered in the order they are met."""

    def __missing__(self, prop: Property) -> int:
        number = self[prop] = len(self)
        return number


@dataclass(frozen=True)
class Entities:
    """All entities of some scenes, scene after scene."""

    scenes: Sequence[Scene]
    vocabulary: PropertyBits

    @cached_property
    def crowd(self) -> IntArray:
        """The number of entities of every scene."""
        return np.fromiter((len(scene.entities) for scene in self.scenes), np.intp, len(self.scenes))

    @cached_property
    def first(self) -> IntArray:
        """The place of the first entity of every scene."""
        return np.cumsum(self.crowd) - self.crowd

    @property
    def words(self) -> int:
        """How many words a set of entities takes."""
        return max(1, -(-int(self.crowd.max(initial=0)) // 64))

    @cached_property
    def _seen(self) -> tuple[_Numbers, IntArray, IntArray]:
        """A number for every property; the properties of all entities end to end; how many each entity has."""
        seen = [properties for scene in self.scenes for properties in _visible(scene, self.vocabulary)]
        numbers = _Numbers()
        flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(seen)), np.intp)
        return numbers, flat, np.fromiter(map(len, seen), np.intp, len(seen))

    @property
    def properties(self) -> list[Property]:
        """Every property that some entity has; `table` refers to their places here."""
        return list(self._seen[0])

    @cached_property
    def table(self) -> IntArray:
        """The properties of every entity side by side, -1 where it has no more."""
        _, flat, lengths = self._seen
        table = np.full((len(lengths), int(lengths.max(initial=0))), -1, dtype=np.intp)
        table[np.arange(table.shape[1]) < lengths[:, None]] = flat
        return table

    @cached_property
    def masks(self) -> WordArray:
        """What is true of every entity, as a set over the vocabulary."""
        numbers, flat, lengths = self._seen
        width = max(1, -(-len(self.vocabulary) // 64))
        bits = pack([self.vocabulary.get(prop, 0) for prop in numbers], width)
        result = np.zeros((width, len(lengths)), dtype=np.uint64)
        if len(flat):
            some = lengths > 0
            result[:, some] = np.bitwise_or.reduceat(bits[:, flat], (np.cumsum(lengths) - lengths)[some], axis=1)
        return result

    def ask(self, scenes: IntArray, question: Question) -> WordArray:
        """For each of some scenes, the set of entities that a question is true of.

        The question is put once for every place in a scene: which of the `scenes` reach that far (as an index), and the entities there;
        it answers with 1 or 0 for each.
        """
        found = np.zeros((self.words, len(scenes)), dtype=np.uint64)
        crowd, first = self.crowd[scenes], self.first[scenes]
        smallest = int(crowd.min()) if len(crowd) else 0
        for place in range(int(crowd.max(initial=0))):
            there = slice(None) if place < smallest else np.flatnonzero(crowd > place)
            found[place // 64, there] |= question(there, first[there] + place) << np.uint64(place % 64)
        return found


def has_relations(scene: Scene) -> bool:
    """Whether anything in a scene stands in a relation."""
    return any(map(attrgetter("relations"), scene.entities))


def _visible(scene: Scene, vocabulary: PropertyBits) -> Iterator[tuple[Property, ...]]:
    """What a hearer can see of every entity: attributes and, whatever landmark is named with them, its relations."""
    if not has_relations(scene):
        yield from map(attrgetter("attributes"), scene.entities)
        return
    hidden = relation_names(scene)
    forms = {name: [p for p in vocabulary if p[0] == name] for name in hidden}
    for entity in scene.entities:
        own = (p for p in entity.attributes if p.name not in hidden)
        yield (*own, *chain.from_iterable(forms[r.name] for r in entity.relations))
