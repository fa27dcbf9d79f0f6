"""All claims of a paper with the cells they touch: the claims that a change of cells would repair or break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from referee.auditing.claims import PrintedClaim, Remedy
from referee.auditing.printed import CellPlace, Number
from referee.auditing.value_claims import StarsClaim, ValueClaim

Move = Mapping[CellPlace, Number]


class PrintedCase:
    """All claims of a paper, which of them fail, and which cells they touch."""

    def __init__(self, claims: Sequence[PrintedClaim], failed: Sequence[int]) -> None:
        self.claims, self.failed = claims, set(failed)
        self.touching: dict[CellPlace, list[int]] = {}
        self.numbers: dict[CellPlace, Number] = {}
        for i, claim in enumerate(claims):
            for number in claim.touches:
                self.touching.setdefault(number.place, []).append(i)
                self.numbers.setdefault(number.place, number)

    def counted(self, index: int) -> bool:
        """Return whether a claim counts; stars only repeat their correlation."""
        return not isinstance(self.claims[index], StarsClaim)

    def independent(self, indices: Sequence[int]) -> int:
        """How many different things the claims say: the same computation printed twice counts once."""
        claims = [(i, self.claims[i]) for i in indices if self.counted(i)]
        return len({frozenset(n.place for n in c.inputs) if isinstance(c, ValueClaim) else i for i, c in claims})

    def touched(self, places: Sequence[CellPlace]) -> set[int]:
        return {i for place in places for i in self.touching.get(place, ())}

    def fixed_by(self, move: Move) -> tuple[int, ...]:
        """Return the failures that a change of cells repairs.

        Empty if another touched failure remains or another claim breaks.
        """
        touched = self.touched(list(move))
        failures = sorted(touched & self.failed)
        if self.independent(failures) < 2:
            return ()
        changed = {i: self.claims[i].changed(lambda n: moved(n, move)) for i in failures}
        if not all(_roughly(changed[i], self.claims[i]) for i in failures if self.counted(i)):
            return ()
        fixed = tuple(i for i in failures if changed[i].fits())
        if any(self.counted(i) and i not in fixed for i in failures):
            return ()
        rest = touched - self.failed
        return fixed if all(self.claims[i].changed(lambda n: moved(n, move)).fits() for i in rest) else ()

    def suspicious_columns(self) -> dict[str, list[str]]:
        """Columns, by table, whose cells take part in a failure, in the order they are met."""
        columns_by_table: dict[str, dict[str, None]] = {}
        for place, users in self.touching.items():
            if any(i in self.failed and self.counted(i) for i in users):
                columns_by_table.setdefault(place.table, {})[place.column] = None
        return {table: list(columns) for table, columns in columns_by_table.items()}

    def column(self, table: str, column: str) -> dict[str, Number]:
        return {p.row: n for p, n in self.numbers.items() if p.table == table and p.column == column}

    def broken_by(self, remedies: Iterable[Remedy]) -> list[int]:
        """Return the claims that hold as printed and would not hold afterwards.

        A remedy includes all values between its bounds, so a claim is broken only if no value allows it.
        """
        move = self._move(remedies)
        holding = sorted(self.touched(list(move)) - self.failed)
        return [i for i in holding if not self.claims[i].changed(lambda n: moved(n, move)).fits()]

    def after(self, index: int, remedies: Iterable[Remedy]) -> Remedy | None:
        """Return the correct value for a claim after other cells are corrected."""
        move = self._move(remedies)
        return self.claims[index].changed(lambda n: moved(n, move)).remedy()

    def _move(self, remedies: Iterable[Remedy]) -> Move:
        corrected = [(self.numbers[r.place], r) for r in remedies if r.place in self.numbers]
        return {n.place: n.became(r.middle, (r.high - r.low) / 2) for n, r in corrected}


def moved(number: Number, move: Move) -> Number:
    """A number as it is after a change of cells."""
    other = move.get(number.place)
    return number if other is None else number.became(other.value, other.half)


def _roughly(changed: PrintedClaim, before: PrintedClaim) -> bool:
    """A quick look before the interval is searched: the rounding of the inputs reaches about as far as it did before."""
    if not (isinstance(changed, ValueClaim) and isinstance(before, ValueClaim)):
        return True
    low, high = before.reach
    return abs(changed.middle - changed.printed.value) <= 2 * (high - low) + 2 * changed.printed.half
