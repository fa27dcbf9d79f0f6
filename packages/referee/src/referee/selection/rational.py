"""Rational speech acts.

A speaker who reasons about a listener who reasons about a literal speaker (Frank & Goodman 2012; Monroe & Potts
2015).

Messages are sets of the target's properties, worlds the entities of the scene. S0 chooses true messages, L1 infers the
target by Bayes' rule, S1 chooses the best message for L1; S2 does the same with a listener who expects S1. The learned
speaker replaces truth by a score learned from descriptions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import comb
from random import Random

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.meaning import Meaning, conjunction
from referee.records import LANDMARK, Description, Property, SpeakerView
from referee.selection.contrast import TYPE, Contrast, get_contrast
from referee.selection.reasons import Note, Reason, Reasoned, explain_meaning

MOST_MESSAGES = 1 << 16
"""Most messages that are listed: half a megabyte for each entity of the scene."""

MOST_CELLS = 1 << 22
"""Most entities times messages for which speakers are computed: a dozen tables of 32 megabytes."""

Distribution = tuple[tuple[frozenset[Property], float], ...]


@dataclass(eq=False, repr=False)
class RationalSpeaker(Reasoned):
    """S0, S1 or S2 (`depth`) over all messages of up to `longest` properties, the empty one included.

    `prior` names an attribute with an entity's salience for the listener (Frank & Goodman 2012); without one all are
    equal. A message of n properties costs `cost`·(n - 1), the empty one `null_cost`; `alpha` is the speaker's
    rationality. `select` returns the most probable message (of equals the first: shorter, then in the scene's order;
    with `seed`, a random one of them). Meant for scenes of a few dozen entities.

    A target with many properties has too many messages to list; they are then counted by length and denotation, on
    which the speaker's choice depends. The choice is the same (of equals always the first), `distribution` raises an
    error.

    With `landmarks` relations of the target to things of a type are messages like its properties; the description is
    then a meaning.
    """

    depth: int = 1
    alpha: float = 1.0
    cost: float = 0.0
    null_cost: float = 0.0
    longest: int | None = None
    seed: int | None = None
    prior: str = ""
    landmarks: bool = False

    def distribution(self, view: SpeakerView) -> Distribution:
        """Return every possible message with its probability, the most probable first."""
        contrast = self._add_landmarks(get_contrast(view))
        if self._has_too_many_messages(contrast):
            raise InputError(
                f"a target with {len(contrast.properties)} properties has too many messages to list",
                where=view.id,
                remedy="bound their length, for example with the switch longest:4",
            )
        messages, chances = self._compute_probabilities(contrast)
        order = np.argsort(-chances, kind="stable")
        facts = get_contrast(view)
        spelt = (
            (_add_landmark_types(facts, _spell(contrast, messages[i])), float(chances[i]))
            for i in order
            if chances[i] > 0
        )
        return tuple((frozenset(properties), chance) for properties, chance in spelt)

    def select(self, view: SpeakerView) -> tuple[Property, ...]:
        """Return the properties of the most probable message; those of landmarks have a prefix."""
        return self.select_description(view).properties or ()

    def select_description(self, view: SpeakerView) -> Description:
        """Return the most probable message; with relations, as a meaning too."""
        contrast = get_contrast(view)
        chosen = self.choose(contrast, view)
        related = [p for p in chosen if p not in contrast.properties]
        form = conjunction(_make_form(contrast, p) for p in chosen) if related else None
        return Description(properties=_add_landmark_types(contrast, chosen), meaning=form)

    def explain(self, view: SpeakerView) -> list[Reason]:
        """Return the steps of the choice; of a message with relations, what each conjunct rules out."""
        form = self.select_description(view).meaning
        return super().explain(view) if form is None else explain_meaning(form, view)

    def _add_landmarks(self, contrast: Contrast) -> Contrast:
        """Return the facts with relations of the targets as properties that name a typed landmark."""
        if not self.landmarks:
            return contrast
        scene = contrast.scene
        ids = {entity.id for entity in scene.entities}
        first = scene.entities[(contrast.targets & -contrast.targets).bit_length() - 1]
        relations = [Property(r.name, r.entity) for r in dict.fromkeys(first.relations) if r.entity in ids]
        extensions = {p: scene.denotation(_make_form(contrast, p)) for p in relations}
        shared = [p for p, mask in extensions.items() if not contrast.targets & ~mask]
        known = contrast.extensions
        return replace(
            contrast,
            properties=(*contrast.properties, *shared),
            extensions={**{p: known[p] for p in contrast.properties}, **extensions},
        )

    def check(self, view: SpeakerView) -> None:
        """Raise InputError if a scene has more entities and messages than can be computed."""
        contrast = self._add_landmarks(get_contrast(view))
        if not self._has_too_many_messages(contrast):
            check_size(len(view.scene.entities), count_subsets(len(contrast.properties), self.longest))

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties of the most probable message."""
        contrast = self._add_landmarks(contrast)
        if self._has_too_many_messages(contrast):
            return self._choose_by_counting(contrast, note)
        messages, chances = self._compute_probabilities(contrast)
        place = choose_most_probable(chances, None if self.seed is None else f"{self.seed} {view.id}")
        best = _spell(contrast, messages[place])
        if note:
            for prop in best:
                note(prop, f"part of the message that S{self.depth} finds best, probability {chances[place]:.3f}")
        return best

    def _compute_salience(self, contrast: Contrast) -> FloatArray:
        """Return the log prior weights of the entities.

        A weight is the value of the attribute named by `prior` if that is positive, else 1.
        """
        values = [entity.value(self.prior) if self.prior else None for entity in contrast.scene.entities]
        weights = [float(v) if v and v.replace(".", "", 1).isdigit() and float(v) > 0 else 1.0 for v in values]
        column: FloatArray = np.log(np.array(weights))[:, None]
        return column

    def _has_too_many_messages(self, contrast: Contrast) -> bool:
        return count_subsets(len(contrast.properties), self.longest) > MOST_MESSAGES

    def _choose_by_counting(self, contrast: Contrast, note: Note | None) -> tuple[Property, ...]:
        """Return the first of the most probable messages.

        Messages of one length that are true of the same entities are counted as one.
        """
        extensions, everything = [contrast.extensions[p] for p in contrast.properties], contrast.scene.everything
        kinds = _count_messages(extensions, everything, self.longest)
        check_size(len(contrast.scene.entities), len(kinds))
        lengths = np.array([length for length, _ in kinds])
        costs = np.where(lengths == 0, self.null_cost, self.cost * (lengths - 1))
        weights = np.log(np.array(list(kinds.values()), dtype=float))
        places = range(len(contrast.scene.entities))
        true = np.array([[bool(mask >> i & 1) for _, mask in kinds] for i in places])
        speaker = log_softmax(np.where(true, 0.0, -np.inf) - costs + weights, axis=1) - weights
        for _ in range(self.depth):
            listener = log_softmax(speaker + self._compute_salience(contrast), axis=0)
            speaker = log_softmax(self.alpha * (listener - costs) + weights, axis=1) - weights
        chances = np.exp(speaker[(contrast.targets & -contrast.targets).bit_length() - 1])
        tied = np.flatnonzero(chances >= chances.max() * (1 - 1e-9))
        shortest = lengths[tied].min()
        best = [kind for kind, i in zip(kinds, range(len(kinds)), strict=True) if i in tied and kind[0] == shortest]
        chosen = min(_find_first_message(extensions, everything, kind) for kind in best)
        message = tuple(contrast.properties[i] for i in chosen)
        for prop in message if note else ():
            note(prop, f"part of the message that S{self.depth} finds best, probability {chances.max():.2g}")  # type: ignore[misc]
        return message

    def _compute_probabilities(self, contrast: Contrast) -> tuple[FloatArray, FloatArray]:
        """Return the messages, with a row of indicators each, and their probabilities for the target."""
        check_size(len(contrast.scene.entities), count_subsets(len(contrast.properties), self.longest))
        messages = enumerate_subsets(len(contrast.properties), self.longest)
        lengths = messages.sum(axis=1)
        costs = np.where(lengths == 0, self.null_cost, self.cost * (lengths - 1))
        speaker = log_softmax(np.where(_compute_truth(contrast, messages), 0.0, -np.inf) - costs, axis=1)
        for _ in range(self.depth):
            listener = log_softmax(speaker + self._compute_salience(contrast), axis=0)
            # The cost stands inside the factor α, as in the authors' code.
            speaker = log_softmax(self.alpha * (listener - costs), axis=1)
        target = (contrast.targets & -contrast.targets).bit_length() - 1
        return messages, np.exp(speaker[target])


