"""TUNA's furniture: chair, sofa, desk and fan in four orientations (van Deemter et al. 2006)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import cos, pi, sin

from referee.show.drawing.colours import PLAIN, get_colour, mix, outline
from referee.show.drawing.ink import Point
from referee.show.drawing.painted import Painted, get_scale, scale_about_centre
from referee.show.drawing.solids import TURNS, Block, Drum, Part, Spot, render

WOOD = "#8a6a4a"
METAL = "#5c6168"


def paint_furniture(values: Mapping[str, str]) -> Painted | None:
    """Return the picture of a piece of furniture; None for anything else."""
    kind = values.get("type", "")
    if kind not in THINGS:
        return None
    colour, colour_names = get_colour(values) or (PLAIN, ())
    scale, size_names = get_scale(values)
    facing = values.get("orientation", "")
    shown = {"type", *colour_names, *size_names, *(["orientation"] if facing in TURNS else [])}
    # Where no orientation is said the front is drawn, and not counted as shown.
    picture = _draw_view(kind, colour, facing if facing in TURNS else "front")
    return Painted(scale_about_centre(picture, scale), frozenset(shown))


@lru_cache(maxsize=256)
def _draw_view(kind: str, colour: str, facing: str) -> str:
    return render(THINGS[kind](colour), facing, outline(colour))


def _build_chair(colour: str) -> list[Part]:
    """Return the blocks of a chair."""
    dark = mix(colour, "#000000", 0.25)
    legs = [Block(low=(x, 0, z), high=(x + 5, 30, z + 5), colour=dark) for x in (-24, 19) for z in (-24, 19)]
    slats = tuple(_build_rectangle((-17, y), (17, y + 6), z=-24.1, towards=-1, colour=dark) for y in (47, 60, 73))
    pad = _build_rectangle((-18, 42), (18, 82), z=-17.9, towards=1, colour=mix(colour, "#ffffff", 0.3))
    return [
        *legs,
        Block(low=(-26, 30, -18), high=(26, 37, 26), colour=colour),
        Block(low=(-26, 30, -24), high=(26, 88, -18), colour=colour, spots=(pad, *slats)),
    ]


def _build_sofa(colour: str) -> list[Part]:
    """Return the blocks of a sofa."""
    light, dark = mix(colour, "#ffffff", 0.18), mix(colour, "#000000", 0.12)
    feet = [Block(low=(x, 0, z), high=(x + 6, 6, z + 6), colour=WOOD) for x in (-44, 38) for z in (-20, 16)]
    piping = tuple(
        _build_rectangle((-33, y), (33, y + 1), z=-22.1, towards=-1, colour=outline(colour)) for y in (14, 52)
    )
    return [
        *feet,
        Block(low=(-36, 6, -22), high=(36, 58, -10), colour=colour, spots=piping),
        Block(low=(-47, 6, -20), high=(-36, 40, 24), colour=colour),
        Block(low=(36, 6, -20), high=(47, 40, 24), colour=colour),
        Block(low=(-36, 6, -10), high=(36, 20, 24), colour=dark),
        Block(low=(-36, 20, -2), high=(0, 30, 25), colour=light),
        Block(low=(0, 20, -2), high=(36, 30, 25), colour=light),
        Block(low=(-35, 20, -10), high=(0, 53, -2), colour=light),
        Block(low=(0, 20, -10), high=(35, 53, -2), colour=light),
    ]


def _build_rectangle(low: Point, high: Point, *, z: float, towards: int, colour: str) -> Spot:
    """Return an upright rectangle on the front or the back of a part."""
    corners = ((low[0], low[1], z), (high[0], low[1], z), (high[0], high[1], z), (low[0], high[1], z))
    return Spot(corners=corners, outward=(0, 0, towards), colour=colour)


def _build_desk(colour: str) -> list[Part]:
    """Return the blocks of a desk."""
    dark = mix(colour, "#000000", 0.2)
    return [
        Block(low=(-44, 0, -20), high=(-20, 52, 20), colour=dark),
        Block(low=(20, 0, -20), high=(44, 52, 20), colour=dark),
        Block(low=(-20, 10, -20), high=(20, 52, -16), colour=dark),
        *(
            drawer
            for x in (-42, 22)
            for y in (3, 19, 35)
            for drawer in _build_drawer(x, y, mix(colour, "#ffffff", 0.3))
        ),
        Block(low=(-47, 52, -24), high=(47, 58, 26), colour=colour),
        Block(low=(-47, 58, -24), high=(47, 76, -18), colour=colour),
    ]


def _build_drawer(x: float, y: float, colour: str) -> list[Part]:
    """Return the blocks of a drawer."""
    return [
        Block(low=(x, y, 20), high=(x + 20, y + 14, 22), colour=colour),
        Block(low=(x + 6, y + 6, 22), high=(x + 14, y + 9, 25), colour=METAL),
    ]


def _build_fan(colour: str) -> list[Part]:
    """Return the parts of a fan."""
    head = 59.0
    cage, hub = mix(colour, "#ffffff", 0.75), mix(colour, "#000000", 0.15)
    blades = tuple(Spot(corners=_build_blade(turn, head, 3.1), outward=(0, 0, 1), colour=colour) for turn in range(3))
    vents = tuple(
        _build_rectangle((-7, y), (7, y + 2.2), z=-24.1, towards=-1, colour=outline(colour))
        for y in (head - 6, head - 1, head + 4)
    )
    face = (_build_disc(head, 28, 3.05, 1, cage), *blades, _build_disc(head, 6.5, 3.2, 1, outline(colour)))
    rim = mix(colour, "#000000", 0.1)
    # narrower towards the back, so that a fan from the side has a front and a back
    return [
        Drum(centre=(0, 3, -6), radius=24, length=6, colour=colour),
        Block(low=(-3.5, 6, -15), high=(3.5, head - 18, -9), colour=hub),
        Drum(centre=(0, head, 0), radius=31, length=6, colour=rim, lying=True, spots=face),
        Drum(centre=(0, head, -6), radius=25, length=6, colour=colour, lying=True),
        Drum(centre=(0, head, -12), radius=18, length=6, colour=colour, lying=True),
        Drum(centre=(0, head, -19.5), radius=11.5, length=9, colour=colour, lying=True, spots=vents),
    ]


def _build_disc(y: float, radius: float, z: float, towards: int, colour: str) -> Spot:
    corners = tuple((radius * cos(pi * i / 24), y + radius * sin(pi * i / 24), z) for i in range(48))
    return Spot(corners=corners, outward=(0, 0, towards), colour=colour)


def _build_blade(turn: int, y: float, z: float) -> tuple[tuple[float, float, float], ...]:
    """Return the corners of one blade of a fan."""
    start = pi / 2 + turn * 2 * pi / 3
    outer = [(26.0, start + 0.85 * i / 8 - 0.1) for i in range(9)]
    points = [(4.0, start - 0.5), (16.0, start - 0.35), *outer, (14.0, start + 0.5), (4.0, start + 0.6)]
    return tuple((r * cos(a), y + r * sin(a), z) for r, a in points)


THINGS: dict[str, Callable[[str], list[Part]]] = {
    "chair": _build_chair,
    "sofa": _build_sofa,
    "desk": _build_desk,
    "fan": _build_fan,
}
