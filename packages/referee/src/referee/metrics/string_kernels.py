"""Compiled kernels of the string measures, with the same values as the plain code beside the formulas, some hundred
times faster.

Imported only for large batches (see `tokens.swift`). Compiled code is cached on disk beside this file or, if that is
read-only, in the user's cache. All kernels read the flat ids of `tokens.Encoding` and release the interpreter lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

import numba
import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray

Ids = npt.NDArray[np.int32]
Whole = npt.NDArray[np.int64]
Letters = npt.NDArray[np.uint8]
P = ParamSpec("P")
R = TypeVar("R")


def compile_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile a function on first call, without the interpreter lock, and cache the result on disk."""
    try:
        made = numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:  # numba found no folder to write to: compile anew in every process rather than fail
        made = numba.njit(nogil=True)(function)
    return cast("Callable[P, R]", made)


@compile_kernel
def _is_equal(codes: npt.NDArray[Any], a: int, b: int, length: int) -> bool:
    """Return whether two stretches of text are equal."""
    for k in range(length):  # noqa: SIM110 (numba compiles no generators)
        if codes[a + k] != codes[b + k]:
            return False
    return True


@compile_kernel
def _find_longest(starts: Whole) -> int:
    """Return the number of words of the longest text."""
    longest = 0
    for text in range(len(starts) - 1):
        longest = max(longest, starts[text + 1] - starts[text])
    return longest


@compile_kernel
def _double_array(array: Whole) -> Whole:
    """Return an array of twice the size with the same content."""
    larger = np.zeros(2 * len(array), array.dtype)
    larger[: len(array)] = array
    return larger


@compile_kernel
def _rebuild_table(hashes: Whole, words: int, size: int) -> Ids:
    """Return an open-addressing table of word numbers with a new size (a power of two)."""
    slots = np.full(size, -1, np.int32)
    for word in range(words):
        slot = hashes[word] & (size - 1)
        while slots[slot] >= 0:
            slot = (slot + 1) & (size - 1)
        slots[slot] = word
    return slots


@compile_kernel
def _is_blank(code: int) -> bool:
    # The blank characters of str.split in ASCII, so that compiled and plain code find the same words.
    """Return whether a byte is white space."""
    return code <= 32 and (code == 32 or 9 <= code <= 13 or 28 <= code <= 31)


