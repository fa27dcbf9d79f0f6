"""A language model of colour descriptions, word by word.

P(word | two previous words, the patch and its context), a small network.

A listener uses it as in Monroe et al. (2017): the target is probably the patch for which people would use these words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from referee.hearers.adam import Adam, Floats, Weights

END, UNKNOWN, BEGIN = 0, 1, 2
SPECIAL = 3
BATCH = 512
AT_ONCE = 4096
"""Words evaluated in one batch when listening; each needs a probability for every known word."""
Ints = npt.NDArray[np.int64]
Texts = Sequence[Sequence[str]]


class PatchWords:
    """One hidden layer of `hidden` units over the patch and the two words before.

    Words seen fewer than `rare` times are one unknown word.
    """

    def __init__(
        self,
        seed: int = 1,
        hidden: int = 128,
        rare: int = 2,
        epochs: int = 8,
        rate: float = 2e-3,
        drop: float = 0.2,
        decay: float = 1e-5,
    ) -> None:
        self.rng = np.random.default_rng(seed)
        self.hidden, self.rare, self.epochs, self.rate, self.drop, self.decay = hidden, rare, epochs, rate, drop, decay

    def learn(self, texts: Texts, looks: Floats) -> Self:
        """Train on texts with the features of the described patch."""
        counts = Counter(word for text in texts for word in text)
        frequent_words = sorted(word for word, count in counts.items() if count >= self.rare)
        self.places = {word: i for i, word in enumerate(frequent_words, SPECIAL)}
        self.weights = self._draw_weights(SPECIAL + len(frequent_words), looks.shape[1])
        rows = self._make_training_rows(texts)
        batch = min(BATCH, rows.shape[1])
        adam = Adam(self.weights, self.rate, self.decay, self.epochs * (rows.shape[1] // batch))
        for _ in range(self.epochs):
            order = self.rng.permutation(rows.shape[1])
            for start in range(0, len(order) - batch + 1, batch):
                text, *words = rows[:, order[start : start + batch]]
                adam.move(self._compute_gradient(looks[text], *words))
        return self

    def log_chances(self, texts: Texts, looks: Floats) -> npt.NDArray[np.float64]:
        """Return the log probability of each text (a row) for each of its patches.

        `looks` has one block per text.
        """
        log_chances = np.zeros(looks.shape[:2])
        rows = self._make_training_rows(texts)
        for start in range(0, rows.shape[1], AT_ONCE):
            text, before, earlier, word = rows[:, start : start + AT_ONCE]
            for patch in range(looks.shape[1]):
                chances = self._predict_next_word(self._compute_hidden(looks[text, patch], before, earlier))
                np.add.at(log_chances[:, patch], text, np.log(chances[np.arange(len(word)), word]))
        return log_chances

    def _make_training_rows(self, texts: Texts) -> Ints:
        """Return for every word (and the end of every text): its text, the word before it, the one before that, and the word itself."""

        def report_epoch() -> Iterator[tuple[int, int, int, int]]:
            """Yield text number, word before last, last word and next word at every position of the texts."""
            for number, text in enumerate(texts):
                earlier, before = BEGIN, BEGIN
                for word in (*(self.places.get(w, UNKNOWN) for w in text), END):
                    yield number, before, earlier, word
                    earlier, before = before, word

        return np.array(list(report_epoch()), dtype=np.int64).reshape(-1, 4).T

    def _draw_weights(self, words: int, features: int) -> Weights:
        """Return random initial weights."""

        def drawn(*shape: int, size: float) -> Floats:
            return (self.rng.normal(size=shape) * size).astype(np.float32)

        return {
            "looks": drawn(features, self.hidden, size=features**-0.5),
            "before": drawn(words, self.hidden, size=0.3),
            "earlier": drawn(words, self.hidden, size=0.1),
            "shift": np.zeros(self.hidden, dtype=np.float32),
            "out": drawn(self.hidden, words, size=0.05),
            "usual": np.zeros(words, dtype=np.float32),
        }

    def _compute_hidden(self, looks: Floats, before: Ints, earlier: Ints) -> Floats:
        """Return the hidden layer for a patch and two previous words."""
        w = self.weights
        hidden_layer: Floats = np.maximum(
            looks @ w["looks"] + w["before"][before] + w["earlier"][earlier] + w["shift"], 0
        )
        return hidden_layer

    def _predict_next_word(self, hidden: Floats) -> Floats:
        """Return the probabilities of the next word."""
        scores = hidden @ self.weights["out"] + self.weights["usual"]
        # Minus the highest score, so that no exponential overflows; in place, because the array has a column for every
        # word.
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=1, keepdims=True)
        return scores

    def _compute_gradient(self, looks: Floats, before: Ints, earlier: Ints, words: Ints) -> Weights:
        """Return the slope of the mean negative log probability in every weight."""
        from scipy.sparse import csr_array

        w, number = self.weights, len(words)
        hidden = self._compute_hidden(looks, before, earlier)
        drawn = self.rng.random(hidden.shape, dtype=np.float32)
        mask = ((drawn >= self.drop) & (hidden > 0)).astype(np.float32) / np.float32(1 - self.drop)
        hidden = hidden * mask
        fault = self._predict_next_word(hidden)
        fault[np.arange(number), words] -= 1
        fault /= np.float32(number)
        back = (fault @ w["out"].T) * mask

        def summed(places: Ints) -> Floats:
            """Return the gradients of word vectors, summed over the positions where each word occurs."""
            ones = np.ones(number, dtype=np.float32)
            table = csr_array((ones, (places, np.arange(number))), shape=(w["before"].shape[0], number))
            return np.asarray(table @ back)

        return {
            "looks": looks.T @ back,
            "before": summed(before),
            "earlier": summed(earlier),
            "shift": back.sum(axis=0),
            "out": hidden.T @ fault,
            "usual": fault.sum(axis=0),
        }
