"""The pictures of a study, named by their appearance: one name per appearance, so a name says nothing about its trial."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.records import Entity, Scene, SceneNotes
from referee.show.drawing import draw_entity, shared_names
from referee.show.drawing.placement import PLACE_NAMES

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

# Eighty bits: no two looks of a study will share a name.
LENGTH = 20
# By the study's hash, which changes with anything that could change a picture.
_KNOWN: dict[str, dict[str, str]] = {}
_PICTURES: SceneNotes[str | None, dict[str, str]] = SceneNotes("studies.pictures")


def picture_names(scene: Scene, domain: str | None) -> dict[str, str]:
    """The name of every entity's picture, by entity (cached with the scene): a file of the study where the entity has an image, else a drawing."""
    notes = _PICTURES.of(scene)
    if domain not in notes:
        shared = shared_names(scene)
        notes[domain] = {
            e.id: picture_name(e, domain, shared) if e.image is None else object_picture_name(e.image)
            for e in scene.entities
        }
    return notes[domain]


def object_picture_name(image: str) -> str:
    """Return the public name of an object's image file, which does not depend on the object."""
    return sha256(image.encode()).hexdigest()[:LENGTH]


def drawings(scene: Scene, domain: str | None) -> dict[str, str]:
    """The SVG of every entity that is drawn, by entity; entities with an image file are left out."""
    shared = shared_names(scene)
    return {e.id: _drawn(_look(e), domain, shared)[1] for e in scene.entities if e.image is None}


def picture_name(entity: Entity, domain: str | None, without: frozenset[str] = frozenset()) -> str:
    """The name of one entity's picture."""
    return _drawn(_look(entity), domain, without)[0]


def picture(study: Study, name: str) -> str:
    """The SVG behind a name; InputError when the study has no such picture."""
    try:
        return pictures(study)[name]
    except KeyError:
        raise InputError(f"no picture is called {name!r}", where=study.folder, remedy="reload the page") from None


def pictures(study: Study) -> dict[str, str]:
    """All pictures of a study by name, drawn once."""
    if study.hash not in _KNOWN:
        scenes = {id(s.trial.scene): s.trial for s in study.every_stimulus()}
        _KNOWN[study.hash] = dict(
            _drawn(_look(e), trial.domain, shared)
            for trial in scenes.values()
            for shared in (shared_names(trial.scene),)
            for e in trial.scene.entities
            if e.image is None
        )
        if study.kind.info.plugin == "locate":
            from referee_lab.study.folder.photographs import drawn_photographs

            _KNOWN[study.hash] |= drawn_photographs(study)
    return _KNOWN[study.hash]


@lru_cache(maxsize=1 << 14)
def _drawn(entity: Entity, domain: str | None, without: frozenset[str]) -> tuple[str, str]:
    # Named by the drawing and not by attributes: objects that look alike have one name, whatever their attributes in
    # the corpus.
    svg = draw_entity(entity, domain=domain, without=without)
    return sha256(svg.encode()).hexdigest()[:LENGTH], svg


def _look(entity: Entity) -> Entity:
    """Return an entity without its id and its position."""
    seen = tuple(p for p in entity.attributes if p.name not in PLACE_NAMES)
    return replace(entity, id="", position=None, relations=(), attributes=seen)
