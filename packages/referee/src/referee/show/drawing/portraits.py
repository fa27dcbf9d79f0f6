"""TUNA's people as portraits: age, hair, beard, glasses, clothes, gaze (van der Sluis et al. 2006).

Age is drawn as wrinkles and a receding hairline, never as a colour, because hair colour is an attribute of its own; of a bald person the eyebrows show it.
"""

from __future__ import annotations

from collections.abc import Mapping

from referee.show.drawing.clothes import draw_clothes
from referee.show.drawing.faces import FRONT, SIDE
from referee.show.drawing.ink import group
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
    marks = _portrait(values, FRONT if facing not in LOOKS[1:] else SIDE)
    # the side view looks left; its mirror image looks right
    picture = group(marks, transform="matrix(-1 0 0 1 100 0)") if facing == "right" else marks
    return Painted(picture, frozenset(shown))


def _portrait(values: Mapping[str, str], view: type[FRONT] | type[SIDE]) -> str:
    hair = HAIR.get(values.get("hairColour", ""), UNSAID)
    beard = values.get("hasBeard", "")
    old = values.get("age") == "old"
    # From back to front: beard under the mouth, hair over the ears, glasses over everything.
    parts = [
        view.neck(),
        draw_clothes(
            view.opening, suit=_has(values, "hasSuit"), shirt=_has(values, "hasShirt"), tie=_has(values, "hasTie")
        ),
        view.head(old),
        view.wrinkles() if old else view.cheeks(values.get("age") == "young"),
        view.beard(HAIR.get(beard, hair)) if beard in YES | set(HAIR) else "",
        view.features(hair),
        view.bald() if values.get("hasHair") in NO else view.hair(hair, old),
        view.glasses() if _has(values, "hasGlasses") else "",
    ]
    return "".join(parts)


def _has(values: Mapping[str, str], name: str) -> bool:
    return values.get(name) in YES


KNOWN: dict[str, tuple[str, ...]] = {
    "age": AGES,
    "orientation": LOOKS,
    "hairColour": tuple(HAIR),
    "hasBeard": (*YES, *NO, *HAIR),
}
