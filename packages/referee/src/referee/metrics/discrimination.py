"""Discrimination in the scene: does a description identify the target, and how far is it over- or underspecified?

Uniqueness and minimality are those of the challenges (Belz & Gatt 2008); degrees of over- and under-specification
follow van Deemter & Gatt (2007, section 1.2). A description is interpreted as in `Scene.denotation`; with several
targets it should denote exactly these. Sizes count different properties. In scenes with attributes only, all parts of
all descriptions are tried at once, small ones first; relations and landmarks use `referee.metrics.smallest`, one by
one.

Empty case, for all: the empty description denotes everything; outputs without properties, and trials without a target
or a scene, are not measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import chain, combinations
from operator import and_

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.meaning import EVERYTHING, Meaning, atoms
from referee.metrics.measure import Measure
from referee.metrics.properties import IntArray, PropertyEncoding, WordArray, expand_ranges
from referee.metrics.scenes import ALL, Situations, make_situations
from referee.metrics.smallest import (
    count_fewest_atoms_to_keep,
    count_fewest_to_add,
    count_fewest_to_add_to_parts,
    count_fewest_to_keep,
    is_as_sharp,
    keep_atoms,
)
from referee.records import Property, Scene

TYPE = "type"
MANY = 16
"""Most properties for which all subsets are tried at once; beyond that another search is faster."""


class _SceneMeasure(Measure):
    """A measure of an output in its scene; NaN for outputs without properties and trials without a target."""

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one row per item; NaN without properties or without a target."""
        seen = make_situations(batch)
        return seen.encoding.make_rows(np.where(seen.measurable, self._measure(seen), np.nan))

    def _measure(self, seen: Situations) -> FloatArray:
        """Return the value of every distinct output in its trial."""
        raise NotImplementedError


class Unique(_SceneMeasure):
    """1 if the description is true of the target(s) and of no other entity, else 0.

    Higher is better (Belz & Gatt 2008).
    """

    name = "scene/unique"

    def _measure(self, seen: Situations) -> FloatArray:
        """Return 1 where the description identifies the target."""
        return seen.unique.astype(float)


class Minimal(_SceneMeasure):
    """1 if the description is unique and no smaller set of true properties is, else 0.

    No direction is better as such.

    Type is an ordinary attribute (as in Belz & Gatt 2008); without `count_type` it is free: sizes exclude it, and the
    smallest set is searched with the target's type included. 0 if no set distinguishes the target. Landmarks count up
    to one step away. A meaning is minimal if, in addition, none of its atoms can be left out.
    """

    name = "scene/minimal"
    direction = "none"

    def __init__(self, *, count_type: bool = True) -> None:
        self.count_type = count_type

    def _measure(self, seen: Situations) -> FloatArray:
        """Return 1 for descriptions of minimal size."""
        smallest = count_smallest(seen, self.count_type)[seen.spot]
        size = count_properties(seen.encoding, self.count_type)[seen.encoding.description]
        with_meaning = seen.encoding.has_meaning[seen.encoding.description]
        # Where no set distinguishes, a set is never minimal; a meaning, which can say more, is if it has nothing to spare.
        is_small = np.where(np.isnan(smallest), with_meaning, size <= smallest)
        if with_meaning.any():
            is_small &= ~with_meaning | (count_surplus(seen, "exact", self.count_type) == 0)
        return (seen.unique & is_small).astype(float)


class Remaining(_SceneMeasure):
    """The number of distractors that the description is true of, in [0, ∞); lower is better.

    Descriptions that are false of the target are included. With `share`, divided by the number of distractors (0 if
    there are none).
    """

    name = "scene/remaining"
    range = (0.0, None)
    direction = "lower"

    def __init__(self, *, share: bool = False) -> None:
        self.share = share

    def _measure(self, seen: Situations) -> FloatArray:
        """Return the number or proportion of remaining distractors."""
        if not self.share:
            return seen.remaining.astype(float)
        return _divide(seen.remaining, seen.distractors[seen.spot])


