"""Suspects: the cells of which one must be misprinted when claims fail.

A cell is a suspect if another value in it makes all the failed claims follow and breaks no claim that holds. Values
that one misprint turns into the printed text (a digit, two exchanged digits, the sign, the decimal point) are tried
first; other values count only if no cell has such a value.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np

from referee.auditing.claims import PrintedClaim
from referee.auditing.explain.one_cell import measure_misses, solve_cell
from referee.auditing.explain.printed_case import PrintedCase, change_number
from referee.auditing.plain_claims import CountClaim
from referee.auditing.printed import Number, compute_half_width, normalise_digits
from referee.auditing.value_claims import BracketClaim, ValueClaim

# How close a value has to come to be tried with all claims, in units of rounding.
_NEAR = 1.2
_FEW_CELLS = 20


@dataclass(frozen=True, slots=True)
class SuspectCell:
    """A cell that may be misprinted, and the lowest and highest value found that would be consistent."""

    number: Number
    low: float
    high: float


def find_suspects(case: PrintedCase, failures: Sequence[int]) -> list[SuspectCell]:
    """Return cells shared by all failed claims whose misprint would explain them, the most probable first."""
    if any(isinstance(case.claims[i], BracketClaim) for i in failures):
        return []
    common = set.intersection(*({n.place for n in case.claims[i].touches} for i in failures))
    numbers = [case.numbers[place] for place in case.numbers if place in common]
    for values_of_cell in (_list_digit_candidates, _list_misprint_candidates, _solve_for_cell):
        suspects = [s for number in numbers if (s := _make_suspect(case, failures, number, values_of_cell)) is not None]
        if suspects:
            targets = {t.place for i in failures if (t := case.claims[i].target) is not None}
            # A number that should follow is in fewer other claims than the numbers it follows from.
            return sorted(suspects, key=lambda s: (s.number.place not in targets, len(case.touching[s.number.place])))
    return []


def _make_suspect(
    case: PrintedCase, failures: Sequence[int], number: Number, values_of_cell: object
) -> SuspectCell | None:
    """Return a cell as a suspect with the range of its consistent values; None if it has none."""
    values = values_of_cell(case, failures, number)  # type: ignore[operator]
    consistent = [v for v in values if _is_repair(case, failures, number, v)]
    return SuspectCell(number, min(consistent), max(consistent)) if consistent else None


def _is_repair(case: PrintedCase, failures: Sequence[int], number: Number, value: float) -> bool:
    """Return whether a value in a cell makes all failures follow and keeps every claim that holds."""
    change = partial(change_number, move={number.place: number.replace_value(value, compute_half_width(number))})
    if not all(case.claims[i].changed(change).fits() for i in failures):
        return False
    # Bounds that averages set exclude little and take long.
    holding = (case.claims[i] for i in case.touching[number.place] if i not in case.failed | case.explained)
    return all(c.changed(change).fits() for c in holding if not isinstance(c, BracketClaim))


def _list_digit_candidates(case: PrintedCase, failures: Sequence[int], number: Number) -> list[float]:
    """Return the values with one other digit that are close enough to test with all claims."""
    return _select_near_values(case, failures, number, list_digit_values(number))


def _list_misprint_candidates(case: PrintedCase, failures: Sequence[int], number: Number) -> list[float]:
    """Return the values of one misprint that are close enough to test with all claims."""
    return _select_near_values(case, failures, number, list_misprint_values(number))


def _select_near_values(case: PrintedCase, failures: Sequence[int], number: Number, tried: set[float]) -> list[float]:
    """Return the candidate values of a cell that are close enough to test with all claims."""
    values = np.array(sorted(tried))
    claims = _list_value_claims(case, failures)
    if not len(values):
        return []
    if not claims:
        # Letters of many systems take long to judge, and a wrong mean shows in its F value as well.
        few = all(len(case.claims[i].cells) <= _FEW_CELLS for i in failures)
        return list(values) if few else []
    misses = measure_misses(number, claims, values).max(axis=0)
    return [float(v) for v in values[misses <= _NEAR]]


def _solve_for_cell(case: PrintedCase, failures: Sequence[int], number: Number) -> list[float]:
    """Return the values that solve the failed equations for a cell, or the nearest whole counts."""
    claims = [case.claims[i] for i in failures]
    column = [n.value for n in case.column(number.place.table, number.place.column).values()]
    solution = solve_cell(number, _list_value_claims(case, failures), column)
    counts = [v for c in claims if isinstance(c, CountClaim) for v in _find_nearest_counts(c)]
    return [*counts, *([] if solution is None else (solution.best, solution.low, solution.high))]


def _find_nearest_counts(claim: CountClaim) -> list[float]:
    recomputed = claim.judge().recomputed
    return [recomputed] if isinstance(recomputed, float) else []


def _list_value_claims(case: PrintedCase, failures: Sequence[int]) -> list[ValueClaim]:
    claims: list[PrintedClaim] = [case.claims[i] for i in failures]
    return [c for c in claims if isinstance(c, ValueClaim)]


def list_digit_values(number: Number) -> set[float]:
    """Return the numbers that differ from the printed text in one digit."""
    return _parse_other_values(number, _iterate_digit_texts)


def list_misprint_values(number: Number) -> set[float]:
    """Return the numbers that one misprint turns into the printed text."""
    return _parse_other_values(number, _iterate_misprint_texts)


def _parse_other_values(number: Number, texts: Callable[[str], Iterator[str]]) -> set[float]:
    """Return the values of other texts of a number."""
    text = normalise_digits(number.text)
    return {v for t in texts(text) if (v := float(t)) != float(text)} if text else set()


def _iterate_digit_texts(text: str) -> Iterator[str]:
    """Yield the texts with one other digit."""
    for i, c in enumerate(text):
        if c.isdigit():
            for digit in "0123456789":
                yield text[:i] + digit + text[i + 1 :]


def _iterate_misprint_texts(text: str) -> Iterator[str]:
    """Yield the texts that one misprint would turn into this one."""
    yield from _iterate_digit_texts(text)
    for i, j in pairwise(i for i, c in enumerate(text) if c.isdigit()):
        exchanged = list(text)
        exchanged[i], exchanged[j] = text[j], text[i]
        yield "".join(exchanged)
    yield text[1:] if text.startswith("-") else f"-{text}"
    for power in (-2, -1, 1, 2):
        yield f"{text}e{power}"
