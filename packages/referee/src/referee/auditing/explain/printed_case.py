"""All claims of a paper with the cells they touch: the claims that a change of cells would repair or break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from math import isnan

from referee.auditing.claims import PrintedClaim, Remedy
from referee.auditing.printed import CellPlace, Number
from referee.auditing.value_claims import BracketClaim, StarsClaim, ValueClaim

Move = Mapping[CellPlace, Number]


class PrintedCase:
    """All claims of a paper, which cells they touch, which of them fail, and which failures are already explained."""

    def __init__(self, claims: Sequence[PrintedClaim], failed: Iterable[int]) -> None:
        self.claims, self.failed = list(claims), set(failed)
        self.explained: set[int] = set()
        self.touching: dict[CellPlace, list[int]] = {}
        self.numbers: dict[CellPlace, Number] = {}
        # Where a number is printed that was moved to another cell.
        self.printed_places: dict[CellPlace, CellPlace] = {}
        for i, claim in enumerate(claims):
            for number in claim.touches:
                self.touching.setdefault(number.place, []).append(i)
                self.numbers.setdefault(number.place, number)

    def counted(self, index: int) -> bool:
        """Return whether a claim counts; stars only repeat their correlation."""
        return not isinstance(self.claims[index], StarsClaim)

    def count_independent_claims(self, indices: Sequence[int]) -> int:
        """Return the number of different claims; the same computation printed twice counts once."""
        claims = [(i, self.claims[i]) for i in indices if self.counted(i)]
        return len(
            {(frozenset(n.place for n in c.inputs), c.middle) if isinstance(c, ValueClaim) else i for i, c in claims}
        )

    def touched(self, places: Iterable[CellPlace]) -> set[int]:
        return {i for place in places for i in self.touching.get(place, ())}

    def set_aside(self, indices: Iterable[int]) -> None:
        """Take failures from those to be explained; no correction needs to repair them any more."""
        self.explained |= self.failed & set(indices)
        self.failed -= self.explained

    def correct(self, move: Move) -> None:
        """Put corrected numbers into all claims."""
        for i in self.touched(move):
            self.claims[i] = self.claims[i].changed(lambda n: change_number(n, move))
        self.numbers |= {place: change_number(self.numbers[place], move) for place in move}
        self.printed_places |= {p: self.printed_places.get(n.place, n.place) for p, n in move.items()}

    def is_common(self, index: int) -> bool:
        """Return whether most of the numbers that one check expects in a column, from their own rows, fail: no single
        cell is the reason.
        """
        key = _find_claim_column(self.claims[index])
        alike = self._claims_by_column.get(key, []) if key else []
        failures = sum(i in self.failed or i in self.explained for i in alike)
        return failures > 2 and 2 * failures > len(alike)

    def needs_repair(self, index: int) -> bool:
        """Return whether a correction of a cell must repair a failure that it touches (bounds exclude too little)."""
        return self.counted(index) and not isinstance(self.claims[index], BracketClaim) and not self.is_common(index)

    @cached_property
    def _claims_by_column(self) -> dict[tuple[int, str, str], list[int]]:
        """The claims of each check by the column of the number that should follow."""
        claims_by_column: dict[tuple[int, str, str], list[int]] = {}
        for i, claim in enumerate(self.claims):
            if key := _find_claim_column(claim):
                claims_by_column.setdefault(key, []).append(i)
        return claims_by_column

    def find_repaired_failures(self, move: Move, required: Sequence[int], share_left: float = 0.0) -> tuple[int, ...]:
        """Return the failures that a change of cells repairs.

        Empty if a required failure remains or another claim breaks. `share_left` of the required failures may have a
        second reason and remain.
        """
        touched = self.touched(move)
        change = partial(change_number, move=move)
        left, most_left, fixed = 0, int(share_left * len(required)), []
        # Values are judged faster than letters, and what is required decides first.
        for i in sorted(touched & self.failed, key=lambda i: (i not in required, _is_slow(self.claims[i]), i)):
            changed = self.claims[i].changed(change)
            # One cell may change the reach of rounding by far, and is tried only with values that are near.
            may_fit = i not in required or len(move) == 1 or _may_repair(changed, self.claims[i])
            if may_fit and changed.fits():
                fixed.append(i)
            elif i in required and (left := left + 1) > most_left:
                return ()
        rest = [c for i in touched - self.failed - self.explained if _must_hold(c := self.claims[i])]
        return tuple(sorted(fixed)) if all(c.changed(change).fits() for c in sorted(rest, key=_is_slow)) else ()

    def list_suspicious_columns(self) -> dict[str, list[str]]:
        """Return columns, by table, whose cells take part in a failure, in the order they are met."""
        columns_by_table: dict[str, dict[str, None]] = {}
        for place, users in self.touching.items():
            if any(i in self.failed and self.counted(i) for i in users):
                columns_by_table.setdefault(place.table, {})[place.column] = None
        return {table: list(columns) for table, columns in columns_by_table.items()}

    def column(self, table: str, column: str) -> dict[str, Number]:
        return {p.row: n for p, n in self.numbers.items() if p.table == table and p.column == column}

    def find_broken_claims(self, remedies: Iterable[Remedy]) -> list[int]:
        """Return the claims that hold as printed and would not hold afterwards.

        A remedy includes all values between its bounds, so a claim is broken only if no value allows it.
        """
        move = self._move(remedies)
        holding = sorted(self.touched(move) - self.failed - self.explained)
        return [i for i in holding if not self.claims[i].changed(lambda n: change_number(n, move)).fits()]

    def after(self, index: int, remedies: Iterable[Remedy]) -> Remedy | None:
        """Return the correct value for a claim after other cells are corrected."""
        move = self._move(remedies)
        return self.claims[index].changed(lambda n: change_number(n, move)).remedy()

    def _move(self, remedies: Iterable[Remedy]) -> Move:
        """Return the numbers that remedies replace, at the middle of each remedy's range."""
        corrected = [(self.numbers[r.place], r) for r in remedies if r.place in self.numbers]
        return {n.place: n.replace_value(r.middle, (r.high - r.low) / 2) for n, r in corrected}


