"""Entities and scenes as SVG pictures: furniture, people, solids, patches, cards for the rest.

>>> from referee.records import Entity, Property, Scene
>>> chair = Entity(id="a", attributes=(Property("type", "chair"), Property("colour", "red")))
>>> draw_scene(Scene(entities=(chair,)))[:4]
'<svg'
"""

from referee.show.drawing.contact_sheets import SHEETS, draw_sheet
from referee.show.drawing.place_words import describe_positions
from referee.show.drawing.placement import Layout, Place, place
from referee.show.drawing.png import draw_marked, draw_numbered, to_png
from referee.show.drawing.scene_pictures import can_draw, draw_entity, draw_scene, find_shared_names, get_painter_name

__all__ = [
    "SHEETS",
    "Layout",
    "Place",
    "can_draw",
    "describe_positions",
    "draw_entity",
    "draw_marked",
    "draw_numbered",
    "draw_scene",
    "draw_sheet",
    "find_shared_names",
    "get_painter_name",
    "place",
    "to_png",
]
