"""The pieces of a board.

The seven of the Tangram, the twelve pentominoes and registered custom pieces (`register_pieces`), each under a unique
number.

A board, a goal and a recording name their pieces by number, which determines the shape. Corners are relative to the
centroid, in units of the board (x to the right, y downwards), in whole numbers where the shape allows it: the browser
has the same table. Custom pieces (`own_pieces`) are stored with every board and goal that has them.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from referee.errors import InputError, UnknownName

UNIT = 100.0
Point = tuple[float, float]


def _make_triangle(leg: float) -> tuple[Point, ...]:
    """Return a right isosceles triangle around its centroid, right angle on top."""
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
        "large triangle": _make_triangle(2 * UNIT),
        "medium triangle": _make_triangle(math.sqrt(2) * UNIT),
        "small triangle": _make_triangle(UNIT),
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
_SETS: dict[str, Mapping[str, Mapping[str, str]]] = {"tangram": PIECES, "pentomino": PENTOMINOES}
_KNOWN: dict[str, Mapping[str, str]] = {**PIECES, **PENTOMINOES}
_OWN: dict[str, OwnPiece] = {}
# Both grow when own pieces are made known.
PIECE_SETS: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType(_SETS)
ALL_PIECES: Mapping[str, Mapping[str, str]] = MappingProxyType(_KNOWN)
# Pieces that look different when they are turned over.
_TWO_SIDED = frozenset(piece for piece, kind in ALL_PIECES.items() if kind["shape"] in {"parallelogram", *"FLNPYZ"})
_TITLES = {"tangram": "Tangram", "pentomino": "pentominoes"}
_STEPS = {"tangram": 45, "pentomino": 90}


def find_pieces(name: str) -> Mapping[str, Mapping[str, str]]:
    """Return a set of pieces by its name."""
    if name not in PIECE_SETS:
        hint = f"the sets are {', '.join(PIECE_SETS)}, or a file of own pieces (.toml or .json)"
        raise UnknownName("set of pieces", name, PIECE_SETS, hint=hint)
    return PIECE_SETS[name]


def find_set_of(pieces: Collection[str]) -> str | None:
    """Return the name of the set to which all of some pieces belong; None without one.

    None where they are of none, or there are none.
    """
    return next((name for name, members in PIECE_SETS.items() if pieces and members.keys() >= set(pieces)), None)


def name_of_set(pieces: Collection[str]) -> str:
    """Return the name of a board's pieces: *Tangram*, *pentominoes*, or the name of a custom set."""
    name = find_set_of(pieces) or ""
    return _TITLES.get(name, name)


def get_rotation_step(pieces: Collection[str]) -> int:
    """Return the rotation step of a set in degrees: 90 for pentominoes."""
    steps = [_OWN[piece].step for piece in pieces if piece in _OWN]
    return steps[0] if steps else _STEPS.get(find_set_of(pieces) or "", 45)


def get_descriptions(numbers: Iterable[str]) -> Mapping[str, Mapping[str, str]]:
    """Return the descriptions of pieces in order of their numbers."""
    return {piece: ALL_PIECES[piece] for piece in sorted(numbers, key=int)}


def get_shape(piece: str) -> tuple[Point, ...]:
    """Return the corners of a piece around its centroid."""
    if piece in _OWN:
        return _OWN[piece].corners
    kind = ALL_PIECES[piece]
    return SHAPES[kind["shape"] if kind["shape"] != "triangle" else f"{kind['size']} triangle"]


def has_two_sides(piece: str) -> bool:
    """Return whether a flipped piece looks different."""
    return _OWN[piece].two_sided if piece in _OWN else piece in _TWO_SIDED


def get_piece_name(piece: str) -> str:
    """Return the plain name of a piece: *large triangle*, *L piece*, or a custom name.

    Pieces with the same name have their colour before it.
    """
    if piece in _OWN:
        own = _OWN[piece]
        twins = [other for other in _OWN.values() if other.set == own.set and other.name == own.name]
        return f"{own.colour_word} {own.name}".strip() if len(twins) > 1 else own.name
    kind = ALL_PIECES[piece]
    if piece in PENTOMINOES:
        return f"{kind['shape']} piece"
    return f"{kind['size']} triangle" if kind["shape"] == "triangle" else kind["shape"]


# -- own pieces ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OwnPiece:
    """A custom piece: number, set, name, colour (#rrggbb, with a word for it), and corners about its centroid.

    `step` is the rotation step in degrees, `two_sided` whether it looks different when flipped.
    """

    number: str
    set: str
    name: str
    colour: str
    colour_word: str
    corners: tuple[Point, ...]
    step: int = 45
    two_sided: bool = False


def register_pieces(pieces: Iterable[OwnPiece]) -> None:
    """Register custom pieces. Raises an error for a different piece with a registered number."""
    for piece in pieces:
        previous = _OWN.get(piece.number)
        if piece.number in _KNOWN and previous != piece:
            raise InputError(
                f"piece {piece.number} of the set {piece.set!r} differs between the recordings",
                remedy="give one of the two another number in its file (number = 41), or look at them apart",
            )
        _OWN[piece.number] = piece
        _KNOWN[piece.number] = MappingProxyType({"shape": piece.name, "size": "", "colour": piece.colour_word})
        members = {n: _KNOWN[n] for n, other in _OWN.items() if other.set == piece.set}
        _SETS[piece.set] = MappingProxyType(members)


def select_custom(pieces: Iterable[str]) -> list[OwnPiece]:
    """Return the custom pieces among some pieces."""
    return [_OWN[piece] for piece in pieces if piece in _OWN]
