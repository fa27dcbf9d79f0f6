"""The board: pieces with exact geometry, their moves, and the test whether they cover an outline (Spanger et al. 2013).

The pieces are those of one set of `piece_sets`: the seven of the Tangram, pentominoes, or custom ones.

Contract for clients in other languages (the browser implements it too):

* Lengths are units; the short side of a small triangle and the side of the square are 100. x grows to the right, y *downwards*.
* A placement is `{x, y, rotation, flipped}`: `x, y` the centroid, `rotation` clockwise degrees in [0, 360), a multiple of the board's step.
  A corner (a, b) of `get_shape` lands at (x + a' cos r − b sin r, y + a' sin r + b cos r), with a' = −a for a flipped piece and a otherwise.
* Every x and y is rounded to hundredths: floor(100 v + ½) / 100, in JavaScript `Math.round(v * 100) / 100`.
* A change is `{kind, piece, x?, y?, rotation?, flipped?}`; absent fields do not change. All fields are absolute, so a repeated change changes nothing.
  `Board.apply` keeps the centroid on the work area, rounds the rotation to the step, and brings the piece to the top.
* The hash is SHA-256 of `canonical()`: `id:X,Y,rotation,flip` joined by `;` in order of id, then `|` and the ids from bottom to top joined by `,`; X and Y
  are whole hundredths, flip is 0 or 1.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.errors import InputError
from referee_lab.tangram.game.own_pieces import pieces_to_data, register_from_data
from referee_lab.tangram.game.piece_sets import ALL_PIECES, PIECES, UNIT, find_set_of, get_shape

if TYPE_CHECKING:
    from shapely import Polygon


WORK_AREA = (1200.0, 800.0)
CHANGES = ("grab", "move", "rotate", "flip", "release")
Point = tuple[float, float]


class Placement(NamedTuple):
    """The position of a piece: its centroid, its clockwise rotation in degrees, and whether it is flipped."""

    x: float
    y: float
    rotation: int = 0
    flipped: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A change of one piece; all values are absolute, and None leaves a value unchanged."""

    kind: str
    piece: str
    x: float | None = None
    y: float | None = None
    rotation: float | None = None
    flipped: bool | None = None

    @classmethod
    def from_data(cls, kind: Any, data: Mapping[str, Any]) -> Change:
        """Return a change from a client's message. Raises an error for anything unexpected."""
        piece, flipped = str(data.get("piece")), data.get("flipped")
        x, y, rotation = data.get("x"), data.get("y"), data.get("rotation")
        if kind not in CHANGES or piece not in ALL_PIECES:
            raise InputError(
                f"no such change: {kind!r} of piece {piece!r}",
                remedy=f"use {', '.join(CHANGES)} and the number of a piece",
            )
        if not (_is_finite(x) and _is_finite(y) and _is_finite(rotation)) or not isinstance(flipped, bool | None):
            raise InputError(f"{kind} of piece {piece} has no usable numbers", remedy="give finite x, y and rotation")
        return cls(kind, piece, x, y, rotation, flipped)


