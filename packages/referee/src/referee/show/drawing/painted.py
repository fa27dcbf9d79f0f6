"""The result of a painter: SVG in a box of 100 by 100, and the attributes that it shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from referee.records import Entity
from referee.show.drawing.ink import group, number

BOX = 100.0
# The lower edge of a cube: scaled objects keep their foot there.
FLOOR = 94.0


class Painted(NamedTuple):
    """A picture, and the names of the attributes that it shows."""

    marks: str
    shown: frozenset[str]


def scale_about_centre(marks: str, scale: float) -> str:
    """Return a picture scaled about its centre."""
    shift = number(50 * (1 - scale))
    return group(marks, transform=f"translate({shift} {shift}) scale({number(scale)})") if scale != 1 else marks


def scale_about_floor(marks: str, scale: float) -> str:
    """Return a picture scaled about the floor of its cell."""
    left, top = number(50 * (1 - scale)), number(FLOOR * (1 - scale))
    return group(marks, transform=f"translate({left} {top}) scale({number(scale)})") if scale != 1 else marks


# -- sizes -----------------------------------------------------------------------------------------------------------------


SCALES = {"large": 1.0, "big": 1.0, "medium": 0.75, "regular": 0.75, "small": 0.52}
# Between large and medium, so that no size is suggested.
UNSAID = 0.8
STANDING = 0.72  # from the floor to the middle of a cube's upper face, where the next object stands, in cells


def get_scale(values: Mapping[str, str]) -> tuple[float, tuple[str, ...]]:
    """Return the scale and the attribute that specifies it (none where the size is missing or unknown)."""
    scale = SCALES.get(values.get("size", ""))
    return (UNSAID, ()) if scale is None else (scale, ("size",))


def get_height(entity: Entity) -> float:
    """Return the height at which something on top of this entity begins, in cells."""
    return STANDING * get_scale({p.name: p.value for p in entity.attributes})[0]
