"""Searches for simple mistakes that explain several failures at once.

Candidates are two exchanged columns, three rotated neighbouring columns, a column shifted by a row, two rows exchanged
within a column, and one wrong cell (whose value is solved for). A mistake is an explanation if every failed claim that
it touches then follows, at least two of them, and no other claim breaks. The search uses no knowledge of particular
papers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from referee.auditing.claims import Remedy
from referee.auditing.explain.printed_case import Move, PrintedCase
from referee.auditing.explain.suspects import SHARE_LEFT, find_shared_suspects, solve_for_cell
from referee.auditing.printed import Number


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
    is_required = case.counted if of_columns else case.needs_repair
    required = [i for i in sorted(case.touched(move) & case.failed) if is_required(i)]
    several = case.count_independent_claims(required) > 1
    fixed = case.find_repaired_failures(move, required, SHARE_LEFT * of_columns) if several else ()
    return Explanation(sentence, fixed, remedies, move)


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
    """Yield the explanation by one wrong cell, if there is one."""
    suspects = find_shared_suspects(case)
    if not suspects:
        return
    best = suspects[0]
    solution = solve_for_cell(case, best.fixed, best.number)
    printed = [replace(s.number, place=case.printed_places.get(s.number.place, s.number.place)) for s in suspects]
    number = printed[0]
    low, high = (solution.low, solution.high) if solution else (best.value, best.value)
    bounds = f"value is {low:.10g}" if low == high else f"values are {low:.10g}–{high:.10g}"
    sentence = f"{number.place}: printed {number.text}; consistent {bounds}"
    if best.source is not None:
        sentence += f"; {number.text} repeats {best.source.place.column} of the same row"
    if len(suspects) > 1:
        others = [str(other.place) for other in printed[1:]]
        more = [f"{len(others) - 2} more"] if len(others) > 2 else []
        sentence += f" (or this cell is wrong instead: {'; '.join([*others[:2], *more])})"
    # Where several cells could be the wrong one, the most probable is a guess, and no correction.
    sure = len(suspects) == 1
    remedies = (Remedy(number.place, number.text, low, high),) if sure else ()
    move = {best.number.place: best.number.replace_value(best.value)} if sure else {}
    yield Explanation(sentence, best.fixed, remedies, move, tuple(printed))
