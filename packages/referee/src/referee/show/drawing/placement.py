"""The layout of a scene: TUNA's grid of 5 by 3, or a grid that fits positions, regions or relations.

Positions come from the scene: grid cells, coordinates, or regions and relations (left of, on top of); without any,
objects are in reading order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from math import ceil, floor, sqrt
from random import Random
from typing import NamedTuple

from referee.errors import InputError
from referee.records import Entity, Property, Scene
from referee.show.drawing.painted import get_height

# -- relations of the scene ------------------------------------------------------------------------------------------------


REGIONS = ("hpos", "vpos", "location")
ACROSS = {"left": 0, "left-hand": 0, "centre": 1, "center": 1, "right": 2, "right-hand": 2}
DOWN = {"top": 0, "centre": 1, "center": 1, "bottom": 2}
LEFT, RIGHT = {"left", "left-of"}, {"right", "right-of"}
ON, UNDER = {"on-top-of"}, {"under"}
ABOVE, BELOW = {"above"}, {"below"}
REAR, FRONT = {"behind"}, {"in-front-of"}
NEAR = {"next-to", "near", *LEFT, *RIGHT}
AIR = 0.5
OVER = (0.0, 1.0)
BEHIND = (0.2, 0.55)  # offset of a partly hidden object behind another one, to the side and upwards
NEARER = 0.3  # how much further down the page the foreground is

Pairs = list[tuple[str, str]]
Point = tuple[float, float]


def relate(scene: Scene) -> dict[str, Point] | None:
    """Return column and row of each entity, with fractions; None if the scene has no regions or relations."""
    if not any(e.value(name) for e in scene.entities for name in REGIONS):
        return None
    regions: dict[tuple[int, int], list[Entity]] = {}
    for entity in scene.entities:
        regions.setdefault(_get_region(entity), []).append(entity)
    joined = _join_regions({where: _arrange_region(members) for where, members in regions.items()})
    nearer = {e.id for e in scene.entities if Property("location", "front") in e.attributes}
    return {i: (x, y + NEARER if i in nearer else y) for i, (x, y) in joined.items()}


def _get_region(entity: Entity) -> tuple[int, int]:
    """Return column and row of an entity's region."""
    locations = [p.value for p in entity.attributes if p.name == "location"]
    across = entity.value("hpos") or next((v for v in locations if v in ACROSS), "centre")
    return ACROSS.get(across, 1), DOWN.get(entity.value("vpos") or "centre", 1)


def _collect_pairs(members: Iterable[Entity], names: set[str], inverse: set[str]) -> Pairs:
    """Return the pairs of a relation, named from either side."""
    ids = {e.id for e in members}
    pairs: Pairs = []
    for e in members:
        for r in e.relations:
            if r.entity in ids and r.entity != e.id:
                pairs += [(e.id, r.entity)] * (r.name in names) + [(r.entity, e.id)] * (r.name in inverse)
    return list(dict.fromkeys(pairs))


def _arrange_region(members: list[Entity]) -> dict[str, Point]:
    """Return positions within one region.

    Columns from 0, rows from 0 (the floor) upwards as negative numbers.
    """
    ids = [e.id for e in members]
    heights = {e.id: get_height(e) for e in members}
    steps = {pair: (0.0, heights[pair[1]]) for pair in _collect_pairs(members, ON, UNDER)}
    steps |= dict.fromkeys(_collect_pairs(members, ABOVE, BELOW), OVER) | dict.fromkeys(
        _collect_pairs(members, REAR, FRONT), BEHIND
    )
    columns = _group_columns(ids, list(steps))
    near = {frozenset(pair) for pair in _collect_pairs(members, NEAR, set())}
    ordered = _sort_columns(columns, _collect_pairs(members, LEFT, RIGHT), near)
    places, x = {}, 0.0
    for column, following in pairwise([*ordered, ()]):
        stack = _stack_related(column, x, steps)
        places.update(stack)
        touching = any(frozenset((a, b)) in near for a in column for b in following)
        x += floor(max(at for at, _ in stack.values()) - x) + (1 if touching else 1 + AIR)
    return places


