"""A smoothed n-gram model of word strings: interpolated Kneser-Ney (Kneser & Ney 1995; Chen & Goodman 1999).

Every context is interpolated with the next shorter one, and the shortest with a uniform distribution over the
vocabulary and one entry for all unknown words. No string is impossible, and the probabilities of each context add up to
one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from math import log

START, END, UNKNOWN = "<s>", "</s>", "<unk>"
Context = tuple[str, ...]


class NgramModel:
    """An n-gram model of whole strings; costs are -log probabilities.

    The highest order counts occurrences, lower ones in how many different contexts a word follows; `discount` is taken off every count.
    """

    def __init__(self, strings: Iterable[Sequence[str]], order: int = 3, discount: float = 0.75) -> None:
        self.order = order
        self.discount = discount
        self._followers: dict[Context, Counter[str]] = {}
        self._count(strings)
        self.vocabulary = {word for counts in self._followers.values() for word in counts}
        self._totals = {context: sum(counts.values()) for context, counts in self._followers.items()}
        self._steps: dict[tuple[Context, tuple[str, ...]], tuple[float, Context]] = {}

    def _count(self, strings: Iterable[Sequence[str]]) -> None:
        """Count the n-grams of some strings."""
        for words in strings:
            padded = (START,) * (self.order - 1) + tuple(words) + (END,)
            for i in range(self.order - 1, len(padded)):
                context = padded[i - self.order + 1 : i]
                self._followers.setdefault(context, Counter())[padded[i]] += 1
        # The number of contexts, not the frequency: a word that follows one word only is unlikely elsewhere (Kneser &
        # Ney 1995).
        for length in range(self.order - 1, 0, -1):
            longer = [(c, word) for c, counts in self._followers.items() if len(c) == length for word in counts]
            for context, word in longer:
                self._followers.setdefault(context[1:], Counter())[word] += 1

    def compute_probability(self, word: str, context: Sequence[str] = ()) -> float:
        """Return P(word | the last words of the context); the context may contain START."""
        history = tuple(context)[-(self.order - 1) :] if self.order > 1 else ()
        return self._compute_probability(word if word in self.vocabulary else UNKNOWN, history)

    def _compute_probability(self, word: str, context: Context) -> float:
        """Return the probability of a word in a context."""
        shorter = self._compute_probability(word, context[1:]) if context else 1 / (len(self.vocabulary) + 1)
        counts = self._followers.get(context)
        if counts is None:
            return shorter
        total = self._totals[context]
        discounted = max(counts.get(word, 0) - self.discount, 0.0)
        # The discounted mass is distributed by the shorter context, so that probabilities add up to 1.
        return (discounted + self.discount * len(counts) * shorter) / total

    def step(self, words: tuple[str, ...], context: Context) -> tuple[float, Context]:
        """Return -log P(words | context), and the context after them: all that later words can depend on."""
        key = (context, words)
        # The search puts the same phrase behind the same words again and again.
        if key not in self._steps:
            total = 0.0
            for word in words:
                total -= log(self.compute_probability(word, context))
                context = (*context, word)[-(self.order - 1) :] if self.order > 1 else ()
            self._steps[key] = (total, context)
        return self._steps[key]

    @property
    def start(self) -> Context:
        return (START,) * (self.order - 1)

    def compute_surprisal(self, words: Sequence[str]) -> float:
        """Return -log P of a whole string, its end included."""
        return self.step((*words, END), self.start)[0]
