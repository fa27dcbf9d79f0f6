"""Entities and whole scenes as SVG.

A picture where there is a painter for the thing, a card with words where there is none.

Every attribute is either visible in the picture, shown by the position, or written below it; so what differs, differs on paper.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from referee.errors import InputError
from referee.records import Entity, Property, Scene
from referee.show.drawing.creatures import paint_creature
from referee.show.drawing.furniture import paint_furniture
from referee.show.drawing.ink import element, group, number, rect, text
from referee.show.drawing.objects import paint_object
from referee.show.drawing.painted import BOX, Painted
from referee.show.drawing.placement import PLACE_NAMES, Layout, place
from referee.show.drawing.portraits import paint_person
from referee.show.drawing.shapes import paint_patch, paint_shape
from referee.show.drawing.silhouettes import paint_figure, paint_pentomino
from referee.show.drawing.word_cards import draw_card, with_words

# The special before the general: a patch or a token would take nearly anything that has a colour.
PAINTERS: dict[str, Callable[[Mapping[str, str]], Painted | None]] = {
    "furniture": paint_furniture,
    "person": paint_person,
    "creature": paint_creature,
    "shape": paint_shape,
    "figure": paint_figure,
    "pentomino": paint_pentomino,
    "patch": paint_patch,
    "object": paint_object,
}
CARD = "card"
MARGIN = 6.0
FRAME = "#d9480f"


def kind_of(entity: Entity) -> str:
    """Return the name of the painter of an entity; ``card`` where there is only a card with words."""
    return _painted(entity)[0]


def can_draw(scene: Scene) -> bool:
    """Return whether the picture of a scene shows all attributes, without words beside it."""
    return bool(scene.entities) and all(
        kind != CARD and not _unseen(e, painted.shown) for e in scene.entities for kind, painted in (_painted(e),)
    )


def draw_entity(entity: Entity, *, domain: str | None = None, size: int = 160, without: Collection[str] = ()) -> str:
    """Return one entity as SVG; attributes in `without` are not written below it.

    `domain` is taken from callers that know it and changes nothing: what a thing is, its attributes say.
    """
    return draw_page(marks_of(entity, without), BOX, BOX, size, "picture")


def draw_scene(
    scene: Scene,
    *,
    domain: str | None = None,
    layout: Layout | None = None,
    mark: Collection[str] = (),
    numbers: Mapping[str, str] | None = None,
    jitter: float = 0,
    seed: int = 0,
) -> str:
    """Return all entities as one SVG; `mark` frames some of them, `numbers` adds a label to each."""
    at = layout or place(scene, jitter=jitter, seed=seed)
    _check(scene, at, mark, numbers or {})
    pictures = [_placed(marks, x, y) for _, x, y, marks in stacked(scene, at)]
    frames = [_placed(_inset(_frame()), *_corner(at, i)) for i in sorted(mark)]
    labels = [_placed(_inset(_label(label)), *_corner(at, i)) for i, label in sorted((numbers or {}).items())]
    width, height = page_size(at)
    ground = rect(0, 0, width, height, "#ffffff")
    return draw_page(ground + "".join(pictures + frames + labels), width, height, width, "scene")


def stacked(scene: Scene, layout: Layout) -> list[tuple[str, float, float, str]]:
    """Return id, left, top and SVG of every entity in drawing order: higher on the page is further away."""
    shared = shared_names(scene)
    ordered = sorted(
        scene.entities, key=lambda e: (layout[e.id].row + layout[e.id].dy, layout[e.id].column + layout[e.id].dx)
    )
    return [(e.id, *_corner(layout, e.id), _inset(marks_of(e, shared))) for e in ordered]


def page_size(layout: Layout) -> tuple[float, float]:
    """Return width and height of a drawing, in hundredths of a cell."""
    margin = MARGIN + BOX * overhang(layout)
    return round(BOX * layout.columns + 2 * margin, 2), round(BOX * layout.rows + 2 * margin, 2)


def _values(entity: Entity) -> dict[str, str]:
    # Reversed, so that of a name with two values the first is drawn.
    return {p.name: p.value for p in reversed(entity.attributes)}


def _painted(entity: Entity) -> tuple[str, Painted]:
    values = {name: value for name, value in _values(entity).items() if name not in PLACE_NAMES}
    for kind, paint in PAINTERS.items():
        painted = paint(values)
        if painted is not None:
            return kind, painted
    return CARD, Painted("", frozenset())


def _unseen(entity: Entity, shown: Collection[str], without: Collection[str] = ()) -> list[Property]:
    """Return the properties that the picture does not show; of a name with two values, it shows the first."""
    hidden = (p for p in entity.attributes if p.name not in PLACE_NAMES and p.name not in without)
    return [p for p in dict.fromkeys(hidden) if p.name not in shown or p.value != entity.value(p.name)]


def marks_of(entity: Entity, without: Collection[str] = ()) -> str:
    """Return an entity as SVG elements in a box of 100 by 100."""
    kind, painted = _painted(entity)
    left = _unseen(entity, painted.shown, without)
    return draw_card(left) if kind == CARD else with_words(painted.marks, left)


def shared_names(scene: Scene) -> frozenset[str]:
    """Return the names of attributes that all entities of a scene share, and that distinguish none."""
    if len(scene.entities) < 2:
        return frozenset()
    # Titles of cards are written even where they tell nothing apart.
    names = {p.name for e in scene.entities for p in e.attributes} - {"type", "name"}
    first = scene.entities[0]
    return frozenset(n for n in names if all(_all(e, n) == _all(first, n) for e in scene.entities))


def _all(entity: Entity, name: str) -> list[str]:
    return [p.value for p in entity.attributes if p.name == name]


def overhang(layout: Layout) -> float:
    """Return how far the outermost objects extend beyond the grid, in cells."""
    across = [(p.column + p.dx, layout.columns - 1) for p in layout.values()]
    down = [(p.row + p.dy, layout.rows - 1) for p in layout.values()]
    return max([0.0, *(max(-at, at - last) for at, last in across + down)])


def _corner(layout: Layout, entity: str) -> tuple[float, float]:
    at, margin = layout[entity], MARGIN + BOX * overhang(layout)
    # As precise as it is written: regions are computed from the same numbers.
    return round(margin + BOX * (at.column + at.dx), 2), round(margin + BOX * (at.row + at.dy), 2)


def _inset(marks: str) -> str:
    return group(marks, transform="translate(4 4) scale(0.92)")


def _placed(marks: str, x: float, y: float) -> str:
    return group(marks, transform=f"translate({number(x)} {number(y)})")


def _frame() -> str:
    return rect(-2, -2, 104, 104, "none", rx=8, stroke=FRAME, stroke_width=4)


def _label(label: str) -> str:
    # About the width of a bold letter of size 12.
    width = 8 + 7.5 * max(len(label), 1)
    badge = rect(0, 0, width, 16, "#ffffff", rx=8, stroke="#444", stroke_width=0.9, fill_opacity=0.92)
    return badge + text(label, width / 2, 12, 12, font_weight="bold")


def draw_page(content: str, width: float, height: float, shown: float, label: str) -> str:
    """Return a complete SVG; its label does not say what it shows."""
    return element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=shown,
        height=shown * height / width,
        role="img",
        aria_label=label,
    )


def _check(scene: Scene, layout: Layout, marked: Collection[str], numbers: Mapping[str, str]) -> None:
    ids = {e.id for e in scene.entities}
    for what, ids_of in (("marked", marked), ("numbered", numbers)):
        for i in ids_of:
            if i not in ids:
                raise InputError(
                    f"{i!r} is to be {what} but is not in the scene", remedy=f"entities: {', '.join(sorted(ids))}"
                )
    if missing := sorted(ids - set(layout)):
        raise InputError(f"the layout has no place for {missing[0]!r}", remedy="lay out the same scene: place(scene)")
