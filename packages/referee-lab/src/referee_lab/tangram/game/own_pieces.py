"""Custom sets of pieces.

Polygons with names and colours in a file (TOML or JSON), checked, registered with the game, and stored with boards
and figures.

    name = "arrows"
    step = 90                                  # one turn, in degrees; 45 by default
    [[pieces]]
    name = "arrow"
    colour = "red"                             # a word, or #rrggbb with `colour_word`
    corners = [[0, 0], [80, 0], [80, 40]]      # units of the board, which is 1200 wide and 800 high

Numbers begin with 31 in the order of the file, unless a piece has a `number`; two sets that are used together need
different ones.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.errors import InputError
from referee_lab.tangram.game.piece_sets import OwnPiece, register_pieces, select_custom

if TYPE_CHECKING:
    from shapely import Polygon


FIRST = 31
STEPS = (15, 45, 90)
FEWEST, MOST, MOST_CORNERS = 2, 24, 40
# Smaller ones cannot be taken hold of, and larger ones leave no room on the board.
SMALLEST, LARGEST, WIDEST, ALL_TOGETHER = 600.0, 60_000.0, 400.0, 200_000.0
COLOURS: Mapping[str, str] = {
    "red": "#c0392b",
    "blue": "#2469b3",
    "green": "#2e8b57",
    "yellow": "#c9a400",
    "orange": "#d2691e",
    "purple": "#7d3c98",
    "pink": "#c2587f",
    "brown": "#7b5136",
    "grey": "#6b7280",
    "black": "#30343b",
    "": "#4d6a8f",
}
_NAME = re.compile(r"[^\W_][\w -]{0,29}")
_SET = re.compile(r"[a-z][a-z0-9-]{0,29}")
EXAMPLE = 'name = "arrows", and for each piece [[pieces]] with name, colour and corners = [[x, y], …]'


def find_set(written: str) -> str:
    """Return the name of a set: a shipped one, or that of a file of pieces."""
    return read_pieces(Path(written)) if written.endswith((".toml", ".json")) else written


def read_pieces(path: Path) -> str:
    """Register the pieces of a file, and return the name of their set."""
    data = load_data(path, "a file of pieces", EXAMPLE)
    if not isinstance(data, dict) or not isinstance(data.get("pieces"), list):
        raise InputError("the file has no pieces", where=path, remedy=EXAMPLE)
    try:
        pieces = _read_set(data)
    except InputError as error:
        raise InputError(error.problem, where=path, remedy=error.remedy) from None
    register_pieces(pieces)
    return pieces[0].set


def load_data(path: Path, kind: str, remedy: str) -> Any:
    """Return the content of a JSON or TOML file. Raises InputError for an unreadable one."""
    try:
        text = path.read_text(encoding="utf-8")
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=path, remedy=f"name {kind}") from None
    except ValueError as error:
        raise InputError(f"cannot be read: {error}", where=path, remedy=remedy) from None


def _read_set(data: Mapping[str, Any]) -> list[OwnPiece]:
    """Return the pieces of a set. Raises InputError for an invalid name, step or piece."""
    from shapely import Polygon

    name, step, rows = data.get("name"), data.get("step", 45), data["pieces"]
    if not isinstance(name, str) or not _SET.fullmatch(name) or name in ("tangram", "pentomino"):
        raise InputError(
            f"{name!r} is not a name for a set",
            remedy="small letters, digits and hyphens; tangram and pentomino are taken",
        )
    if step not in STEPS:
        raise InputError(f"one turn of {step!r:.20} degrees", remedy=f"step is {' or '.join(map(str, STEPS))}")
    if not FEWEST <= len(rows) <= MOST:
        raise InputError(f"a set has {FEWEST} to {MOST} pieces, not {len(rows)}", remedy=EXAMPLE)
    pieces = [_read_piece(row, name, step, place) for place, row in enumerate(rows)]
    _refuse_twins(pieces)
    whole = sum(float(Polygon(piece.corners).area) for piece in pieces)
    if whole > ALL_TOGETHER:
        raise InputError(f"together they cover {whole:g}, and a board needs room", remedy=f"{ALL_TOGETHER:g} at most")
    return pieces


def _read_piece(row: Any, set_name: str, step: int, place: int) -> OwnPiece:
    """Return one piece of a set. Raises InputError for an invalid field."""
    if not isinstance(row, dict):
        raise InputError(f"piece {place + 1} does not have the form of a piece", remedy=EXAMPLE)
    name, number = row.get("name"), row.get("number", FIRST + place)
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise InputError(
            f"piece {place + 1} has no name that can be said: {name!r:.40}",
            remedy="letters, digits and blanks, 30 at most",
        )
    if type(number) is not int or not FIRST <= number <= 999:
        raise InputError(f"{name}: {number!r:.20} is not a number for an own piece", remedy=f"{FIRST} to 999")
    colour, word = _read_colour(row, name)
    corners = _read_corners(row.get("corners"), name)
    shape = _make_polygon(corners, name)
    middle = shape.centroid
    about = tuple((round(x - middle.x, 2), round(y - middle.y, 2)) for x, y in corners)
    return OwnPiece(str(number), set_name, name, colour, word, about, step, _is_two_sided(about, step))


def _read_colour(row: Mapping[str, Any], name: str) -> tuple[str, str]:
    """Return a piece's colour as #rrggbb and as a word. Raises InputError for an unknown one."""
    colour = row.get("colour", "")
    if isinstance(colour, str) and colour in COLOURS:
        return COLOURS[colour], colour
    if isinstance(colour, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", colour):
        word = row.get("colour_word", "")
        if isinstance(word, str) and (not word or _NAME.fullmatch(word)):
            return colour.lower(), word
    colour_names = ", ".join(word for word in COLOURS if word)
    raise InputError(
        f"{name}: {colour!r:.30} is not a colour", remedy=f"one of {colour_names}, or #rrggbb with colour_word"
    )


def _read_corners(points: Any, name: str) -> list[tuple[float, float]]:
    """Return a polygon's corners as numbers. Raises InputError for an invalid list."""
    fits = isinstance(points, list) and 3 <= len(points) <= MOST_CORNERS
    if not fits or any(not isinstance(p, list) or len(p) != 2 or {type(n) for n in p} - {int, float} for p in points):
        raise InputError(
            f"{name}: corners are 3 to {MOST_CORNERS} pairs of numbers", remedy="corners = [[0, 0], [80, 0], [80, 40]]"
        )
    return [(float(x), float(y)) for x, y in points]


def _make_polygon(corners: list[tuple[float, float]], name: str) -> Polygon:
    """Return the corners as a polygon. Raises InputError if it is not simple or of a wrong size."""
    from shapely import Polygon
    from shapely.validation import explain_validity

    shape = Polygon(corners)
    if not shape.is_valid or not shape.is_simple:
        reason = explain_validity(shape).replace("[", " at ").replace("]", "")
        raise InputError(
            f"{name}: the outline crosses or touches itself ({reason})", remedy="name the corners in order, once around"
        )
    if not SMALLEST <= shape.area <= LARGEST:
        raise InputError(
            f"{name}: an area of {shape.area:g}",
            remedy=f"between {SMALLEST:g} and {LARGEST:g}; the Tangram's square has an area of 10000",
        )
    left, top, right, bottom = shape.bounds
    if max(right - left, bottom - top) > WIDEST:
        raise InputError(f"{name}: {max(right - left, bottom - top):g} from end to end", remedy=f"{WIDEST:g} at most")
    return shape


def _is_two_sided(corners: tuple[tuple[float, float], ...], step: int) -> bool:
    """Return whether a flipped piece differs from every rotation of it."""
    from shapely import Polygon
    from shapely.affinity import rotate, scale

    shape = Polygon(corners)
    over = scale(shape, -1, 1, origin=(0, 0))
    turned = (rotate(over, angle, origin=(0, 0)) for angle in range(0, 360, step))
    return all(shape.symmetric_difference(other).area > 0.01 * shape.area for other in turned)


def _refuse_twins(pieces: list[OwnPiece]) -> None:
    """Raise InputError for two pieces with one number, or with one name and different shapes."""
    numbers = Counter(piece.number for piece in pieces)
    looks = Counter((piece.name, piece.colour_word, piece.corners) for piece in pieces)
    names = Counter((piece.name, piece.colour_word) for piece in pieces)
    for piece in pieces:
        if numbers[piece.number] > 1:
            raise InputError(f"two pieces have the number {piece.number}", remedy="give each its own")
        key = (piece.name, piece.colour_word)
        # Two pieces of equal shape may share a name, as the Tangram's triangles do; pieces of different shapes may not.
        if names[key] > 1 and looks[(*key, piece.corners)] != names[key]:
            raise InputError(
                f"two different pieces are called {' '.join(reversed(key)).strip()!r}",
                remedy="give them other names or colours",
            )


# -- carried along -------------------------------------------------------------------------------------------------------------


def pieces_to_data(pieces: Iterable[str]) -> dict[str, Any]:
    """Return the custom pieces among some pieces as JSON values, for `register_from_data`."""
    rows = map(asdict, select_custom(pieces))
    return {row.pop("number"): {**row, "corners": [list(corner) for corner in row["corners"]]} for row in rows}


def register_from_data(data: Any) -> None:
    """Register the custom pieces that a board or a figure contains."""
    try:
        pieces = []
        for piece, row in dict(data).items():
            number, corners = str(piece), tuple((float(x), float(y)) for x, y in row["corners"])
            if (
                not number.isdigit()
                or int(number) < FIRST
                or len(corners) < 3
                or row["set"] in ("tangram", "pentomino")
            ):
                raise ValueError(number)
            set_name, name, colour, word = (str(row[key]) for key in ("set", "name", "colour", "colour_word"))
            pieces.append(
                OwnPiece(number, set_name, name, colour, word, corners, int(row["step"]), bool(row["two_sided"]))
            )
    except (KeyError, TypeError, ValueError):
        raise InputError(
            "the pieces that came with it are not written as pieces are", remedy="export it anew"
        ) from None
    register_pieces(pieces)
