"""The creatures of Franke and Degen (2016): three kinds with one of three accessories.

The looks are our own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from referee.show.drawing.ink import circle, ellipse, line, path, polygon, rect
from referee.show.drawing.painted import Painted

INK = "#26303a"


def paint_creature(values: Mapping[str, str]) -> Painted | None:
    """Return a creature with its accessory, or None."""
    body = SPECIES.get(values.get("species", ""))
    if body is None:
        return None
    wear = ACCESSORIES.get(values.get("accessory", ""))
    shown = {"species", "accessory"} if wear else {"species"}
    return Painted(body() + (wear() if wear else ""), frozenset(shown))


def _draw_eyes(y: float, *xs: float) -> str:
    return "".join(circle(x, y, 6, "#ffffff", stroke=INK, stroke_width=1) + circle(x, y + 1, 2.6, INK) for x in xs)


def _draw_robot() -> str:
    """Return a robot as SVG."""
    legs = rect(34, 84, 10, 12, "#76828e") + rect(56, 84, 10, 12, "#76828e")
    arms = line(28, 66, 14, 74, "#76828e", 5) + line(72, 66, 86, 74, "#76828e", 5)
    head = rect(28, 32, 44, 54, "#a9b5c1", rx=4, stroke=INK, stroke_width=1.5)
    grille = "".join(line(x, 68, x, 76, INK, 1.6) for x in (40, 45, 50, 55, 60)) + line(36, 72, 64, 72, INK, 1)
    return legs + arms + head + _draw_eyes(50, 40, 60) + grille


def _draw_blob() -> str:
    """Return a green blob as SVG."""
    body = path(
        "M 20 94 C 16 60 26 30 50 30 C 74 30 84 60 80 94 Q 74 86 68 94 Q 62 86 56 94 Q 50 86 44 94 Q 38 86 32 94 Q 26 86 20 94 Z",
        "#79b94f",
        stroke="#2f5a17",
        stroke_width=1.5,
    )
    mouth = path("M 36 66 Q 50 78 64 66 Z", "#2f5a17") + polygon([(42, 68), (46, 68), (44, 73)], "#ffffff")
    return body + circle(50, 52, 10, "#ffffff", stroke=INK, stroke_width=1.2) + circle(50, 53, 4.5, INK) + mouth


def _draw_horned() -> str:
    """Return a horned creature as SVG."""
    horns = polygon([(26, 46), (10, 30), (34, 36)], "#f0d9a8", stroke=INK, stroke_width=1.2)
    horns += polygon([(74, 46), (90, 30), (66, 36)], "#f0d9a8", stroke=INK, stroke_width=1.2)
    body = polygon(
        [(50, 28), (86, 94), (14, 94)], "#8d5fb0", stroke="#43245c", stroke_width=1.5, stroke_linejoin="round"
    )
    return horns + body + _draw_eyes(62, 42, 58) + path("M 38 80 Q 50 72 62 80", stroke="#43245c", stroke_width=2.4)


def _draw_top_hat() -> str:
    """Return a top hat as SVG."""
    return rect(35, 4, 30, 24, "#c8202f", stroke="#5d0c14", stroke_width=1.2) + rect(
        24, 27, 52, 6, "#c8202f", rx=3, stroke="#5d0c14", stroke_width=1.2
    )


def _draw_cap() -> str:
    dome = path("M 30 32 C 30 14 70 14 70 32 Z", "#1d4fa3", stroke="#0c2450", stroke_width=1.2)
    return dome + path("M 66 32 Q 92 28 94 36 Q 80 34 30 33 Z", "#1d4fa3", stroke="#0c2450", stroke_width=1.2)


def _draw_halo() -> str:
    return ellipse(50, 18, 22, 6.5, "none", stroke="#e2a50a", stroke_width=5)


# The x marks a feature that no message of the game can express.
SPECIES: dict[str, Callable[[], str]] = {"s1": _draw_robot, "s2": _draw_blob, "sx": _draw_horned}
ACCESSORIES: dict[str, Callable[[], str]] = {"v1": _draw_top_hat, "v2": _draw_cap, "vx": _draw_halo}
