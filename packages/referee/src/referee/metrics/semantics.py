"""Compares descriptions by the meanings of their values, because properties are not equidistant (van Deemter & Gatt
2007, section 1.3).

Two values of an attribute are similar to the degree that they denote the same entities of the scene, or are close in a
taxonomy. A missing attribute denotes the whole scene, or the root of the taxonomy. Properties of a landmark are
compared with those of a landmark: ``landmark.colour:red`` denotes the red entities.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, sqrt
from pathlib import Path

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.meaning import Meaning, flatten, is_meaning
from referee.metrics.measure import Measure
from referee.metrics.properties import best_assignment, encode
from referee.metrics.smallest import relation_names
from referee.metrics.taxonomy import (
    FURNITURE_AND_PEOPLE,
    Taxonomy,
    find,
    path_length,
    read_taxonomy,
    root_of,
    wu_palmer,
)
from referee.records import LANDMARKS, Property, Scene

Properties = Sequence[Property]
Content = Properties | Meaning
Likeness = Callable[[Property, Property], float]
NEARNESS = {"wu-palmer": wu_palmer, "path": path_length}


class _MeaningMeasure(Measure):
    """A similarity in [0, 1], higher is better. Two empty descriptions score `empty`.

    Several references as in `set/dice`.
    """

    empty: float
    references: str

    def statistics(self, batch: Batch) -> FloatArray:
        """Return the similarity of every output to its references."""
        encoding = encode(batch)
        acts, left, right = encoding.pairs
        scenes = [trial.scene for trial in encoding.trials]
        different = [tuple(dict.fromkeys(description)) for description in encoding.descriptions]
        cache: dict[tuple[int, int, int], float] = {}
        values = np.empty(len(acts))
        places = zip(left.tolist(), right.tolist(), encoding.case[acts].tolist(), strict=True)
        for i, (output, reference, case) in enumerate(places):
            key = (output, reference, id(scenes[case]))
            if key not in cache:
                pair = (output, reference)
                forms = [encoding.meanings[number] for number in pair]
                contents = [different[n] if form is None else form for n, form in zip(pair, forms, strict=True)]
                compare = self._compare_meanings if any(forms) else self._compare
                cache[key] = compare(contents[0], contents[1], scenes[case])
            values[i] = cache[key]
        return encoding.spread(encoding.settle(values, self.references))

    def _compare(self, output: Properties, reference: Properties, scene: Scene) -> float:
        raise NotImplementedError

    def _compare_meanings(self, output: Content, reference: Content, scene: Scene) -> float:
        """Compare descriptions with a meaning, by their properties unless a subclass overrides this."""
        return self._compare(_mentioned(output), _mentioned(reference), scene)


class Denotation(_MeaningMeasure):
    """The mean Dice of what values denote in the scene, over attributes that either description mentions.

    2·|X∩Y| / (|X|+|Y|) for extensions X, Y; an attribute not mentioned denotes the whole scene, several values of an
    attribute the entities with all of them. Equal values score 1 even if no entity has them; different values with
    empty denotations score 0. Not measured for scenes without entities or with an incomplete list.

    If one side has a meaning (`referee.meaning`), the Dice of the two denotations, part by part: parts are assigned one
    to one so that they share as many entities as possible, 2·Σ|Xᵢ∩Yⱼ| / (Σ|Xᵢ| + Σ|Yⱼ|) (Luo 2005, φ3). Two sides with
    empty denotations score 1 only if they are equal.
    """

    name = "meaning/denotation"

    def __init__(self, *, references: str = "average", empty: float = 1.0) -> None:
        self.references = references
        self.empty = empty

    def _compare(self, output: Properties, reference: Properties, scene: Scene) -> float:
        """Return the mean Dice of the values' denotations over attributes."""
        if not scene.entities or not scene.complete:
            return np.nan
        ours, theirs = _by_name(output), _by_name(reference)
        names = ours.keys() | theirs.keys()
        if not names:
            return self.empty
        alike = (
            1.0 if set(a) == set(b) else _dice(_denoted(scene, a), _denoted(scene, b))
            for a, b in ((ours.get(n, ()), theirs.get(n, ())) for n in names)
        )
        return fsum(alike) / len(names)  # a set has another order in every process, and a plain sum another last bit

    def _compare_meanings(self, output: Content, reference: Content, scene: Scene) -> float:
        """Return the Dice of the denotations, part by part."""
        if not scene.entities or not scene.complete:
            return np.nan
        ours, theirs = _denotations(output, scene), _denotations(reference, scene)
        total = sum(mask.bit_count() for mask in (*ours, *theirs))
        if not total:
            return 1.0 if output == reference else 0.0
        return 2 * best_assignment([[(a & b).bit_count() for b in theirs] for a in ours]) / total


@dataclass(eq=False, repr=False, kw_only=True)
class Ontology(_MeaningMeasure):
    """The mean similarity of values in a taxonomy, over attributes that either description mentions.

    `taxonomy`: a file (see `referee.metrics.taxonomy`), a mapping from node to parent, or None for the small one of
    furniture, people, colours and orientations that comes along. `similarity`: ``wu-palmer`` (Wu & Palmer 1994) or
    ``path``. Values outside the taxonomy are similar only if equal. An attribute that only one side mentions has the
    similarity of its value to the root, 0 outside the taxonomy. Several values of an attribute: each with its nearest
    on the other side, then the mean.
    """

    name = "meaning/ontology"

    taxonomy: Taxonomy | str | Path | None = None
    similarity: str = "wu-palmer"
    references: str = "average"
    empty: float = 1.0

    def _compare(self, output: Properties, reference: Properties, scene: Scene) -> float:
        """Return the mean similarity of values in the taxonomy over attributes."""
        tree, near = _tree(self.taxonomy), _nearness(self.similarity)
        ours, theirs = _by_name(output), _by_name(reference)
        names = ours.keys() | theirs.keys()
        if not names:
            return self.empty
        parts = []
        for name in names:
            if name in ours and name in theirs:
                parts.append(_best_matches(ours[name], theirs[name], lambda p, q: _near(tree, near, p, q)))
            else:
                alone = ours.get(name) or theirs[name]
                parts.append(sum(_near_root(tree, near, p) for p in alone) / len(alone))
        return fsum(parts) / len(names)


