"""Claims about printed numbers without recomputation: ranges, whole counts behind shares, and the order of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, isinf
from typing import Self

from referee.auditing.claims import AuditRow, AuditVerdict, Change, PrintedClaim
from referee.auditing.printed import Number


@dataclass(frozen=True, kw_only=True)
class _OneNumber(PrintedClaim):
    """A claim about one printed number by itself."""

    printed: Number

    @property
    def cells(self) -> tuple[Number, ...]:
        return (self.printed,)

    @property
    def target(self) -> Number | None:
        return self.printed

    def changed(self, change: Change) -> Self:
        return replace(self, printed=change(self.printed))


@dataclass(frozen=True, kw_only=True)
class RangeClaim(_OneNumber):
    """A measure that cannot leave its range; `low_of` and `high_of` are the printed numbers that bound it, if any do."""

    low: float
    high: float
    low_of: tuple[Number, ...] = ()
    high_of: tuple[Number, ...] = ()

    @property
    def cells(self) -> tuple[Number, ...]:
        return (self.printed, *dict.fromkeys((*self.low_of, *self.high_of)))

    def changed(self, change: Change) -> Self:
        low_of, high_of = tuple(map(change, self.low_of)), tuple(map(change, self.high_of))
        return replace(self, printed=change(self.printed), low_of=low_of, high_of=high_of)

    def judge(self) -> AuditRow:
        """Compare the printed number with the range."""
        half = self.printed.half
        lowest = min((n.low - half for n in self.low_of), default=self.low)
        highest = max((n.high + half for n in self.high_of), default=self.high)
        inside = lowest <= self.printed.value <= highest
        low, high = (None if isinf(v) else v for v in (lowest, highest))
        verdict = AuditVerdict.FOLLOWS if inside else AuditVerdict.DOES_NOT_FOLLOW
        return self.row(verdict, printed=self.printed.value, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class CountClaim(_OneNumber):
    """A share that must be a whole count out of n items, for one of the possible n."""

    sizes: tuple[int, ...]
    scale: float

    def judge(self) -> AuditRow:
        """Compare the printed share with the nearest whole count."""
        shares = [(abs(s - self.printed.value), s, k, n) for n in self.sizes for k, s in self._list_counts_around(n)]
        distance, share, k, n = min(shares)
        slack = 1e-9 * self.scale
        verdict = AuditVerdict.FOLLOWS if distance <= self.printed.half + slack else AuditVerdict.DOES_NOT_FOLLOW
        return self.row(verdict, f"{self.because}; nearest is {k} of {n}", printed=self.printed.value, recomputed=share)

    def between(self, low: float, high: float) -> list[float]:
        """Return the possible proportions between two bounds."""
        return [
            self.scale * k / n
            for n in self.sizes
            for k in range(max(0, ceil(low * n / self.scale)), min(n, floor(high * n / self.scale)) + 1)
        ]

    def _list_counts_around(self, n: int) -> list[tuple[int, float]]:
        """Return the whole counts around a share, with their shares."""
        below = floor(self.printed.value * n / self.scale)
        # A share above 1 has no neighbours; all of the items is the nearest.
        return [(k, self.scale * k / n) for k in (below, below + 1) if 0 <= k <= n] or [(n, self.scale)]


@dataclass(frozen=True, kw_only=True)
class OrderClaim(PrintedClaim):
    """Rows that are printed in the order of a column."""

    numbers: tuple[Number, ...]
    rising: bool

    @property
    def cells(self) -> tuple[Number, ...]:
        return self.numbers

    def changed(self, change: Change) -> Self:
        return replace(self, numbers=tuple(map(change, self.numbers)))

    def judge(self) -> AuditRow:
        """Check the order of the printed numbers."""
        way = "low to high" if self.rising else "high to low"
        wrong = [(a, b) for a, b in zip(self.numbers, self.numbers[1:], strict=False) if self._is_inverted(a, b)]
        if not wrong:
            return self.row(AuditVerdict.FOLLOWS, printed=way, recomputed=way)
        a, b = wrong[0]
        explanation = f"{a.place.row} ({a.text}) stands before {b.place.row} ({b.text}), though the order is {way}"
        return self.row(AuditVerdict.DOES_NOT_FOLLOW, explanation, printed=way, recomputed="another order")

    def _is_inverted(self, a: Number, b: Number) -> bool:
        slack = 1e-9 * max(abs(a.value), abs(b.value))
        return a.low > b.high + slack if self.rising else a.high + slack < b.low
