"""Bringing measures to court: sheets of values, every measure against every hearer measure, verdicts, and all of it as plain data (`referee court`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from referee.courtroom.evidence import ALL, Evidence, SystemScores, try_sheet
from referee.courtroom.heard_evidence import ItemEvidence
from referee.courtroom.verdicts import Case, case_of, sum_up, sum_up_items

__all__ = ["Proceedings", "as_json", "hold_court"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceedings:
    """All that a court heard and said."""

    source: str
    sheets: Sequence[SystemScores]
    evidence: Sequence[Evidence]
    cases: Sequence[Case]
    verdicts: Mapping[str, str]
    items: Sequence[ItemEvidence] = ()
    notes: Sequence[str] = ()


def hold_court(
    source: str, sheets: Sequence[SystemScores], items: Sequence[ItemEvidence] = (), notes: Sequence[str] = ()
) -> Proceedings:
    """Try every sheet; verdicts rest on systems only, and say what people as rows would change."""
    evidence = [e for sheet in sheets for e in try_sheet(sheet)]
    together = {(e.domain, e.automatic, e.hearer): e for e in evidence if e.rows != ALL}
    cases = [case_of(e, together.get((e.domain, e.automatic, e.hearer))) for e in evidence if e.rows == ALL]
    names = dict.fromkeys(c.automatic for c in cases)
    verdicts = {name: _verdict(name, cases, items) for name in names}
    return Proceedings(
        source=source, sheets=sheets, evidence=evidence, cases=cases, verdicts=verdicts, items=items, notes=notes
    )


def _verdict(name: str, cases: Sequence[Case], items: Sequence[ItemEvidence]) -> str:
    over_systems = sum_up(name, [c for c in cases if c.automatic == name and c.domain is None])
    over_items = sum_up_items((i.hearer, i.kind, i.better, i.found) for i in items if i.automatic == name)
    return f"{over_systems} {over_items}".strip()


def as_json(proceedings: Proceedings) -> dict[str, Any]:
    """Everything as plain data; coefficients that are not defined are null."""
    return {
        "source": proceedings.source,
        "systems": len(proceedings.sheets[0].without_people().systems) if proceedings.sheets else 0,
        "people": sorted({p for sheet in proceedings.sheets for p in sheet.people}),
        "verdicts": dict(proceedings.verdicts),
        "cases": [asdict(c) for c in proceedings.cases],
        "evidence": [asdict(e) for e in proceedings.evidence],
        "items": [asdict(i) for i in proceedings.items],
        "notes": list(proceedings.notes),
    }
