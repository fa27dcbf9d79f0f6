"""Descriptions made to see how a hearer behaves.

Empty, contradictory, and true of several objects, all from the scenes of a corpus.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from random import Random

from referee.records import Description, Property, Scene, Trial

KINDS = ("empty", "contradictory", "ambiguous")
HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
WORD_LETTERS = 3


def make_probes(trial: Trial, original: Description, elsewhere: str | None, rng: Random) -> dict[str, Description]:
    """Return probes in the format of the `original` description (properties, words or both), without kinds that the
    scene does not allow.

    `elsewhere` is a description of something else: if the values of a scene are no words, the combination of both is
    the contradiction.
    """
    made: dict[str, Description | None] = {
        "empty": Description(
            properties=None if original.properties is None else (), text=None if original.text is None else ""
        ),
        "contradictory": _express_properties(_find_contradiction(trial.scene, original, rng), original),
        "ambiguous": _express_properties(_find_shared_property(trial.scene, original, rng), original),
    }
    if made["contradictory"] is None and original.properties is None and original.text and elsewhere:
        made["contradictory"] = Description(text=f"{original.text} {elsewhere}")
    return {kind: description for kind, description in made.items() if description is not None}


def find_described(kind: str, probe: Description, original: Description, scene: Scene) -> frozenset[str]:
    """Return the entities that an ambiguous probe is true of; empty for other probes."""
    if kind != "ambiguous":
        return frozenset()
    meant = [
        p
        for p in _select_expressible(scene, original)
        if (p,) == probe.properties or _split_value(p, original) == probe.text
    ]
    return frozenset(e.id for p in meant for e in scene.members(scene.extension(p)))


def _express_properties(properties: tuple[Property, ...] | None, original: Description) -> Description | None:
    """Return properties in the format of the original description; None without any."""
    if properties is None:
        return None
    text = None if original.text is None else " ".join(_split_value(p, original) for p in properties)
    return Description(properties=None if original.properties is None else properties, text=text)


def _split_value(prop: Property, original: Description) -> str:
    """Return a value as a speaker of words alone would write it (``picnicTable`` as picnic table)."""
    return prop.value if original.properties is not None else HUMP.sub(" ", prop.value).lower()


def _select_expressible(scene: Scene, original: Description) -> list[Property]:
    """Return properties that can be expressed: no relations and positions, and in words no numbers or letters."""
    names = {p.name for e in scene.entities for p in e.attributes}
    usable: Iterable[Property] = sorted(p for p in scene.extensions if p.name in names)
    if original.properties is None:
        usable = (p for p in usable if sum(map(str.isalpha, p.value)) >= WORD_LETTERS)
    return list(usable)


def _find_contradiction(scene: Scene, original: Description, rng: Random) -> tuple[Property, ...] | None:
    """Return two values of one attribute that no entity of the scene has both of."""
    usable = _select_expressible(scene, original)
    clashes = [
        (p, q)
        for i, p in enumerate(usable)
        for q in usable[i + 1 :]
        if p.name == q.name and not scene.extension(p) & scene.extension(q)
    ]
    return rng.choice(clashes) if clashes else None


def _find_shared_property(scene: Scene, original: Description, rng: Random) -> tuple[Property, ...] | None:
    """Return one property of several entities, if possible not of all."""
    several = [p for p in _select_expressible(scene, original) if scene.extension(p).bit_count() > 1]
    some = [p for p in several if scene.extension(p) != scene.everything]
    return (rng.choice(some or several),) if several else None
