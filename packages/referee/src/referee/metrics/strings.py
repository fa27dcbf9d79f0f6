"""Whole strings compared word by word.

The same words, edit distance (Levenshtein 1966), and string accuracy (Bangalore, Rambow & Whittaker 2000).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.metrics.measure import Measure
from referee.metrics.tokens import Encoding, Places, cache_in_batch, check_choice, encode, load_kernels


@dataclass(eq=False, repr=False)
class Exact(Measure):
    """1 where the output has the same words in the same order as a reference, else 0; averaged over items.

    `references`: "any" (default, as in the challenges) asks for one equal reference, "average" gives the share of equal references.
    Range 0 to 1, higher is better. Source: accuracy of the TUNA challenges (Gatt, Belz & Kow 2009). Empty case: an output "" equals a reference
    without words; no text or no reference is not counted.
    """

    name = "string/exact"
    needs = "text"

    references: str = "any"
    case: str = "lower"
    tokens: str = "mteval"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: 1, 0, or the proportion of equal references."""
        encoding = encode(batch, self.case, self.tokens)
        any_is_enough = check_choice("way to join references", self.references, ("any", "average")) == "any"
        same = cache_in_batch(batch, ("same", self.case, self.tokens), lambda: _find_same(encoding)).astype(float)
        joined = take_best_by_item(same, encoding) if any_is_enough else average_by_item(same, encoding)
        return np.where(encoding.measurable, joined, np.nan)[:, None]


@dataclass(eq=False, repr=False)
class Edit(Measure):
    """Word edit distance from the reference: insertion 1, deletion 1, substitution as configured.

    With `substitution` 2 (default, the SE of the TUNA challenges) it is m + n - 2·LCS, so at most m + n; with 1 it is Levenshtein's. `normalise`
    divides by the words of the reference; references without words are then left out. `references`: "average" (default, as in
    the challenges) or "best", the nearest one. Range 0 upwards, lower is better. Empty case: an output "" costs the length of the reference; no text or
    no reference is not counted.
    """

    name = "string/edit"
    range = (0.0, None)
    direction = "lower"
    needs = "text"

    substitution: int = 2
    normalise: bool = False
    references: str = "average"
    case: str = "lower"
    tokens: str = "mteval"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the distance."""
        encoding = encode(batch, self.case, self.tokens)
        distances = _find_edits(batch, encoding, self.case, self.tokens, self.substitution).astype(float)
        if self.normalise:
            distances = _divide_by_reference_length(distances, encoding)
        average = check_choice("way to join references", self.references, ("average", "best")) == "average"
        joined = average_by_item(distances, encoding) if average else -take_best_by_item(-distances, encoding)
        return np.where(encoding.measurable, joined, np.nan)[:, None]


@dataclass(eq=False, repr=False)
class Seb(Measure):
    """String accuracy 1 - (I + D + S) / R, with R words in the reference.

    With `moves` it is 1 - (M + I' + D' + S) / R.

    Unit costs, so a substitution is cheaper than an insertion and a deletion. With `moves`, a word deleted at one
    position and inserted at another is one error M instead of two; among the cheapest alignments the one with the
    fewest substitutions is used (ties: from the end of the strings, a pairing before a deletion before an insertion).
    `references`: "average" (default) or "best". Range below 0 to 1, higher is better. Source: Bangalore, Rambow &
    Whittaker 2000. Empty case: references without words are left out (division by zero); no text or no reference with
    words is not counted; an output "" scores 0.
    """

    name = "string/seb"
    range = (None, 1.0)
    needs = "text"

    moves: bool = False
    references: str = "average"
    case: str = "lower"
    tokens: str = "mteval"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the accuracy."""
        encoding = encode(batch, self.case, self.tokens)
        if self.moves:
            key = ("errors with moves", self.case, self.tokens)
            errors = cache_in_batch(batch, key, lambda: _count_errors_with_moves(encoding))
        else:
            errors = _find_edits(batch, encoding, self.case, self.tokens, 1)
        accuracy = 1 - _divide_by_reference_length(errors.astype(float), encoding)
        average = check_choice("way to join references", self.references, ("average", "best")) == "average"
        joined = average_by_item(accuracy, encoding) if average else take_best_by_item(accuracy, encoding)
        return np.where(encoding.measurable, joined, np.nan)[:, None]


def average_by_item(values: FloatArray, encoding: Encoding) -> FloatArray:
    """Return the mean over the references of each item that have a value; NaN where none has."""
    present = ~np.isnan(values)
    sums = np.bincount(encoding.owner[present], values[present], encoding.items)
    counts = np.bincount(encoding.owner[present], minlength=encoding.items)
    means: FloatArray = np.divide(sums, counts, out=np.full(encoding.items, np.nan), where=counts > 0)
    return means


