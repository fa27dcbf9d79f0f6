"""ROUGE-L: the longest common subsequence of words (Lin 2004), joined over references as the caption scorers do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure
from referee.metrics.tokens import encode


@dataclass(eq=False, repr=False)
class RougeL(Measure):
    """ROUGE-L: (1 + β²)·P·R / (R + β²·P) of the longest common subsequence.

    P and R divide its length by the words of the output and of the reference, each the best over references.

    `beta` is 1.2 (pycocoevalcap). Range 0 to 1, higher is better. Source: Lin 2004. Empty case: outputs without words score 0; no text or no reference is not
    counted.
    """

    name = "string/rouge-l"
    needs = "text"

    beta: float = 1.2
    case: str = "lower"
    tokens: str = "mteval"

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the value of each item."""
        from rapidfuzz.distance import LCSseq

        encoding = encode(batch, self.case, self.tokens)
        texts = [encoding.text(t) for t in range(len(encoding.starts) - 1)]
        precision, recall = np.zeros(encoding.items), np.zeros(encoding.items)
        for place, owner in enumerate(encoding.owner.tolist(), start=encoding.items):
            output_words, reference_words = texts[owner], texts[place]
            if output_words and reference_words:
                shared = LCSseq.similarity(output_words, reference_words)
                precision[owner] = max(precision[owner], shared / len(output_words))
                recall[owner] = max(recall[owner], shared / len(reference_words))
        squared = self.beta**2
        below = recall + squared * precision
        values = np.divide((1 + squared) * precision * recall, below, out=np.zeros(len(below)), where=below > 0)
        return np.where(encoding.measurable, values, np.nan)[:, None]
