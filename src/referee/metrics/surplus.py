"""How many properties a description has too many, counted in three ways (van Deemter & Gatt 2007, section 1.2: degrees of over-specification)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import combinations
from operator import and_

import numpy as np

from referee.contracts import FloatArray
from referee.metrics.properties import Encoding, IntArray
from referee.metrics.scenes import Situations
from referee.metrics.smallest import fewest_to_add, fewest_to_keep
from referee.records import Property, Scene

__all__ = ["METHODS", "count_surplus", "sizes", "smallest_size"]

TYPE = "type"
LONG = 8
"""Descriptions of more properties than this are searched one by one: trying all their parts at once would not pay."""


def sizes(encoding: Encoding, count_type: bool) -> IntArray:
    """The number of different properties of every description, with or without its type."""
    return encoding.sizes if count_type else encoding.sizes_without(TYPE)


def smallest_size(scene: Scene, targets: int, count_type: bool = True) -> int | None:
    """The size of the smallest set of properties that distinguishes the targets; None where nothing does."""
    types = (
        () if count_type else tuple(p for p, e in scene.extensions.items() if p.name == TYPE and e & targets == targets)
    )
    return fewest_to_add(scene, targets, types)


def count_surplus(seen: Situations, method: str = "exact", count_type: bool = True) -> FloatArray:
    """The surplus of every act (see `scene/surplus`); acts that are not measurable have any value."""
    return METHODS[method](seen, count_type)


def _droppable(seen: Situations, count_type: bool) -> FloatArray:
    """The largest number of properties that can be dropped together without gaining a distractor."""
    encoding = seen.encoding
    result = np.zeros(len(encoding.said))
    parts = [(_loose(d, count_type), _fixed(d, count_type)) for d in encoding.descriptions]
    shapes = [(len(said), len(fixed)) for said, fixed in parts]
    hard = [landmark or size > LONG for landmark, (size, _) in zip(seen.with_landmark.tolist(), shapes, strict=True)]
    alike: dict[tuple[int, int], list[int]] = defaultdict(list)
    for act, number in zip(range(len(result)), encoding.said.tolist(), strict=True):
        if not hard[number]:
            alike[shapes[number]].append(act)
        else:
            case, (said, fixed) = encoding.case[act], parts[number]
            result[act] = len(said) - fewest_to_keep(encoding.trials[case].scene, seen.goals[case], said, fixed)
    bit = {prop: mask.bit_length() - 1 for prop, mask in encoding.vocabulary.items()}
    numbers = [[bit[p] for p in (*said, *fixed)] for said, fixed in parts]
    for (size, _), members in alike.items():
        acts = np.array(members, dtype=np.intp)
        columns = np.array([numbers[d] for d in encoding.said[acts].tolist()], dtype=np.intp)
        result[acts] = size - _fewest_kept(seen, acts, columns, size)
    return result


def _loose(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """What of a description may be dropped: its different properties, in order, but not a type that does not count."""
    return tuple(dict.fromkeys(description if count_type else (p for p in description if p.name != TYPE)))


def _fixed(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """What of a description is never dropped: its type, where that does not count."""
    return () if count_type else tuple(dict.fromkeys(p for p in description if p.name == TYPE))


def _fewest_kept(seen: Situations, acts: IntArray, columns: IntArray, size: int) -> IntArray:
    """`fewest_to_keep` for many acts at once: `columns` are the bits of `size` properties that may go, then of those that stay."""
    others = seen.others[:, seen.encoding.case[acts]]
    extents = [seen.extent(column, acts) for column in columns.T]
    start, goal = reduce(and_, extents[size:], others), seen.denoted[:, acts] & others
    kept = np.full(len(acts), size, dtype=np.intp)
    for fewer in reversed(range(size)):
        for part in combinations(extents[:size], fewer):
            kept[np.equal(reduce(and_, part, start), goal).all(axis=0)] = fewer
    return kept


def _dropped_in_order(seen: Situations, count_type: bool) -> FloatArray:
    """The properties dropped when going through them in the order said and dropping each that lets no distractor in."""
    encoding = seen.encoding
    result = np.zeros(len(encoding.said))
    for act, number in zip(range(len(result)), encoding.said.tolist(), strict=True):
        description, case = encoding.descriptions[number], encoding.case[act]
        scene, others = encoding.trials[case].scene, ~seen.goals[case]
        fixed = _fixed(description, count_type)
        said = kept = _loose(description, count_type)
        goal = scene.denotation(description) & others
        for prop in said:
            rest = tuple(p for p in kept if p != prop)
            if scene.denotation((*rest, *fixed)) & others == goal:
                kept = rest
        result[act] = len(said) - len(kept)
    return result


def _above_smallest(seen: Situations, count_type: bool) -> FloatArray:
    """The size less that of the smallest distinguishing set; NaN where there is none."""
    encoding = seen.encoding
    pairs = zip(encoding.trials, seen.goals, strict=True)
    smallest = [smallest_size(trial.scene, goal, count_type) if goal else None for trial, goal in pairs]
    least = np.array(smallest, dtype=float)
    result: FloatArray = sizes(encoding, count_type)[encoding.said] - least[encoding.case]
    return result


METHODS: dict[str, Callable[[Situations, bool], FloatArray]] = {
    "exact": _droppable,
    "greedy": _dropped_in_order,
    "size": _above_smallest,
}
