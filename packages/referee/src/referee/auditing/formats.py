"""An audit as JSON, CSV or a Markdown page; the terminal output is separate."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from referee.auditing.audit import Audit, summarise
from referee.auditing.claims import AuditRow, AuditVerdict
from referee.auditing.explain.wording import format_value

FIELDS = ("source", "item", "printed", "recomputed", "low", "high", "verdict", "explanation")


def format_allowed_interval(row: AuditRow) -> str:
    """Return the interval that rounding allows, as text."""
    if row.low is None and row.high is None:
        return ""
    return format_value(row.low) if row.low == row.high else f"{format_value(row.low)} … {format_value(row.high)}"


def format_json(audits: Sequence[Audit]) -> str:
    """Return audits as JSON."""
    rows = [_round_floats(row) for a in audits for row in a.rows]
    findings = [
        {
            "paper": f.paper,
            "sentence": f.sentence,
            "rows": len(f.rows),
            "cells": [{"table": c.table, "row": c.row, "column": c.column} for c in f.cells],
        }
        for a in audits
        for f in a.findings
    ]
    content = {
        "summary": summarise(audits),
        "findings": findings,
        "corrections": [c.as_json() for a in audits for c in a.corrections],
        "assumptions": [asdict(assumption) for a in audits for assumption in a.assumptions],
        "rows": rows,
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False)


def _round_floats(row: AuditRow) -> dict[str, Any]:
    """Return a row with floats cut at ten digits, so that the text is the same on every machine."""
    values = asdict(row)
    return {k: float(f"{v:.10g}") if isinstance(v, float) else v for k, v in values.items()}


def format_csv(audits: Sequence[Audit]) -> str:
    """Return the rows of audits as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_round_floats(row) for a in audits for row in a.rows)
    return text.getvalue()


def format_markdown(audits: Sequence[Audit], *, every: bool = False) -> str:
    """Return a Markdown page: the findings of every paper, and its rows (failures, or all)."""
    parts = ["# Audit of printed tables", "", f"{summarise(audits)}.", ""]
    for a in audits:
        parts += [f"## {a.title}", "", a.citation, ""]
        parts += [f"- {finding.sentence}" for finding in a.findings] or ["All checked numbers follow."]
        rows = [r for r in a.rows if every or r.verdict is AuditVerdict.DOES_NOT_FOLLOW]
        if rows:
            parts += ["", "| source | item | printed | recomputed | allowed | verdict |", "|---|---|---|---|---|---|"]
            parts += [_format_line(row) for row in rows]
        parts.append("")
    return "\n".join(parts)


def _format_line(row: AuditRow) -> str:
    """Return a row of the audit as a row of a Markdown table."""
    cells = (
        row.source,
        row.item,
        format_value(row.printed),
        format_value(row.recomputed),
        format_allowed_interval(row),
        row.verdict.value,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