def _find_claim_column(claim: PrintedClaim) -> tuple[int, str, str] | None:
    """Return the check of a claim and the column of the number that should follow from its own row; otherwise None."""
    target = claim.target
    if target is None or any(
        (n.place.table, n.place.row) != (target.place.table, target.place.row) for n in claim.cells
    ):
        return None
    return claim.subject.check, target.place.table, target.place.column


def change_number(number: Number, move: Move) -> Number:
    """Return a number as it is after a change of cells."""
    other = move.get(number.place)
    return number if other is None else replace(number, text=other.text, value=other.value, half=other.half)


def _must_hold(claim: PrintedClaim) -> bool:
    """Return whether a claim that follows counts against a change that breaks it."""
    if isinstance(claim, StarsClaim):
        # Beside a correlation that fails they follow by chance.
        return claim.r.target is None or claim.r.fits()
    # What is not defined as printed holds nothing; bounds that averages set exclude little and take long.
    return not isinstance(claim, BracketClaim) and not (isinstance(claim, ValueClaim) and isnan(claim.middle))


def _is_slow(claim: PrintedClaim) -> bool:
    """Return whether a claim takes longer to judge than one on a value, as letters do."""
    return not isinstance(claim, ValueClaim)


def _may_repair(changed: PrintedClaim, before: PrintedClaim) -> bool:
    """Return whether a change can repair a claim, judged quickly by the rounding of its inputs as printed."""
    if not (isinstance(changed, ValueClaim) and isinstance(before, ValueClaim)):
        return True
    low, high = before.reach
    return abs(changed.middle - changed.printed.value) <= 2 * (high - low) + 2 * changed.printed.half
