"""A target and its distractors.

The target's properties, and the distractors that each excludes (after Dale & Reiter 1995, section 2).

A distractor that has no value for an attribute differs from the target in it: "the one with glasses" excludes every
entity without that value. Sets of entities are bit sets; bit i is entity i of the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from referee.errors import InputError
from referee.records import Property, Scene, SceneNotes, SpeakerView

TYPE = "type"
KEPT_UP_TO = 4096
"""Largest scene, in entities, whose contrasts are cached."""
Head = Literal["first", "last", "none"]
"""Treatment of the type: choose it first, add it at the end if it is missing, or treat it like any attribute."""
Note = Callable[[Property, str], None]
"""Callback of a selector: gets each property that was considered and the reason for the decision."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Properties that are true of every target, its type among them, and the distractors to exclude."""

    scene: Scene
    targets: int
    distractors: int
    properties: tuple[Property, ...]
    by_name: Mapping[str, tuple[Property, ...]]
    extensions: Mapping[Property, int]
    head: Property | None
    _orders: dict[tuple[tuple[str, ...], bool], tuple[Property, ...]] = field(default_factory=dict, repr=False)

    def begin(self, way: Head, note: Note | None = None) -> tuple[list[Property], int, Property | None]:
        """Return the initial properties, the remaining distractors, and the type if it has a special role."""
        head = self.head if way != "none" else None
        if head is None or way != "first":
            return [], self.distractors, head
        if note:
            note(head, "the type comes first")
        return [head], self.distractors & self.extensions[head], head

    def ruled_out(self, prop: Property) -> int:
        """Return the distractors (a bit set) that a property is not true of."""
        return self.distractors & ~self.extensions[prop]

    def remaining(self, properties: Iterable[Property]) -> int:
        """Return the distractors (a bit set) that all the properties are true of."""
        left = self.distractors
        for prop in properties:
            left &= self.extensions[prop]
        return left

    def select_by_name(self, names: tuple[str, ...] | None, rest: bool = False) -> tuple[Property, ...]:
        """Return the target's properties with these attribute names, in the order of the names.

        Without `names` all properties are returned; with `rest` those with other names follow.
        """
        if names is None:
            return self.properties
        ordered = self._orders.get((names, rest))
        if ordered is None:
            order = dict.fromkeys((*names, *self.by_name) if rest else names)
            ordered = self._orders[names, rest] = tuple(prop for name in order for prop in self.by_name.get(name, ()))
        return ordered


_CONTRASTS: SceneNotes[tuple[str, ...], Contrast] = SceneNotes("selection.contrast")


def get_contrast(view: SpeakerView) -> Contrast:
    """Return the contrast of a view's target(s), cached per target except in very large scenes."""
    notes = _CONTRASTS.of(view.scene)
    contrast = notes.get(view.targets)
    if contrast is None:
        contrast = _compute_contrast(view.scene, view.targets, view.id)
        if len(view.scene.entities) <= KEPT_UP_TO:
            notes[view.targets] = contrast
    return contrast


def _compute_contrast(scene: Scene, ids: tuple[str, ...], where: str) -> Contrast:
    """Return the contrast of targets in a scene."""
    targets = _get_targets(scene, ids, where)
    extensions = scene.extensions
    first = scene.entity(ids[0]).attributes
    # Several targets may share a more general value: poodles and beagles are dogs.
    shared = first if len(ids) == 1 else (p for p in scene.with_general(first) if not targets & ~extensions[p])
    properties = tuple(dict.fromkeys(shared))
    by_name: dict[str, tuple[Property, ...]] = {}
    for prop in properties:
        by_name[prop.name] = (*by_name.get(prop.name, ()), prop)
    head = by_name.get(TYPE, (None,))[0]
    return Contrast(scene, targets, scene.everything & ~targets, properties, by_name, extensions, head)


def _get_targets(scene: Scene, ids: tuple[str, ...], where: str) -> int:
    """Return the targets as a bit set. Raises InputError if there is none, or the scene lacks one."""
    if not ids:
        raise InputError(
            "there is no target to describe", where=where, remedy="name at least one entity of the scene as target"
        )
    try:
        return scene.mask(ids)
    except KeyError as error:
        # A dozen of them, for a scene may have a million.
        present = ", ".join(e.id for _, e in zip(range(12), scene.entities, strict=False)) or "none: the scene is empty"
        raise InputError(
            f"the target {error.args[0]!r} is not in the scene",
            where=where,
            remedy=f"entities of this scene: {present}",
        ) from None
