"""ROUGE-2 and ROUGE-SU4.

Shared word pairs, neighbouring or up to four words apart (Lin 2004), counted as the script ROUGE-1.5.5 does.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure
from referee.metrics.tokens import Encoding, Places, cache_in_batch, check_choice, encode, load_kernels

# The loop of ROUGE-1.5.5 counts all single words of a text except the last one.
UNIGRAMS = {"none": 0, "1.5.5": 1, "textbook": 2}


class _Rouge(Measure):
    """Recall, precision or balanced F of shared units for each item, averaged over items (options -f A or B, -p 0.5, no -t)."""

    needs = "text"
    gap = 0
    statistic: str
    references: str
    case: str
    tokens: str

    def _choose_unigrams(self) -> int:
        """Return the rule for counting single words: none, as the script, or all."""
        return UNIGRAMS["none"]

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the value of each item."""
        encoding = encode(batch, self.case, self.tokens)
        gap, unigrams = self.gap, self._choose_unigrams()
        key = ("shared pairs", self.case, self.tokens, gap, unigrams)
        hits = cache_in_batch(batch, key, lambda: _count_shared_pairs(encoding, gap, unigrams))
        # Once for every reference: with -f A the output's own units are added up as often as it is compared.
        output_units = _count_units(encoding.output_lengths, gap, unigrams)[encoding.owner]
        reference_units = _count_units(encoding.reference_lengths, gap, unigrams)
        average = check_choice("way to join references", self.references, ("average", "best")) == "average"
        join = _sum_references if average else _take_best_recall
        values = self._compute_value(*join(hits, output_units, reference_units, encoding))
        return np.where(encoding.measurable, values, np.nan)[:, None]

    def _compute_value(self, hits: FloatArray, output_units: FloatArray, reference_units: FloatArray) -> FloatArray:
        """Return the value; proportions of zero are 0, as in the script."""
        statistic = check_choice("statistic", self.statistic, ("f", "recall", "precision"))
        # The balanced F of hits/said and hits/wanted is twice the hits over all units.
        upper, lower = {
            "f": (2 * hits, output_units + reference_units),
            "recall": (hits, reference_units),
            "precision": (hits, output_units),
        }[statistic]
        shares: FloatArray = np.divide(upper, lower, out=np.zeros(len(hits)), where=lower > 0)
        return shares


@dataclass(eq=False, repr=False)
class Rouge2(_Rouge):
    """ROUGE-2: shared bigrams, clipped.

    Recall is shared / reference bigrams, precision shared / output bigrams, F their harmonic mean.

    `statistic` "f" (default, balanced), "recall" or "precision". `references`: "average" (default, option -f A) adds up shared and all pairs over the
    references of an item; "best" (-f B) takes the reference with the highest recall. The value of a corpus is the mean over items. No stemming is
    done. `tokens` "rouge-1.5.5" (default) splits words as the script does, which knows ASCII letters and digits only and drops all marks: "unicode" keeps
    words of other scripts whole. Range 0 to 1, higher is better. Source: Lin 2004. Empty case: a text of fewer than two words has no pairs and
    scores 0, even against itself, as in ROUGE-1.5.5; no text or no reference is not counted.
    """

    name = "string/rouge-2"

    statistic: str = "f"
    references: str = "average"
    case: str = "lower"
    tokens: str = "rouge-1.5.5"


@dataclass(eq=False, repr=False)
class RougeSU4(_Rouge):
    """ROUGE-SU4: shared skip-bigrams with at most four words between, and shared unigrams.

    Recall, precision and F as in `Rouge2`.

    `variant` "1.5.5" (default) never counts the last word of a text as a single word, as the official script; "textbook" counts all of them
    (Lin 2004). `statistic`, `references` and the absence of stemming as in `Rouge2`. Range 0 to 1, higher is better. Empty case: a text
    without units (no words; with "1.5.5" also one word) scores 0; no text or no reference is not counted.
    """

    name = "string/rouge-su4"
    gap = 4

    variant: str = "1.5.5"
    statistic: str = "f"
    references: str = "average"
    case: str = "lower"
    tokens: str = "rouge-1.5.5"

    def _choose_unigrams(self) -> int:
        """Return the rule for counting single words of the chosen variant."""
        return UNIGRAMS[check_choice("variant of ROUGE-SU4", self.variant, ("1.5.5", "textbook"))]


def _count_units(lengths: Places, gap: int, unigrams: int) -> Places:
    """Return the number of word pairs and single words in texts of these lengths."""
    pairs: Places = np.maximum(0, lengths[:, None] - np.arange(1, gap + 2)).sum(axis=1)
    singles = np.maximum(0, lengths - (unigrams == UNIGRAMS["1.5.5"])) if unigrams else 0
    return pairs + singles


def _sum_references(
    hits: Places, output_units: Places, reference_units: Places, encoding: Encoding
) -> list[FloatArray]:
    """Return the counts summed over the references of each item."""
    return [
        np.bincount(encoding.owner, part, encoding.items).astype(float)
        for part in (hits, output_units, reference_units)
    ]


def _take_best_recall(
    hits: Places, output_units: Places, reference_units: Places, encoding: Encoding
) -> list[FloatArray]:
    """Return the counts of the reference with the highest recall, for each item."""
    recall = hits / np.maximum(1, reference_units)
    preferred = np.lexsort((-recall, encoding.owner))
    some = np.flatnonzero(np.diff(encoding.first))
    chosen = preferred[encoding.first[some] - encoding.items]
    parts = []
    for part in (hits, output_units, reference_units):
        picked = np.zeros(encoding.items)
        picked[some] = part[chosen]
        parts.append(picked)
    return parts


def _count_shared_pairs(encoding: Encoding, gap: int, unigrams: int) -> Places:
    """Return, for every reference, the number of units that it shares with its output."""
    kernels = load_kernels(encoding.texts)
    if kernels is not None:
        hits: Places = kernels.count_shared_pairs(
            encoding.ids, encoding.starts, encoding.first, encoding.items, gap, unigrams
        )
        return hits
    output_units = [_count_text_units(encoding.text(output), gap, unigrams) for output in range(encoding.items)]
    pairs = enumerate(encoding.owner.tolist(), start=encoding.items)
    shared = [
        (output_units[output] & _count_text_units(encoding.text(text), gap, unigrams)).total() for text, output in pairs
    ]
    return np.array(shared, dtype=np.int64)


def _count_text_units(words: list[int], gap: int, unigrams: int) -> Counter[tuple[int, ...]]:
    """Count the word pairs and single words of one text."""
    singles = words[: len(words) - (unigrams == UNIGRAMS["1.5.5"])] if unigrams and words else []
    units: Counter[tuple[int, ...]] = Counter((word,) for word in singles)
    for i, word in enumerate(words):
        units.update((word, later) for later in words[i + 1 : i + gap + 2])
    return units
