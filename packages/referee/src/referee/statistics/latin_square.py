"""Repeated Latin squares.

The design of the ASGRE and TUNA experiments, which assigns a system's description of each item to each participant.

With k systems, items come in blocks of k and participants in groups of k. In each k x k square a row is a participant,
a column for each item; a cell names a system; every system occurs once per row and column. Squares are distributed evenly to the
groups, so every item occurs with every system exactly once: 12 systems, 120 items and 24 participants give 60 trials
each and 1,440 in all.

`repeated_latin_squares` is that design for simulations. `lay_squares` is for real studies, whose items seldom fill
whole squares: a random sample is shown twice (Belz & Gatt 2007; Gatt, Belz & Kow 2008). Williams' squares (1949) also
balance the order of conditions.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from referee.errors import InputError
from referee.statistics.frames import IntArray, complete_rows, make_frame

if TYPE_CHECKING:
    import polars as pl


def make_cyclic_square(rows: Sequence[int], columns: Sequence[int], numbers: Sequence[int]) -> IntArray:
    """Return a cyclic Latin square with its rows, columns and numbers in these orders."""
    square: IntArray = np.asarray(numbers)[(np.asarray(rows)[:, None] + np.asarray(columns)) % len(numbers)]
    return square


def make_latin_square(k: int, rng: np.random.Generator) -> IntArray:
    """Return a random k x k Latin square."""
    numbers, rows, columns = (rng.permutation(k).tolist() for _ in range(3))
    return make_cyclic_square(rows, columns, numbers)


def repeated_latin_squares(systems: int, items: int, participants: int, seed: int) -> pl.DataFrame:
    """Return one row per trial: participant, item, system, square (from 0) and position.

    Participants are numbered in groups of k, items in blocks of k; the order of presentation is shuffled per participant.
    """
    squares, groups = _count_squares(systems, items, participants)
    rng = np.random.default_rng(seed)
    each = squares // groups
    cells = np.stack([make_latin_square(systems, rng) for _ in range(squares)])
    square, row, column = (axis.ravel() for axis in np.indices(cells.shape))
    participant, item = square // each * systems + row, square * systems + column
    order = np.lexsort((rng.random(len(item)), participant))
    position = np.empty(len(item), dtype=np.int64)
    position[order] = np.tile(np.arange(1, each * systems + 1), participants)
    sorted_by = np.lexsort((position, participant))
    columns = [v[sorted_by] for v in (participant, item, cells.ravel(), square, position)]
    return make_frame(
        ("participant", "item", "system", "square", "position"), zip(*(c.tolist() for c in columns), strict=True)
    )


def check_latin_squares(frame: pl.DataFrame) -> list[str]:
    """Return the reasons why trials are not repeated Latin squares; an empty list if they are.

    The frame needs columns participant, item and system; rows with a missing value are reported.
    """
    import polars as pl

    rows = complete_rows(frame, None, "participant", "item", "system")
    faults = [f"{frame.height - rows.height} rows miss a participant, an item or a system"] * (
        rows.height < frame.height
    )
    for keys, sentence in (
        (["participant", "item"], "a participant sees an item more than once"),
        (["item", "system"], "an item is seen more than once with a system"),
    ):
        worst = rows.group_by(keys).len().filter(pl.col("len") > 1).sort(keys)
        if worst.height:
            faults.append(
                f"{sentence} ({worst.height} cases; the first is {dict(worst.select(keys).row(0, named=True))})"
            )
    k = rows["system"].n_unique()
    for key in ("participant", "item"):
        seen = rows.group_by(key, "system").len()
        uneven = seen.group_by(key).agg(pl.col("len").min().alias("least"), pl.col("len").max().alias("most"), pl.len())
        bad = uneven.filter((pl.col("least") != pl.col("most")) | (pl.col("len") != k)).sort(key)
        if bad.height:
            faults.append(f"{bad.height} {key}s do not have every system equally often (the first is {bad[key][0]})")
    return faults


def _count_squares(systems: int, items: int, participants: int) -> tuple[int, int]:
    """Return the number of squares and of participant groups.

    Raises InputError, with the number to change, if they do not fit.
    """
    if systems < 2:
        raise InputError("a Latin square needs at least two systems", remedy="compare two or more")
    for name, number in (("items", items), ("participants", participants)):
        if number < systems or number % systems:
            near = max(systems, round(number / systems) * systems)
            raise InputError(
                f"{number} {name} cannot be divided into blocks of {systems}, one for each system",
                remedy=f"use {near} {name}, for example",
            )
    squares, groups = items // systems, participants // systems
    if squares % groups:
        better = -(-squares // groups) * groups * systems
        raise InputError(
            f"{squares} Latin squares cannot be divided evenly among {groups} groups of participants",
            remedy=f"use {better} items",
        )
    return squares, groups


# -- squares for a study -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Squares:
    """The items of each group, and the system of each item by row.

    `columns[g]` are the items of group g (as numbers, duplicates twice), square by square; `cells[g][row]` their systems.
    """

    columns: tuple[tuple[int, ...], ...]
    cells: tuple[tuple[tuple[int, ...], ...], ...]
    duplicates: tuple[int, ...]


def choose_group_count(k: int, squares: int, participants: int) -> int:
    """Return the largest number of groups that divides Latin squares and participants evenly."""
    if k < 2:
        raise InputError("a Latin square needs at least two systems", remedy="compare two or more")
    if participants < k or participants % k:
        low = max(participants // k, 1) * k
        raise InputError(
            f"{participants} participants cannot be divided into groups of {k} (one for each system)",
            remedy=f"plan {low} or {low + k} participants",
        )
    teams = participants // k
    return max(g for g in range(1, teams + 1) if squares % g == 0 and teams % g == 0)


def lay_squares(
    k: int, strata: Sequence[Hashable], participants: int, rng: Random, groups: int | None = None
) -> Squares:
    """Return squares over items with balanced strata (domains).

    Duplicates are drawn evenly from the strata.

    A duplicate goes to another group than its original if there is one, so that no participant sees an item twice.
    """
    items = len(strata)
    duplicates = _draw_duplicates(-items % k, strata, rng)
    squares = (items + len(duplicates)) // k
    groups = (
        choose_group_count(k, squares, participants)
        if groups is None
        else _check_group_count(groups, k, squares, participants)
    )
    halves = _deal_items(items, duplicates, strata, squares // groups * k, groups, rng)
    columns = tuple(tuple(_order_into_squares(half, strata, k, rng)) for half in halves)
    cells = tuple(_make_rows(k, len(half) // k, rng) for half in halves)
    return Squares(columns=columns, cells=cells, duplicates=tuple(duplicates))


def _check_group_count(groups: int, k: int, squares: int, participants: int) -> int:
    """Return the number of groups.

    Raises InputError, with a suggestion, if it does not divide squares and participants.
    """
    if groups < 1 or squares % groups or participants % (groups * k):
        best = choose_group_count(k, squares, participants)
        raise InputError(
            f"{squares} squares and {participants} participants cannot be divided among {groups} groups of {k}",
            remedy=f"use {best} groups",
        )
    return groups


def _draw_duplicates(number: int, strata: Sequence[Hashable], rng: Random) -> list[int]:
    """Draw items to be shown twice, in turn from every stratum (8 of 112 are 4 of furniture and 4 people)."""
    pools: dict[Hashable, list[int]] = {}
    for item, stratum in enumerate(strata):
        pools.setdefault(stratum, []).append(item)
    for pool in pools.values():
        rng.shuffle(pool)
    drawn: list[int] = []
    for turn in count():
        for pool in pools.values():
            if len(drawn) == number:
                return drawn
            if turn < len(pool):
                drawn.append(pool[turn])
        if turn > len(strata):
            raise InputError(
                f"{len(strata)} items are too few to fill a square by showing some of them twice",
                remedy="use more items or fewer systems",
            )
    return drawn


def _deal_items(
    items: int, duplicates: Sequence[int], strata: Sequence[Hashable], size: int, groups: int, rng: Random
) -> list[list[int]]:
    """Return items in groups of equal size and mixture of strata.

    Items are sorted by stratum and distributed in turn; a duplicate goes to another group than its original.
    """
    order = sorted(rng.sample(range(items), items), key=lambda i: str(strata[i]))
    twice = set(duplicates)
    # duplicated items are distributed first, so that both copies fit into different groups
    hands: list[list[int]] = [[] for _ in range(groups)]
    for turn, item in enumerate(i for i in order if i in twice):
        hands[2 * turn % groups].append(item)
        hands[(2 * turn + 1) % groups].append(item)
    for item in (i for i in order if i not in twice):
        stratum_counts = [sum(strata[j] == strata[item] for j in hand) for hand in hands]
        open_hands = [h for h in range(groups) if len(hands[h]) < size]
        hands[min(open_hands, key=lambda h: (stratum_counts[h], len(hands[h])))].append(item)
    return hands


def _order_into_squares(hand: Sequence[int], strata: Sequence[Hashable], k: int, rng: Random) -> list[int]:
    """Return the items of a group square by square, each square with its proportion of every stratum.

    Two copies are adjacent and so go to different squares.
    """
    items = sorted(set(hand))
    rank = dict(zip(items, rng.sample(range(len(items)), len(items)), strict=True))
    shuffled = sorted(hand, key=lambda i: (str(strata[i]), rank[i]))
    squares = len(hand) // k
    return [item for square in range(squares) for item in shuffled[square::squares]]


def _make_rows(k: int, squares: int, rng: Random) -> tuple[tuple[int, ...], ...]:
    """Return the systems of each row of a group: random Latin squares side by side."""
    laid = [make_cyclic_square(*(rng.sample(range(k), k) for _ in range(3))).tolist() for _ in range(squares)]
    return tuple(tuple(cell for square in laid for cell in square[row]) for row in range(k))


def make_williams_squares(k: int) -> list[list[int]]:
    """Return rows in which every condition directly follows every other equally often.

    There are k rows for even k, 2k (two squares) for odd k.
    """
    first = [0]
    for step in range(1, k):
        first.append((k - step // 2) % k if step % 2 == 0 else step // 2 + 1)
    square = [[(cell + row) % k for cell in first] for row in range(k)]
    return square if k % 2 == 0 else square + [row[::-1] for row in square]
