"""Slips of the pen in a single printed number.

Another formula, a lost sign, a slipped point, two digits exchanged, one digit wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from referee.auditing.claims import PrintedClaim
from referee.auditing.plain_claims import CountClaim
from referee.auditing.value_claims import BracketClaim, ValueClaim

# A printed number that is so many times too large has its point too far to the right (0.43 for 0.043), and the other way round.
POINT = {10.0: "right", 100.0: "right", 1000.0: "right", 0.1: "left", 0.01: "left", 0.001: "left"}


class SlipKind(Enum):
    """The kinds of misprints of a number."""

    NONE = auto()
    NO_COUNT = auto()
    SIGN = auto()
    POINT = auto()
    DIGIT = auto()
    DIGITS_EXCHANGED = auto()


@dataclass(frozen=True, slots=True)
class Slip:
    """A misprint with its description; empty if no simple one explains the number."""

    kind: SlipKind
    words: str = ""


def find_other_formula(claim: PrintedClaim) -> str:
    """Return the formula that the author may have used instead, in words, if it gives the printed number.

    Otherwise empty.
    """
    if not isinstance(claim, ValueClaim):
        return ""
    return next((words for words, compute in claim.otherwise if claim.with_formula(compute).holds()), "")


def find_slip(claim: PrintedClaim) -> Slip:
    """Return a possible misprint of a number whose claim fails."""
    if isinstance(claim, CountClaim):
        return Slip(SlipKind.NO_COUNT, "no whole number of items gives this value")
    if not isinstance(claim, ValueClaim) or isinstance(claim, BracketClaim):
        return Slip(SlipKind.NONE)
    # As r of ID speed and fluency in one of its two places in Table 10 of TUNA-REG 2009.
    if _follows_from(claim, -claim.printed.value, claim.printed.half):
        return Slip(SlipKind.SIGN, "the sign is wrong")
    for factor, side in POINT.items():
        # a number made larger by moving its point back knows its digits less well
        half = claim.printed.half * max(1.0, 1 / factor)
        if _follows_from(claim, claim.printed.value / factor, half):
            return Slip(SlipKind.POINT, f"the decimal point is too far to the {side}")
    return _find_digit_misprint(claim)


def _follows_from(claim: ValueClaim, value: float, half: float) -> bool:
    """Return whether a value follows from the claim within rounding."""
    low, high = claim.reach
    # Numbers without rounding (counts) still need room for floating point.
    half = half or 1e-9 * max(1.0, abs(value))
    return value != claim.printed.value and low - half <= value <= high + half


def _find_digit_misprint(claim: ValueClaim) -> Slip:
    """Return the misprint of one digit, or of two exchanged digits, compared with the recomputed number."""
    text = claim.printed.text.rstrip("*% ").replace("−", "-").removeprefix("+")
    decimals = len(text.partition(".")[2])
    right = f"{claim.middle:.{decimals}f}"
    # Some tables print .43 for 0.43.
    right = right.replace("0.", ".", 1) if text.lstrip("-").startswith(".") else right
    if len(right) != len(text):
        return Slip(SlipKind.NONE)
    # As 5.77 for 5.27, the F of the interaction on Edit in TUNA 2008.
    wrong = [i for i, (a, b) in enumerate(zip(text, right, strict=True)) if a != b]
    if len(wrong) == 1:
        return Slip(SlipKind.DIGIT, f"one digit differs from {right}")
    if len(wrong) == 2 and text[wrong[0]] == right[wrong[1]] and text[wrong[1]] == right[wrong[0]]:
        return Slip(SlipKind.DIGITS_EXCHANGED, f"two digits are swapped; expected {right}")
    return Slip(SlipKind.NONE)
