"""Tables that fit the page: columns that do not fit go into a further table below, and nothing is cut."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

_GAP = 2


def fitted(
    heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, fixed: int = 1, title: str = "", left: int = 1
) -> list[Table]:
    """Return tables no wider than `width`, each with the first `fixed` columns.

    The first `left` are flush left.
    """
    from rich.table import Table
    from rich.text import Text

    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    first, parts = list(range(fixed)), _parts(widths, fixed, width)
    tables = []
    for i, part in enumerate(parts or [[]]):
        table = Table(
            title=title if i == 0 else None, title_justify="left", header_style="bold", box=None, pad_edge=False,
            padding=(0, _GAP, 0, 0),
        )  # fmt: skip
        for column in [*first, *part]:
            table.add_column(heads[column], justify="left" if column < left else "right", overflow="fold")
        for row in rows:
            table.add_row(*(Text(row[column]) for column in [*first, *part]))
        tables.append(table)
    return tables


def _parts(widths: Sequence[int], fixed: int, width: int) -> list[list[int]]:
    left = width - sum(w + _GAP for w in widths[:fixed])
    parts: list[list[int]] = []
    used = 0
    for column in range(fixed, len(widths)):
        need = widths[column] + _GAP
        if not parts or used + need > left + _GAP:
            parts.append([])
            used = 0
        parts[-1].append(column)
        used += need
    return parts
