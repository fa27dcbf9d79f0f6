"""The clickable areas of pictures: the outline of each drawing, minus the outlines in front of it.

Objects of a scene may be so close that their cells overlap. A press then belongs to the object that is visible at that
point. `crowded` returns objects that are covered too far to be pressed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import atan2, cos, hypot, pi, radians, sin, sqrt
from typing import TYPE_CHECKING, Any

from referee.errors import naming_extra
from referee.records import Scene, SceneNotes
from referee.show.drawing import Layout
from referee.show.drawing.painted import BOX
from referee_lab.study.folder.study_pictures import draw_entities

if TYPE_CHECKING:
    from shapely.geometry.base import BaseGeometry

# The margin around a drawing, in hundredths of a cell: fingers are inexact.
MARGIN = 3.0
# How far an outline is widened where nothing else is drawn, in hundredths of a cell.
GROWTH = 12.0
# The least that must be left of an object: a disc so wide, in hundredths of a cell (13 pixels where a cell has its full 168).
LEAST_ACROSS = 8.0
# How exactly a curve is followed.
STEPS = 12
ROUGHLY = 0.8
# A letter of the cards' typeface is about so wide, as a share of its height.
LETTER = 0.56

WHOLE_CELL = (0.0, 0.0, BOX, 0.0, BOX, BOX, 0.0, BOX)
Matrix = tuple[float, float, float, float, float, float]
Points = list[tuple[float, float]]
SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)
# A picture stands within its cell with a little air (`scene_pictures`, and the pages' style sheet).
IN_CELL: Matrix = (0.92, 0.0, 0.0, 0.92, 4.0, 4.0)
_AREAS: SceneNotes[str | None, dict[str, tuple[float, ...]]] = SceneNotes("studies.hit_areas")


def compute_hit_areas(scene: Scene, domain: str | None, layout: Layout) -> dict[str, list[float]]:
    """Return the outline of every entity whose cell overlaps another cell.

    Outlines alternate x and y, in hundredths of the entity's cell. Other entities own their whole cells.
    """
    near = _find_overlapping(layout)
    if not near:
        return {}
    notes = _AREAS.of(scene)
    if domain not in notes:
        # An image file fills its cell.
        drawn = {entity: trace_outline(svg) for entity, svg in draw_entities(scene, domain).items()}
        notes[domain] = {e.id: drawn.get(e.id, WHOLE_CELL) for e in scene.entities}
    outlines = {entity: area for entity, area in notes[domain].items() if entity in near}
    return _widen_outlines(outlines, layout)


def _widen_outlines(outlines: Mapping[str, Sequence[float]], layout: Layout) -> dict[str, list[float]]:
    """Return outlines widened for fingers, within their cells and outside other objects' outlines."""
    from shapely.ops import unary_union

    placed = {entity: _place_area(area, layout, entity) for entity, area in outlines.items()}
    grown: dict[str, list[float]] = {}
    for entity, shape in placed.items():
        others = unary_union([other for name, other in placed.items() if name != entity])
        room = shape.buffer(GROWTH).intersection(_place_area(None, layout, entity)).difference(others)
        wide = shape.union(room).simplify(ROUGHLY)
        # A ring around another object would cover it: such an outline stays as it is drawn.
        whole = wide.geom_type == "Polygon" and not wide.interiors
        grown[entity] = _convert_to_cell(wide, layout, entity) if whole else list(outlines[entity])
    return grown


def _convert_to_cell(shape: Any, layout: Layout, entity: str) -> list[float]:
    """Return the corners of a placed outline, alternating x and y, from the upper left corner of its cell."""
    at = layout[entity]
    left, top = BOX * (at.column + at.dx), BOX * (at.row + at.dy)
    corners = list(shape.exterior.coords)[:-1]
    return [round(value, 1) for x, y in corners for value in (x - left, y - top)]


