"""How far places overlap: arrays of boxes at once, outlines and masks one by one.

All numbers are pixels of the original picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import naming_extra
from referee.geometry import Box, Convention, Mask, NeedsSize, Order, Polygon, Region, Size

Truths = npt.NDArray[np.bool_]
# As many boxes as stay in the processor's own memory while they are worked on: twice as fast as all at once.
BLOCK = 8192


def iou(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return intersection over union of boxes side by side, as (n, 4) arrays of left, top, right, bottom.

    0 where a box is empty, NaN where one is missing.

    >>> iou(np.array([[0.0, 0, 2, 2]]), np.array([[1.0, 0, 3, 2]])).round(3)
    array([0.333])
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    shares = np.empty(len(first))
    for start in range(0, len(first), BLOCK):
        part = slice(start, start + BLOCK)
        shares[part] = _compute_iou_block(np.ascontiguousarray(first[part].T), np.ascontiguousarray(second[part].T))
    return shares


def _compute_iou_block(first: FloatArray, second: FloatArray) -> FloatArray:
    """Return the IoU of two arrays of boxes in corner-major order."""
    width = np.minimum(first[2], second[2])
    width -= np.maximum(first[0], second[0])
    height = np.minimum(first[3], second[3])
    height -= np.maximum(first[1], second[1])
    np.maximum(width, 0.0, out=width)
    np.maximum(height, 0.0, out=height)
    width *= height  # the intersection
    union = _compute_areas(first)
    union += _compute_areas(second)
    union -= width
    # Two empty boxes at one place share nothing, rather than everything.
    shares: FloatArray = np.divide(width, union, out=np.where(np.isnan(union), np.nan, 0.0), where=union > 0)
    return shares


def _compute_areas(boxes: FloatArray) -> FloatArray:
    """Return the areas of boxes."""
    wide, tall = boxes[2] - boxes[0], boxes[3] - boxes[1]
    area: FloatArray = np.maximum(wide, 0.0, out=wide)
    area *= np.maximum(tall, 0.0, out=tall)
    return area


def inside(points: FloatArray, boxes: FloatArray) -> Truths:
    """Return whether points (n, 2) are inside boxes (n, 4), borders included."""
    held = (points >= boxes[:, :2]) & (points <= boxes[:, 2:])
    both: Truths = held[:, 0] & held[:, 1]
    return both


def centres(boxes: FloatArray) -> FloatArray:
    middle: FloatArray = (boxes[:, :2] + boxes[:, 2:]) / 2
    return middle


def distance(points: FloatArray, boxes: FloatArray) -> FloatArray:
    """Return how far points are from boxes, in pixels; 0 inside."""
    beyond = np.maximum(boxes[:, :2] - points, points - boxes[:, 2:])
    far: FloatArray = np.hypot(*np.maximum(beyond, 0.0).T)
    return far


def on_pixels(numbers: FloatArray, convention: Convention, sizes: Sequence[Size | None]) -> FloatArray:
    """Return many boxes (n, 4) of one convention on their pictures.

    NaN where the picture's size is needed and unknown.
    """
    a, b, c, d = np.asarray(numbers, dtype=float).reshape(-1, 4).T
    if convention.order is Order.XYWH:
        c, d = a + c, b + d
    elif convention.order is Order.CXCYWH:
        a, b, c, d = a - c / 2, b - d / 2, a + c / 2, b + d / 2
    elif convention.order is Order.YXYX:
        a, b, c, d = b, a, d, c
    across, down, x, y = _make_frames(convention, sizes)
    return np.stack([a / across - x, b / down - y, c / across - x, d / down - y], axis=1)


def points_on_pixels(numbers: FloatArray, convention: Convention, sizes: Sequence[Size | None]) -> FloatArray:
    """Return many points (n, 2) of one convention on their pictures."""
    a, b = np.asarray(numbers, dtype=float).reshape(-1, 2).T
    x, y = (a, b) if convention.order is Order.XY else (b, a)
    across, down, left, top = _make_frames(convention, sizes)
    return np.stack([x / across - left, y / down - top], axis=1)


def _make_frames(convention: Convention, sizes: Sequence[Size | None]) -> tuple[Any, Any, Any, Any]:
    """Return steps for a pixel across and down, and where the original picture begins."""
    if convention.unit.steps is None and convention.sent is None:
        return 1.0, 1.0, 0.0, 0.0
    # As one number each, for sizes are compared a million times.
    marks = np.fromiter((0 if s is None else s.width << 32 | s.height for s in sizes), dtype=np.int64, count=len(sizes))
    _, first, of = np.unique(marks, return_index=True, return_inverse=True)
    frames = np.array([_make_frame(convention, sizes[i]) for i in first.tolist()], dtype=float).reshape(-1, 4)[of]
    return frames[:, 0], frames[:, 1], frames[:, 2], frames[:, 3]


def _make_frame(convention: Convention, size: Size | None) -> tuple[float, float, float, float]:
    """Return scale and origin of a convention; NaN if it needs an unknown size."""
    try:
        across, down = convention.factors(size)
    except NeedsSize:
        return np.nan, np.nan, 0.0, 0.0
    left, top = convention.origin(size)
    return float(across), float(down), float(left), float(top)


# -- outlines and masks ------------------------------------------------------------------------------------------------------


def region_holds(region: Region, x: float, y: float, size: Size | None) -> bool:
    """Return whether a point is in a region; the border is inside."""
    if isinstance(region, Box):
        left, top, right, bottom = region.on(size)
        return left <= x <= right and top <= y <= bottom
    if isinstance(region, Mask):
        return _mask_holds(region, x, y)
    with naming_extra():
        import shapely

    return bool(shapely.intersects_xy(_outline(region, size), x, y))


def _mask_holds(mask: Mask, x: float, y: float) -> bool:
    """Return whether a mask contains a point; a point on a pixel border belongs to the pixels on both sides."""
    grid = _unpack_mask(mask)
    columns = {c for c in (int(np.floor(x)), int(np.ceil(x)) - 1) if 0 <= c < mask.size.width}
    rows = {r for r in (int(np.floor(y)), int(np.ceil(y)) - 1) if 0 <= r < mask.size.height}
    return any(bool(grid[r, c]) for r in rows for c in columns)


def region_iou(first: Region, second: Region, size: Size | None) -> float:
    """Return intersection over union of any two regions: by pixels where one is a mask, by outlines elsewhere."""
    if isinstance(first, Mask) or isinstance(second, Mask):
        picture = first.size if isinstance(first, Mask) else second.size if isinstance(second, Mask) else size
        ours, theirs = _rasterise_region(first, picture, size), _rasterise_region(second, picture, size)
        if ours.shape != theirs.shape:
            return 0.0
        union = int((ours | theirs).sum())
        return int((ours & theirs).sum()) / union if union else 0.0
    ours, theirs = _outline(first, size), _outline(second, size)
    union = ours.union(theirs).area
    return float(ours.intersection(theirs).area / union) if union else 0.0


def region_area(region: Region, size: Size | None) -> float:
    """Return the area of a region in pixels of its picture."""
    if isinstance(region, Mask):
        return float(region.area)
    if isinstance(region, Box):
        left, top, right, bottom = region.on(size)
        return max(0.0, right - left) * max(0.0, bottom - top)
    return float(_outline(region, size).area)


def region_distance(region: Region, x: float, y: float, size: Size | None) -> float:
    """Return how far a point is from a region, in pixels; 0 inside."""
    if isinstance(region, Mask):
        rows, columns = np.nonzero(_unpack_mask(region))
        if not len(rows):
            return float("nan")
        boxes = np.stack([columns, rows, columns + 1, rows + 1], axis=1).astype(float)
        return float(distance(np.broadcast_to([x, y], (len(rows), 2)), boxes).min())
    with naming_extra():
        import shapely

    return float(shapely.distance(_outline(region, size), shapely.Point(x, y)))


@lru_cache(maxsize=1024)
def _outline(region: Box | Polygon, size: Size | None) -> Any:
    """Return a region as a shapely polygon."""
    with naming_extra():
        import shapely

    if isinstance(region, Box):
        left, top, right, bottom = region.on(size)
        return shapely.box(left, top, max(left, right), max(top, bottom))
    drawn = shapely.Polygon(region.on(size))
    # Hand-drawn outlines may cross themselves; the enclosed area is still clear.
    return drawn if drawn.is_valid else shapely.make_valid(drawn)


@lru_cache(maxsize=64)
def _unpack_mask(mask: Mask) -> Truths:
    """Return a mask as a boolean array."""
    runs = np.repeat(np.arange(len(mask.counts)) % 2 == 1, mask.counts)
    # Runs go down the columns.
    return runs.reshape(mask.size.width, mask.size.height).T


def _rasterise_region(region: Region, picture: Size | None, size: Size | None) -> Truths:
    """Return a region as pixels: those whose centre it covers."""
    if isinstance(region, Mask):
        return _unpack_mask(region)
    assert picture is not None  # one of the two is a mask, which knows its picture
    return covered_pixels(region, picture, size)


def covered_pixels(region: Box | Polygon, picture: Size, size: Size | None = None) -> Truths:
    """Return the pixels of a picture whose middle a region covers."""
    with naming_extra():
        import shapely

    across, down = np.meshgrid(np.arange(picture.width) + 0.5, np.arange(picture.height) + 0.5)
    covered: Truths = shapely.intersects_xy(_outline(region, size or picture), across, down)
    return covered
