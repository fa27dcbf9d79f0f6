"""A metric: rows of numbers for a batch of items, NaN where there is nothing to measure."""

from __future__ import annotations

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.metrics.measure import Measure


class Overlap(Measure):
    """Share of what was said that a reference says too; values of the attributes named in `without` do not count.

    Every switch is a parameter of the constructor kept under its own name: so it is in the signature, and can be set by ``fruit/overlap|without:type``.
    """

    name = "fruit/overlap"
    range = (0.0, 1.0)
    direction = "higher"
    needs = "properties"

    def __init__(self, without: str = "") -> None:
        self.without = without

    def statistics(self, batch: Batch) -> FloatArray:
        rows = np.full((len(batch), 1), np.nan)
        for i, (output, references) in enumerate(zip(batch.outputs, batch.references, strict=True)):
            said = {p for p in (output.properties if output else None) or () if p.name != self.without}
            if said and references:
                rows[i] = np.mean([len(said & set(r.properties or ())) / len(said) for r in references])
        return rows
