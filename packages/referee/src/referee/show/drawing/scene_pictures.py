"""Entities and whole scenes as SVG.

An entity is a picture if there is a painter for its kind, else a card with words. Every attribute is visible in the
picture, shown by the position, or written below it; so entities that differ also look different.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from textwrap import wrap

from referee.errors import InputError
from referee.records import Entity, Property, Scene
from referee.show.drawing.creatures import paint_creature
from referee.show.drawing.furniture import paint_furniture
from referee.show.drawing.ink import draw_text, group, make_element, number, rect
from referee.show.drawing.painted import BOX, Painted
from referee.show.drawing.placement import PLACE_NAMES, Layout, place
from referee.show.drawing.portraits import paint_person
from referee.show.drawing.shapes import paint_object, paint_patch, paint_shape
from referee.show.drawing.silhouettes import paint_figure, paint_pentomino

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


def get_painter_name(entity: Entity) -> str:
    """Return the name of the painter of an entity; ``card`` where there is only a card with words."""
    return _paint_entity(entity)[0]


def can_draw(scene: Scene) -> bool:
    """Return whether the picture of a scene shows all attributes, without words beside it."""
    return bool(scene.entities) and all(
        kind != CARD and not _list_hidden(e, painted.shown)
        for e in scene.entities
        for kind, painted in (_paint_entity(e),)
    )


def draw_entity(entity: Entity, *, domain: str | None = None, size: int = 160, without: Collection[str] = ()) -> str:
    """Return one entity as SVG; attributes in `without` are not written below it.

    `domain` is accepted for compatibility and ignored: the attributes determine the picture.
    """
    return draw_page(draw_marks(entity, without), BOX, BOX, size, "picture")


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
    _check_ids(scene, at, mark, numbers or {})
    pictures = [_move_elements(marks, x, y) for _, x, y, marks in list_in_drawing_order(scene, at)]
    frames = [_move_elements(_shrink_picture(_draw_frame()), *_find_corner(at, i)) for i in sorted(mark)]
    labels = [
        _move_elements(_shrink_picture(_draw_label(label)), *_find_corner(at, i))
        for i, label in sorted((numbers or {}).items())
    ]
    width, height = page_size(at)
    ground = rect(0, 0, width, height, "#ffffff")
    return draw_page(ground + "".join(pictures + frames + labels), width, height, width, "scene")


def list_in_drawing_order(scene: Scene, layout: Layout) -> list[tuple[str, float, float, str]]:
    """Return id, left, top and SVG of every entity in drawing order: higher on the page is further away."""
    shared = find_shared_names(scene)
    ordered = sorted(
        scene.entities, key=lambda e: (layout[e.id].row + layout[e.id].dy, layout[e.id].column + layout[e.id].dx)
    )
    return [(e.id, *_find_corner(layout, e.id), _shrink_picture(draw_marks(e, shared))) for e in ordered]


def page_size(layout: Layout) -> tuple[float, float]:
    """Return width and height of a drawing, in hundredths of a cell."""
    margin = MARGIN + BOX * measure_overhang(layout)
    return round(BOX * layout.columns + 2 * margin, 2), round(BOX * layout.rows + 2 * margin, 2)


def _get_values(entity: Entity) -> dict[str, str]:
    # Reversed, so that the first of two values of an attribute is drawn.
    return {p.name: p.value for p in reversed(entity.attributes)}


def _paint_entity(entity: Entity) -> tuple[str, Painted]:
    """Return the kind of a picture and its drawing, by the first painter that accepts the attributes."""
    values = {name: value for name, value in _get_values(entity).items() if name not in PLACE_NAMES}
    for kind, paint in PAINTERS.items():
        painted = paint(values)
        if painted is not None:
            return kind, painted
    return CARD, Painted("", frozenset())


def _list_hidden(entity: Entity, shown: Collection[str], without: Collection[str] = ()) -> list[Property]:
    """Return the properties that the picture does not show; of a name with two values, it shows the first."""
    hidden = (p for p in entity.attributes if p.name not in PLACE_NAMES and p.name not in without)
    return [p for p in dict.fromkeys(hidden) if p.name not in shown or p.value != entity.value(p.name)]


def draw_marks(entity: Entity, without: Collection[str] = ()) -> str:
    """Return an entity as SVG elements in a box of 100 by 100."""
    kind, painted = _paint_entity(entity)
    left = _list_hidden(entity, painted.shown, without)
    return draw_card(left) if kind == CARD else add_words(painted.marks, left)


def find_shared_names(scene: Scene) -> frozenset[str]:
    """Return the names of attributes that all entities of a scene share, and that distinguish none."""
    if len(scene.entities) < 2:
        return frozenset()
    # Titles of cards are written even where they tell nothing apart.
    names = {p.name for e in scene.entities for p in e.attributes} - {"type", "name"}
    first = scene.entities[0]
    return frozenset(n for n in names if all(_list_values(e, n) == _list_values(first, n) for e in scene.entities))


def _list_values(entity: Entity, name: str) -> list[str]:
    return [p.value for p in entity.attributes if p.name == name]


def measure_overhang(layout: Layout) -> float:
    """Return how far the outermost objects extend beyond the grid, in cells."""
    across = [(p.column + p.dx, layout.columns - 1) for p in layout.values()]
    down = [(p.row + p.dy, layout.rows - 1) for p in layout.values()]
    return max([0.0, *(max(-at, at - last) for at, last in across + down)])


def _find_corner(layout: Layout, entity: str) -> tuple[float, float]:
    """Return the upper left corner of an entity's cell."""
    at, margin = layout[entity], MARGIN + BOX * measure_overhang(layout)
    # As precise as it is written: regions are computed from the same numbers.
    return round(margin + BOX * (at.column + at.dx), 2), round(margin + BOX * (at.row + at.dy), 2)


