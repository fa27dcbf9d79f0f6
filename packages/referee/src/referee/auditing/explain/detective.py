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
from typing import NamedTuple

import numpy as np

from referee.auditing.claims import PrintedClaim, Remedy
from referee.auditing.explain.one_cell import Solution, measure_misses, solve_cell
from referee.auditing.explain.printed_case import Move, PrintedCase
from referee.auditing.explain.suspects import list_digit_values, list_misprint_values
from referee.auditing.plain_claims import CountClaim
from referee.auditing.printed import CellPlace, Number
from referee.auditing.value_claims import ValueClaim

SHARE_LEFT = 1 / 3
"""Highest share of the failures explained by columns or one digit that may have another explanation."""


@dataclass(frozen=True)
class Explanation:
    """A mistake in one sentence, the claims (by index) that it explains, and the correct values of cells."""

    sentence: str
    claims: tuple[int, ...]
    remedies: tuple[Remedy, ...]
    move: Move
    suspects: tuple[Number, ...] = ()


def explain(case: PrintedCase) -> list[Explanation]:
    """Return explanations for failures, the one that repairs most first; each failure is explained once.

    The case is corrected, so that a second mistake is sought in corrected numbers.
    """
    explanations: list[Explanation] = []
    while len(case.failed) >= 2:
        best = _choose_best(case)
        if best is None:
            break
        explanations.append(best)
        case.set_aside(best.claims)
        case.correct(best.move)
    return explanations


def _choose_best(case: PrintedCase) -> Explanation | None:
    """Return the best explanation: exchanged columns first, then one cell, then rows; rarer mistakes fit less by chance."""
    for explanations in (_iterate_column_moves(case), _explain_by_cell(case), _iterate_row_moves(case)):
        options = [explanation for explanation in explanations if explanation.claims]
        if options:
            return max(options, key=lambda e: len(e.claims))
    return None


def _explain_by_move(sentence: str, case: PrintedCase, move: Move, *, of_columns: bool = False) -> Explanation:
    """Return the explanation by a move of printed numbers."""
    places = [(case.numbers[place], number) for place, number in move.items()]
    remedies = tuple(Remedy(old.place, old.text, new.value, new.value) for old, new in places)
    return Explanation(
        sentence,
        case.find_repaired_failures(move, of_columns=of_columns, share_left=SHARE_LEFT * of_columns),
        remedies,
        move,
    )


def _iterate_column_moves(case: PrintedCase) -> Iterator[Explanation]:
    """Yield explanations by exchanged, rotated or shifted columns."""
    for table, names in case.list_suspicious_columns().items():
        columns = {name: case.column(table, name) for name in names}
        # As BLEU and NIST in Table 8 of TUNA 2008.
        for a, b in combinations(names, 2):
            move = _permute([columns[a], columns[b]], [1, 0])
            yield _explain_by_move(f"{table}: the columns {a} and {b} are exchanged", case, move, of_columns=True)
        for a, b, c in zip(names, names[1:], names[2:], strict=False):
            for turn in ([1, 2, 0], [2, 0, 1]):
                move = _permute([columns[a], columns[b], columns[c]], turn)
                yield _explain_by_move(
                    f"{table}: the columns {a}, {b} and {c} are rotated", case, move, of_columns=True
                )


def _permute(columns: Sequence[Mapping[str, Number]], order: Sequence[int]) -> Move:
    """Return the move that permutes columns."""
    rows = [row for row in columns[0] if all(row in column for column in columns)]
    return {
        columns[i][row].place: columns[source][row]
        for i, source in enumerate(order)
        for row in rows
        if columns[i][row].value != columns[source][row].value
    }


def _iterate_row_moves(case: PrintedCase) -> Iterator[Explanation]:
    """Yield explanations by exchanged rows or a shift within a column."""
    for table, names in case.list_suspicious_columns().items():
        for name in names:
            cells = list(case.column(table, name).values())
            touched = case.touched([n.place for n in cells])
            if case.count_independent_claims(sorted(touched & case.failed)) < 2:
                continue
            for step in (1, -1):
                move = {cells[i].place: cells[(i + step) % len(cells)] for i in range(len(cells))}
                yield _explain_by_move(f"{table}: the column {name} is shifted by one row", case, move, of_columns=True)
            for a, b in combinations(cells, 2):
                if a.value != b.value:
                    sentence = f"{table}: {name} of {a.place.row} and {b.place.row} are exchanged"
                    yield _explain_by_move(sentence, case, {a.place: b, b.place: a})


