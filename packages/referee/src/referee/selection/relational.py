"""Descriptions with relations: a stack of things to describe and a network of constraints between them (Dale & Haddock 1991).

Describing the target may introduce a landmark, which is then described in turn; what is said of the landmark narrows down the target through the
relation between them, and the other way round ("the bowl on the table" in a room with other bowls and other tables).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from referee.errors import InputError
from referee.records import LANDMARK, Property, Scene, SpeakerView
from referee.selection.contrast import TYPE, Contrast
from referee.selection.reasons import Note, Reasoned

__all__ = ["Network", "Relational"]


Fact = tuple[Property, str | None]
"""Something to say of an entity; a relation has a landmark."""


class _Link(NamedTuple):
    relation: str
    source: int
    target: int


@dataclass(slots=True)
class Network:
    """Variables with the entities each may stand for (bit sets), and the relations that hold between them, kept arc-consistent."""

    scene: Scene
    contexts: list[int] = field(default_factory=list)
    links: list[_Link] = field(default_factory=list)

    def introduce(self) -> int:
        """A new variable, which may stand for anything."""
        self.contexts.append(self.scene.everything)
        return len(self.contexts) - 1

    def narrowed(self, fact: Property, variable: int, other: int | None) -> Network:
        """A copy in which a fact holds of a variable (and of another one, for a relation), with all consequences."""
        copy = Network(self.scene, list(self.contexts), list(self.links))
        if other is None:
            copy.contexts[variable] &= self.scene.extension(fact)
        else:
            copy.links.append(_Link(fact.name, variable, other))
        copy._propagate()
        return copy

    def _propagate(self) -> None:
        # Without links nothing follows from a fact but the fact.
        before: list[int] | None = None if self.links else self.contexts
        # Contexts only ever shrink, so this ends.
        while before != self.contexts:
            before = list(self.contexts)
            for link in self.links:
                pairs = self._pairs(link)
                self.contexts[link.source] = sum(1 << i for i in {i for i, _ in pairs})
                self.contexts[link.target] = sum(1 << j for j in {j for _, j in pairs})

    def _pairs(self, link: _Link) -> list[tuple[int, int]]:
        """Who stands in the relation to whom, among those the two variables may stand for."""
        sources, targets = self.contexts[link.source], self.contexts[link.target]
        return [
            (i, j)
            for i, entity in enumerate(self.scene.entities)
            if sources >> i & 1
            for relation in entity.relations
            if relation.name == link.relation and targets >> (j := self.scene.index(relation.entity)) & 1
        ]


class Relational(Reasoned):
    """Says of whatever is on top of the stack the fact that leaves fewest candidates for it, its type before anything else.

    A fact is used only once; one that changes nothing and brings in no landmark is not said. A landmark about which nothing is left to say is put
    aside. The result is flat: what is said of a landmark carries the prefix ``landmark.`` once per step away from the target. A
    target that cannot be told apart gets what was tried on the way. Several targets are refused.
    """

    def __init__(self, attributes: tuple[str, ...] | None = None, landmarks: int = 2) -> None:
        self.attributes = attributes
        self.landmarks = landmarks

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        scene = contrast.scene
        if len(view.targets) > 1:
            raise InputError(
                f"Dale & Haddock's algorithm describes one thing, and there are {len(view.targets)} targets",
                where=view.id,
                remedy="name one target, or take classic/boolean or classic/partitioned",
            )
        network = Network(scene)
        first = view.targets[0]
        variables = {first: network.introduce()}
        facts = {first: self._facts(scene, first, 0)}
        stack, said = [(first, 0)], []
        while stack:
            entity, depth = stack[-1]
            variable = variables[entity]
            context = network.contexts[variable]
            if context.bit_count() == 1 or not facts[entity]:
                stack.pop()
                continue
            fact, network = _best(network, facts[entity], variable, variables)
            facts[entity].remove(fact)
            prop, landmark = fact
            after = network.contexts[variable]
            new = landmark is not None and landmark not in variables
            if after == context and not new and prop.name != TYPE:
                continue
            said.append(Property(LANDMARK * depth + prop.name, prop.value) if depth else prop)
            if note:
                note(
                    said[-1], f"leaves {after.bit_count()} candidates for {'landmark' if depth else 'target'} {entity}"
                )
            if landmark is not None and new:
                variables[landmark] = len(network.contexts) - 1
                facts[landmark] = self._facts(scene, landmark, depth + 1)
                stack.append((landmark, depth + 1))
        return tuple(said)

    def _facts(self, scene: Scene, name: str, depth: int) -> list[Fact]:
        """What there is to say of an entity: its properties, then its relations."""
        entity, names = scene.entity(name), self.attributes
        own: list[Fact] = [(p, None) for p in entity.attributes if names is None or p.name in names]
        if depth < self.landmarks:
            own += [(Property(relation, other), other) for relation, other in entity.relations]
        return own


def _best(network: Network, facts: list[Fact], variable: int, variables: dict[str, int]) -> tuple[Fact, Network]:
    """The fact that leaves fewest candidates, with the network in which it holds; the type if it is still to be said."""
    options = [fact for fact in facts if fact[0].name == TYPE] or facts
    if len(options) == 1:
        return options[0], _added(network, options[0], variable, variables)
    tried: list[tuple[int, Fact, Network | None]] = []
    for fact in options:
        prop, landmark = fact
        # Without relations the count needs no copy of the network.
        if landmark is None and not network.links:
            left = network.contexts[variable] & network.scene.extensions[prop]
            tried.append((left.bit_count(), fact, None))
        else:
            narrowed = _added(network, fact, variable, variables)
            tried.append((narrowed.contexts[variable].bit_count(), fact, narrowed))
    _, fact, found = min(tried, key=itemgetter(0))
    return fact, found or _added(network, fact, variable, variables)


def _added(network: Network, fact: Fact, variable: int, variables: dict[str, int]) -> Network:
    """The network in which a fact holds too; a landmark not met before gets a variable of its own."""
    prop, landmark = fact
    if landmark is None:
        return network.narrowed(prop, variable, None)
    other = variables.get(landmark)
    if other is None:
        network = Network(network.scene, list(network.contexts), list(network.links))
        other = network.introduce()
    return network.narrowed(prop, variable, other)
