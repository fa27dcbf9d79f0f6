"""Boxes, points and masks in a picture.

Numbers with their convention (unit, order, picture as sent or original), so that they cannot be misread.

A `Convention` is written as text, and read back from it: ``pixels xyxy``, ``0-1000 xyxy``, ``percent xy``, ``pixels
xyxy sent:qwen28``. Comparisons use the original picture: `Box.on`, `Point.on` return its pixels, exactly (in fractions,
rounded once in the end). A point on the border is inside.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isfinite, sqrt

from msgspec import Struct

from referee.record_base import Record

__all__ = [
    "PIXELS",
    "Box",
    "Convention",
    "Mask",
    "NeedsSize",
    "Order",
    "Place",
    "PlaceBase",
    "Point",
    "Polygon",
    "Region",
    "RegionBase",
    "Resize",
    "ScenePicture",
    "Size",
    "Unit",
    "WrongConvention",
]

Corners = tuple[float, float, float, float]


class WrongConvention(ValueError):
    """An invalid convention, or numbers that do not fit their declared convention."""


class NeedsSize(WrongConvention):
    """Shares of a picture cannot become pixels while its size is unknown."""


class Unit(StrEnum):
    """The unit of a number.

    >>> Unit("0-1000").steps, Unit("pixels").steps
    (1000, None)
    """

    PIXELS = "pixels"
    SHARE = "0-1"
    PERCENT = "percent"
    OF_999 = "0-999"
    OF_1000 = "0-1000"
    OF_1024 = "0-1024"

    @property
    def steps(self) -> int | None:
        """How many of them make up a side of the picture; None for pixels."""
        return _STEPS[self]


_STEPS = {
    Unit.PIXELS: None,
    Unit.SHARE: 1,
    Unit.PERCENT: 100,
    Unit.OF_999: 999,
    Unit.OF_1000: 1000,
    Unit.OF_1024: 1024,
}


class Order(StrEnum):
    """Which number is which; `xy` is a point's.

    >>> Order("xywh") is Order.XYWH
    True
    """

    XYXY = "xyxy"
    XYWH = "xywh"
    CXCYWH = "cxcywh"
    YXYX = "yxyx"
    XY = "xy"
    YX = "yx"

    def corners(self, a: Fraction, b: Fraction, c: Fraction, d: Fraction) -> tuple[Fraction, ...]:
        """Return left, top, right, bottom."""
        if self is Order.XYWH:
            return a, b, a + c, b + d
        if self is Order.CXCYWH:
            return a - c / 2, b - d / 2, a + c / 2, b + d / 2
        return (b, a, d, c) if self is Order.YXYX else (a, b, c, d)

    def written(self, x1: Fraction, y1: Fraction, x2: Fraction, y2: Fraction) -> tuple[Fraction, ...]:
        """Return the four numbers for given corners, the inverse of `corners`."""
        if self is Order.XYWH:
            return x1, y1, x2 - x1, y2 - y1
        if self is Order.CXCYWH:
            return (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
        return (y1, x1, y2, x2) if self is Order.YXYX else (x1, y1, x2, y2)


class Size(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """Width and height of a picture in pixels.

    >>> str(Size(640, 480))
    '640x480'
    """

    width: int
    height: int

    def __post_init__(self) -> None:
        if self.width < 1 or self.height < 1:
            raise WrongConvention(f"a picture of {self.width} x {self.height} pixels")

    def __str__(self) -> str:
        return f"{self.width}x{self.height}"

    def scaled(self, by: Fraction) -> Size:
        """Return both sides times a factor, rounded, at least one pixel."""
        return Size(max(1, round(self.width * by)), max(1, round(self.height * by)))


@dataclass(frozen=True, slots=True)
class Resize:
    """How a picture was resized on its way to a model, as text.

    ``longest-768`` shrinks a picture whose longest side is longer; ``longest-768-always`` enlarges smaller ones too. ``area-1048576`` shrinks a picture with
    more pixels. ``1036x1036`` is one size for all, ``by-1.0117`` one factor where the sizes are unknown. ``square`` pads a picture on both sides until it is
    as high as wide (Shikra's `expand2square`); ``square-336`` then resizes that to 336 x 336.

    ``qwen28`` is `smart_resize` of Qwen2-VL and Qwen2.5-VL (qwen_vl_utils/vision_process.py): both sides a multiple of 28, rounded to the nearest (halves to
    even, as Python does), between 4·28² and 16,384·28² pixels. ``qwen28-1003520`` sets another upper limit.

    >>> Resize("qwen28").sent(Size(1024, 1024))
    Size(width=1036, height=1036)
    """

    rule: str

    def __post_init__(self) -> None:
        if not re.fullmatch(
            r"(?:qwen28|area)(-[1-9]\d{0,11})?(?<!area)|square(-[1-9]\d{0,5})?|longest-[1-9]\d{0,5}(-always)?|[1-9]\d{0,5}x[1-9]\d{0,5}|by-[1-9]?\d(\.\d{1,9})?",
            self.rule,
        ):
            raise WrongConvention(
                f"no way of resizing is called {self.rule!r}; write qwen28, longest-768, longest-768-always, area-1048576,"
                " 1036x1036, by-1.0117, square or square-336"
            )

    def sent(self, size: Size) -> Size:
        """Return the size of the picture as the model saw it."""
        kind, _, limit = self.rule.partition("-")
        longest = max(size.width, size.height)
        if kind == "qwen28":
            return _compute_smart_size(size, int(limit) if limit else 16384 * 28 * 28)
        if kind == "square":
            return Size(int(limit), int(limit)) if limit else Size(longest, longest)
        if kind == "longest":
            by = Fraction(int(limit.removesuffix("-always")), longest)
            return size.scaled(by if limit.endswith("-always") else min(Fraction(1), by))
        if kind == "area":
            return size.scaled(Fraction(min(1.0, sqrt(int(limit) / (size.width * size.height)))))
        if kind == "by":
            return size.scaled(Fraction(limit))
        width, _, height = self.rule.partition("x")
        return Size(int(width), int(height))

    def factors(self, size: Size | None) -> tuple[Fraction, Fraction]:
        """Return pixels as sent for one pixel of the original, across and down."""
        if self.rule.startswith("by-"):
            return Fraction(self.rule[3:]), Fraction(self.rule[3:])
        if size is None:
            raise NeedsSize(f"pixels as sent ({self.rule}) need the picture's size")
        sent = self.sent(size)
        if self.pads:
            by = Fraction(sent.width, max(size.width, size.height))
            return by, by
        return Fraction(sent.width, size.width), Fraction(sent.height, size.height)

    @property
    def pads(self) -> bool:
        """Return whether the picture was padded, so that proportions refer to more than the picture."""
        return self.rule.startswith("square")

    def padding(self, size: Size) -> tuple[int, int]:
        """Return pixels of the original put on the left and on top."""
        longest = max(size.width, size.height)
        return ((longest - size.width) // 2, (longest - size.height) // 2) if self.pads else (0, 0)


def _compute_smart_size(size: Size, most: int, step: int = 28) -> Size:
    """Return the size after Qwen's smart resize."""
    least = 4 * step * step
    width, height = (max(step, round(side / step) * step) for side in (size.width, size.height))
    if width * height > most:
        by = sqrt(size.width * size.height / most)
        width, height = (max(step, floor(side / by / step) * step) for side in (size.width, size.height))
    elif width * height < least:
        by = sqrt(least / (size.width * size.height))
        width, height = (ceil(side * by / step) * step for side in (size.width, size.height))
    return Size(width, height)


@dataclass(frozen=True, slots=True)
class Convention:
    """The convention of numbers about a picture.

    Args:
        unit: the unit of the numbers.
        order: the order of the numbers.
        sent: how the picture was resized before the numbers were given; None if they refer to the original.

    >>> str(Convention.of("0-1000 xyxy"))
    '0-1000 xyxy'
    >>> Convention.of("pixels xyxy sent:qwen28").sent
    Resize(rule='qwen28')
    """

    unit: Unit = Unit.PIXELS
    order: Order = Order.XYXY
    sent: Resize | None = None

    @classmethod
    def of(cls, text: str) -> Convention:
        """Return a convention from its text. Raises `WrongConvention` for unknown words."""
        return _parse_convention(text.strip())

    def __str__(self) -> str:
        return f"{self.unit} {self.order}" + (f" sent:{self.sent.rule}" if self.sent else "")

    def factors(self, size: Size | None) -> tuple[Fraction, Fraction]:
        """Return steps for one pixel of the original picture, across and down."""
        if self.unit.steps is None:
            return self.sent.factors(size) if self.sent else ONE_TO_ONE
        if size is None:
            raise NeedsSize(f"{self.unit} needs the picture's size")
        # A share of the picture is the same share however it was resized, unless it was padded.
        if self.sent and self.sent.pads:
            longest = max(size.width, size.height)
            return Fraction(self.unit.steps, longest), Fraction(self.unit.steps, longest)
        return Fraction(self.unit.steps, size.width), Fraction(self.unit.steps, size.height)

    def origin(self, size: Size | None) -> tuple[int, int]:
        """Return the position of the original picture inside the sent one, in its own pixels."""
        return self.sent.padding(size) if self.sent and size is not None else (0, 0)


ONE_TO_ONE = (Fraction(1), Fraction(1))


@lru_cache(maxsize=256)
def _parse_convention(text: str) -> Convention:
    """Return a convention from its words."""
    unit, order, sent = Unit.PIXELS, Order.XYXY, None
    for word in text.split():
        if word in list(Unit):
            unit = Unit(word)
        elif word in list(Order):
            order = Order(word)
        elif word.startswith("sent:"):
            sent = Resize(word[5:])
        else:
            known = ", ".join((*Unit, *Order))
            raise WrongConvention(
                f"{word!r} is not part of a convention; write two of {known}, as in 'pixels xyxy', and maybe sent:RULE"
            )
    return Convention(unit, order, sent)


PIXELS = Convention()


# No picture has as many pixels across; areas of larger numbers would overflow.
LARGEST = 1e9


def _check_finite(numbers: tuple[float, ...]) -> None:
    """Raise WrongConvention unless all numbers are finite and fit in a picture."""
    try:
        # Mostly plain numbers, and asked for every one that is read.
        plain = PLAIN.issuperset(map(type, numbers)) or all(isinstance(n, int | float) for n in numbers)
        finite = plain and all(map(isfinite, numbers)) and min(numbers) >= -LARGEST and max(numbers) <= LARGEST
    except OverflowError:  # a whole number of hundreds of digits
        finite = False
    if not finite:
        raise WrongConvention(f"{numbers!r:.80} cannot be coordinates in a picture: write numbers up to {LARGEST:g}")


PLAIN = frozenset({int, float})


class PlaceBase:
    """The base of all places: one class, because a decoder cannot choose between several."""

    __slots__ = ()


class RegionBase(PlaceBase):
    """The base of places with an area."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Point(PlaceBase):
    """A point: two numbers with their convention.

    >>> Point((50.0, 25.0), Convention.of("percent xy")).on(Size(640, 480))
    (320.0, 120.0)
    """

    numbers: tuple[float, float]
    convention: Convention = Convention(order=Order.XY)

    def __post_init__(self) -> None:
        _check_finite(self.numbers)
        if self.convention.order not in (Order.XY, Order.YX):
            raise WrongConvention(f"a point is xy or yx, not {self.convention.order}")

    def on(self, size: Size | None) -> tuple[float, float]:
        """Return x and y in pixels of the original picture."""
        x, y = self.numbers if self.convention.order is Order.XY else self.numbers[::-1]
        (across, down), (left, top) = self.convention.factors(size), self.convention.origin(size)
        return float(Fraction(x) / across - left), float(Fraction(y) / down - top)

    def to(self, convention: Convention, size: Size | None) -> Point:
        """Return the same place in another convention."""
        x, y = self.numbers if self.convention.order is Order.XY else self.numbers[::-1]
        (a, b), (c, d) = self.convention.factors(size), convention.factors(size)
        (left, top), (right, down) = self.convention.origin(size), convention.origin(size)
        there = float((Fraction(x) / a - left + right) * c), float((Fraction(y) / b - top + down) * d)
        return Point(there if convention.order is Order.XY else there[::-1], convention)


@dataclass(frozen=True, slots=True)
class Box(RegionBase):
    """A box: four numbers with their convention.

    >>> box = Box((10, 20, 30, 40), Convention.of("pixels xywh"))
    >>> box.on(None)
    (10.0, 20.0, 40.0, 60.0)
    >>> box.to(Convention.of("0-1 cxcywh"), Size(100, 100)).numbers
    (0.25, 0.4, 0.3, 0.4)
    """

    numbers: Corners
    convention: Convention = PIXELS

    def __post_init__(self) -> None:
        _check_finite(self.numbers)
        if self.convention.order in (Order.XY, Order.YX):
            raise WrongConvention(f"a box has four numbers, {self.convention.order} has two")

    def _corners(self, size: Size | None) -> tuple[Fraction, ...]:
        """Return the corners in original pixels, as fractions."""
        left, top, right, bottom = self.convention.order.corners(*map(Fraction, self.numbers))
        (across, down), (x, y) = self.convention.factors(size), self.convention.origin(size)
        return left / across - x, top / down - y, right / across - x, bottom / down - y

    def on(self, size: Size | None) -> Corners:
        """Return left, top, right and bottom in pixels of the original picture."""
        left, top, right, bottom = map(float, self._corners(size))
        return left, top, right, bottom

    def to(self, convention: Convention, size: Size | None) -> Box:
        """Return the same place in another convention."""
        left, top, right, bottom = self._corners(size)
        (across, down), (x, y) = convention.factors(size), convention.origin(size)
        corners = (left + x) * across, (top + y) * down, (right + x) * across, (bottom + y) * down
        a, b, c, d = map(float, convention.order.written(*corners))
        return Box((a, b, c, d), convention)

    @property
    def inverted(self) -> bool:
        """Return whether opposite edges are exchanged, because the order differs or by mistake."""
        return min(self._extent) < 0

    @property
    def empty(self) -> bool:
        """Return whether the box has no area: no width, no height, or inverted."""
        return min(self._extent) <= 0

    @property
    def _extent(self) -> tuple[int, int]:
        """Return the signs of width and height, by exact comparison instead of subtraction."""
        a, b, c, d = self.numbers
        if self.convention.order in (Order.XYWH, Order.CXCYWH):
            return (c > 0) - (c < 0), (d > 0) - (d < 0)
        return (c > a) - (c < a), (d > b) - (d < b)


@dataclass(frozen=True, slots=True)
class Polygon(RegionBase):
    """An outline, corner by corner, in pixels of the original picture unless the convention differs.

    >>> Polygon(((0, 0), (4, 0), (0, 3))).bounds(None)
    (0.0, 0.0, 4.0, 3.0)
    """

    points: tuple[tuple[float, float], ...]
    convention: Convention = Convention(order=Order.XY)

    def __post_init__(self) -> None:
        if len(self.points) < 3:
            raise WrongConvention(f"an outline of {len(self.points)} corners has no inside")
        for point in self.points:
            _check_finite(point)

    def on(self, size: Size | None) -> tuple[tuple[float, float], ...]:
        return tuple(Point(p, self.convention).on(size) for p in self.points)

    def bounds(self, size: Size | None) -> Corners:
        xs, ys = zip(*self.on(size), strict=True)
        return min(xs), min(ys), max(xs), max(ys)


@dataclass(frozen=True, slots=True)
class Mask(RegionBase):
    """Pixels of the original picture as run lengths, down the columns and starting outside (COCO's uncompressed RLE).

    >>> Mask(Size(2, 2), (1, 2, 1)).area
    2
    """

    size: Size
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if (
            any(not isinstance(n, int) or n < 0 for n in self.counts)
            or sum(self.counts) != self.size.width * self.size.height
        ):
            raise WrongConvention(f"runs of {sum(self.counts)} pixels in a picture of {self.size}")

    @property
    def area(self) -> int:
        return sum(self.counts[1::2])

    def oriented(self, picture: Size) -> Mask:
        """Return the same runs on a picture of this size: COCO writes height before width, and the picture's size shows which was meant.

        Raises:
            WrongConvention: if neither order fits the picture.
        """
        if self.size == picture:
            return self
        if (self.size.height, self.size.width) != (picture.width, picture.height):
            raise WrongConvention(f"a mask of {self.size} pixels in a picture of {picture}")
        return Mask(picture, self.counts)

    def bounds(self, size: Size | None = None) -> Corners:
        """Return the smallest box around it; all zeros for none."""
        height, at = self.size.height, 0
        left, top, right, bottom = self.size.width, height, 0, 0
        for i, run in enumerate(self.counts):
            if i % 2 and run:
                first, last = at // height, (at + run - 1) // height
                left, right = min(left, first), max(right, last + 1)
                # A run that goes on into the next column touches both borders.
                top = 0 if first != last else min(top, at % height)
                bottom = height if first != last else max(bottom, (at + run - 1) % height + 1)
            at += run
        return (float(left), float(top), float(right), float(bottom)) if right else (0.0, 0.0, 0.0, 0.0)


Region = Box | Polygon | Mask
Place = Point | Box | Polygon | Mask


class ScenePicture(Record, frozen=True, kw_only=True):
    """A picture on disk: path, size and hash.

    Args:
        path: a file, in the folder of its corpus.
        size: in pixels, as it is on disk.
        sha256: of its bytes, where known.

    >>> ScenePicture(path="images/1.png", size=Size(4, 3)).sha256 is None
    True
    """

    path: str
    size: Size | None = None
    sha256: str | None = None
