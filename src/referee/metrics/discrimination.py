"""What a description does in its scene: does it single the target out, and with how much too much or too little?

Uniqueness and minimality are those of the challenges (Belz & Gatt 2008); degrees of over- and under-specification are what van
Deemter & Gatt (2007, section 1.2) ask for. A description is read as in `Scene.denotation`; with several targets it should denote
exactly these. Sizes count different properties.

Empty case, for all: the empty description denotes everything; outputs without properties, and trials without a target or a scene, are not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.metrics.measure import Measure
from referee.metrics.properties import IntArray, expand
from referee.metrics.scenes import Situations, look
from referee.metrics.smallest import fewest_to_add, fewest_to_keep
from referee.records import Property, Scene

__all__ = ["Bits", "Deficit", "Minimal", "Remaining", "SpecificityDice", "Surplus", "Unique", "count_surplus"]

TYPE = "type"


class _SceneMeasure(Measure):
    def statistics(self, batch: Batch) -> FloatArray:
        seen = look(batch)
        return seen.encoding.spread(np.where(seen.measurable, self._judge(seen), np.nan))

    def _judge(self, seen: Situations) -> FloatArray:
        """The value of every act."""
        raise NotImplementedError


class Unique(_SceneMeasure):
    """1 if the description is true of the target(s) and of nothing else, else 0; higher is better (Belz & Gatt 2008)."""

    name = "scene/unique"

    def _judge(self, seen: Situations) -> FloatArray:
        return seen.unique.astype(float)


class Minimal(_SceneMeasure):
    """1 if the description is unique and no smaller set of true properties is, else 0; no direction is better as such.

    Type is an ordinary attribute (as in Belz & Gatt 2008); without `count_type` it is free: sizes leave it out, and the smallest
    set is searched with the target's type given. 0 where nothing distinguishes the target. Landmarks count as far as one step away.
    """

    name = "scene/minimal"
    direction = "none"

    def __init__(self, *, count_type: bool = True) -> None:
        self.count_type = count_type

    def _judge(self, seen: Situations) -> FloatArray:
        encoding, unique = seen.encoding, np.flatnonzero(seen.unique)
        smallest = {case: self._smallest(seen, case) for case in set(encoding.case[unique].tolist())}
        sizes = [len(_counted(d, self.count_type)) for d in encoding.descriptions]
        result = np.zeros(len(encoding.said))
        pairs = zip(encoding.said[unique].tolist(), encoding.case[unique].tolist(), strict=True)
        result[unique] = [sizes[said] <= smallest[case] for said, case in pairs]
        return result

    def _smallest(self, seen: Situations, case: int) -> float:
        size = smallest_size(seen.encoding.trials[case].scene, seen.goals[case], self.count_type)
        return -1 if size is None else size


class Remaining(_SceneMeasure):
    """The number of entities other than the target(s) that the description is true of, in [0, ∞); lower is better.

    This holds for descriptions false of the target, too. With `share`, divided by the number of distractors (0 if there are none).
    """

    name = "scene/remaining"
    range = (0.0, None)
    direction = "lower"

    def __init__(self, *, share: bool = False) -> None:
        self.share = share

    def _judge(self, seen: Situations) -> FloatArray:
        if not self.share:
            return seen.remaining.astype(float)
        return _shares(seen.remaining, seen.distractors[seen.encoding.case])


class Bits(_SceneMeasure):
    """log2(1 + remaining distractors), in [0, ∞); lower is better: what a hearer still has to be told, in bits."""

    name = "scene/bits"
    range = (0.0, None)
    direction = "lower"

    def _judge(self, seen: Situations) -> FloatArray:
        bits: FloatArray = np.log2(1.0 + seen.remaining)
        return bits


class Surplus(_SceneMeasure):
    """How many properties the description has too many, in [0, ∞); people over-specify too, so no direction is better as such.

    `method`: ``exact``, the largest number that can be dropped together without gaining a distractor; ``greedy``, those dropped when
    going through them in the order said; ``size``, the size minus that of the smallest distinguishing set (below 0 for descriptions that
    are too short; not measurable where nothing distinguishes). Without `count_type` the type neither counts nor is dropped.
    """

    name = "scene/surplus"
    range = (None, None)
    direction = "none"

    def __init__(self, *, method: str = "exact", count_type: bool = True) -> None:
        self.method = method
        self.count_type = count_type

    def _judge(self, seen: Situations) -> FloatArray:
        if self.method not in METHODS:
            raise InputError(f"scene/surplus has no method {self.method!r}", remedy=f"use one of {', '.join(METHODS)}")
        return count_surplus(seen, self.method, self.count_type)


class Deficit(_SceneMeasure):
    """The smallest number of true properties to add until the targets stand alone, in [0, ∞); lower is better.

    Not measurable where nothing would help: the description is false of the target, or another entity looks the same.
    """

    name = "scene/deficit"
    range = (0.0, None)
    direction = "lower"

    def _judge(self, seen: Situations) -> FloatArray:
        encoding = seen.encoding
        result = np.where(seen.holds, 0.0, np.nan)
        short = np.flatnonzero(seen.holds & (seen.remaining > 0) & seen.measurable)
        denotations = seen.denotations
        for act in short.tolist():
            case = int(encoding.case[act])
            said = encoding.descriptions[encoding.said[act]]
            more = fewest_to_add(encoding.trials[case].scene, seen.goals[case], said, denotations[act])
            result[act] = np.nan if more is None else more
        return result


class SpecificityDice(_SceneMeasure):
    """Dice - weight · |r(output) - r(reference)| / distractors, where r counts remaining distractors; higher is better.

    Van Deemter & Gatt's (2007) Dice that punishes deviating from how far the human specified the target. In [-weight, 1].
    Two empty sets have a Dice of `empty`; without distractors there is no penalty; several references as in `set/dice`.
    """

    name = "scene/dice.specificity"
    range = (None, 1.0)

    def __init__(self, *, weight: float = 1.0, references: str = "average", empty: float = 1.0) -> None:
        self.weight = weight
        self.references = references
        self.empty = empty

    def _judge(self, seen: Situations) -> FloatArray:
        encoding = seen.encoding
        acts, left, right = encoding.pairs
        total = encoding.sizes[left] + encoding.sizes[right]
        dice = np.divide(2.0 * encoding.shared, total, out=np.full(len(acts), float(self.empty)), where=total > 0)
        places = expand(encoding.starts[encoding.case], encoding.rivals)
        apart = np.abs(seen.remaining[acts] - seen.remaining_of_references[places])
        penalty = _shares(apart, seen.distractors[encoding.case[acts]])
        return encoding.settle(dice - self.weight * penalty, self.references)


def smallest_size(scene: Scene, targets: int, count_type: bool = True) -> int | None:
    """The size of the smallest set of properties that distinguishes the targets; None where nothing does."""
    return fewest_to_add(scene, targets, () if count_type else _types(scene, targets))


def count_surplus(seen: Situations, method: str = "exact", count_type: bool = True) -> FloatArray:
    """The surplus of every act (see `Surplus`); acts that are not measurable keep 0."""
    encoding, count = seen.encoding, METHODS[method]
    counted = [_counted(d, count_type) for d in encoding.descriptions]
    free = [() if count_type else tuple(p for p in d if p.name == TYPE) for d in encoding.descriptions]
    result = np.zeros(len(encoding.said))
    for act in np.flatnonzero(seen.measurable).tolist():
        said, case = encoding.said[act], encoding.case[act]
        result[act] = count(encoding.trials[case].scene, seen.goals[case], counted[said], free[said], count_type)
    return result


def _droppable(scene: Scene, targets: int, said: Sequence[Property], free: Sequence[Property], _: bool) -> float:
    return len(said) - fewest_to_keep(scene, targets, said, free)


def _dropped_in_order(scene: Scene, targets: int, said: Sequence[Property], free: Sequence[Property], _: bool) -> float:
    goal = scene.denotation((*said, *free)) & ~targets
    kept = list(said)
    for prop in said:
        rest = [p for p in kept if p != prop]
        if scene.denotation((*rest, *free)) & ~targets == goal:
            kept = rest
    return len(said) - len(kept)


def _above_smallest(
    scene: Scene, targets: int, said: Sequence[Property], free: Sequence[Property], count_type: bool
) -> float:
    smallest = smallest_size(scene, targets, count_type)
    return np.nan if smallest is None else len(said) - smallest


METHODS: dict[str, Callable[[Scene, int, Sequence[Property], Sequence[Property], bool], float]] = {
    "exact": _droppable,
    "greedy": _dropped_in_order,
    "size": _above_smallest,
}


def _counted(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """The different properties of a description, in order, with or without its type."""
    return tuple(dict.fromkeys(p for p in description if count_type or p.name != TYPE))


def _types(scene: Scene, targets: int) -> tuple[Property, ...]:
    """The types that are true of all targets."""
    return tuple(p for p, e in scene.extensions.items() if p.name == TYPE and e & targets == targets)


def _shares(parts: IntArray, wholes: IntArray) -> FloatArray:
    """Quotients that are 0 where the whole is."""
    result = np.zeros(len(parts))
    np.divide(parts, wholes, out=result, where=wholes > 0)
    return result
