"""The pieces that can lie on a board: the seven of the Tangram and the twelve pentominoes, each under a number that no other piece has.

A board, a goal and a recording name their pieces by number, so that the number alone says what a piece looks like. Corners are about the centroid, in units of
the board (x to the right, y downwards), in whole numbers where the shape allows it: the browser has the same table.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType

from referee.errors import UnknownName

__all__ = [
    "ALL_PIECES",
    "MIRRORED",
    "PENTOMINOES",
    "PIECES",
    "PIECE_SETS",
    "SHAPES",
    "UNIT",
    "find_pieces",
    "pieces_of",
    "set_of",
]

UNIT = 100.0
Point = tuple[float, float]


def _triangle(leg: float) -> tuple[Point, ...]:
    """A right isosceles triangle about its centroid with the right angle on top, so that a flip leaves it as it is."""
    height = leg / math.sqrt(2)
    return ((0.0, -2 * height / 3), (height, height / 3), (-height, height / 3))


# Five squares of 40 units each, under the letters that they have gone by since Golomb (1965).
_FIVE_SQUARES: Mapping[str, tuple[tuple[int, int], ...]] = {
    "F": ((-20, -52), (-20, -12), (-60, -12), (-60, 28), (-20, 28), (-20, 68), (20, 68), (20, -12), (60, -12), (60, -52)),
    "I": ((-20, -100), (-20, 100), (20, 100), (20, -100)),
    "L": ((-28, -92), (-28, 68), (52, 68), (52, 28), (12, 28), (12, -92)),
    "N": ((-4, -84), (-4, -4), (-44, -4), (-44, 76), (-4, 76), (-4, 36), (36, 36), (36, -84)),
    "P": ((-36, -52), (-36, 68), (4, 68), (4, 28), (44, 28), (44, -52)),
    "T": ((-60, -44), (-60, -4), (-20, -4), (-20, 76), (20, 76), (20, -4), (60, -4), (60, -44)),
    "U": ((-60, -44), (-60, 36), (60, 36), (60, -44), (20, -44), (20, -4), (-20, -4), (-20, -44)),
    "V": ((-44, -76), (-44, 44), (76, 44), (76, 4), (-4, 4), (-4, -76)),
    "W": ((-52, -68), (-52, 12), (-12, 12), (-12, 52), (68, 52), (68, 12), (28, 12), (28, -28), (-12, -28), (-12, -68)),
    "X": ((-20, -60), (-20, -20), (-60, -20), (-60, 20), (-20, 20), (-20, 60), (20, 60), (20, 20), (60, 20), (60, -20), (20, -20), (20, -60)),
    "Y": ((-12, -76), (-12, -36), (-52, -36), (-52, 4), (-12, 4), (-12, 84), (28, 84), (28, -76)),
    "Z": ((-60, -60), (-60, -20), (-20, -20), (-20, 60), (60, 60), (60, 20), (20, 20), (20, -60)),
}  # fmt: skip
SHAPES: Mapping[str, tuple[Point, ...]] = MappingProxyType(
    {
        "large triangle": _triangle(2 * UNIT),
        "medium triangle": _triangle(math.sqrt(2) * UNIT),
        "small triangle": _triangle(UNIT),
        "square": ((-UNIT / 2, -UNIT / 2), (UNIT / 2, -UNIT / 2), (UNIT / 2, UNIT / 2), (-UNIT / 2, UNIT / 2)),
        "parallelogram": ((-UNIT, -UNIT / 2), (0.0, -UNIT / 2), (UNIT, UNIT / 2), (0.0, UNIT / 2)),
        **_FIVE_SQUARES,
    }
)
PIECES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "1": {"shape": "triangle", "size": "large"},
        "2": {"shape": "triangle", "size": "large"},
        "3": {"shape": "triangle", "size": "medium"},
        "4": {"shape": "triangle", "size": "small"},
        "5": {"shape": "triangle", "size": "small"},
        "6": {"shape": "square", "size": "small"},
        "7": {"shape": "parallelogram", "size": "medium"},
    }
)
PENTOMINOES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {str(number): {"shape": letter, "size": "five-square"} for number, letter in enumerate(_FIVE_SQUARES, 11)}
)
PIECE_SETS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {"tangram": PIECES, "pentomino": PENTOMINOES}
)
ALL_PIECES: Mapping[str, Mapping[str, str]] = MappingProxyType({**PIECES, **PENTOMINOES})
# Pieces that look different when they are turned over.
MIRRORED = frozenset(piece for piece, kind in ALL_PIECES.items() if kind["shape"] in {"parallelogram", *"FLNPYZ"})


def find_pieces(name: str) -> Mapping[str, Mapping[str, str]]:
    """A set of pieces by its name."""
    if name not in PIECE_SETS:
        raise UnknownName("set of pieces", name, PIECE_SETS, hint=f"the sets are {', '.join(PIECE_SETS)}")
    return PIECE_SETS[name]


def set_of(pieces: Collection[str]) -> str | None:
    """The set that some pieces are of, all of them or a part; None where they are of none, or there are none."""
    return next((name for name, own in PIECE_SETS.items() if pieces and own.keys() >= set(pieces)), None)


def pieces_of(numbers: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """What is known of some pieces, in order of their numbers."""
    return {piece: ALL_PIECES[piece] for piece in sorted(numbers, key=int)}
