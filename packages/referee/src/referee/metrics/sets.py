"""Descriptions compared as sets of properties.

Dice, MASI, Jaccard, exact match (Gatt, Belz & Kow 2008) and the set edit similarity that van Deemter & Gatt (2007,
section 1.1) ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.metrics.measure import Measure
from referee.metrics.properties import IntArray, PropertyEncoding, count_bits, encode


class _SetMeasure(Measure):
    """A similarity of two sets of (name, value) pairs; repeated pairs count once.

    Empty case: two empty sets score `empty`, an empty one against another 0; an output without properties, or one whose
    references have none, is not measured. Several references: `references` is ``average`` (as the challenges did), ``best`` or
    ``any`` (1 if some reference is met in full).

    Where output or reference has a meaning in parts, all but `set/dice` and `set/edit` compare the parts under their best assignment (`set/dice.parts`).
    """

    def __init__(self, *, references: str = "average", empty: float = 1.0) -> None:
        self.references = references
        self.empty = empty

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one row per item: the similarity of its sets."""
        encoding = encode(batch)
        return encoding.make_rows(encoding.combine_references(self._compare(encoding), self.references))

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the similarity of every pair of output and reference."""
        raise NotImplementedError

    def _divide(self, numerator: IntArray | FloatArray, denominator: IntArray) -> FloatArray:
        """Return quotients; where the denominator is 0, both sets are empty and the value is `empty`."""
        result = np.full(len(denominator), float(self.empty))
        np.divide(numerator, denominator, out=result, where=denominator > 0)
        return result


@dataclass(eq=False, repr=False, kw_only=True)
class Dice(_SetMeasure):
    """2·|A∩B| / (|A|+|B|), in [0, 1]; higher is better.

    Gatt, van der Sluis & van Deemter (2007); official in TUNA 2007-09.

    With `multiset`, a repeated property counts twice, and the shared count is the smaller one.
    """

    name = "set/dice"

    multiset: bool = False
    references: str = "average"
    empty: float = 1.0

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the Dice of every pair of sets or multisets."""
        if not self.multiset:
            return self._divide(2 * encoding.shared, np.add(*encoding.paired_sizes))
        _, left, right = encoding.pairs
        sizes = count_bits(encoding.bags)
        shared = count_bits(word[left] & word[right] for word in encoding.bags)
        return self._divide(2 * shared, sizes[left] + sizes[right])


class Masi(_SetMeasure):
    """δ·|A∩B| / |A∪B| (Passonneau 2006), in [0, 1]; higher is better.

    δ is 1 for equal sets, 2/3 if one contains the other, 1/3 if they overlap, else 0.

    A similarity in [0, 1], higher is better, as the challenges used it: 1 minus the distance that NLTK returns. The product of two
    distances (Artstein & Poesio 2008) is another measure.
    """

    name = "set/masi"

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the MASI of every pair."""
        shared, output_sizes, reference_sizes = encoding.shared_parts
        # δ in thirds: 1 for an overlap, one more where the smaller set is contained, another where the larger one is,
        # too. Disjoint sets get their 0 from `shared`.
        thirds = (
            1
            + (shared == np.minimum(output_sizes, reference_sizes))
            + (shared == np.maximum(output_sizes, reference_sizes))
        )
        return self._divide(thirds * shared, 3 * (output_sizes + reference_sizes - shared))


class Jaccard(_SetMeasure):
    """|A∩B| / |A∪B|, in [0, 1], higher is better (Jaccard 1901).

    Two empty sets score `empty`, one empty set against another 0; several references as in `set/dice`.
    """

    name = "set/jaccard"

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the Jaccard index of every pair."""
        shared, output_sizes, reference_sizes = encoding.shared_parts
        return self._divide(shared, output_sizes + reference_sizes - shared)


class SetExact(_SetMeasure):
    """1 for the same set, else 0; higher is better (the challenges' accuracy).

    ``references="average"`` is the reading that fits the printed TUNA-AS 2008 column, ``any`` that of TUNA-R and TUNA-REG.
    """

    name = "set/exact"

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return 1 for equal sets."""
        shared, output_sizes, reference_sizes = encoding.shared_parts
        larger = np.maximum(output_sizes, reference_sizes)
        # The denominator is 0 for two empty sets only, which score `empty`.
        return self._divide((shared == larger).astype(float), np.minimum(larger, 1))


class PartsDice(_SetMeasure):
    """Dice of descriptions in parts: 2·shared / (size of output + size of reference); higher is better.

    It lies in [0, 1].

    Parts of output and reference are assigned one to one to share as many properties as possible (CEAF with φ3, Luo
    2005); the number of objects is one more property of a part, if both sides have parts. "The blue chair and the red
    desk" shares types and numbers with "the red chair and the blue desk", but not the colours. Descriptions without a
    meaning are one part, and score as in `set/dice`, which compares plain pairs.
    """

    name = "set/dice.parts"

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the Dice of every pair under the best assignment of parts."""
        shared, output_sizes, reference_sizes = encoding.shared_parts
        return self._divide(2 * shared, output_sizes + reference_sizes)


