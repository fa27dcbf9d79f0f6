"""Everyday objects (Degen et al. 2020): a token of their colour and size, with the name below."""

from __future__ import annotations

from collections.abc import Mapping

from referee.show.drawing.colours import PLAIN, colour_of, mix, outline
from referee.show.drawing.drawn_sizes import scale_of
from referee.show.drawing.ink import path, rect
from referee.show.drawing.painted import Painted, scaled


def paint_object(values: Mapping[str, str]) -> Painted | None:
    """Return a token for an object with a colour or a size, or None where neither is known."""
    colour_match = colour_of(values)
    scale, size_names = scale_of(values)
    if colour_match is None and not size_names:
        return None
    colour, colour_names = colour_match or (PLAIN, ())
    token = rect(10, 10, 80, 80, colour, rx=26, stroke=outline(colour), stroke_width=1.6)
    shine = path("M 22 40 Q 24 22 42 20", stroke=mix(colour, "#ffffff", 0.6), stroke_width=5, stroke_linecap="round")
    return Painted(scaled(token + shine, scale), frozenset({*colour_names, *size_names}))
