"""Drawings as PNG, for models and pages that cannot read SVG."""

from __future__ import annotations

from collections.abc import Collection

from referee.records import Scene
from referee.show.drawing.placement import Layout, place
from referee.show.drawing.scene_pictures import draw_scene

__all__ = ["draw_marked", "draw_numbered", "scale_for", "to_png"]

CELL_PIXELS = 200
MOST_PIXELS = 1600


def to_png(svg: str, scale: float = 1.0) -> bytes:
    """The picture rendered, `scale` pixels to a unit of its width."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def draw_numbered(scene: Scene) -> bytes:
    """A scene as PNG with its entities numbered from 1 in their order, for a hearer who answers with a number."""
    numbers = {e.id: str(i) for i, e in enumerate(scene.entities, 1)}
    layout = place(scene)
    return to_png(draw_scene(scene, layout=layout, numbers=numbers), scale_for(layout))


def draw_marked(scene: Scene, targets: Collection[str]) -> bytes:
    """A scene as PNG with a frame around what is meant, for a speaker; no numbers, which a description could lean on."""
    layout = place(scene)
    return to_png(draw_scene(scene, layout=layout, mark=targets), scale_for(layout))


def scale_for(layout: Layout) -> float:
    """Pixels to a unit: cells of 200 pixels, smaller ones where the grid is large."""
    return min(CELL_PIXELS, MOST_PIXELS / max(layout.columns, layout.rows)) / 100
