"""The layout of a scene: TUNA's grid of 5 by 3, or a grid that fits positions, regions or relations.

Places come from what the scene says: grid cells, positions, or regions and relations (left of, on top of); without any, objects stand in reading order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, floor, sqrt
from random import Random
from typing import NamedTuple

from referee.errors import InputError
from referee.records import Entity, Scene
from referee.show.drawing.relations import REGIONS, relate

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

    `columns` asks for reading order in so many columns; `jitter` (in cells, 0.15 is slight) shifts each entity, by `seed`.

    The result depends on the order of the entities only where the scene says nothing about places.
    """
    if not 0 <= jitter <= 0.5 or (columns is not None and columns < 1):
        raise InputError(
            f"cannot place objects with jitter {jitter} in {columns} columns",
            remedy="jitter is between 0 and 0.5 of a cell, columns 1 or more",
        )
    layout = _tidy(scene, columns) if columns else _choose_layout(scene, seed)
    return _jittered(layout, jitter, seed) if jitter else layout


def settled(scene: Scene) -> Layout | None:
    """Return the layout if the scene alone determines it.

    None where the seed or the order of entities matters.
    """
    if any(e.value("x-dimension") or e.value("y-dimension") for e in scene.entities):
        cells = [(_whole(e.value("x-dimension")), _whole(e.value("y-dimension"))) for e in scene.entities]
        return _tuna(scene, 0) if all(x and y for x, y in cells) and len(set(cells)) == len(cells) else None
    return _blocks(scene) or _positions(scene) or _regions(scene)


def _choose_layout(scene: Scene, seed: int) -> Layout:
    return _tuna(scene, seed) or _blocks(scene) or _positions(scene) or _regions(scene) or _tidy(scene, None)


def _tidy(scene: Scene, columns: int | None) -> Layout:
    """Return reading order on a grid that is wider than high."""
    count = max(len(scene.entities), 1)
    across = columns or (count if count <= 3 else ceil(sqrt(count * 1.4)))
    rows = ceil(count / across)
    across = columns or ceil(count / rows)
    places = {e.id: Place(i % across, i // across) for i, e in enumerate(scene.entities)}
    return Layout(places=places, columns=across, rows=rows)


def _whole(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 4 else None


def _tuna(scene: Scene, seed: int) -> Layout | None:
    """Return TUNA's grid; entities without a free cell get one by the seed, not by their order."""
    cells = {e.id: (_whole(e.value("x-dimension")), _whole(e.value("y-dimension"))) for e in scene.entities}
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


def _blocks(scene: Scene) -> Layout | None:
    """PentoRef's four boards of 3 by 3, set out as two by two."""
    places = {}
    for e in scene.entities:
        board, column, row = (_whole((e.value(n) or "").removeprefix("grid")) for n in ("grid", "col", "row"))
        if board is None or column is None or row is None or not 1 <= board <= 4 or max(column, row) > 2:
            return None
        # Each board takes three cells and one of air.
        places[e.id] = Place(4 * ((board - 1) % 2) + column, 4 * ((board - 1) // 2) + row)
    return Layout(places=places, columns=7, rows=7) if len(set(places.values())) == len(places) > 0 else None


def _positions(scene: Scene) -> Layout | None:
    """Return a layout from positions.

    One number is a row, two are x and y, of three the middle one is height.
    """
    points = {e.id: _point(e) for e in scene.entities if e.position}
    if len(points) < len(scene.entities) or not points or len(set(points.values())) < len(points):
        return None
    xs, ys = zip(*points.values(), strict=True)
    # Several different numbers between 0 and 1 are shares of a board (KTH); 0 and 1 alone may be cells.
    if len(xs) > 1 and min(xs) >= 0 and min(ys) >= 0 and max(xs) <= 1 and max(ys) <= 1 and len({*xs, *ys}) > 3:
        return _spread({i: (x * BOARD - 0.5, y * BOARD - 0.5) for i, (x, y) in points.items()}, BOARD, BOARD)
    nearest = _nearest(list(points.values()))
    unit = max(nearest, (max(xs) - min(xs)) / (MOST_CELLS - 1), (max(ys) - min(ys)) / (MOST_CELLS - 1))
    moved = {i: ((x - min(xs)) / unit, (y - min(ys)) / unit) for i, (x, y) in points.items()}
    return _spread(moved, floor((max(xs) - min(xs)) / unit + 0.5) + 1, floor((max(ys) - min(ys)) / unit + 0.5) + 1)


def _point(entity: Entity) -> tuple[float, float]:
    position = entity.position or ()
    return (
        (position[0], 0.0) if len(position) == 1 else (position[0], position[2] if len(position) > 2 else position[1])
    )


def _nearest(points: Sequence[tuple[float, float]]) -> float:
    """Return the least distance between two objects, along the axis on which they are further apart."""
    apart = (max(abs(a[0] - b[0]), abs(a[1] - b[1])) for i, a in enumerate(points) for b in points[:i])
    return min(apart, default=1.0)


def _spread(points: Mapping[str, tuple[float, float]], columns: int, rows: int) -> Layout:
    """Return exact points as cells with offsets."""

    def cell(value: float, count: int) -> int:
        return min(max(floor(value + 0.5), 0), count - 1)

    places = {}
    for entity, (x, y) in points.items():
        column, row = cell(x, columns), cell(y, rows)
        places[entity] = Place(column, row, round(x - column, 4), round(y - row, 4))
    return Layout(places=places, columns=columns, rows=rows)


def _regions(scene: Scene) -> Layout | None:
    positions = relate(scene)
    if positions is None:
        return None
    columns = max(ceil(x) for x, _ in positions.values()) + 1
    rows = max(ceil(y) for _, y in positions.values()) + 1
    return _spread(positions, columns, rows)


def _jittered(layout: Layout, jitter: float, seed: int) -> Layout:
    """Return the layout with a shift for each entity that does not depend on the other entities."""

    def shifted(entity: str, at: Place) -> Place:
        rng = Random(f"{seed}|{entity}")
        dx, dy = (round(jitter * (2 * rng.random() - 1), 4) for _ in range(2))
        return at._replace(dx=round(at.dx + dx, 4), dy=round(at.dy + dy, 4))

    places = {entity: shifted(entity, at) for entity, at in layout.places.items()}
    return Layout(places=places, columns=layout.columns, rows=layout.rows)
