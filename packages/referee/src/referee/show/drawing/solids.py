"""Boxes and cylinders in space, projected from slightly above: the parts of the furniture.

An object faces +z; x runs to the viewer's right and y upwards. Parts may touch but not overlap: a plane between any two
decides which is nearer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import pairwise, product
from math import cos, pi, sin

from referee.show.drawing.colours import mix
from referee.show.drawing.ink import Point, group, number, polygon

Corner = tuple[float, float, float]
Face = tuple[tuple[Corner, ...], Corner]  # its corners and the direction it looks
TURNS = {"front": 0, "right": 1, "back": 2, "left": 3}  # quarter turns, anticlockwise seen from above
PITCH = 24 * pi / 180
DISTANCE = 420.0
ROUND = 32
FIT = 0.89


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A flat patch on a part, drawn where its outer side is visible."""

    corners: tuple[Corner, ...]
    outward: Corner
    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block between two corners."""

    low: Corner
    high: Corner
    colour: str
    spots: tuple[Spot, ...] = ()

    def faces(self) -> list[Face]:
        """Return the faces with their normals, without the lower one, which is never visible."""
        (x0, y0, z0), (x1, y1, z1) = self.low, self.high
        # The lower face is left out: the eye is always above it.
        return [
            (((x0, y0, z1), (x1, y0, z1), (x1, y1, z1), (x0, y1, z1)), (0, 0, 1)),
            (((x0, y0, z0), (x1, y0, z0), (x1, y1, z0), (x0, y1, z0)), (0, 0, -1)),
            (((x0, y1, z0), (x1, y1, z0), (x1, y1, z1), (x0, y1, z1)), (0, 1, 0)),
            (((x0, y0, z0), (x0, y0, z1), (x0, y1, z1), (x0, y1, z0)), (-1, 0, 0)),
            (((x1, y0, z0), (x1, y0, z1), (x1, y1, z1), (x1, y1, z0)), (1, 0, 0)),
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Drum:
    """A cylinder: upright, or lying with its ends to the front and the back (`lying`)."""

    centre: Corner
    radius: float
    length: float
    colour: str
    lying: bool = False
    spots: tuple[Spot, ...] = ()

    @property
    def low(self) -> Corner:
        return self._get_corner(-1)

    @property
    def high(self) -> Corner:
        return self._get_corner(1)

    def _get_corner(self, sign: int) -> Corner:
        """Return a corner of the bounding box."""
        x, y, z = self.centre
        r, half = sign * self.radius, sign * self.length / 2
        return (x + r, y + r, z + half) if self.lying else (x + r, y + half, z + r)

    def _locate_point(self, angle: float, along: float) -> Corner:
        """Return a point on the surface at an angle."""
        x, y, z = self.centre
        a, b = self.radius * cos(angle), self.radius * sin(angle)
        return (x + a, y + b, z + along) if self.lying else (x + a, y + along, z + b)

    def faces(self) -> list[Face]:
        """Return the strips of the side and the two ends, with their normals."""
        half = self.length / 2
        angles = [2 * pi * i / ROUND for i in range(ROUND + 1)]
        faces: list[Face] = []
        for a, b in pairwise(angles):
            out = (cos((a + b) / 2), sin((a + b) / 2))
            side = (
                self._locate_point(a, -half),
                self._locate_point(b, -half),
                self._locate_point(b, half),
                self._locate_point(a, half),
            )
            faces.append((side, (out[0], out[1], 0.0) if self.lying else (out[0], 0.0, out[1])))
        for sign in (-1, 1):
            end = tuple(self._locate_point(a, sign * half) for a in angles[:-1])
            faces.append((end, (0.0, 0.0, sign) if self.lying else (0.0, sign, 0.0)))
        return faces


Part = Block | Drum


def render(parts: Sequence[Part], facing: str, ink: str) -> str:
    """Return the parts as seen from one of four sides, centred in a box of 100 by 100."""
    turns = TURNS[facing]
    boxes = [_compute_bounds(part, turns) for part in parts]
    behind = {
        i: [j for j, b in enumerate(boxes) if j != i and _can_overlap(a, b) and _is_drawn_after(a, b)]
        for i, a in enumerate(boxes)
    }
    outlines = [_compute_outline(b) for b in boxes]
    left, top, right, bottom = (
        pick(edge) for pick, edge in zip((min, min, max, max), zip(*outlines, strict=True), strict=True)
    )
    # The painter's algorithm: hidden parts are drawn before the parts that hide them.
    marks = "".join(_draw_part(parts[i], turns, ink) for i in TopologicalSorter(behind).static_order())
    x, y = (number(50 - FIT * (low + high) / 2) for low, high in ((left, right), (top, bottom)))
    look = {"stroke": ink, "stroke_width": 1.1, "stroke_linejoin": "round"}
    return group(marks, transform=f"translate({x} {y}) scale({FIT})", **look)


def _turn_corner(corner: Corner, turns: int) -> Corner:
    """Return a corner after quarter turns."""
    x, y, z = corner
    for _ in range(turns):
        x, z = z, -x
    return x, y, z


def _compute_bounds(part: Part, turns: int) -> tuple[Corner, Corner]:
    a, b = _turn_corner(part.low, turns), _turn_corner(part.high, turns)
    return (min(a[0], b[0]), a[1], min(a[2], b[2])), (max(a[0], b[0]), b[1], max(a[2], b[2]))


def _can_overlap(a: tuple[Corner, Corner], b: tuple[Corner, Corner]) -> bool:
    """Return whether the projections of two blocks can overlap.

    If not, their drawing order does not matter.
    """
    (ax0, ay0, ax1, ay1), (bx0, by0, bx1, by1) = _compute_outline(a), _compute_outline(b)
    return ax0 < bx1 and bx0 < ax1 and ay0 < by1 and by0 < ay1


def _compute_outline(bounds: tuple[Corner, Corner]) -> tuple[float, float, float, float]:
    """Return the bounding box of the projection."""
    corners = product(*zip(*bounds, strict=True))
    xs, ys = zip(*(_project_point((x, y, z)) for x, y, z in corners), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _is_drawn_after(a: tuple[Corner, Corner], b: tuple[Corner, Corner]) -> bool:
    """Return whether a must be drawn after b, by the first plane that separates them."""
    (ax0, ay0, az0), (ax1, ay1, az1) = a
    (bx0, by0, bz0), (bx1, by1, bz1) = b
    if az0 >= bz1 or bz0 >= az1:
        return az0 >= bz1
    if ay0 >= by1 or by0 >= ay1:
        return ay0 >= by1
    # Of two side by side the one nearer to the middle hides the other, for the eye is in front of the middle.
    return bx1 <= ax0 <= 0 or bx0 >= ax1 > 0


def _draw_part(part: Part, turns: int, ink: str) -> str:
    """Return the visible faces and spots of a part as SVG."""
    seen = sorted((_measure_depth(f[0], turns), f) for f in part.faces() if _is_visible(f[0][0], f[1], turns))
    spots = [s for s in part.spots if _is_visible(s.corners[0], s.outward, turns)]
    marks = [_draw_silhouette(part, turns, ink)] if isinstance(part, Drum) else []
    for _, (corners, out) in seen:
        colour = _compute_shade(part.colour, _turn_corner(out, turns))
        # a drum's side is many narrow strips: a line round each would darken it
        strip = isinstance(part, Drum) and len(corners) == 4
        marks.append(_make_face(corners, colour, turns, **{"stroke": colour, "stroke_width": 0.4} if strip else {}))
    return "".join(marks) + "".join(_make_face(s.corners, s.colour, turns, stroke="none") for s in spots)


def _draw_silhouette(drum: Drum, turns: int, ink: str) -> str:
    """Return a cylinder's outline as one line: the hull of its two ends."""
    points = sorted({_project_point(_turn_corner(c, turns)) for corners, _ in drum.faces()[-2:] for c in corners})
    return polygon(_compute_half_hull(points) + _compute_half_hull(points[::-1]), ink, stroke_width=1.6)