def _shrink_picture(marks: str) -> str:
    """Return SVG elements slightly smaller, centred in their cell."""
    return group(marks, transform="translate(4 4) scale(0.92)")


def _move_elements(marks: str, x: float, y: float) -> str:
    """Return SVG elements moved by x and y."""
    return group(marks, transform=f"translate({number(x)} {number(y)})")


def _draw_frame() -> str:
    return rect(-2, -2, 104, 104, "none", rx=8, stroke=FRAME, stroke_width=4)


def _draw_label(label: str) -> str:
    """Return a label as a badge."""
    # About the width of a bold letter of size 12.
    width = 8 + 7.5 * max(len(label), 1)
    badge = rect(0, 0, width, 16, "#ffffff", rx=8, stroke="#444", stroke_width=0.9, fill_opacity=0.92)
    return badge + draw_text(label, width / 2, 12, 12, font_weight="bold")


def draw_page(content: str, width: float, height: float, shown: float, label: str) -> str:
    """Return a complete SVG; its label does not describe its content."""
    return make_element(
        "svg",
        content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        width=shown,
        height=shown * height / width,
        role="img",
        aria_label=label,
    )


def _check_ids(scene: Scene, layout: Layout, marked: Collection[str], numbers: Mapping[str, str]) -> None:
    """Raise InputError for marked or numbered ids that the scene lacks."""
    ids = {e.id for e in scene.entities}
    for what, ids_of in (("marked", marked), ("numbered", numbers)):
        for i in ids_of:
            if i not in ids:
                raise InputError(
                    f"{i!r} should be {what}, but is not in the scene", remedy=f"entities: {', '.join(sorted(ids))}"
                )
    if missing := sorted(ids - set(layout)):
        raise InputError(
            f"the layout has no position for {missing[0]!r}", remedy="lay out the same scene: place(scene)"
        )


# -- cards with words ------------------------------------------------------------------------------------------------------


TITLES = ("type", "name")
# About the mean width of a letter in Arial, as a share of its size.
WIDTH_OF_LETTER = 0.56
LINE = 1.25


def draw_card(properties: Sequence[Property]) -> str:
    """Return a framed card with the type (or name) in large print and everything else below it."""
    title = next((p for name in TITLES for p in properties if p.name == name), None)
    others = [p for p in properties if p is not title]
    frame = rect(4, 4, 92, 92, "#fbfaf7", rx=8, stroke="#8d887c", stroke_width=1.2)
    head = draw_words([title.value], 10, 8, 80, 24 if others else 80, most=26) if title else ""
    top = 34 if title else 10
    return frame + head + draw_words([_format_property(p) for p in others], 8, top, 84, 92 - top)


