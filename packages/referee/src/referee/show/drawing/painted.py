"""The result of a painter: SVG in a box of 100 by 100, and the attributes that it shows."""

from __future__ import annotations

from typing import NamedTuple

from referee.show.drawing.ink import group, number

BOX = 100.0
# The lower edge of a cube: what stands keeps its foot there when it is made smaller.
FLOOR = 94.0


class Painted(NamedTuple):
    """A picture, and the names of the attributes that it shows."""

    marks: str
    shown: frozenset[str]


def scaled(marks: str, scale: float) -> str:
    """Return a picture scaled about its centre."""
    shift = number(50 * (1 - scale))
    return group(marks, transform=f"translate({shift} {shift}) scale({number(scale)})") if scale != 1 else marks


def standing(marks: str, scale: float) -> str:
    """Return a picture scaled about the floor of its cell."""
    left, top = number(50 * (1 - scale)), number(FLOOR * (1 - scale))
    return group(marks, transform=f"translate({left} {top}) scale({number(scale)})") if scale != 1 else marks
