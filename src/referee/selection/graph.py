"""Graph-based search: the scene is a graph, a description a part of it that fits the target alone, and the cheapest one wins (Krahmer, van Erk & Verleg 2003).

Properties are loops, relations are edges to a landmark, which may be described in turn. Whether a part fits an entity is asked the way a
hearer would find it (`Scene.denotation`): landmarks are known by what is said of them, never by their id.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from random import Random
from time import monotonic
from typing import Literal, Self

from referee.errors import NotTrained
from referee.records import LANDMARK, Property, Scene, SpeakerView, Trial
from referee.selection.contrast import Contrast, Head, contrast_of
from referee.selection.costs import Costs, UnitCosts
from referee.selection.exact_cover import Cover, cheapest_cover
from referee.selection.frequencies import GroupedFrequencies, count_by
from referee.selection.full_brevity import Found
from referee.selection.reasoning import Note, Reasoned

__all__ = ["GraphSearch"]


class GraphSearch(Reasoned):
    """The cheapest distinguishing description under any `costs`; of equally cheap ones the first that the search meets.

    `order` is the order in which properties are tried: "given" (the scene's), "cost" (cheap first), "prior" (often mentioned first; learned, per
    group named by `by`) or "random" (from `seed` and the trial's id). Because the first of equals wins, free properties that are tried early
    are mentioned even when they rule out nobody; `helpful` leaves those out. `landmarks` is how many steps of relations may be
    taken (0: properties only). `attributes`, `head` and `seconds` are those of Full Brevity.
    """

    def __init__(
        self,
        costs: Costs | None = None,
        order: Literal["given", "cost", "prior", "random"] = "given",
        head: Head = "none",
        attributes: tuple[str, ...] | None = None,
        helpful: bool = False,
        landmarks: int = 0,
        by: tuple[str, ...] = ("domain",),
        seed: int = 0,
        seconds: float | None = None,
    ) -> None:
        self.costs = costs
        self.order = order
        self.head = head
        self.attributes = attributes
        self.helpful = helpful
        self.landmarks = landmarks
        self.by = by
        self.seed = seed
        self.seconds = seconds

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn prices and order, as far as they come from data."""
        trials = list(trials)
        if self.costs is not None:
            self.costs.fit(trials)
        if self.order == "prior":
            self.frequencies_: GroupedFrequencies = count_by(trials, self.by)
        return self

    def search(self, view: SpeakerView) -> Found:
        """The cheapest description, and what is known about it."""
        return self._search(contrast_of(view), view)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        found = self._search(contrast, view)
        if note:
            price = self.costs or UnitCosts()
            standing = "cheapest" if found.proven else "cheapest found in time"
            for prop in found.properties:
                note(
                    prop, f"costs {price.cost(prop, view):g}; part of the {standing} description, {found.cost:g} in all"
                )
        return found.properties

    def _search(self, contrast: Contrast, view: SpeakerView) -> Found:
        head = contrast.head if self.head != "none" else None
        first = (head,) if head is not None and self.head == "first" else ()
        options = [p for p in self._ordered(contrast, view) if p not in first]
        price = self.costs or UnitCosts()
        if self.landmarks and any(e.relations for e in contrast.scene.entities):
            best, cost, proven = _Walk(self, contrast, view, price, options).cheapest(first)
        else:
            best, cost, proven = self._cheapest(contrast, [price.cost(p, view) for p in options], options, first)
        if head is not None and head not in best:
            best = (*best, head)
        distinguishing = not contrast.scene.denotation(best) & contrast.distractors
        return Found(best, distinguishing, proven, cost)

    def _cheapest(
        self, contrast: Contrast, costs: Sequence[float], options: Sequence[Property], first: tuple[Property, ...]
    ) -> tuple[tuple[Property, ...], float, bool]:
        left = contrast.remaining(first)
        keeps = [contrast.extensions[p] for p in options]
        cover: Cover = cheapest_cover(keeps, costs, left, self.seconds)
        chosen = (*first, *(options[i] for i in cover.chosen))
        return (_drop_idle(contrast, chosen, first) if self.helpful else chosen), cover.cost, cover.proven

    def _ordered(self, contrast: Contrast, view: SpeakerView) -> Sequence[Property]:
        options = contrast.among(self.attributes)
        if self.order == "cost":
            price = self.costs or UnitCosts()
            return sorted(options, key=lambda p: price.cost(p, view))
        if self.order == "random":
            return Random(f"{self.seed} {view.id}").sample(options, len(options))
        if self.order == "prior":
            if not hasattr(self, "frequencies_"):
                raise NotTrained(self)
            seen = self.frequencies_.of(view)
            return sorted(options, key=lambda p: (-(seen.prior(p) or 0.0), p.name if p not in seen.occurred else ""))
        return options


def _drop_idle(contrast: Contrast, chosen: Sequence[Property], keep: Sequence[Property]) -> tuple[Property, ...]:
    """What is left of a description when properties that rule out nobody, at their turn, are not said."""
    said: list[Property] = []
    left = contrast.distractors
    for prop in chosen:
        kept = left & contrast.extensions[prop]
        if kept != left or prop in keep:
            said.append(prop)
            left = kept
    return tuple(said)


class _Walk:
    """A search over connected parts of the scene graph, cheapest first; every vertex has at most one landmark of its own."""

    def __init__(
        self, search: GraphSearch, contrast: Contrast, view: SpeakerView, price: Costs, options: Sequence[Property]
    ) -> None:
        self.search = search
        self.contrast = contrast
        self.view = view
        self.price = price
        self.options = options
        self.allowed = None if search.attributes is None else set(search.attributes)

    def cheapest(self, first: tuple[Property, ...]) -> tuple[tuple[Property, ...], float, bool]:
        """The cheapest part that fits nobody else, or as few others as any part does."""
        scene, others = self.contrast.scene, self.contrast.distractors
        deadline = None if self.search.seconds is None else monotonic() + self.search.seconds
        target = next(scene.members(self.contrast.targets)).id
        goal = self._fewest(target, first)
        start = [*((p, "") for p in self.options), *self._edges(target, "", (target,))]
        heap: list[tuple[float, tuple[int, ...], tuple[Property, ...], list[tuple[Property, str]], tuple[str, ...]]]
        heap = [(0.0, (), first, start, (target,))]
        nearest = (len(scene.entities) + 1, first, 0.0)
        while heap:
            cost, path, said, edges, chain = heapq.heappop(heap)
            fits = (scene.denotation(said) & others).bit_count()
            if fits <= goal:
                return said, cost, True
            nearest = min(nearest, (fits, said, cost), key=lambda found: found[0])
            if deadline is not None and monotonic() > deadline:
                return nearest[1], nearest[2], False
            for i, (prop, landmark) in enumerate(edges):
                grown, further = self._grow(edges[i + 1 :], prop, landmark, chain)
                paid = cost + self.price.cost(prop, self.view)
                heapq.heappush(heap, (paid, (*path, i), (*said, prop), grown, further))
        return nearest[1], nearest[2], True

    def _grow(
        self, edges: list[tuple[Property, str]], prop: Property, landmark: str, chain: tuple[str, ...]
    ) -> tuple[list[tuple[Property, str]], tuple[str, ...]]:
        """The edges that may follow: with a new landmark also its own, and no other landmark at the same place."""
        if not landmark or landmark in chain:
            return edges, chain
        depth = prop.name.count(LANDMARK)
        same = [(p, to) for p, to in edges if not to or to == landmark or p.name.count(LANDMARK) != depth]
        prefix = LANDMARK * (depth + 1)
        own = [(Property(prefix + p.name, p.value), "") for p in self._told(self.contrast.scene, landmark)]
        chain = (*chain, landmark)
        further = self._edges(landmark, prefix, chain) if depth + 1 < self.search.landmarks else []
        return [*same, *own, *further], chain

    def _told(self, scene: Scene, entity: str) -> list[Property]:
        return [p for p in scene.entity(entity).attributes if self.allowed is None or p.name in self.allowed]

    def _edges(self, entity: str, prefix: str, chain: tuple[str, ...]) -> list[tuple[Property, str]]:
        relations = dict.fromkeys(self.contrast.scene.entity(entity).relations)
        return [(Property(prefix + r.name, r.entity), r.entity) for r in relations if r.entity not in chain]

    def _fewest(self, target: str, first: tuple[Property, ...]) -> int:
        """How many distractors fit the most telling chain of landmarks, everything said about each."""
        scene, others = self.contrast.scene, self.contrast.distractors
        fewest = (scene.denotation([*first, *self.options]) & others).bit_count()
        chains: list[tuple[tuple[str, ...], list[Property]]] = [((target,), [*first, *self.options])]
        for depth in range(self.search.landmarks):
            grown: list[tuple[tuple[str, ...], list[Property]]] = []
            for chain, said in chains:
                for landmark in dict.fromkeys(to for _, to in self._edges(chain[-1], "", chain)):
                    here = [p for p, to in self._edges(chain[-1], LANDMARK * depth, chain) if to == landmark]
                    told = [Property(LANDMARK * (depth + 1) + p.name, p.value) for p in self._told(scene, landmark)]
                    grown.append(((*chain, landmark), [*said, *here, *told]))
                    fewest = min(fewest, (scene.denotation(grown[-1][1]) & others).bit_count())
            chains = grown
        return fewest