@dataclass(frozen=True, slots=True)
class Board:
    """All pieces with their placements, from bottom to top in `order`; a change gives a new board."""

    placements: Mapping[str, Placement]
    order: tuple[str, ...]
    step: int = 45
    area: tuple[float, float] = WORK_AREA

    def apply(self, change: Change) -> Board:
        """Return the board after a change, limited to the work area and the rotation step."""
        old = self.placements.get(change.piece)
        if old is None:
            raise InputError(f"there is no piece {change.piece} on this board", remedy="name a piece that lies there")
        width, height = self.area
        x = round_to_hundredths(min(max(old.x if change.x is None else change.x, 0.0), width))
        y = round_to_hundredths(min(max(old.y if change.y is None else change.y, 0.0), height))
        # As the browser's Math.round: halves go up, where Python's round goes to the even neighbour.
        turned = old.rotation if change.rotation is None else self.step * math.floor(change.rotation / self.step + 0.5)
        flipped = old.flipped if change.flipped is None else change.flipped
        return self.put(change.piece, Placement(x, y, int(turned) % 360, flipped))

    def put(self, piece: str, placement: Placement) -> Board:
        """Return the board with a piece at an exact placement on top, without corrections (for replays)."""
        order = self.order if self.order[-1] == piece else (*(p for p in self.order if p != piece), piece)
        return Board(MappingProxyType({**self.placements, piece: placement}), order, self.step, self.area)

    def corners(self, piece: str) -> tuple[Point, ...]:
        return compute_corners(piece, self.placements[piece])

    def polygon(self, piece: str) -> Polygon:
        """Return a piece as a polygon on the board."""
        from shapely import Polygon

        return Polygon(self.corners(piece))

    def polygons(self) -> dict[str, Polygon]:
        return {piece: self.polygon(piece) for piece in self.placements}

    def find_piece_at(self, x: float, y: float) -> str | None:
        """Return the top-most piece under a point, its edge included."""
        for piece in reversed(self.order):
            placed = self.placements[piece]
            # No corner lies further from its centroid, those of own pieces included: a cheap test first.
            is_near = (placed.x - x) ** 2 + (placed.y - y) ** 2 <= (4 * UNIT) ** 2
            if is_near and _is_inside(self.corners(piece), x, y):
                return piece
        return None

    def snap(self, piece: str, reach: float = 12.0) -> Board:
        """Return the board with a piece moved to the nearest corner or side of another one within `reach`."""
        anchors = _list_anchors(self.corners(piece))
        others = [a for p in self.placements if p != piece for a in _list_anchors(self.corners(p))]
        pulls = ((bx - ax, by - ay) for ax, ay in anchors for bx, by in others)
        dx, dy = min(pulls, key=lambda pull: math.hypot(*pull))
        if math.hypot(dx, dy) > reach:
            return self
        old = self.placements[piece]
        return self.apply(Change("move", piece, old.x + dx, old.y + dy))

    def is_covered(self, outline: Polygon, tolerance: float = 0.05) -> bool:
        """Return whether the pieces cover the outline, anywhere on the board: see `compute_cover_error`."""
        return max(compute_cover_error(self, outline)) <= tolerance

    def format_canonically(self) -> str:
        """Return the state as one line of whole numbers, the same text in every language and machine."""
        rows = (
            f"{piece}:{_round_half_up(p.x)},{_round_half_up(p.y)},{p.rotation},{int(p.flipped)}"
            for piece, p in sorted(self.placements.items())
        )
        return f"{';'.join(rows)}|{','.join(self.order)}"

    def hash(self) -> str:
        return hashlib.sha256(self.format_canonically().encode("ascii")).hexdigest()

    def to_data(self) -> dict[str, Any]:
        """Return the whole state as plain data; `from_data` gives it back."""
        pieces = {piece: p._asdict() for piece, p in sorted(self.placements.items())}
        custom_pieces = pieces_to_data(pieces)
        whole = {"pieces": pieces, "order": list(self.order), "step": self.step, "area": list(self.area)}
        return {**whole, "own": custom_pieces} if custom_pieces else whole

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Board:
        """Return a board from its JSON object. Raises InputError for an invalid one."""
        try:
            placements = {str(piece): read_placement(p) for piece, p in data["pieces"].items()}
            order, step = tuple(map(str, data["order"])), int(data["step"])
            width, height = map(float, data["area"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(f"not a state of the board: {error!r}", remedy="give pieces, order, step, area") from None
        register_from_data(data.get("own", {}))
        kind = find_set_of(placements)
        half = kind == "tangram" and len(placements) < len(PIECES)
        if kind is None or half or sorted(order) != sorted(placements):
            problem = "a state of the board needs all seven pieces of the Tangram, or some of another set, each once"
            raise InputError(problem, remedy="give pieces 1-7, some of 11-22, or own ones with what they look like")
        return cls(MappingProxyType(placements), order, step, (width, height))


def read_placement(data: Mapping[str, Any]) -> Placement:
    """Return a placement from its JSON object."""
    return Placement(float(data["x"]), float(data["y"]), int(data["rotation"]), bool(data["flipped"]))


def compute_corners(piece: str, placed: Placement) -> tuple[Point, ...]:
    """Return the corners of a piece on the board."""
    angle, sign = math.radians(placed.rotation), -1.0 if placed.flipped else 1.0
    cos, sin = math.cos(angle), math.sin(angle)
    return tuple(
        (placed.x + sign * a * cos - b * sin, placed.y + sign * a * sin + b * cos) for a, b in get_shape(piece)
    )


def _is_inside(points: tuple[Point, ...], x: float, y: float) -> bool:
    """Return whether a point lies in a polygon, edges included."""
    within = False
    for (ax, ay), (bx, by) in zip(points, (*points[1:], points[0]), strict=True):
        turn = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
        if turn == 0 and min(ax, bx) <= x <= max(ax, bx) and min(ay, by) <= y <= max(ay, by):
            return True
        # A line to the right crosses this side: from above or from below, each crossing changes sides.
        if (ay > y) != (by > y) and (turn < 0) == (by < ay):
            within = not within
    return within


def compute_cover_error(board: Board, outline: Polygon) -> tuple[float, float]:
    """Return the areas by which pieces differ from an outline: not covered or outside, and overlapping.

    Both are proportions of the outline's area. The figure's centroid is moved to that of the outline.
    """
    from shapely import unary_union
    from shapely.affinity import translate

    polygons = list(board.polygons().values())
    union = unary_union(polygons)
    doubled = sum(p.area for p in polygons) - union.area
    moved = translate(union, outline.centroid.x - union.centroid.x, outline.centroid.y - union.centroid.y)
    return moved.symmetric_difference(outline).area / outline.area, doubled / outline.area


def round_to_hundredths(value: float) -> float:
    """Return a length rounded as by JavaScript's Math.round: halves go up."""
    return math.floor(value * 100 + 0.5) / 100


def _round_half_up(value: float) -> int:
    return math.floor(value * 100 + 0.5)


def _is_finite(value: object) -> bool:
    # A bool is an int to Python, but true is no length.
    return value is None or (isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value))


def _list_anchors(points: Iterable[Point]) -> list[Point]:
    """Return the corners of a polygon and the middles of its sides."""
    around = list(points)
    after = [*around[1:], around[0]]
    return [*around, *(((ax + bx) / 2, (ay + by) / 2) for (ax, ay), (bx, by) in zip(around, after, strict=True))]
