"""A claim is one printed number (or letter, or star) and the other printed numbers it should follow from.

Every claim can be judged, and judged again with other numbers in its cells; that is all the detective needs to try out an explanation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from math import ceil, floor, isinf, isnan
from typing import NamedTuple, Self

import numpy as np

from referee.auditing.intervals import Compute, extremes
from referee.auditing.printed import CellPlace, Number

__all__ = [
    "TWICE",
    "AuditRow",
    "AuditVerdict",
    "BracketClaim",
    "CannotTell",
    "CountClaim",
    "OrderClaim",
    "PrintedClaim",
    "RangeClaim",
    "Remedy",
    "StarsClaim",
    "Subject",
    "Unknown",
    "ValueClaim",
]

Change = Callable[[Number], Number]
TWICE = 0.1


class AuditVerdict(StrEnum):
    """What the audit says about one printed number."""

    FOLLOWS = "follows"
    ROUNDING = "rounding"
    DOES_NOT_FOLLOW = "does-not-follow"
    UNDETERMINED = "undetermined"


class Subject(NamedTuple):
    """What a claim is about: paper and table, the item in words, and the number of the check that made it."""

    paper: str
    table: str
    item: str
    check: int

    @property
    def source(self) -> str:
        return f"{self.paper}, {self.table}"


class CannotTell(Exception):
    """The print does not determine what a check asks for; the message says what is missing."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """A cell as printed, and the bounds of what would have to stand there (one value where they agree)."""

    place: CellPlace
    printed: str
    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One line of the audit. `low` and `high` bound the values that could have been printed."""

    source: str
    item: str
    printed: float | str | None
    recomputed: float | str | None
    low: float | None
    high: float | None
    verdict: AuditVerdict
    explanation: str


