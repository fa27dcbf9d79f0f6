"""Rational speakers with graded meanings (Degen et al. 2020), and incremental ones, word by word (Cohn-Gordon et al.
2019).

With graded meanings overspecification is rational: a reliable "red" supports a noisy "small". An incremental speaker
considers the listener's interpretation of the words so far.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.records import Property, SpeakerView
from referee.selection.contrast import TYPE, Contrast, get_contrast
from referee.selection.rational import (
    MOST_MESSAGES,
    check_size,
    choose_most_probable,
    count_subsets,
    enumerate_subsets,
    log_softmax,
)
from referee.selection.reasons import Note, Reasoned

Distribution = tuple[tuple[frozenset[Property], float], ...]


@dataclass(eq=False, repr=False)
class ContinuousSpeaker(Reasoned):
    """S1 of Degen et al. (2020).

    A property holds to the degree `reliable[name]` (or `otherwise`) where it is true, and one minus that where it is
    false.

    A message is a set of properties, its degree the product of theirs; L0(w|m) ∝ degree, S1(m|w) ∝ exp(`alpha`·log
    L0(w|m) - `cost`·length). The type is always mentioned and excludes other types. `colour` and `size` are the paper's
    two examples.
    """

    alpha: float = 30.0
    cost: float = 0.0
    colour: float = 0.999
    size: float = 0.8
    otherwise: float = 0.95
    longest: int | None = None
    reliable: Mapping[str, float] = field(default_factory=dict)

    def get_reliability(self, name: str) -> float:
        """Return how reliably a property of this name is seen to hold."""
        return {"colour": self.colour, "size": self.size, **self.reliable}.get(name, self.otherwise)

    def distribution(self, view: SpeakerView) -> Distribution:
        """Return every message with its probability, the most probable first."""
        contrast = get_contrast(view)
        options, messages, chances = self._compute_probabilities(contrast)
        head = [contrast.head] if contrast.head is not None else []
        order = np.argsort(-chances, kind="stable")
        return tuple((frozenset([*head, *_list_properties(options, messages[i])]), float(chances[i])) for i in order)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties of the most probable message."""
        options, messages, chances = self._compute_probabilities(contrast)
        place = choose_most_probable(chances)
        head = [contrast.head] if contrast.head is not None else []
        chosen = (*head, *_list_properties(options, messages[place]))
        for prop in chosen if note else ():
            note(prop, f"part of the message that S1 finds best, probability {chances[place]:.3f}")  # type: ignore[misc]
        return chosen

    def check(self, view: SpeakerView) -> None:
        """Raise InputError if a target has more messages than can be listed."""
        self._check(get_contrast(view))

    def _check(self, contrast: Contrast) -> list[Property]:
        """Return the properties of which messages are made."""
        options = [p for p in contrast.properties if p.name != TYPE]
        if count_subsets(len(options), self.longest) > MOST_MESSAGES:
            raise InputError(
                f"a target with {len(options)} properties has too many messages to list",
                remedy="bound their length, for example with the switch longest:3",
            )
        check_size(len(contrast.scene.entities), count_subsets(len(options), self.longest))
        return options

    def _compute_probabilities(self, contrast: Contrast) -> tuple[list[Property], FloatArray, FloatArray]:
        """Return the properties, messages and their probabilities."""
        options = self._check(contrast)
        messages = enumerate_subsets(len(options), self.longest)
        true = np.array(
            [[contrast.extensions[p] >> i & 1 for p in options] for i in range(len(contrast.scene.entities))]
        )
        sure = np.array([self.get_reliability(p.name) for p in options])
        logs = np.log(np.where(true, sure, 1 - sure).reshape(len(true), len(options)))
        literal = logs @ messages.T
        if contrast.head is not None:
            same = [bool(contrast.extensions[contrast.head] >> i & 1) for i in range(len(true))]
            literal = np.where(np.array(same)[:, None], literal, -np.inf)
        listener = log_softmax(literal, axis=0)
        target = (contrast.targets & -contrast.targets).bit_length() - 1
        useful = self.alpha * listener[target] - self.cost * messages.sum(axis=1)
        return options, messages, np.exp(log_softmax(useful[None, :], axis=1)[0])


def _list_properties(options: Sequence[Property], message: FloatArray) -> list[Property]:
    return [p for p, is_chosen in zip(options, message.tolist(), strict=True) if is_chosen]


@dataclass(eq=False, repr=False)
class IncrementalRational(Reasoned):
    """S1 word by word: the next property, or the end, by the listener's interpretation of the words so far.

    The meaning of the words so far for an entity is the share of their completions that are true of it: 0 if they are
    false, otherwise a power of two in the number of the target's properties that it shares. S1(next|so far) ∝
    exp(`alpha`·log L0(target|so far, next) - `cost`). The first of equals is chosen; the end wins ties.
    """

    alpha: float = 1.0
    cost: float = 0.1
    longest: int = 6

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return properties one by one until the end is best."""
        chosen: list[Property] = []
        while len(chosen) < self.longest:
            options = [p for p in contrast.properties if p not in chosen]
            chances = self.compute_next_probabilities(contrast, chosen, options)
            best = max(range(len(chances)), key=lambda i: (round(chances[i], 12), i == len(options)))
            if best == len(options):
                break
            chosen.append(options[best])
            if note:
                note(options[best], f"the best next word, probability {chances[best]:.3f}")
        if not chosen and contrast.properties:
            chosen.append(contrast.head or contrast.properties[0])
        if contrast.head is not None and contrast.head not in chosen:
            chosen.append(contrast.head)
        return tuple(chosen)

    def compute_next_probabilities(
        self, contrast: Contrast, chosen: Sequence[Property], options: Sequence[Property]
    ) -> list[float]:
        """Return the probability of each next property, and last the probability of the end."""
        useful = [self.alpha * log(self._rate_by_listener(contrast, [*chosen, p], False)) - self.cost for p in options]
        useful.append(self.alpha * log(self._rate_by_listener(contrast, chosen, True)))
        top = max(useful)
        weights = [exp(u - top) for u in useful]
        return [w / sum(weights) for w in weights]

    def _rate_by_listener(self, contrast: Contrast, chosen: Sequence[Property], ended: bool) -> float:
        """Return the literal listener's belief in the target.

        Each entity that the words are true of is weighted by its number of true continuations.
        """
        shared = [contrast.extensions[p] for p in contrast.properties]
        weights = []
        for i in range(len(contrast.scene.entities)):
            true = all(contrast.extensions[p] >> i & 1 for p in chosen)
            ways = sum(bits >> i & 1 for bits in shared) - len(chosen)
            weights.append((1.0 if ended else 2.0**ways) if true else 0.0)
        target = (contrast.targets & -contrast.targets).bit_length() - 1
        return weights[target] / sum(weights)
