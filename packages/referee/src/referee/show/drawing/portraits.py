"""TUNA's people as portraits: age, hair, beard, glasses, clothes, gaze (van der Sluis et al. 2006).

Age is drawn as wrinkles and a receding hairline, never as a colour, because hair colour is another attribute; the
eyebrows of bald people show it.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.show.drawing.colours import mix
from referee.show.drawing.ink import group, number
from referee.show.drawing.painted import Painted
from referee.show.pages import render

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
    marks = _draw_portrait(values, side=facing in LOOKS[1:])
    # the side view looks left; its mirror image looks right
    picture = group(marks, transform="matrix(-1 0 0 1 100 0)") if facing == "right" else marks
    return Painted(picture, frozenset(shown))


def _draw_portrait(values: Mapping[str, str], side: bool) -> str:
    """Return a portrait as SVG."""
    hair = HAIR.get(values.get("hairColour", ""), UNSAID)
    beard = values.get("hasBeard", "")
    marks = render(
        "portrait.svg",
        side=side,
        hair=hair,
        beard=HAIR.get(beard, hair) if beard in YES | set(HAIR) else None,
        bald=values.get("hasHair") in NO,
        **{age: values.get("age") == age for age in AGES},
        **{name: values.get(f"has{name.capitalize()}") in YES for name in ("glasses", "shirt", "tie", "suit")},
        mix=mix,
        n=number,
    )
    return "".join(marks.splitlines())


KNOWN: dict[str, tuple[str, ...]] = {
    "age": AGES,
    "orientation": LOOKS,
    "hairColour": tuple(HAIR),
    "hasBeard": (*YES, *NO, *HAIR),
}