class TreeEdit(_SetMeasure):
    """The edit distance of two descriptions as trees, 0 or more; lower is better.

    After Gatt & van Deemter (2007), who print its mean, its mode and the frequency of 0.

    A description is a tree of parts, and a part a node over its properties. To insert, to delete or to relabel a node
    costs 1; the order of nodes does not matter. Parts are assigned so that the cost is least. The number of objects is
    no node. Without meanings it is the size of the larger set minus that of the intersection.
    """

    name = "set/edit.tree"
    range = (0.0, None)
    direction = "lower"

    def __init__(self, *, references: str = "average") -> None:
        super().__init__(references=references)
        if references not in ("average", "best"):
            raise InputError(
                f"the option 'references' of set/edit.tree is {references!r}", remedy="use average or best"
            )

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one distance an item; of several references their mean, or the least."""
        encoding = encode(batch)
        # The best of several distances is the least.
        return encoding.make_rows(-encoding.combine_references(-self._compare(encoding), self.references))

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the tree edit distance of every pair."""
        return encoding.tree_distances.astype(float)


@dataclass(eq=False, repr=False, kw_only=True)
class SetEdit(_SetMeasure):
    """1 - cost / size, with the cost of the cheapest edits from reference to output; higher is better.

    Additions cost `insertion`, omissions `deletion`, another value of the same attribute `substitution` (at most one
    insertion plus one deletion). `normalise` names the size to divide by. ``reference``: addition, omission and
    substitution of one property cost the same, as van Deemter & Gatt (2007, section 1.1) require; unbounded below.
    ``larger``: the larger of the two sets; in [-1, 1] with unit costs, but an addition then costs less than an
    omission. An empty set against another scores 0.
    """

    name = "set/edit"
    range = (None, 1.0)

    insertion: float = 1
    deletion: float = 1
    substitution: float = 1
    normalise: str = "reference"
    references: str = "average"
    empty: float = 1.0

    def _compare(self, encoding: PropertyEncoding) -> FloatArray:
        """Return 1 - cost / size of every pair."""
        output_sizes, reference_sizes = encoding.paired_sizes
        if self.normalise not in ("reference", "larger"):
            raise InputError(
                f"the option 'normalise' of set/edit is {self.normalise!r}", remedy="use reference or larger"
            )
        size = reference_sizes if self.normalise == "reference" else np.maximum(output_sizes, reference_sizes)
        cost = self._compute_cost(encoding)
        result = 1 - np.divide(cost, size, out=np.zeros(len(cost)), where=size > 0)
        # Against an empty reference there is no size to divide by; settled alike for both sides.
        lone = (output_sizes == 0) | (reference_sizes == 0)
        result[lone] = np.where(output_sizes[lone] == reference_sizes[lone], self.empty, 0.0)
        return result

    def _compute_cost(self, encoding: PropertyEncoding) -> FloatArray:
        """Return the cost of the cheapest edits of every pair."""
        _, left, right = encoding.pairs
        added, omitted = (sizes - encoding.shared for sizes in encoding.paired_sizes)
        exchanged = np.zeros(len(left), dtype=np.intp)
        # Where a substitution costs as much as the two edits it replaces, there is nothing to win.
        if self.substitution < self.insertion + self.deletion:
            both = np.flatnonzero((added > 0) & (omitted > 0))
            exchanged[both] = _count_exchanges(encoding, left[both], right[both])
        costs = (self.substitution, self.insertion, self.deletion)
        return np.array(costs, dtype=float) @ np.stack([exchanged, added - exchanged, omitted - exchanged])


def _count_exchanges(encoding: PropertyEncoding, left: IntArray, right: IntArray) -> IntArray:
    """Return the largest number of values that can be exchanged for another value of their attribute."""
    total = np.zeros(len(left), dtype=np.intp)
    only_left = [word[left] & ~word[right] for word in encoding.sets]
    only_right = [word[right] & ~word[left] for word in encoding.sets]
    for words in encoding.names.values():
        used = [(w, np.uint64(mask)) for w, mask in enumerate(words) if mask]
        ours = count_bits(only_left[w] & mask for w, mask in used)
        theirs = count_bits(only_right[w] & mask for w, mask in used)
        # Any value can take the place of any other of its attribute: the smaller number is the answer, without a
        # matching.
        total += np.minimum(ours, theirs)
    return total
