"""The display of a scene.

Pictures at their positions under public labels, in reading order, so that neither order nor labels reveal the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any
from unicodedata import normalize

from referee.records import Description, Entity, Scene, SceneNotes, Trial
from referee.show.drawing import Layout, Place, place
from referee.show.drawing.placement import find_determined_layout
from referee_lab.study.folder.hit_areas import compute_hit_areas
from referee_lab.study.folder.settings import RIGHT_TO_LEFT
from referee_lab.study.folder.study_pictures import name_object_picture, name_pictures
from referee_lab.study.protocols.contract import Parameter

# The attribute of an object that is a text to choose.
OPTION = "text"
MOST_JITTER = 0.5
BYTE_ORDER_MARK = "\ufeff"  # a blank for browsers, not for Python
SCENE = {
    "jitter": Parameter(
        default=0.0,
        about="Pictures are moved at random by up to this share of their size, never out of their cells; if the scene has exact positions, they are not moved.",
        unit="pictures",
        low=0,
        high=MOST_JITTER,
    ),
    "word_cards": Parameter(
        default=False,
        about="true: objects without a picture are shown as cards with their attributes in words; `check` refuses them otherwise, and always in production.",
    ),
}


def show_scene(trial: Trial, settings: Mapping[str, Any], rng: Random) -> tuple[dict[str, Any], dict[str, str]]:
    """Return grid and entities for the browser, and the entity behind each label.

    Columns and rows count from 0 at the top left. Positions are those of the scene, if it has any. Pictures have
    names here and get their addresses in the plan.
    """
    # Shuffled as for any hearer: in a scene without positions this order is the position. Drawn even where it is
    # unused, because the sequence of random draws is a format (`plan.make_plan`).
    scene = trial.for_hearer(rng).scene
    if is_bare(scene):
        return {"grid": {"columns": 1, "rows": 1, "size": 1.0}, "entities": []}, {}
    jitter, seed = float(settings.get("jitter", 0.0)), rng.getrandbits(32)
    if not jitter and (settled_scene := _show_fixed(trial)) is not None:
        return settled_scene
    layout, size = compute_layout(scene, jitter, seed)
    return _build_display(trial, scene, layout, size, compute_hit_areas(scene, trial.domain, layout))


ShownScene = tuple[dict[str, Any], dict[str, str]]
# A new participant needs sixty of these at once. Most scenes have positions: they look the same to all participants and
# are never modified, so they are cached.
_SETTLED: SceneNotes[str | None, ShownScene | None] = SceneNotes("studies.settled_scenes")


def _show_fixed(trial: Trial) -> ShownScene | None:
    """Return the display of a scene without random choices, cached; None for any other scene."""
    notes = _SETTLED.of(trial.scene)
    if trial.domain not in notes:
        layout = find_determined_layout(trial.scene)
        # Two on one spot come in the order that was drawn: that of the file might tell the target.
        alone = layout is not None and len({_make_reading_key(at) for at in layout.values()}) == len(layout)
        shown = None
        if layout is not None and alone:
            shown = _build_display(
                trial, trial.scene, layout, 1.0, compute_hit_areas(trial.scene, trial.domain, layout)
            )
        notes[trial.domain] = shown
    return notes[trial.domain]


def _make_reading_key(at: Place) -> tuple[float, ...]:
    return at.row, at.column, at.dy, at.dx


def _build_display(
    trial: Trial, scene: Scene, layout: Layout, size: float, areas: Mapping[str, list[float]]
) -> ShownScene:
    """Return the display of a scene for a layout, with labels in reading order."""
    pictures = name_pictures(trial.scene, trial.domain)
    spots = {e.id: layout[e.id] for e in scene.entities}
    order = sorted(spots, key=lambda e: _make_reading_key(spots[e]))
    labels = {f"e{n}": entity for n, entity in enumerate(order, 1)}
    entities = [
        {
            "id": label,
            **_get_appearance(trial.scene.entity(entity), pictures[entity]),
            "column": spots[entity].column,
            "row": spots[entity].row,
            "dx": spots[entity].dx,
            "dy": spots[entity].dy,
            **({"area": areas[entity]} if entity in areas else {}),
        }
        for label, entity in labels.items()
    ]
    return {"grid": {"columns": layout.columns, "rows": layout.rows, "size": size}, "entities": entities}, labels


def is_bare(scene: Scene) -> bool:
    """Return whether a scene has nothing to show: its objects have neither attributes nor images."""
    return all(not e.attributes and e.image is None for e in scene.entities)


def _get_appearance(entity: Entity, picture: str) -> dict[str, str]:
    """Return the appearance of an entity: a text, a file of the study (`photo`) with its caption, or a drawing."""
    if (words := get_option_text(entity)) is not None:
        return {"words": words}
    if entity.image is None:
        return {"picture": picture}
    return {"picture": picture, "photo": picture, **({"caption": text} if (text := get_caption(entity)) else {})}


def get_caption(entity: Entity) -> str:
    """Return the text below the picture of an entity, or ''."""
    return next((p.value for p in entity.attributes if p.name == OPTION and entity.image is not None), "")


def get_option_text(entity: Entity) -> str | None:
    """Return the text of an entity that is only a text; None for all others."""
    alone = entity.image is None and [p.name for p in entity.attributes] == [OPTION]
    return entity.attributes[0].value if alone else None


def fold_text(text: str) -> str:
    """Return a text such that two texts that people may take for one are equal: spaces, capitals, forms of characters."""
    return normalize("NFKC", " ".join(text.split())).casefold()


def compute_layout(scene: Scene, jitter: float, seed: int) -> tuple[Layout, float]:
    """Return the layout of the pictures and their size as a share of a cell.

    Jittered pictures are smaller, so they do not overlap.
    """
    layout = place(scene, seed=seed)
    if not jitter or any(at.dx or at.dy for at in layout.values()):
        return layout, 1.0
    size = 1 / (1 + 2 * jitter)
    return place(scene, jitter=jitter * size, seed=seed), round(size, 4)


def get_context_picture(scene: Scene) -> str | None:
    """Return the picture above the options; None if objects of the scene are pictures themselves."""
    if scene.picture is None or not (is_bare(scene) or all(map(get_option_text, scene.entities))):
        return None
    return scene.picture.path


def show_context(trial: Trial) -> dict[str, Any]:
    """Return the context of a trial: a picture, a text, and the item's own question."""
    picture = get_context_picture(trial.scene)
    shown = {"context": name_object_picture(picture)} if picture is not None else {}
    return {**shown, **{name: str(trial.meta[name]) for name in ("text", "question") if trial.meta.get(name)}}


def _get_direction(language: str) -> str:
    """Return the direction in which a language is written: ltr or rtl."""
    return "rtl" if language.partition("-")[0] in RIGHT_TO_LEFT else "ltr"


def get_language(trial: Trial) -> dict[str, str]:
    """Return the language of a trial's words and its direction, for the browser."""
    return {"language": trial.language, "direction": _get_direction(trial.language)}


def join_words(description: Description) -> str:
    """Return the words separated by single spaces, so that browser and server count the same words."""
    return " ".join((description.text or "").replace(BYTE_ORDER_MARK, " ").split())


def mark_targets(trial: Trial, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return the labels of the marked objects, for protocols that ask about them."""
    marked = [label for label, entity in labels.items() if entity in trial.targets]
    if not marked:
        return {}
    return {"target": marked[0]} if len(marked) == 1 else {"target": marked[0], "targets": marked}
