"""The denotations of all descriptions of a batch at once: an entity fits if its mask contains the description's.

The sets equal those of `Scene.denotation`, which computes descriptions that are more than a conjunction of attributes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch
from referee.errors import InputError
from referee.meaning import NOT, has_true_numbers
from referee.metrics.properties import IntArray, PropertyBits, PropertyEncoding, WordArray, count_bits, encode, pack
from referee.metrics.smallest import list_relation_names
from referee.records import LANDMARKS, Property, Scene, Trial

Question = Callable[[IntArray | slice, IntArray], WordArray]

BoolArray = npt.NDArray[np.bool_]
ONE, ALL = np.uint64(1), ~np.uint64(0)


@dataclass(frozen=True)
class Situations:
    """The scenes of an encoded batch, and the denotations of its outputs and references (see `Entities`).

    A *spot* is a scene with its targets: ``encoding.spots``, of which `spot` has that of every act. Acts whose trial
    has no entities, an incomplete list of them or no target are not `measurable`; their other values are undefined.
    """

    encoding: PropertyEncoding

    @cached_property
    def spot(self) -> IntArray:
        """The spot of every act."""
        return self.encoding.spot[self.encoding.case]

    @cached_property
    def entities(self) -> Entities:
        """The entities of the distinct scenes of the batch."""
        distinct = {id(trial.scene): trial.scene for trial in self.encoding.spots}
        return Entities(list(distinct.values()), self.encoding.vocabulary)

    @cached_property
    def scene(self) -> IntArray:
        """The scene of every spot, as an index into ``entities.scenes``."""
        place = {id(scene): i for i, scene in enumerate(self.entities.scenes)}
        return np.array([place[id(trial.scene)] for trial in self.encoding.spots], dtype=np.intp)

    @cached_property
    def related(self) -> BoolArray:
        """Whether there are relations in the scene of every spot."""
        return np.array([has_relations(scene) for scene in self.entities.scenes], dtype=bool)[self.scene]

    @cached_property
    def goals(self) -> list[int]:
        """The targets of every spot, as Python bit sets."""
        return [_make_target_mask(trial) for trial in self.encoding.spots]

    @cached_property
    def targets(self) -> WordArray:
        """The targets of every spot."""
        return pack(self.goals, self.entities.words)

    @cached_property
    def others(self) -> WordArray:
        """The distractors of every spot."""
        pairs = zip(self.encoding.spots, self.goals, strict=True)
        return pack([trial.scene.everything & ~goal for trial, goal in pairs], self.entities.words)

    @cached_property
    def distractors(self) -> IntArray:
        """The number of distractors of every spot."""
        return count_bits(self.others)

    @cached_property
    def measurable(self) -> BoolArray:
        """Whether the scene of every act is complete and has a target."""
        complete = np.array([trial.scene.complete for trial in self.encoding.spots], dtype=bool)
        return (complete & (count_bits(self.targets) > 0))[self.spot]

    @cached_property
    def structured(self) -> BoolArray:
        """Return which descriptions are more than a conjunction of attributes.

        They have a meaning, describe a landmark, or contain a negation.
        """
        result = self.encoding.has_meaning.copy()
        for name, words in self.encoding.names.items():
            if LANDMARKS.match(name) or name.startswith(NOT):
                for word, mask in zip(self.encoding.sets, words, strict=True):
                    result |= (word & np.uint64(mask)) != 0
        return result

    @cached_property
    def denoted(self) -> WordArray:
        """The denotation of the output of every act."""
        return self._denote(self.encoding.description, self.spot)

    @cached_property
    def holds(self) -> BoolArray:
        """Whether the output of every act is true of its targets."""
        return _is_subset(self.targets[:, self.spot], self.denoted)

    @cached_property
    def remaining(self) -> IntArray:
        """The number of distractors that the output of every act is true of."""
        return count_bits(self.denoted & self.others[:, self.spot])

    @cached_property
    def unique(self) -> BoolArray:
        """Whether the output of every act denotes the targets and no other entity."""
        alone: BoolArray = self.holds & (self.remaining == 0) & self.measurable
        for act in np.flatnonzero(alone & self.encoding.has_meaning[self.encoding.description]).tolist():
            form = self.encoding.meanings[self.encoding.description[act]]
            alone[act] = form is None or has_true_numbers(form, self.encoding.spots[self.spot[act]].scene)
        return alone

    @cached_property
    def remaining_of_references(self) -> IntArray:
        """The number of distractors that each reference (in the order of `Encoding.members`) is true of."""
        spots = np.repeat(self.encoding.spot, np.diff(self.encoding.starts))
        return count_bits(self._denote(self.encoding.members, spots) & self.others[:, spots])

    @cached_property
    def true_properties(self) -> list[tuple[BoolArray, WordArray]]:
        """Return the targets' true properties: whether each is the type, and its denotation.

        Missing properties, and those that are not true of all targets, denote everything, so they have no effect. So do
        all in scenes with relations, which need their own search.
        """
        # The last place serves -1, where an entity has no more properties.
        is_type = np.array([*(prop.name == "type" for prop in self.entities.properties), False])
        # The lowest bit: a property of all targets is one of the first, so only its properties need be tried.
        first = [max(0, (goal & -goal).bit_length() - 1) for goal in self.goals]
        places = self.entities.first[self.scene] + np.array(first, dtype=np.intp)
        searched = ~self.related & (count_bits(self.targets) > 0)
        numbers = np.full((len(places), self.entities.table.shape[1]), -1, dtype=np.intp)
        numbers[searched] = self.entities.table[places[searched]]
        result = []
        for number in numbers[:, (numbers >= 0).any(axis=0)].T:
            extent = self._compute_extent(number)
            usable = (number >= 0) & _is_subset(self.targets, extent)
            result.append((usable & is_type[number], np.where(usable, extent, ALL)))
        return result

    def _compute_extent(self, number: IntArray) -> WordArray:
        """Return, for every trial, the entities that have a certain property (by its number in the table)."""

        def has(index: IntArray | slice, entity: IntArray) -> WordArray:
            bits: WordArray = (self.entities.table[entity] == number[index, None]).any(axis=1).astype(np.uint64)
            return bits

        return self.entities.select_entities(self.scene, has)

    def compute_extents(self, bits: IntArray, acts: IntArray) -> WordArray:
        """Return the denotations of single properties in the scenes of some acts.

        The properties are given by their indices in the vocabulary.
        """
        masks, word, shift = self.entities.masks, bits // 64, (bits % 64).astype(np.uint64)
        scenes = self.scene[self.spot[acts]]
        return self.entities.select_entities(
            scenes, lambda index, entity: (masks[word[index], entity] >> shift[index]) & ONE
        )

    def _denote(self, descriptions: IntArray, spots: IntArray) -> WordArray:
        """Return the denotations of descriptions in spots."""
        masks, sets = self.entities.masks, self.encoding.sets[:, descriptions]
        denoted = self.entities.select_entities(
            self.scene[spots], lambda index, entity: _is_subset(sets[:, index], masks[:, entity]).astype(np.uint64)
        )
        # Anything but a conjunction is no subset test: landmarks have to be searched for, scene by scene.
        hard = np.flatnonzero(self.structured[descriptions])
        pairs = zip(descriptions[hard].tolist(), spots[hard].tolist(), strict=True)
        denoted[:, hard] = pack([self._denote_one(d, spot) for d, spot in pairs], self.entities.words)
        return denoted

    def _denote_one(self, description: int, spot: int) -> int:
        """Return the denotation of one description in one spot."""
        form = self.encoding.meanings[description]
        content = self.encoding.descriptions[description] if form is None else form
        return self.encoding.spots[spot].scene.denotation(content)


def make_situations(batch: Batch) -> Situations:
    """Return the scenes and denotations of a batch, built once and cached."""
    situations = batch.cache.get(Situations)
    if situations is None:
        situations = batch.cache[Situations] = Situations(encode(batch))
    return situations


def _is_subset(parts: WordArray, wholes: WordArray) -> BoolArray:
    """Return whether each set is a subset of another."""
    outside = parts[0] & ~wholes[0]
    for part, whole in zip(parts[1:], wholes[1:], strict=True):
        outside |= part & ~whole
    inside: BoolArray = outside == 0
    return inside


def _make_target_mask(trial: Trial) -> int:
    """Return the targets of a trial as a bit set; raise InputError for one that is not in the scene."""
    mask, targets = 0, trial.targets
    for i, entity in enumerate(trial.scene.entities):
        if entity.id in targets:
            mask |= 1 << i
    if mask.bit_count() < len(targets):
        missing = set(targets) - {entity.id for entity in trial.scene.entities}
        # A target listed twice has one bit only; nothing is missing then.
        if missing:
            raise InputError(
                f"trial {trial.id!r} has the target {min(missing)!r}, which is not in its scene",
                remedy="name a target by the id of one of the scene's entities",
            )
    return mask


# -- the entities of many scenes side by side ----------------------------------------------------------------------------------
#
# Sets of entities are bit sets over a scene, bit i standing for entity i (as in `Scene`), in arrays of shape (words, number of sets).


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
        """The index of the first entity of every scene."""
        return np.cumsum(self.crowd) - self.crowd

    @property
    def words(self) -> int:
        """How many words a set of entities takes."""
        return max(1, -(-int(self.crowd.max(initial=0)) // 64))

    @cached_property
    def _numbered_properties(self) -> tuple[_Numbers, IntArray, IntArray]:
        """A number for every property; the properties of all entities end to end; how many each entity has."""
        seen = [properties for scene in self.scenes for properties in _yield_visible_properties(scene, self.vocabulary)]
        numbers = _Numbers()
        flat = np.fromiter(map(numbers.__getitem__, chain.from_iterable(seen)), np.intp)
        return numbers, flat, np.fromiter(map(len, seen), np.intp, len(seen))

    @property
    def properties(self) -> list[Property]:
        """Every property that some entity has; `table` refers to their places here."""
        return list(self._numbered_properties[0])

    @cached_property
    def table(self) -> IntArray:
        """The properties of every entity side by side, -1 where it has no more."""
        _, flat, lengths = self._numbered_properties
        table = np.full((len(lengths), int(lengths.max(initial=0))), -1, dtype=np.intp)
        table[np.arange(table.shape[1]) < lengths[:, None]] = flat
        return table

    @cached_property
    def masks(self) -> WordArray:
        """The true properties of every entity, as a set over the vocabulary."""
        numbers, flat, lengths = self._numbered_properties
        width = max(1, -(-len(self.vocabulary) // 64))
        bits = pack([self.vocabulary.get(prop, 0) for prop in numbers], width)
        result = np.zeros((width, len(lengths)), dtype=np.uint64)
        if len(flat):
            # reduceat would give an entity without properties its neighbour's value.
            some = lengths > 0
            result[:, some] = np.bitwise_or.reduceat(bits[:, flat], (np.cumsum(lengths) - lengths)[some], axis=1)
        return result

    def select_entities(self, scenes: IntArray, question: Question) -> WordArray:
        """Return, for each scene, the set of entities for which a predicate is true.

        The predicate is called once per position in a scene, with the `scenes` that are long enough (as an index) and
        their entities there; it returns 1 or 0 for each.
        """
        extents = np.zeros((self.words, len(scenes)), dtype=np.uint64)
        crowd, first = self.crowd[scenes], self.first[scenes]
        smallest = int(crowd.min()) if len(crowd) else 0
        for place in range(int(crowd.max(initial=0))):
            # As far as the smallest scene goes all are meant, and a slice copies nothing.
            index = slice(None) if place < smallest else np.flatnonzero(crowd > place)
            extents[place // 64, index] |= question(index, first[index] + place) << np.uint64(place % 64)
        return extents


def has_relations(scene: Scene) -> bool:
    """Return whether a scene has relations."""
    return any(map(attrgetter("relations"), scene.entities))


def _yield_visible_properties(scene: Scene, vocabulary: PropertyBits) -> Iterator[tuple[Property, ...]]:
    """Yield the visible properties of every entity: attributes and relations to any landmark."""
    if not has_relations(scene):
        yield from map(attrgetter("attributes"), scene.entities)
        return
    hidden = list_relation_names(scene)
    # Not p.name: second mentions stand in the vocabulary as plain pairs of a property and a count.
    forms = {name: [p for p in vocabulary if p[0] == name] for name in hidden}
    for entity in scene.entities:
        attributes = (p for p in entity.attributes if p.name not in hidden)
        yield (*attributes, *chain.from_iterable(forms[r.name] for r in entity.relations))
