"""Names in the order people expect: s2t1 before s10t1."""

from __future__ import annotations

import re


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key that reads the numbers inside names as numbers."""
    # Eighteen digits at most, so that no name holds a number that Python refuses to convert.
    parts = re.split(r"([0-9]{1,18})", name)
    # Tagged, since numbers and text cannot be compared with each other.
    return tuple((0, int(p)) if p.isascii() and p.isdecimal() else (1, p) for p in parts if p)
