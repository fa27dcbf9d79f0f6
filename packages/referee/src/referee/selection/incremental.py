"""The Incremental Algorithm: walk down a list of preferences and keep what rules something out (Reiter & Dale 1992; Dale & Reiter 1995).

The list is given, or learned from how often speakers mention an attribute (Kelleher 2007) or an attribute-value pair where it holds (Gervás et al. 2008).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Literal, Self

from referee.errors import NotTrained
from referee.records import Property, Scene, SpeakerView, Trial
from referee.selection.contrast import Contrast, Head
from referee.selection.frequencies import GroupedFrequencies, count_by
from referee.selection.reasons import Note, Reasoned

__all__ = ["Incremental", "Taxonomy"]

Taxonomy = Mapping[str, Mapping[str, str]]
"""For every attribute, the parent of each value that has one: ``{"colour": {"scarlet": "red", "crimson": "red"}}``."""


@dataclass(eq=False, repr=False)
class Incremental(Reasoned):
    """Takes properties in order of preference, as long as they rule out a remaining distractor.

    `order` is a tuple of attribute names (others are never mentioned), "frequency" or "prior" (both learned, per group of trials named by
    `by`), or None for the scene's own order. `head` says what happens to the type. With a `taxonomy` the value is the most general one that does as
    well as any more specific one, starting from the `basic` level and leaving out what is `unfamiliar` to the hearer (FindBestValue).
    A target that cannot be told apart gets everything that ruled out a distractor. In a learned order, attributes in `late` come last, and `printed` has, for
    a domain, shares (``colour``) or priors (``colour:red``) of a paper that replace those learned here.
    """

    order: tuple[str, ...] | Literal["frequency", "prior"] | None = None
    head: Head = "last"
    by: tuple[str, ...] = ("domain",)
    taxonomy: Taxonomy | None = None
    basic: Taxonomy | None = None
    unfamiliar: frozenset[Property] = frozenset()
    late: tuple[str, ...] = ()
    printed: Mapping[str, Mapping[str, float]] | None = None

    @property
    def learns(self) -> bool:
        """Whether the order is learned."""
        return isinstance(self.order, str)

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count what speakers mention, if the order is to be learned."""
        if isinstance(self.order, str):
            self.frequencies_: GroupedFrequencies = count_by(trials, self.by)
        return self

    def preferences(self, contrast: Contrast, view: SpeakerView) -> Sequence[Property]:
        """The target's properties in the order they are tried."""
        if self.order is None:
            return contrast.properties
        if not isinstance(self.order, str):
            return contrast.among(self.order)
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        seen = self.frequencies_.of(view)
        printed = (self.printed or {}).get(view.domain or "", {})
        if self.order == "prior":
            listed = sorted(contrast.properties, key=lambda prop: -printed.get(str(prop), seen.prior(prop) or 0.0))
        elif printed:
            shares = {name: printed.get(name, seen.share(name) or 0.0) for name in seen.order}
            listed = list(contrast.among(tuple(sorted(seen.order, key=lambda name: -shares[name])), rest=True))
        else:
            listed = list(contrast.among(seen.order, rest=True))
        return sorted(listed, key=lambda prop: prop.name in self.late) if self.late else listed

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        chosen, left, head = contrast.begin(self.head, note)
        extensions = contrast.extensions
        plain = not (self.taxonomy or self.basic or self.unfamiliar)
        for prop in self.preferences(contrast, view):
            if not left:
                break
            best: Property | None = prop
            if plain:
                remaining = left & extensions[prop]
            else:
                best, remaining = self.find_best_value(contrast.scene, prop, left)
            if best is None or remaining == left:
                if note and prop not in chosen:
                    note(prop, "left out: rules out no remaining distractor")
                continue
            chosen.append(best)
            left = remaining
            if note:
                note(best, "next in the order of preference, and rules out a distractor")
        # By name, too: with a taxonomy another value of the type may have been said.
        if (
            self.head == "last"
            and head is not None
            and head not in chosen
            and head.name not in {p.name for p in chosen}
        ):
            chosen.append(head)
            if note:
                note(head, "the type is added as head of the phrase")
        return tuple(chosen)

    def find_best_value(self, scene: Scene, prop: Property, left: int) -> tuple[Property | None, int]:
        """The most general familiar value that rules out as much as any more specific one, and what it leaves."""
        path = self._path(prop)
        best: Property | None = None
        remaining = left
        for value in path:
            candidate = Property(prop.name, value)
            if candidate in self.unfamiliar:
                continue
            stays = left & self._extension(scene, candidate)
            # Strictly more: of values that rule out as many the more general one stays (FindBestValue, Reiter & Dale
            # 1992).
            if best is None or stays.bit_count() < remaining.bit_count():
                best, remaining = candidate, stays
        return best, remaining

    def _path(self, prop: Property) -> list[str]:
        """The values that subsume the target's own, from the basic level (or the top of what is given) down to it."""
        parents = (self.taxonomy or {}).get(prop.name, {})
        start = (self.basic or {}).get(prop.name, {}).get(prop.value, prop.value)
        path = [prop.value]
        while path[-1] != start and path[-1] in parents:
            path.append(parents[path[-1]])
        # Where the taxonomy does not lead up to the basic value, that value is all there is to try.
        return path[::-1] if path[-1] == start else [start]

    def _extension(self, scene: Scene, prop: Property) -> int:
        """Whom a value is true of, those with a more specific value included."""
        parents = (self.taxonomy or {}).get(prop.name, {})
        below = {prop.value}
        while more := {child for child, parent in parents.items() if parent in below} - below:
            below |= more
        return reduce(or_, (scene.extension(Property(prop.name, value)) for value in below))

    def denotation(self, scene: Scene, properties: Sequence[Property]) -> int:
        """As the scene's, but a general value is true of whatever has a value below it."""
        left = scene.everything
        for prop in properties:
            left &= self._extension(scene, prop)
        return left