class Bits(_SceneMeasure):
    """log2(1 + remaining distractors), in [0, ∞): the bits a hearer still lacks; lower is better.

    An empty description leaves all distractors; an output without properties has no value. Source: Shannon 1948.
    """

    name = "scene/bits"
    range = (0.0, None)
    direction = "lower"

    def _measure(self, seen: Situations) -> FloatArray:
        # The 1 is the target itself: a description without remaining distractors leaves 0 bits.
        """Return the bits that each output leaves open."""
        bits: FloatArray = np.log2(1.0 + seen.remaining)
        return bits


class Surplus(_SceneMeasure):
    """The number of properties beyond what identification needs, in [0, ∞); no direction is better.

    People overspecify too.

    `method`: ``exact``, the largest number that can be dropped together without gaining a distractor; ``greedy``, those
    dropped one by one in their order in the description; ``size``, the size minus that of the smallest distinguishing
    set (below 0 for descriptions that are too short; not measurable if no set distinguishes). Without `count_type` the
    type neither counts nor is dropped.
    """

    name = "scene/surplus"
    range = (None, None)
    direction = "none"

    def __init__(self, *, method: str = "exact", count_type: bool = True) -> None:
        self.method = method
        self.count_type = count_type

    def _measure(self, seen: Situations) -> FloatArray:
        """Return the number of superfluous properties by the chosen method."""
        if self.method not in METHODS:
            raise InputError(
                f"the metric scene/surplus has no method {self.method!r}", remedy=f"use one of {', '.join(METHODS)}"
            )
        return count_surplus(seen, self.method, self.count_type)


class Deficit(_SceneMeasure):
    """The fewest true properties to add until the description distinguishes the targets; lower is better.

    Not measurable if none would help: the description is false of the target, or another entity has the same
    properties.
    """

    name = "scene/deficit"
    range = (0.0, None)
    direction = "lower"

    def _measure(self, seen: Situations) -> FloatArray:
        """Return the number of properties that each output lacks."""
        return count_deficit(seen)


@dataclass(eq=False, repr=False, kw_only=True)
class SpecificityDice(_SceneMeasure):
    """Dice - weight · |r(output) - r(reference)| / distractors, where r counts remaining distractors.

    Higher is better.

    Van Deemter & Gatt's (2007) Dice that punishes deviating from how far the human specified the target. In [-weight, 1].
    Two empty sets have a Dice of `empty`; without distractors there is no penalty; several references as in `set/dice`.
    """

    name = "scene/dice.specificity"
    range = (None, 1.0)

    weight: float = 1.0
    references: str = "average"
    empty: float = 1.0

    def _measure(self, seen: Situations) -> FloatArray:
        """Return the Dice of the description with the nearest reference of equal specificity."""
        encoding = seen.encoding
        acts, _, _ = encoding.pairs
        total = np.add(*encoding.paired_sizes)
        dice = np.divide(2.0 * encoding.shared, total, out=np.full(len(acts), float(self.empty)), where=total > 0)
        places = expand_ranges(encoding.starts[encoding.case], encoding.rivals)
        # Too sharp costs as much as too vague: section 1.2 would punish every deviation from how far the oracle
        # specified.
        apart = np.abs(seen.remaining[acts] - seen.remaining_of_references[places])
        penalty = _divide(apart, seen.distractors[seen.spot[acts]])
        return encoding.combine_references(dice - self.weight * penalty, self.references)


def _divide(parts: IntArray, wholes: IntArray) -> FloatArray:
    """Return quotients that are 0 where the denominator is 0."""
    result = np.zeros(len(parts))
    np.divide(parts, wholes, out=result, where=wholes > 0)
    return result


def count_properties(encoding: PropertyEncoding, count_type: bool) -> IntArray:
    """Return the number of different properties (or atoms of a meaning) of each description.

    The type is counted only with `count_type`.
    """
    result = encoding.sizes.copy() if count_type else encoding.sizes_without(TYPE)
    for i in np.flatnonzero(encoding.has_meaning).tolist():
        result[i] = sum(count_type or atom[0] != TYPE for atom in atoms(encoding.meanings[i] or EVERYTHING))
    return result


