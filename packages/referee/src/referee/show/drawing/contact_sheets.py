"""Contact sheets: every value beside every other, to check that they are easy to distinguish."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from referee.records import Entity, Property
from referee.show.drawing.colours import NAMED
from referee.show.drawing.ink import draw_text, group, number, rect
from referee.show.drawing.painted import BOX
from referee.show.drawing.scene_pictures import draw_marks, draw_page
from referee.show.drawing.silhouettes import FIGURES, PENTOMINOES

Row = tuple[str, list[dict[str, str]]]
LABEL = 150.0
WAYS = ("front", "back", "left", "right")
PERSON = {
    "type": "person",
    "age": "young",
    "orientation": "front",
    "hairColour": "dark",
    "hasHair": "1",
    "hasBeard": "0",
    "hasGlasses": "0",
    "hasShirt": "1",
    "hasTie": "0",
    "hasSuit": "0",
}


def draw_sheet(name: str) -> str:
    """Return a contact sheet by its name in `SHEETS`."""
    rows = SHEETS[name]()
    width = LABEL + BOX * max(len(things) for _, things in rows)
    height = BOX * len(rows)
    drawn = [_draw_row(label, things, i * BOX) for i, (label, things) in enumerate(rows)]
    return draw_page(rect(0, 0, width, height, "#ffffff") + "".join(drawn), width, height, width, "contact sheet")


def _draw_row(label: str, things: list[dict[str, str]], y: float) -> str:
    """Return one labelled row of pictures."""
    words = draw_text(label, 8, y + BOX / 2, 12, text_anchor="start")
    # The same air round every picture as in a scene.
    cells = (
        group(
            draw_marks(_make_entity(values)),
            transform=f"translate({number(LABEL + i * BOX + 4)} {number(y + 4)}) scale(0.92)",
        )
        for i, values in enumerate(things)
    )
    return words + "".join(cells)


def _make_entity(values: Mapping[str, str]) -> Entity:
    return Entity(id="x", attributes=tuple(Property(*pair) for pair in values.items()))


def _list_furniture() -> list[Row]:
    """Return the rows of all furniture."""
    colours = ("red", "blue", "green", "grey")
    return [
        (
            f"{size} {kind}",
            [
                {"type": kind, "colour": colour, "orientation": way, "size": size}
                for colour, way in product(colours, WAYS)
            ],
        )
        for kind, size in product(("chair", "sofa", "desk", "fan"), ("large", "small"))
    ]


def _list_people() -> list[Row]:
    """Return rows with each attribute alone, and with others that might hide it, from front and sides."""
    pairs: dict[str, list[dict[str, str]]] = {
        "young, old": [{}, {"age": "old"}],
        "dark, light, other hair": [{"hairColour": c} for c in ("dark", "light", "other")],
        "old: dark, light hair": [{"age": "old", "hairColour": c} for c in ("dark", "light")],
        "bald: young, old": [{"hasHair": "0"}, {"hasHair": "0", "age": "old"}],
        "bald: dark, light": [{"hasHair": "0", "hairColour": c} for c in ("dark", "light")],
        "beard: none, dark, light": [{}, {"hasBeard": "1"}, {"hasBeard": "1", "hairColour": "light"}],
        "bald with beard: d, l": [{"hasHair": "0", "hasBeard": "1", "hairColour": c} for c in ("dark", "light")],
        "glasses: no, yes, old": [{}, {"hasGlasses": "1"}, {"hasGlasses": "1", "age": "old"}],
        "jumper, shirt, suit": [{"hasShirt": "0"}, {}, {"hasSuit": "1"}],
        "the same with a tie": [{"hasTie": "1"} | more for more in ({"hasShirt": "0"}, {}, {"hasSuit": "1"})],
        "suit without shirt": [{"hasSuit": "1", "hasShirt": "0", "hasTie": tie} for tie in "01"],
        "tie under a beard": [{"hasBeard": "1", "hasTie": tie, "hasSuit": "1"} for tie in "01"],
    }
    ways = ("front", "left", "right")
    return [
        (label, [PERSON | more | {"orientation": way} for way in ways for more in looks])
        for label, looks in pairs.items()
    ]


def _list_shapes() -> list[Row]:
    """Return the rows of solids, stars and other shapes."""
    colours = ("red", "blue", "green", "yellow", "grey")
    solids: list[Row] = [
        (kind, [{"type": kind, "colour": c, "size": s} for s in ("large", "small") for c in colours])
        for kind in ("ball", "cube", "cone")
    ]
    flats = [{"type": k, "colour": c} for k in ("star", "box", "circle") for c in ("white", "red")]
    figures = [{"shape": name, "size": "large", "rgb": "60,120,200"} for name in FIGURES]
    sizes = [{"shape": "barn", "size": s, "rgb": "255,154,0"} for s in ("large", "medium", "small")]
    creatures = [{"species": s, "accessory": v} for s in ("s1", "s2", "sx") for v in ("v1", "v2", "vx")]
    return [
        *solids,
        ("flat shapes", flats),
        ("colour words", [{"colour": c} for c in dict.fromkeys(NAMED) if c != "gray"]),
        ("hues", [{"h": str(h), "s": "60", "l": "50"} for h in range(0, 360, 30)]),
        ("figures", figures[:9]),
        ("", figures[9:]),
        ("figures: size", sizes),
        ("pentominoes", [{"shape": name, "colour": "magenta"} for name in PENTOMINOES]),
        ("creatures", creatures),
        (
            "things",
            [
                {"type": t, "colour": c, "size": s}
                for t, c, s in product(("pen", "cup"), ("red", "black"), ("big", "small"))
            ],
        ),
        ("no picture", [{"type": "theatre"}, {"type": "street", "name": "rua do carmo"}, {"name": "A"}]),
    ]


SHEETS = {"furniture": _list_furniture, "people": _list_people, "shapes": _list_shapes}
