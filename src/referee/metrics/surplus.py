"""How many properties a description has too many or too few (van Deemter & Gatt 2007, section 1.2: degrees of over- and under-specification).

For scenes of attributes alone, all parts of all descriptions are tried at once, small ones first. Relations and landmarks go through
`referee.metrics.smallest`, one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from itertools import chain, combinations
from operator import and_

import numpy as np

from referee.contracts import FloatArray
from referee.metrics.properties import IntArray, PropertyEncoding, WordArray
from referee.metrics.scenes import ALL, Situations
from referee.metrics.smallest import as_sharp, fewest_to_add, fewest_to_keep
from referee.records import Property, Scene

__all__ = ["METHODS", "count_deficit", "count_smallest", "count_surplus", "sizes"]

TYPE = "type"
MANY = 16
"""With more properties than this to choose from, trying all parts at once would not pay."""


def sizes(encoding: PropertyEncoding, count_type: bool) -> IntArray:
    """The number of different properties of every description, with or without its type."""
    return encoding.sizes if count_type else encoding.sizes_without(TYPE)


def count_smallest(seen: Situations, count_type: bool = True) -> FloatArray:
    """The size of the smallest set that distinguishes the targets of every case; NaN where nothing does.

    Without `count_type` the type is given, and does not count.
    """
    start = seen.targets | seen.others
    if not count_type:
        start = reduce(and_, [np.where(is_type, extent, ALL) for is_type, extent in seen.own], start)
    one_by_one = seen.related | (len(seen.own) > MANY)

    def search(case: int) -> int | None:
        scene, goal = seen.encoding.trials[case].scene, seen.goals[case]
        return fewest_to_add(scene, goal, () if count_type else _types(scene, goal)) if goal else None

    easy = np.flatnonzero(~one_by_one)
    result = np.full(len(seen.goals), np.nan)
    result[easy] = _fewest([e[:, easy] for _, e in seen.own], start[:, easy], seen.targets[:, easy])
    return _one_by_one(result, one_by_one, search)


def count_deficit(seen: Situations) -> FloatArray:
    """The smallest number of true properties to add to the output of every act until it distinguishes; NaN where nothing helps."""
    encoding, result = seen.encoding, np.where(seen.unique, 0.0, np.nan)
    # Adding mends only what is true of the targets.
    short = seen.holds & (seen.remaining > 0) & seen.measurable
    one_by_one = short & (seen.related[encoding.case] | (len(seen.own) > MANY))

    def search(act: int) -> int | None:
        case = encoding.case[act]
        return fewest_to_add(encoding.trials[case].scene, seen.goals[case], encoding.descriptions[encoding.said[act]])

    easy = np.flatnonzero(short & ~one_by_one)
    cases = encoding.case[easy]
    result[easy] = _fewest([e[:, cases] for _, e in seen.own], seen.denoted[:, easy], seen.targets[:, cases])
    return _one_by_one(result, one_by_one, search)


def count_surplus(seen: Situations, method: str = "exact", count_type: bool = True) -> FloatArray:
    """The surplus of the output of every act (see `scene/surplus`); those that are not measurable have any value."""
    return METHODS[method](seen, count_type)


def _droppable(seen: Situations, count_type: bool) -> FloatArray:
    """The largest number of properties that can be dropped together without gaining a distractor."""
    encoding = seen.encoding
    lengths = np.fromiter(map(len, encoding.descriptions), np.intp, len(encoding.descriptions))
    one_by_one = (seen.with_landmark | (lengths > MANY))[encoding.said]

    def search(act: int) -> int:
        case, description = encoding.case[act], encoding.descriptions[encoding.said[act]]
        loose, fixed = _loose(description, count_type), _fixed(description, count_type)
        return fewest_to_keep(encoding.trials[case].scene, seen.goals[case], loose, fixed)

    kept = np.zeros(len(encoding.said))
    # Descriptions of one length share their combinations of columns, so they are tried together.
    for length in set(lengths[encoding.said[~one_by_one]].tolist()):
        acts = np.flatnonzero(~one_by_one & (lengths[encoding.said] == length))
        kept[acts] = _fewest_kept(seen, acts, length, count_type)
    result: FloatArray = sizes(encoding, count_type)[encoding.said] - _one_by_one(kept, one_by_one, search)
    return result


def _fewest_kept(seen: Situations, acts: IntArray, length: int, count_type: bool) -> FloatArray:
    """As `fewest_to_keep`, for acts whose outputs have the same number of properties (repeats included, which does no harm)."""
    encoding = seen.encoding
    others = seen.others[:, encoding.case[acts]]
    said = chain.from_iterable(encoding.descriptions[d] for d in encoding.said[acts].tolist())
    places = dict(zip(encoding.vocabulary, range(len(encoding.vocabulary)), strict=True))
    columns = np.fromiter(map(places.__getitem__, said), np.intp, len(acts) * length).reshape(len(acts), length).T
    extents = [seen.extent(column, acts) for column in columns]
    start = others
    if not count_type:
        is_type = np.array([p[0] == TYPE for p in encoding.vocabulary])
        start = reduce(and_, [np.where(is_type[c], e, ALL) for c, e in zip(columns, extents, strict=True)], others)
    return _fewest(extents, start, seen.denoted[:, acts] & others)


def _fewest(extents: Sequence[WordArray], start: WordArray, goal: WordArray) -> FloatArray:
    """The smallest number of extents that, with `start`, have nothing but `goal` in common; NaN where even all have more."""
    result = np.full(start.shape[1], np.nan)
    # Where all of them together leave too much no part will do: one test spares all parts.
    open_ = np.flatnonzero((reduce(and_, extents, start) == goal).all(axis=0))
    for size in range(len(extents) + 1):
        if not len(open_):
            break
        near = [e[:, open_] for e in extents]
        first, wanted = start[:, open_], goal[:, open_]
        done = np.zeros(len(open_), dtype=bool)
        for part in combinations(near, size):
            done |= (reduce(and_, part, first) == wanted).all(axis=0)
        result[open_[done]] = size
        open_ = open_[~done]
    return result


def _one_by_one(result: FloatArray, hard: np.ndarray, search: Callable[[int], int | None]) -> FloatArray:
    """Fill in what has to be searched alone; NaN where there is no answer."""
    for i in np.flatnonzero(hard).tolist():
        found = search(i)
        result[i] = np.nan if found is None else found
    return result


def _loose(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """What of a description may be dropped: its different properties, in order, but not a type that does not count."""
    return tuple(dict.fromkeys(p for p in description if count_type or p.name != TYPE))


def _fixed(description: Sequence[Property], count_type: bool) -> tuple[Property, ...]:
    """What of a description is never dropped: its type, where that does not count."""
    return () if count_type else tuple(dict.fromkeys(p for p in description if p.name == TYPE))


def _types(scene: Scene, targets: int) -> tuple[Property, ...]:
    """The types that are true of all targets."""
    return tuple(p for p, e in scene.extensions.items() if p.name == TYPE and e & targets == targets)


def _dropped_in_order(seen: Situations, count_type: bool) -> FloatArray:
    """The properties dropped when going through them in the order said and dropping each that lets no distractor in."""
    encoding = seen.encoding
    result = np.zeros(len(encoding.said))
    for act in np.flatnonzero(seen.measurable).tolist():
        description, case = encoding.descriptions[encoding.said[act]], encoding.case[act]
        loose, fixed = _loose(description, count_type), _fixed(description, count_type)
        scene, goal = encoding.trials[case].scene, seen.goals[case]
        kept = loose
        for prop in loose:
            rest = tuple(p for p in kept if p != prop)
            if as_sharp(scene, goal, (*rest, *fixed), description):
                kept = rest
        result[act] = len(loose) - len(kept)
    return result


def _above_smallest(seen: Situations, count_type: bool) -> FloatArray:
    """The size less that of the smallest distinguishing set; NaN where there is none."""
    encoding = seen.encoding
    result: FloatArray = sizes(encoding, count_type)[encoding.said] - count_smallest(seen, count_type)[encoding.case]
    return result


METHODS: dict[str, Callable[[Situations, bool], FloatArray]] = {
    "exact": _droppable,
    "greedy": _dropped_in_order,
    "size": _above_smallest,
}
