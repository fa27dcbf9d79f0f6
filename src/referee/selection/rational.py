"""Rational speech acts: a speaker who reasons about a listener who reasons about a literal speaker (Frank & Goodman 2012; Monroe & Potts 2015).

Messages are sets of the target's properties, worlds the entities of the scene. S0 says true things, L1 asks who would have said so, S1 says what L1 understands
best; S2 does the same with a listener who expects S1. The learned speaker replaces "true" by a score learned from descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from random import Random

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.records import Property, SpeakerView
from referee.selection.contrast import Contrast, contrast_of
from referee.selection.reasons import Note, Reasoned

__all__ = ["RationalSpeaker", "log_softmax", "most_probable", "subsets"]

Distribution = tuple[tuple[frozenset[Property], float], ...]


@dataclass(eq=False, repr=False)
class RationalSpeaker(Reasoned):
    """S0, S1 or S2 (`depth`) over all messages of up to `longest` properties, the empty one included.

    A message of n properties costs `cost`·(n - 1), the empty one `null_cost`; `alpha` is the speaker's rationality. `select` says the most probable message (of
    equals the first: shorter, then in the scene's order; with `seed`, one of them at random). Meant for scenes of a few dozen entities.
    """

    depth: int = 1
    alpha: float = 1.0
    cost: float = 0.0
    null_cost: float = 0.0
    longest: int | None = None
    seed: int | None = None

    def distribution(self, view: SpeakerView) -> Distribution:
        """Every message with its probability, most probable first; messages that are impossible are left out."""
        contrast = contrast_of(view)
        messages, chances = self._chances(contrast)
        order = np.argsort(-chances, kind="stable")
        return tuple((frozenset(_spell(contrast, messages[i])), float(chances[i])) for i in order if chances[i] > 0)

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        messages, chances = self._chances(contrast)
        place = most_probable(chances, None if self.seed is None else f"{self.seed} {view.id}")
        best = _spell(contrast, messages[place])
        if note:
            for prop in best:
                note(prop, f"part of the message that S{self.depth} finds best, probability {chances[place]:.3f}")
        return best

    def _chances(self, contrast: Contrast) -> tuple[FloatArray, FloatArray]:
        """The messages, one row of indicators each, and their probabilities for the (first) target."""
        messages = subsets(len(contrast.properties), self.longest)
        lengths = messages.sum(axis=1)
        costs = np.where(lengths == 0, self.null_cost, self.cost * (lengths - 1))
        speaker = log_softmax(np.where(_truth(contrast, messages), 0.0, -np.inf) - costs, axis=1)
        for _ in range(self.depth):
            listener = log_softmax(speaker, axis=0)
            # The cost stands inside the factor α, as in the authors' code.
            speaker = log_softmax(self.alpha * (listener - costs), axis=1)
        target = (contrast.targets & -contrast.targets).bit_length() - 1
        return messages, np.exp(speaker[target])


@lru_cache(maxsize=64)
def subsets(properties: int, longest: int | None) -> FloatArray:
    """All sets of up to so many of the properties, as rows of 0 and 1: shortest first, the empty one included."""
    most = properties if longest is None else min(longest, properties)
    chosen = [c for size in range(most + 1) for c in combinations(range(properties), size)]
    rows = np.zeros((len(chosen), properties))
    for row, places in zip(rows, chosen, strict=True):
        row[list(places)] = 1.0
    # Shared by all callers through the cache.
    rows.flags.writeable = False
    return rows


def _spell(contrast: Contrast, message: FloatArray) -> tuple[Property, ...]:
    return tuple(p for p, said in zip(contrast.properties, message.tolist(), strict=True) if said)


def _truth(contrast: Contrast, messages: FloatArray) -> npt.NDArray[np.bool_]:
    """Whether a message (column) is true of an entity (row)."""
    extensions = [contrast.extensions[p] for p in contrast.properties]
    lacks = [[not bits >> i & 1 for bits in extensions] for i in range(len(contrast.scene.entities))]
    missing: FloatArray = np.array(lacks, dtype=float).reshape(len(lacks), len(extensions)) @ messages.T
    return np.equal(missing, 0.0)


def log_softmax(scores: FloatArray, axis: int) -> FloatArray:
    """Scores to log probabilities along an axis; where everything is impossible, everything stays impossible."""
    top = scores.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    total = np.exp(scores - top).sum(axis=axis, keepdims=True)
    return scores - top - np.log(np.where(total > 0, total, 1.0))


def most_probable(chances: FloatArray, seed: str | None = None) -> int:
    """The place of the largest number; of equals the first, or one at random if there is a seed."""
    # Messages that are equal differ in their last bits, since their sums were added up in another order.
    best = np.flatnonzero(chances >= chances.max() * (1 - 1e-12))
    return int(best[0] if seed is None else Random(seed).choice(best.tolist()))
