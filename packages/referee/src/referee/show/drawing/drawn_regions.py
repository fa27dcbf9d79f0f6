"""The visible region of every entity of a drawing, in pixels of its PNG.

Each entity is rendered alone on a transparent ground, at the same position, by the same renderer; so its region equals
the picture to the pixel.
"""

from __future__ import annotations

import io
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
import numpy.typing as npt

from referee.errors import naming_extra
from referee.geometry import Box, Mask, Region, Size
from referee.records import Scene
from referee.show.drawing.ink import group
from referee.show.drawing.painted import BOX
from referee.show.drawing.placement import Layout, place
from referee.show.drawing.png import choose_scale, to_png
from referee.show.drawing.scene_pictures import draw_scene, list_in_drawing_order, page_size
from referee.show.drawing.traced_solids import mask_runs

Truths = npt.NDArray[np.bool_]
Covers = dict[tuple[str, float, float, float], Truths]
HALF = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class PixelDrawing:
    """A picture, its size, and the region of every entity that can be seen in it."""

    png: bytes
    size: Size
    regions: Mapping[str, Region]


def draw_pixels(
    scene: Scene,
    *,
    layout: Layout | None = None,
    scale: float | None = None,
    outlines: bool = False,
    mark: Collection[str] = (),
    numbers: Mapping[str, str] | None = None,
    covers: Covers | None = None,
) -> PixelDrawing:
    """Return a scene as PNG with the region of each entity: its smallest box, or its pixels (`outlines`).

    `covers` caches rendered entities, for callers that draw many scenes of one corpus.
    """
    at = layout or place(scene)
    pixels = scale or choose_scale(at)
    png = to_png(draw_scene(scene, layout=at, mark=mark, numbers=numbers), pixels)
    height, width = _read_alpha(png).shape
    size, owners = (
        Size(width, height),
        _assign_pixels(scene, at, pixels, (height, width), {} if covers is None else covers),
    )
    masks = {e.id: owners == i for i, e in enumerate(scene.entities)}
    regions = {i: _make_region(seen, size, outlines) for i, seen in masks.items() if seen.any()}
    return PixelDrawing(png=png, size=size, regions=regions)


def _assign_pixels(
    scene: Scene, at: Layout, scale: float, shape: tuple[int, int], covers: Covers
) -> npt.NDArray[np.int32]:
    """Return for every pixel the index of the entity that it shows, -1 for none."""
    owners = np.full(shape, -1, dtype=np.int32)
    numbers = {e.id: i for i, e in enumerate(scene.entities)}
    across, down = page_size(at)
    # A page that is no whole number of pixels is fitted into one, and everything on it with it.
    whole = all(abs(side * scale - round(side * scale)) < 1e-9 for side in (across, down))
    for entity, x, y, marks in list_in_drawing_order(scene, at):
        if whole:
            _paint_entity(owners, numbers[entity], x * scale, y * scale, marks, scale, covers)
        else:
            alone = _draw_window(group(marks, transform=f"translate({x} {y})"), 0, 0, across, down)
            owners[_read_alpha(to_png(alone, scale)) >= HALF] = numbers[entity]
    return owners


def _paint_entity(
    owners: npt.NDArray[np.int32], number: int, x: float, y: float, marks: str, scale: float, covers: Covers
) -> None:
    """Paint one entity into the array of owners, rendered in its own window with half a cell of margin."""
    left, top = floor(x), floor(y)
    key = (marks, round(x - left, 6), round(y - top, 6), scale)
    air = ceil(BOX / 2 * scale)
    if key not in covers:
        side = ceil(BOX * scale) + 2 * air + 1
        moved = group(marks, transform=f"translate({key[1] / scale} {key[2] / scale})")
        window = _draw_window(moved, -air / scale, -air / scale, side / scale, side / scale)
        covers[key] = _read_alpha(to_png(window, scale)) >= HALF
    cover = covers[key]
    x0, y0 = left - air, top - air
    rows = slice(max(y0, 0), max(min(y0 + cover.shape[0], owners.shape[0]), 0))
    columns = slice(max(x0, 0), max(min(x0 + cover.shape[1], owners.shape[1]), 0))
    part = cover[rows.start - y0 : rows.stop - y0, columns.start - x0 : columns.stop - x0]
    owners[rows, columns][part] = number


def _draw_window(content: str, x: float, y: float, width: float, height: float) -> str:
    """Return an SVG of a window in scene coordinates."""
    # Numbers whole: rounding here would move the drawing against the pixels.
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x!r} {y!r} {width!r} {height!r}" '
        f'width="{width!r}" height="{height!r}">{content}</svg>'
    )


def _read_alpha(png: bytes) -> npt.NDArray[np.uint8]:
    """Return the alpha channel of a PNG."""
    with naming_extra():
        from PIL import Image

    with Image.open(io.BytesIO(png)) as picture:
        return np.asarray(picture.convert("RGBA"))[:, :, 3]


def _make_region(seen: Truths, size: Size, outlines: bool) -> Region:
    """Return a mask of pixels as a region: a mask or its bounding box."""
    if outlines:
        return Mask(size, mask_runs(seen))
    rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
    return Box((int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1))
