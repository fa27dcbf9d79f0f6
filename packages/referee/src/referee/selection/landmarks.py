"""The cheapest description with landmarks: a search over chains of entities, each with what is said of it (after Krahmer, van Erk & Verleg 2003).

A description grows edge by edge: a property of an entity in the chain, or a relation of the last one to a new landmark. Every entity has at most
one landmark, to which it may stand in several relations, so that the flat form (``landmark.colour``) says what was meant. Whom a description
fits is asked the way a hearer would: any entity that is so related to something so described.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import NamedTuple

from referee.exact_cover import OutOfTime
from referee.records import LANDMARK, Property, Scene, SceneNotes
from referee.selection.contrast import Contrast

__all__ = ["Landmarked", "cheapest_with_landmarks", "partners"]

Partners = list[int]
_PARTNERS: SceneNotes[str, dict[str, Partners]] = SceneNotes("selection.partners")
"""For every entity, the set of those it stands in some relation to."""


class Landmarked(NamedTuple):
    """What the search came back with."""

    properties: tuple[Property, ...]
    cost: float
    proven: bool


class _Edge(NamedTuple):
    """A property of the entity at some depth (`true`: what it holds of), or its relation to a landmark (`partners`)."""

    property: Property
    cost: float
    depth: int
    true: int
    partners: Partners | None = None


def cheapest_with_landmarks(
    contrast: Contrast,
    options: Sequence[Property],
    first: Sequence[Property],
    price: Callable[[Property], float],
    landmarks: int,
    attributes: tuple[str, ...] | None = None,
    seconds: float | None = None,
    without: Landmarked | None = None,
) -> Landmarked:
    """The cheapest description of the (first) target, with up to so many landmarks one behind the other, that fits as few others as possible.

    `options` are the target's own properties in the order they are tried, `first` is said in any case and costs nothing; `without` is
    the cheapest description without landmarks, where one singles out the target.
    """
    walk = _Walk(contrast, price, landmarks, attributes, None if seconds is None else monotonic() + seconds)
    return walk.cheapest(options, first) if without is None else walk.cheaper(options, first, without)


class _Walk:
    def __init__(
        self,
        contrast: Contrast,
        price: Callable[[Property], float],
        landmarks: int,
        attributes: tuple[str, ...] | None,
        deadline: float | None,
    ) -> None:
        self.contrast, self.price, self.landmarks, self.attributes = contrast, price, landmarks, attributes
        self.deadline = deadline
        self.scene: Scene = contrast.scene
        self.target = self.scene.entities[(contrast.targets & -contrast.targets).bit_length() - 1].id
        self.partners = partners(self.scene)
        self.goal = 0
        self.limit = self.following = self.cost = float("inf")
        self.best: tuple[Property, ...] | None = None
        self.nearest: tuple[int, tuple[Property, ...], float] = (0, (), 0.0)

    def cheaper(self, options: Sequence[Property], first: Sequence[Property], without: Landmarked) -> Landmarked:
        """Something with landmarks that is cheaper than what can be said without, or the latter."""
        relations = self._relations(self.target, 0, (self.target,))
        # Whatever has a landmark pays for a relation at least.
        if without.cost <= min([e.cost for e in relations], default=without.cost):
            return without
        edges, start = self._start(options, first, relations)
        self.goal, self.best, self.cost = 0, without.properties, without.cost
        self.limit = without.cost
        self.nearest = (0, without.properties, without.cost)
        try:
            self._extend(edges, 0, (start,), (), (self.target,), tuple(first), 0.0)
        except OutOfTime:
            return Landmarked(self.best, self.cost, False)
        return Landmarked(self.best, self.cost, without.proven)

    def cheapest(self, options: Sequence[Property], first: Sequence[Property]) -> Landmarked:
        """Deepen the search by cost until a description fits as few others as the fullest one does."""
        edges, start = self._start(options, first, self._relations(self.target, 0, (self.target,)))
        self.goal = self._fewest(edges[: len(options)], start)
        self.nearest = (len(self.scene.entities), tuple(first), 0.0)
        bound = min((e.cost for e in edges), default=0.0)
        try:
            while True:
                self.best, self.cost = None, float("inf")
                self.limit, self.following = bound, float("inf")
                self._extend(edges, 0, (start,), (), (self.target,), tuple(first), 0.0)
                if self.best is not None:
                    return Landmarked(self.best, self.cost, True)
                if self.following == float("inf"):
                    return Landmarked(self.nearest[1], self.nearest[2], True)
                # A little more than the next possible cost keeps the number of rounds small when every sum is different.
                bound = max(self.following, 1.25 * bound)
        except OutOfTime:
            return Landmarked(self.nearest[1], self.nearest[2], False)

    def _start(
        self, options: Sequence[Property], first: Sequence[Property], relations: list[_Edge]
    ) -> tuple[list[_Edge], int]:
        """The edges at the target, and what `first` leaves."""
        start, extensions = self.scene.everything, self.contrast.extensions
        for prop in first:
            start &= extensions[prop]
        return [*[_Edge(p, self.price(p), 0, extensions[p]) for p in options], *relations], start

    def _extend(
        self,
        edges: Sequence[_Edge],
        start: int,
        masks: tuple[int, ...],
        links: tuple[tuple[Partners, ...], ...],
        chain: tuple[str, ...],
        chosen: tuple[Property, ...],
        cost: float,
    ) -> None:
        others = (_fitting(masks, links) & self.contrast.distractors).bit_count()
        if others <= self.goal:
            # The limit falls with the best: equals that come later are too late.
            self.best, self.cost, self.limit = chosen, cost, cost
            return
        if others < self.nearest[0]:
            self.nearest = (others, chosen, cost)
        if self.deadline is not None and monotonic() > self.deadline:
            raise OutOfTime
        for i in range(start, len(edges)):
            edge = edges[i]
            paid = cost + edge.cost
            # Beyond this round, or no cheaper than the best; the least of these costs bounds the next round.
            if paid > self.limit or paid >= self.cost:
                self.following = min(self.following, paid)
                continue
            depth = edge.depth
            if edge.partners is None:
                narrowed = masks[depth] & edge.true
                # What is free is said even where it narrows nothing, as in the search without landmarks.
                if narrowed != masks[depth] or not edge.cost:
                    grown = (*masks[:depth], narrowed, *masks[depth + 1 :])
                    self._extend(edges, i + 1, grown, links, chain, (*chosen, edge.property), paid)
            # Another relation to the landmark that the chain already has.
            elif edge.property.value in chain:
                tied = (*links[:depth], (*links[depth], edge.partners), *links[depth + 1 :])
                self._extend(edges, i + 1, masks, tied, chain, (*chosen, edge.property), paid)
            else:
                landmark = edge.property.value
                rest = [
                    e for e in edges[i + 1 :] if e.partners is None or e.depth != depth or e.property.value == landmark
                ]
                further = [
                    *rest,
                    *self._told(landmark, depth + 1),
                    *self._relations(landmark, depth + 1, (*chain, landmark)),
                ]
                tied = (*links, (edge.partners,))
                self._extend(
                    further,
                    0,
                    (*masks, self.scene.everything),
                    tied,
                    (*chain, landmark),
                    (*chosen, edge.property),
                    paid,
                )

    def _told(self, entity: str, depth: int) -> list[_Edge]:
        """What may be said of a landmark."""
        names = self.attributes
        properties = [p for p in self.scene.entity(entity).attributes if names is None or p.name in names]
        flat = [Property(LANDMARK * depth + p.name, p.value) for p in properties]
        return [_Edge(f, self.price(f), depth, self.scene.extension(p)) for f, p in zip(flat, properties, strict=True)]

    def _relations(self, entity: str, depth: int, chain: tuple[str, ...]) -> list[_Edge]:
        """The relations of an entity to possible landmarks."""
        if depth >= self.landmarks:
            return []
        # Never back into the chain, which would describe the target by itself.
        relations = [r for r in dict.fromkeys(self.scene.entity(entity).relations) if r.entity not in chain]
        flat = [Property(LANDMARK * depth + r.name, r.entity) for r in relations]
        return [_Edge(f, self.price(f), depth, 0, self.partners[r.name]) for f, r in zip(flat, relations, strict=True)]

    def _fewest(self, edges: Sequence[_Edge], mask: int) -> int:
        """How many others fit the most telling chain of landmarks, with everything said about each."""
        for edge in edges:
            mask &= edge.true
        fewest = (mask & self.contrast.distractors).bit_count()
        chains: list[tuple[tuple[str, ...], tuple[int, ...], tuple[tuple[Partners, ...], ...]]] = [
            ((self.target,), (mask,), ())
        ]
        # The list grows while it is walked: shorter chains come before longer ones.
        for chain, masks, links in chains:
            if not fewest:
                break
            relations = self._relations(chain[-1], len(chain) - 1, chain)
            for landmark in dict.fromkeys(e.property.value for e in relations):
                tied = tuple(e.partners for e in relations if e.property.value == landmark and e.partners is not None)
                landmark_mask = self.scene.everything
                for edge in self._told(landmark, len(chain)):
                    landmark_mask &= edge.true
                chains.append(((*chain, landmark), (*masks, landmark_mask), (*links, tied)))
                fits = _fitting(*chains[-1][1:]) & self.contrast.distractors
                fewest = min(fewest, fits.bit_count())
        return fewest


def partners(scene: Scene) -> dict[str, Partners]:
    """For every relation, and every entity, what it is so related to; worked out once per scene."""
    notes = _PARTNERS.of(scene)
    if "all" in notes:
        return notes["all"]
    tables = notes["all"] = {}
    for i, entity in enumerate(scene.entities):
        for relation in entity.relations:
            table = tables.setdefault(relation.name, [0] * len(scene.entities))
            table[i] |= 1 << scene.index(relation.entity)
    return tables


def _fitting(masks: tuple[int, ...], links: tuple[tuple[Partners, ...], ...]) -> int:
    """Whom a chain fits: from the last landmark back to the target, all relations to something that fits the rest."""
    fitting = masks[-1]
    for mask, tables in zip(reversed(masks[:-1]), reversed(links), strict=True):
        fits, left = 0, mask
        while left:
            bit = left & -left
            left ^= bit
            i = bit.bit_length() - 1
            if all(table[i] & fitting for table in tables):
                fits |= bit
        fitting = fits
    return fitting
