"""Descriptions of sets: with "and", "or" and "not" (van Deemter 2002), and in parts that mirror how people split a set (Gatt & van Deemter 2007)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import and_, or_
from typing import NamedTuple, Self

from referee.errors import NotTrained
from referee.records import Property, Scene, SpeakerView, Trial
from referee.selection.contrast import TYPE, Contrast, contrast_of
from referee.selection.frequencies import count
from referee.selection.reasons import Note, Reason, Reasoned

__all__ = ["Boolean", "BooleanDescriptions", "Fragment", "Partitioned", "SignedProperty"]

NOT = "not."


class SignedProperty(NamedTuple):
    """A property or its negation."""

    property: Property
    negated: bool = False

    def extension(self, scene: Scene) -> int:
        true = scene.extension(self.property)
        return scene.everything & ~true if self.negated else true

    def __str__(self) -> str:
        return f"not {self.property}" if self.negated else str(self.property)


@dataclass(frozen=True, slots=True)
class Boolean:
    """A conjunction of unions of literals."""

    clauses: tuple[tuple[SignedProperty, ...], ...] = ()

    def denotation(self, scene: Scene) -> int:
        """The entities that the formula is true of."""
        unions = (reduce(or_, (part.extension(scene) for part in clause)) for clause in self.clauses)
        return reduce(and_, unions, scene.everything)

    def flat(self) -> tuple[Property, ...]:
        """The properties mentioned, in order, for a description without structure; a negated one is called ``not.`` + name."""
        parts = (part for clause in self.clauses for part in clause)
        found = (Property(NOT + p.property.name, p.property.value) if p.negated else p.property for p in parts)
        return tuple(dict.fromkeys(found))

    def __str__(self) -> str:
        return " and ".join(f"({' or '.join(map(str, c))})" if len(c) > 1 else str(c[0]) for c in self.clauses)


@dataclass(eq=False, repr=False)
class BooleanDescriptions(Reasoned):
    """Adds whatever is true of all targets and not of everything left: literals first, then unions of two, of three, … up to `longest`.

    `order` lists the attributes by preference (None: the scene's order). `formula` gives the result with its structure, `select` the properties
    in it. Nothing chosen is ever dropped; if the targets cannot be told apart the formula holds of them and as few others as were found.
    """

    order: tuple[str, ...] | None = None
    negation: bool = True
    longest: int = 3

    def formula(self, view: SpeakerView) -> Boolean:
        """The description as a formula."""
        return self._formula(contrast_of(view))

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        return self._formula(contrast).flat()

    def explain(self, view: SpeakerView) -> list[Reason]:
        """One step per union, named by its first property."""
        contrast = contrast_of(view)
        left, steps = contrast.distractors, []
        for clause in self._formula(contrast).clauses:
            kept = left & Boolean((clause,)).denotation(contrast.scene)
            gone = tuple(e.id for e in contrast.scene.members(left & ~kept))
            left = kept
            # A union is named by its first part; what is denied must not look as if it were said.
            first = Boolean((clause,)).flat()[0]
            steps.append(Reason(first, f"true of every target: {Boolean((clause,))}", gone, left.bit_count()))
        if left:
            steps.append(
                Reason(None, "not distinguishing: the description is true of others too", (), left.bit_count())
            )
        return steps

    def _formula(self, contrast: Contrast) -> Boolean:
        scene, wanted = contrast.scene, contrast.targets
        left = scene.everything
        clauses: list[tuple[SignedProperty, ...]] = []
        literals = [(literal.extension(scene), literal) for literal in self._literals(scene)]
        # Van Deemter's phases; the number of unions grows exponentially, hence the end.
        for size in range(1, self.longest + 1):
            for parts in combinations(literals, size):
                if left == wanted:
                    return Boolean(tuple(clauses))
                union = reduce(or_, (true for true, _ in parts))
                if not wanted & ~union and left & ~union:
                    # A union that repeats an atom says "p or not p": it rules out nobody and never gets here.
                    clauses.append(tuple(literal for _, literal in parts))
                    left &= union
        return Boolean(tuple(clauses))

    def _literals(self, scene: Scene) -> Iterator[SignedProperty]:
        """The scene's own properties (relations left out), positive ones first."""
        attributes = dict.fromkeys(p for e in scene.entities for p in e.attributes)
        names = self.order if self.order is not None else tuple(dict.fromkeys(p.name for p in attributes))
        ordered = [p for name in names for p in attributes if p.name == name]
        yield from (SignedProperty(p) for p in ordered)
        if self.negation:
            yield from (SignedProperty(p, negated=True) for p in ordered)


class Fragment(NamedTuple):
    """Some of the targets, described together."""

    referents: tuple[str, ...]
    properties: tuple[Property, ...]


class Partitioned(Reasoned):
    """Splits the targets by type, then adds properties, attribute by attribute, to the parts they hold of.

    A property is taken if it rules out a distractor of a target that has it, or if its attribute is already in use and speakers use it so often (`shares`, or
    learned from singular descriptions) that parallel wording is likely: .713 · share ^ .912 > .5.
    """

    def __init__(
        self, order: tuple[str, ...] = ("colour", "orientation", "size"), shares: Mapping[str, float] | None = None
    ) -> None:
        self.order = order
        self.shares = shares

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn how often singular descriptions mention an attribute, unless `shares` are given."""
        if self.shares is None:
            seen = count(t for t in trials if len(t.targets) == 1)
            self.shares_ = {name: seen.share(name) or 0.0 for name in seen.order}
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        return tuple(p for fragment in self.fragments(view) for p in fragment.properties)

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Part by part: what each property rules out for the targets of its part."""
        contrast, steps = contrast_of(view), []
        for part in self.fragments(view):
            left = contrast.distractors
            for prop in part.properties:
                kept = left & contrast.extensions[prop]
                gone = tuple(e.id for e in contrast.scene.members(left & ~kept))
                left = kept
                steps.append(Reason(prop, f"said of {', '.join(part.referents)}", gone, left.bit_count()))
            if left:
                steps.append(Reason(None, f"not distinguishing for {', '.join(part.referents)}", (), left.bit_count()))
        return steps

    def fragments(self, view: SpeakerView) -> tuple[Fragment, ...]:
        """The parts of the description."""
        contrast = contrast_of(view)
        scene, extensions = contrast.scene, contrast.extensions
        places = {r: scene.index(r) for r in view.targets}
        own = {r: scene.entities[place].attributes for r, place in places.items()}
        parts = _by_type(own)
        # Distractors are kept for each target: what is said of one part rules nobody out for the other.
        left: dict[str, int] = {}
        for part in parts:
            kind = extensions[part.properties[0]] if part.properties else scene.everything
            left.update(dict.fromkeys(part.referents, contrast.distractors & kind))
        used: set[str] = set()
        for name in self.order:
            for prop in _by_power(contrast, name, own, left):
                if not any(left.values()):
                    return parts
                true = extensions[prop]
                having = [r for r, place in places.items() if true >> place & 1]
                helped = [r for r in having if left[r] & ~true]
                if helped or (name in used and 0.713 * self._share(name) ** 0.912 > 0.5):
                    used.add(name)
                    parts = _add(parts, prop, having)
                    left.update([(r, left[r] & true) for r in helped])
        return parts

    def _share(self, name: str) -> float:
        if self.shares is None and not hasattr(self, "shares_"):
            raise NotTrained(self)
        return (self.shares if self.shares is not None else self.shares_).get(name, 0.0)


Own = Mapping[str, tuple[Property, ...]]


def _by_type(own: Own) -> tuple[Fragment, ...]:
    groups: dict[tuple[Property, ...], list[str]] = {}
    for r, attributes in own.items():
        groups.setdefault(tuple([p for p in attributes if p.name == TYPE][:1]), []).append(r)
    return tuple([Fragment(tuple(referents), kind) for kind, referents in groups.items()])


def _by_power(contrast: Contrast, name: str, own: Own, left: Mapping[str, int]) -> list[Property]:
    """The targets' values of an attribute, by how much of what they hold of is target or gets ruled out."""
    values = list(dict.fromkeys([p for attributes in own.values() for p in attributes if p.name == name]))
    if len(values) < 2:
        return values
    others = reduce(or_, left.values())

    def power(prop: Property) -> float:
        true = contrast.extensions[prop]
        return ((true & contrast.targets).bit_count() + (others & ~true).bit_count()) / true.bit_count()

    return sorted(values, key=power, reverse=True)


def _add(parts: tuple[Fragment, ...], prop: Property, having: Sequence[str]) -> tuple[Fragment, ...]:
    """Say a property of those that have it; a part of whom only some do is split."""
    result = []
    for part in parts:
        inside = tuple([r for r in part.referents if r in having])
        outside = tuple([r for r in part.referents if r not in having])
        if inside:
            result.append(Fragment(inside, (*part.properties, prop)))
        if outside:
            result.append(Fragment(outside, part.properties))
    return tuple(result)
