"""Names in the order people expect: s2t1 before s10t1."""

from __future__ import annotations

import re

__all__ = ["natural"]


def natural(name: str) -> tuple[tuple[int, int | str], ...]:
    """A sort key that reads the numbers inside names as numbers."""
    parts = re.split(r"([0-9]{1,18})", name)
    return tuple((0, int(p)) if p.isascii() and p.isdecimal() else (1, p) for p in parts if p)
