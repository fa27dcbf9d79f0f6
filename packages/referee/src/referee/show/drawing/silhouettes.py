"""Flat figures: the seventeen of KTH Tangrams (Shore et al. 2018) and the twelve pentominoes.

The KTH outlines are this project's own and follow the corpus in name and number of edges; the corpus gives no coordinates.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.show.drawing.colours import PLAIN, get_colour, outline
from referee.show.drawing.ink import Point, polygon, rect
from referee.show.drawing.painted import Painted, get_scale, scale_about_centre


def _parse_points(text: str) -> list[Point]:
    return [(float(x), float(y)) for x, y in (pair.split(",") for pair in text.split())]


FIGURES = {
    name: _parse_points(text)
    for name, text in {
        "arrow": "50,8 90,50 66,50 66,92 50,80 34,92 34,50 10,50",
        "barn": "50,10 88,36 88,90 50,90 12,90 12,36",
        "boat": "46,8 52,8 82,56 94,56 76,90 24,90 6,56 46,56 40,30",
        "bridge": "6,24 94,24 94,80 74,80 74,60 62,46 38,46 26,60 26,80 6,80 6,52 2,38",
        "chevron": "10,14 50,44 90,14 90,56 50,88 10,56",
        "chicken": "10,34 22,18 34,20 40,40 66,46 88,18 92,56 72,80 60,92 50,80 28,70 22,44",
        "crown": "8,22 30,48 40,14 50,44 60,14 70,48 92,22 86,86 50,80 14,86",
        "giraffe": "20,10 44,14 50,54 86,62 86,94 70,94 34,94 32,28 12,26",
        "goose": "8,26 26,10 40,22 36,50 62,44 94,26 90,62 72,82 58,90 30,84 18,64 24,32",
        "head": "34,10 66,10 82,30 82,56 66,66 70,92 36,92 36,72 18,64 24,36",
        "lozenge": "50,8 82,30 82,70 50,92 18,70 18,30",
        "monitor": "8,14 92,14 92,70 60,70 72,90 28,90 40,70 8,70",
        "mountain": "6,88 30,36 44,56 62,14 80,52 94,88 50,82",
        "rock": "22,28 54,12 84,26 94,58 78,86 30,88 8,62",
        "spikes": "6,84 14,30 28,60 38,12 50,56 62,10 70,58 86,26 94,84 76,76 54,90 40,78 20,90",
        "temple": "50,6 94,32 84,32 84,82 94,82 94,92 62,92 62,52 38,52 38,92 6,92 6,82 16,82 16,32 6,32 28,19",
        "wedge": "8,84 92,84 92,24 70,38 44,56 20,70",
    }.items()
}
# The squares of .1, .15 and .2, as the corpus writes them.
AREAS = {"small": "0.01", "medium": "0.0225", "large": "0.04"}

PENTOMINOES = {
    "F": ((1, 0), (2, 0), (0, 1), (1, 1), (1, 2)),
    "I": ((0, 0), (0, 1), (0, 2), (0, 3), (0, 4)),
    "L": ((0, 0), (0, 1), (0, 2), (0, 3), (1, 3)),
    "N": ((1, 0), (1, 1), (1, 2), (0, 2), (0, 3)),
    "P": ((0, 0), (1, 0), (0, 1), (1, 1), (0, 2)),
    "T": ((0, 0), (1, 0), (2, 0), (1, 1), (1, 2)),
    "U": ((0, 0), (2, 0), (0, 1), (1, 1), (2, 1)),
    "V": ((0, 0), (0, 1), (0, 2), (1, 2), (2, 2)),
    "W": ((0, 0), (0, 1), (1, 1), (1, 2), (2, 2)),
    "X": ((1, 0), (0, 1), (1, 1), (2, 1), (1, 2)),
    "Y": ((1, 0), (0, 1), (1, 1), (1, 2), (1, 3)),
    "Z": ((0, 0), (1, 0), (1, 1), (1, 2), (2, 2)),
}


def paint_figure(values: Mapping[str, str]) -> Painted | None:
    """Return a figure of the KTH board, or None.

    It shows edges and area where they fit the figure and its size.
    """
    points = FIGURES.get(values.get("shape", ""))
    if points is None:
        return None
    colour, colour_names = get_colour(values) or (PLAIN, ())
    scale, size_names = get_scale(values)
    shown = {"shape", *colour_names, *size_names}
    shown |= {"edges"} if values.get("edges") == str(len(points)) else set()
    shown |= {"area"} if values.get("area") == AREAS.get(values.get("size", "")) else set()
    marks = polygon(points, colour, stroke=outline(colour), stroke_width=1.5, stroke_linejoin="round")
    return Painted(scale_about_centre(marks, scale), frozenset(shown))


def paint_pentomino(values: Mapping[str, str]) -> Painted | None:
    """Return one of the twelve pentominoes, or None."""
    cells = PENTOMINOES.get(values.get("shape", ""))
    if cells is None:
        return None
    colour, colour_names = get_colour(values) or (PLAIN, ())
    scale, size_names = get_scale(values)
    wide, high = (1 + max(cell[i] for cell in cells) for i in (0, 1))
    # Five in a row, as in the I, leave a little air in the box.
    side = 18.0
    left, top = 50 - side * wide / 2, 50 - side * high / 2
    edge = {"stroke": outline(colour), "stroke_width": 1.4, "stroke_linejoin": "round"}
    marks = "".join(rect(left + side * x, top + side * y, side, side, colour, **edge) for x, y in cells)
    shown = {"shape", *colour_names, *size_names}
    return Painted(scale_about_centre(marks, scale if size_names else 1.0), frozenset(shown))