def measure_press_areas(scene: Scene, domain: str | None, layout: Layout) -> dict[str, float]:
    """Return the shorter side of each object's pressable area, as a proportion of a cell.

    1.0 for an object that has its cell alone.
    """
    areas = compute_hit_areas(scene, domain, layout)
    sides = dict.fromkeys(layout, 1.0)
    for entity, free in _compute_visible_areas(areas, layout).items():
        left, top, right, bottom = free.bounds if not free.is_empty else (0.0, 0.0, 0.0, 0.0)
        sides[entity] = min(right - left, bottom - top) / BOX
    return sides


def sort_back_to_front(layout: Layout) -> list[str]:
    """Return the entities from back to front, as they are drawn: lower on the page is nearer."""
    return sorted(layout, key=lambda e: (layout[e].row + layout[e].dy, layout[e].column + layout[e].dx))


def find_small_targets(scene: Scene, domain: str | None, layout: Layout) -> list[str]:
    """Return the entities without a visible area that is large enough to press."""
    areas = compute_hit_areas(scene, domain, layout)
    free = _compute_visible_areas(areas, layout)
    return [entity for entity in areas if free[entity].buffer(-LEAST_ACROSS / 2).is_empty]


def find_pressed(x: float, y: float, areas: Mapping[str, Sequence[float]], layout: Layout) -> str | None:
    """Return the entity that a press at (x, y) reaches, in hundredths of a cell from the scene's corner."""
    from shapely import Point

    for entity in reversed(sort_back_to_front(layout)):
        if _place_area(areas.get(entity), layout, entity).covers(Point(x, y)):
            return entity
    return None


def _compute_visible_areas(areas: Mapping[str, Sequence[float]], layout: Layout) -> dict[str, BaseGeometry]:
    """Return each area minus the areas that cover it."""
    from shapely.ops import unary_union

    ordered = [e for e in sort_back_to_front(layout) if e in areas]
    placed = {e: _place_area(areas[e], layout, e) for e in ordered}
    return {e: placed[e].difference(unary_union([placed[o] for o in ordered[i + 1 :]])) for i, e in enumerate(ordered)}


def _place_area(area: Sequence[float] | None, layout: Layout, entity: str) -> BaseGeometry:
    """Return an area, or the whole cell, at its position in the layout."""
    from shapely import Polygon, box
    from shapely.affinity import translate

    at = layout[entity]
    shape = box(0, 0, BOX, BOX) if area is None else Polygon(list(zip(area[::2], area[1::2], strict=True)))
    return translate(shape, BOX * (at.column + at.dx), BOX * (at.row + at.dy))


def _find_overlapping(layout: Layout) -> set[str]:
    """Return the entities whose cells overlap another's."""
    at = {e: (p.column + p.dx, p.row + p.dy) for e, p in layout.items()}
    ids = list(at)
    # Rounded: places have four decimals, and neighbours in a grid only touch.
    pairs = (
        (a, b)
        for i, a in enumerate(ids)
        for b in ids[:i]
        if max(abs(at[a][0] - at[b][0]), abs(at[a][1] - at[b][1])) < 0.9995
    )
    return {entity for pair in pairs for entity in pair}


# -- the outline of a picture ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=1 << 14)
def trace_outline(svg: str) -> tuple[float, ...]:
    """Return the outline of a picture with a margin: x and y in turn, in hundredths of its cell."""
    with naming_extra():
        from shapely import box
        from shapely.ops import unary_union

    drawn = unary_union(list(_iterate_shapes(svg))).buffer(MARGIN)
    # Drawings in several parts (a table's legs, a word below) have one clickable area.
    whole = drawn if drawn.geom_type == "Polygon" else drawn.convex_hull
    outline = whole.intersection(box(0, 0, BOX, BOX)).simplify(ROUGHLY)
    outline = outline if outline.geom_type == "Polygon" and not outline.is_empty else box(0, 0, BOX, BOX)
    return tuple(round(value, 1) for point in list(outline.exterior.coords)[:-1] for value in point)


def _iterate_shapes(svg: str) -> Iterator[BaseGeometry]:
    """Yield the shapes of an SVG drawing in cell coordinates."""
    from lxml import etree

    yield from _iterate_element_shapes(etree.fromstring(svg.encode()), IN_CELL)


