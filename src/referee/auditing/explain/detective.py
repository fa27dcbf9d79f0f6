"""Why something does not follow: simple mistakes that would explain several failures at once, tried out one by one.

Tried are two columns exchanged, three neighbouring columns rotated, a column shifted by a row, two rows exchanged within a column, and one wrong
cell (which is solved for). A mistake counts as an explanation when every failed claim it touches then follows, at least two of them, and no
other claim breaks. Nothing is known here about any particular paper.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.auditing.claims import Claim, CountClaim, StarsClaim, ValueClaim
from referee.auditing.explain.one_cell import Solution, solve_cell
from referee.auditing.printed import Number, Place

__all__ = ["Explanation", "explain"]


@dataclass(frozen=True)
class Explanation:
    """A mistake in one sentence, and the claims (by position) that it explains."""

    sentence: str
    claims: tuple[int, ...]


Move = Mapping[Place, Number]


class _Case:
    """All claims of a paper, which of them fail, and which cells they touch."""

    def __init__(self, claims: Sequence[Claim], failed: Sequence[int]) -> None:
        self.claims, self.failed = claims, set(failed)
        self.touching: dict[Place, list[int]] = {}
        self.numbers: dict[Place, Number] = {}
        for i, claim in enumerate(claims):
            for number in claim.touches:
                self.touching.setdefault(number.place, []).append(i)
                self.numbers.setdefault(number.place, number)

    def counted(self, index: int) -> bool:
        """Stars only repeat what their correlation says."""
        return not isinstance(self.claims[index], StarsClaim)

    def independent(self, indices: Sequence[int]) -> int:
        """How many different things the claims say: the same computation printed twice counts once."""
        claims = [(i, self.claims[i]) for i in indices if self.counted(i)]
        return len({frozenset(n.place for n in c.inputs) if isinstance(c, ValueClaim) else i for i, c in claims})

    def touched(self, places: Sequence[Place]) -> set[int]:
        return {i for place in places for i in self.touching.get(place, ())}

    def fixed_by(self, move: Move) -> tuple[int, ...]:
        """The failures that a change of cells repairs, or nothing if one of those it touches stays or another claim breaks."""
        touched = self.touched(list(move))
        failures = sorted(touched & self.failed)
        if self.independent(failures) < 2:
            return ()
        moved = {i: self.claims[i].changed(lambda n: _moved(n, move)) for i in failures}
        if not all(_roughly(moved[i], self.claims[i]) for i in failures if self.counted(i)):
            return ()
        fixed = tuple(i for i in failures if moved[i].fits())
        if any(self.counted(i) and i not in fixed for i in failures):
            return ()
        rest = touched - self.failed
        return fixed if all(self.claims[i].changed(lambda n: _moved(n, move)).fits() for i in rest) else ()

    def suspicious_columns(self) -> dict[str, list[str]]:
        """Columns, by table, whose cells take part in a failure, in the order they are met."""
        found: dict[str, dict[str, None]] = {}
        for place, users in self.touching.items():
            if any(i in self.failed and self.counted(i) for i in users):
                found.setdefault(place.table, {})[place.column] = None
        return {table: list(columns) for table, columns in found.items()}

    def column(self, table: str, column: str) -> dict[str, Number]:
        return {p.row: n for p, n in self.numbers.items() if p.table == table and p.column == column}


def explain(claims: Sequence[Claim], failed: Sequence[int]) -> list[Explanation]:
    """Explanations for failures, the one that repairs most first; each failure is explained once."""
    found: list[Explanation] = []
    case = _Case(claims, failed)
    while len(case.failed) >= 2:
        best = _best(case)
        if best is None:
            break
        found.append(best)
        case.failed -= set(best.claims)
    return found


def _best(case: _Case) -> Explanation | None:
    """Exchanged columns first, then one cell, then rows: the fewer possible mistakes of a kind, the less it fits by chance."""
    for tried in (_columns(case), _cells(case), _rows(case)):
        options = [Explanation(sentence, fixed) for sentence, fixed in tried if fixed]
        if options:
            return max(options, key=lambda e: len(e.claims))
    return None


def _columns(case: _Case) -> Iterator[tuple[str, tuple[int, ...]]]:
    for table, names in case.suspicious_columns().items():
        columns = {name: case.column(table, name) for name in names}
        for a, b in combinations(names, 2):
            move = _permute([columns[a], columns[b]], [1, 0])
            yield f"{table}: the columns {a} and {b} are exchanged", case.fixed_by(move)
        for a, b, c in zip(names, names[1:], names[2:], strict=False):
            for turn in ([1, 2, 0], [2, 0, 1]):
                move = _permute([columns[a], columns[b], columns[c]], turn)
                yield f"{table}: the columns {a}, {b} and {c} are rotated", case.fixed_by(move)


def _permute(columns: Sequence[Mapping[str, Number]], order: Sequence[int]) -> Move:
    rows = set.intersection(*(set(c) for c in columns))
    return {
        columns[i][row].place: columns[source][row]
        for i, source in enumerate(order)
        for row in rows
        if columns[i][row].value != columns[source][row].value
    }


def _rows(case: _Case) -> Iterator[tuple[str, tuple[int, ...]]]:
    for table, names in case.suspicious_columns().items():
        for name in names:
            cells = list(case.column(table, name).values())
            touched = case.touched([n.place for n in cells])
            if case.independent(sorted(touched & case.failed)) < 2:
                continue
            for step in (1, -1):
                move = {cells[i].place: cells[(i + step) % len(cells)] for i in range(len(cells))}
                yield f"{table}: the column {name} is shifted by one row", case.fixed_by(move)
            for a, b in combinations(cells, 2):
                if a.value != b.value:
                    sentence = f"{table}: {name} of {a.place.row} and {b.place.row} are exchanged"
                    yield sentence, case.fixed_by({a.place: b, b.place: a})


def _cells(case: _Case) -> Iterator[tuple[str, tuple[int, ...]]]:
    """One wrong cell; where several could be it, a cell that repeats a neighbour is the likeliest, then the smallest change."""
    solved: list[tuple[bool, float, Solution, tuple[int, ...]]] = []
    for place, number in case.numbers.items():
        users = [i for i in case.touching[place] if i in case.failed and case.counted(i)]
        if case.independent(users) < 2:
            continue
        claims = [case.claims[i] for i in users]
        column = [n.value for n in case.column(place.table, place.column).values()]
        solution = solve_cell(number, [c for c in claims if isinstance(c, ValueClaim)], column)
        if solution is None:
            continue
        fixed = next(
            (f for v in _whole_counts(solution, claims) if (f := case.fixed_by({place: number.became(v)}))), ()
        )
        if fixed:
            copied = _copied_from(number, case.numbers) is not None
            solved.append((not copied, abs(solution.best - number.value), solution, fixed))
    if solved:
        _, _, solution, fixed = min(solved, key=lambda s: s[:2])
        others = [str(s.number.place) for *_, s, _ in solved if s is not solution]
        yield _sentence(solution, case, others), fixed


def _whole_counts(solution: Solution, claims: Sequence[Claim]) -> list[float]:
    """Values to try for a cell: the best one, or those that are whole counts where the cell must be one."""
    found = {v for c in claims if isinstance(c, CountClaim) for v in c.between(solution.low, solution.high)}
    return sorted(found, key=lambda v: abs(v - solution.best))[:20] or [solution.best]


def _sentence(solution: Solution, case: _Case, others: Sequence[str]) -> str:
    number = solution.number
    wanted = f"{solution.low:.10g}" if solution.low == solution.high else f"{solution.low:.10g} to {solution.high:.10g}"
    said = f"{number.place}: {number.text} is printed, but {wanted} would have to stand there"
    copied = _copied_from(number, case.numbers)
    if copied is not None:
        said += f"; {number.text} repeats {copied.place.column} of the same row"
    if others:
        named = "; ".join(others[:2]) + (f"; {len(others) - 2} more" if len(others) > 2 else "")
        said += f" (could be wrong instead: {named})"
    return said


def _copied_from(number: Number, numbers: Mapping[Place, Number]) -> Number | None:
    """Another cell of the same row with the very same digits, where so many digits do not agree by chance."""
    if sum(c.isdigit() for c in number.text) < 4:
        return None
    same_row = (n for p, n in numbers.items() if (p.table, p.row) == (number.place.table, number.place.row))
    return next((n for n in same_row if n.place != number.place and n.text == number.text), None)


def _moved(number: Number, move: Move) -> Number:
    other = move.get(number.place)
    return number if other is None else number.became(other.value, other.half)


def _roughly(changed: Claim, before: Claim) -> bool:
    """A quick look before the interval is searched: the rounding of the inputs reaches about as far as it did before."""
    if not (isinstance(changed, ValueClaim) and isinstance(before, ValueClaim)):
        return True
    low, high = before.reach
    return abs(changed.middle - changed.printed.value) <= 2 * (high - low) + 2 * changed.printed.half
