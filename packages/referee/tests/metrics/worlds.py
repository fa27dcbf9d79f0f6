"""Small worlds for the tests of measures: builders for scenes and batches, random ones, and denotation spelled out in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random
from typing import Any

from hypothesis import strategies as st

from referee.contracts import Batch
from referee.records import Description, Entity, Property, Relation, Scene, Trial


def props(text: str) -> tuple[Property, ...]:
    """``"colour:red size:large"`` as properties."""
    return tuple(Property(*word.split(":")) for word in text.split())


def said(text: str) -> Description:
    return Description(properties=props(text))


def scene(*entities: str) -> Scene:
    """One entity per text of properties, with the ids 0, 1, 2 …"""
    return Scene(entities=tuple(Entity(id=str(i), attributes=props(e)) for i, e in enumerate(entities)))


def trial(where: Scene, *references: str, targets: Sequence[str] = ("0",), name: str = "t") -> Trial:
    return Trial(id=name, scene=where, targets=tuple(targets), references=tuple(map(said, references)))


NAMES = ("type", "colour", "size")
VALUES = ("a", "b")
RELATIONS = ("left", "on")

PLAIN = [Property(n, v) for n in NAMES for v in (*VALUES, "other")]
RELATED = [Property(r, v) for r in RELATIONS for v in ("", "0", "a")]
BESIDE = [
    Property(f"{prefix}.{n}", v) for prefix in ("landmark", "landmark", "landmark2") for n in NAMES for v in VALUES
]


def random_scene(rng: Random, related: bool = False, most: int = 8) -> Scene:
    """Up to eight entities with missing attributes, repeated names and, if asked for, relations."""
    size = rng.randint(1, most)
    known = [p for p in PLAIN if p.value in VALUES]
    if related:  # an attribute with the name of a relation is hidden by it
        known.append(Property(RELATIONS[0], "a"))

    def relations() -> tuple[Relation, ...]:
        count = rng.randint(0, 2) if related else 0
        return tuple(Relation(rng.choice(RELATIONS), str(rng.randrange(size))) for _ in range(count))

    return Scene(
        entities=tuple(
            Entity(id=str(i), attributes=tuple(rng.choices(known, k=rng.randint(0, 4))), relations=relations())
            for i in range(size)
        )
    )


def random_description(rng: Random, related: bool = False, most: int = 5) -> tuple[Property, ...]:
    """Anything a speaker may say: repeats, unknown values, relations with and without landmark."""
    pool = [*PLAIN, *RELATED, *BESIDE] if related else PLAIN
    return tuple(rng.choices(pool, k=rng.randint(0, most)))


def random_batch(rng: Random, related: bool = False, most: int = 8, length: int = 6) -> Batch:
    """Outputs with and without properties, several per trial, references or none, one target or two."""

    def maybe() -> Description:
        return Description(properties=random_description(rng, related) if rng.random() < 0.85 else None)

    pool = []
    for number in range(rng.randint(1, 3)):
        place = random_scene(rng, related, most)
        ids = [e.id for e in place.entities]
        targets = tuple(rng.sample(ids, k=min(len(ids), rng.choice((1, 1, 2)))))
        references = tuple(maybe() for _ in range(rng.randint(0, 3)))
        pool.append(Trial(id=f"t{number}", scene=place, targets=targets, references=references))
    trials = rng.choices(pool, k=rng.randint(1, length))
    return Batch.of([maybe() if rng.random() < 0.9 else None for _ in trials], trials)


# A seed says it all: examples are drawn fast, and a failing one is printed by its seed.
seeds = st.integers(0, 2**32).map(Random)


def scenes(**options: Any) -> st.SearchStrategy[Scene]:
    return seeds.map(lambda rng: random_scene(rng, **options))


def descriptions(**options: Any) -> st.SearchStrategy[tuple[Property, ...]]:
    return seeds.map(lambda rng: random_description(rng, **options))


def batches(**options: Any) -> st.SearchStrategy[Batch]:
    return seeds.map(lambda rng: random_batch(rng, **options))


def fits(entity: Entity, description: Iterable[Property], where: Scene) -> bool:
    """Whether a description is true of an entity, written down as a definition rather than as bit sets."""
    relations = {r.name for e in where.entities for r in e.relations}
    landmarks: dict[str, list[Property]] = {}
    named = set()
    for prop in description:
        first, dot, rest = prop.name.partition(".")
        if dot and first.startswith("landmark"):
            landmarks.setdefault(first, []).append(Property(rest, prop.value))
        elif prop.name in relations:
            named.add(prop.name)
        elif prop not in entity.attributes:
            return False
    if not named <= {r.name for r in entity.relations}:
        return False
    for landmark in landmarks.values():
        anchors = {e.id for e in where.entities if fits(e, landmark, where)}
        held = {r.name for r in entity.relations if r.entity in anchors}
        reached = named <= held if len(landmarks) == 1 else not named or named & held
        if not held or not reached:
            return False
    return True


def denoted(description: Iterable[Property], where: Scene) -> set[str]:
    said = list(description)
    return {e.id for e in where.entities if fits(e, said, where)}


def fewest_by_enumeration(where: Scene, targets: set[str], start: tuple[Property, ...]) -> int | None:
    """The size of the smallest addition that makes a description distinguish, landmarks one step away included."""
    if not targets <= denoted(start, where):
        return None
    related = {r.name for e in where.entities for r in e.relations}
    known = sorted({p for e in where.entities for p in e.attributes if p.name not in related})
    able = [p for p in known if targets <= denoted((p,), where)]
    if related:
        able += [Property(name, "") for name in sorted(related)]
        able += [Property(f"landmark.{p.name}", p.value) for p in known]
    sizes = (
        k for k in range(len(able) + 1) for part in combinations(able, k) if denoted((*start, *part), where) == targets
    )
    return next(sizes, None)


def kept_by_enumeration(
    where: Scene, targets: set[str], description: tuple[Property, ...], fixed: tuple[Property, ...] = ()
) -> int:
    """The size of the smallest part of a description that, beside what is fixed, gains no distractor and loses no target."""
    found = denoted((*description, *fixed), where)
    return next(
        k
        for k in range(len(description) + 1)
        for part in combinations(description, k)
        if (less := denoted((*part, *fixed), where)) - targets <= found - targets and found & targets <= less
    )