def _format_property(p: Property) -> str:
    return p.value if p.name in TITLES else f"{p.name}: {p.value}"


def add_words(marks: str, properties: Sequence[Property]) -> str:
    """Return a picture with the properties that it does not show written below it."""
    if not properties:
        return marks
    # Words never take half of the box.
    below = min(8 + 7 * len(properties), 46)
    share = (100 - below) / 100
    picture = group(marks, transform=f"translate({50 * (1 - share):g} 0) scale({share:g})")
    return picture + draw_words([_format_property(p) for p in properties], 2, 100 - below, 96, below - 2)


def draw_words(lines: Sequence[str], x: float, y: float, width: float, height: float, most: float = 12) -> str:
    """Return lines of words as large as fits a box; long lines become smaller and are not cut."""
    if not lines:
        return ""
    # Several ways to break the lines; the one that allows the largest letters wins.
    wrapped = [
        [part for words in lines for part in _wrap_lines(words, letters)] for letters in (8, 12, 16, 24, 36, None)
    ]
    size, fitting = max(
        ((_fit_letter_size(parts, width, height, most), parts) for parts in wrapped), key=lambda pair: pair[0]
    )
    first = y + (height - LINE * size * len(fitting)) / 2 + 0.95 * size
    return "".join(draw_text(words, x + width / 2, first + i * LINE * size, size) for i, words in enumerate(fitting))


def _wrap_lines(words: str, letters: int | None) -> list[str]:
    """Return lines broken at spaces only."""
    return [words] if letters is None else wrap(words, letters, break_long_words=False, break_on_hyphens=False) or [""]


def _fit_letter_size(lines: Sequence[str], width: float, height: float, most: float) -> float:
    """Return the largest letter size, up to `most`, at which the lines fit the width and height."""
    longest = max(1, *map(len, lines))
    return min(most, width / (WIDTH_OF_LETTER * longest), height / (LINE * len(lines)))


# -- a scene in parts ------------------------------------------------------------------------------------------------------


Box = tuple[float, float, float, float]
Drawn = dict[tuple[tuple[Property, ...], frozenset[str]], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneParts:
    """Width and height in hundredths of a cell.

    By entity its box (left, top, width, height, as proportions) and SVG.
    """

    width: float
    height: float
    boxes: Mapping[str, Box]
    marks: Mapping[str, str]


def draw_parts(scene: Scene, layout: Layout | None = None, drawn: Drawn | None = None) -> SceneParts:
    """Return the picture of `draw_scene` in parts; `drawn` caches entities, for callers with many scenes."""
    at = layout or place(scene)
    margin = MARGIN + BOX * measure_overhang(at)
    width, height = (BOX * n + 2 * margin for n in (at.columns, at.rows))
    boxes = {
        e.id: (
            round((margin + BOX * (at[e.id].column + at[e.id].dx)) / width, 4),
            round((margin + BOX * (at[e.id].row + at[e.id].dy)) / height, 4),
            round(BOX / width, 4),
            round(BOX / height, 4),
        )
        for e in scene.entities
    }
    shared, book = find_shared_names(scene), {} if drawn is None else drawn
    return SceneParts(
        width=width, height=height, boxes=boxes, marks={e.id: _draw_cached(e, shared, book) for e in scene.entities}
    )


def _draw_cached(entity: Entity, shared: frozenset[str], drawn: Drawn) -> str:
    """Return an entity's drawing, cached by its attributes without positions."""
    # Where a thing stands is not to be seen in its own picture.
    key = (tuple(p for p in entity.attributes if p.name not in PLACE_NAMES), shared)
    if key not in drawn:
        drawn[key] = draw_marks(entity, shared)
    return drawn[key]


def wrap_as_picture(marks: str) -> str:
    """Return the SVG elements of one entity as an SVG picture."""
    return draw_page(marks, BOX, BOX, BOX, "picture")