def count_smallest(seen: Situations, count_type: bool = True) -> FloatArray:
    """Return the size of the smallest set that distinguishes the targets of every trial; NaN if none does.

    Without `count_type` the type is included and does not count.
    """
    start = seen.targets | seen.others
    if not count_type:
        start = reduce(and_, [np.where(is_type, extent, ALL) for is_type, extent in seen.true_properties], start)
    is_hard = seen.related | (len(seen.true_properties) > MANY)

    def search(spot: int) -> int | None:
        """Return the size of the smallest set for the target of one trial; None if there is none."""
        scene, goal = seen.encoding.spots[spot].scene, seen.goals[spot]
        return count_fewest_to_add(scene, goal, () if count_type else _list_types(scene, goal)) if goal else None

    easy = np.flatnonzero(~is_hard)
    result = np.full(len(seen.goals), np.nan)
    result[easy] = _find_fewest([e[:, easy] for _, e in seen.true_properties], start[:, easy], seen.targets[:, easy])
    return _search_each(result, is_hard, search)


def count_deficit(seen: Situations) -> FloatArray:
    """Return the fewest true properties to add to each output until it distinguishes; NaN if none help."""
    encoding, result = seen.encoding, np.where(seen.unique, 0.0, np.nan)
    # Adding properties helps only if the description is true of the targets.
    short = seen.holds & (seen.remaining > 0) & seen.measurable
    is_hard = short & (
        seen.related[seen.spot] | (len(seen.true_properties) > MANY) | encoding.has_meaning[encoding.description]
    )

    def search(act: int) -> int | None:
        """Return the fewest properties to add for an output to identify the target; None if impossible."""
        spot, form = seen.spot[act], encoding.meanings[encoding.description[act]]
        scene, goal = encoding.spots[spot].scene, seen.goals[spot]
        if form is not None:
            return count_fewest_to_add_to_parts(scene, goal, form)
        return count_fewest_to_add(scene, goal, encoding.descriptions[encoding.description[act]])

    easy = np.flatnonzero(short & ~is_hard)
    spots = seen.spot[easy]
    result[easy] = _find_fewest(
        [e[:, spots] for _, e in seen.true_properties], seen.denoted[:, easy], seen.targets[:, spots]
    )
    return _search_each(result, is_hard, search)


def count_surplus(seen: Situations, method: str = "exact", count_type: bool = True) -> FloatArray:
    """Return the surplus of every output (see `scene/surplus`); arbitrary where it is not measurable."""
    return METHODS[method](seen, count_type)


def _count_droppable(seen: Situations, count_type: bool) -> FloatArray:
    """Return the largest number of properties that can be dropped together without gaining a distractor."""
    encoding = seen.encoding
    lengths = np.fromiter(map(len, encoding.descriptions), np.intp, len(encoding.descriptions))
    is_hard = (seen.structured | (lengths > MANY))[encoding.description]

    def search(act: int) -> int:
        """Return the fewest properties of an output that still identify the target."""
        spot, description = seen.spot[act], encoding.descriptions[encoding.description[act]]
        form = encoding.meanings[encoding.description[act]]
        if form is not None:
            is_free = [not count_type and atom[0] == TYPE for atom in atoms(form)]
            return count_fewest_atoms_to_keep(encoding.spots[spot].scene, seen.goals[spot], form, is_free)
        loose, fixed = _list_removable(description, count_type), _list_fixed(description, count_type)
        return count_fewest_to_keep(encoding.spots[spot].scene, seen.goals[spot], loose, fixed)

    necessary = np.zeros(len(encoding.description))
    # Descriptions of one length share their combinations of columns, so they are tried together.
    for length in set(lengths[encoding.description[~is_hard]].tolist()):
        acts = np.flatnonzero(~is_hard & (lengths[encoding.description] == length))
        necessary[acts] = _count_necessary(seen, acts, length, count_type)
    result: FloatArray = count_properties(encoding, count_type)[encoding.description] - _search_each(
        necessary, is_hard, search
    )
    return result


def _count_necessary(seen: Situations, acts: IntArray, length: int, count_type: bool) -> FloatArray:
    """Return the fewest properties to keep, for outputs with the same number of properties (with repetitions)."""
    encoding = seen.encoding
    others = seen.others[:, seen.spot[acts]]
    properties = chain.from_iterable(encoding.descriptions[d] for d in encoding.description[acts].tolist())
    places = dict(zip(encoding.vocabulary, range(len(encoding.vocabulary)), strict=True))
    columns = np.fromiter(map(places.__getitem__, properties), np.intp, len(acts) * length).reshape(len(acts), length).T
    extents = [seen.compute_extents(column, acts) for column in columns]
    start = others
    if not count_type:
        is_type = np.array([p[0] == TYPE for p in encoding.vocabulary])
        start = reduce(and_, [np.where(is_type[c], e, ALL) for c, e in zip(columns, extents, strict=True)], others)
    return _find_fewest(extents, start, seen.denoted[:, acts] & others)


