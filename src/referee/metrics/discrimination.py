"""What a description does in its scene: does it single the target out, and with how much too much or too little?

Uniqueness and minimality are those of the challenges (Belz & Gatt 2008); degrees of over- and under-specification are what van
Deemter & Gatt (2007, section 1.2) ask for. A description is read as in `Scene.denotation`; with several targets it should denote
exactly these. Sizes count different properties.

Empty case, for all: the empty description denotes everything; outputs without properties, and trials without a target or a scene, are not measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.metrics.measure import Measure
from referee.metrics.properties import IntArray, expand
from referee.metrics.scenes import Situations, look
from referee.metrics.surplus import METHODS, count_deficit, count_smallest, count_surplus, sizes

__all__ = ["Bits", "Deficit", "Minimal", "Remaining", "SpecificityDice", "Surplus", "Unique"]


class _SceneMeasure(Measure):
    """A measure of an output in its scene; NaN for outputs without properties and trials without a target."""

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
        # Where nothing distinguishes, -1: no description is that small, so none is minimal.
        smallest = np.nan_to_num(count_smallest(seen, self.count_type), nan=-1.0)
        said = sizes(seen.encoding, self.count_type)[seen.encoding.said]
        return (seen.unique & (said <= smallest[seen.encoding.case])).astype(float)


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
        # The 1 is the target itself: a description that leaves nothing else leaves 0 bits to be told.
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
        return count_deficit(seen)


@dataclass(eq=False, repr=False, kw_only=True)
class SpecificityDice(_SceneMeasure):
    """Dice - weight · |r(output) - r(reference)| / distractors, where r counts remaining distractors; higher is better.

    Van Deemter & Gatt's (2007) Dice that punishes deviating from how far the human specified the target. In [-weight, 1].
    Two empty sets have a Dice of `empty`; without distractors there is no penalty; several references as in `set/dice`.
    """

    name = "scene/dice.specificity"
    range = (None, 1.0)

    weight: float = 1.0
    references: str = "average"
    empty: float = 1.0

    def _judge(self, seen: Situations) -> FloatArray:
        encoding = seen.encoding
        acts, _, _ = encoding.pairs
        total = np.add(*encoding.paired_sizes)
        dice = np.divide(2.0 * encoding.shared, total, out=np.full(len(acts), float(self.empty)), where=total > 0)
        places = expand(encoding.starts[encoding.case], encoding.rivals)
        # Too sharp costs as much as too vague: section 1.2 would punish every deviation from how far the oracle
        # specified.
        apart = np.abs(seen.remaining[acts] - seen.remaining_of_references[places])
        penalty = _shares(apart, seen.distractors[encoding.case[acts]])
        return encoding.settle(dice - self.weight * penalty, self.references)


def _shares(parts: IntArray, wholes: IntArray) -> FloatArray:
    """Quotients that are 0 where the whole is."""
    result = np.zeros(len(parts))
    np.divide(parts, wholes, out=result, where=wholes > 0)
    return result
