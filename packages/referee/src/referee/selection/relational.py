"""Descriptions with relations: a stack of objects to describe, each constraining the others (Dale & Haddock 1991).

Describing the target may introduce a landmark, which is then described in turn; the landmark's description constrains
the target through the relation between them, and vice versa ("the bowl on the table" in a room with other bowls and
other tables). A relation can be used from both of its ends: the rabbit is in the hat, and the hat is the one with the
rabbit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.meaning import Meaning, conjunction, partners, related
from referee.records import LANDMARK, Description, Property, Relation, Scene, SceneNotes, SpeakerView
from referee.selection.contrast import TYPE, get_contrast
from referee.selection.reasons import ReasonedMeaning

MOST_LANDMARKS = 64
"""Most landmarks for one target; in a densely related scene there could be endlessly many."""
_INCOMING: SceneNotes[str, list[Relation]] = SceneNotes("selection.incoming")


class _LandmarkLink(NamedTuple):
    """A relation of an object to a landmark, or (`is_inverse`) of a landmark to the object."""

    name: str
    is_inverse: bool
    landmark: str


Fact = Property | _LandmarkLink


@dataclass(slots=True, eq=False)
class _Node:
    """An object with its description: its properties, and its landmarks with their relations."""

    entity: str
    depth: int
    facts: list[Fact]
    path: tuple[str, ...]
    parent: _Node | None = None
    link: _LandmarkLink | None = None
    properties: list[Property] = field(default_factory=list)
    landmarks: list[_Node] = field(default_factory=list)

    def form(self) -> Meaning:
        """Return the description of the object as a form."""
        relations = ((_get_operator(node.link), node.link.name, node.form()) for node in self.landmarks if node.link)
        return conjunction([*map(tuple, self.properties), *relations])

    def fits(self, scene: Scene) -> int:
        """Return the denotation of the object's own description."""
        mask = scene.everything
        for prop in self.properties:
            mask &= scene.extension(prop)
        for node in self.landmarks:
            if node.link:
                mask &= related(scene, node.link.name, node.fits(scene), node.link.is_inverse)
        return mask

    def context(self, scene: Scene) -> int:
        """Return the candidates for the object by its description and the relations to it."""
        mask = self.fits(scene)
        if self.parent is not None and self.link is not None:
            mask &= related(scene, self.link.name, self.parent.context(scene), not self.link.is_inverse)
        return mask

    def flat(self, prefix: str = "") -> Iterator[Property]:
        """Yield the description as properties with ids of landmarks.

        `referee.meaning.from_properties` reads this form.
        """
        for prop in self.properties:
            yield Property(prefix + prop.name, prop.value)
        for number, node in enumerate(self.landmarks, 1):
            if node.link:
                yield Property(f"{prefix}{node.link.name}{'-by' if node.link.is_inverse else ''}", node.entity)
            yield from node.flat(prefix + (LANDMARK if number == 1 else f"landmark{number}."))


def _get_operator(link: _LandmarkLink) -> str:
    return "inv" if link.is_inverse else "rel"


