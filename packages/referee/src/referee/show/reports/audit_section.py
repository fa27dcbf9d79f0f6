"""The audit of printed tables as a chapter.

Findings in sentences, every number that does not follow, and the register of corrections.
"""

from __future__ import annotations

from collections.abc import Sequence

from referee.auditing.audit import Audit, summarise
from referee.auditing.claims import AuditVerdict
from referee.auditing.corrections import Correction, read_register
from referee.auditing.explain.wording import format_value
from referee.auditing.formats import format_allowed_interval
from referee.show.pages import render
from referee.show.reports.section import Section
from referee.show.reports.sheets import Cell, Sheet


def audit_section(audits: Sequence[Audit]) -> Section:
    """Return the section on audits: checks per paper, failures, and the rows behind them."""
    failed = [row for a in audits for row in a.rows if row.verdict is AuditVerdict.DOES_NOT_FOLLOW]
    rows = [
        (
            Cell(r.source),
            Cell(r.item),
            Cell(format_value(r.printed)),
            Cell(format_value(r.recomputed)),
            Cell(format_allowed_interval(r)),
        )
        for r in failed
    ]
    sheet = Sheet(
        name="audit",
        corpus="printed tables",
        title="Numbers that do not follow from other printed numbers",
        header=("source", "item", "printed", "recomputed", "allowed"),
        rows=tuple(rows),
        left=2,
    )
    texts = (
        f"{summarise(audits)}.",
        "A printed number represents every value that rounds to it; only differences that rounding cannot explain are listed.",
    )
    # The shipped register, not this audit's results, so that report and court show the same corrections.
    register = [c for c in read_register() if c.paper in {a.paper for a in audits}]
    sheets = ((sheet,) if rows else ()) + ((_build_corrections_sheet(register),) if register else ())
    return Section(
        name="audit",
        title="Audit of printed tables",
        texts=texts,
        html=render("report/audits.html", audits=audits),
        sheets=sheets,
        data={
            "audit-all": [
                {k: getattr(r, k) for k in ("source", "item", "printed", "recomputed", "low", "high")}
                | {"verdict": r.verdict.value}
                for a in audits
                for r in a.rows
            ]
        },
    )


def _build_corrections_sheet(register: Sequence[Correction]) -> Sheet:
    """Return the register of corrections as a table with one row per cell."""
    rows = [
        tuple(
            Cell(text) for text in (c.paper, c.table, c.row, c.column, c.printed, _format_corrected_value(c), c.check)
        )
        for c in register
    ]
    return Sheet(
        name="corrections",
        corpus="printed tables",
        title="The correct values, where the printed numbers determine them",
        header=("paper", "table", "row", "column", "from", "to", "found by"),
        rows=tuple(rows),
        left=4,
    )


def _format_corrected_value(c: Correction) -> str:
    return format_value(c.low) if c.exact else f"{format_value(c.low)} … {format_value(c.high)}"
