"""All distinguishing descriptions of the target, and of these a smallest one or one that people have used.

Bohnet (2007: IS-FBS) takes a smallest set; Di Fabbrizio, Stent & Bangalore (2008: ATT-FB) look for one from the
training data. Sets of the target's properties are bit sets; bit i is its i-th property.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from referee.errors import InputError, NotTrained
from referee.records import Property, SceneNotes, SpeakerView, Trial
from referee.selection.contrast import Contrast, get_contrast
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.reasons import Note, Reasoned

Pick = Literal["first", "last", "random"]
Masks = npt.NDArray[np.uint32]
_DISTINGUISHING: SceneNotes[int, Masks] = SceneNotes("systems.distinguishing")
MOST = 20
"""Most properties of a target whose descriptions are all listed (a million of them)."""


def find_distinguishing_masks(contrast: Contrast) -> Masks:
    """Return every set of the target's properties that identifies it, the smallest first.

    If none does, the sets that exclude the most distractors are returned. Cached with the scene.
    """
    notes = _DISTINGUISHING.of(contrast.scene)
    masks_of_targets = notes.get(contrast.targets)
    if masks_of_targets is None:
        masks_of_targets = notes[contrast.targets] = _list_masks(contrast)
    return masks_of_targets


def check_count(contrast: Contrast) -> int:
    """Return how many properties a target has; raises InputError if their sets are too many to list."""
    count = len(contrast.properties)
    if count > MOST:
        raise InputError(
            f"a target with {count} properties has too many descriptions to list",
            where=contrast.scene.id or "",
            remedy=f"give it at most {MOST}, or use a system that does not list them all",
        )
    return count


def _list_masks(contrast: Contrast) -> Masks:
    """Return the distinguishing sets of properties."""
    count = check_count(contrast)
    masks = np.arange(1 << count, dtype=np.uint32)
    remaining = np.zeros(len(masks), dtype=np.int64)
    # Once for every pattern of shared properties: six distractors have at most six.
    for shared, entities in _count_sharing(contrast).items():
        remaining += entities * ((masks & ~np.uint32(shared)) == 0)
    masks_of_targets = masks[remaining == remaining.min()]
    ordered: Masks = masks_of_targets[
        np.lexsort((_make_sort_keys(masks_of_targets, count), np.bitwise_count(masks_of_targets)))
    ]
    return ordered


def _count_sharing(contrast: Contrast) -> dict[int, int]:
    """Return, by set of the target's properties, the number of distractors that have all of them."""
    shared: defaultdict[int, int] = defaultdict(int)
    extensions = [contrast.extensions[p] for p in contrast.properties]
    for place in range(len(contrast.scene.entities)):
        if contrast.distractors >> place & 1:
            shared[sum(1 << i for i, extension in enumerate(extensions) if extension >> place & 1)] += 1
    return shared


def _make_sort_keys(masks: Masks, count: int) -> npt.NDArray[np.int64]:
    """Return sort keys for sets of equal size in the order of the properties.

    Sets with the first property come before sets without it.
    """
    keys = np.zeros(len(masks), dtype=np.int64)
    for i in range(count):
        keys -= (masks >> np.uint32(i) & 1).astype(np.int64) << (count - i)
    return keys


def spell(mask: int, contrast: Contrast) -> tuple[Property, ...]:
    """Return the properties of a bit set."""
    return tuple(p for i, p in enumerate(contrast.properties) if mask >> i & 1)


class ListsSets(Reasoned):
    """A selector that lists all sets of a target's properties."""

    def check(self, view: SpeakerView) -> None:
        """Raise InputError if a target has too many properties."""
        check_count(get_contrast(view))


@dataclass(eq=False, repr=False)
class SmallestSet(ListsSets):
    """Full brevity without regard for the type.

    A smallest set, the first, the last or a random one (from `seed` and the trial's id).

    The order is that of the properties in the scene. `extra` adds the scene's first property, even if it is in the set
    already: the first submission of IS-FBS added an arbitrary attribute to each set, and yet two sets in five were
    minimal. Attributes in `without` are used only if no other set identifies the target; in the domains of `typed` the
    type is always mentioned.
    """

    pick: Pick = "first"
    extra: bool = False
    seed: int = 0
    without: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return a smallest set, with the first property if `extra`, and the type in domains of `typed`."""
        smallest = _select_smallest(contrast, self.without)
        place = {"first": 0, "last": -1}.get(self.pick)
        if place is None:
            place = Random(f"{self.seed} {view.id}").randrange(len(smallest))
        more = contrast.properties[:1] if self.extra else ()
        if contrast.head is not None and view.domain in self.typed:
            more = (*more, contrast.head)
        return tuple(dict.fromkeys((*spell(int(smallest[place]), contrast), *more)))


def _select_smallest(contrast: Contrast, without: tuple[str, ...] = ()) -> Masks:
    """Return the smallest distinguishing sets."""
    masks = find_distinguishing_masks(contrast)
    left_out = sum(1 << i for i, p in enumerate(contrast.properties) if p.name in without)
    # An attribute that is never mentioned may be the only distinguishing one.
    allowed = masks[(masks & np.uint32(left_out)) == 0]
    masks = allowed if len(allowed) else masks
    sizes = np.bitwise_count(masks)
    smallest: Masks = masks[sizes == sizes[0]]
    return smallest


@dataclass(eq=False, repr=False)
class RememberedSet(ListsSets):
    """ATT-FB: a distinguishing set from the training data, with equal attributes and values.

    Otherwise a smallest set. `memory` lists the sources of sets, in turn: "recent" (the speaker's own, latest first),
    "own" (the speaker's, most frequent first), "all". With `known_only` an unknown speaker gets a smallest set at
    once: on the test set, whose speakers were new, the submitted systems never found a set. `pick` selects the
    smallest set: the "first" or the "last" in the order of the scene's properties.
    """

    memory: tuple[Literal["recent", "own", "all"], ...] = ("all",)
    known_only: bool = False
    pick: Literal["first", "last"] = "last"

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Store whole sets: their frequency, speakers and order."""
        trials = list(trials)
        self.counts_: GroupedFrequencies = count_by_group(trials, ("domain", "speaker"))
        self.recent_: dict[tuple[str | None, str | None], list[frozenset[Property]]] = {}
        for trial in trials:
            sets = [frozenset(r.properties) for r in trial.references if r.properties is not None]
            # Inserted in front, so that the latest comes first.
            self.recent_.setdefault((trial.domain, trial.speaker), [])[:0] = sets
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return a stored distinguishing set, or a smallest one."""
        if not hasattr(self, "counts_"):
            raise NotTrained(self)
        true = set(contrast.properties)
        # Whole sets with their values: comparing names alone gives .16 on furniture, where .40 is printed for ATT-FB-f
        # and values give .41.
        for properties in self._iterate_stored(view):
            if properties <= true and not contrast.remaining(properties):
                return tuple(p for p in contrast.properties if p in properties)
        return spell(int(_select_smallest(contrast)[0 if self.pick == "first" else -1]), contrast)

    def _iterate_stored(self, view: SpeakerView) -> Iterator[frozenset[Property]]:
        """Yield the stored sets in the order of `memory`."""
        speaker = (view.domain, view.speaker)
        if self.known_only and speaker not in self.recent_:
            return
        for memory in self.memory:
            if memory == "recent":
                yield from self.recent_.get(speaker, ())
            else:
                table = self.counts_.tables.get(speaker if memory == "own" else (view.domain,))
                sets: Mapping[frozenset[Property], int] = {} if table is None else table.sets
                yield from sorted(sets, key=lambda properties: -sets[properties])
