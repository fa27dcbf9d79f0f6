"""The pictures of a study, named by their appearance: one name per appearance, so a name says nothing about its trial."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.records import Entity, Scene, SceneNotes
from referee.show.drawing import draw_entity, find_shared_names
from referee.show.drawing.placement import PLACE_NAMES

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

# Eighty bits: no two looks of a study will share a name.
LENGTH = 20
# By the study's hash, which changes with anything that could change a picture.
_KNOWN: dict[str, dict[str, str]] = {}
_PICTURES: SceneNotes[str | None, dict[str, str]] = SceneNotes("studies.pictures")


def name_pictures(scene: Scene, domain: str | None) -> dict[str, str]:
    """Return the name of every entity's picture: a file of the study, or else a drawing."""
    notes = _PICTURES.of(scene)
    if domain not in notes:
        shared = find_shared_names(scene)
        notes[domain] = {
            e.id: name_picture(e, domain, shared) if e.image is None else name_object_picture(e.image)
            for e in scene.entities
        }
    return notes[domain]


def name_object_picture(image: str) -> str:
    """Return the public name of an object's image file, which does not depend on the object."""
    return sha256(image.encode()).hexdigest()[:LENGTH]


def draw_entities(scene: Scene, domain: str | None) -> dict[str, str]:
    """Return the SVG of every entity that is drawn; entities with an image file are left out."""
    shared = find_shared_names(scene)
    return {e.id: _draw_entity(_strip_identity(e), domain, shared)[1] for e in scene.entities if e.image is None}


def name_picture(entity: Entity, domain: str | None, without: frozenset[str] = frozenset()) -> str:
    """Return the name of one entity's picture."""
    return _draw_entity(_strip_identity(entity), domain, without)[0]


def find_drawing(study: Study, name: str) -> str:
    """Return the SVG behind a name. Raises InputError if the study has no such picture."""
    try:
        return draw_pictures(study)[name]
    except KeyError:
        raise InputError(f"no picture is called {name!r}", where=study.folder, remedy="reload the page") from None


def draw_pictures(study: Study) -> dict[str, str]:
    """Return all drawings of a study by name, each drawn once."""
    if study.hash not in _KNOWN:
        scenes = {id(s.trial.scene): s.trial for s in study.iterate_stimuli()}
        _KNOWN[study.hash] = dict(
            _draw_entity(_strip_identity(e), trial.domain, shared)
            for trial in scenes.values()
            for shared in (find_shared_names(trial.scene),)
            for e in trial.scene.entities
            if e.image is None
        )
        if study.kind.info.plugin == "locate":
            from referee_lab.study.folder.photographs import draw_photographs

            _KNOWN[study.hash] |= draw_photographs(study)
    return _KNOWN[study.hash]


@lru_cache(maxsize=1 << 14)
def _draw_entity(entity: Entity, domain: str | None, without: frozenset[str]) -> tuple[str, str]:
    """Return the SVG of an entity after its hash, by which the file is named."""
    # Named by the drawing and not by attributes: objects that look alike have one name, whatever their attributes in
    # the corpus.
    svg = draw_entity(entity, domain=domain, without=without)
    return sha256(svg.encode()).hexdigest()[:LENGTH], svg


def _strip_identity(entity: Entity) -> Entity:
    """Return an entity without its id and its position."""
    seen = tuple(p for p in entity.attributes if p.name not in PLACE_NAMES)
    return replace(entity, id="", position=None, relations=(), attributes=seen)