def _make_form(contrast: Contrast, prop: Property) -> Meaning:
    """Return a property as a form; a relation leads to a thing of its landmark's type."""
    if prop in contrast.properties:
        return tuple(prop)
    kind = contrast.scene.entity(prop.value).value(TYPE)
    return ("rel", prop.name, ("and",) if kind is None else (TYPE, kind))


def _add_landmark_types(contrast: Contrast, properties: Sequence[Property]) -> tuple[Property, ...]:
    """Return the properties, with each relation followed by the type of its landmark."""
    related = [p for p in properties if p not in contrast.properties]
    kinds = [contrast.scene.entity(p.value).value(TYPE) for p in related]
    return (*properties, *dict.fromkeys(Property(LANDMARK + TYPE, kind) for kind in kinds if kind is not None))


def _count_messages(extensions: Sequence[int], everything: int, longest: int | None) -> dict[tuple[int, int], int]:
    """Return the number of messages for each length and set of entities that they are true of."""
    kinds: dict[tuple[int, int], int] = {(0, everything): 1}
    for extension in extensions:
        for (length, mask), number in list(kinds.items()):
            if longest is None or length < longest:
                grown = (length + 1, mask & extension)
                kinds[grown] = kinds.get(grown, 0) + number
    return kinds


def _find_first_message(extensions: Sequence[int], everything: int, kind: tuple[int, int]) -> tuple[int, ...]:
    """Return the first message of a length with exactly these entities, in the order of the properties."""
    length, goal = kind
    # From the back: the possible additions with the properties from each index on.
    reach: list[set[tuple[int, int]]] = [{(0, everything)}]
    for extension in reversed(extensions):
        before = reach[-1]
        reach.append(before | {(n + 1, mask & extension) for n, mask in before if n < length})
    reach.reverse()
    chosen: list[int] = []
    mask = everything
    for i, extension in enumerate(extensions):
        left = length - len(chosen) - 1
        if left >= 0 and any(n == left and mask & extension & rest == goal for n, rest in reach[i + 1]):
            chosen.append(i)
            mask &= extension
    return tuple(chosen)


