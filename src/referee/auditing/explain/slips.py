"""Slips of the pen in a single printed number: another formula, a lost sign, a slipped point, two digits exchanged, one digit wrong."""

from __future__ import annotations

from referee.auditing.claims import Claim, CountClaim, ValueClaim, Verdict

__all__ = ["describe_slip", "other_formula"]

POINT = ((10.0, "left"), (100.0, "left"), (1000.0, "left"), (0.1, "right"), (0.01, "right"), (0.001, "right"))


def other_formula(claim: Claim) -> str:
    """What the author may have computed instead, in words, if that gives the printed number; otherwise nothing."""
    if not isinstance(claim, ValueClaim):
        return ""
    good = (Verdict.FOLLOWS, Verdict.ROUNDING)
    return next((w for w, compute in claim.otherwise if claim.computed_by(compute).judge().verdict in good), "")


def describe_slip(claim: Claim) -> str:
    """What may have happened to a printed number, in a few words; nothing where no simple slip explains it."""
    if isinstance(claim, CountClaim):
        return "no whole count gives it"
    if not isinstance(claim, ValueClaim):
        return ""
    if _fits(claim, -claim.printed.value, claim.printed.half):
        return "the sign is wrong"
    for factor, side in POINT:
        half = claim.printed.half * max(1.0, 1 / factor)
        if _fits(claim, claim.printed.value / factor, half):
            return f"the decimal point stands too far to the {'right' if side == 'left' else 'left'}"
    return _digits(claim)


def _fits(claim: ValueClaim, value: float, half: float) -> bool:
    low, high = claim.reach
    half = half or 1e-9 * max(1.0, abs(value))
    return value != claim.printed.value and low - half <= value <= high + half


def _digits(claim: ValueClaim) -> str:
    """Whether the printed digits are those of the recomputed number but for one, or for two that changed places."""
    text = claim.printed.text.rstrip("*% ").replace("−", "-").removeprefix("+")
    decimals = len(text.partition(".")[2])
    right = f"{claim.middle:.{decimals}f}"
    right = right.replace("0.", ".", 1) if text.lstrip("-").startswith(".") else right
    if len(right) != len(text):
        return ""
    wrong = [i for i, (a, b) in enumerate(zip(text, right, strict=True)) if a != b]
    if len(wrong) == 1:
        return f"one digit differs from {right}"
    if len(wrong) == 2 and text[wrong[0]] == right[wrong[1]] and text[wrong[1]] == right[wrong[0]]:
        return f"two digits have changed places against {right}"
    return ""
