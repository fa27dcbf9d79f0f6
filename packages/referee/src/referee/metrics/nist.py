"""NIST: n-gram matches weighted by their information (Doddington 2002), with the formula of the script mteval-v11b."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import log, log2

import numpy as np
import numpy.typing as npt

from referee.contracts import Batch, FloatArray
from referee.errors import InputError
from referee.metrics.bleu import SHARED_ORDER, count_ngrams, share_ngrams
from referee.metrics.measure import Measure
from referee.metrics.tokens import Encoding, Ids, Places, check_order, encode, load_kernels

# Chosen by Doddington so that outputs two thirds as long as the references lose half of their score.
_BETA = log(2) / log(1.5) ** 2


@dataclass(eq=False, repr=False)
class Nist(Measure):
    """Corpus NIST: Σₙ information of matches / n-grams · exp(-β · ln² min(1, length / reference length)).

    The information of an n-gram is log2(count of its first n - 1 words / count of it) over **all references of the test
    set**; for single words the upper count is the number of reference words. β = ln 2 / ln² 1.5. Range 0 upwards,
    higher is better. Source: Doddington 2002 and mteval-v11b (every reference clips and counts; nltk keeps one per
    order and differs). Empty case: an order that no output is long enough for adds 0; outputs without words score 0; no
    text or no reference is not counted at all.

    Because the weights depend on the whole test set, data in several batches need two passes: call `learn` with every
    batch, then `statistics` (or `collect` the data of each batch, and `compute` from these). Without `learn`, a batch
    counts as the whole test set. References that several systems share must be learnt once.
    """

    name = "string/nist"
    range = (0.0, None)
    needs = "text"
    learns_from = "references"
    _learnt: NgramCounts | None = field(default=None, init=False)

    order: int = 5
    case: str = "lower"
    tokens: str = "mteval"

    @property
    def width(self) -> int:  # type: ignore[override]
        """The number of statistics for an item."""
        return 2 * self.order + 1

    def learn(self, batch: Batch) -> Nist:
        """Count the reference n-grams of one more batch; its outputs are ignored."""
        self._count(encode(batch, self.case, self.tokens))
        return self

    def _count(self, encoding: Encoding) -> None:
        """Count the n-grams of the references of a batch."""
        if self._learnt is None:
            self._learnt = make_counts(encoding.texts, self.order)
        self._learnt.add(encoding)

    def statistics(self, batch: Batch) -> FloatArray:
        """Return information matched by order, n-grams of the output by order, mean reference length."""
        return self.compute(self.collect(batch))

    def collect(self, batch: Batch) -> tuple[Encoding, Ids]:
        """Return the encoded words, and a mask of the n-grams that are matched."""
        marks = share_ngrams(batch, self.case, self.tokens, max(check_order(self.order), SHARED_ORDER))
        return encode(batch, self.case, self.tokens), marks

    def fit(self, collected: tuple[Encoding, Ids]) -> None:
        """Count the n-grams of the references of a batch."""
        self._count(collected[0])

    def compute(self, collected: tuple[Encoding, Ids]) -> FloatArray:
        """Return the statistics of every item of a batch."""
        encoding, marks = collected
        counts = self._learnt
        if counts is None:
            counts = make_counts(encoding.texts, self.order)
            counts.add(encoding)
        rows = np.empty((encoding.items, self.width))
        rows[:, : self.order] = counts.sum_information(encoding, marks)
        rows[:, self.order : -1] = count_ngrams(encoding.output_lengths, self.order)
        lengths = np.bincount(encoding.owner, encoding.reference_lengths, encoding.items)
        # Mean length of an item's references, where BLEU takes the closest: Doddington 2002 and mteval differ here on purpose.
        rows[:, -1] = lengths / np.maximum(1, np.diff(encoding.first))
        rows[~encoding.measurable] = np.nan
        return rows

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return NIST from sums of statistics."""
        totals, counts = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
        information, ngrams = totals[..., : self.order], totals[..., self.order : -1]
        output_grams, expected = ngrams[..., 0], totals[..., -1]
        gained = (information / np.where(ngrams > 0, ngrams, 1.0)).sum(axis=-1)
        # NIST does not reward length beyond the references: the ratio ends at 1.
        ratio = np.minimum(1.0, output_grams / np.where(expected > 0, expected, 1.0))
        # Where nothing was said the logarithm would be infinite; the 0 is put in below.
        penalty = np.exp(-_BETA * np.log(np.where(ratio > 0, ratio, 1.0)) ** 2)
        return np.where(counts > 0, np.where(output_grams > 0, gained * penalty, 0.0), np.nan)


