"""Random scenes in the TUNA design (van Deemter, van der Sluis & Gatt 2006) with known minimal descriptions.

A scene is built from its minimal description. For every attribute of it one distractor differs from the target in that
attribute alone, so none can be omitted; every other distractor differs in at least one of them, so together they
suffice. In furniture half of the distractors have another type and otherwise equal attributes, so the type alone never
distinguishes the target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import ceil, sqrt
from random import Random

from referee.records import Entity, Property, Scene

Look = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """The attributes of a kind of object, and those that minimal descriptions combine."""

    name: str
    values: Mapping[str, tuple[str, ...]]
    balanced: tuple[str, ...]


_YES_NO = ("1", "0")
DOMAINS = {
    "furniture": Domain(
        name="furniture",
        values={
            "type": ("chair", "sofa", "desk", "fan"),
            "colour": ("red", "blue", "green", "grey"),
            "orientation": ("front", "back", "left", "right"),
            "size": ("large", "small"),
        },
        balanced=("colour", "orientation", "size"),
    ),
    "people": Domain(
        name="people",
        values={
            "type": ("person",),
            "age": ("old", "young"),
            "orientation": ("front", "left", "right"),
            "hairColour": ("dark", "light"),
            **dict.fromkeys(("hasHair", "hasBeard", "hasGlasses", "hasShirt", "hasTie", "hasSuit"), _YES_NO),
        },
        balanced=("hasBeard", "hasGlasses", "hairColour"),
    ),
}


def draw_below(limit: int, rng: Random) -> int:
    """Return a random whole number from 0 to below `limit`; only `random()` is used, whose numbers Python guarantees."""
    return int(rng.random() * limit)


def draw_distinct(count: int, size: int, rng: Random) -> list[int]:
    """Return `count` different random numbers below `size`."""
    numbers = list(range(size))
    for i in range(count):
        j = i + int(rng.random() * (size - i))
        numbers[i], numbers[j] = numbers[j], numbers[i]
    return numbers[:count]


def choose_grid(entities: int) -> tuple[int, int]:
    """Return columns and rows: TUNA's 5 x 3, or the smallest multiple of it with room for all entities."""
    times = ceil(sqrt(entities / 15)) if entities > 15 else 1
    return 5 * times, 3 * times


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A scene without positions: the attributes of its entities, its target, and its minimal description."""

    id: str
    domain: Domain
    looks: tuple[tuple[Property, ...], ...]
    target: int
    minimal: tuple[str, ...]


def design_scenes(count: int, entities: int, similarity: float, rng: Random) -> tuple[Design, ...]:
    """Yield `count` designs of scenes, seven of furniture and six of people in every thirteen."""
    designs = []
    seen = dict.fromkeys(DOMAINS, 0)
    for i in range(count):
        name = "furniture" if i % 13 < 7 else "people"
        designs.append(_make_design(f"t{i + 1}", DOMAINS[name], seen[name], entities, similarity, rng))
        seen[name] += 1
    return tuple(designs)


def _make_design(name: str, domain: Domain, turn: int, entities: int, similarity: float, rng: Random) -> Design:
    """Return the design of one scene."""
    distractors = entities - 1
    types = domain.values["type"]
    alike = ceil(distractors / 2) if len(types) > 1 else distractors
    minimal = _list_minimal_sets(domain, alike)
    needed = minimal[turn % len(minimal)]
    target = _draw_target(domain, needed, rng)
    looks = _draw_distractors(domain, target, needed, alike, similarity, rng)
    if len(types) > 1:
        other = _draw_other(types, target["type"], rng)
        looks += [look | {"type": other} for look in looks[: distractors - alike]]
    places = draw_distinct(entities, entities, rng)
    everyone = [target, *looks]
    return Design(
        id=name,
        domain=domain,
        looks=tuple(_drop_invisible(everyone[p]) for p in places),
        target=places.index(0),
        minimal=needed,
    )


def _list_minimal_sets(domain: Domain, most: int) -> list[tuple[str, ...]]:
    """Return all non-empty subsets of the balanced attributes, small ones first.

    Each attribute needs its own distractor.
    """
    sizes = range(1, min(most, len(domain.balanced)) + 1)
    return [subset for size in sizes for subset in combinations(domain.balanced, size)]


def _draw_target(domain: Domain, needed: tuple[str, ...], rng: Random) -> Look:
    """Return random attributes of a target.

    Required ones are visible features (a beard, not its absence), and hair colour requires hair.
    """
    look = {name: values[draw_below(len(values), rng)] for name, values in domain.values.items()}
    for name in needed:
        if domain.values[name] is _YES_NO:
            look[name] = "1"
    return look | {"hasHair": "1"} if "hairColour" in needed else look


def _draw_distractors(
    domain: Domain, target: Look, needed: tuple[str, ...], count: int, similarity: float, rng: Random
) -> list[Look]:
    """Return the distractors: one per required attribute that differs in it alone, then random ones.

    In small scenes without duplicates if possible.
    """
    looks = [target | {name: _draw_other(domain.values[name], target[name], rng)} for name in needed]
    while len(looks) < count:
        look = _draw_attributes(domain, target, needed, similarity, rng)
        # After twenty tries a twin is accepted: with few attributes there may be no other look left.
        for _ in range(20 if count < 20 else 0):
            if look not in looks:
                break
            look = _draw_attributes(domain, target, needed, similarity, rng)
        looks.append(look)
    return looks


def _draw_attributes(domain: Domain, target: Look, needed: tuple[str, ...], similarity: float, rng: Random) -> Look:
    """Return random attributes, each with the target's value at probability `similarity`, but at least one needed one differs."""
    look = dict(target)
    for name, values in domain.values.items():
        if name != "type" and rng.random() >= similarity:
            look[name] = _draw_other(values, target[name], rng)
    if all(look[name] == target[name] for name in needed):
        name = needed[draw_below(len(needed), rng)]
        look[name] = _draw_other(domain.values[name], target[name], rng)
    return look