class Relational(ReasonedMeaning):
    """Describes the object on top of the stack by the fact that leaves the fewest candidates, its type first.

    Facts are properties and relations in both directions. A fact is used once, and a landmark is never described by an
    object that it describes (the loop guard of Dale & Haddock). A property that excludes no candidate is not mentioned;
    a landmark that finally excludes none is removed. `landmarks` is the maximal distance of a landmark. Each of several
    targets is a separate part.
    """

    def __init__(self, attributes: tuple[str, ...] | None = None, landmarks: int = 2) -> None:
        self.attributes = attributes
        self.landmarks = landmarks

    def select_meaning(self, view: SpeakerView) -> Meaning:
        """Return the description of the target and its landmarks; one part for each of several targets."""
        return _join([self._describe(view.scene, target) for target in _get_targets(view)])

    def select_description(self, view: SpeakerView) -> Description:
        """Return the meaning with its properties, in which relations name their landmarks by id."""
        nodes = [self._describe(view.scene, target) for target in _get_targets(view)]
        if len(nodes) == 1 and not nodes[0].landmarks:
            # A conjunction needs no form beside its list.
            return Description(properties=tuple(nodes[0].properties))
        properties = tuple(dict.fromkeys(p for node in nodes for p in node.flat()))
        return Description(properties=properties, meaning=_join(nodes))

    def _describe(self, scene: Scene, target: str) -> _Node:
        """Return the description of one target."""
        root = _Node(target, 0, self._list_facts(scene, target, 0, (target,)), (target,))
        stack, used, introduced = [root], set[tuple[str, str, str]](), 0
        while stack:
            node = stack[-1]
            context = node.context(scene)
            if not context & (context - 1) or not node.facts:
                stack.pop()
                continue
            fact = _choose_fact(scene, node.facts, context)
            node.facts.remove(fact)
            if isinstance(fact, Property):
                if fact.name == TYPE or context & ~scene.extension(fact):
                    node.properties.append(fact)
                continue
            ends = (fact.landmark, node.entity) if fact.is_inverse else (node.entity, fact.landmark)
            if (fact.name, *ends) in used or introduced == MOST_LANDMARKS:
                continue
            used.add((fact.name, *ends))
            introduced += 1
            path = (*node.path, fact.landmark)
            facts = self._list_facts(scene, fact.landmark, node.depth + 1, path)
            landmark = _Node(fact.landmark, node.depth + 1, facts, path, node, fact)
            node.landmarks.append(landmark)
            stack.append(landmark)
        _take_back(root, root, scene)
        return root

    def _list_facts(self, scene: Scene, name: str, depth: int, path: tuple[str, ...]) -> list[Fact]:
        """Return the facts about an entity: its properties, then its relations, then those of others to it."""
        entity, names = scene.entity(name), self.attributes
        facts: list[Fact] = [p for p in entity.attributes if names is None or p.name in names]
        if depth < self.landmarks and partners(scene):
            outgoing, incoming = _get_relations(scene, name)
            facts += [_LandmarkLink(r.name, False, r.entity) for r in outgoing if r.entity not in path]
            facts += [_LandmarkLink(r.name, True, r.entity) for r in incoming if r.entity not in path]
        return facts


def _get_targets(view: SpeakerView) -> tuple[str, ...]:
    get_contrast(view)  # raises an error with a remedy where a target is not in the scene
    return view.targets


def _join(nodes: list[_Node]) -> Meaning:
    """Return one part per target; targets with equal descriptions share a part."""
    if len(nodes) == 1:
        return nodes[0].form()
    numbers = Counter(node.form() for node in nodes)
    return ("parts", *((number, form) for form, number in numbers.items()))


def _get_relations(scene: Scene, name: str) -> tuple[list[Relation], list[Relation]]:
    """Return an entity's relations to others in the scene, and those of others to it.

    Relations of others are named by the entity that has them.
    """
    notes = _INCOMING.of(scene)
    if not notes:
        ids = {entity.id for entity in scene.entities}
        for entity in scene.entities:
            notes.setdefault(f">{entity.id}", [])
            for relation in dict.fromkeys(entity.relations):
                if relation.entity in ids:
                    notes[f">{entity.id}"].append(relation)
                    notes.setdefault(f"<{relation.entity}", []).append(Relation(relation.name, entity.id))
    return notes[f">{name}"], notes.get(f"<{name}", [])


def _choose_fact(scene: Scene, facts: list[Fact], context: int) -> Fact:
    """Return the fact that leaves the fewest candidates, the first of equals.

    The type if it is still missing.
    """
    # The name first: it is a string of both kinds of facts.
    options = [fact for fact in facts if fact.name == TYPE and isinstance(fact, Property)] or facts
    if len(options) == 1:
        return options[0]

    def count_remaining(fact: Fact) -> int:
        """Return the number of entities that a fact leaves in the context."""
        if isinstance(fact, Property):
            return (context & scene.extension(fact)).bit_count()
        return (context & related(scene, fact.name, scene.everything, fact.is_inverse)).bit_count()

    return min(options, key=count_remaining)


def _take_back(root: _Node, node: _Node, scene: Scene) -> None:
    """Remove landmarks without which the target is described as sharply."""
    for landmark in reversed(list(node.landmarks)):
        before = root.fits(scene)
        place = node.landmarks.index(landmark)
        node.landmarks.pop(place)
        if root.fits(scene) != before:
            node.landmarks.insert(place, landmark)
            _take_back(root, landmark, scene)
