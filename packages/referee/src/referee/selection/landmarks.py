"""The cheapest description with landmarks.

A search over trees of entities with their properties (after Krahmer, van Erk & Verleg 2003).

A description grows edge by edge: a property of an entity in the tree, or a relation of one of them to a landmark. An
entity may have any number of landmarks, and several relations to each. A description denotes, as for a hearer, every
entity with such relations to entities of such descriptions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from time import monotonic
from typing import NamedTuple

from referee.exact_cover import OutOfTime
from referee.meaning import Meaning, bits, conjunction, partners, related
from referee.records import LANDMARK, Property, Scene
from referee.selection.contrast import Contrast

Partners = Sequence[int]
"""For every entity, the set of entities that it is related to."""


class Landmarked(NamedTuple):
    """A description with its cost, whether this is proven minimal, and its meaning if it has landmarks."""

    properties: tuple[Property, ...]
    cost: float
    proven: bool
    meaning: Meaning | None = None


class _LandmarkNode(NamedTuple):
    """An entity of the tree.

    Its id, the index of the node that it is a landmark of, the path from the target, and the prefix of its
    properties.
    """

    entity: str
    parent: int
    path: tuple[str, ...]
    prefix: str


class _Edge(NamedTuple):
    """A property of a node (`true`: its extension), or its relation to a landmark."""

    node: int
    property: Property
    cost: float
    true: int = 0
    partners: Partners | None = None


class _Tree(NamedTuple):
    """A description as a tree: nodes with their candidates, relations, and edges in the order chosen.
    order chosen.
    """

    nodes: tuple[_LandmarkNode, ...]
    masks: tuple[int, ...]
    links: tuple[tuple[Partners, ...], ...]
    chosen: tuple[tuple[int, Property, int | None], ...]

    def fits(self) -> int:
        """Return the denotation of the description, computed from the last landmark back to the target."""
        fitting = list(self.masks)
        for child in range(len(self.nodes) - 1, 0, -1):
            parent = self.nodes[child].parent
            mask = 0
            for i in bits(fitting[parent]):
                if all(table[i] & fitting[child] for table in self.links[child]):
                    mask |= 1 << i
            fitting[parent] = mask
        return fitting[0]

    def add_property(self, edge: _Edge) -> _Tree:
        """Return the description with a further property."""
        masks = (*self.masks[: edge.node], self.masks[edge.node] & edge.true, *self.masks[edge.node + 1 :])
        return self._replace(masks=masks, chosen=(*self.chosen, (edge.node, edge.property, None)))

    def landmark(self, edge: _Edge) -> int | None:
        """Return the node of a relation's landmark, if it is in the tree already."""
        name = edge.property.value
        return next((i for i, n in enumerate(self.nodes) if i and n.parent == edge.node and n.entity == name), None)

    def add_relation(self, edge: _Edge, everything: int) -> tuple[_Tree, int]:
        """Return the description with a further relation, and the node of its landmark."""
        child, tables = self.landmark(edge), (edge.partners,) if edge.partners is not None else ()
        if child is not None:
            links = (*self.links[:child], (*self.links[child], *tables), *self.links[child + 1 :])
            return self._replace(links=links, chosen=(*self.chosen, (edge.node, edge.property, child))), child
        parent, child = self.nodes[edge.node], len(self.nodes)
        number = 1 + sum(n.parent == edge.node for n in self.nodes[1:])
        prefix = parent.prefix + (LANDMARK if number == 1 else f"landmark{number}.")
        node = _LandmarkNode(edge.property.value, edge.node, (*parent.path, edge.property.value), prefix)
        tree = _Tree(
            (*self.nodes, node),
            (*self.masks, everything),
            (*self.links, tables),
            (*self.chosen, (edge.node, edge.property, child)),
        )
        return tree, child

    def flat(self) -> tuple[Property, ...]:
        """Return the description as a list of properties with prefixes."""
        return tuple([Property(self.nodes[node].prefix + p.name, p.value) for node, p, _ in self.chosen])

    def form(self, node: int = 0) -> Meaning:
        """Return the properties chosen for a node as a meaning; a landmark stands in its relation."""
        pieces = [(p, child) for at, p, child in self.chosen if at == node]
        return conjunction([tuple(p) if child is None else ("rel", p.name, self.form(child)) for p, child in pieces])


