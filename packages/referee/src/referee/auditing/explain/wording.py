"""The wording of failures: readable numbers, printed and recomputed values, and shortened lists."""

from __future__ import annotations

from collections.abc import Sequence

from referee.auditing.claims import AuditRow


def say_numbers(row: AuditRow, symbol: str = "") -> str:
    """Return the printed and the recomputed number in words.

    `symbol` names the latter if it differs in kind.
    """
    if row.recomputed is None:
        return f"{format_value(row.printed)} is printed, but it must lie between {format_value(row.low)} and {format_value(row.high)}"
    exact = row.low is None or row.low == row.high
    allowed = "" if exact else f" (rounding allows {format_value(row.low)} to {format_value(row.high)})"
    return f"{format_value(row.printed)} is printed, {symbol}{format_value(row.recomputed)} follows{allowed}"


def say_pairs(rows: Sequence[AuditRow]) -> str:
    """Return a text on several failures with different numbers, with the first three as examples."""
    pairs = [f"{format_value(row.printed)} instead of {format_value(row.recomputed)}" for row in rows[:3]]
    return f"printed {', '.join(pairs)}{' …' if len(rows) > 3 else ''}"


def list_items(items: Sequence[str]) -> str:
    """Return each name once; of more than three, only two."""
    names = list(dict.fromkeys(items))
    if len(names) > 3:
        return f"{names[0]}; {names[1]}; and {len(names) - 2} more"
    return "; ".join(names)


def format_value(value: float | str | None) -> str:
    """Return a value as text: whole numbers as such, others with about five digits."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if 0 < abs(value) < 1e-4:
        return f"{value:.1e}"
    if abs(value - round(value)) < 1e-9:
        return f"{value:.0f}"
    return f"{value:.4g}" if abs(value) < 1 else f"{value:.5g}" if abs(value) < 1000 else f"{value:.2f}"