@dataclass(eq=False, repr=False, kw_only=True)
class Cosine(_MeaningMeasure):
    """Soft cosine aᵀSb / √(aᵀSa · bᵀSb) over properties (Sidorov et al. 2014).

    S is 0 between different attributes.

    Within an attribute S is 1 for equal values, else by `similarity`: ``denotation``, the Dice of their denotations in
    the scene, or ``ontology``, Wu-Palmer in `taxonomy` (as in `meaning/ontology`). An empty description against another
    scores 0.
    """

    name = "meaning/cosine"

    similarity: str = "denotation"
    taxonomy: Taxonomy | str | Path | None = None
    references: str = "average"
    empty: float = 1.0

    def _compare(self, output: Properties, reference: Properties, scene: Scene) -> float:
        """Return the soft cosine of two descriptions."""
        like = self._likeness(scene)
        if not output or not reference:
            return self.empty if len(output) == len(reference) else 0.0
        if self.similarity == "denotation" and not (scene.entities and scene.complete):
            return np.nan
        shared = _soft_product(output, reference, like)
        # Wu-Palmer similarities of several values of one attribute need not be a proper inner product, hence the ceiling.
        return min(1.0, shared / sqrt(_soft_product(output, output, like) * _soft_product(reference, reference, like)))

    def _likeness(self, scene: Scene) -> Likeness:
        """Return the similarity function of properties. Raises InputError for an unknown one."""
        if self.similarity == "denotation":
            return lambda p, q: 1.0 if p == q else _dice(_denoted(scene, [p]), _denoted(scene, [q]))
        if self.similarity == "ontology":
            tree = _tree(self.taxonomy)
            return lambda p, q: _near(tree, wu_palmer, p, q)
        raise InputError(f"meaning/cosine knows no similarity {self.similarity!r}", remedy="use denotation or ontology")


def _mentioned(content: Content) -> Properties:
    """Return the properties of a description, or those that its meaning mentions."""
    return flatten(tuple(content)) if is_meaning(content) else content


def _denotations(content: Content, scene: Scene) -> tuple[int, ...]:
    """Return the denotation of each part of a description."""
    return scene.denotations(tuple(content)) if is_meaning(content) else (scene.denotation(content),)


def _by_name(properties: Properties) -> dict[str, list[Property]]:
    """Return properties by attribute."""
    groups: dict[str, list[Property]] = {}
    for prop in properties:
        groups.setdefault(prop.name, []).append(prop)
    return groups


def _denoted(scene: Scene, properties: Properties) -> int:
    """The entities that all of some values are true of; all entities for no value."""
    if not relation_names(scene):
        result = scene.everything
        for prop in properties:
            result &= scene.extension(_bare(prop))
        return result
    return scene.denotation([_bare(p) for p in properties])


def _bare(prop: Property) -> Property:
    """Return a landmark's property without its prefix."""
    return Property(LANDMARKS.sub("", prop.name), prop.value)


def _dice(left: int, right: int) -> float:
    total = left.bit_count() + right.bit_count()
    return 2 * (left & right).bit_count() / total if total else 0.0


def _tree(taxonomy: Taxonomy | str | Path | None) -> Taxonomy:
    """Return the taxonomy: a mapping, a file's, or the default one."""
    if taxonomy is None:
        return FURNITURE_AND_PEOPLE
    return taxonomy if isinstance(taxonomy, Mapping) else _read_once(str(taxonomy))


_read_once = lru_cache(maxsize=8)(read_taxonomy)


def _nearness(similarity: str) -> Callable[[Taxonomy, str, str], float]:
    """Return a similarity function by name. Raises InputError for an unknown one."""
    if similarity not in NEARNESS:
        raise InputError(
            f"meaning/ontology knows no similarity {similarity!r}", remedy=f"use one of {', '.join(NEARNESS)}"
        )
    return NEARNESS[similarity]


def _near(tree: Taxonomy, near: Callable[[Taxonomy, str, str], float], left: Property, right: Property) -> float:
    """Return the similarity of two values in a taxonomy; 1 if equal, 0 outside it."""
    if left == right:
        return 1.0
    first, second = find(tree, left), find(tree, right)
    return 0.0 if first is None or second is None else near(tree, first, second)


def _near_root(tree: Taxonomy, near: Callable[[Taxonomy, str, str], float], prop: Property) -> float:
    """Return the similarity of a value to the root; 0 outside the taxonomy."""
    node = find(tree, prop)
    # Section 1.3 takes an attribute without a value to denote the domain as a whole: in a tree, the root.
    return 0.0 if node is None else near(tree, node, root_of(tree, node))


def _best_matches(ours: Properties, theirs: Properties, like: Likeness) -> float:
    # In both directions, so that exchanging output and reference changes nothing.
    similarities = [max(like(p, q) for q in theirs) for p in ours] + [max(like(p, q) for p in ours) for q in theirs]
    return sum(similarities) / len(similarities)


def _soft_product(left: Properties, right: Properties, like: Likeness) -> float:
    return sum(like(p, q) for p in left for q in right if p.name == q.name)
