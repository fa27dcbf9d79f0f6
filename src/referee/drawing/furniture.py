"""TUNA's furniture: chair, sofa, desk and fan in any colour, facing four ways, large or small (van Deemter, van der Sluis & Gatt 2006)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from referee.drawing.colours import PLAIN, colour_of, mix, outline
from referee.drawing.ink import ellipse, group
from referee.drawing.painting import Painted, scaled
from referee.drawing.sizes import scale_of
from referee.drawing.solids import TURNS, Box, Drum, Part, Spot, render

__all__ = ["paint_furniture"]

WOOD = "#8a6a4a"
METAL = "#5c6168"


def paint_furniture(values: Mapping[str, str]) -> Painted | None:
    """A piece of furniture, or None where it is something else."""
    build = THINGS.get(values.get("type", ""))
    if build is None:
        return None
    colour, colour_said = colour_of(values) or (PLAIN, ())
    scale, size_said = scale_of(values)
    facing = values.get("orientation", "")
    shown = {"type", *colour_said, *size_said, *(["orientation"] if facing in TURNS else [])}
    picture = render(build(colour), facing if facing in TURNS else "front", outline(colour))
    shadow = ellipse(50, 86, 42, 7, "#000000", fill_opacity=0.08)
    return Painted(scaled(group(shadow + picture), scale), frozenset(shown))


def _chair(colour: str) -> list[Part]:
    dark = mix(colour, "#000000", 0.25)
    legs = [Box(low=(x, 0, z), high=(x + 5, 30, z + 5), colour=dark) for x in (-24, 19) for z in (-24, 19)]
    rails = tuple(
        Spot(
            corners=((-17, y, -24.1), (17, y, -24.1), (17, y + 6, -24.1), (-17, y + 6, -24.1)),
            outward=(0, 0, -1),
            colour=dark,
        )
        for y in (47, 60, 73)
    )
    cushion = Spot(
        corners=((-18, 42, -17.9), (18, 42, -17.9), (18, 82, -17.9), (-18, 82, -17.9)),
        outward=(0, 0, 1),
        colour=mix(colour, "#ffffff", 0.3),
    )
    return [
        *legs,
        Box(low=(-26, 30, -18), high=(26, 37, 26), colour=colour),
        Box(low=(-26, 30, -24), high=(26, 88, -18), colour=colour, spots=(cushion, *rails)),
    ]


def _sofa(colour: str) -> list[Part]:
    light = mix(colour, "#ffffff", 0.18)
    feet = [Box(low=(x, 0, z), high=(x + 6, 6, z + 6), colour=WOOD) for x in (-44, 38) for z in (-20, 16)]
    seam = Spot(
        corners=((-0.6, 10, -22.1), (0.6, 10, -22.1), (0.6, 56, -22.1), (-0.6, 56, -22.1)),
        outward=(0, 0, -1),
        colour=outline(colour),
    )
    return [
        *feet,
        Box(low=(-46, 6, -22), high=(46, 58, -10), colour=colour, spots=(seam,)),
        Box(low=(-46, 6, -10), high=(-35, 40, 24), colour=colour),
        Box(low=(35, 6, -10), high=(46, 40, 24), colour=colour),
        Box(low=(-35, 6, -10), high=(35, 20, 24), colour=mix(colour, "#000000", 0.12)),
        Box(low=(-35, 20, -2), high=(0, 30, 25), colour=light),
        Box(low=(0, 20, -2), high=(35, 30, 25), colour=light),
        Box(low=(-34, 20, -10), high=(0, 53, -2), colour=light),
        Box(low=(0, 20, -10), high=(34, 53, -2), colour=light),
    ]


def _desk(colour: str) -> list[Part]:
    dark = mix(colour, "#000000", 0.2)
    return [
        Box(low=(-44, 0, -20), high=(-20, 52, 20), colour=dark),
        Box(low=(20, 0, -20), high=(44, 52, 20), colour=dark),
        Box(low=(-20, 10, -20), high=(20, 52, -16), colour=dark),
        *(drawer for x in (-42, 22) for y in (3, 19, 35) for drawer in _drawer(x, y, mix(colour, "#ffffff", 0.3))),
        Box(low=(-47, 52, -24), high=(47, 58, 26), colour=colour),
        Box(low=(-47, 58, -24), high=(47, 76, -18), colour=colour),
    ]


def _drawer(x: float, y: float, colour: str) -> list[Part]:
    return [
        Box(low=(x, y, 20), high=(x + 20, y + 14, 22), colour=colour),
        Box(low=(x + 6, y + 6, 22), high=(x + 14, y + 9, 25), colour=METAL),
    ]


def _fan(colour: str) -> list[Part]:
    head = 66.0
    cage, hub = mix(colour, "#ffffff", 0.75), mix(colour, "#000000", 0.15)
    blades = tuple(Spot(corners=_blade(turn, head, 4.1), outward=(0, 0, 1), colour=colour) for turn in range(3))
    vents = tuple(
        Spot(
            corners=((-9, y, -20.1), (9, y, -20.1), (9, y + 2.5, -20.1), (-9, y + 2.5, -20.1)),
            outward=(0, 0, -1),
            colour=outline(colour),
        )
        for y in (head - 8, head - 2, head + 4)
    )
    return [
        Drum(centre=(0, 3, 0), radius=24, length=6, colour=colour),
        Box(low=(-3.5, 6, -16), high=(3.5, 56, -9), colour=hub),
        Drum(
            centre=(0, head, 0),
            radius=31,
            length=8,
            colour=mix(colour, "#000000", 0.1),
            lying=True,
            spots=(
                _disc(head, 28, 4.05, 1, cage),
                *blades,
                _disc(head, 6.5, 4.2, 1, outline(colour)),
                _disc(head, 28, -4.05, -1, mix(colour, "#ffffff", 0.35)),
            ),
        ),
        Drum(centre=(0, head, -12), radius=15, length=16, colour=colour, lying=True, spots=vents),
    ]


def _disc(y: float, radius: float, z: float, towards: int, colour: str) -> Spot:
    corners = tuple((radius * cos(pi * i / 24), y + radius * sin(pi * i / 24), z) for i in range(48))
    return Spot(corners=corners, outward=(0, 0, towards), colour=colour)


def _blade(turn: int, y: float, z: float) -> tuple[tuple[float, float, float], ...]:
    start = pi / 2 + turn * 2 * pi / 3
    outer = [(26.0, start + 0.85 * i / 8 - 0.1) for i in range(9)]
    points = [(4.0, start - 0.5), (16.0, start - 0.35), *outer, (14.0, start + 0.5), (4.0, start + 0.6)]
    return tuple((r * cos(a), y + r * sin(a), z) for r, a in points)


THINGS: dict[str, Callable[[str], list[Part]]] = {"chair": _chair, "sofa": _sofa, "desk": _desk, "fan": _fan}