def _group_columns(ids: list[str], vertical: Pairs) -> list[tuple[str, ...]]:
    """Return the entities of each column, the lowest first."""
    column: dict[str, tuple[str, ...]] = {i: (i,) for i in ids}
    for upper, lower in vertical:
        joined = (*column[lower], *(i for i in column[upper] if i not in column[lower]))
        for i in joined:
            column[i] = joined
    return [_sort_column(c, [(lower, upper) for upper, lower in vertical]) for c in dict.fromkeys(column.values())]


def _sort_column(ids: tuple[str, ...], pairs: Pairs) -> tuple[str, ...]:
    """Return the entities in order; contradictory relations are ignored."""
    sorter = TopologicalSorter({i: [a for a, b in pairs if b == i and a in ids] for i in ids})
    try:
        return tuple(sorter.static_order())
    except CycleError:
        return ids


def _sort_columns(columns: list[tuple[str, ...]], left: Pairs, near: set[frozenset[str]]) -> list[tuple[str, ...]]:
    """Return columns from left to right, with adjacent ones together."""
    home = {i: column[0] for column in columns for i in column}
    pairs = [(home[a], home[b]) for a, b in left if home[a] != home[b]]
    clusters = {foot: frozenset({foot}) for foot in home.values()}
    for a, b in (sorted(pair) for pair in near if len(pair) == 2):
        joined = clusters[home[a]] | clusters[home[b]]
        clusters.update(dict.fromkeys(joined, joined))
    feet = _sort_column(tuple(clusters), pairs)
    together = [foot for cluster in dict.fromkeys(clusters[f] for f in feet) for foot in feet if foot in cluster]
    return [next(c for c in columns if c[0] == foot) for foot in together]


def _stack_related(column: tuple[str, ...], x: float, steps: Mapping[tuple[str, str], Point]) -> dict[str, Point]:
    """Return positions in a column at the distance of each relation.

    Several with the same relation are side by side.
    """
    places: dict[str, Point] = {}
    for entity in column:
        below = next((pair for pair in steps if pair[0] == entity and pair[1] in places), None)
        if below is None:
            places[entity] = (x, min((y for _, y in places.values()), default=1.0) - 1)
        else:
            (px, py), (right, up) = places[below[1]], steps[below]
            beside = sum(y == py - up for _, y in places.values())
            places[entity] = (px + right + beside, py - up)
    return places


def _join_regions(parts: Mapping[tuple[int, int], dict[str, Point]]) -> dict[str, Point]:
    """Return the regions side by side and below each other, each centred in its part."""
    across = _locate_regions({c: max(_measure_width(p) for (k, _), p in parts.items() if k == c) for c, _ in parts})
    down = _locate_regions({r: max(_measure_depth(p) for (_, k), p in parts.items() if k == r) for _, r in parts})
    joined = {}
    for (c, r), part in parts.items():
        shift = (across[c][1] - _measure_width(part)) / 2
        # Regions of one row share a floor.
        floor = down[r][0] + down[r][1] - 1
        joined.update({i: (across[c][0] + shift + x, floor + y) for i, (x, y) in part.items()})
    return joined


def _measure_width(part: dict[str, Point]) -> float:
    return max(x for x, _ in part.values()) + 1


def _measure_depth(part: dict[str, Point]) -> float:
    return 1 - min(y for _, y in part.values())


def _locate_regions(sizes: Mapping[int, float]) -> dict[int, tuple[float, float]]:
    """Return the start and the size of each region along one axis."""
    starts, at = {}, 0.0
    for index in sorted(sizes):
        starts[index] = (at, sizes[index])
        at += sizes[index] + AIR
    return starts


# Attributes that say where something is: they are shown by its place and never written beside it.
PLACE_NAMES = frozenset({"x-dimension", "y-dimension", "grid", "col", "row", *REGIONS})
MOST_CELLS = 14
BOARD = 5  # cells along a board whose positions are shares of it: a large KTH figure is a fifth of the board


