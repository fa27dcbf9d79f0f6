"""CIDEr and CIDEr-D: similarity of n-grams with tf-idf weights (Vedantam, Lawrence Zitnick & Parikh 2015).

The caption scorers' "CIDEr" is CIDEr-D: with clipped counts and a length penalty. Here each has its own name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure
from referee.metrics.tokens import Encoding, Places, check_order, encode

SIGMA = 6.0
SCALE = 10.0


@dataclass(eq=False, repr=False)
class Cider(Measure):
    """CIDEr: 10 · mean cosine of TF-IDF-weighted n-gram counts, over orders 1 to 4 and references.

    The weight of an n-gram is log(items / items whose references have it).

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
        """Count the n-grams of a batch's references; its outputs are ignored."""
        self.fit(self.collect(batch))
        return self

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the value of each item."""
        return self.compute(self.collect(batch))

    def collect(self, batch: Batch) -> Encoding:
        """Return the encoded words of outputs and references."""
        return encode(batch, self.case, self.tokens)

    def fit(self, encoding: Encoding) -> None:
        """Count the items of a batch, and the items whose references have each n-gram."""
        for grams in _yield_ngrams(encoding, check_order(self.order)):
            counts = grams.count_items(encoding).tolist()
            counted = zip(grams.list_words(encoding), counts, strict=True)
            # Some stand in outputs alone.
            self._seen.update({ngram: n for ngram, n in counted if n})
        self._items += _count_items(encoding)

    def compute(self, encoding: Encoding) -> FloatArray:
        """Return the score of every item of a batch."""
        whole = log(max(1, self._items or _count_items(encoding)))
        orders = list(_yield_ngrams(encoding, check_order(self.order)))
        total = np.zeros(len(encoding.owner))
        for grams in orders:
            total += grams.compute_cosines(
                encoding, whole - np.log(np.maximum(1, self._count_documents(grams, encoding))), self.clipped
            )
        if self.clipped:
            # As the scorer counts lengths: in pairs of words.
            pairs = np.maximum(encoding.lengths - 1, 0) if self.order > 1 else np.zeros(len(encoding.lengths))
            gaps = pairs[encoding.owner] - pairs[encoding.items :]
            total *= np.exp(-gaps * gaps / (2 * SIGMA**2))
        sums = np.bincount(encoding.owner, total, minlength=encoding.items)
        references = np.maximum(1, np.bincount(encoding.owner, minlength=encoding.items))
        return np.where(encoding.measurable, SCALE * sums / self.order / references, np.nan)[:, None]

    def _count_documents(self, grams: _Grams, encoding: Encoding) -> FloatArray:
        """Return the document frequency of each n-gram: over the fitted references, or over this batch if none were fitted."""
        if not self._items:
            return grams.count_items(encoding).astype(float)
        return np.array([self._seen.get(ngram, 0) for ngram in grams.list_words(encoding)], dtype=float)


@dataclass(eq=False, repr=False)
class CiderD(Cider):
    """CIDEr-D: counts clipped to the reference's, and a penalty exp(-d² / 72) for a length difference d.

    pycocoevalcap prints it as CIDEr.

    As `Cider` otherwise. Range 0 to 10, higher is better. Empty case: as `Cider`.
    """

    name = "string/cider-d"
    clipped = True


def _count_items(encoding: Encoding) -> int:
    """Count the items with a reference."""
    return len(np.unique(encoding.owner))


@dataclass(frozen=True, slots=True)
class _Grams:
    """The n-grams of one order in all texts of a batch.

    `texts` and `grams` identify each occurrence, `first` is one position of each different n-gram.
    """

    order: int
    texts: Places
    grams: Places
    first: Places

    def list_words(self, encoding: Encoding) -> list[tuple[str, ...]]:
        """Return the words of each different n-gram."""
        ids, words = encoding.ids.tolist(), encoding.words
        return [tuple([words[i] for i in ids[place : place + self.order]]) for place in self.first.tolist()]

    def count_items(self, encoding: Encoding) -> Places:
        """Return, for every n-gram, the number of items whose references have it."""
        reference_vectors = self.texts >= encoding.items
        owners = encoding.owner[self.texts[reference_vectors] - encoding.items]
        pairs = np.unique(self.grams[reference_vectors] * max(1, encoding.items) + owners)
        return np.bincount(pairs // max(1, encoding.items), minlength=len(self.first))

    def compute_cosines(self, encoding: Encoding, weights: FloatArray, clipped: bool) -> FloatArray:
        """Return, for every reference, the cosine of its weighted counts with those of its output."""
        size = max(1, len(self.first))
        keys, begins, counts = np.unique(self.texts * size + self.grams, return_index=True, return_counts=True)
        texts, values = keys // size, counts * weights[keys % size]
        # Added in the order of the text: in order of number, the last bit would depend on other texts of the batch.
        order = np.argsort(begins)
        lengths = np.sqrt(np.bincount(texts[order], values[order] ** 2, minlength=len(encoding.starts) - 1))
        reference_vectors = order[texts[order] >= encoding.items]
        references = texts[reference_vectors] - encoding.items
        # The same n-gram in the output of the reference's item, if it is there.
        present = encoding.owner[references] * size + keys[reference_vectors] % size
        place = np.minimum(np.searchsorted(keys, present), max(0, len(keys) - 1))
        output_part = np.where(keys[place] == present, values[place], 0.0) if len(keys) else np.zeros(0)
        theirs = values[reference_vectors]
        shared = (np.minimum(output_part, theirs) if clipped else output_part) * theirs
        sums = np.bincount(references, shared, minlength=len(encoding.owner))
        scale = lengths[encoding.owner] * lengths[encoding.items :]
        cosines: FloatArray = np.divide(sums, scale, out=np.zeros(len(sums)), where=scale > 0)
        return cosines


def _yield_ngrams(encoding: Encoding, order: int) -> Iterator[_Grams]:
    """Yield the n-grams of each order; an n-gram is built from one of n - 1 words and the next word."""
    ids = encoding.ids.astype(np.int64)
    texts = np.repeat(np.arange(len(encoding.lengths)), encoding.lengths)
    places = np.arange(len(ids))
    ends = encoding.starts[texts + 1] if len(ids) else places
    grams, words = ids, int(ids.max(initial=0)) + 1
    for n in range(1, order + 1):
        if n > 1:
            inside = places + n <= ends
            places, ends, texts = places[inside], ends[inside], texts[inside]
            grams = grams[inside] * words + ids[places + n - 1]
        _, first, grams = np.unique(grams, return_index=True, return_inverse=True)
        yield _Grams(n, texts, grams, places[first])
