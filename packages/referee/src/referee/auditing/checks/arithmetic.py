"""Checks by arithmetic alone.

Overall means from parts, shares from whole counts, ranges, orders, and numbers that are printed twice.
"""

from __future__ import annotations

import numpy as np

from referee.auditing.checks.sizes import Sizes, make_weighted_mean
from referee.auditing.claims import PrintedClaim, Unknown
from referee.auditing.intervals import Compute
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.plain_claims import CountClaim, OrderClaim, RangeClaim
from referee.auditing.printed import Number, PrintedTable
from referee.auditing.value_claims import ValueClaim
from referee.contracts import FloatArray


def check_overall_means(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims that a mean over all items follows from the means of its parts."""
    table = paper.table(section.get_required("table", str), section)
    parts, whole = section.names("parts"), section.get_required("whole", str)
    sizes, without = Sizes(section, len(parts)), section.get("without", [], list)
    table.require(*parts, whole)
    claims: list[PrintedClaim] = []
    for label in table.labels:
        if label not in without:
            claims.append(_make_overall_claim(table, label, parts, whole, sizes, paper, section))
    return claims


def _make_overall_claim(
    table: PrintedTable, label: str, parts: list[str], whole: str, sizes: Sizes, paper: Paper, section: CheckSection
) -> PrintedClaim:
    """Return the claim on one overall mean."""
    subject = section.subject(paper, table, f"{label}, {whole}")
    # Not snapped to a whole count: the number under test must not be corrected first.
    printed = table.get_interval(label, whole)
    numbers = [table.number(label, part) for part in parts]
    inputs = tuple(n for n in numbers if n is not None)
    if printed is None or len(inputs) < len(parts):
        return Unknown(subject=subject, because="a cell is empty", printed=printed)
    n = sizes.of(inputs, printed)
    # Without counts only the bounds of a mean are known.
    if n is None:
        because = f"a mean lies between its parts ({', '.join(parts)})"
        return RangeClaim(
            subject=subject, because=because, printed=printed, low=-np.inf, high=np.inf, low_of=inputs, high_of=inputs
        )
    because = f"mean of {' and '.join(parts)} with n = {' and '.join(map(str, n))}"
    # Bohnet's overall scores of 2008 and 2009 are such means, of domains of 80 and 68 items.
    plain = ("it is the plain mean of the parts, not weighted by their counts", make_weighted_mean([1] * len(n)))
    return ValueClaim(
        subject=subject,
        because=because,
        printed=printed,
        inputs=inputs,
        compute=make_weighted_mean(n),
        otherwise=() if len(set(n)) == 1 else (plain,),
        is_mean=True,
        adapt=sizes.make_mean if sizes.missing else None,
    )


def check_ranges(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims that printed values lie within the range of their measure."""
    table = paper.table(section.get_required("table", str), section)
    low, high = (section.get(k, d, (int, float, str)) for k, d in (("low", -np.inf), ("high", np.inf)))
    claims: list[PrintedClaim] = []
    for column in section.names("columns"):
        for label in table.labels:
            number = table.get_interval(label, column)
            columns = [b for b in (low, high) if isinstance(b, str)]
            others = {b: table.number(label, b) for b in columns}
            if number is None or None in others.values():
                continue
            subject = section.subject(paper, table, f"{label}, {column}")
            because = f"{column} lies between {low} and {high}"
            claims.append(
                RangeClaim(
                    subject=subject,
                    because=because,
                    printed=number,
                    low=-np.inf if isinstance(low, str) else float(low),
                    high=np.inf if isinstance(high, str) else float(high),
                    low_of=tuple(n for n in (others.get(str(low)),) if n is not None),
                    high_of=tuple(n for n in (others.get(str(high)),) if n is not None),
                )
            )
    return claims


def check_counts(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims that proportions are whole counts; none if the print is too coarse to decide."""
    table = paper.table(section.get_required("table", str), section)
    n, missing, scale = section.get_required("n", int), section.get("missing", 0, int), section.scale()
    if not 0 <= missing < n:
        raise section.make_mistake(f"n = {n}, missing = {missing}", "n is a whole number above `missing`")
    possible = tuple(range(n, n - missing - 1, -1))
    claims: list[PrintedClaim] = []
    for column in section.names("columns"):
        for label in table.labels:
            number = table.get_interval(label, column)
            if number is None or _is_too_coarse(number, possible, scale):
                continue
            because = f"a share of {n} items" + (f" (at most {missing} missing)" if missing else "") + " is k/n"
            subject = section.subject(paper, table, f"{label}, {column}")
            claims.append(CountClaim(subject=subject, because=because, printed=number, sizes=possible, scale=scale))
    return claims


def _is_too_coarse(number: Number, possible: tuple[int, ...], scale: float) -> bool:
    # An interval as wide as the step from one count to the next always holds a count.
    return any(2 * number.half >= scale / n for n in possible)


def order(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims that printed rows are in the order of a column, of the same table or of another one (`scores`)."""
    table = paper.table(section.get_required("table", str), section)
    scores = paper.table(section.get("scores", table.id, str), section)
    by, way = section.get_required("by", str), section.get_required("way", str)
    if way not in ("rising", "falling"):
        raise section.make_mistake(f"way = {way!r}", 'write "rising" or "falling"')
    label = section.get("label", None, str)
    rows = [table.text(row, label) if label else row for row in table.labels]
    ranked_rows = [row for row in rows if row not in section.get("without", [], list)]
    numbers = tuple(n for n in (scores.number(row, by) for row in ranked_rows) if n is not None)
    subject = section.subject(paper, table, f"order of rows by {by}")
    return [OrderClaim(subject=subject, because=f"rows are sorted by {by}", numbers=numbers, rising=way == "rising")]


def check_repeated_numbers(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims that a number printed in two tables is the same, perhaps with other digits."""
    table = paper.table(section.get_required("table", str), section)
    other = paper.table(section.get_required("other", str), section)
    rows, columns = section.get("rows", {}, dict), section.get_required("columns", dict)
    claims: list[PrintedClaim] = []
    for label in table.labels:
        other_label = rows.get(label, label)
        if other_label not in other.labels:
            continue
        for column, other_column in columns.items():
            claims += _make_repetition_claim(
                table, label, column, other.number(other_label, other_column), other, paper, section
            )
    return claims


def _make_repetition_claim(
    table: PrintedTable,
    label: str,
    column: str,
    other_number: Number | None,
    other: PrintedTable,
    paper: Paper,
    section: CheckSection,
) -> list[PrintedClaim]:
    """Return the claim that a number that is printed twice is the same."""
    here = table.get_interval(label, column)
    if here is None or other_number is None:
        return []
    subject = section.subject(paper, table, f"{label}, {column}")
    because = f"{other.name} prints {other_number.text} for the same number"
    return [ValueClaim(subject=subject, because=because, printed=here, inputs=(other_number,), compute=_return_value)]


def _return_value(points: FloatArray) -> FloatArray:
    return points[:, 0]


def check_totals(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return claims that a number is the sum over the rows of one or more columns."""
    table = paper.table(section.get_required("table", str), section)
    columns, without = section.names("columns"), section.get("without", [], list)
    target_table, row, column = paper.cell(section.get_required("target", str), section)
    cells = [n for c in columns for _, n in table.column(c, without)]
    inputs = tuple(n for n in cells if n is not None)
    subject = section.subject(paper, target_table, f"{row}, {column}")
    printed = target_table.number(row, column)
    if printed is None or len(inputs) < len(cells):
        return [Unknown(subject=subject, because="a cell is empty", printed=printed)]
    because = f"sum of {len(inputs)} cells ({', '.join(columns)} of {table.name})"
    # A row left out of the sum is tried as the author's formula.
    omissions = tuple(
        (f"it is the sum without {n.place.row} ({n.text})", _sum_without(i)) for i, n in enumerate(inputs)
    )
    return [
        ValueClaim(
            subject=subject, because=because, printed=printed, inputs=inputs, compute=_sum_points, otherwise=omissions
        )
    ]


def _sum_points(points: FloatArray) -> FloatArray:
    """Return the sum of every point."""
    return np.asarray(points.sum(axis=1))


def _sum_without(index: int) -> Compute:
    return lambda points: np.asarray(points.sum(axis=1) - points[:, index])