def _iterate_element_shapes(node: Any, matrix: Matrix) -> Iterator[BaseGeometry]:
    """Yield the shapes of an SVG element and its children, transformed."""
    inner = _multiply_matrices(matrix, _parse_transform(node.get("transform", "")))
    for points, closed in _iterate_runs(node):
        yield _make_shape(
            [_transform_point(p, inner) for p in points],
            closed,
            _get_stroke_width(node) * sqrt(abs(inner[0] * inner[3] - inner[1] * inner[2])),
        )
    for child in node:
        yield from _iterate_element_shapes(child, inner)


def _make_shape(points: Points, closed: bool, stroke: float) -> BaseGeometry:
    """Return a run of points as a shape: a line with its stroke width, filled if closed."""
    from shapely import LineString, Point, Polygon

    if len(set(points)) == 1:
        return Point(points[0]).buffer(max(stroke / 2, 0.1))
    line = LineString(points).buffer(max(stroke / 2, 0.1))
    return Polygon(points).buffer(0).union(line) if closed and len(set(points)) > 2 else line


def _get_stroke_width(node: Any) -> float:
    return float(node.get("stroke-width", 1.0)) if node.get("stroke", "none") != "none" else 0.0


def _iterate_runs(node: Any) -> Iterator[tuple[Points, bool]]:
    """Yield the runs of points that an element draws; closed runs enclose an area."""
    kind = str(node.tag).rpartition("}")[2]
    filled = node.get("fill") != "none"
    if kind in ("circle", "ellipse"):
        rx, ry = (float(node.get("r", node.get(name, 0))) for name in ("rx", "ry"))
        yield _trace_ellipse(float(node.get("cx", 0)), float(node.get("cy", 0)), rx, ry), True
    elif kind == "rect":
        x, y, w, h = (float(node.get(name, 0)) for name in ("x", "y", "width", "height"))
        yield [(x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)], True
    elif kind == "line":
        yield [(float(node.get("x1")), float(node.get("y1"))), (float(node.get("x2")), float(node.get("y2")))], False
    elif kind in ("polygon", "polyline"):
        values = _parse_numbers(node.get("points", ""))
        yield list(zip(values[::2], values[1::2], strict=True)), kind == "polygon" or filled
    elif kind == "path":
        yield from ((points, filled) for points in _parse_path(node.get("d", "")))
    elif kind == "text":
        yield _estimate_text_box(node), True


def _estimate_text_box(node: Any) -> Points:
    """Return the bounding box of a text element, estimated from its length."""
    size = float(node.get("font-size", 12))
    x, y, width = float(node.get("x", 0)), float(node.get("y", 0)), LETTER * size * len("".join(node.itertext()))
    left = x - (width / 2 if node.get("text-anchor") == "middle" else 0)
    return [
        (left, y - 0.8 * size),
        (left + width, y - 0.8 * size),
        (left + width, y + 0.2 * size),
        (left, y + 0.2 * size),
    ]


def _trace_ellipse(x: float, y: float, rx: float, ry: float) -> Points:
    turns = [2 * pi * i / (3 * STEPS) for i in range(3 * STEPS)]
    return [(x + rx * cos(t), y + ry * sin(t)) for t in turns]


def _parse_path(d: str) -> Iterator[Points]:
    """Yield the runs of points of an SVG path in absolute commands."""
    run: Points = []
    for command, numbers in re.findall(r"([A-Za-z])([^A-Za-z]*)", d):
        values = _parse_numbers(numbers)
        if command == "M" and run:
            yield run
            run = []
        if command == "Z":
            run.append(run[0])
        elif command in _CURVES:
            takes, bend = _CURVES[command]
            for i in range(0, len(values), takes):
                run += bend(run[-1] if run else (0.0, 0.0), values[i : i + takes])
        else:
            raise ValueError(f"a drawing has the path command {command!r}, whose outline is not known")
    if run:
        yield run


def _trace_line(_: tuple[float, float], v: list[float]) -> Points:
    return [(v[0], v[1])]