def _compute_half_hull(points: Sequence[Point]) -> list[Point]:
    """Return one side of the convex hull of sorted points, without its last point (Andrew's monotone chain)."""
    chain: list[Point] = []
    for p in points:
        while len(chain) > 1 and _compute_signed_area(chain[-2], chain[-1], p) <= 0:
            chain.pop()
        chain.append(p)
    return chain[:-1]


def _compute_signed_area(a: Point, b: Point, c: Point) -> float:
    """Return twice the signed area of a triangle; the sign tells whether its corners run clockwise."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _measure_depth(corners: Sequence[Corner], turns: int) -> float:
    return sum(_turn_corner(c, turns)[2] for c in corners) / len(corners)


def _is_visible(corner: Corner, outward: Corner, turns: int) -> bool:
    """Return whether a face is visible; not if seen edge-on."""
    eye = (0.0, 40 + DISTANCE * sin(PITCH), DISTANCE * cos(PITCH))
    at, out = _turn_corner(corner, turns), _turn_corner(outward, turns)
    # A face that is seen edge-on is not drawn.
    return sum((e - c) * o for e, c, o in zip(eye, at, out, strict=True)) > 1e-9


def _compute_shade(colour: str, outward: Corner) -> str:
    """Return the shade of a face; light falls from above and slightly from the left front."""
    light = 0.62 * outward[1] + 0.12 * outward[2] - 0.28 * outward[0]
    return mix(colour, "#ffffff", 0.55 * light) if light > 0 else mix(colour, "#000000", -0.9 * light)


def _make_face(corners: Sequence[Corner], colour: str, turns: int, **more: object) -> str:
    return polygon([_project_point(_turn_corner(c, turns)) for c in corners], colour, **more)


def _project_point(corner: Corner) -> Point:
    """Return the projection of a point."""
    # The eye looks at a point 40 above the floor, about half the height of the things.
    x, y, z = corner[0], corner[1] - 40, corner[2]
    up, near = y * cos(PITCH) - z * sin(PITCH), y * sin(PITCH) + z * cos(PITCH)
    size = DISTANCE / (DISTANCE - near)
    return 50 + x * size, 50 - up * size
