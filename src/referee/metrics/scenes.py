"""What every description of a batch denotes in its scene, for all of them at once: an entity fits when its mask holds the description's.

Same meaning as `Scene.denotation`, which also does the work where a landmark is described. Sets of entities are rows of 64-bit words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch
from referee.errors import InputError
from referee.metrics.properties import Encoding, IntArray, WordArray, count_bits, encode, pack
from referee.metrics.smallest import relation_names
from referee.records import LANDMARKS, Scene, Trial

__all__ = ["Situations", "look"]

BoolArray = npt.NDArray[np.bool_]
ONE = np.uint64(1)


@dataclass(frozen=True)
class Situations:
    """The scenes of an encoded batch, and what its outputs and references denote in them.

    Sets of entities have the shape (words, number of sets). Acts whose trial has no entities or no target are not `measurable`.
    """

    encoding: Encoding

    @cached_property
    def scenes(self) -> list[Scene]:
        """The distinct scenes (by identity)."""
        return list({id(t.scene): t.scene for t in self.encoding.trials}.values())

    @cached_property
    def scene_of(self) -> IntArray:
        """The scene of every case."""
        place = {id(scene): i for i, scene in enumerate(self.scenes)}
        return np.array([place[id(t.scene)] for t in self.encoding.trials], dtype=np.intp)

    @cached_property
    def crowd(self) -> IntArray:
        """The number of entities of every scene."""
        return np.array([len(scene.entities) for scene in self.scenes], dtype=np.intp)

    @cached_property
    def entities(self) -> WordArray:
        """What is true of every entity, scene after scene, in the vocabulary of the batch."""
        masks = [mask for scene in self.scenes for mask in _true_of(scene, self.encoding)]
        return pack(masks, self.encoding.words)

    @cached_property
    def goals(self) -> list[int]:
        """The targets of every case."""
        return [_goal(trial) for trial in self.encoding.trials]

    @cached_property
    def targets(self) -> WordArray:
        """The targets of every case, as words."""
        return pack(self.goals, self._words)

    @cached_property
    def others(self) -> WordArray:
        """The distractors of every case, as words."""
        pairs = zip(self.encoding.trials, self.goals, strict=True)
        return pack([trial.scene.everything & ~goal for trial, goal in pairs], self._words)

    @property
    def _words(self) -> int:
        return max(1, -(-int(self.crowd.max(initial=0)) // 64))

    @cached_property
    def with_landmark(self) -> BoolArray:
        """Which descriptions describe a landmark."""
        said = self.encoding.descriptions
        return np.array([any(LANDMARKS.match(p.name) is not None for p in d) for d in said], dtype=bool)

    @cached_property
    def denoted(self) -> WordArray:
        """What the output of every act denotes."""
        return self._denote(self.encoding.said, self.encoding.case)

    @cached_property
    def measurable(self) -> BoolArray:
        return (count_bits(self.targets) > 0)[self.encoding.case]

    @cached_property
    def holds(self) -> BoolArray:
        """Whether the output of every act is true of its targets."""
        return _within(self.targets[:, self.encoding.case], self.denoted)

    @cached_property
    def remaining(self) -> IntArray:
        """The number of distractors that the output of every act is true of."""
        return count_bits(self.denoted & self.others[:, self.encoding.case])

    @cached_property
    def unique(self) -> BoolArray:
        """Whether the output of every act denotes the targets and nothing else."""
        alone: BoolArray = self.holds & (self.remaining == 0) & self.measurable
        return alone

    @cached_property
    def distractors(self) -> IntArray:
        """The number of distractors of every case."""
        return count_bits(self.others)

    @cached_property
    def remaining_of_references(self) -> IntArray:
        """The number of distractors that each reference (in the order of `Encoding.members`) is true of."""
        cases = np.repeat(np.arange(len(self.encoding.trials)), np.diff(self.encoding.starts))
        return count_bits(self._denote(self.encoding.members, cases) & self.others[:, cases])

    @cached_property
    def denotations(self) -> list[int]:
        """What the output of every act denotes, as Python bit sets."""
        if self._words == 1:
            return [int(d) for d in self.denoted[0].tolist()]
        return [int.from_bytes(d.tobytes(), "little") for d in np.ascontiguousarray(self.denoted.T, dtype="<u8")]

    def extent(self, bits: IntArray, acts: IntArray) -> WordArray:
        """What single properties, given by the numbers of their bits, denote in the scenes of some acts."""
        scene = self.scene_of[self.encoding.case[acts]]
        word, shift = bits // 64, (bits % 64).astype(np.uint64)
        return self._collect(scene, lambda there, entity: (self.entities[word[there], entity] >> shift[there]) & ONE)

    def _denote(self, said: IntArray, cases: IntArray) -> WordArray:
        sets = self.encoding.sets[:, said]
        found = self._collect(
            self.scene_of[cases],
            lambda there, entity: _within(sets[:, there], self.entities[:, entity]).astype(np.uint64),
        )
        self._read_landmarks(found, said, cases)
        return found

    def _collect(self, scene: IntArray, fits: Callable[[IntArray | slice, IntArray], WordArray]) -> WordArray:
        """Sets of entities, one for each of some scenes, from whether the entities at each place of them fit (1 or 0)."""
        found = np.zeros((self._words, len(scene)), dtype=np.uint64)
        crowd, first = self.crowd[scene], (np.cumsum(self.crowd) - self.crowd)[scene]
        full = int(crowd.min()) if len(crowd) else 0
        for place in range(int(crowd.max(initial=0))):
            there = slice(None) if place < full else np.flatnonzero(crowd > place)
            found[place // 64, there] |= fits(there, first[there] + place) << np.uint64(place % 64)
        return found

    def _read_landmarks(self, found: WordArray, said: IntArray, cases: IntArray) -> None:
        """Descriptions of landmarks mean more than the sum of their properties: let the scene read them."""
        hard = np.flatnonzero(self.with_landmark[said])
        masks = [
            self.encoding.trials[case].scene.denotation(self.encoding.descriptions[description])
            for description, case in zip(said[hard].tolist(), cases[hard].tolist(), strict=True)
        ]
        found[:, hard] = pack(masks, self._words)


def look(batch: Batch) -> Situations:
    """The situations of a batch, built by the first measure that asks for them."""
    found = batch.cache.get(Situations)
    if found is None:
        found = batch.cache[Situations] = Situations(encode(batch))
    return found


def _within(parts: WordArray, wholes: WordArray) -> BoolArray:
    """Whether each column of bits lies within another."""
    outside = parts[0] & ~wholes[0]
    for part, whole in zip(parts[1:], wholes[1:], strict=True):
        outside |= part & ~whole
    inside: BoolArray = outside == 0
    return inside


def _true_of(scene: Scene, encoding: Encoding) -> list[int]:
    """For every entity, the properties of the vocabulary that are true of it; of a relation a hearer gets only the name."""
    bit = encoding.vocabulary.get
    hidden = relation_names(scene)
    if not hidden:
        return [_union([bit(p, 0) for p in entity.attributes]) for entity in scene.entities]
    related = {name: _union([b for p, b in encoding.vocabulary.items() if p[0] == name]) for name in hidden}
    return [
        _union([bit(p, 0) for p in entity.attributes if p.name not in hidden])
        | _union([related[r.name] for r in entity.relations])
        for entity in scene.entities
    ]


def _union(masks: Sequence[int]) -> int:
    total = 0
    for mask in masks:
        total |= mask
    return total


def _goal(trial: Trial) -> int:
    try:
        return trial.target_mask
    except KeyError as missing:
        raise InputError(
            f"trial {trial.id!r} has the target {missing.args[0]!r}, which is not in its scene",
            remedy="name a target by the id of one of the scene's entities",
        ) from None
