"""Minimum cover at scale: search over a few hard distractors, test every answer on all, and let whoever it missed join in.

A distractor is a row: the properties that rule it out, as bits of one 64-bit number. The search is compiled with numba. It branches on the row with
fewest open properties among those in hand; an answer that misses a row of the whole problem puts that row into the hand and the
search goes on, so what it finds in the end holds for all rows and nothing cheaper does. Every so often it comes back to look at the clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from referee.algorithms.compiler import compiled
from referee.algorithms.exact_cover import Cover, greedy_cover
from referee.contracts import FloatArray

__all__ = ["cover"]

Words = npt.NDArray[np.uint64]
Whole = npt.NDArray[np.int64]
NODES = 100_000
"""Search nodes between two looks at the clock."""
AT_FIRST, ROOM = 256, 4096
"""Rows in hand at the start, and room for more before the tables have to grow."""
JOINING = 4
"""Missed rows that join the hand at a time."""
SCANNED = 32
"""Rows in hand that are looked at for the one with fewest open properties."""
OPEN, TODO, CHOSEN = 0, 1, 2
DEPTH, INSIDE, IN_HAND = 0, 1, 2
PAUSED, FULL, DONE = 0, 1, 2


def cover(keeps: Sequence[int], costs: Sequence[float], left: int, seconds: float | None = None) -> Cover:
    """The cheapest sets that leave nothing of `left`, which they can rule out together; costs are positive."""
    deadline = None if seconds is None else monotonic() + seconds
    greedy = greedy_cover(keeps, costs, left)
    # Strong properties get the low bits, which the search tries first: a good answer early cuts the rest.
    order = sorted(range(len(keeps)), key=lambda i: (left & keeps[i]).bit_count())
    # From a packed set a property to a word a distractor: a transposition of bits, done once and compiled.
    rows = _hardest_first(np.stack([_packed(left & ~keeps[i], left) for i in order]))
    search = _Search(rows, np.array([costs[i] for i in order]), sum(costs[i] for i in greedy))
    proven = search.run(deadline)
    found = int(search.best[0])
    # The bound starts at the greedy cost and only something cheaper is stored: nothing stored means that greed was best.
    chosen = [order[i] for i in range(len(order)) if found >> i & 1] if found else greedy
    return Cover(tuple(sorted(chosen)), sum(costs[i] for i in chosen), proven)


def _packed(bits: int, longest: int) -> Words:
    """A bit set as 64-bit words, as many as the longest one needs."""
    return np.frombuffer(bits.to_bytes((longest.bit_length() + 63) // 64 * 8, "little"), dtype=np.uint64)


class _Search:
    """The tables of one search: rows in hand, and per depth the rows not ruled out and the properties open, still to try and chosen."""

    def __init__(self, rows: Words, prices: FloatArray, upper: float) -> None:
        self.rows, self.prices = rows, prices
        depth = len(prices) + 2
        self.hand = np.zeros(ROOM, dtype=np.uint64)
        self.keeps = np.zeros((len(prices), ROOM // 64), dtype=np.uint64)
        self.unruled = np.zeros((depth, ROOM // 64), dtype=np.uint64)
        self.masks = np.zeros((3, depth), dtype=np.uint64)
        self.masks[OPEN, 0] = (1 << len(prices)) - 1
        self.spent = np.zeros(depth)
        self.state = np.zeros(3, dtype=np.int64)
        self.best = np.zeros(1, dtype=np.uint64)
        self.bound = np.array([upper])
        # Rows that few properties rule out decide the answer; most of a million others follow from them.
        hardest = rows[:AT_FIRST]
        for row in hardest[_minimal(hardest)]:
            _join(row, self.hand, self.keeps, self.unruled, self.state)

    def run(self, deadline: float | None) -> bool:
        """Search until done (True) or out of time (False)."""
        while True:
            outcome = _descend(
                *(self.rows, self.hand, self.keeps, self.prices, self.unruled, self.masks, self.spent),
                *(self.state, self.best, self.bound, NODES),
            )
            if outcome == DONE:
                return True
            if outcome == FULL:
                self._make_room()
            if deadline is not None and monotonic() > deadline:
                return False

    def _make_room(self) -> None:
        more = len(self.hand)
        self.hand = np.pad(self.hand, (0, more))
        self.keeps = np.pad(self.keeps, ((0, 0), (0, more // 64)))
        self.unruled = np.pad(self.unruled, ((0, 0), (0, more // 64)))


def _emit_ones(typing: Any, word: Any) -> Any:
    return types.uint64(types.uint64), lambda context, builder, signature, args: builder.ctpop(args[0])


def _emit_lowest(typing: Any, word: Any) -> Any:
    def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], context.get_constant(types.boolean, True))

    return types.uint64(types.uint64), emit


_ones: Any = intrinsic(_emit_ones)
"""The number of bits set in a word."""
_lowest: Any = intrinsic(_emit_lowest)
"""The place of the lowest bit of a word that is not 0."""


@compiled
def _hardest_first(outs: Words) -> Words:
    """One row per distractor, from one packed set per property; sorted by how many properties rule it out."""
    sets, words = outs.shape
    rows = np.zeros(words * 64, dtype=np.uint64)
    for w in range(words):
        for j in range(sets):
            word = outs[j, w]
            while word:
                rows[w * 64 + _lowest(word)] |= np.uint64(1) << np.uint64(j)
                word &= word - np.uint64(1)
    # Sorting by counting: a row has 0 to 64 properties, so that 66 counters do what a comparison sort takes far longer for.
    starts = np.zeros(66, dtype=np.int64)
    for row in rows:
        starts[_ones(row) + np.uint64(1)] += 1
    nobody = starts[1]
    starts = np.cumsum(starts)
    ordered = np.empty_like(rows)
    for row in rows:
        ordered[starts[_ones(row)]] = row
        starts[_ones(row)] += 1
    return ordered[nobody:]


@compiled
def _minimal(rows: Words) -> npt.NDArray[np.bool_]:
    """Which of the rows, fewest bits first, contain no earlier one: ruling out that one rules out these too."""
    keep = np.ones(len(rows), dtype=np.bool_)
    for i in range(len(rows)):
        for j in range(i):
            if keep[j] and rows[j] & ~rows[i] == 0:
                keep[i] = False
                break
    return keep


@compiled
def _join(row: np.uint64, hand: Words, keeps: Words, unruled: Words, state: Whole) -> None:
    """Take a row into the hand that nothing chosen so far rules out."""
    place = state[IN_HAND]
    word, bit = place // 64, np.uint64(1) << np.uint64(place % 64)
    hand[place] = row
    for column in range(len(keeps)):
        if row >> np.uint64(column) & np.uint64(1) == 0:
            keeps[column, word] |= bit
    for depth in range(state[DEPTH] + 1):
        unruled[depth, word] |= bit
    state[IN_HAND] = place + 1


@compiled
def _holds(chosen: np.uint64, rows: Words, hand: Words, keeps: Words, unruled: Words, state: Whole) -> bool:
    """Whether a choice rules out every row of the problem; the first rows that it misses join the hand."""
    missed = 0
    for row in rows:
        if row & chosen == 0:
            _join(row, hand, keeps, unruled, state)
            missed += 1
            if missed == JOINING:
                break
    return missed == 0


@compiled
def _narrowest(hand: Words, unruled: Words, words: int, open_columns: np.uint64) -> tuple[np.uint64, bool]:
    """The open properties of the row that has fewest, among the first few not ruled out; and whether there is such a row."""
    fewest, candidates, seen = np.uint64(65), np.uint64(0), 0
    for w in range(words):
        word = unruled[w]
        while word:
            able = hand[w * 64 + _lowest(word)] & open_columns
            word &= word - np.uint64(1)
            if _ones(able) < fewest:
                fewest, candidates = _ones(able), able
            seen += 1
            if seen == SCANNED or fewest == 0:
                return candidates, True
    return candidates, seen > 0


@compiled
def _alone(hand: Words, unruled: Words, words: int, open_columns: np.uint64) -> np.uint64:
    """The open properties that rule out every row in hand that is left."""
    able = open_columns
    for w in range(words):
        word = unruled[w]
        while word:
            able &= hand[w * 64 + _lowest(word)]
            if able == 0:
                return np.uint64(0)
            word &= word - np.uint64(1)
    return able


@compiled
def _cheapest(able: np.uint64, prices: FloatArray) -> np.int64:
    """The cheapest of some properties."""
    best = np.int64(_lowest(able))
    while able:
        column = np.int64(_lowest(able))
        able &= able - np.uint64(1)
        if prices[column] < prices[best]:
            best = column
    return best


@compiled
def _descend(
    rows: Words,
    hand: Words,
    keeps: Words,
    prices: FloatArray,
    unruled: Words,
    masks: Words,
    spent: FloatArray,
    state: Whole,
    best: Words,
    bound: FloatArray,
    nodes: int,
) -> int:
    """Depth-first search that goes on where it was left."""
    least = prices.min()
    # An explicit stack in arrays instead of recursion: the search can stop at any node to look at the clock, and go on.
    while nodes > 0:
        depth = state[DEPTH]
        words = (state[IN_HAND] + 63) // 64
        if state[INSIDE] == 0:
            # Asked before rows may join, so that no search node is left half done.
            if state[IN_HAND] + JOINING > len(hand):
                return FULL
            nodes -= 1
            masks[TODO, depth] = 0
            chosen, cost = masks[CHOSEN, depth], spent[depth]
            candidates, some = _narrowest(hand, unruled[depth], words, masks[OPEN, depth])
            complete = not some
            if some and cost + 2 * least >= bound[0]:
                # Two more would be too many, so only a property that does the rest alone can help.
                able = _alone(hand, unruled[depth], words, candidates)
                if able:
                    column = _cheapest(able, prices)
                    chosen, cost, complete = chosen | np.uint64(1) << np.uint64(column), cost + prices[column], True
            elif some:
                masks[TODO, depth] = candidates
            if complete and cost < bound[0]:
                if not _holds(chosen, rows, hand, keeps, unruled, state):
                    continue
                bound[0], best[0] = cost, chosen
            state[INSIDE] = 1
        todo = masks[TODO, depth]
        if todo == 0:
            if depth == 0:
                return DONE
            state[DEPTH] = depth - 1
            continue
        column = np.int64(_lowest(todo))
        bit = np.uint64(1) << np.uint64(column)
        masks[TODO, depth] = todo ^ bit
        # A property tried at this depth is closed below its later siblings: every set is met once, in one order.
        masks[OPEN, depth] &= ~bit
        if spent[depth] + prices[column] >= bound[0]:
            continue
        for w in range(words):
            unruled[depth + 1, w] = unruled[depth, w] & keeps[column, w]
        masks[OPEN, depth + 1] = masks[OPEN, depth]
        masks[CHOSEN, depth + 1] = masks[CHOSEN, depth] | bit
        spent[depth + 1] = spent[depth] + prices[column]
        state[DEPTH] = depth + 1
        state[INSIDE] = 0
    return PAUSED
