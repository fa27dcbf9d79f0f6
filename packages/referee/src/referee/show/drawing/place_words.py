"""Positions of objects in words: thirds of the picture across and down, or the position in a row."""

from __future__ import annotations

from referee.records import Scene
from referee.show.drawing.placement import PLACE_NAMES, Layout, place

DOWN = ("upper", "middle", "lower")
ACROSS = ("left", "middle", "right")


def has_positions(scene: Scene) -> bool:
    """Return whether a scene specifies the positions of its objects."""
    return any(
        e.position is not None or any(p.name in PLACE_NAMES and p.value != "unknown" for p in e.attributes)
        for e in scene.entities
    )


def describe_positions(scene: Scene) -> dict[str, str]:
    """Return the position of every entity in words, by id; empty if the scene does not specify it.

    >>> from referee.records import Entity, Property
    >>> cells = [("a", "1", "1"), ("b", "5", "3")]
    >>> grid = [Entity(id=i, attributes=(Property("x-dimension", x), Property("y-dimension", y))) for i, x, y in cells]
    >>> describe_positions(Scene(entities=tuple(grid)))
    {'a': 'upper left', 'b': 'lower right'}
    """
    if not has_positions(scene):
        return {}
    layout = place(scene)
    return {e.id: _describe_position(e.id, layout) for e in scene.entities}


def _describe_position(entity: str, layout: Layout) -> str:
    """Return the position of an entity in words: left, middle, right, top, bottom."""
    cell = layout[entity]
    across = ACROSS[_find_third(cell.column + cell.dx, layout.columns)]
    if layout.rows == 1:
        return across
    down = DOWN[_find_third(cell.row + cell.dy, layout.rows)]
    return "middle" if down == across else f"{down} {across}"


def _find_third(cell: float, cells: int) -> int:
    return min(2, max(0, int(3 * (cell + 0.5) / max(1, cells))))
