"""Suspects: the cells whose misprint explains failures.

A cell is a suspect if another value in it makes the failures follow and breaks no claim that holds. Values that one
misprint turns into the printed text (a digit, two exchanged digits, the sign, the decimal point) are tried first; other
values count only if no cell that explains as much has such a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import partial
from itertools import pairwise

import numpy as np

from referee.auditing.explain.one_cell import Solution, measure_misses, solve_cell
from referee.auditing.explain.printed_case import PrintedCase, change_number
from referee.auditing.plain_claims import CountClaim
from referee.auditing.printed import CellPlace, Number, compute_half_width, normalise_digits
from referee.auditing.value_claims import BracketClaim, ValueClaim

SHARE_LEFT = 1 / 3
"""Highest share of the failures explained by columns or one digit that may have another explanation."""
# How close a value has to come to be tried with all claims, in units of rounding.
_NEAR = 1.2
_FEW_CELLS = 20


class Misprint(IntEnum):
    """How a value became the printed one, the most probable way first."""

    DIGIT = 0
    SLIP = 1
    OTHER = 2


@dataclass(frozen=True, slots=True)
class SuspectCell:
    """A cell that may be misprinted: how, the value that it should have, and the failures (by index) that follow then.

    `source` is the cell of its row that it repeats, if so many digits do not agree by chance.
    """

    number: Number
    misprint: Misprint
    value: float
    fixed: tuple[int, ...]
    source: Number | None = None


def find_shared_suspects(case: PrintedCase) -> list[SuspectCell]:
    """Return the cell that explains most failures, at least two, then the cells that explain the same equally well."""
    suspects: list[SuspectCell] = []
    for place, number in case.numbers.items():
        required = [i for i in case.touching[place] if i in case.failed and case.needs_repair(i)]
        # A single failure could be mended by changing any of its cells.
        if case.count_independent_claims(required) < 2:
            continue
        attempts = [(misprint, 0.0) for misprint in Misprint] + [(Misprint.DIGIT, SHARE_LEFT)]
        tried = (_try_misprint(case, number, required, *attempt) for attempt in attempts)
        suspect = next((s for s in tried if s is not None), None)
        if suspect is not None:
            suspects.append(replace(suspect, source=_find_source_cell(number, case.numbers)))
    if not suspects:
        return []

    def rank(suspect: SuspectCell) -> tuple[float, ...]:
        """Return what makes a suspect more probable, smaller values first."""
        explained = case.count_independent_claims(suspect.fixed)
        return -explained, suspect.source is None, suspect.misprint, abs(suspect.value - suspect.number.value)

    best = min(suspects, key=rank)
    # A number that repeats its neighbour has no equal, and a slip of the pen is likelier than another number.
    equal = [s for s in suspects if s.fixed == best.fixed and s.misprint <= best.misprint and best.source is None]
    return [best, *(s for s in equal if s is not best)]


def find_suspects(case: PrintedCase, failures: Sequence[int]) -> list[SuspectCell]:
    """Return the cells that explain all of the given failures, the most probable first."""
    if any(isinstance(case.claims[i], BracketClaim) for i in failures):
        return []
    common = set.intersection(*({n.place for n in case.claims[i].touches} for i in failures))
    targets = {t.place for i in failures if (t := case.claims[i].target) is not None}
    for misprint in Misprint:
        tried = (_try_misprint(case, case.numbers[p], failures, misprint) for p in case.numbers if p in common)
        suspects = [suspect for suspect in tried if suspect is not None]
        if suspects:
            # A number that should follow is in fewer other claims than the numbers it follows from.
            return sorted(suspects, key=lambda s: (s.number.place not in targets, len(case.touching[s.number.place])))
    return []


def _try_misprint(
    case: PrintedCase, number: Number, required: Sequence[int], misprint: Misprint, share_left: float = 0.0
) -> SuspectCell | None:
    """Return a cell as a suspect if a value that became the printed one in this way repairs the required failures, but
    for a share that has a second reason; otherwise None.
    """
    if misprint is Misprint.OTHER:
        values = _list_consistent_values(case, required, number)
    else:
        texts = _iterate_digit_texts if misprint is Misprint.DIGIT else _iterate_misprint_texts
        values = _select_near_values(case, required, number, texts, share_left)
    half = compute_half_width(number)
    for value in values:
        fixed = case.find_repaired_failures({number.place: number.replace_value(value, half)}, required, share_left)
        if fixed:
            return SuspectCell(number, misprint, value, fixed)
    return None


def _select_near_values(
    case: PrintedCase,
    required: Sequence[int],
    number: Number,
    texts: Callable[[str], Iterator[str]],
    share_left: float,
) -> list[float]:
    """Return the values of other texts of a cell that are close enough to test with all claims, the closest first."""
    text = normalise_digits(number.text)
    values = np.array(sorted({v for t in texts(text) if (v := float(t)) != float(text)} if text else ()))
    claims = _list_value_claims(case, required, number)
    if not claims or not len(values):
        # Letters of many systems take long to judge, and a wrong mean shows in its F value as well.
        few = all(len(case.claims[i].cells) <= _FEW_CELLS for i in required)
        return list(values) if few else []
    # Each value's misses in order; as many of the largest as may be left do not count.
    misses = np.sort(measure_misses(number, claims, values), axis=0)[-1 - int(share_left * len(claims))]
    return [float(values[i]) for i in np.argsort(misses, kind="stable") if misses[i] <= _NEAR]


def solve_for_cell(case: PrintedCase, failures: Sequence[int], number: Number) -> Solution | None:
    """Return the values of a cell that satisfy the failed equations; None where there are none."""
    column = [n.value for n in case.column(number.place.table, number.place.column).values()]
    return solve_cell(number, _list_value_claims(case, failures, number), column)


def _list_consistent_values(case: PrintedCase, required: Sequence[int], number: Number) -> list[float]:
    """Return values that solve the failed equations for a cell, or whole counts where the cell must be one."""
    counts = [c for i in required if isinstance(c := case.claims[i], CountClaim)]
    solution = solve_for_cell(case, required, number)
    if solution is None:
        return [r for c in counts if isinstance(r := c.judge().recomputed, float)]
    # The twenty nearest, for each is judged with all claims that it touches.
    whole = {v for c in counts for v in c.between(solution.low, solution.high)}
    nearest = sorted(whole, key=lambda v: abs(v - solution.best))[:20]
    return nearest or [solution.best, *np.linspace(solution.low, solution.high, 5)]


def _list_value_claims(case: PrintedCase, indices: Sequence[int], number: Number) -> list[ValueClaim]:
    """Return the claims that a cell can be solved for: those on values, without counts that depend on it.

    Where the cell is far outside its column, it takes its middle, for a gross error makes rounding look too small.
    """
    claims = (case.claims[i] for i in indices if case.counted(i))
    solvable = [c for c in claims if isinstance(c, ValueClaim) and c.adapt is None]
    column = case.column(number.place.table, number.place.column)
    others = [n.value for row, n in column.items() if row != number.place.row]
    if len(others) < 2 or min(others) - np.ptp(others) <= number.value <= max(others) + np.ptp(others):
        return solvable
    move = {number.place: number.replace_value(float(np.median(others)), compute_half_width(number))}
    return [c.changed(partial(change_number, move=move)) for c in solvable]


def _iterate_digit_texts(text: str) -> Iterator[str]:
    """Yield the texts with one other digit."""
    for i, c in enumerate(text):
        if c.isdigit():
            for digit in "0123456789":
                yield text[:i] + digit + text[i + 1 :]


def _iterate_misprint_texts(text: str) -> Iterator[str]:
    """Yield the texts that one misprint of another kind would turn into this one."""
    for i, j in pairwise(i for i, c in enumerate(text) if c.isdigit()):
        exchanged = list(text)
        exchanged[i], exchanged[j] = text[j], text[i]
        yield "".join(exchanged)
    yield text[1:] if text.startswith("-") else f"-{text}"
    for power in (-2, -1, 1, 2):
        yield f"{text}e{power}"


def _find_source_cell(number: Number, numbers: Mapping[CellPlace, Number]) -> Number | None:
    """Return another cell of the row with the same digits, if so many digits do not agree by chance."""
    # 1960.31 of NIL stands in two columns of Belz & Gatt 2008; fewer digits agree by chance.
    if sum(c.isdigit() for c in number.text) < 4:
        return None
    same_row = (n for p, n in numbers.items() if (p.table, p.row) == (number.place.table, number.place.row))
    return next((n for n in same_row if n.place != number.place and n.text == number.text), None)
