"""Slips of the pen in a single printed number: a lost sign, a slipped point, two digits exchanged, one digit wrong, another formula."""

from __future__ import annotations

from collections.abc import Iterator

from referee.published.claims import Claim, CountClaim, ValueClaim, Verdict
from referee.published.printed import Number

__all__ = ["describe_slip"]


def describe_slip(claim: Claim) -> str:
    """What may have happened to the printed number, in a few words; empty where no simple slip explains it."""
    if isinstance(claim, ValueClaim):
        for words, compute in claim.otherwise:
            if claim.computed_by(compute).judge().verdict in (Verdict.FOLLOWS, Verdict.ROUNDING):
                return words
        return next((words for words, value in _slips(claim.printed) if _fits(claim, value)), _last_digit(claim))
    if isinstance(claim, CountClaim):
        return "no whole count gives it"
    return ""


def _fits(claim: ValueClaim, value: float) -> bool:
    low, high = claim.reach
    half = claim.printed.half or 1e-9 * max(1.0, abs(value))
    return low - half <= value <= high + half


def _slips(number: Number) -> Iterator[tuple[str, float]]:
    yield "the sign is wrong", -number.value
    for factor, way in ((10.0, "right"), (0.1, "left"), (100.0, "right"), (0.01, "left"), (1000.0, "right"), (0.001, "left")):
        yield f"the decimal point has slipped (it belongs further to the {way})", number.value * factor
    digits = [i for i, c in enumerate(number.text) if c.isdigit()]
    for i, j in zip(digits, digits[1:], strict=False):
        exchanged = _with(number.text, {i: number.text[j], j: number.text[i]})
        yield f"two digits may be exchanged ({exchanged})", _value(exchanged)
    for i in digits:
        for digit in "0123456789":
            other = _with(number.text, {i: digit})
            yield f"one digit may be wrong ({other})", _value(other)


def _with(text: str, changes: dict[int, str]) -> str:
    return "".join(changes.get(i, c) for i, c in enumerate(text))


def _value(text: str) -> float:
    return float(text.rstrip("*% ").replace("−", "-"))


def _last_digit(claim: ValueClaim) -> str:
    return "it is off by one in the last printed digit" if abs(claim.middle - claim.printed.value) <= 3.1 * claim.printed.half else ""
