"""A scene in parts that a page assembles: the SVG of every entity and its box.

Pages add marks over the boxes (frames, hearers' probabilities, a cross for excluded entities), and store equal pictures
once. Boxes are shares of the whole, so entities on a photograph have the same form: the photograph is the ground, and
the entities have boxes and no marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from referee.records import Entity, Property, Scene
from referee.show.drawing.painted import BOX
from referee.show.drawing.placement import PLACE_NAMES, Layout, place
from referee.show.drawing.scene_pictures import MARGIN, draw_page, marks_of, overhang, shared_names

__all__ = ["Box", "Drawn", "SceneParts", "as_picture", "parts_of"]

Box = tuple[float, float, float, float]
Drawn = dict[tuple[tuple[Property, ...], frozenset[str]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneParts:
    """Width and height in hundredths of a cell.

    By entity its box (left, top, width, height, as proportions) and SVG.
    """

    width: float
    height: float
    boxes: Mapping[str, Box]
    marks: Mapping[str, str]


def parts_of(scene: Scene, layout: Layout | None = None, drawn: Drawn | None = None) -> SceneParts:
    """Return the picture of `draw_scene` in parts; `drawn` caches entities, for callers with many scenes."""
    at = layout or place(scene)
    margin = MARGIN + BOX * overhang(at)
    width, height = (BOX * n + 2 * margin for n in (at.columns, at.rows))
    boxes = {
        e.id: (
            round((margin + BOX * (at[e.id].column + at[e.id].dx)) / width, 4),
            round((margin + BOX * (at[e.id].row + at[e.id].dy)) / height, 4),
            round(BOX / width, 4),
            round(BOX / height, 4),
        )
        for e in scene.entities
    }
    shared, book = shared_names(scene), {} if drawn is None else drawn
    return SceneParts(
        width=width, height=height, boxes=boxes, marks={e.id: _marks(e, shared, book) for e in scene.entities}
    )


def _marks(entity: Entity, shared: frozenset[str], drawn: Drawn) -> str:
    """Return an entity's drawing, cached by its attributes without positions."""
    # Where a thing stands is not to be seen in its own picture.
    key = (tuple(p for p in entity.attributes if p.name not in PLACE_NAMES), shared)
    if key not in drawn:
        drawn[key] = marks_of(entity, shared)
    return drawn[key]


def as_picture(marks: str) -> str:
    """Return the SVG elements of one entity as an SVG picture."""
    return draw_page(marks, BOX, BOX, BOX, "picture")
