"""Balls, cubes and cones (GRE3D, Viethen & Dale 2008; Stars2), and the flat shapes of Stars."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import cos, pi, sin

from referee.show.drawing.colours import PLAIN, get_colour, mix, outline
from referee.show.drawing.ink import circle, ellipse, path, polygon, rect
from referee.show.drawing.painted import Painted, get_scale, scale_about_centre, scale_about_floor


def paint_shape(values: Mapping[str, str]) -> Painted | None:
    """Return the picture of a simple solid or flat shape; None for anything else."""
    kind = values.get("type", "")
    draw = SOLID.get(kind) or FLAT.get(kind)
    if draw is None:
        return None
    colour, colour_names = get_colour(values) or (PLAIN, ())
    scale, size_names = get_scale(values)
    marks = draw(colour)
    picture = scale_about_floor(marks, scale) if kind in SOLID else scale_about_centre(marks, scale)
    return Painted(picture, frozenset({"type", *colour_names, *size_names}))


def paint_patch(values: Mapping[str, str]) -> Painted | None:
    """Return a plain patch of colour (Colors in Context, Monroe et al. 2017); None without a colour."""
    colour_match = get_colour(values)
    # A colour and a size alone make a patch; whatever has a type, too, is a thing.
    if colour_match is None or not set(values) <= {*colour_match[1], "size"}:
        return None
    scale, size_names = get_scale(values)
    square = rect(6, 6, 88, 88, colour_match[0], rx=4, stroke="#d9d9d9", stroke_width=0.8)
    return Painted(scale_about_centre(square, scale if size_names else 1.0), frozenset({*colour_match[1], *size_names}))


def _draw_ball(colour: str) -> str:
    """Return a ball as SVG."""
    shadow = ellipse(50, 92, 34, 5, "#000000", fill_opacity=0.12)
    ball = circle(50, 56, 38, colour, stroke=outline(colour), stroke_width=1.2)
    shade = path(
        "M 16.5 74 A 38 38 0 0 0 83.5 74 A 52 44 0 0 1 16.5 74 Z", mix(colour, "#000000", 0.22), fill_opacity=0.85
    )
    shine = ellipse(37, 40, 10, 7, "#ffffff", fill_opacity=0.55, transform="rotate(-35 37 40)")
    return shadow + ball + shade + shine


def _draw_cube(colour: str) -> str:
    """Return a cube as SVG."""
    edge = {"stroke": outline(colour), "stroke_width": 1.2, "stroke_linejoin": "round"}
    shadow = polygon([(10, 94), (76, 94), (96, 80), (90, 78)], "#000000", fill_opacity=0.1)
    front = polygon([(12, 30), (74, 30), (74, 94), (12, 94)], colour, **edge)
    top = polygon([(12, 30), (28, 14), (90, 14), (74, 30)], mix(colour, "#ffffff", 0.42), **edge)
    side = polygon([(74, 30), (90, 14), (90, 78), (74, 94)], mix(colour, "#000000", 0.28), **edge)
    return shadow + front + top + side


def _draw_cone(colour: str) -> str:
    """Return a cone as SVG."""
    edge = {"stroke": outline(colour), "stroke_width": 1.2, "stroke_linejoin": "round"}
    shadow = ellipse(52, 86, 40, 8, "#000000", fill_opacity=0.1)
    body = path("M 50 10 L 84 82 A 34 10 0 0 1 16 82 Z", colour, **edge)
    shade = path("M 50 10 L 84 82 A 34 10 0 0 1 54 91.9 Z", mix(colour, "#000000", 0.24))
    return shadow + body + shade


def _draw_star(colour: str) -> str:
    """Return a star as SVG."""
    radii = (42.0, 17.5)
    points = [(50 + radii[i % 2] * sin(pi * i / 5), 53 - radii[i % 2] * cos(pi * i / 5)) for i in range(10)]
    return polygon(points, colour, stroke=outline(colour), stroke_width=2, stroke_linejoin="round")


def _draw_box(colour: str) -> str:
    return rect(14, 14, 72, 72, colour, rx=2, stroke=outline(colour), stroke_width=2)


def _draw_circle(colour: str) -> str:
    return circle(50, 50, 38, colour, stroke=outline(colour), stroke_width=2)


SOLID: dict[str, Callable[[str], str]] = {
    "ball": _draw_ball,
    "sphere": _draw_ball,
    "cube": _draw_cube,
    "cone": _draw_cone,
}
FLAT: dict[str, Callable[[str], str]] = {"star": _draw_star, "box": _draw_box, "circle": _draw_circle}

# -- everyday objects ------------------------------------------------------------------------------------------------------


def paint_object(values: Mapping[str, str]) -> Painted | None:
    """Return a token for an object with a colour or a size, or None where neither is known."""
    colour_match = get_colour(values)
    scale, size_names = get_scale(values)
    if colour_match is None and not size_names:
        return None
    colour, colour_names = colour_match or (PLAIN, ())
    token = rect(10, 10, 80, 80, colour, rx=26, stroke=outline(colour), stroke_width=1.6)
    shine = path("M 22 40 Q 24 22 42 20", stroke=mix(colour, "#ffffff", 0.6), stroke_width=5, stroke_linecap="round")
    return Painted(scale_about_centre(token + shine, scale), frozenset({*colour_names, *size_names}))
