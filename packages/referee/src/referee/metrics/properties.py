"""Sets of properties as bit masks.

A batch is encoded once, each different object once, and all set and scene measures share the result.

Each property has a bit of a vocabulary; a set is a row of 64-bit words, so an intersection is one ``&`` and its size a
population count (the set measures are those of Gatt, van der Sluis & van Deemter 2007). The second mention of a
property has a second bit, so multisets need no separate code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from referee import meaning
from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.meaning import Meaning
from referee.records import Description, Property, Trial

IntArray = npt.NDArray[np.intp]
WordArray = npt.NDArray[np.uint64]
Thing = TypeVar("Thing")
Content = tuple[tuple[Property, ...], Meaning | None]


class PropertyBits(dict[Any, int]):
    """The bits of all properties so far; a new property gets the next bit."""

    def __missing__(self, key: object) -> int:
        # Integers of any width: the vocabulary need not be known before the first description is written.
        bit = self[key] = 1 << len(self)
        return bit

    def encode_multiset(self, properties: Iterable[Property]) -> int:
        """Return a description as a multiset: the k-th mention of a property has its own bit."""
        mask = 0
        for prop in properties:
            bit, mention = self[prop], 1
            while mask & bit:
                mention += 1
                bit = self[prop, mention]
            mask |= bit
        return mask


def pack(masks: Sequence[int], words: int) -> WordArray:
    """Return Python bit sets as an array of shape (words, len(masks))."""
    raw = b"".join([mask.to_bytes(8 * words, "little") for mask in masks])
    # A word of all masks side by side in memory: the measures run over one word of everything at a time.
    return np.frombuffer(raw, dtype="<u8").astype(np.uint64).reshape(len(masks), words).T.copy()


def count_bits(words: Iterable[WordArray]) -> IntArray:
    """Return the number of bits in each column of several words."""
    first, *rest = (np.bitwise_count(word) for word in words)
    # bitwise_count answers in bytes, whose sums would wrap at 256.
    total = first.astype(np.intp)
    for counted in rest:
        total += counted
    return total


def expand_ranges(starts: IntArray, lengths: IntArray) -> IntArray:
    """Return the indices of several ranges: starts [4, 9], lengths [2, 1] give [4, 5, 9]."""
    if (same := _find_common_length(lengths)) is not None:
        return (starts[:, None] + np.arange(same)).ravel()
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


def _find_common_length(lengths: IntArray) -> int | None:
    """Return the common length of all lists; None if they differ.

    In most corpora every trial has as many references, which avoids ragged arrays.
    """
    return int(lengths[0]) if len(lengths) and (lengths == lengths[0]).all() else None


def _list_features(part: tuple[int | str | None, Meaning], is_counted: bool) -> frozenset[Any]:
    """Return the content of a part of a description as a set.

    It has the properties, disjoined ones marked as such, and the number of objects if `is_counted`.
    """
    number, form = part
    features: set[Any] = {number} if is_counted else set()
    for conjunct in meaning.conjuncts(form):
        properties = meaning.flatten(conjunct)
        features |= {("or", p) for p in properties} if conjunct[0] == "or" else set(properties)
    return frozenset(features)


def assign_best(shared: Sequence[Sequence[int]]) -> int:
    """Return the largest sum that assigns rows to columns one to one (Kuhn 1955)."""
    if len(shared) == 1 or len(shared[0]) == 1:
        return max(max(row) for row in shared)
    from scipy.optimize import linear_sum_assignment

    table = np.array(shared)
    return int(table[linear_sum_assignment(table, maximize=True)].sum())


def _measure_tree_distance(ours: Sequence[frozenset[Any]], theirs: Sequence[frozenset[Any]]) -> int:
    """Return the edit distance of two trees of depth two; missing parts cost all their properties."""
    from scipy.optimize import linear_sum_assignment

    size = max(len(ours), len(theirs))
    none: list[frozenset[Any] | None] = [None] * size
    rows, columns = ([*parts, *none][:size] for parts in (ours, theirs))
    costs = np.array([[_measure_part_distance(a, b) for b in columns] for a in rows])
    return int(costs[linear_sum_assignment(costs)].sum())


def _measure_part_distance(one: frozenset[Any] | None, other: frozenset[Any] | None) -> int:
    """Return the edit distance of two parts; None is a missing part."""
    if one is None or other is None:
        return 1 + len(one or other or ())
    return max(len(one), len(other)) - len(one & other)


def _index_distinct(things: Sequence[Thing]) -> tuple[list[Thing], IntArray]:
    """Return the different objects (by identity, without comparisons) and, for every position, the index of its object."""
    _, first, place = np.unique(
        np.fromiter(map(id, things), np.int64, len(things)), return_index=True, return_inverse=True
    )
    return [things[i] for i in first.tolist()], place


@dataclass(frozen=True)
class PropertyEncoding:
    """The content of a batch, each different object once.

    `descriptions` are distinct sequences of properties, each with its entry in `meanings` (None: their conjunction). A
    *case* is a trial with its references: those of case c are ``members[starts[c] : starts[c + 1]]``, as indices into
    `descriptions`. An *act* is a distinct output in a case: `description[a]` in `case[a]`; `act[i]` is the act of item
    i, or -1 where the output has no properties. The trial of case c is ``spots[spot[c]]``: a trial that several items
    share occurs there once.
    """

    descriptions: list[tuple[Property, ...]]
    meanings: list[Meaning | None]
    spots: list[Trial]
    spot: IntArray
    starts: IntArray
    members: IntArray
    description: IntArray
    case: IntArray
    act: IntArray

    @cached_property
    def trials(self) -> list[Trial]:
        """The trial of every case."""
        return [self.spots[i] for i in self.spot.tolist()]

    @cached_property
    def _distinct_outputs(self) -> tuple[PropertyBits, list[int]]:
        """Return the descriptions as bit sets, with the vocabulary of their properties."""
        vocabulary = PropertyBits()
        return vocabulary, [vocabulary.encode_multiset(description) for description in self.descriptions]

    @property
    def vocabulary(self) -> PropertyBits:
        """The properties of all descriptions, each with its bit."""
        return self._distinct_outputs[0]

    @property
    def words(self) -> int:
        """The number of 64-bit words that a set of properties needs."""
        return max(1, -(-len(self.vocabulary) // 64))

    @cached_property
    def bags(self) -> WordArray:
        """Every description as a multiset, shape (words, descriptions)."""
        return pack(self._distinct_outputs[1], self.words)

    @cached_property
    def sets(self) -> WordArray:
        """Every description as a set, shape (words, descriptions): its multiset without second mentions."""
        # A second mention has the key (property, count), a first one the property itself.
        first = sum(bit for prop, bit in self.vocabulary.items() if isinstance(prop, Property))
        return self.bags & pack([first], self.words)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of different properties of every description."""
        return count_bits(self.sets)

    @cached_property
    def names(self) -> dict[str, list[int]]:
        """Return, for every attribute, the words of the mask of its properties."""
        masks: dict[str, int] = {}
        for prop, bit in self.vocabulary.items():
            if isinstance(prop, Property):
                masks[prop.name] = masks.get(prop.name, 0) | bit
        return {name: pack([mask], self.words)[:, 0].tolist() for name, mask in masks.items()}

    def sizes_without(self, name: str) -> IntArray:
        """Return the number of different properties of every description, without those of one attribute."""
        mask = self.names.get(name, [0] * self.words)
        return self.sizes - count_bits(word & np.uint64(m) for word, m in zip(self.sets, mask, strict=True))

    @cached_property
    def has_meaning(self) -> npt.NDArray[np.bool_]:
        """Whether each description has a meaning beside its properties."""
        return np.array([form is not None for form in self.meanings], dtype=bool)

    @cached_property
    def shared_parts(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return for each pair the properties shared under the best assignment of parts, and both sizes.

        Parts are assigned one to one so that they share as many properties as possible (the entity alignment of CEAF with φ3, Luo 2005). A description
        without parts is one part. A number of objects is one more property of its part, where both sides have parts.
        """
        _, left, right = self.pairs
        if not self.has_meaning.any():
            return self.shared, *self.paired_sizes
        shared, output_sizes, reference_sizes = self.shared.copy(), *(sizes.copy() for sizes in self.paired_sizes)
        for i in np.flatnonzero(self.has_meaning[left] | self.has_meaning[right]).tolist():
            forms = [self._find_meaning(int(number)) for number in (left[i], right[i])]
            is_counted = all(form[0] == "parts" for form in forms)
            ours, theirs = ([_list_features(part, is_counted) for part in meaning.parts_of(form)] for form in forms)
            shared[i] = assign_best([[len(a & b) for b in theirs] for a in ours])
            output_sizes[i], reference_sizes[i] = sum(map(len, ours)), sum(map(len, theirs))
        return shared, output_sizes, reference_sizes

    @cached_property
    def tree_distances(self) -> IntArray:
        """For every pair, the edit distance of the two trees of parts and properties."""
        _, left, right = self.pairs
        distances: IntArray = np.maximum(*self.paired_sizes) - self.shared
        for i in np.flatnonzero(self.has_meaning[left] | self.has_meaning[right]).tolist():
            forms = [self._find_meaning(int(number)) for number in (left[i], right[i])]
            ours, theirs = ([_list_features(part, False) for part in meaning.parts_of(form)] for form in forms)
            distances[i] = _measure_tree_distance(ours, theirs)
        return distances

    def _find_meaning(self, number: int) -> Meaning:
        """Return the meaning of a description; the conjunction of its properties if it has none."""
        form = self.meanings[number]
        return ("and", *self.descriptions[number]) if form is None else form

    @cached_property
    def rivals(self) -> IntArray:
        """The number of references with which every description is compared."""
        return np.diff(self.starts)[self.case]

    @cached_property
    def pairs(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return every item with each of its references: indices of item, output and reference.

        Outputs and references are indices into `descriptions`.
        """
        same = _find_common_length(self.rivals)
        acts = np.repeat(np.arange(len(self.description)), self.rivals if same is None else same)
        return acts, self.description[acts], self.members[expand_ranges(self.starts[self.case], self.rivals)]

    @cached_property
    def shared(self) -> IntArray:
        """For every pair, the number of properties that output and reference share."""
        _, left, right = self.pairs
        return count_bits(word[left] & word[right] for word in self.sets)

    @cached_property
    def paired_sizes(self) -> tuple[IntArray, IntArray]:
        """For every pair, the sizes of output and reference."""
        _, left, right = self.pairs
        return self.sizes[left], self.sizes[right]

    def combine_references(self, values: FloatArray, references: str) -> FloatArray:
        """Combine the values of pairs into one value for each output; NaN without references.

        ``average`` is the mean over references, ``best`` the highest, ``any`` 1 where some reference has
        the value 1, otherwise 0.
        """
        if references == "average":
            return self._reduce_references(np.add, values) / np.maximum(self.rivals, 1)
        if references == "best":
            return self._reduce_references(np.maximum, values)
        if references == "any":
            best = self._reduce_references(np.maximum, values)
            # NaN >= 1 is False and would turn "no reference" into "missed".
            return np.where(np.isnan(best), np.nan, best >= 1.0)
        raise InputError(f"the option 'references' is {references!r}", remedy="use average, best or any")

    def _reduce_references(self, operation: np.ufunc, values: FloatArray) -> FloatArray:
        """Return sums or maxima over the references of every output; NaN without references."""
        result = np.full(len(self.description), np.nan)
        if same := _find_common_length(self.rivals):
            operation.reduce(values.reshape(-1, same), axis=1, out=result)
        elif len(values):
            some = self.rivals > 0
            # reduceat gives an empty stretch its neighbour's value: acts without references are left out of it.
            result[some] = operation.reduceat(values, (np.cumsum(self.rivals) - self.rivals)[some])
        return result

    def make_rows(self, values: npt.NDArray[Any]) -> FloatArray:
        """Return one row per item from values of distinct outputs; NaN where an output has no properties."""
        # Act -1 takes the last value, which is the NaN put there for it.
        return np.append(values.astype(float), np.nan)[self.act][:, None]


def encode(batch: Batch) -> PropertyEncoding:
    """Return the property encoding of a batch, built once and cached."""
    encoding = batch.cache.get(PropertyEncoding)
    if encoding is None:
        encoding = batch.cache[PropertyEncoding] = _build_encoding(batch)
    return encoding


def _build_encoding(batch: Batch) -> PropertyEncoding:
    """Return the encoding of a batch."""
    index: dict[Content, int] = {}
    # By identity, which is cheap; equal descriptions that are separate objects meet again in `index`. Properties are often shared where descriptions are not.
    spoken, place = _index_distinct(
        [None if o is None else o.properties if o.meaning is None else o for o in batch.outputs]
    )
    contents = [
        (output.properties, output.meaning) if isinstance(output, Description) else (output, None) for output in spoken
    ]
    numbers = [-1 if c[0] is None else index.setdefault((c[0], c[1]), len(index)) for c in contents]
    outputs = np.array(numbers, dtype=np.intp)[place]
    trials, trial_of = _index_distinct(list(batch.trials))
    lists, list_of = _index_distinct(list(batch.references))
    # Two numbers in one, so that one sort of integers finds the different pairs.
    cases, case_of = np.unique(trial_of * max(1, len(lists)) + list_of, return_inverse=True)
    lengths, members = _number_references(lists, index)
    list_of_case = cases % max(1, len(lists))
    firsts, counts = (np.cumsum(lengths) - lengths)[list_of_case], lengths[list_of_case]
    width = max(1, len(cases))
    acts, act = np.unique(outputs * width + case_of, return_inverse=True)
    # Outputs without properties have the number -1, so their acts are negative and sort first.
    silent = int(np.searchsorted(acts, 0))
    return PropertyEncoding(
        descriptions=[properties for properties, _ in index],
        meanings=[form for _, form in index],
        spots=trials,
        spot=cases // max(1, len(lists)),
        starts=np.append(0, np.cumsum(counts)),
        members=members[expand_ranges(firsts, counts)],
        description=acts[silent:] // width,
        case=acts[silent:] % width,
        act=np.maximum(act - silent, -1),
    )


def _number_references(lists: Sequence[Sequence[Description]], index: dict[Content, int]) -> tuple[IntArray, IntArray]:
    """Return the length of every list of references and, concatenated, the numbers of those with properties."""
    lengths: list[int] = []
    numbers: list[int] = []
    for references in lists:
        before = len(numbers)
        for reference in references:
            if reference.properties is not None:
                numbers.append(index.setdefault((reference.properties, reference.meaning), len(index)))
        lengths.append(len(numbers) - before)
    return np.array(lengths, dtype=np.intp), np.array(numbers, dtype=np.intp)
