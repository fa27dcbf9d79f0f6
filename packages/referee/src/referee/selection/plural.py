"""Descriptions of sets.

With "and", "or" and "not" (van Deemter 2002), and in parts that mirror how people split a set (Gatt & van Deemter
2007).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import combinations
from operator import or_
from typing import NamedTuple, Self

from referee.errors import NotTrained
from referee.meaning import Meaning, conjunction
from referee.records import Property, Scene, SpeakerView, Trial
from referee.selection.contrast import TYPE, Contrast, get_contrast
from referee.selection.frequencies import count
from referee.selection.reasons import ReasonedMeaning


@dataclass(eq=False, repr=False)
class BooleanDescriptions(ReasonedMeaning):
    """Adds forms that are true of all targets and exclude a remaining entity.

    Literals first, then unions of two, of three, … up to `longest`.

    `order` lists the attributes by preference (None: the scene's order). Chosen forms are never removed; if the targets
    cannot be distinguished, the description is true of them and of as few others as the search reached.
    """

    order: tuple[str, ...] | None = None
    negation: bool = True
    longest: int = 3

    def select_meaning(self, view: SpeakerView) -> Meaning:
        """Return a conjunction of literals and of disjunctions of literals."""
        contrast = get_contrast(view)
        scene, targets = contrast.scene, contrast.targets
        left = scene.everything
        clauses: list[Meaning] = []
        literals = [(scene.denotation(literal), literal) for literal in self._iterate_literals(scene)]
        # Van Deemter's phases; the number of unions grows exponentially, hence the end.
        for size in range(1, self.longest + 1):
            for parts in combinations(literals, size):
                if left == targets:
                    return conjunction(clauses)
                union = reduce(or_, (extension for extension, _ in parts))
                if not targets & ~union and left & ~union:
                    # A union with a property and its denial rules out nothing and never gets here.
                    clauses.append(parts[0][1] if size == 1 else ("or", *(literal for _, literal in parts)))
                    left &= union
        return conjunction(clauses)

    def _iterate_literals(self, scene: Scene) -> Iterator[Meaning]:
        """Yield the scene's attributes without relations, asserted ones before denied ones."""
        attributes = dict.fromkeys(p for e in scene.entities for p in e.attributes)
        names = self.order if self.order is not None else tuple(dict.fromkeys(p.name for p in attributes))
        ordered = [tuple(p) for name in names for p in attributes if p.name == name]
        yield from ordered
        if self.negation:
            yield from (("not", literal) for literal in ordered)


class Fragment(NamedTuple):
    """Some of the targets, described together."""

    referents: tuple[str, ...]
    properties: tuple[Property, ...]


def join_parts(fragments: Sequence[Fragment]) -> Meaning:
    """Return parts as a form; a single part is written without its number if it has one object."""
    forms = [(len(part.referents), conjunction(tuple(p) for p in part.properties)) for part in fragments]
    return forms[0][1] if len(forms) == 1 and forms[0][0] == 1 else ("parts", *forms)


class Partitioned(ReasonedMeaning):
    """Splits the targets by type, then adds properties, attribute by attribute, to the parts they are true of.

    `order` lists attributes by preference; others follow in the order of the scene. A property is taken if it rules out a distractor of a target that has
    it, or if its attribute is already in use and speakers use it so often (`shares`, or learned from singular descriptions) that parallel wording is
    likely: .713 · share ^ .912 > .5.
    """

    def __init__(
        self, order: tuple[str, ...] = ("colour", "orientation", "size"), shares: Mapping[str, float] | None = None
    ) -> None:
        self.order = order
        self.shares = shares

    @property
    def learns(self) -> bool:
        """Whether the shares are learned."""
        return self.shares is None

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn how often singular descriptions mention an attribute, unless `shares` are given."""
        if self.shares is None:
            seen = count(t for t in trials if len(t.targets) == 1)
            self.shares_ = {name: seen.share(name) or 0.0 for name in seen.order}
        return self

    def select_meaning(self, view: SpeakerView) -> Meaning:
        """Return the parts with the number of objects of each."""
        return join_parts(self.fragments(view))

    def fragments(self, view: SpeakerView) -> tuple[Fragment, ...]:
        """Return the parts of the description."""
        contrast = get_contrast(view)
        scene, extensions = contrast.scene, contrast.extensions
        places = {r: scene.index(r) for r in view.targets}
        attributes = {r: scene.entities[place].attributes for r, place in places.items()}
        parts = _split_by_type(attributes)
        # Distractors are stored per target: a property of one part excludes none for the other.
        left: dict[str, int] = {}
        for part in parts:
            kind = extensions[part.properties[0]] if part.properties else scene.everything
            left.update(dict.fromkeys(part.referents, contrast.distractors & kind))
        used: set[str] = set()
        names = dict.fromkeys(p.name for of_target in attributes.values() for p in of_target if p.name != TYPE)
        for name in dict.fromkeys((*self.order, *names)):
            for prop in _order_by_power(contrast, name, attributes, left):
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
        """Return the share of descriptions that mention an attribute."""
        if self.shares is None and not hasattr(self, "shares_"):
            raise NotTrained(self)
        return (self.shares if self.shares is not None else self.shares_).get(name, 0.0)


ByReferent = Mapping[str, tuple[Property, ...]]


def _split_by_type(by_referent: ByReferent) -> tuple[Fragment, ...]:
    """Return the targets in parts of equal type."""
    groups: dict[tuple[Property, ...], list[str]] = {}
    for r, attributes in by_referent.items():
        groups.setdefault(tuple([p for p in attributes if p.name == TYPE][:1]), []).append(r)
    return tuple([Fragment(tuple(referents), kind) for kind, referents in groups.items()])


def _order_by_power(contrast: Contrast, name: str, by_referent: ByReferent, left: Mapping[str, int]) -> list[Property]:
    """Return the targets' values of an attribute, the most discriminating first.

    Power is the proportion of a value's extension that are targets or excluded distractors.
    """
    values = list(dict.fromkeys([p for attributes in by_referent.values() for p in attributes if p.name == name]))
    if len(values) < 2:
        return values
    others = reduce(or_, left.values())

    def power(prop: Property) -> float:
        true = contrast.extensions[prop]
        return ((true & contrast.targets).bit_count() + (others & ~true).bit_count()) / true.bit_count()

    return sorted(values, key=power, reverse=True)


def _add(parts: tuple[Fragment, ...], prop: Property, having: Sequence[str]) -> tuple[Fragment, ...]:
    """Return the parts with a property added to its targets; a part in which only some have it is split."""
    result = []
    for part in parts:
        inside = tuple([r for r in part.referents if r in having])
        outside = tuple([r for r in part.referents if r not in having])
        if inside:
            result.append(Fragment(inside, (*part.properties, prop)))
        if outside:
            result.append(Fragment(outside, part.properties))
    return tuple(result)
