"""Drawings as PNG, for models and pages that cannot read SVG."""

from __future__ import annotations

from referee.drawing.placement import place
from referee.drawing.scene_pictures import draw_scene
from referee.errors import naming_extra
from referee.records import Scene

__all__ = ["draw_numbered", "to_png"]

CELL_PIXELS = 200
MOST_PIXELS = 1600


def to_png(svg: str, scale: float = 1.0) -> bytes:
    """The picture rendered, `scale` pixels to a unit of its width."""
    with naming_extra():
        import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def draw_numbered(scene: Scene) -> bytes:
    """A scene as PNG with its entities numbered from 1 in their order, for a hearer who answers with a number."""
    layout = place(scene)
    numbers = {e.id: str(i) for i, e in enumerate(scene.entities, 1)}
    pixels = min(CELL_PIXELS, MOST_PIXELS / max(layout.columns, layout.rows))
    return to_png(draw_scene(scene, layout=layout, numbers=numbers), pixels / 100)