def _find_fewest(extents: Sequence[WordArray], start: WordArray, goal: WordArray) -> FloatArray:
    """Return the smallest number of extents whose intersection with `start` is `goal`.

    NaN if all together have more.
    """
    result = np.full(start.shape[1], np.nan)
    # Where all of them together leave too much no part will do: one test spares all parts.
    open_ = np.flatnonzero((reduce(and_, extents, start) == goal).all(axis=0))
    for size in range(len(extents) + 1):
        if not len(open_):
            break
        near = [e[:, open_] for e in extents]
        first, open_goal = start[:, open_], goal[:, open_]
        done = np.zeros(len(open_), dtype=bool)
        for part in combinations(near, size):
            done |= (reduce(and_, part, first) == open_goal).all(axis=0)
        result[open_[done]] = size
        open_ = open_[~done]
    return result


def _search_each(result: FloatArray, hard: np.ndarray, search: Callable[[int], int | None]) -> FloatArray:
    """Fill in the entries marked `hard`, each by its own search; NaN if the search finds none."""
    for i in np.flatnonzero(hard).tolist():
        count = search(i)
        result[i] = np.nan if count is None else count
    return result


def _list_removable(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """Return the removable properties of a description, in order.

    Repeated ones occur once; a type that does not count is left out.
    """
    return tuple(dict.fromkeys(p for p in description if count_type or p.name != TYPE))


def _list_fixed(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """Return the fixed properties of a description: its type, if it does not count."""
    return () if count_type else tuple(dict.fromkeys(p for p in description if p.name == TYPE))


def _list_types(scene: Scene, targets: int) -> tuple[Property, ...]:
    """Return the type properties that are true of all targets."""
    return tuple(p for p, e in scene.extensions.items() if p.name == TYPE and e & targets == targets)


def _count_dropped_in_order(seen: Situations, count_type: bool) -> FloatArray:
    """Return the number of properties dropped in the order of the description, each if that admits no distractor."""
    encoding = seen.encoding
    result = np.zeros(len(encoding.description))
    for act in np.flatnonzero(seen.measurable).tolist():
        description, spot = encoding.descriptions[encoding.description[act]], seen.spot[act]
        loose, fixed = _list_removable(description, count_type), _list_fixed(description, count_type)
        scene, goal = encoding.spots[spot].scene, seen.goals[spot]
        form = encoding.meanings[encoding.description[act]]
        if form is not None:
            result[act] = _count_atoms_dropped_in_order(scene, goal, form, count_type)
            continue
        remaining = loose
        for prop in loose:
            rest = tuple(p for p in remaining if p != prop)
            if is_as_sharp(scene, goal, (*rest, *fixed), description):
                remaining = rest
        result[act] = len(loose) - len(remaining)
    return result


def _count_atoms_dropped_in_order(scene: Scene, targets: int, form: Meaning, count_type: bool) -> int:
    """Return the number of atoms of a meaning dropped in order, each if that admits no distractor."""
    all_atoms = list(atoms(form))
    remaining = set(range(len(all_atoms)))
    for i, atom in enumerate(all_atoms):
        if (count_type or atom[0] != TYPE) and is_as_sharp(scene, targets, keep_atoms(form, remaining - {i}), form):
            remaining.discard(i)
    return len(all_atoms) - len(remaining)


def _subtract_smallest(seen: Situations, count_type: bool) -> FloatArray:
    """Return the size of each output minus that of the smallest distinguishing set; NaN without one."""
    encoding = seen.encoding
    result: FloatArray = (
        count_properties(encoding, count_type)[encoding.description] - count_smallest(seen, count_type)[seen.spot]
    )
    return result


METHODS: dict[str, Callable[[Situations, bool], FloatArray]] = {
    "exact": _count_droppable,
    "greedy": _count_dropped_in_order,
    "size": _subtract_smallest,
}