def _explain_by_cell(case: PrintedCase) -> Iterator[Explanation]:
    """Return the explanation by one wrong cell: first one that repeats a neighbour, then the smallest change."""
    solved: list[_SolvedCell] = []
    for place, number in case.numbers.items():
        users = [i for i in case.touching[place] if i in case.failed and case.needs_repair(i)]
        # A single failure could be mended by changing any of its cells.
        if case.count_independent_claims(users) < 2:
            continue
        claims = [case.claims[i] for i in users]
        column = [n.value for n in case.column(place.table, place.column).values()]
        of_values, share_left = [c for c in claims if isinstance(c, ValueClaim)], 0.0
        solution = solve_cell(number, of_values, column)
        if solution is None:
            solution, share_left = _solve_by_digit(number, of_values, SHARE_LEFT), SHARE_LEFT
        if solution is None:
            continue
        for rank, values in enumerate(_iterate_ranked_values(solution, claims)):
            repairs = (
                (v, case.find_repaired_failures({place: number.replace_value(v)}, share_left=share_left))
                for v in values
            )
            value, fixed = next(((v, f) for v, f in repairs if f), (0.0, ()))
            if fixed:
                is_copy = _find_source_cell(number, case.numbers) is not None
                solved.append(_SolvedCell(not is_copy, rank, abs(value - number.value), value, solution, fixed))
                break
    if solved:
        best = min(solved, key=lambda s: (s.no_copy, s.rank, s.distance))
        number, solution = best.solution.number, best.solution
        # A slip of the pen is likelier than another number altogether.
        others = [s.solution.number for s in solved if s is not best and s.rank <= best.rank]
        # where several cells could be the wrong one, the smallest change is a guess, and no correction
        sure = not others or not best.no_copy
        remedy = Remedy(number.place, number.text, solution.low, solution.high)
        sentence = _describe_wrong_cell(solution, case, [str(n.place) for n in others])
        suspects = (number,) if sure else (number, *others)
        move = {number.place: number.replace_value(best.value)} if sure else {}
        yield Explanation(sentence, best.fixed, (remedy,) if sure else (), move, suspects)


def _solve_by_digit(number: Number, claims: Sequence[ValueClaim], share_left: float) -> Solution | None:
    """Return the other digit of a cell that satisfies the claims, but for a share that has a second reason to fail; None if there is none."""
    values = np.array(sorted(list_digit_values(number)))
    if not claims or not len(values):
        return None
    share = (measure_misses(number, claims, values) <= 1).mean(axis=0)
    best = float(values[share.argmax()])
    return Solution(number, best, best, best) if share.max() >= 1 - share_left else None


class _SolvedCell(NamedTuple):
    """A cell whose correction repairs failures: whether it is no copy of a neighbour, how likely the slip is (0: one
    digit), how far the value moves, and the value.
    """

    no_copy: bool
    rank: int
    distance: float
    value: float
    solution: Solution
    fixed: tuple[int, ...]


def _iterate_ranked_values(solution: Solution, claims: Sequence[PrintedClaim]) -> Iterator[list[float]]:
    """Yield the values to try for a cell: one other digit, another slip, any other number."""
    for slips in (list_digit_values(solution.number), list_misprint_values(solution.number)):
        # The bounds are those of the number as printed; other numbers may have them a little elsewhere.
        margin = solution.high - solution.low + 4 * solution.number.half
        inside = (v for v in slips if solution.low - margin <= v <= solution.high + margin)
        yield sorted(inside, key=lambda v: abs(v - solution.best))
    yield _list_values_to_try(solution, claims)


def _list_values_to_try(solution: Solution, claims: Sequence[PrintedClaim]) -> list[float]:
    """Return values to try for a cell: values of its interval, the best first, or whole counts where the cell must be one."""
    counts = {v for c in claims if isinstance(c, CountClaim) for v in c.between(solution.low, solution.high)}
    # The twenty nearest, for each is judged with all claims that it touches.
    return sorted(counts, key=lambda v: abs(v - solution.best))[:20] or [
        solution.best,
        *np.linspace(solution.low, solution.high, 5),
    ]


def _describe_wrong_cell(solution: Solution, case: PrintedCase, others: Sequence[str]) -> str:
    """Return the sentence of an explanation by one wrong cell."""
    number = solution.number
    bounds = (
        f"value is {solution.low:.10g}"
        if solution.low == solution.high
        else f"values are {solution.low:.10g}–{solution.high:.10g}"
    )
    sentence = f"{number.place}: printed {number.text}; consistent {bounds}"
    copied = _find_source_cell(number, case.numbers)
    if copied is not None:
        sentence += f"; {number.text} repeats {copied.place.column} of the same row"
    if others:
        named = "; ".join(others[:2]) + (f"; {len(others) - 2} more" if len(others) > 2 else "")
        sentence += f" (or this cell is wrong instead: {named})"
    return sentence


def _find_source_cell(number: Number, numbers: Mapping[CellPlace, Number]) -> Number | None:
    """Return another cell of the row with the same digits, if so many digits do not agree by chance."""
    # 1960.31 of NIL stands in two columns of Belz & Gatt 2008; fewer digits agree by chance.
    if sum(c.isdigit() for c in number.text) < 4:
        return None
    same_row = (n for p, n in numbers.items() if (p.table, p.row) == (number.place.table, number.place.row))
    return next((n for n in same_row if n.place != number.place and n.text == number.text), None)