@compile_kernel
def number_words(codes: Letters, lines: int) -> tuple[Ids, Whole, Whole, Whole]:
    """Return the words of a page of bytes as ids, with line starts and the extent of each id's word.

    Ids are in order of first appearance.

    Every line ends with a line break, the last one too.
    """
    # A word and the blank after it take two bytes at least.
    ids = np.empty(len(codes) // 2 + 1, np.int32)
    starts = np.zeros(lines + 1, np.int64)
    slots = np.full(1024, -1, np.int32)
    hashes, begins, ends = np.empty(512, np.int64), np.empty(512, np.int64), np.empty(512, np.int64)
    words = matched = line = place = 0
    while place < len(codes):
        if _is_blank(codes[place]):
            if codes[place] == 10:
                line += 1
                starts[line] = matched
            place += 1
            continue
        begin, value = place, np.int64(0)
        while not _is_blank(codes[place]):
            # FNV-1a with its 64-bit prime; overflow wraps in compiled code, as the hash requires.
            value = (value ^ codes[place]) * np.int64(1099511628211)
            place += 1
        # The table looks at the low bits only, and the last multiplication has stirred mostly the high ones.
        value ^= value >> np.int64(29)
        # The table has twice as many slots as words, so that a search soon meets an empty one.
        if words == len(hashes):
            hashes, begins, ends = _double_array(hashes), _double_array(begins), _double_array(ends)
            slots = _rebuild_table(hashes, words, 2 * len(slots))
        slot = value & (len(slots) - 1)
        while slots[slot] >= 0 and not (
            hashes[slots[slot]] == value
            and ends[slots[slot]] - begins[slots[slot]] == place - begin
            and _is_equal(codes, begins[slots[slot]], begin, place - begin)
        ):
            slot = (slot + 1) & (len(slots) - 1)
        if slots[slot] < 0:
            slots[slot] = words
            hashes[words], begins[words], ends[words] = value, begin, place
            words += 1
        ids[matched] = slots[slot]
        matched += 1
    return ids[:matched].copy(), starts, begins[:words], ends[:words]


@compile_kernel
def find_equal_texts(ids: Ids, starts: Whole, owner: Whole, items: int) -> npt.NDArray[np.bool_]:
    """Return, for every reference, whether it has the same words as its output."""
    same = np.zeros(len(owner), np.bool_)
    for r in range(len(owner)):
        a, b = starts[owner[r]], starts[items + r]
        length = starts[items + r + 1] - b
        if starts[owner[r] + 1] - a == length:
            same[r] = _is_equal(ids, a, b, length)
    return same


@compile_kernel
def measure_edits(ids: Ids, starts: Whole, owner: Whole, items: int, substitution: int) -> Whole:
    """Return the word edit distance of every reference from its output (insertion and deletion 1)."""
    distances = np.zeros(len(owner), np.int64)
    row = np.zeros(_find_longest(starts) + 1, np.int64)
    for r in range(len(owner)):
        a, a_end = starts[owner[r]], starts[owner[r] + 1]
        b, b_end = starts[items + r], starts[items + r + 1]
        # A shared beginning and end never need an edit: descriptions of one scene mostly differ in a word or two.
        while a < a_end and b < b_end and ids[a] == ids[b]:
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and ids[a_end - 1] == ids[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
        width = b_end - b
        for j in range(width + 1):
            row[j] = j
        for i in range(a, a_end):
            # One row is enough: `diagonal` stores the upper left cell before it is overwritten.
            diagonal = row[0]
            row[0] += 1
            for j in range(width):
                best = diagonal if ids[i] == ids[b + j] else diagonal + substitution
                diagonal = row[j + 1]
                row[j + 1] = min(best, diagonal + 1, row[j] + 1)
        distances[r] = row[width]
    return distances


@compile_kernel
def _align(ids: Ids, a: int, rows: int, b: int, width: int, steps: Letters, row: Whole) -> None:
    """Fill `steps` (0 diagonal, 1 deletion, 2 insertion) for the cheapest alignment with the fewest substitutions."""
    # Costs in units so large that the substitutions counted below them never add up to one: one number orders by cost, then by substitutions.
    unit = rows + width + 1
    for j in range(width + 1):
        row[j] = j * unit
        steps[0, j] = 2
    for i in range(1, rows + 1):
        diagonal = row[0]
        row[0] = i * unit
        steps[i, 0] = 1
        for j in range(1, width + 1):
            # Ties prefer the diagonal, then deletion, so that the choice among cheapest alignments is deterministic.
            best, step = diagonal if ids[a + i - 1] == ids[b + j - 1] else diagonal + unit + 1, 0
            if row[j] + unit < best:
                best, step = row[j] + unit, 1
            if row[j - 1] + unit < best:
                best, step = row[j - 1] + unit, 2
            diagonal = row[j]
            row[j], steps[i, j] = best, step


@compile_kernel
def count_errors_with_moves(ids: Ids, starts: Whole, owner: Whole, items: int) -> Whole:
    """Return the errors of every output against each reference; a moved word counts once."""
    errors = np.zeros(len(owner), np.int64)
    longest = _find_longest(starts)
    # One matrix for the longest pair, written over for each: no memory is asked for inside the loop.
    steps = np.zeros((longest + 1, longest + 1), np.uint8)
    row = np.zeros(longest + 1, np.int64)
    missing = np.zeros(longest + 1, np.int32)
    for r in range(len(owner)):
        a, b = starts[items + r], starts[owner[r]]
        i, j = starts[items + r + 1] - a, starts[owner[r] + 1] - b
        if i == j and _is_equal(ids, a, b, i):
            continue
        _align(ids, a, i, b, j, steps, row)
        rows, width = i, j
        deleted = 0
        while i > 0 or j > 0:
            if steps[i, j] == 0:
                i, j = i - 1, j - 1
                errors[r] += ids[a + i] != ids[b + j]
            elif steps[i, j] == 1:
                i -= 1
                missing[deleted] = ids[a + i]
                deleted += 1
            else:
                j -= 1
        errors[r] += deleted
        errors[r] += _count_unmatched_insertions(ids, b, rows, width, steps, missing, deleted)
    return errors


@compile_kernel
def _count_unmatched_insertions(ids: Ids, b: int, i: int, j: int, steps: Letters, missing: Ids, deleted: int) -> int:
    """Count the insertions on the path whose word was not deleted elsewhere."""
    left = 0
    while i > 0 or j > 0:
        if steps[i, j] != 2:
            j -= steps[i, j] == 0
            i -= 1
            continue
        j -= 1
        left += 1
        # Descriptions have a dozen words: a list is faster than any table here.
        for k in range(deleted):
            if missing[k] == ids[b + j]:
                missing[k] = -1
                left -= 1
                break
    return left


@compile_kernel
def mark_shared_ngrams(ids: Ids, starts: Whole, outputs: Whole, first: Whole, places: Whole, order: int) -> Ids:
    """Return for each word of an output a bit mask of matched n-grams: bit n is the (n+1)-gram from there.

    An n-gram is matched up to its maximal count in a reference. The length of the common sequence from two positions,
    stored per reference position and updated from the last output word to the first, determines all orders at once.
    """
    marks = np.zeros(places[-1], np.int32)
    widest = 0
    for item in range(len(outputs)):
        widest = max(widest, starts[first[item + 1]] - starts[first[item]])
    common = np.zeros(widest, np.int64)
    again = np.zeros(_find_longest(starts) + 1, np.int64)
    earlier, here, most = np.zeros(order, np.int64), np.zeros(order, np.int64), np.zeros(order, np.int64)
    for item in range(len(outputs)):
        a, length = starts[outputs[item]], starts[outputs[item] + 1] - starts[outputs[item]]
        base = starts[first[item]]
        common[: starts[first[item + 1]] - base] = 0
        again[: length + 1] = 0
        for i in range(length - 1, -1, -1):
            word = ids[a + i]
            earlier[:], most[:] = 0, 0
            # The same n-gram earlier in the output has used up one of the references' occurrences (clipping).
            for j in range(i):
                again[j] = again[j + 1] + 1 if ids[a + j] == word else 0
                for n in range(min(again[j], order)):
                    earlier[n] += 1
            for text in range(first[item], first[item + 1]):
                here[:] = 0
                end = starts[text + 1]
                for place in range(starts[text], end):
                    k = place - base
                    if ids[place] != word:
                        common[k] = 0
                        continue
                    common[k] = common[k + 1] + 1 if place + 1 < end else 1
                    for n in range(min(common[k], order)):
                        here[n] += 1
                for n in range(order):
                    most[n] = max(most[n], here[n])
            mark = 0
            for n in range(order):
                if earlier[n] < most[n]:
                    mark |= 1 << n
            marks[places[item] + i] = mark
    return marks


@compile_kernel
def _mix_bits(key: np.int64) -> np.int64:
    # The golden ratio's digits, as many as a signed number holds, spread ids that follow each other; the shifts bring high bits down.
    """Return a hash of a 64-bit key."""
    key = (key ^ (key >> np.int64(31))) * np.int64(0x9E3779B97F4A7C1)
    return key ^ (key >> np.int64(27))


@compile_kernel
def count_shared_pairs(ids: Ids, starts: Whole, first: Whole, items: int, gap: int, unigrams: int) -> Whole:
    """Return, for every reference, the number of ordered word pairs that it shares with its output.

    `unigrams` adds single words: 0 none, 1 all but the last of each text, 2 all.
    """
    hits = np.zeros(starts.size - 1 - items, np.int64)
    size = 64
    # Room for the pairs of the longest text at half load. Stamps mark the item of a slot, so the table is never cleared
    # between items.
    while size < 2 * _find_longest(starts) * (gap + 2):
        size *= 2
    keys, stamps = np.zeros(size, np.int64), np.full(size, -1, np.int64)
    counts, used, users = np.zeros(size, np.int64), np.zeros(size, np.int64), np.full(size, -1, np.int64)
    for item in range(items):
        # One turn more than there are references: the first, `own`, is the output itself, whose pairs fill the table.
        for text in range(first[item] - 1, first[item + 1]):
            single = text < first[item]
            number = item if single else text
            begin, end = starts[number], starts[number + 1]
            for i in range(begin, end):
                singles = unigrams == 2 or (unigrams == 1 and i + 1 < end)
                for j in range(i if singles else i + 1, min(end, i + gap + 2)):
                    # Two ids in one number, exact; 0 in the lower half marks a single word.
                    key = np.int64(ids[i]) << 32 | (np.int64(ids[j]) + 1 if j > i else 0)
                    slot = _mix_bits(key) & (size - 1)
                    while stamps[slot] == item and keys[slot] != key:
                        slot = (slot + 1) & (size - 1)
                    seen = stamps[slot] == item
                    if single:
                        counts[slot] = counts[slot] + 1 if seen else 1
                        keys[slot], stamps[slot] = key, item
                    elif seen:
                        used[slot] = used[slot] + 1 if users[slot] == text else 1
                        users[slot] = text
                        hits[text - items] += used[slot] <= counts[slot]
    return hits


@compile_kernel
def _find_slot(table: Whole, key: np.int64) -> np.int64:
    """Return the slot of an n-gram in the table, or the empty slot for it."""
    slot = _mix_bits(key) & (len(table) - 1)
    while table[slot, 0] != key and table[slot, 0] != 0:
        slot = (slot + 1) & (len(table) - 1)
    return slot


@compile_kernel
def double_table(table: Whole) -> Whole:
    """Return the same table of n-grams with twice the size."""
    # Numbers of n-grams are stored in the rows, so that keys built on them stay valid in the new table.
    wider = np.zeros((2 * len(table), 2), np.int64)
    for old in range(len(table)):
        if table[old, 0] != 0:
            slot = _find_slot(wider, table[old, 0])
            wider[slot, 0], wider[slot, 1] = table[old, 0], table[old, 1]
    return wider


@compile_kernel
def add_ngrams(ids: Ids, starts: Whole, text: int, order: int, table: Whole, size: int) -> tuple[int, int]:
    """Count the n-grams of texts from number `text` on; return where it stopped if the table is 2/3 full.

    A row of the table is a key and a packed pair: the n-gram's own number above, its count in the lower 32 bits. The key is the number of the
    first n - 1 words (0 for none) above the last word's id plus 1, so it is exact and never 0. Order by order, because
    the places of a text do not wait for each other: the processor overlaps their trips to memory.
    """
    numbers = np.zeros(_find_longest(starts) + 1, np.int64)
    while text < len(starts) - 1:
        begin, length = starts[text], starts[text + 1] - starts[text]
        # Asked before a text, for all it could add: a text is never counted in part and begun again.
        if 3 * (size + order * length) > 2 * len(table):
            break
        numbers[:length] = 0
        for n in range(min(order, length)):
            for i in range(length - n):
                key = numbers[i] << 32 | (ids[begin + i + n] + 1)
                slot = _find_slot(table, key)
                if table[slot, 0] == 0:
                    table[slot, 0], table[slot, 1] = key, size << 32
                    size += 1
                table[slot, 1] += 1
                numbers[i] = table[slot, 1] >> 32
        text += 1
    return text, size


@compile_kernel
def sum_information(
    ids: Ids, starts: Whole, marks: Ids, items: int, order: int, table: Whole, words: int
) -> FloatArray:
    """Return the information of matched n-grams by order for each output; -1 if one was never counted."""
    sums = np.zeros((items, order))
    longest = _find_longest(starts) + 1
    numbers, counts = np.zeros(longest, np.int64), np.zeros(longest, np.int64)
    for item in range(items):
        begin, length = starts[item], starts[item + 1] - starts[item]
        numbers[:length], counts[:length] = 0, words
        for n in range(min(order, length)):
            for i in range(length - n):
                mark = marks[begin + i] >> n
                # Continuations of words that occur once carry no information.
                if mark == 0 or counts[i] == 1:
                    continue
                slot = _find_slot(table, numbers[i] << 32 | (ids[begin + i + n] + 1))
                if table[slot, 0] == 0:
                    sums[item, :] = -1
                    return sums
                count = table[slot, 1] & 0xFFFFFFFF
                if mark & 1:
                    sums[item, n] += np.log2(counts[i] / count)
                numbers[i], counts[i] = table[slot, 1] >> 32, count
    return sums
