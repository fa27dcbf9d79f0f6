"""Searches for simple mistakes that explain several failures at once.

Candidates are two exchanged columns, three rotated neighbouring columns, a column shifted by a row, two rows exchanged
within a column, and one wrong cell (whose value is solved for). A mistake is an explanation if every failed claim that
it touches then follows, at least two of them, and no other claim breaks. The search uses no knowledge of particular
papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from referee.auditing.claims import PrintedClaim, Remedy
from referee.auditing.explain.one_cell import Solution, solve_cell
from referee.auditing.explain.printed_case import Move, PrintedCase
from referee.auditing.explain.suspects import slip_values
from referee.auditing.plain_claims import CountClaim
from referee.auditing.printed import CellPlace, Number
from referee.auditing.value_claims import ValueClaim


@dataclass(frozen=True)
class Explanation:
    """A mistake in one sentence, the claims (by index) that it explains, and the correct values of cells."""

    sentence: str
    claims: tuple[int, ...]
    remedies: tuple[Remedy, ...]
    suspects: tuple[Number, ...] = ()


def explain(claims: Sequence[PrintedClaim], failed: Sequence[int]) -> list[Explanation]:
    """Explanations for failures, the one that repairs most first; each failure is explained once."""
    explanations: list[Explanation] = []
    case = PrintedCase(claims, failed)
    while len(case.failed) >= 2:
        best = _best(case)
        if best is None:
            break
        explanations.append(best)
        case.failed -= set(best.claims)
    return explanations


def _best(case: PrintedCase) -> Explanation | None:
    """Exchanged columns first, then one cell, then rows: the fewer possible mistakes of a kind, the less it fits by chance."""
    for explanations in (_columns(case), _cells(case), _rows(case)):
        options = [explanation for explanation in explanations if explanation.claims]
        if options:
            return max(options, key=lambda e: len(e.claims))
    return None


def _moved(sentence: str, case: PrintedCase, move: Move) -> Explanation:
    """Return the explanation by a move of printed numbers."""
    places = [(case.numbers[place], number) for place, number in move.items()]
    remedies = tuple(Remedy(old.place, old.text, new.value, new.value) for old, new in places)
    return Explanation(sentence, case.fixed_by(move), remedies)


def _columns(case: PrintedCase) -> Iterator[Explanation]:
    """Yield explanations by exchanged, rotated or shifted columns."""
    for table, names in case.suspicious_columns().items():
        columns = {name: case.column(table, name) for name in names}
        # As BLEU and NIST in Table 8 of TUNA 2008.
        for a, b in combinations(names, 2):
            move = _permute([columns[a], columns[b]], [1, 0])
            yield _moved(f"{table}: the columns {a} and {b} are exchanged", case, move)
        for a, b, c in zip(names, names[1:], names[2:], strict=False):
            for turn in ([1, 2, 0], [2, 0, 1]):
                move = _permute([columns[a], columns[b], columns[c]], turn)
                yield _moved(f"{table}: the columns {a}, {b} and {c} are rotated", case, move)


def _permute(columns: Sequence[Mapping[str, Number]], order: Sequence[int]) -> Move:
    """Return the move that permutes columns."""
    rows = [row for row in columns[0] if all(row in column for column in columns)]
    return {
        columns[i][row].place: columns[source][row]
        for i, source in enumerate(order)
        for row in rows
        if columns[i][row].value != columns[source][row].value
    }


def _rows(case: PrintedCase) -> Iterator[Explanation]:
    """Yield explanations by exchanged rows or a shift within a column."""
    for table, names in case.suspicious_columns().items():
        for name in names:
            cells = list(case.column(table, name).values())
            touched = case.touched([n.place for n in cells])
            if case.independent(sorted(touched & case.failed)) < 2:
                continue
            for step in (1, -1):
                move = {cells[i].place: cells[(i + step) % len(cells)] for i in range(len(cells))}
                yield _moved(f"{table}: the column {name} is shifted by one row", case, move)
            for a, b in combinations(cells, 2):
                if a.value != b.value:
                    sentence = f"{table}: {name} of {a.place.row} and {b.place.row} are exchanged"
                    yield _moved(sentence, case, {a.place: b, b.place: a})


def _cells(case: PrintedCase) -> Iterator[Explanation]:
    """One wrong cell; where several could be it, a cell that repeats a neighbour is the likeliest, then the smallest change."""
    solved: list[tuple[bool, bool, float, Solution, tuple[int, ...]]] = []
    for place, number in case.numbers.items():
        users = [i for i in case.touching[place] if i in case.failed and case.counted(i)]
        # A single failure could be mended by changing any of its cells.
        if case.independent(users) < 2:
            continue
        claims = [case.claims[i] for i in users]
        column = [n.value for n in case.column(place.table, place.column).values()]
        solution = solve_cell(number, [c for c in claims if isinstance(c, ValueClaim)], column)
        if solution is None:
            continue
        values = _whole_counts(solution, claims)
        fixed = next((f for v in values if (f := case.fixed_by({place: number.became(v)}))), ())
        if fixed:
            copied = _copied_from(number, case.numbers) is not None
            slipped = any(solution.low <= v <= solution.high for v in slip_values(number))
            solved.append((not copied, not slipped, abs(solution.best - number.value), solution, fixed))
    if solved:
        no_copy, no_slip, _, solution, fixed = min(solved, key=lambda s: s[:3])
        # A slip of the pen is likelier than another number altogether.
        others = [s.number for *_, unlike, _, s, _ in solved if s is not solution and (no_slip or not unlike)]
        # where several cells could be the wrong one, the smallest change is a guess, and no correction
        sure = not others or not no_copy
        number = solution.number
        remedy = Remedy(number.place, number.text, solution.low, solution.high)
        named = [str(n.place) for n in others]
        suspects = (number,) if sure else (number, *others)
        yield Explanation(_sentence(solution, case, named), fixed, (remedy,) if sure else (), suspects)


def _whole_counts(solution: Solution, claims: Sequence[PrintedClaim]) -> list[float]:
    """Return values to try for a cell: the best one, or whole counts where the cell must be one."""
    counts = {v for c in claims if isinstance(c, CountClaim) for v in c.between(solution.low, solution.high)}
    # The twenty nearest, for each is judged with all claims that it touches.
    return sorted(counts, key=lambda v: abs(v - solution.best))[:20] or [solution.best]


def _sentence(solution: Solution, case: PrintedCase, others: Sequence[str]) -> str:
    """Return the sentence of an explanation by one wrong cell."""
    number = solution.number
    bounds = (
        f"value is {solution.low:.10g}"
        if solution.low == solution.high
        else f"values are {solution.low:.10g}–{solution.high:.10g}"
    )
    sentence = f"{number.place}: printed {number.text}; consistent {bounds}"
    copied = _copied_from(number, case.numbers)
    if copied is not None:
        sentence += f"; {number.text} repeats {copied.place.column} of the same row"
    if others:
        named = "; ".join(others[:2]) + (f"; {len(others) - 2} more" if len(others) > 2 else "")
        sentence += f" (or this cell is wrong instead: {named})"
    return sentence


def _copied_from(number: Number, numbers: Mapping[CellPlace, Number]) -> Number | None:
    """Another cell of the same row with the very same digits, where so many digits do not agree by chance."""
    # 1960.31 of NIL stands in two columns of Belz & Gatt 2008; fewer digits agree by chance.
    if sum(c.isdigit() for c in number.text) < 4:
        return None
    same_row = (n for p, n in numbers.items() if (p.table, p.row) == (number.place.table, number.place.row))
    return next((n for n in same_row if n.place != number.place and n.text == number.text), None)