@dataclass(frozen=True, kw_only=True)
class PrintedClaim:
    """What all claims have: what they are about, and why they should hold."""

    subject: Subject
    because: str

    @property
    def cells(self) -> tuple[Number, ...]:
        """The printed numbers this claim is computed from."""
        return ()

    @property
    def touches(self) -> tuple[Number, ...]:
        """All printed numbers the claim is about, the one that should follow included."""
        return self.cells

    @property
    def target(self) -> Number | None:
        """The printed number that should follow; None where letters, stars or an order should."""
        return None

    @property
    def symbol(self) -> str:
        """What a recomputed number is called where it is not called what is printed (a bound on p is printed, p follows)."""
        return ""

    def remedy(self) -> Remedy | None:
        """What would have to be printed instead; None where it is no number."""
        return None

    def changed(self, change: Change) -> Self:
        """The claim as it would be with other numbers in its cells."""
        return self

    def judge(self) -> AuditRow:
        raise NotImplementedError(f"{type(self).__name__} must say how it judges")

    def fits(self) -> bool:
        """Whether nothing speaks against the claim."""
        return self.judge().verdict is not AuditVerdict.DOES_NOT_FOLLOW

    def holds(self) -> bool:
        """Whether the printed number follows, which is more than that nothing speaks against it."""
        return self.judge().verdict in (AuditVerdict.FOLLOWS, AuditVerdict.ROUNDING)

    def row(
        self,
        verdict: AuditVerdict,
        explanation: str = "",
        *,
        printed: float | str | None = None,
        recomputed: float | str | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> AuditRow:
        return AuditRow(
            source=self.subject.source,
            item=self.subject.item,
            printed=printed,
            recomputed=recomputed,
            low=low,
            high=high,
            verdict=verdict,
            explanation=explanation or self.because,
        )


@dataclass(frozen=True, kw_only=True)
class Unknown(PrintedClaim):
    """A number that the printed numbers do not determine; `because` says what is missing."""

    printed: Number | None = None

    def judge(self) -> AuditRow:
        return self.row(AuditVerdict.UNDETERMINED, printed=None if self.printed is None else self.printed.value)


@dataclass(frozen=True, kw_only=True)
class ValueClaim(PrintedClaim):
    """A printed number and the function of other printed numbers that should give it.

    `admitted` says so where the paper itself says that the numbers it is computed from are another quantity: what then
    does not follow is not called a mistake.
    """

    printed: Number
    inputs: tuple[Number, ...]
    compute: Compute
    otherwise: tuple[tuple[str, Compute], ...] = ()
    is_mean: bool = False
    admitted: str = ""

    @property
    def cells(self) -> tuple[Number, ...]:
        return self.inputs

    @property
    def touches(self) -> tuple[Number, ...]:
        return (*self.inputs, self.printed) if self.printed.text else self.inputs

    @property
    def target(self) -> Number | None:
        return self.printed if self.printed.text else None

    def remedy(self) -> Remedy | None:
        """The smallest and largest number that could have been printed."""
        if self.target is None or isnan(self.middle):
            return None
        low, high = printable(*self.reach, self.printed.half)
        if self.printed.half == 0 and self.printed.value.is_integer():
            # a count: whole numbers, after what floating point left behind is cut off
            low, high = floor(round(low, 6)), ceil(round(high, 6))
        return Remedy(self.printed.place, self.printed.text, low, high)

    @property
    def outside_its_parts(self) -> bool:
        """A mean that lies outside its parts, which is impossible whatever their weights."""
        parts = self.inputs
        inside = min(n.low for n in parts) <= self.printed.high and self.printed.low <= max(n.high for n in parts)
        return self.is_mean and not inside

    def computed_by(self, compute: Compute) -> Self:
        """The same claim under another formula (one of `otherwise`: what an author may have done instead, in words)."""
        return replace(self, compute=compute)

    def changed(self, change: Change) -> Self:
        return replace(self, printed=change(self.printed), inputs=tuple(map(change, self.inputs)))

    @cached_property
    def middle(self) -> float:
        """The value computed from the numbers as printed."""
        return float(self.compute(values_of(self.inputs)[None, :])[0])

    @cached_property
    def reach(self) -> tuple[float, float]:
        """The smallest and largest value that the rounding of the inputs allows."""
        found = self._search(starts=1)
        return found if self._within(found) else self._search(starts=4)

    def _search(self, starts: int) -> tuple[float, float]:
        halves = np.array([n.half for n in self.inputs])
        return extremes(self.compute, values_of(self.inputs), halves, starts=starts)

    def _within(self, bounds: tuple[float, float]) -> bool:
        """Whether the printed number can be one between two bounds, rounded.

        A program prints 44.975 for 44.9747, and the author makes it 44.98: rounding twice reaches a tenth of a half unit further.
        """
        slack = 1e-9 * max(1.0, abs(self.printed.value)) + TWICE * self.printed.half
        return bounds[0] - slack <= self.printed.high and self.printed.low <= bounds[1] + slack

    def judge(self) -> AuditRow:
        if isnan(self.middle):
            return self.row(
                AuditVerdict.UNDETERMINED, f"{self.because}: not defined for these numbers", printed=self.printed.value
            )
        verdict, said = self._verdict(), ""
        if self.admitted and verdict is AuditVerdict.DOES_NOT_FOLLOW:
            verdict, said = AuditVerdict.UNDETERMINED, f"{self.because}; {self.admitted}"
        low, high = printable(*self.reach, self.printed.half)
        return self.row(verdict, said, printed=self.printed.value, recomputed=self.middle, low=low, high=high)

    def _verdict(self) -> AuditVerdict:
        slack = 1e-9 * max(1.0, abs(self.printed.value))
        if abs(self.middle - self.printed.value) <= self.printed.half + slack:
            return AuditVerdict.FOLLOWS
        return AuditVerdict.ROUNDING if self._within(self.reach) else AuditVerdict.DOES_NOT_FOLLOW


@dataclass(frozen=True, kw_only=True)
class BracketClaim(ValueClaim):
    """A printed number whose inputs are admitted to be another quantity that only bounds the right one.

    It can be excluded, never confirmed; and what follows is the whole interval, so there is no remedy.
    """

    def remedy(self) -> Remedy | None:
        return None

    def judge(self) -> AuditRow:
        low, high = printable(*self.reach, self.printed.half)
        said = f"{self.because}; {self.admitted}"
        possible = self._within(self.reach)
        verdict = AuditVerdict.UNDETERMINED if possible else AuditVerdict.DOES_NOT_FOLLOW
        return self.row(verdict, said, printed=self.printed.value, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class StarsClaim(PrintedClaim):
    """The stars beside a correlation: `critical` are the smallest |r| for one star, two stars …"""

    printed: int
    r: ValueClaim
    critical: tuple[float, ...]
    at_least: bool = False

    @property
    def cells(self) -> tuple[Number, ...]:
        return self.r.cells

    def changed(self, change: Change) -> Self:
        return replace(self, r=self.r.changed(change))

    def judge(self) -> AuditRow:
        if isnan(self.r.middle):
            return self.row(
                AuditVerdict.UNDETERMINED, f"{self.because}: not defined for these numbers", printed=self.printed
            )
        low, high = self.r.reach
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        found, least, most = (self._stars(r) for r in (self.r.middle, nearest, max(abs(low), abs(high))))
        verdict = (
            AuditVerdict.FOLLOWS
            if self._agrees(found)
            else AuditVerdict.ROUNDING
            if any(self._agrees(s) for s in range(least, most + 1))
            else AuditVerdict.DOES_NOT_FOLLOW
        )
        if self.at_least and found > self.printed > 0:
            # The table's stars say "at least so significant", so the printed one is what follows, and more would be true, too.
            return self.row(
                verdict,
                f"{self.because}; stars mean at least this level here",
                printed=self.printed,
                recomputed=found,
                low=self.printed,
                high=most,
            )
        return self.row(verdict, printed=self.printed, recomputed=found, low=least, high=most)

    def _stars(self, r: float) -> int:
        return sum(abs(r) >= limit for limit in self.critical)

    def _agrees(self, stars: int) -> bool:
        return stars >= self.printed if self.at_least and self.printed else stars == self.printed


@dataclass(frozen=True, kw_only=True)
class RangeClaim(PrintedClaim):
    """A measure that cannot leave its range."""

    printed: Number
    low: float
    high: float

    @property
    def cells(self) -> tuple[Number, ...]:
        return (self.printed,)

    @property
    def target(self) -> Number | None:
        return self.printed

    def changed(self, change: Change) -> Self:
        return replace(self, printed=change(self.printed))

    def judge(self) -> AuditRow:
        inside = self.low <= self.printed.value <= self.high
        low, high = (None if isinf(v) else v for v in (self.low, self.high))
        verdict = AuditVerdict.FOLLOWS if inside else AuditVerdict.DOES_NOT_FOLLOW
        return self.row(verdict, printed=self.printed.value, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class CountClaim(PrintedClaim):
    """A share that must be a whole count out of n items, for one of the possible n."""

    printed: Number
    sizes: tuple[int, ...]
    scale: float

    @property
    def cells(self) -> tuple[Number, ...]:
        return (self.printed,)

    @property
    def target(self) -> Number | None:
        return self.printed

    def changed(self, change: Change) -> Self:
        return replace(self, printed=change(self.printed))

    def judge(self) -> AuditRow:
        shares = [(abs(s - self.printed.value), s, k, n) for n in self.sizes for k, s in self._around(n)]
        distance, share, k, n = min(shares)
        slack = 1e-9 * self.scale
        verdict = AuditVerdict.FOLLOWS if distance <= self.printed.half + slack else AuditVerdict.DOES_NOT_FOLLOW
        return self.row(verdict, f"{self.because}; nearest is {k} of {n}", printed=self.printed.value, recomputed=share)

    def between(self, low: float, high: float) -> list[float]:
        """The possible shares between two bounds."""
        return [
            self.scale * k / n
            for n in self.sizes
            for k in range(max(0, ceil(low * n / self.scale)), min(n, floor(high * n / self.scale)) + 1)
        ]

    def _around(self, n: int) -> list[tuple[int, float]]:
        below = floor(self.printed.value * n / self.scale)
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
        way = "low to high" if self.rising else "high to low"
        wrong = [(a, b) for a, b in zip(self.numbers, self.numbers[1:], strict=False) if self._inverted(a, b)]
        if not wrong:
            return self.row(AuditVerdict.FOLLOWS, printed=way, recomputed=way)
        a, b = wrong[0]
        said = f"{a.place.row} ({a.text}) stands before {b.place.row} ({b.text}), though the order is {way}"
        return self.row(AuditVerdict.DOES_NOT_FOLLOW, said, printed=way, recomputed="another order")

    def _inverted(self, a: Number, b: Number) -> bool:
        slack = 1e-9 * max(abs(a.value), abs(b.value))
        return a.low > b.high + slack if self.rising else a.high + slack < b.low


def values_of(numbers: Sequence[Number]) -> np.ndarray:
    return np.array([n.value for n in numbers], dtype=float)


def printable(low: float, high: float, half: float) -> tuple[float, float]:
    """The smallest and largest number that rounding to the printed digits can make of a value between two bounds."""
    if half == 0:
        return low, high
    unit, slack = 2 * half, 1e-9
    digits = max(0, round(-np.log10(unit)))
    reach = half * (1 + TWICE)
    first, last = ceil((low - reach) / unit - slack), floor((high + reach) / unit + slack)
    return round(first * unit, digits), round(last * unit, digits)
