"""Repeated Latin squares: who reads which system's description of which item (the design of the ASGRE and TUNA experiments).

With k systems, items come in blocks of k and participants in groups of k. In each k x k square a row is a participant, a column an
item, a cell a system; every system occurs once per row and column. Squares are dealt out evenly to the groups, so every item is
seen with every system exactly once: 12 systems, 120 items and 24 participants give 60 trials each and 1,440 in all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from referee.errors import InputError
from referee.statistics.frames import IntArray, as_rows, complete_rows

if TYPE_CHECKING:
    import polars as pl

__all__ = ["check_latin_squares", "latin_square", "repeated_latin_squares"]


def latin_square(k: int, rng: np.random.Generator) -> IntArray:
    """A k x k square with every number once per row and column: the cyclic one, rows, columns and numbers shuffled."""
    places = np.arange(k)
    square = (places[:, None] + places) % k
    shuffled: IntArray = rng.permutation(k)[square[rng.permutation(k)][:, rng.permutation(k)]]
    return shuffled


def repeated_latin_squares(systems: int, items: int, participants: int, seed: int) -> pl.DataFrame:
    """One row per trial: participant, item, system and square (numbered from 0), and the position in which it is shown.

    Participants are numbered in groups of k, items in blocks of k; the order of presentation is shuffled per participant.
    """
    squares, groups = _blocks(systems, items, participants)
    rng = np.random.default_rng(seed)
    each = squares // groups
    cells = np.stack([latin_square(systems, rng) for _ in range(squares)])
    square, row, column = (axis.ravel() for axis in np.indices(cells.shape))
    participant, item = square // each * systems + row, square * systems + column
    order = np.lexsort((rng.random(len(item)), participant))
    position = np.empty(len(item), dtype=np.int64)
    position[order] = np.tile(np.arange(1, each * systems + 1), participants)
    sorted_by = np.lexsort((position, participant))
    columns = [v[sorted_by] for v in (participant, item, cells.ravel(), square, position)]
    return as_rows(
        ("participant", "item", "system", "square", "position"), zip(*(c.tolist() for c in columns), strict=True)
    )


def check_latin_squares(frame: pl.DataFrame) -> list[str]:
    """What keeps a set of trials from being repeated Latin squares, in words; an empty list means nothing does.

    The frame needs columns participant, item and system; rows with a missing one are a fault of their own.
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
            faults.append(f"{sentence} ({worst.height} times, first {dict(worst.select(keys).row(0, named=True))})")
    k = rows["system"].n_unique()
    for key in ("participant", "item"):
        seen = rows.group_by(key, "system").len()
        uneven = seen.group_by(key).agg(pl.col("len").min().alias("least"), pl.col("len").max().alias("most"), pl.len())
        bad = uneven.filter((pl.col("least") != pl.col("most")) | (pl.col("len") != k)).sort(key)
        if bad.height:
            faults.append(f"{bad.height} of the {key}s do not see every system equally often (first {bad[key][0]})")
    return faults


def _blocks(systems: int, items: int, participants: int) -> tuple[int, int]:
    """The number of squares and of participant groups; an error says which number has to change."""
    if systems < 2:
        raise InputError("a Latin square needs at least two systems", remedy="compare two or more")
    for name, number in (("items", items), ("participants", participants)):
        if number < systems or number % systems:
            near = max(systems, round(number / systems) * systems)
            raise InputError(
                f"{number} {name} do not divide into blocks of {systems}", remedy=f"take {near}, for example"
            )
    squares, groups = items // systems, participants // systems
    if squares % groups:
        better = -(-squares // groups) * groups * systems
        raise InputError(
            f"{squares} squares cannot be dealt evenly to {groups} groups of participants",
            remedy=f"take {better} items",
        )
    return squares, groups
