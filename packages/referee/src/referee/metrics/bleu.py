"""BLEU: clipped n-gram precision with a penalty for brevity (Papineni et al. 2002), for whole corpora and without smoothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure
from referee.metrics.tokens import Encoding, Places, cache_in_batch, check_choice, check_order, encode, load_kernels

# Orders that are always matched together, so that BLEU-1 to BLEU-4 and NIST-5 share one pass.
SHARED_ORDER = 5


@dataclass(eq=False, repr=False)
class Bleu(Measure):
    """Corpus BLEU: exp(mean log precision 1…N) · exp(min(0, 1 - reference length / output length)).

    Range 0 to 1, higher is better. Source: Papineni et al. 2002; values are sacrebleu's (divided by 100) with ``tokenize="13a"`` for
    `tokens` "mteval", ``tokenize="none"`` for "words", no smoothing. Matches are clipped by the reference that has an n-gram most often.
    `brevity` names the reference length: "closest" to the output, the shorter of two equally close (sacrebleu), or "shortest" (mteval).
    Empty case: an order without a single match gives 0, and so does a corpus whose outputs are all shorter than N words; an output ""
    counts as zero words; no text or no reference is not counted at all.
    """

    name = "string/bleu"
    needs = "text"

    order: int = 4
    case: str = "lower"
    tokens: str = "mteval"
    brevity: str = "closest"

    @property
    def width(self) -> int:  # type: ignore[override]
        """The number of statistics for an item."""
        return 2 + 2 * self.order

    def statistics(self, batch: Batch) -> FloatArray:
        """Return columns: output length, reference length, matches by order, n-grams of the output by order."""
        encoding = encode(batch, self.case, self.tokens)
        order = max(check_order(self.order), SHARED_ORDER)
        matches = cache_in_batch(
            batch,
            ("shared n-grams by output", self.case, self.tokens, order),
            lambda: sum_marks(
                share_ngrams(batch, self.case, self.tokens, order), encoding.starts[: encoding.items + 1], order
            ),
        )
        rows = np.empty((encoding.items, self.width))
        rows[:, 0] = encoding.output_lengths
        rows[:, 1] = self._choose_reference_lengths(batch, encoding)
        rows[:, 2 : 2 + self.order] = matches[:, : self.order]
        rows[:, 2 + self.order :] = count_ngrams(encoding.output_lengths, self.order)
        # NaN in every column: the item leaves sums, counts and resamples together.
        rows[~encoding.measurable] = np.nan
        return rows

    def _choose_reference_lengths(self, batch: Batch, encoding: Encoding) -> Places:
        """Return the reference lengths by the brevity rule, cached per batch."""
        brevity = check_choice("reference length", self.brevity, ("closest", "shortest"))
        return cache_in_batch(
            batch, ("reference length", self.case, self.tokens, brevity), lambda: _pick_lengths(encoding, brevity)
        )

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return BLEU from sums of statistics."""
        totals, counts = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
        output_length, expected = totals[..., 0], totals[..., 1]
        matches, ngrams = totals[..., 2 : 2 + self.order], totals[..., 2 + self.order :]
        # Unsmoothed, as in mteval: one order without a match makes the score 0 (the zeros in Tables 6 and 8 of the 2008
        # report).
        scored = (matches > 0).all(axis=-1)
        # A geometric mean as a mean of logarithms; unscored rows get 1, so that no logarithm of 0 is taken.
        logs = np.log(np.where(matches > 0, matches, 1.0)) - np.log(np.where(ngrams > 0, ngrams, 1.0))
        # Brevity as mteval and sacrebleu have it: of the corpus, never of a sentence.
        shortfall = np.minimum(0.0, 1.0 - expected / np.where(output_length > 0, output_length, 1.0))
        values = np.where(scored, np.exp(logs.mean(axis=-1) + shortfall), 0.0)
        return np.where(counts > 0, values, np.nan)


def count_ngrams(lengths: Places, order: int) -> Places:
    """Return the number of n-grams of each order in texts of these lengths."""
    counts: Places = np.maximum(0, lengths[:, None] - np.arange(order))
    return counts


def _pick_lengths(encoding: Encoding, brevity: str) -> Places:
    """Return the reference length that BLEU compares with, one per item; 0 without a reference."""
    lengths = encoding.reference_lengths
    distance = np.abs(lengths - encoding.output_lengths[encoding.owner]) if brevity == "closest" else lengths
    # Of two references equally far the shorter one counts, as in sacrebleu.
    preferred = np.lexsort((lengths, distance, encoding.owner))
    picked = np.zeros(encoding.items, dtype=np.int64)
    some = np.flatnonzero(np.diff(encoding.first))
    picked[some] = lengths[preferred[encoding.first[some] - encoding.items]]
    return picked


def share_ngrams(batch: Batch, case: str, tokens: str, order: int) -> npt.NDArray[np.int32]:
    """Return the n-gram matches of all outputs against all their references, cached per batch."""
    encoding = encode(batch, case, tokens)
    return cache_in_batch(
        batch,
        ("shared n-grams", case, tokens, order),
        lambda: find_shared_ngrams(encoding, np.arange(encoding.items), encoding.first, order),
    )


def find_shared_ngrams(encoding: Encoding, outputs: Places, first: Places, order: int) -> npt.NDArray[np.int32]:
    """Return for each word of the outputs a bit mask of the n-grams starting there that references match.

    The references of the k-th output are the texts ``first[k]`` to ``first[k + 1]``; bit n - 1 is for order n.
    """
    places = np.concatenate([[0], np.cumsum(encoding.lengths[outputs])])
    kernels = load_kernels(encoding.texts)
    if kernels is None:
        return _find_plainly(encoding, outputs, first, places, order)
    marks: npt.NDArray[np.int32] = kernels.mark_shared_ngrams(
        encoding.ids, encoding.starts, outputs, first, places, order
    )
    return marks


def _find_plainly(
    encoding: Encoding, outputs: Places, first: Places, places: Places, order: int
) -> npt.NDArray[np.int32]:
    """Mark matched n-grams without compiled kernels: those that occurred less often before than in some reference."""
    marks = np.zeros(places[-1], dtype=np.int32)
    for item, output in enumerate(outputs.tolist()):
        words = encoding.text(output)
        references = [encoding.text(text) for text in range(first[item], first[item + 1])]
        for n in range(1, order + 1):
            allowed: Counter[tuple[int, ...]] = Counter()
            for reference in references:
                # The union of counters keeps the largest count: clipping by the reference that has it most often (Papineni et al. 2002).
                allowed |= Counter(_list_ngrams(reference, n))
            for i, ngram in enumerate(_list_ngrams(words, n)):
                if allowed[ngram] > 0:
                    allowed[ngram] -= 1
                    marks[places[item] + i] |= 1 << (n - 1)
    return marks


def _list_ngrams(words: list[int], n: int) -> list[tuple[int, ...]]:
    """List the n-grams of a text, from first to last."""
    return [tuple(words[i : i + n]) for i in range(len(words) - n + 1)]


def sum_marks(marks: npt.NDArray[np.int32], places: Places, order: int) -> Places:
    """Return the number of matches by output and order: how often each bit is set between two positions."""
    sums = np.empty((len(places) - 1, order), dtype=np.int64)
    for n in range(order):
        # Differences of running sums also serve empty outputs, which reduceat would give their neighbour's value.
        running = np.concatenate([[0], np.cumsum(marks >> n & 1)])
        sums[:, n] = running[places[1:]] - running[places[:-1]]
    return sums
