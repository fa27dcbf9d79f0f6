"""Minimum set cover, by number or cost, solved exactly (Dale 1989; Reiter 1990 on its hardness).

Sets are given by the entities they *keep* (those that a property is true of), as bits of an integer: a choice is
complete when the intersection with the distractors is empty. Selectors need the sets (`find_smallest_cover`,
`find_cheapest_cover`), measures only their number (`count_smallest_cover`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache, reduce
from itertools import count
from math import inf
from operator import and_
from time import monotonic
from typing import NamedTuple

LARGE = 20_000
"""Distractors times properties above which a row for each distractor costs more than trying one size of a cover after the other."""
TRIED = 4
"""Sizes of a cover that are tried one after the other before the smallest one is worked out."""


class Cover(NamedTuple):
    """The indices of the chosen sets, their total cost, and whether the search has proven them optimal."""

    chosen: tuple[int, ...]
    cost: float
    proven: bool


class OutOfTime(Exception):
    """Raised when a search reaches its deadline; the caller uses the best result so far."""


def find_uncoverable(keeps: Sequence[int], left: int) -> int:
    """Return the distractors that no set excludes."""
    for keep in keeps:
        left &= keep
        if not left:
            break
    return left


def find_smallest_cover(keeps: Sequence[int], left: int, seconds: float | None = None) -> Cover:
    """Return the fewest sets that exclude all excludable entities.

    The first such choice in the given order.

    After the time limit, the best choice so far, not proven.
    """
    for i, keep in enumerate(keeps):
        if not left & keep:
            return Cover((i,), 1.0, True) if left else Cover((), 0.0, True)
    left &= ~find_uncoverable(keeps, left)
    if not left:
        return Cover((), 0.0, True)
    deadline = None if seconds is None else monotonic() + seconds
    try:
        found = _find_first_smallest(keeps, left, deadline)
        return Cover(found, float(len(found)), True)
    except OutOfTime:
        greedy = find_greedy_cover(keeps, [1.0] * len(keeps), left)
        return Cover(greedy, float(len(greedy)), False)


def count_smallest_cover(keeps: Sequence[int], left: int) -> int | None:
    """Return the size of a smallest cover; None if all sets together keep an entity."""
    # Sorted and without repetition, the same question from another description of the same scene is answered from memory.
    return _count_smallest_cover(tuple(sorted({keep & left for keep in keeps})), left)


@lru_cache(maxsize=1 << 16)
def _count_smallest_cover(keeps: tuple[int, ...], left: int) -> int | None:
    """Return the size of a smallest cover, cached."""
    if reduce(and_, keeps, left):
        return None
    if not left:
        return 0
    return 1 if 0 in keeps else _compute_smallest_size(keeps, left, None, 2)


def _find_first_smallest(keeps: Sequence[int], left: int, deadline: float | None) -> tuple[int, ...]:
    """Return the first of the smallest covers in the given order."""
    size = 1
    while not (found := _find_first_of_size(keeps, 0, left, size, deadline)):
        size += 1
        # Up to four sets are tried outright: cheaper than working out the size, and ordinary scenes seldom need more.
        if size == TRIED + 1 and left.bit_count() * len(keeps) <= LARGE:
            size = _compute_smallest_size(keeps, left, deadline, size)
    return found


def _compute_smallest_size(keeps: Sequence[int], left: int, deadline: float | None, at_least: int) -> int:
    """Return the size of a smallest cover of all of `left`, computed as a smallest hitting set."""
    rows = _list_rows(keeps, left)
    return next(size for size in count(at_least) if _can_hit(rows, size, deadline))


def _list_rows(keeps: Sequence[int], left: int) -> list[int]:
    """Return the relevant rows, short ones first: equal rows are one, and a set that covers a row covers those that
    contain it.
    """
    rows: set[int] = set()
    while left:
        one = left & -left
        left ^= one
        rows.add(sum(1 << i for i, keep in enumerate(keeps) if not keep & one))
    kept: list[int] = []
    for row in sorted(rows, key=int.bit_count):
        if not any(row & shorter == shorter for shorter in kept):
            kept.append(row)
    return kept


def _can_hit(rows: list[int], size: int, deadline: float | None) -> bool:
    """Return whether `size` bits are enough to have one in every row.

    Branches on the shortest row, where the choice is narrowest.
    """
    if not rows:
        return True
    if size <= 1:
        return size == 1 and reduce(and_, rows) != 0
    if deadline is not None and monotonic() > deadline:
        raise OutOfTime
    row = rows[0]
    while row:
        bit = row & -row
        row ^= bit
        if _can_hit([r for r in rows if not r & bit], size - 1, deadline):
            return True
    return False


def _find_first_of_size(
    keeps: Sequence[int], start: int, left: int, size: int, deadline: float | None
) -> tuple[int, ...] | None:
    """Return the first choice of `size` sets from `start` on that keeps no entity."""
    if size == 1:
        return next(((i,) for i in range(start, len(keeps)) if not left & keeps[i]), None)
    if deadline is not None and monotonic() > deadline:
        raise OutOfTime
    for i in range(start, len(keeps) - size + 1):
        kept = left & keeps[i]
        # A set that excludes no entity cannot be in a smallest cover.
        if kept != left and (found := _find_first_of_size(keeps, i + 1, kept, size - 1, deadline)):
            return (i, *found)
    return None


def find_cheapest_cover(keeps: Sequence[int], costs: Sequence[float], left: int, seconds: float | None = None) -> Cover:
    """Return the cheapest sets that exclude all excludable entities, by depth-first branch and bound.

    This is the search of Krahmer, van Erk & Verleg (2003) for properties: the first of several equally cheap choices in
    the given order wins, so early free sets are kept even if they exclude no entity. Costs are finite and not negative.
    """
    if not all(0.0 <= cost < inf for cost in costs):
        raise ValueError("costs must be finite and not negative: the search could not know when to stop")
    left &= ~find_uncoverable(keeps, left)
    search = _Cheapest(keeps, costs, None if seconds is None else monotonic() + seconds)
    try:
        search.extend(0, left, (), 0.0)
    except OutOfTime:
        chosen = search.best if search.best is not None else find_greedy_cover(keeps, costs, left)
        return Cover(chosen, sum(costs[i] for i in chosen), False)
    assert search.best is not None
    return Cover(search.best, search.cost, True)


class _Cheapest:
    """One depth-first branch-and-bound search."""

    def __init__(self, keeps: Sequence[int], costs: Sequence[float], deadline: float | None) -> None:
        self.keeps = keeps
        self.costs = costs
        self.deadline = deadline
        self.best: tuple[int, ...] | None = None
        self.cost = float("inf")

    def extend(self, start: int, left: int, chosen: tuple[int, ...], cost: float) -> None:
        """Complete `chosen` with sets from `start` on, as long as that can be cheaper than the best."""
        if cost >= self.cost:
            return
        if not left:
            self.best, self.cost = chosen, cost
            return
        if self.deadline is not None and monotonic() > self.deadline:
            raise OutOfTime
        for i in range(start, len(self.keeps)):
            kept = left & self.keeps[i]
            if kept != left or not self.costs[i]:
                self.extend(i + 1, kept, (*chosen, i), cost + self.costs[i])
            # The best may have got cheaper further down.
            if cost >= self.cost:
                return


def find_greedy_cover(keeps: Sequence[int], costs: Sequence[float], left: int) -> tuple[int, ...]:
    """Return sets in the order of the most distractors excluded per cost; the answer when time runs out."""
    chosen: list[int] = []
    while left and keeps:
        total = left.bit_count()
        # A free set that excludes an entity comes before all sets with a cost.
        gains = [(total - (left & keep).bit_count()) / (cost or 1e-9) for keep, cost in zip(keeps, costs, strict=True)]
        best = max(range(len(keeps)), key=gains.__getitem__)
        if not gains[best]:
            break
        chosen.append(best)
        left &= keeps[best]
    return tuple(sorted(chosen))


def iterate_covers(keeps: Sequence[int], left: int) -> Iterator[tuple[int, ...]]:
    """Yield every choice of sets that keeps no entity, minimal or not, by size and then in the given order; for about a
    dozen sets.
    """
    from itertools import combinations

    for size in range(len(keeps) + 1):
        for chosen in combinations(range(len(keeps)), size):
            if not find_uncoverable([keeps[i] for i in chosen], left):
                yield chosen