def _trace_bezier(start: tuple[float, float], v: list[float]) -> Points:
    """Return points on a Bézier curve of any degree."""
    corners = [start, *zip(v[::2], v[1::2], strict=True)]

    def at(t: float, points: Points) -> tuple[float, float]:
        between = [(a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])) for a, b in pairwise(points)]
        return between[0] if len(between) == 1 else at(t, between)

    return [at(i / STEPS, corners) for i in range(1, STEPS + 1)]


def _trace_arc(start: tuple[float, float], v: list[float]) -> Points:
    """Return points on an elliptical arc (SVG 1.1, appendix F.6.5)."""
    rx, ry, turn, large, sweep, x2, y2 = v
    (x1, y1), (c, s) = start, (cos(radians(turn)), sin(radians(turn)))
    dx, dy = (x1 - x2) / 2, (y1 - y2) / 2
    u, w = c * dx + s * dy, -s * dx + c * dy
    grow = max(1.0, hypot(u / rx, w / ry))
    rx, ry = rx * grow, ry * grow
    left = max(0.0, (rx * ry) ** 2 - (rx * w) ** 2 - (ry * u) ** 2) / ((rx * w) ** 2 + (ry * u) ** 2)
    k = sqrt(left) * (-1 if large == sweep else 1)
    cu, cw = k * rx * w / ry, -k * ry * u / rx
    begin, end = atan2((w - cw) / ry, (u - cu) / rx), atan2((-w - cw) / ry, (-u - cu) / rx)
    span = (end - begin) % (2 * pi) if sweep else -((begin - end) % (2 * pi))
    middle = (c * cu - s * cw + (x1 + x2) / 2, s * cu + c * cw + (y1 + y2) / 2)
    angles = [begin + span * i / STEPS for i in range(1, STEPS + 1)]
    return [
        (middle[0] + c * rx * cos(a) - s * ry * sin(a), middle[1] + s * rx * cos(a) + c * ry * sin(a)) for a in angles
    ]


_CURVES: Mapping[str, tuple[int, Any]] = {
    "M": (2, _trace_line),
    "L": (2, _trace_line),
    "Q": (4, _trace_bezier),
    "C": (6, _trace_bezier),
    "A": (7, _trace_arc),
}


def _parse_numbers(text: str) -> list[float]:
    return [float(n) for n in re.findall(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", text)]


def _parse_transform(text: str) -> Matrix:
    """Return the matrix of an SVG transform attribute."""
    total = SAME
    for name, numbers in re.findall(r"(\w+)\(([^)]*)\)", text):
        total = _multiply_matrices(total, _make_matrix(name, _parse_numbers(numbers)))
    return total


def _make_matrix(name: str, v: list[float]) -> Matrix:
    """Return the matrix of one SVG transform function."""
    if name == "translate":
        return 1.0, 0.0, 0.0, 1.0, v[0], v[1] if len(v) > 1 else 0.0
    if name == "scale":
        return v[0], 0.0, 0.0, v[-1], 0.0, 0.0
    if name == "rotate":
        c, s = cos(radians(v[0])), sin(radians(v[0]))
        x, y = (v[1], v[2]) if len(v) > 2 else (0.0, 0.0)
        return c, s, -s, c, x - c * x + s * y, y - s * x - c * y
    if name == "matrix":
        a, b, c, d, e, f = v
        return a, b, c, d, e, f
    raise ValueError(f"a drawing is moved by {name!r}, whose outline is not known")


def _multiply_matrices(m: Matrix, n: Matrix) -> Matrix:
    """Return the product of two affine matrices."""
    return (
        m[0] * n[0] + m[2] * n[1], m[1] * n[0] + m[3] * n[1],
        m[0] * n[2] + m[2] * n[3], m[1] * n[2] + m[3] * n[3],
        m[0] * n[4] + m[2] * n[5] + m[4], m[1] * n[4] + m[3] * n[5] + m[5],
    )  # fmt: skip


def _transform_point(point: tuple[float, float], m: Matrix) -> tuple[float, float]:
    return m[0] * point[0] + m[2] * point[1] + m[4], m[1] * point[0] + m[3] * point[1] + m[5]