class Place(NamedTuple):
    """A cell, counted from 0 at the top left, and the object's offset from its centre, in cells."""

    column: int
    row: int
    dx: float = 0.0
    dy: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout(Mapping[str, Place]):
    """The cell of every entity by id, and the size of the grid."""

    places: Mapping[str, Place]
    columns: int
    rows: int

    def __getitem__(self, entity: str) -> Place:
        return self.places[entity]

    def __iter__(self) -> Iterator[str]:
        return iter(self.places)

    def __len__(self) -> int:
        return len(self.places)


def place(scene: Scene, *, jitter: float = 0, seed: int = 0, columns: int | None = None) -> Layout:
    """Return the layout of a scene.

    `columns` gives reading order in that number of columns; `jitter` (in cells, 0.15 is slight) shifts each entity, by
    `seed`.

    The result depends on the order of the entities only if the scene has no positions.
    """
    if not 0 <= jitter <= 0.5 or (columns is not None and columns < 1):
        raise InputError(
            f"cannot place objects with jitter {jitter} in {columns} columns",
            remedy="jitter is between 0 and 0.5 of a cell, columns 1 or more",
        )
    layout = _arrange_in_reading_order(scene, columns) if columns else _choose_layout(scene, seed)
    return _add_jitter(layout, jitter, seed) if jitter else layout


def find_determined_layout(scene: Scene) -> Layout | None:
    """Return the layout if the scene alone determines it.

    None where the seed or the order of entities matters.
    """
    if any(e.value("x-dimension") or e.value("y-dimension") for e in scene.entities):
        cells = [(_parse_whole(e.value("x-dimension")), _parse_whole(e.value("y-dimension"))) for e in scene.entities]
        return _arrange_tuna(scene, 0) if all(x and y for x, y in cells) and len(set(cells)) == len(cells) else None
    return _arrange_pentoref(scene) or _arrange_by_position(scene) or _arrange_regions(scene)


def _choose_layout(scene: Scene, seed: int) -> Layout:
    """Return the first layout that fits the scene's attributes; the last one fits every scene."""
    return (
        _arrange_tuna(scene, seed)
        or _arrange_pentoref(scene)
        or _arrange_by_position(scene)
        or _arrange_regions(scene)
        or _arrange_in_reading_order(scene, None)
    )


