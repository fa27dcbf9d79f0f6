"""Contexts for the tests of selection: scenes from short texts, the seven furniture domains of TUNA, random scenes, the corpus itself."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from referee.corpora.tuna import Tuna
from referee.records import Description, Entity, Property, Relation, Scene, SpeakerView, Trial

# A busy machine is not a failing test.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


def props(text: str) -> tuple[Property, ...]:
    """``"colour:red size:large"`` as properties."""
    return tuple(Property(*word.split(":")) for word in text.split())


def entity(name: str, text: str) -> Entity:
    """``"type:ball >left-of:b"``: properties, and relations marked by an arrow."""
    words = text.split()
    return Entity(
        id=name,
        attributes=tuple(Property(*w.split(":")) for w in words if not w.startswith(">")),
        relations=tuple(Relation(*w[1:].split(":")) for w in words if w.startswith(">")),
    )


def scene(**entities: str) -> Scene:
    return Scene(entities=tuple(entity(name, text) for name, text in entities.items()))


def view(where: Scene, *targets: str, domain: str | None = None, name: str = "t") -> SpeakerView:
    return SpeakerView(id=name, scene=where, targets=targets, domain=domain)


def trial(where: Scene, said: str, target: str = "t", name: str = "t", **more: str) -> Trial:
    return Trial(id=name, scene=where, targets=(target,), references=(Description(properties=props(said)),), **more)


def furniture(target: str, bundles: str, second: str) -> Scene:
    """A TUNA domain: the target, three property bundles of its type, and the same three of a second type."""
    names = ("type", "colour", "size", "orientation")
    kind = target.split()[0]
    rivals = [f"{k} {b.strip()}" for k in (kind, second) for b in bundles.split(";")]
    spelled = (" ".join(map(":".join, zip(names, words.split(), strict=True))) for words in (target, *rivals))
    return scene(**dict(zip("tabcdef", spelled, strict=True)))


# The seven singular furniture domains of the released TUNA corpus, with the attributes of the minimal description when type is
# not counted: all non-empty subsets of three attributes (balanced design of Gatt, van der Sluis & van Deemter 2007).
DOMAINS = [
    (furniture("desk grey large front", "blue large front; red large back; green small left", "fan"), "colour"),
    (furniture("chair red small right", "red small left; blue small back; grey large front", "sofa"), "orientation"),
    (furniture("sofa red large right", "red small right; blue small right; green small back", "desk"), "size"),
    (furniture("fan blue small left", "green small left; blue large left; red large back", "sofa"), "colour size"),
    (
        furniture("chair blue large left", "blue large back; green large left; grey small front", "fan"),
        "colour orientation",
    ),
    (
        furniture("desk green small front", "green small right; green large front; grey large left", "chair"),
        "size orientation",
    ),
    (
        furniture("chair grey large back", "grey large front; red large back; grey small back", "desk"),
        "colour size orientation",
    ),
]

NAMES = ("type", "colour", "size", "shape", "place")


@st.composite
def random_scenes(draw: st.DrawFn) -> Scene:
    """Up to eight entities with up to five attributes of up to three values, some missing; the target is "t"."""
    values = st.sampled_from(["1", "2", "3", None])
    rows = draw(st.lists(st.tuples(*[values] * len(NAMES)), min_size=1, max_size=8))
    named = zip("tabcdefg", rows, strict=False)
    return Scene(
        entities=tuple(
            Entity(id=i, attributes=tuple(Property(n, v) for n, v in zip(NAMES, row, strict=True) if v))
            for i, row in named
        )
    )


def remaining(where: Scene, said: tuple[Property, ...], target: str = "t") -> set[str]:
    """The distractors that all properties are true of, counted one by one."""
    return {e.id for e in where.entities if e.id != target and all(p in e.attributes for p in said)}


def subsets(where: Scene, target: str = "t") -> list[tuple[Property, ...]]:
    """Every set of the target's properties, by size and then in order."""
    own = where.entity(target).attributes
    return [chosen for size in range(len(own) + 1) for chosen in combinations(own, size)]


def random_table(entities: int, attributes: int, seed: int) -> dict[str, np.ndarray]:
    """Independent attributes of two to four values."""
    rng = np.random.default_rng(seed)
    return {f"a{j}": rng.integers(0, rng.integers(2, 5), entities, dtype=np.int8) for j in range(attributes)}


@cache
def _corpus(folder: Path) -> tuple[Trial, ...]:
    return tuple(Tuna(data=folder, reading="true").trials())


def tuna(folder: Path, domain: str) -> list[Trial]:
    """The released corpus, pairs that are true of the target only."""
    return [t for t in _corpus(folder) if t.domain == domain]


def dice(said: set[str], gold: set[str]) -> float:
    return 2 * len(said & gold) / (len(said) + len(gold)) if said or gold else 0.0
