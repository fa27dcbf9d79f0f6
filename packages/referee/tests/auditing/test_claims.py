"""Verdicts at their borders."""

from __future__ import annotations

import numpy as np
import pytest

from referee.auditing.claims import AuditVerdict, Subject, Unknown
from referee.auditing.plain_claims import CountClaim, OrderClaim, RangeClaim
from referee.auditing.printed import CellPlace, Number
from referee.auditing.value_claims import ValueClaim, find_printable_range

SUBJECT = Subject("paper", "Table 1", "item", 0)


def number(value: float, half: float, row: str = "a", column: str = "x") -> Number:
    return Number(text=f"{value:g}", value=value, half=half, place=CellPlace("Table 1", row, column))


def value(printed: Number, *inputs: Number) -> ValueClaim:
    return ValueClaim(subject=SUBJECT, because="sum", printed=printed, inputs=inputs, compute=lambda p: p.sum(axis=1))


@pytest.mark.parametrize(
    ("printed", "verdict"),
    [
        (1.2, AuditVerdict.FOLLOWS),  # 0.58 + 0.62
        (1.21, AuditVerdict.ROUNDING),  # up to 0.585 + 0.625
        (1.22, AuditVerdict.DOES_NOT_FOLLOW),
        (1.18, AuditVerdict.DOES_NOT_FOLLOW),
    ],
)
def test_a_sum_of_two_rounded_numbers_may_be_off_by_one_unit(printed: float, verdict: AuditVerdict) -> None:
    row = value(number(printed, 0.005), number(0.58, 0.005), number(0.62, 0.005)).judge()
    assert row.verdict is verdict
    assert (row.low, row.high) == (1.19, 1.21)


def test_rounding_twice_is_rounding() -> None:
    # SPSS prints 44.975 for 44.9747, and two digits of that are 44.98 (TUNA-REG 2009, chi-square of identification accuracy)
    assert value(number(44.98, 0.005), number(44.9747, 0.0)).judge().verdict is AuditVerdict.ROUNDING
    assert value(number(44.98, 0.005), number(44.9740, 0.0)).judge().verdict is AuditVerdict.DOES_NOT_FOLLOW


def test_what_is_not_defined_is_undetermined() -> None:
    claim = ValueClaim(
        subject=SUBJECT,
        because="ratio",
        printed=number(0, 0.5),
        inputs=(number(1, 0.5),),
        compute=lambda p: np.full(len(p), np.nan),
    )
    row = claim.judge()
    assert row.verdict is AuditVerdict.UNDETERMINED
    assert row.recomputed is None


def test_a_share_needs_a_whole_count() -> None:
    def claim(v: float, sizes: tuple[int, ...]) -> CountClaim:
        return CountClaim(subject=SUBJECT, because="share", printed=number(v, 0.0005), sizes=sizes, scale=100.0)

    assert claim(11.864, (60, 59)).judge().verdict is AuditVerdict.FOLLOWS  # 7 of 59
    assert claim(11.864, (60,)).judge().verdict is AuditVerdict.DOES_NOT_FOLLOW


def test_a_measure_cannot_leave_its_range() -> None:
    claim = RangeClaim(subject=SUBJECT, because="BLEU", printed=number(1.976, 0.0005), low=0.0, high=1.0)
    assert claim.judge().verdict is AuditVerdict.DOES_NOT_FOLLOW


def test_an_order_tolerates_ties_within_rounding() -> None:
    def order(*values: float) -> AuditVerdict:
        numbers = tuple(number(v, 0.05, row=f"r{i}") for i, v in enumerate(values))
        return OrderClaim(subject=SUBJECT, because="order", numbers=numbers, rising=True).judge().verdict

    assert order(1.0, 1.0, 2.0) is AuditVerdict.FOLLOWS
    assert order(1.1, 1.0, 2.0) is AuditVerdict.FOLLOWS
    assert order(1.3, 1.0, 2.0) is AuditVerdict.DOES_NOT_FOLLOW


def test_a_number_that_nothing_determines_says_why() -> None:
    row = Unknown(subject=SUBJECT, because="no standard deviations are printed", printed=number(2.5, 0.05)).judge()
    assert (row.verdict, row.printed, row.explanation) == (
        AuditVerdict.UNDETERMINED,
        2.5,
        "no standard deviations are printed",
    )


def test_printable_values_are_those_that_rounding_can_make() -> None:
    assert find_printable_range(0.4741, 0.4743, 0.005) == (0.47, 0.47)
    assert find_printable_range(0.4741, 0.4749, 0.005) == (0.47, 0.48)  # .4749 is .475 to three digits
    assert find_printable_range(0.474, 0.476, 0.005) == (0.47, 0.48)
    assert find_printable_range(2235.0, 2235.0, 0.0) == (2235.0, 2235.0)
