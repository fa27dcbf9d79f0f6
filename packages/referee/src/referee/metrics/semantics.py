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
from referee.metrics.properties import assign_best, encode
from referee.metrics.smallest import list_relation_names
from referee.metrics.taxonomy import (
    FURNITURE_AND_PEOPLE,
    Taxonomy,
    compute_path_similarity,
    compute_wu_palmer,
    find_node,
    find_root,
    read_taxonomy,
)
from referee.records import LANDMARKS, Property, Scene

Properties = Sequence[Property]
Content = Properties | Meaning
Likeness = Callable[[Property, Property], float]
NEARNESS = {"wu-palmer": compute_wu_palmer, "path": compute_path_similarity}


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
        return encoding.make_rows(encoding.combine_references(values, self.references))

    def _compare(self, output: Properties, reference: Properties, scene: Scene) -> float:
        """Return the similarity of two lists of properties; subclasses define it."""
        raise NotImplementedError

    def _compare_meanings(self, output: Content, reference: Content, scene: Scene) -> float:
        """Compare descriptions with a meaning, by their properties unless a subclass overrides this."""
        return self._compare(_list_mentioned(output), _list_mentioned(reference), scene)


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
        ours, theirs = _group_by_name(output), _group_by_name(reference)
        names = ours.keys() | theirs.keys()
        if not names:
            return self.empty
        alike = (
            1.0 if set(a) == set(b) else _compute_dice(_denote_values(scene, a), _denote_values(scene, b))
            for a, b in ((ours.get(n, ()), theirs.get(n, ())) for n in names)
        )
        return fsum(alike) / len(names)  # a set has another order in every process, and a plain sum another last bit

    def _compare_meanings(self, output: Content, reference: Content, scene: Scene) -> float:
        """Return the Dice of the denotations, part by part."""
        if not scene.entities or not scene.complete:
            return np.nan
        ours, theirs = _denote_parts(output, scene), _denote_parts(reference, scene)
        total = sum(mask.bit_count() for mask in (*ours, *theirs))
        if not total:
            return 1.0 if output == reference else 0.0
        return 2 * assign_best([[(a & b).bit_count() for b in theirs] for a in ours]) / total


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
        tree, near = _open_taxonomy(self.taxonomy), _choose_nearness(self.similarity)
        ours, theirs = _group_by_name(output), _group_by_name(reference)
        names = ours.keys() | theirs.keys()
        if not names:
            return self.empty
        parts = []
        for name in names:
            if name in ours and name in theirs:
                parts.append(
                    _average_best_matches(ours[name], theirs[name], lambda p, q: _compare_values(tree, near, p, q))
                )
            else:
                alone = ours.get(name) or theirs[name]
                parts.append(sum(_compare_with_root(tree, near, p) for p in alone) / len(alone))
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
        like = self._choose_similarity(scene)
        if not output or not reference:
            return self.empty if len(output) == len(reference) else 0.0
        if self.similarity == "denotation" and not (scene.entities and scene.complete):
            return np.nan
        shared = _sum_similarities(output, reference, like)
        # Wu-Palmer similarities of several values of one attribute need not be a proper inner product, hence the ceiling.
        return min(
            1.0, shared / sqrt(_sum_similarities(output, output, like) * _sum_similarities(reference, reference, like))
        )

    def _choose_similarity(self, scene: Scene) -> Likeness:
        """Return the similarity function of properties. Raises InputError for an unknown one."""
        if self.similarity == "denotation":
            return lambda p, q: 1.0 if p == q else _compute_dice(_denote_values(scene, [p]), _denote_values(scene, [q]))
        if self.similarity == "ontology":
            tree = _open_taxonomy(self.taxonomy)
            return lambda p, q: _compare_values(tree, compute_wu_palmer, p, q)
        raise InputError(
            f"the option 'similarity' of meaning/cosine is {self.similarity!r}", remedy="use denotation or ontology"
        )


def _list_mentioned(content: Content) -> Properties:
    """Return the properties of a description, or those that its meaning mentions."""
    return flatten(tuple(content)) if is_meaning(content) else content


def _denote_parts(content: Content, scene: Scene) -> tuple[int, ...]:
    """Return the denotation of each part of a description."""
    return scene.denotations(tuple(content)) if is_meaning(content) else (scene.denotation(content),)


def _group_by_name(properties: Properties) -> dict[str, list[Property]]:
    """Return properties by attribute."""
    groups: dict[str, list[Property]] = {}
    for prop in properties:
        groups.setdefault(prop.name, []).append(prop)
    return groups


def _denote_values(scene: Scene, properties: Properties) -> int:
    """Return the entities that have all of these values, as a bit set; all entities without values."""
    if not list_relation_names(scene):
        result = scene.everything
        for prop in properties:
            result &= scene.extension(_strip_landmark(prop))
        return result
    return scene.denotation([_strip_landmark(p) for p in properties])


def _strip_landmark(prop: Property) -> Property:
    """Return a landmark's property without its prefix."""
    return Property(LANDMARKS.sub("", prop.name), prop.value)


def _compute_dice(left: int, right: int) -> float:
    """Return the Dice of two bit sets."""
    total = left.bit_count() + right.bit_count()
    return 2 * (left & right).bit_count() / total if total else 0.0


def _open_taxonomy(taxonomy: Taxonomy | str | Path | None) -> Taxonomy:
    """Return the taxonomy: a mapping, a file's, or the default one."""
    if taxonomy is None:
        return FURNITURE_AND_PEOPLE
    return taxonomy if isinstance(taxonomy, Mapping) else _read_once(str(taxonomy))


_read_once = lru_cache(maxsize=8)(read_taxonomy)


def _choose_nearness(similarity: str) -> Callable[[Taxonomy, str, str], float]:
    """Return a similarity function by name. Raises InputError for an unknown one."""
    if similarity not in NEARNESS:
        raise InputError(
            f"the option 'similarity' of meaning/ontology is {similarity!r}", remedy=f"use one of {', '.join(NEARNESS)}"
        )
    return NEARNESS[similarity]


def _compare_values(
    tree: Taxonomy, near: Callable[[Taxonomy, str, str], float], left: Property, right: Property
) -> float:
    """Return the similarity of two values in a taxonomy; 1 if equal, 0 outside it."""
    if left == right:
        return 1.0
    first, second = find_node(tree, left), find_node(tree, right)
    return 0.0 if first is None or second is None else near(tree, first, second)


def _compare_with_root(tree: Taxonomy, near: Callable[[Taxonomy, str, str], float], prop: Property) -> float:
    """Return the similarity of a value to the root; 0 outside the taxonomy."""
    node = find_node(tree, prop)
    # Section 1.3 takes an attribute without a value to denote the domain as a whole: in a tree, the root.
    return 0.0 if node is None else near(tree, node, find_root(tree, node))


def _average_best_matches(ours: Properties, theirs: Properties, like: Likeness) -> float:
    # In both directions, so that exchanging output and reference changes nothing.
    """Return the mean similarity of each value to the most similar one of the other side."""
    similarities = [max(like(p, q) for q in theirs) for p in ours] + [max(like(p, q) for p in ours) for q in theirs]
    return sum(similarities) / len(similarities)


def _sum_similarities(left: Properties, right: Properties, like: Likeness) -> float:
    """Return the sum of similarities over pairs of values of the same attribute."""
    return sum(like(p, q) for p in left for q in right if p.name == q.name)
