"""Claims that a function of printed numbers gives another.

The value itself, bounds of it, or the stars that depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, floor, isnan
from typing import Self

import numpy as np

from referee.auditing.claims import AuditRow, AuditVerdict, Change, PrintedClaim, Remedy
from referee.auditing.intervals import Compute, find_extremes
from referee.auditing.printed import CellPlace, Number

# how much further than half a unit a number reaches that was rounded twice
TWICE = 0.1


@dataclass(frozen=True, kw_only=True)
class ValueClaim(PrintedClaim):
    """A printed number and the function of other printed numbers that should give it.

    `admitted` is the paper's own statement that the inputs are another quantity; a failure is then no mistake. `adapt`
    makes the function from the numbers where they decide about counts as well.
    """

    printed: Number
    inputs: tuple[Number, ...]
    compute: Compute
    otherwise: tuple[tuple[str, Compute], ...] = ()
    is_mean: bool = False
    admitted: str = ""
    adapt: Callable[[Number, tuple[Number, ...]], Compute] | None = None

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
        """Return the smallest and largest number that could have been printed."""
        if self.target is None or isnan(self.middle):
            return None
        low, high = find_printable_range(*self.reach, self.printed.half)
        if self.printed.half == 0 and self.printed.value.is_integer():
            # a count: whole numbers, without floating-point residue
            low, high = floor(round(low, 6)), ceil(round(high, 6))
        return Remedy(self.printed.place, self.printed.text, low, high)

    @property
    def outside_its_parts(self) -> bool:
        """Return whether a mean lies outside the range of its parts, which is impossible for any weights."""
        parts = self.inputs
        if not self.is_mean or not parts:
            return False
        inside = min(n.low for n in parts) <= self.printed.high and self.printed.low <= max(n.high for n in parts)
        return not inside

    def with_formula(self, compute: Compute) -> Self:
        """Return the claim under another formula (one of `otherwise`: what an author may have done instead, in words)."""
        return replace(self, compute=compute)

    def changed(self, change: Change) -> Self:
        printed, inputs = change(self.printed), tuple(map(change, self.inputs))
        compute = self.adapt(printed, inputs) if self.adapt else self.compute
        return replace(self, printed=printed, inputs=inputs, compute=compute)

    @cached_property
    def middle(self) -> float:
        """The value computed from the numbers as printed."""
        return float(self.compute(list_values(self.inputs)[None, :])[0])

    @cached_property
    def reach(self) -> tuple[float, float]:
        """The smallest and largest value that the rounding of the inputs allows."""
        bounds = self._find_extremes(starts=1)
        # One start is enough for nearly all; only failures are searched more thoroughly.
        return bounds if self._is_within(bounds) else self._find_extremes(starts=4)

    def _find_extremes(self, starts: int) -> tuple[float, float]:
        """Return the extremes of the value over all numbers that round to the printed ones."""
        halves = np.array([n.half for n in self.inputs])
        return find_extremes(self.compute, list_values(self.inputs), halves, starts=starts)

    def _is_within(self, bounds: tuple[float, float]) -> bool:
        """Return whether the printed number can lie between two bounds, rounded.

        A program prints 44.975 for 44.9747, and the author makes it 44.98: rounding twice reaches a tenth of a half unit further.
        """
        slack = 1e-9 * max(1.0, abs(self.printed.value)) + TWICE * self.printed.half
        return bounds[0] - slack <= self.printed.high and self.printed.low <= bounds[1] + slack

    def judge(self) -> AuditRow:
        """Compare the printed number with the recomputed range."""
        if isnan(self.middle):
            return self.row(
                AuditVerdict.UNDETERMINED, f"{self.because}: not defined for these numbers", printed=self.printed.value
            )
        verdict, explanation = self._judge_claim(), ""
        if self.admitted and verdict is AuditVerdict.DOES_NOT_FOLLOW:
            verdict, explanation = AuditVerdict.UNDETERMINED, f"{self.because}; {self.admitted}"
        low, high = find_printable_range(*self.reach, self.printed.half)
        return self.row(verdict, explanation, printed=self.printed.value, recomputed=self.middle, low=low, high=high)

    def fits(self) -> bool:
        # As `judge`, without the bounds that only a row needs.
        return isnan(self.middle) or bool(self.admitted) or self._judge_claim() is not AuditVerdict.DOES_NOT_FOLLOW

    def _judge_claim(self) -> AuditVerdict:
        """Return the verdict: follows, within rounding, or does not follow."""
        slack = 1e-9 * max(1.0, abs(self.printed.value))
        if abs(self.middle - self.printed.value) <= self.printed.half + slack:
            return AuditVerdict.FOLLOWS
        return AuditVerdict.ROUNDING if self._is_within(self.reach) else AuditVerdict.DOES_NOT_FOLLOW


@dataclass(frozen=True, kw_only=True)
class BracketClaim(ValueClaim):
    """A printed number whose inputs are admitted to be another quantity that only bounds the right one.

    It can be excluded but not confirmed; the result is the whole interval, so there is no remedy.
    """

    def remedy(self) -> Remedy | None:
        return None

    def fits(self) -> bool:
        return self._is_within((self.middle, self.middle)) or self._is_within(self.reach)

    def judge(self) -> AuditRow:
        """Compare the printed number with the bounds."""
        low, high = find_printable_range(*self.reach, self.printed.half)
        explanation = f"{self.because}; {self.admitted}"
        possible = self._is_within(self.reach)
        verdict = AuditVerdict.UNDETERMINED if possible else AuditVerdict.DOES_NOT_FOLLOW
        return self.row(verdict, explanation, printed=self.printed.value, low=low, high=high)


@dataclass(frozen=True, kw_only=True)
class StarsClaim(PrintedClaim):
    """The stars beside a correlation: `critical` are the smallest |r| for one star, two stars …"""

    printed: int
    r: ValueClaim
    critical: tuple[float, ...]
    at_least: bool = False
    place: CellPlace | None = None

    @property
    def text_place(self) -> CellPlace | None:
        return self.place

    @property
    def cells(self) -> tuple[Number, ...]:
        return self.r.cells

    def changed(self, change: Change) -> Self:
        return replace(self, r=self.r.changed(change))

    def judge(self) -> AuditRow:
        """Compare the printed stars with those that r allows."""
        if isnan(self.r.middle):
            return self.row(
                AuditVerdict.UNDETERMINED, f"{self.because}: not defined for these numbers", printed=self.printed
            )
        low, high = self.r.reach
        # An interval across 0 holds an r without any star.
        nearest = 0.0 if low <= 0 <= high else min(abs(low), abs(high))
        stars, least, most = (self._format_stars(r) for r in (self.r.middle, nearest, max(abs(low), abs(high))))
        verdict = (
            AuditVerdict.FOLLOWS
            if self._is_consistent(stars)
            else AuditVerdict.ROUNDING
            if any(self._is_consistent(s) for s in range(least, most + 1))
            else AuditVerdict.DOES_NOT_FOLLOW
        )
        if self.at_least and stars > self.printed > 0:
            # The table's stars mean "at least this significant", so the printed ones follow, and more would be true as
            # well.
            return self.row(
                verdict,
                f"{self.because}; here the stars indicate at least this level",
                printed=self.printed,
                recomputed=stars,
                low=self.printed,
                high=most,
            )
        return self.row(verdict, printed=self.printed, recomputed=stars, low=least, high=most)

    @property
    def fits_printed(self) -> bool:
        """Whether the stars are those of the correlation as printed, if that can be a correlation."""
        r = self.r.printed.value
        return abs(r) > 1 or self._is_consistent(self._format_stars(r))

    def _format_stars(self, r: float) -> int:
        return sum(abs(r) >= limit for limit in self.critical)

    def _is_consistent(self, stars: int) -> bool:
        return stars >= self.printed if self.at_least and self.printed else stars == self.printed


def list_values(numbers: Sequence[Number]) -> np.ndarray:
    return np.array([n.value for n in numbers], dtype=float)


def find_printable_range(low: float, high: float, half: float) -> tuple[float, float]:
    """Return the smallest and largest number that rounding to the printed digits can make of a value within bounds."""
    if half == 0:
        return low, high
    unit, slack = 2 * half, 1e-9
    digits = max(0, round(-np.log10(unit)))
    reach = half * (1 + TWICE)
    first, last = ceil((low - reach) / unit - slack), floor((high + reach) / unit + slack)
    return round(first * unit, digits), round(last * unit, digits)