def _draw_other(values: tuple[str, ...], value: str, rng: Random) -> str:
    others = [v for v in values if v != value]
    return others[draw_below(len(others), rng)]


def _drop_invisible(look: Look) -> tuple[Property, ...]:
    """Return the attributes that are visible; a bald head has no hair colour."""
    bald = look.get("hasHair") == "0"
    return tuple(Property(name, value) for name, value in look.items() if not (bald and name == "hairColour"))


class Stage:
    """Places a design on the grid. Placed entities are shared between scenes.

    With `layouts`, so are whole scenes.
    """

    def __init__(self, design: Design, layouts: int | None, rng: Random) -> None:
        self.design = design
        self.layouts = layouts
        self._columns, self._rows = choose_grid(len(design.looks))
        self._placed: dict[tuple[int, int], Entity] = {}
        self._pool = [self._draw_scene(rng) for _ in range(layouts or 0)]

    def scene(self, rng: Random) -> tuple[Scene, Entity]:
        """Return a scene with its target, entities in reading order, so that neither order nor ids reveal the target."""
        return self._pool[int(rng.random() * len(self._pool))] if self._pool else self._draw_scene(rng)

    def _draw_scene(self, rng: Random) -> tuple[Scene, Entity]:
        """Return a scene with random positions, and its target."""
        count = len(self.design.looks)
        cells = draw_distinct(count, self._columns * self._rows, rng)
        order = sorted(range(count), key=cells.__getitem__)
        entities = tuple([self._make_entity(i, cells[i]) for i in order])
        scene = Scene(entities=entities, id=self.design.id)
        return scene, entities[order.index(self.design.target)]

    def _make_entity(self, i: int, cell: int) -> Entity:
        """Return an entity at a cell, cached on small grids."""
        entity = self._placed.get((i, cell))
        if entity is None:
            y, x = divmod(cell, self._columns)
            location = (Property("x-dimension", str(x + 1)), Property("y-dimension", str(y + 1)))
            attributes = self.design.looks[i] + location
            entity = Entity(id=f"e{i + 1}", attributes=attributes, position=(x + 1, y + 1))
            if self._columns <= 10:  # on larger grids there are too many places to remember them all
                self._placed[i, cell] = entity
        return entity
