"""The size of the smallest distinguishing description, exactly (Dale & Reiter's 1995 full brevity).

Properties to add, and superfluous ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import combinations
from operator import and_

from referee.exact_cover import count_smallest_cover
from referee.meaning import Meaning, atoms, drop_atoms
from referee.records import LANDMARK, LANDMARKS, Property, Scene, SceneNotes

_RELATIONS: SceneNotes[str, frozenset[str]] = SceneNotes("metrics.relations")
_SAYABLE: SceneNotes[int, dict[Property, int]] = SceneNotes("metrics.sayable")
_TO_ADD: SceneNotes[tuple[int, frozenset[Property]], int | None] = SceneNotes("metrics.to-add")


def list_relation_names(scene: Scene) -> frozenset[str]:
    """Return the names of the relations in a scene, cached by scene."""
    notes = _RELATIONS.of(scene)
    if "names" not in notes:
        notes["names"] = frozenset(r.name for entity in scene.entities for r in entity.relations)
    return notes["names"]


def list_true_properties(scene: Scene, targets: int) -> dict[Property, int]:
    """Return the visible properties of all targets: attributes, and relations without landmarks."""
    notes = _SAYABLE.of(scene)
    if targets not in notes:
        hidden = list_relation_names(scene)
        notes[targets] = {
            p: e
            for p, e in scene.extensions.items()
            # A relation with a value names its landmark, which a hearer cannot see; by its name alone it can be said.
            if e & targets == targets and (p.name not in hidden or not p.value)
        }
    return notes[targets]


def count_fewest_to_add(scene: Scene, targets: int, description: Sequence[Property] = ()) -> int | None:
    """Return the smallest number of true properties that make `description` distinguish the targets.

    None if none does: `description` is false of a target, or another entity has the same properties. Landmarks are
    described up to one step away.
    """
    start = scene.denotation(description)
    if targets & ~start:
        return None
    extensions = list_true_properties(scene, targets)
    if not list_relation_names(scene):
        return count_smallest_cover(tuple(extensions.values()), start & ~targets)
    notes, key = _TO_ADD.of(scene), (targets, frozenset(description))
    if key not in notes:
        notes[key] = _count_fewest_with_landmarks(scene, targets, tuple(description), extensions)
    return notes[key]


def _count_fewest_with_landmarks(
    scene: Scene, targets: int, description: tuple[Property, ...], extensions: dict[Property, int]
) -> int | None:
    """Return the smallest number of properties to add where a landmark may be described too."""
    relations = [p for p in extensions if p.name in list_relation_names(scene)]
    plain = tuple(e for p, e in extensions.items() if p not in relations)
    best: int | None = None
    for landmark in _yield_landmarks(scene, targets):
        beside = [*(Property(LANDMARK + p.name, p.value) for p in dict.fromkeys(landmark)), *relations]
        for size in range(len(beside) + 1):
            # Bundles grow, and the remaining cost is never negative: later ones cannot be better.
            if best is not None and size >= best:
                break
            for bundle in combinations(beside, size):
                start = scene.denotation((*description, *bundle))
                more = None if targets & ~start else count_smallest_cover(plain, start & ~targets)
                if more is not None and (best is None or size + more < best):
                    best = size + more
    return best


def _yield_landmarks(scene: Scene, targets: int) -> Iterator[tuple[Property, ...]]:
    """Yield the visible attributes of every landmark of the first target.

    First an empty set, for relations without a landmark.
    """
    yield ()
    # A landmark has to be related to every target, so it is among those of the first.
    first = next(scene.members(targets))
    near, hidden = {r.entity for r in first.relations}, list_relation_names(scene)
    for entity in scene.entities:
        if entity.id in near:
            yield tuple(p for p in entity.attributes if p.name not in hidden)


def count_fewest_to_keep(
    scene: Scene, targets: int, description: Sequence[Property], free: Sequence[Property] = ()
) -> int:
    """Return the fewest properties of `description` that, with `free`, rule out the same distractors."""
    distractors = scene.everything & ~targets
    if not list_relation_names(scene) and not any(LANDMARKS.match(p.name) for p in description):
        extensions = scene.extensions
        masks = [extensions.get(p, 0) for p in description]
        start = reduce(and_, [extensions.get(p, 0) for p in free], distractors)
        # Never None: `description` as a whole excludes the required distractors.
        return count_smallest_cover(masks, start & ~reduce(and_, masks, start)) or 0
    # Relations depend on the landmark that goes with them: parts have to be tried whole, not as masks.
    return next(
        size
        for size in range(len(description) + 1)
        for part in combinations(description, size)
        if is_as_sharp(scene, targets, (*part, *free), (*description, *free))
    )


def count_fewest_to_add_to_parts(scene: Scene, targets: int, form: Meaning) -> int | None:
    """Return the fewest true properties to add until each part of a meaning denotes targets only, or None."""
    total = 0
    for mask in scene.denotations(form):
        meant = mask & targets
        masks = tuple(list_true_properties(scene, meant).values()) if meant else ()
        more = count_smallest_cover(masks, mask & ~targets)
        if more is None:
            return None
        total += more
    return total


def count_fewest_atoms_to_keep(scene: Scene, targets: int, form: Meaning, is_free: Sequence[bool]) -> int:
    """Return the number of atoms that must stay, beside the free ones, to be `is_as_sharp` as the whole."""
    free = [i for i, free in enumerate(is_free) if free]
    loose = [i for i, free in enumerate(is_free) if not free]
    return next(
        size
        for size in range(len(loose) + 1)
        for part in combinations(loose, size)
        if is_as_sharp(scene, targets, keep_atoms(form, (*part, *free)), form)
    )


def keep_atoms(form: Meaning, indices: Iterable[int]) -> Meaning:
    """Return a meaning with some of its atoms, numbered in the order of `referee.meaning.atoms`."""
    chosen = set(indices)
    return drop_atoms(form, [i in chosen for i, _ in enumerate(atoms(form))])


def is_as_sharp(
    scene: Scene, targets: int, part: Iterable[Property] | Meaning, whole: Iterable[Property] | Meaning
) -> bool:
    """Return whether a part of a description excludes the same distractors and includes the same targets.

    The latter can fail: with a landmark, all relations must lead to it.
    """
    less, more = scene.denotation(part), scene.denotation(whole)
    return not less & ~targets & ~more and not more & targets & ~less