@lru_cache(maxsize=64)
def enumerate_subsets(properties: int, longest: int | None) -> FloatArray:
    """Return all sets of at most `longest` properties, as rows of 0 and 1, shortest first.

    The empty set is included.
    """
    most = properties if longest is None else min(longest, properties)
    chosen = [c for size in range(most + 1) for c in combinations(range(properties), size)]
    rows = np.zeros((len(chosen), properties))
    for row, places in zip(rows, chosen, strict=True):
        row[list(places)] = 1.0
    # Shared by all callers through the cache.
    rows.flags.writeable = False
    return rows


def check_size(entities: int, messages: int) -> None:
    """Raise InputError if a table of entities by messages would take too much memory."""
    if entities * messages > MOST_CELLS:
        raise InputError(
            f"{entities:,} entities with {messages:,} messages are too many for a rational speaker",
            remedy="bound the length of messages (longest:2), or choose a system that does not list them (classic/incremental)",
        )


def count_subsets(properties: int, longest: int | None) -> int:
    """Return the number of sets that `enumerate_subsets` returns."""
    return sum(comb(properties, size) for size in range((properties if longest is None else longest) + 1))


def _spell(contrast: Contrast, message: FloatArray) -> tuple[Property, ...]:
    """Return the properties of a message."""
    return tuple(p for p, is_chosen in zip(contrast.properties, message.tolist(), strict=True) if is_chosen)


def _compute_truth(contrast: Contrast, messages: FloatArray) -> npt.NDArray[np.bool_]:
    """Return an array that is true where a message (column) is true of an entity (row)."""
    extensions = [contrast.extensions[p] for p in contrast.properties]
    lacks = [[not bits >> i & 1 for bits in extensions] for i in range(len(contrast.scene.entities))]
    missing: FloatArray = np.array(lacks, dtype=float).reshape(len(lacks), len(extensions)) @ messages.T
    return np.equal(missing, 0.0)


def log_softmax(scores: FloatArray, axis: int) -> FloatArray:
    """Return scores to log probabilities along an axis.

    Where everything is impossible, everything stays impossible.
    """
    top = scores.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.exp(scores - top).sum(axis=axis, keepdims=True)
    return scores - top - np.log(np.where(total > 0, total, 1.0))


def choose_most_probable(chances: FloatArray, seed: str | None = None) -> int:
    """Return the index of the largest number; of equals the first, or a random one with a seed."""
    # Messages that are equal differ in their last bits, since their sums were added up in another order.
    best = np.flatnonzero(chances >= chances.max() * (1 - 1e-12))
    return int(best[0] if seed is None else Random(seed).choice(best.tolist()))
