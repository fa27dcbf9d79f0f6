"""Words as classifiers: a classifier per word for the objects that it fits (Kennington & Schlangen 2015).

A frequent word has a logistic classifier over the features of an object: targets are positive examples, the other
objects of their scenes negative ones. A description's score for an object is the sum of the log probabilities of its
words. Unknown words are ignored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from typing import NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.errors import NotTrained

SIZES = {"small": 0.0, "medium": 0.5, "large": 1.0}
STEPS = 12


class Use(NamedTuple):
    """A description in its context: its words, the features of all objects (a row each), and the index of the target."""

    words: Sequence[str]
    things: FloatArray
    place: int


def figure_features(
    pieces: Mapping[str, Mapping[str, str]], positions: Mapping[str, Sequence[float]], shapes: Sequence[str]
) -> FloatArray:
    """Shape (one column each), size, area, colour (hue as a point on a circle, saturation, brightness, red, green, blue) and position."""
    rows = []
    for name, piece in pieces.items():
        hue, saturation, brightness = map(float, piece["hsb"].split(","))
        red, green, blue = (float(c) / 255 for c in piece["rgb"].split(","))
        x, y = positions[name]
        shape = [float(piece["shape"] == s) for s in shapes]
        colour = [
            cos(2 * pi * hue) * saturation,
            sin(2 * pi * hue) * saturation,
            saturation,
            brightness,
            red,
            green,
            blue,
        ]
        # The distance from the middle lets *corner* and *middle* be learned, which are not linear in x and y.
        place = [x - 0.5, y - 0.5, (x - 0.5) ** 2 + (y - 0.5) ** 2]
        # Areas are .01 to .04 of the board; times twenty they have the scale of the other columns.
        rows.append([1.0, *shape, SIZES.get(piece["size"], 0.5), 20 * float(piece["area"]), *colour, *place])
    return np.array(rows)


class WordMeanings:
    """Logistic classifiers of words with a ridge; words used fewer than `least` times are not learned."""

    def __init__(self, least: int = 4, ridge: float = 1.0) -> None:
        self.least = least
        self.ridge = ridge

    def fit(self, uses: Sequence[Use]) -> WordMeanings:
        """Train a classifier for every word with enough uses."""
        by_word: defaultdict[str, list[Use]] = defaultdict(list)
        for use in uses:
            for word in dict.fromkeys(use.words):
                by_word[word].append(use)
        self.weights_ = {
            word: self._learn(word_uses) for word, word_uses in sorted(by_word.items()) if len(word_uses) >= self.least
        }
        return self

    def scores(self, words: Sequence[str], things: FloatArray) -> FloatArray:
        """The log chance of the description for every thing."""
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        weights = [self.weights_[w] for w in dict.fromkeys(words) if w in self.weights_]
        if not weights:
            return np.zeros(len(things))
        logits = things @ np.array(weights).T
        # The logarithm of the logistic function, without overflow.
        log_probabilities: FloatArray = -np.logaddexp(0.0, -logits).sum(axis=1)
        return log_probabilities

    def _learn(self, uses: Sequence[Use]) -> FloatArray:
        """Newton's method; the others around count together as much as the thing meant."""
        things = np.concatenate([u.things for u in uses])
        meant = np.concatenate([np.arange(len(u.things)) == u.place for u in uses]).astype(float)
        weight = np.where(
            meant > 0, 1.0, np.concatenate([np.full(len(u.things), 1 / (len(u.things) - 1)) for u in uses])
        )
        ridge = self.ridge * np.eye(things.shape[1])
        # The constant is hardly held back: how rare the thing meant is should not be shrunk away.
        ridge[0, 0] = 1e-3
        w = np.zeros(things.shape[1])
        for _ in range(STEPS):
            # exp would overflow from 710 on; at 30 the chance is certain already.
            chance = 1 / (1 + np.exp(-np.clip(things @ w, -30, 30)))
            slope = things.T @ (weight * (chance - meant)) + ridge @ w
            curve = (things * (weight * chance * (1 - chance))[:, None]).T @ things + ridge
            step = np.linalg.solve(curve, slope)
            w = w - step
            if np.abs(step).max() < 1e-6:
                break
        return w
