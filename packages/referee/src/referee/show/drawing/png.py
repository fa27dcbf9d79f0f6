"""Drawings as PNG, for models and pages that cannot read SVG."""

from __future__ import annotations

from collections.abc import Collection

from referee.records import Scene
from referee.show.drawing.placement import Layout, place
from referee.show.drawing.scene_pictures import draw_scene

CELL_PIXELS = 200
MOST_PIXELS = 1600


def to_png(svg: str, scale: float = 1.0) -> bytes:
    """Return the picture rendered with `scale` pixels to a unit."""
    import vl_convert

    return bytes(vl_convert.svg_to_png(svg, scale=scale))


def draw_numbered(scene: Scene) -> bytes:
    """Return a scene as PNG with its entities numbered from 1, for a hearer who answers with a number."""
    numbers = {e.id: str(i) for i, e in enumerate(scene.entities, 1)}
    layout = place(scene)
    return to_png(draw_scene(scene, layout=layout, numbers=numbers), choose_scale(layout))


def draw_marked(scene: Scene, targets: Collection[str]) -> bytes:
    """Return a scene as PNG with the target framed and no numbers, for a speaker."""
    layout = place(scene)
    return to_png(draw_scene(scene, layout=layout, mark=targets), choose_scale(layout))


def choose_scale(layout: Layout) -> float:
    """Return pixels per unit: cells of 200 pixels, or smaller ones for a large grid."""
    return min(CELL_PIXELS, MOST_PIXELS / max(layout.columns, layout.rows)) / 100