def make_counts(texts: int, order: int) -> NgramCounts:
    """Return an empty count of n-grams, compiled where batches are large."""
    return NgramCounts(order) if load_kernels(texts) is None else SwiftNgramCounts(order)


class NgramCounts:
    """Counts of n-grams in the references learnt so far.

    Words keep their numbers from batch to batch.
    """

    def __init__(self, order: int) -> None:
        self.order = order
        self.numbers: dict[str, int] = {}
        self.counts: dict[tuple[int, ...], int] = {(): 0}

    def add(self, encoding: Encoding) -> None:
        """Count the references of a batch."""
        ids = self._renumber(encoding, encoding.words)
        for text in range(encoding.items, len(encoding.starts) - 1):
            words = ids[encoding.starts[text] : encoding.starts[text + 1]].tolist()
            self.counts[()] += len(words)
            for i in range(len(words)):
                for j in range(i + 1, min(len(words), i + self.order) + 1):
                    ngram = tuple(words[i:j])
                    self.counts[ngram] = self.counts.get(ngram, 0) + 1

    def sum_information(self, encoding: Encoding, marks: npt.NDArray[np.int32]) -> FloatArray:
        """Return, for every output, the information of its matched n-grams, by order."""
        ids = self._renumber(encoding)
        sums = np.zeros((encoding.items, self.order))
        for place, item in enumerate(np.repeat(np.arange(encoding.items), encoding.output_lengths).tolist()):
            for n in range(self.order):
                if marks[place] >> n & 1:
                    sums[item, n] += self._compute_information(tuple(ids[place : place + n + 1].tolist()))
        return sums

    def _compute_information(self, ngram: tuple[int, ...]) -> float:
        """Return the information of an n-gram. Raises InputError for an unknown one."""
        if ngram not in self.counts:
            raise _make_unlearnt_error()
        # The count of the empty n-gram is that of all words: the first order needs no case of its own.
        return log2(self.counts[ngram[:-1]] / self.counts[ngram])

    def _renumber(self, encoding: Encoding, new: Iterable[str] = ()) -> Ids:
        """Return the word ids of a batch in the numbering of this count.

        Words without a number get one if they are in `new`, otherwise one past all numbers.
        """
        for word in new:
            self.numbers.setdefault(word, len(self.numbers))
        # Marks only refer to n-grams of references, so this number indicates a reference that was not learnt.
        counts_by_gram = [self.numbers.get(word, len(self.numbers)) for word in encoding.words]
        return np.array(counts_by_gram, dtype=np.int32)[encoding.ids]


class SwiftNgramCounts(NgramCounts):
    """The counts of n-grams in a compiled hash table.

    The key of an n-gram is the number of its first n - 1 words and its last word.
    """

    def __init__(self, order: int) -> None:
        super().__init__(order)
        self.table: Places = np.zeros((1, 2), dtype=np.int64)
        self.size = 1
        self.total = 0

    def add(self, encoding: Encoding) -> None:
        """Count the n-grams of the references of an encoding."""
        from referee.metrics.string_kernels import add_ngrams, double_table

        ids, text = self._renumber(encoding, encoding.words), encoding.items
        words = int(encoding.reference_lengths.sum())
        if not self.total:
            # Room for about one new n-gram per word, the usual case, spares most of the widening.
            self.table = np.zeros((1 << max(16, (2 * words).bit_length()), 2), dtype=np.int64)
        self.total += words
        while text < len(encoding.starts) - 1:
            text, self.size = add_ngrams(ids, encoding.starts, text, self.order, self.table, self.size)
            if text < len(encoding.starts) - 1:
                self.table = double_table(self.table)

    def sum_information(self, encoding: Encoding, marks: npt.NDArray[np.int32]) -> FloatArray:
        """Return the information of the matched n-grams of every output, by order."""
        from referee.metrics.string_kernels import sum_information

        ids = self._renumber(encoding)
        sums: FloatArray = sum_information(
            ids, encoding.starts, marks, encoding.items, self.order, self.table, self.total
        )
        if (sums < 0).any():
            raise _make_unlearnt_error()
        return sums


def _make_unlearnt_error() -> InputError:
    """Return the error for a reference that was not learnt."""
    return InputError(
        "a reference contains an n-gram that NIST has not counted, so it has no weight",
        remedy="call learn() with every batch before the first statistics(), or do not call it at all",
    )
