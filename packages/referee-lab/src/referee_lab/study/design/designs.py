"""Designs as lists of trials: each participant's items and conditions.

Items are trials, conditions are systems (or pairs of systems).

latin     repeated Latin squares as in the challenges: the squares are divided among groups of participants (Gatt, Belz
& Kow 2008) balanced  k lists over all items: item i is in condition (i + list) mod k, so each participant sees every
item once blocked   as balanced, one condition after another, the order of blocks by Williams' squares williams  as
balanced, with every trial's condition following every other equally often (Williams 1949) within    each participant
sees every item in every condition all       each participant sees every item once, without conditions (production,
norming)
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from random import Random

from referee.errors import InputError
from referee.statistics.latin_square import lay_squares, make_williams_squares
from referee_lab.study.folder.study import VERSUS, StudyList


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The parameters of a design.

    `strata` are the items' domains, kept balanced; `groups` overrides the number of groups of a Latin design.
    """

    items: tuple[str, ...]
    conditions: tuple[str, ...]
    participants: int
    seed: int = 1
    strata: tuple[Hashable, ...] = ()
    groups: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignLayout:
    """The lists of a design, in which order their trials come, and which items were shown twice as often to fill the squares."""

    kind: str
    lists: tuple[StudyList, ...]
    order: str = "random"
    duplicates: tuple[str, ...] = ()
    groups: int = 1


def lay_out(kind: str, request: Request) -> DesignLayout:
    """Return the lists of a design.

    Raises InputError, with the number to change, if they cannot be balanced.
    """
    if kind not in DESIGNS:
        raise InputError(f"there is no design {kind!r}", remedy=f"one of {', '.join(DESIGNS)}")
    if not request.items:
        raise InputError("there are no items", remedy="check --items, --domain and the run folder")
    # A ranking shows all systems in every trial: there is nothing to share out.
    if len(request.conditions) == 1 and request.conditions[0].count(VERSUS) > 1:
        kind = "all"
    if len(request.conditions) < 2 and kind not in ("all", "within"):
        raise InputError(
            f"the design {kind!r} compares at least two systems",
            remedy="add systems, or take --design all",
        )
    return DESIGNS[kind](request)


def require_equal_lists(participants: int, lists: int) -> None:
    """Raise InputError unless every list gets the same number of participants."""
    if participants % lists:
        low = participants // lists * lists
        raise InputError(
            f"{participants} participants cannot be divided evenly among {lists} lists",
            remedy=f"plan {f'{low} or {low + lists}' if low else lists} participants",
        )


def name_lists(rows: Sequence[tuple[int, Sequence[tuple[str, str]], Sequence[int]]]) -> tuple[StudyList, ...]:
    """Return rows (group, trials and sizes of blocks) as lists with ids."""
    # Padded, so that lists sort by name as they sort by number.
    width = max(2, len(str(len(rows))))
    return tuple(
        StudyList(id=f"L{n:0{width}d}", group=group, trials=tuple(trials), blocks=tuple(blocks))
        for n, (group, trials, blocks) in enumerate(rows, 1)
    )


def _lay_out_latin(request: Request) -> DesignLayout:
    """Return repeated Latin squares: groups of participants with rows of conditions."""
    k = len(request.conditions)
    strata = request.strata or (None,) * len(request.items)
    squares = lay_squares(k, strata, request.participants, Random(f"latin|{request.seed}"), request.groups)
    rows = [
        (g, [(request.items[i], request.conditions[c]) for i, c in zip(columns, row, strict=True)], ())
        for g, (columns, cells) in enumerate(zip(squares.columns, squares.cells, strict=True), 1)
        for row in cells
    ]
    duplicates = tuple(request.items[i] for i in squares.duplicates)
    return DesignLayout(kind="latin", lists=name_lists(rows), duplicates=duplicates, groups=len(squares.columns))


def _shuffle_strata(request: Request) -> list[str]:
    """Return the items in a random order in which strata alternate evenly."""
    rng = Random(f"items|{request.seed}")
    strata = dict(zip(request.items, request.strata or [None] * len(request.items), strict=True))
    # Sorting is stable: items are shuffled within each stratum, and strata follow each other, so conditions, which
    # rotate with the position, cover all of them equally.
    return sorted(rng.sample(request.items, len(request.items)), key=lambda i: str(strata[i]))


def _lay_out_balanced(request: Request) -> DesignLayout:
    """Return one list per condition, with conditions rotated over items."""
    k = len(request.conditions)
    require_equal_lists(request.participants, k)
    items = _shuffle_strata(request)
    rows = [(1, [(item, request.conditions[(i + r) % k]) for i, item in enumerate(items)], ()) for r in range(k)]
    return DesignLayout(kind="balanced", lists=name_lists(rows))


def _lay_out_blocked(request: Request) -> DesignLayout:
    """Return lists with one block per condition, in the block orders of Williams squares."""
    k = len(request.conditions)
    sequences = make_williams_squares(k)
    require_equal_lists(request.participants, len(sequences))
    items = _shuffle_strata(request)
    rows = []
    for r, sequence in enumerate(sequences):
        blocks = [[(item, request.conditions[c]) for i, item in enumerate(items) if (i + r) % k == c] for c in sequence]
        rows.append((1, [pair for block in blocks for pair in block], [len(block) for block in blocks]))
    return DesignLayout(kind="blocked", lists=name_lists(rows), order="blocks")


def _lay_out_williams(request: Request) -> DesignLayout:
    """Return lists in chunks of k items, each in the order of a row of a Williams square.

    Rows are rotated between chunks, so transitions between chunks are balanced too.
    """
    k = len(request.conditions)
    sequences = make_williams_squares(k)
    require_equal_lists(request.participants, len(sequences))
    if len(request.items) % k:
        low = len(request.items) // k * k
        raise InputError(
            f"{len(request.items)} items are no multiple of {k} systems", remedy=f"use {low or k} or {low + k} items"
        )
    items = _shuffle_strata(request)
    chunks = [items[c : c + k] for c in range(0, len(items), k)]
    rows = []
    for r, sequence in enumerate(sequences):
        turn, trials = 0, []
        for number, chunk in enumerate(chunks):
            row = [(c + turn) % k for c in sequence]
            trials += [(chunk[(c - r - number) % k], request.conditions[c]) for c in row]
            step = number % (k - 1) + 1
            turn = (turn + step + sequence[-1] - sequence[0]) % k
        rows.append((1, trials, ()))
    return DesignLayout(kind="williams", lists=name_lists(rows), order="fixed")


def _lay_out_within(request: Request) -> DesignLayout:
    trials = [(item, condition) for item in request.items for condition in request.conditions]
    return DesignLayout(kind="within", lists=name_lists([(1, trials, ())]))


def _lay_out_single(request: Request) -> DesignLayout:
    """Return one list with all items and a single condition."""
    if len(request.conditions) > 1:
        raise InputError(
            "the design 'all' has no conditions to compare", remedy="take balanced or latin, or name one system"
        )
    condition = request.conditions[0] if request.conditions else ""
    return DesignLayout(kind="all", lists=name_lists([(1, [(item, condition) for item in request.items], ())]))


DESIGNS: dict[str, Callable[[Request], DesignLayout]] = {
    "latin": _lay_out_latin,
    "balanced": _lay_out_balanced,
    "blocked": _lay_out_blocked,
    "williams": _lay_out_williams,
    "within": _lay_out_within,
    "all": _lay_out_single,
}