def _arrange_in_reading_order(scene: Scene, columns: int | None) -> Layout:
    """Return reading order on a grid that is wider than high."""
    count = max(len(scene.entities), 1)
    across = columns or (count if count <= 3 else ceil(sqrt(count * 1.4)))
    rows = ceil(count / across)
    across = columns or ceil(count / rows)
    places = {e.id: Place(i % across, i // across) for i, e in enumerate(scene.entities)}
    return Layout(places=places, columns=across, rows=rows)


def _parse_whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else None


def _arrange_tuna(scene: Scene, seed: int) -> Layout | None:
    """Return TUNA's grid; entities without a free cell get one by the seed, not by their order."""
    cells = {e.id: (_parse_whole(e.value("x-dimension")), _parse_whole(e.value("y-dimension"))) for e in scene.entities}
    if not any(e.value("x-dimension") or e.value("y-dimension") for e in scene.entities):
        return None
    columns = max([5, *(x for x, _ in cells.values() if x)])
    rows = max([3, *(y for _, y in cells.values() if y), ceil(len(cells) / columns)])
    if max(columns, rows) > 10 * MOST_CELLS:
        return None
    occupied: dict[tuple[int, int], str] = {}
    for entity, (x, y) in sorted(cells.items()):
        if x and y:
            occupied.setdefault((x - 1, y - 1), entity)
    free = [(x, y) for y in range(rows) for x in range(columns) if (x, y) not in occupied]
    Random(f"cells|{seed}").shuffle(free)
    places = {entity: Place(*cell) for cell, entity in occupied.items()}
    for entity in sorted(cells):
        if entity not in places:
            places[entity] = Place(*free.pop())
    return Layout(places={e.id: places[e.id] for e in scene.entities}, columns=columns, rows=rows)


def _arrange_pentoref(scene: Scene) -> Layout | None:
    """Return PentoRef's four boards of 3 by 3 cells, arranged two by two."""
    places = {}
    for e in scene.entities:
        board, column, row = (_parse_whole((e.value(n) or "").removeprefix("grid")) for n in ("grid", "col", "row"))
        if board is None or column is None or row is None or not 1 <= board <= 4 or max(column, row) > 2:
            return None
        # Each board takes three cells and one of air.
        places[e.id] = Place(4 * ((board - 1) % 2) + column, 4 * ((board - 1) // 2) + row)
    return Layout(places=places, columns=7, rows=7) if len(set(places.values())) == len(places) > 0 else None


def _arrange_by_position(scene: Scene) -> Layout | None:
    """Return a layout from positions.

    One number is a row, two are x and y, of three the middle one is height.
    """
    points = {e.id: _get_point(e) for e in scene.entities if e.position}
    if len(points) < len(scene.entities) or not points or len(set(points.values())) < len(points):
        return None
    xs, ys = zip(*points.values(), strict=True)
    # Several different numbers between 0 and 1 are shares of a board (KTH); 0 and 1 alone may be cells.
    if len(xs) > 1 and min(xs) >= 0 and min(ys) >= 0 and max(xs) <= 1 and max(ys) <= 1 and len({*xs, *ys}) > 3:
        return _scale_to_grid({i: (x * BOARD - 0.5, y * BOARD - 0.5) for i, (x, y) in points.items()}, BOARD, BOARD)
    nearest = _find_least_distance(list(points.values()))
    unit = max(nearest, (max(xs) - min(xs)) / (MOST_CELLS - 1), (max(ys) - min(ys)) / (MOST_CELLS - 1))
    moved = {i: ((x - min(xs)) / unit, (y - min(ys)) / unit) for i, (x, y) in points.items()}
    return _scale_to_grid(
        moved, floor((max(xs) - min(xs)) / unit + 0.5) + 1, floor((max(ys) - min(ys)) / unit + 0.5) + 1
    )


def _get_point(entity: Entity) -> tuple[float, float]:
    """Return an entity's position as x and y."""
    position = entity.position or ()
    return (
        (position[0], 0.0) if len(position) == 1 else (position[0], position[2] if len(position) > 2 else position[1])
    )


def _find_least_distance(points: Sequence[tuple[float, float]]) -> float:
    """Return the least distance between two objects, along the axis on which they are further apart."""
    apart = (max(abs(a[0] - b[0]), abs(a[1] - b[1])) for i, a in enumerate(points) for b in points[:i])
    return min(apart, default=1.0)


def _scale_to_grid(points: Mapping[str, tuple[float, float]], columns: int, rows: int) -> Layout:
    """Return exact points as cells with offsets."""

    def cell(value: float, count: int) -> int:
        return min(max(floor(value + 0.5), 0), count - 1)

    places = {}
    for entity, (x, y) in points.items():
        column, row = cell(x, columns), cell(y, rows)
        places[entity] = Place(column, row, round(x - column, 4), round(y - row, 4))
    return Layout(places=places, columns=columns, rows=rows)


def _arrange_regions(scene: Scene) -> Layout | None:
    """Return the layout of a scene with regions or relations; None if it has none."""
    positions = relate(scene)
    if positions is None:
        return None
    columns = max(ceil(x) for x, _ in positions.values()) + 1
    rows = max(ceil(y) for _, y in positions.values()) + 1
    return _scale_to_grid(positions, columns, rows)


def _add_jitter(layout: Layout, jitter: float, seed: int) -> Layout:
    """Return the layout with a shift for each entity that does not depend on the other entities."""

    def shifted(entity: str, at: Place) -> Place:
        """Return a position with the random shift of its entity."""
        rng = Random(f"{seed}|{entity}")
        dx, dy = (round(jitter * (2 * rng.random() - 1), 4) for _ in range(2))
        return at._replace(dx=round(at.dx + dx, 4), dy=round(at.dy + dy, 4))

    places = {entity: shifted(entity, at) for entity, at in layout.places.items()}
    return Layout(places=places, columns=layout.columns, rows=layout.rows)
