"""Entities and scenes as SVG pictures of this project's own making: furniture, people, solids, patches, and cards for the rest.

>>> from referee.records import Entity, Property, Scene
>>> chair = Entity(id="a", attributes=(Property("type", "chair"), Property("colour", "red")))
>>> draw_scene(Scene(entities=(chair,)))[:4]
'<svg'
"""

from referee.drawing.placing import Layout, Place, place
from referee.drawing.png import to_png
from referee.drawing.scenes import can_draw, draw_entity, draw_scene, kind_of

__all__ = ["Layout", "Place", "can_draw", "draw_entity", "draw_scene", "kind_of", "place", "to_png"]
