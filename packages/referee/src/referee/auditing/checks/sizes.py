"""The numbers of observations behind means: stated, or solved from a mean over all and the means of its parts.

Papers rarely print cell counts after timeouts; but a mean over two parts, printed to three decimals, leaves only one
pair of whole counts, unless the parts have the same count.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection
from referee.auditing.printed import Number
from referee.contracts import FloatArray


def make_weighted_mean(weights: Sequence[float]) -> Compute:
    """Return a weighted mean as a function of points."""
    share = np.asarray(weights, dtype=float) / sum(weights)

    def compute(points: FloatArray) -> FloatArray:
        return points @ share

    return compute


class Sizes:
    """The counts of a check: `n = [56, 56]`, or `n = [60, 60]` of which up to `missing` may be lacking in each part."""

    def __init__(self, section: CheckSection, parts: int) -> None:
        n = section.get("n", None, (int, list))
        self.full = None if n is None else tuple([n] * parts if isinstance(n, int) else n)
        self.missing = section.get("missing", 0, int)
        if self.full is None:
            return
        if len(self.full) != parts:
            raise section.make_mistake(
                f"n = {n} for {parts} columns", "give one count per column, or one number for all"
            )
        if not all(type(size) is int and size > max(self.missing, 0) for size in self.full) or self.missing < 0:
            raise section.make_mistake(f"n = {n}, missing = {self.missing}", "counts are whole numbers above `missing`")

    def of(self, parts: Sequence[Number], whole: Number | None) -> tuple[int, ...] | None:
        """Return counts that give the printed whole, with as few missing as possible.

        The full ones if none fit.
        """
        if self.full is None:
            return None
        if whole is None or not self.missing:
            return self.full
        # Eleven trials of TUNA 2008 timed out, and no table says in which cells.
        candidates = product(*(range(n, n - self.missing - 1, -1) for n in self.full))
        fitting = [n for n in candidates if self.match_whole(n, parts, whole)]
        return max(fitting, key=sum, default=self.full)

    def make_mean(self, whole: Number, parts: Sequence[Number]) -> Compute:
        """Return the mean over all with the counts that its printed value implies."""
        return make_weighted_mean(self.of(parts, whole) or ())

    @staticmethod
    def match_whole(n: tuple[int, ...], parts: Sequence[Number], whole: Number) -> bool:
        """Return whether counts of the parts give the printed whole within rounding."""
        total = sum(n)
        mean = sum(k * p.value for k, p in zip(n, parts, strict=True)) / total
        reach = sum(k * p.half for k, p in zip(n, parts, strict=True)) / total + whole.half
        return abs(mean - whole.value) <= reach * (1 + 1e-9)