def take_best_by_item(values: FloatArray, encoding: Encoding) -> FloatArray:
    """Return the highest value over the references of each item; NaN where none has one."""
    highest = np.full(encoding.items, -np.inf)
    # fmax passes over the NaN of references without words.
    np.fmax.at(highest, encoding.owner, values)
    return np.where(np.isinf(highest), np.nan, highest)


def _divide_by_reference_length(values: FloatArray, encoding: Encoding) -> FloatArray:
    """Return values divided by the reference lengths; NaN for empty references."""
    lengths = encoding.reference_lengths
    shares: FloatArray = np.divide(values, lengths, out=np.full(len(values), np.nan), where=lengths > 0)
    return shares


def _find_same(encoding: Encoding) -> Places:
    """Return, for every reference, whether it has the same words as its output."""
    kernels = load_kernels(encoding.texts)
    if kernels is None:
        pairs = enumerate(encoding.owner.tolist(), start=encoding.items)
        return np.array([encoding.text(output) == encoding.text(text) for text, output in pairs], dtype=np.int64)
    same: Places = kernels.find_equal_texts(encoding.ids, encoding.starts, encoding.owner, encoding.items)
    return same


def _find_edits(batch: Batch, encoding: Encoding, case: str, tokens: str, substitution: int) -> Places:
    """Return the edit distances of a batch, computed once and cached."""
    return cache_in_batch(batch, ("edits", case, tokens, substitution), lambda: _measure_edits(encoding, substitution))


def _measure_edits(encoding: Encoding, substitution: int) -> Places:
    """Return the edit distance of every reference from its output."""
    # Whole numbers only: the kernels count in integers, and both paths have to agree.
    if not isinstance(substitution, int) or substitution < 0:
        raise InputError(f"the option 'substitution' is {substitution}", remedy="use a whole number of 0 or more")
    kernels = load_kernels(encoding.texts)
    if kernels is None:
        from rapidfuzz.distance.Levenshtein import distance

        pairs = enumerate(encoding.owner.tolist(), start=encoding.items)
        weights = (1, 1, substitution)
        distances_by_pair = [
            distance(encoding.text(output), encoding.text(text), weights=weights) for text, output in pairs
        ]
        return np.array(distances_by_pair, dtype=np.int64)
    distances: Places = kernels.measure_edits(
        encoding.ids, encoding.starts, encoding.owner, encoding.items, substitution
    )
    return distances


def _count_errors_with_moves(encoding: Encoding) -> Places:
    """Return the errors of every output against each of its references, with moves counted once."""
    kernels = load_kernels(encoding.texts)
    if kernels is None:
        pairs = enumerate(encoding.owner.tolist(), start=encoding.items)
        distances_by_pair = [_count_errors(encoding.text(text), encoding.text(output)) for text, output in pairs]
        return np.array(distances_by_pair, dtype=np.int64)
    errors: Places = kernels.count_errors_with_moves(encoding.ids, encoding.starts, encoding.owner, encoding.items)
    return errors


def _count_errors(reference: list[int], output: list[int]) -> int:
    """Count the errors of the cheapest alignment; a word deleted here and inserted there counts once."""
    costs = _align(reference, output)
    # The unit of `_align`, by which its costs are read back.
    unit = len(reference) + len(output) + 1
    i, j, substitutions = len(reference), len(output), 0
    deleted: Counter[int] = Counter()
    inserted: Counter[int] = Counter()
    while i or j:
        differ = bool(i and j) and reference[i - 1] != output[j - 1]
        if i and j and costs[i][j] == costs[i - 1][j - 1] + differ * (unit + 1):
            i, j, substitutions = i - 1, j - 1, substitutions + differ
        elif i and costs[i][j] == costs[i - 1][j] + unit:
            i -= 1
            deleted[reference[i]] += 1
        else:
            j -= 1
            inserted[output[j]] += 1
    # The union takes the larger count of a word: deleted here and inserted there is one error, the move.
    return substitutions + (deleted | inserted).total()


def _align(reference: list[int], output: list[int]) -> list[list[int]]:
    """Return the costs of aligning all beginnings of two texts; ties prefer matches."""
    unit = len(reference) + len(output) + 1
    costs = [[j * unit for j in range(len(output) + 1)]]
    for i, reference_words in enumerate(reference, start=1):
        above, row = costs[-1], [i * unit]
        for j, word in enumerate(output, start=1):
            paired = above[j - 1] if word == reference_words else above[j - 1] + unit + 1
            row.append(min(paired, above[j] + unit, row[j - 1] + unit))
        costs.append(row)
    return costs
