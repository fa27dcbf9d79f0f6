"""Marks targets in pictures: a box, an arrow, a crop, or the position in words.

And numbers all candidates (set of marks).

The kind of mark affects a model's answer, so it is declared and part of the signature.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from referee.errors import InputError, naming_extra
from referee.geometry import Box, Corners, Mask, Polygon, Region, Size

if TYPE_CHECKING:
    from PIL.Image import Image

WAYS = ("box", "arrow", "crop", "words", "none")
RED, WHITE, BLACK = (230, 30, 40), (255, 255, 255), (0, 0, 0)
# Distinguishable with colour blindness (Okabe & Ito 2008).
COLOURS = ((0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (86, 180, 233), (230, 159, 0))


def bounds_of(region: Region, size: Size | None) -> Corners:
    """Return the box around a region, in pixels."""
    return region.on(size) if isinstance(region, Box) else region.bounds(size)


def mark_target(picture: Image, region: Region, way: str = "box") -> Image:
    """Return a copy of the picture with the target marked.

    ``words`` and ``none`` leave it unchanged (see `place_in_words`).
    """
    if way not in WAYS:
        raise InputError(f"{way!r} is no way to mark a target", remedy=f"mark is one of {', '.join(WAYS)}")
    size = Size(*picture.size)
    left, top, right, bottom = bounds_of(region, size)
    if way == "crop":
        return _crop_target(picture, (left, top, right, bottom))
    marked = picture.convert("RGB")
    if way in ("words", "none"):
        return marked
    with naming_extra():
        from PIL import ImageDraw

    pen = ImageDraw.Draw(marked)
    thick = max(2, round(max(picture.size) / 250))
    if way == "box":
        # Outside the region, so that the line covers nothing of it.
        pen.rectangle((left - thick, top - thick, right + thick, bottom + thick), outline=RED, width=thick)
    else:
        _draw_arrow(pen, (left, top, right, bottom), size, thick)
    return marked


def _crop_target(picture: Image, box: Corners) -> Image:
    """Return the target with a margin of a tenth of its size, within the picture."""
    left, top, right, bottom = box
    margin = max(right - left, bottom - top) / 10
    inside = (
        max(0, int(left - margin)),
        max(0, int(top - margin)),
        min(picture.size[0], int(right + margin) + 1),
        min(picture.size[1], int(bottom + margin) + 1),
    )
    return picture.convert("RGB").crop(inside)


def _draw_arrow(pen: object, box: Corners, size: Size, thick: int) -> None:
    """Draw an arrow whose tip touches the target's border, from the side with more room."""
    left, top, right, bottom = box
    middle = (top + bottom) / 2
    from_right = size.width - right > left
    tip = right + thick if from_right else left - thick
    reach = max(size.width / 12, 24)
    tail = tip + reach if from_right else tip - reach
    head = reach / 3 if from_right else -reach / 3
    draw = getattr(pen, "line"), getattr(pen, "polygon")  # noqa: B009 (Pillow's pen has no public type)
    draw[0]([(tail, middle), (tip + head, middle)], fill=RED, width=2 * thick)
    draw[1]([(tip, middle), (tip + head, middle - abs(head) / 1.6), (tip + head, middle + abs(head) / 1.6)], fill=RED)


def place_in_words(region: Region, size: Size | None) -> str:
    """Return a region's position in words, for a model without marks: proportions of the picture, from the left and
    from the top.

    >>> place_in_words(Box((64, 120, 320, 240)), Size(640, 480))
    'from 10 % to 50 % of the width (from the left) and from 25 % to 50 % of the height (from the top)'
    """
    if size is None and isinstance(region, Mask):
        size = region.size
    whole = size or Size(1, 1)
    left, top, right, bottom = bounds_of(region, whole)
    across = f"from {100 * left / whole.width:.0f} % to {100 * right / whole.width:.0f} %"
    down = f"from {100 * top / whole.height:.0f} % to {100 * bottom / whole.height:.0f} %"
    return f"{across} of the width (from the left) and {down} of the height (from the top)"


def number_marks(picture: Image, regions: Sequence[Region]) -> Image:
    """Return a copy of the picture with every region outlined and numbered from 1 in their order: a hearer answers with a number."""
    with naming_extra():
        from PIL import ImageDraw, ImageFont

    marked = picture.convert("RGB")
    pen = ImageDraw.Draw(marked)
    size = Size(*picture.size)
    thick = max(1, round(max(picture.size) / 400))
    font = ImageFont.load_default(max(12, round(max(picture.size) / 32)))
    for number, region in enumerate(regions, 1):
        colour = COLOURS[(number - 1) % len(COLOURS)]
        left, top, right, bottom = bounds_of(region, size)
        if isinstance(region, Polygon):
            pen.polygon(region.on(size), outline=colour, width=thick)
        else:
            pen.rectangle((left, top, right, bottom), outline=colour, width=thick)
        # In the corner, inside the picture even where the region begins at its border.
        box = pen.textbbox((max(0, left), max(0, top)), str(number), font=font)
        pen.rectangle((box[0] - 2, box[1] - 2, box[2] + 2, box[3] + 2), fill=colour)
        pen.text((max(0, left), max(0, top)), str(number), fill=WHITE, font=font)
    return marked