def find_cheapest_with_landmarks(
    contrast: Contrast,
    options: Sequence[Property],
    first: Sequence[Property],
    price: Callable[[Property], float],
    landmarks: int,
    attributes: tuple[str, ...] | None = None,
    seconds: float | None = None,
    without: Landmarked | None = None,
) -> Landmarked:
    """Return the cheapest description of the (first) target that fits as few others as possible.

    Args:
        contrast: the target and its distractors.
        options: the target's properties in the order they are tried.
        first: properties that are always mentioned at no cost.
        price: the cost of a property; those of landmarks have the prefix ``landmark.`` once per step away from the target.
        landmarks: the maximal distance of a landmark from the target.
        attributes: the attributes for landmarks (None: all).
        seconds: the time limit.
        without: the cheapest description without landmarks, if one identifies the target.
    """
    walk = _Walk(contrast, price, landmarks, attributes, None if seconds is None else monotonic() + seconds)
    return walk.cheapest(options, first) if without is None else walk.find_cheaper(options, first, without)


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
        target = self.scene.entities[(contrast.targets & -contrast.targets).bit_length() - 1].id
        self.root = _LandmarkNode(target, -1, (target,), "")
        self.partners = partners(self.scene)
        self.present = {entity.id for entity in self.scene.entities}
        self.goal = 0
        self.limit = self.following = self.cost = float("inf")
        self.best: _Tree | None = None
        self.nearest: tuple[int, _Tree, float] | None = None

    def find_cheaper(self, options: Sequence[Property], first: Sequence[Property], without: Landmarked) -> Landmarked:
        """Return a cheaper description with landmarks, or the one without."""
        relations = self._list_relations(self.root, 0)
        # A description with a landmark costs a relation at least.
        if without.cost <= min([e.cost for e in relations], default=without.cost):
            return without
        edges, start = self._start(options, first, relations)
        self.goal, self.cost, self.limit = 0, without.cost, without.cost
        try:
            self._extend(edges, 0, start, 0.0)
        except OutOfTime:
            return (
                without._replace(proven=False) if self.best is None else self._make_result(self.best, self.cost, False)
            )
        return without if self.best is None else self._make_result(self.best, self.cost, without.proven)

    def cheapest(self, options: Sequence[Property], first: Sequence[Property]) -> Landmarked:
        """Deepen the search by cost until a description fits as few others as the fullest one does."""
        edges, start = self._start(options, first, self._list_relations(self.root, 0))
        self.goal = self._count_fewest_others(edges[: len(options)], start)
        self.nearest = (len(self.scene.entities) + 1, start, 0.0)
        bound = min((e.cost for e in edges), default=0.0)
        try:
            while True:
                self.best, self.cost = None, float("inf")
                self.limit, self.following = bound, float("inf")
                self._extend(edges, 0, start, 0.0)
                if self.best is not None:
                    return self._make_result(self.best, self.cost, True)
                if self.following == float("inf"):
                    return self._make_result(*self.nearest[1:], True)
                # A little more than the next possible cost keeps the number of rounds small when every sum is different.
                bound = max(self.following, 1.25 * bound)
        except OutOfTime:
            return self._make_result(*self.nearest[1:], False)

    def _make_result(self, tree: _Tree, cost: float, is_proven: bool) -> Landmarked:
        return Landmarked(tree.flat(), cost, is_proven, tree.form() if len(tree.nodes) > 1 else None)

    def _start(
        self, options: Sequence[Property], first: Sequence[Property], relations: list[_Edge]
    ) -> tuple[list[_Edge], _Tree]:
        """Return the edges at the target, and the description with `first` alone."""
        extensions = self.contrast.extensions
        mask = self.scene.everything
        for prop in first:
            mask &= extensions[prop]
        tree = _Tree((self.root,), (mask,), ((),), tuple((0, prop, None) for prop in first))
        return [*[_Edge(0, p, self.price(p), extensions[p]) for p in options], *relations], tree

    def _extend(self, edges: Sequence[_Edge], start: int, tree: _Tree, cost: float) -> None:
        """Extend the tree by edges, keeping the cheapest description."""
        fits = tree.fits()
        # Of several targets each has to fit; a relation that one of them lacks never comes right again.
        if self.contrast.targets & ~fits:
            return
        others = (fits & self.contrast.distractors).bit_count()
        if others <= self.goal:
            # The limit falls with the best: equals that come later are too late.
            self.best, self.cost, self.limit = tree, cost, cost
            return
        if self.nearest is not None and others < self.nearest[0]:
            self.nearest = (others, tree, cost)
        if self.deadline is not None and monotonic() > self.deadline:
            raise OutOfTime
        for i in range(start, len(edges)):
            edge = edges[i]
            paid = cost + edge.cost
            # Beyond this round, or no cheaper than the best; the least of these costs bounds the next round.
            if paid > self.limit or paid >= self.cost:
                self.following = min(self.following, paid)
            elif edge.partners is None:
                # Free properties are mentioned even if they exclude no entity, as in the search without landmarks.
                if tree.masks[edge.node] & ~edge.true or not edge.cost:
                    self._extend(edges, i + 1, tree.add_property(edge), paid)
            elif tree.landmark(edge) is not None:
                self._extend(edges, i + 1, tree.add_relation(edge, self.scene.everything)[0], paid)
            else:
                grown, child = tree.add_relation(edge, self.scene.everything)
                node = grown.nodes[child]
                further = [*edges[i + 1 :], *self._list_properties(node, child), *self._list_relations(node, child)]
                self._extend(further, 0, grown, paid)

    def _get_price(self, node: _LandmarkNode, prop: Property) -> float:
        depth = len(node.path) - 1
        return self.price(Property(LANDMARK * depth + prop.name, prop.value) if depth else prop)

    def _list_properties(self, node: _LandmarkNode, index: int) -> list[_Edge]:
        """Return the properties of a landmark as edges."""
        names = self.attributes
        properties = [p for p in self.scene.entity(node.entity).attributes if names is None or p.name in names]
        return [_Edge(index, p, self._get_price(node, p), self.scene.extension(p)) for p in properties]

    def _list_relations(self, node: _LandmarkNode, index: int) -> list[_Edge]:
        """Return the relations of an entity to possible landmarks.

        A relation never leads back to the node before, because the target would describe itself.
        """
        if len(node.path) > self.landmarks:
            return []
        relations = dict.fromkeys(self.scene.entity(node.entity).relations)
        possible = [Property(*r) for r in relations if r.entity in self.present and r.entity not in node.path]
        return [_Edge(index, p, self._get_price(node, p), partners=self.partners[p.name]) for p in possible]

    def _count_fewest_others(self, edges: Sequence[_Edge], tree: _Tree) -> int:
        """Return the number of other entities that the fullest description fits.

        The fullest description has all properties of the target and of all its landmarks.
        """
        mask = tree.masks[0]
        for edge in edges:
            mask &= edge.true
        targets = tuple(entity.id for entity in self.scene.members(self.contrast.targets))
        if len(targets) > 1:
            return (mask & self._fit_shared(targets, self.landmarks, True) & self.contrast.distractors).bit_count()
        for edge in self._list_relations(self.root, 0):
            mask &= self._get_related(edge, self.root)
        return (mask & self.contrast.distractors).bit_count()

    def _fit_shared(self, group: tuple[str, ...], landmarks: int, is_root: bool = False) -> int:
        """Return the entities that every description fits that fits all of a group."""
        entities, mask = [self.scene.entity(name) for name in group], self.scene.everything
        names = self.attributes
        for prop in () if is_root else set.intersection(*(set(e.attributes) for e in entities)):
            if names is None or prop.name in names:
                mask &= self.scene.extension(prop)
        for name in set.intersection(*({r.name for r in e.relations} for e in entities)) if landmarks else ():
            near = [{r.entity for r in e.relations if r.name == name} & self.present for e in entities]
            for others in product(*near):
                mask &= related(self.scene, name, self._fit_shared(others, landmarks - 1))
        return mask

    def _get_related(self, edge: _Edge, node: _LandmarkNode) -> int:
        """Return the entities that have a relation to an entity with all properties of the landmark."""
        landmark = _LandmarkNode(edge.property.value, 0, (*node.path, edge.property.value), "")
        mask = self.scene.everything
        for prop in self._list_properties(landmark, 0):
            mask &= prop.true
        for further in self._list_relations(landmark, 0):
            mask &= self._get_related(further, landmark)
        related = 0
        for i, others in enumerate(edge.partners or ()):
            if others & mask:
                related |= 1 << i
        return related
