"""Means of two groups of systems (with and without some property) and the mean over all of them determine how many systems are in each.

Nobody prints which systems are in a group, but the same split must serve every measure: the number that suits most of them is taken, and the
others are held to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from referee.auditing.claims import PrintedClaim, ValueClaim
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import Number, PrintedTable
from referee.contracts import FloatArray

__all__ = ["groups"]


def groups(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """One claim per measure: the mean of the second group follows from that of the first and from the scores of all systems."""
    table = paper.table(section.need("table", str), section)
    scores = paper.table(section.need("scores", str), section)
    pair, columns = section.names("groups"), section.need("columns", dict)
    if len(pair) != 2:
        raise section.mistake(f"groups = {pair}", "name two columns, one for each group")
    known: dict[str, tuple[Number, Number, tuple[Number, ...]]] = {}
    for row, column in columns.items():
        first, second = (table.number(row, c) for c in pair)
        numbers = tuple(n for _, n in scores.column(column, section.get("without", [], list)) if n is not None)
        if first is not None and second is not None and len(numbers) > 1:
            known[row] = first, second, numbers
    claims: dict[int, list[PrintedClaim]] = {}
    for size in range(1, min((len(n) for *_, n in known.values()), default=1)):
        claims[size] = [_claim(paper, section, table, row, pair[1], *k, size) for row, k in known.items()]
    return max(claims.values(), key=lambda tried: sum(claim.fits() for claim in tried), default=[])


def _claim(
    paper: Paper,
    section: CheckSection,
    table: PrintedTable,
    row: str,
    column: str,
    first: Number,
    second: Number,
    scores: Sequence[Number],
    size: int,
) -> PrintedClaim:
    total = len(scores)
    subject = section.subject(paper, table, f"{row}, {column}")
    because = f"{first.place.column} of {total - size} and {column} of {size} systems make up the mean of all {total}"
    return ValueClaim(
        subject=subject, because=because, printed=second, inputs=(first, *scores), compute=_rest(total, size)
    )


def _rest(total: int, size: int) -> Compute:
    """The mean of a group from the mean of the others (first input) and the scores of all (the rest)."""

    def compute(points: FloatArray) -> FloatArray:
        return np.asarray((points[:, 1:].sum(axis=1) - (total - size) * points[:, 0]) / size)

    return compute
