"""Correlation tables follow from score tables.

Pearson's r over one number per system, with stars (as in Belz & Gatt 2008, Table 2).

A pair that is printed twice (above and below the diagonal) is checked once where both prints agree, and twice where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from referee.auditing.claims import PrintedClaim, Unknown
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import CellPlace, Number, PrintedTable
from referee.auditing.value_claims import StarsClaim, ValueClaim
from referee.contracts import FloatArray
from referee.statistics.correlation import critical_r


@dataclass(frozen=True, slots=True)
class _PrintedPair:
    a: str
    b: str
    r: Number | None
    stars: int | None
    stars_at: CellPlace | None = None


def check_correlations(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return one claim per printed r, and one per printed number of stars."""
    printed = paper.table(section.get_required("printed", str), section)
    pairs = (
        _iterate_matrix_pairs(printed, section)
        if section.get("form", "pairs") == "matrix"
        else _iterate_listed_pairs(printed, section)
    )
    scores = _Scores(paper, section)
    claims: list[PrintedClaim] = []
    for pair in _drop_repeated_pairs(pairs):
        claims += _make_claims(pair, printed, scores, section)
    return claims


def _iterate_listed_pairs(table: PrintedTable, section: CheckSection) -> Iterator[_PrintedPair]:
    """Yield the printed correlations of a table with a row per pair."""
    a, b = section.get("a", "measure_a", str), section.get("b", "measure_b", str)
    r, stars = section.get("r", "r", str), section.get("stars", None, str)
    table.require(a, b, r, *([stars] if stars else []))
    for label in table.labels:
        yield _PrintedPair(
            table.text(label, a),
            table.text(label, b),
            table.number(label, r),
            _count_stars(table, label, stars, section),
            table.place(label, stars) if stars else None,
        )


def _count_stars(table: PrintedTable, label: str, column: str | None, section: CheckSection) -> int | None:
    """Return stars as a number or as stars; an empty cell has none."""
    if column is None:
        return None
    text = table.text(label, column)
    if not text or text.isdigit():
        return int(text or 0)
    if set(text) != {"*"}:
        raise section.make_mistake(f"{text!r} are not stars ({table.name}, {label})", "write 0, 1, 2 or *, **")
    return len(text)


def _iterate_matrix_pairs(table: PrintedTable, section: CheckSection) -> Iterator[_PrintedPair]:
    """Yield the printed correlations of a square matrix (or half of one): the first column names the rows, cells have
    stars.
    """
    starred = section.get("stars", False, bool)
    for label in table.labels:
        for column in table.columns[1:]:
            number = table.number(label, column)
            if number is not None and label != column:
                yield _PrintedPair(label, column, number, number.stars if starred else None, number.place)


def _drop_repeated_pairs(pairs: Iterator[_PrintedPair]) -> Iterator[_PrintedPair]:
    """Yield each pair once, without the diagonal."""
    seen = set()
    for pair in pairs:
        value = None if pair.r is None else pair.r.value
        key = (frozenset((pair.a, pair.b)), value, pair.stars)
        # The diagonal says nothing.
        if key not in seen and not (pair.a == pair.b and value == 1):
            seen.add(key)
            yield pair


class _Scores:
    """The columns behind the names of measures: one column, or several whose mean is meant."""

    def __init__(self, paper: Paper, section: CheckSection) -> None:
        self.paper, self.section = paper, section
        self.default = section.get("scores", None, str)
        self.columns = section.get("columns", {}, dict)
        self.without = set(section.get("without", [], list))

    def column(self, measure: str) -> dict[str, tuple[Number, ...]]:
        """Return every row that has all parts of a measure."""
        parts = self.columns.get(measure, measure)
        numbers_by_row: dict[str, list[Number]] = {}
        for part in [parts] if isinstance(parts, str) else parts:
            table, column = self._find_column(part)
            for label, number in table.column(column, tuple(self.without)):
                if number is not None:
                    numbers_by_row.setdefault(label, []).append(number)
        # A row that lacks a part of a measure would enter with another mean.
        width = max(map(len, numbers_by_row.values()), default=0)
        return {label: tuple(numbers) for label, numbers in numbers_by_row.items() if len(numbers) == width}

    def _find_column(self, part: str) -> tuple[PrintedTable, str]:
        """Return the table and column of a score."""
        if self.default is None or ":" in part:
            id, _, column = part.partition(":")
            return self.paper.table(id, self.section), column
        return self.paper.table(self.default, self.section), part


def _make_claims(
    pair: _PrintedPair, printed: PrintedTable, scores: _Scores, section: CheckSection
) -> list[PrintedClaim]:
    """Return the claims on one printed correlation and its stars."""
    a, b = scores.column(pair.a), scores.column(pair.b)
    rows = [label for label in a if label in b]
    item, n = f"r({pair.a}, {pair.b})", len(rows)
    because = f"Pearson's r of {pair.a} and {pair.b} over {n} rows"
    subject = section.subject(scores.paper, printed, item)
    if n < 3:
        few = f"{n} rows have both {pair.a} and {pair.b}; a correlation needs three"
        return [Unknown(subject=subject, because=few, printed=pair.r)]
    inputs = tuple(x for label in rows for x in (*a[label], *b[label]))
    compute = _correlate(n, len(a[rows[0]]), len(b[rows[0]]))
    # Where only stars are printed, r is still needed to judge them, but nothing is claimed about it.
    nothing = Number(text="", value=0.0, half=0.0, place=inputs[0].place)
    value = ValueClaim(subject=subject, because=because, printed=pair.r or nothing, inputs=inputs, compute=compute)
    claims: list[PrintedClaim] = [] if pair.r is None else [value]
    everywhere = section.get("all_significant", False, bool)
    at_least = section.get("at_least", False, bool) or everywhere
    levels = section.get("levels", [0.05, 0.01], list)
    stars = 1 if everywhere else pair.stars
    if stars is not None:
        claims.append(_make_stars_claim(pair, stars, value, n, levels, at_least))
    return claims


def _make_stars_claim(
    pair: _PrintedPair, printed: int, r: ValueClaim, n: int, levels: list[float], at_least: bool
) -> StarsClaim:
    """Return the claim on the stars of a correlation."""
    critical = tuple(critical_r(n, level) or np.inf for level in levels)
    needed = ", ".join(f"{c:.3f} for p ≤ {p:g}" for c, p in zip(critical, levels, strict=True))
    subject = r.subject._replace(item=f"stars of {r.subject.item}")
    because = f"|r| needs {needed} (n = {n})"
    return StarsClaim(
        subject=subject,
        because=because,
        printed=printed,
        r=r,
        critical=critical,
        at_least=at_least,
        place=pair.stars_at,
    )


def _correlate(n: int, parts_a: int, parts_b: int) -> Compute:
    """Return Pearson's r for many versions of the same columns at once; NaN where a column does not vary."""

    def compute(points: FloatArray) -> FloatArray:
        """Return Pearson's r of every point; NaN where a column is constant."""
        numbers = points.reshape(len(points), n, parts_a + parts_b)
        x, y = numbers[:, :, :parts_a].mean(axis=2), numbers[:, :, parts_a:].mean(axis=2)
        x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
        spread = np.sqrt((x * x).sum(axis=1) * (y * y).sum(axis=1))
        # On the scale of the numbers: the rest of a constant column is rounding.
        flat = spread <= 1e-12 * np.abs(numbers).max(axis=(1, 2)) ** 2
        return np.asarray(np.divide((x * y).sum(axis=1), spread, out=np.full(len(points), np.nan), where=~flat))

    return compute
