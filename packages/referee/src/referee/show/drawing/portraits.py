"""TUNA's people as portraits: age, hair, beard, glasses, clothes, gaze (van der Sluis et al. 2006).

Age is drawn as wrinkles and a receding hairline, never as a colour, because hair colour is another attribute; the
eyebrows of bald people show it.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.show.drawing.faces import FRONT, SIDE
from referee.show.drawing.ink import circle, group, line, path, polygon
from referee.show.drawing.painted import Painted

YES, NO = {"1", "yes", "true"}, {"0", "no", "false"}
HAIR = {"dark": "#35261d", "light": "#f6e7ac", "other": "#c2541c"}
UNSAID = "#8d735f"
FEATURES = ("hasHair", "hasBeard", "hasGlasses", "hasShirt", "hasTie", "hasSuit")
AGES = ("old", "young")
LOOKS = ("front", "left", "right")


def paint_person(values: Mapping[str, str]) -> Painted | None:
    """Return a portrait, or None if the entity is not a person."""
    if values.get("type") != "person" and not any(name in values for name in FEATURES):
        return None
    shown = {name for name in FEATURES if values.get(name) in YES | NO}
    shown |= {"type"} & {n for n, v in values.items() if v == "person"}
    shown |= {name for name, accepted in KNOWN.items() if values.get(name) in accepted}
    facing = values.get("orientation")
    marks = _draw_portrait(values, FRONT if facing not in LOOKS[1:] else SIDE)
    # the side view looks left; its mirror image looks right
    picture = group(marks, transform="matrix(-1 0 0 1 100 0)") if facing == "right" else marks
    return Painted(picture, frozenset(shown))


def _draw_portrait(values: Mapping[str, str], view: type[FRONT] | type[SIDE]) -> str:
    """Return a portrait as SVG."""
    hair = HAIR.get(values.get("hairColour", ""), UNSAID)
    beard = values.get("hasBeard", "")
    old = values.get("age") == "old"
    # From back to front: beard under the mouth, hair over the ears, glasses over everything.
    parts = [
        view.neck(),
        draw_clothes(
            view.opening,
            suit=_has_feature(values, "hasSuit"),
            shirt=_has_feature(values, "hasShirt"),
            tie=_has_feature(values, "hasTie"),
        ),
        view.head(old),
        view.wrinkles() if old else view.cheeks(values.get("age") == "young"),
        view.beard(HAIR.get(beard, hair)) if beard in YES | set(HAIR) else "",
        view.features(hair),
        view.bald() if values.get("hasHair") in NO else view.hair(hair, old),
        view.glasses() if _has_feature(values, "hasGlasses") else "",
    ]
    return "".join(parts)


def _has_feature(values: Mapping[str, str], name: str) -> bool:
    """Return whether a yes-no attribute is true."""
    return values.get(name) in YES


KNOWN: dict[str, tuple[str, ...]] = {
    "age": AGES,
    "orientation": LOOKS,
    "hairColour": tuple(HAIR),
    "hasBeard": (*YES, *NO, *HAIR),
}

# -- clothes ---------------------------------------------------------------------------------------------------------------


JUMPER, RIB = "#7fa39b", "#56786f"
SHIRT, SEAM = "#dfebf7", "#6d83a0"
SUIT, LAPEL, EDGE = "#2c3850", "#43536f", "#161d2b"
TIE, STRIPE = "#c8202f", "#7d0f1b"


def draw_clothes(opening: float, *, suit: bool, shirt: bool, tie: bool) -> str:
    """Return the clothes of a portrait; `opening` is the horizontal extent of the neck."""
    # From the body outwards: later parts cover earlier ones, as lapels cover the sides of the tie.
    parts = [
        _draw_body(suit, shirt),
        _draw_suit(opening) if suit else "",
        _draw_inside(opening, shirt) if suit else "",
        _draw_neckline(opening, shirt, buttons=not suit),
        _draw_tie(opening, shirt) if tie else "",
        _draw_lapels(opening) if suit else "",
    ]
    return "".join(parts)


def _draw_body(suit: bool, shirt: bool) -> str:
    """Return the shoulders in suit, shirt or jumper."""
    colour, edge = (SUIT, EDGE) if suit else (SHIRT, SEAM) if shirt else (JUMPER, RIB)
    return path(
        "M 8 100 C 8 86 20 80 39 76 Q 50 84 61 76 C 80 80 92 86 92 100 Z", colour, stroke=edge, stroke_width=1.2
    )


def _draw_suit(x: float) -> str:
    return line(x, 97, x, 100, EDGE, 1.2)


def _draw_inside(x: float, shirt: bool) -> str:
    """Return the part of shirt or jumper between the lapels."""
    colour, edge = (SHIRT, SEAM) if shirt else (JUMPER, RIB)
    # The visible part of shirt or jumper between the lapels.
    return polygon([(x - 13, 76), (x + 13, 76), (x, 101)], colour, stroke=edge, stroke_width=0.6)


def _draw_neckline(x: float, shirt: bool, buttons: bool) -> str:
    """Return the collar of a shirt, or the neck of a jumper."""
    if not shirt:
        return path(f"M {x - 11} 76 Q {x} 87 {x + 11} 76", stroke=RIB, stroke_width=3.6, stroke_linecap="round")
    collar = "".join(
        polygon(
            [(x + s * 11, 73), (x + s * 14, 80), (x + s * 6, 87), (x, 79)],
            SHIRT,
            stroke=SEAM,
            stroke_width=1.1,
            stroke_linejoin="round",
        )
        for s in (-1, 1)
    )
    front = line(x, 80, x, 100, SEAM, 0.9) + "".join(circle(x, y, 1.2, SEAM) for y in (87, 94)) if buttons else ""
    return front + collar


def _draw_tie(x: float, shirt: bool) -> str:
    """Return the tie, with a loop where there is no collar."""
    # Without a collar the tie needs a loop.
    # Without a collar the tie needs something to hang from.
    loop = "" if shirt else path(f"M {x - 10} 75 L {x} 81 L {x + 10} 75", stroke=TIE, stroke_width=3)
    blade = polygon(
        [(x - 2.4, 84), (x + 2.4, 84), (x + 5.5, 100), (x - 5.5, 100)], TIE, stroke=STRIPE, stroke_width=0.8
    )
    knot = polygon(
        [(x - 4.2, 78), (x + 4.2, 78), (x + 2.4, 84.5), (x - 2.4, 84.5)], TIE, stroke=STRIPE, stroke_width=0.8
    )
    stripes = line(x - 3, 91, x + 3.6, 88, STRIPE, 1.3) + line(x - 4, 97, x + 4.6, 93, STRIPE, 1.3)
    return loop + blade + stripes + knot


def _draw_lapels(x: float) -> str:
    """Return the lapels of a suit."""
    return "".join(
        polygon(
            [(x + s * 12, 75), (x + s * 22, 83), (x + s * 17, 87), (x + s * 20, 90), (x + s * 1, 101)],
            LAPEL,
            stroke=EDGE,
            stroke_width=1,
            stroke_linejoin="round",
        )
        + path(f"M {x + s * 12} 75 L {x + s * 1} 101", stroke=EDGE, stroke_width=1)
        for s in (-1, 1)
    )
