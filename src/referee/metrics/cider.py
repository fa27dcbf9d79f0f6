"""CIDEr and CIDEr-D: how alike n-grams are when those that every item has count little (Vedantam, Lawrence Zitnick & Parikh 2015).

What the caption scorers call CIDEr is CIDEr-D: with clipped counts and a penalty for length. Here each has its own name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import exp, log, sqrt

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure
from referee.metrics.tokens import check_order, split_words

__all__ = ["Cider", "CiderD"]

Ngrams = Counter[tuple[str, ...]]
Texts = tuple[list[str | None], list[list[str]]]
SIGMA = 6.0
SCALE = 10.0


@dataclass(eq=False, repr=False)
class Cider(Measure):
    """10 · mean over orders 1 to 4, and over references, of the cosine of n-gram counts weighted by log(items / items whose references have it).

    The weights belong to the whole test set: `learn` takes them in batch by batch; without it a batch is taken for the whole. One item alone has no
    weights, and all its values are 0. No stemming. Range 0 to 10, higher is better. Source: Vedantam et al. 2015. Empty case: outputs without words
    score 0; no text or no reference is not counted.
    """

    name = "string/cider"
    range = (0.0, SCALE)
    needs = "text"
    learns_from = "references"
    clipped = False
    _seen: Counter[tuple[str, ...]] = field(default_factory=Counter, init=False)
    _items: int = field(default=0, init=False)

    order: int = 4
    case: str = "lower"
    tokens: str = "mteval"

    def learn(self, batch: Batch) -> Cider:
        """Count in how many items' references each n-gram is (outputs do not matter here)."""
        self._items += _count_items(self.put_aside(batch)[1], self._seen, self._ngrams)
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        """One column: the value of each item."""
        return self.measure_aside(self.put_aside(batch))

    def put_aside(self, batch: Batch) -> Texts:
        """The texts of outputs and references."""
        said = [None if output is None else output.text for output in batch.outputs]
        return said, [[r.text for r in references if r.text is not None] for references in batch.references]

    def measure_aside(self, kept: Texts) -> FloatArray:
        outputs, references = kept
        seen, items = self._seen, self._items
        if not items:
            seen = Counter()
            items = _count_items(references, seen, self._ngrams)
        whole = log(max(1, items))
        known: dict[str, _Weighted] = {}

        def weighted(text: str) -> _Weighted:
            if text not in known:
                known[text] = _Weighted(self._ngrams(text), seen, whole, self.order)
            return known[text]

        rows = np.full((len(outputs), 1), np.nan)
        for i, (said, texts) in enumerate(zip(outputs, references, strict=True)):
            if said is not None and texts:
                mine = weighted(said)
                likenesses = [mine.likeness(weighted(t), self.clipped) for t in texts]
                rows[i] = SCALE * sum(likenesses) / len(texts)
        return rows

    def _ngrams(self, text: str) -> Ngrams:
        words = split_words(text, self.case, self.tokens)
        orders = range(1, check_order(self.order) + 1)
        return Counter(tuple(words[i : i + n]) for n in orders for i in range(len(words) - n + 1))


@dataclass(eq=False, repr=False)
class CiderD(Cider):
    """CIDEr with counts clipped to the reference's and a penalty exp(-d² / 72) for the difference d in length; what pycocoevalcap prints as CIDEr.

    As `Cider` otherwise. Range 0 to 10, higher is better. Empty case: as `Cider`.
    """

    name = "string/cider-d"
    clipped = True


def _count_items(references: list[list[str]], seen: Counter[tuple[str, ...]], ngrams: Callable[[str], Ngrams]) -> int:
    """Add the n-grams of every item's references to those seen; how many items have any."""
    for texts in references:
        seen.update(set[tuple[str, ...]]().union(*map(ngrams, texts)))
    return sum(map(bool, references))


class _Weighted:
    """A text as weighted n-grams, order by order, with the length of each vector."""

    __slots__ = ("length", "norms", "vectors")

    def __init__(self, counts: Ngrams, seen: Mapping[tuple[str, ...], int], whole: float, order: int) -> None:
        self.vectors: list[dict[tuple[str, ...], float]] = [{} for _ in range(order)]
        for ngram, n in counts.items():
            # An n-gram that no reference has counts as if one had it.
            self.vectors[len(ngram) - 1][ngram] = n * (whole - log(max(1, seen.get(ngram, 0))))
        self.norms = [sqrt(sum(x * x for x in vector.values())) for vector in self.vectors]
        # As the scorer counts it: in pairs of words.
        self.length = sum(n for ngram, n in counts.items() if len(ngram) == 2)

    def likeness(self, other: _Weighted, clipped: bool) -> float:
        total = 0.0
        for mine, theirs, a, b in zip(self.vectors, other.vectors, self.norms, other.norms, strict=True):
            if a and b:
                shared = ((x, theirs[ngram]) for ngram, x in mine.items() if ngram in theirs)
                total += sum((min(x, y) if clipped else x) * y for x, y in shared) / (a * b)
        gap = self.length - other.length
        return total / len(self.vectors) * (exp(-gap * gap / (2 * SIGMA**2)) if clipped else 1.0)
