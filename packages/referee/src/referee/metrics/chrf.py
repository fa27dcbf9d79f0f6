"""chrF: character n-gram F-score (Popović 2015), computed over a whole corpus as sacrebleu does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.bleu import count_ngrams, find_shared_ngrams, sum_marks
from referee.metrics.measure import Measure
from referee.metrics.tokens import CASES, Encoding, Ids, Places, cache_in_batch, check_choice, check_order, encode_texts


@dataclass(eq=False, repr=False)
class Chrf(Measure):
    """Corpus chrF: F_β = (1 + β²)·P·R / (β²·P + R).

    P and R are the mean precision and recall of character n-grams 1…N over the corpus.

    Blanks are left out; orders that outputs or references are too short for do not enter the means. Of several references each item is compared with the one
    with the best F. Range 0 to 1, higher is better. Source: Popović 2015; values are sacrebleu's chrF2 (divided by 100) with its
    defaults: `order` 6, `beta` 2, `case` "keep", no word n-grams. Empty case: an output "" scores 0; no text or no reference is not counted.
    """

    name = "string/chrf"
    needs = "text"

    order: int = 6
    beta: float = 2
    case: str = "keep"

    @property
    def width(self) -> int:  # type: ignore[override]
        """The number of statistics for an item."""
        return 3 * self.order

    def statistics(self, batch: Batch) -> FloatArray:
        """Return columns by order: n-grams of the output, of the chosen reference, and shared ones."""
        encoding = _encode_characters(batch, self.case)
        pairs = self._count_pairs(encoding)
        rows = np.full((encoding.items, self.width), np.nan)
        # lexsort is stable: of references with the same F the first is taken, as in sacrebleu.
        preferred = np.lexsort((-self._compute_f(pairs), encoding.owner))
        some = np.flatnonzero(encoding.measurable)
        rows[some] = pairs[preferred[encoding.first[some] - encoding.items]]
        return rows

    def _count_pairs(self, encoding: Encoding) -> FloatArray:
        """Return the same columns for every reference against its output."""
        texts = np.arange(encoding.items, encoding.items + len(encoding.owner) + 1)
        marks = find_shared_ngrams(encoding, encoding.owner, texts, check_order(self.order))
        places = np.concatenate([[0], np.cumsum(encoding.output_lengths[encoding.owner])])
        reference_grams = count_ngrams(encoding.reference_lengths, self.order)
        # sacrebleu drops an order on both sides where the reference is too short for it.
        output_grams = count_ngrams(encoding.output_lengths[encoding.owner], self.order) * (reference_grams > 0)
        return np.hstack([output_grams, reference_grams, sum_marks(marks, places, self.order)]).astype(float)

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return chrF from sums of statistics."""
        totals, counts = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
        return np.where(counts > 0, self._compute_f(totals), np.nan)

    def _compute_f(self, totals: FloatArray) -> FloatArray:
        """Return the F value from the columns of n-gram counts.

        Orders are added one after the other, as in sacrebleu, so that equal references tie in both.
        """
        precision = recall = orders = np.zeros(totals.shape[:-1])
        for n in range(self.order):
            output_grams, reference_grams, shared = (totals[..., n + part * self.order] for part in range(3))
            # An order that one side is too short for leaves both means, as in sacrebleu, rather than counting as 0.
            counted = (output_grams > 0) & (reference_grams > 0)
            precision = precision + np.where(counted, shared / np.where(counted, output_grams, 1.0), 0.0)
            recall = recall + np.where(counted, shared / np.where(counted, reference_grams, 1.0), 0.0)
            orders = orders + counted
        precision, recall = precision / np.maximum(1, orders), recall / np.maximum(1, orders)
        factor = self.beta**2
        lower = factor * precision + recall
        return np.divide((1 + factor) * precision * recall, lower, out=np.zeros(lower.shape), where=lower > 0)


def _encode_characters(batch: Batch, case: str) -> Encoding:
    """Encode characters instead of words: an id is a code point."""
    lower = check_choice("case", case, CASES) == "lower"
    return cache_in_batch(
        batch, ("characters", case), lambda: encode_texts(batch, lambda texts: _number_characters(texts, lower))
    )


def _number_characters(texts: list[str], lower: bool) -> tuple[Ids, Places, list[str]]:
    """Return the code points of texts without spaces, and the start of each text."""
    joined = ["".join((text.lower() if lower else text).split()) for text in texts]
    starts = np.concatenate([[0], np.cumsum(np.fromiter(map(len, joined), dtype=np.int64, count=len(joined)))])
    # A lone surrogate, which files are refused for but programs can make, is a character like any other here.
    codes = np.frombuffer("".join(joined).encode("utf-32-le", "surrogatepass"), dtype=np.int32)
    # A writable copy: the kernels are compiled once more for read-only memory.
    return codes.copy(), starts, []
