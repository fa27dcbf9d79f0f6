"""The base of metrics: rows of additive statistics, then one final step (after sacrebleu).

Subclasses define `name`, `range`, `direction`, `needs`, and implement `statistics(batch)`; those that are not plain
averages also implement `finish`.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.records import Description, Score, Trial
from referee.signature import signature


class Measure:
    """A metric whose value is the mean of its per-item statistic, unless `finish` is overridden."""

    name: str
    range: tuple[float | None, float | None] = (0.0, 1.0)
    direction: str = "higher"
    needs: str = "properties"
    width: ClassVar[int] = 1

    def statistics(self, batch: Batch) -> FloatArray:
        """Return one row per item, shape (n, width); NaN rows for items that cannot be measured."""
        raise NotImplementedError(f"the class {type(self).__name__} must define statistics(batch)")

    def finish(self, totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return the mean of the first column; NaN, not 0, without counted items."""
        totals, counts = np.asarray(totals, dtype=float), np.asarray(counts, dtype=float)
        values: FloatArray = np.divide(totals[..., 0], counts, out=np.full(counts.shape, np.nan), where=counts > 0)
        return values

    def measure(self, description: Description, trial: Trial) -> FloatArray:
        """Return the statistics of a single item."""
        row: FloatArray = self.statistics(Batch.of([description], [trial]))[0]
        return row

    def combine(self, rows: FloatArray) -> Score:
        """Combine the rows of many items into one score with signature; rows of NaN are not counted."""
        rows = np.asarray(rows, dtype=float).reshape(-1, self.width)
        counted = rows[~np.isnan(rows).any(axis=1)]
        n = len(counted)
        value = float(self.finish(counted.sum(axis=0), np.asarray(float(n)))) if n else None
        return Score(value=value, n=n, signature=signature(self.name, self))

    def score(self, batch: Batch) -> Score:
        """Measure and combine in one step."""
        return self.combine(self.statistics(batch))
