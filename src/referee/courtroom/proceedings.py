"""Bringing measures to court: sheets of values, every measure against every hearer measure, verdicts, and all of it as plain data (`referee court`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from referee.auditing.corrections import Correction
from referee.courtroom.corrected_verdicts import VerdictChange, compare_verdicts
from referee.courtroom.evidence import ALL, Evidence, SystemScores, try_sheet
from referee.courtroom.heard_evidence import ItemEvidence
from referee.courtroom.printed_evidence import PublishedSheets
from referee.courtroom.verdicts import Case, case_of, sum_up, sum_up_items

__all__ = ["Proceedings", "as_json", "hold_court", "hold_published_court"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Proceedings:
    """All that a court heard and said.

    For a printed table `corrected` is the same court on the table as corrected, and `changes` what that does to the verdicts.
    """

    source: str
    sheets: Sequence[SystemScores]
    evidence: Sequence[Evidence]
    cases: Sequence[Case]
    verdicts: Mapping[str, str]
    items: Sequence[ItemEvidence] = ()
    notes: Sequence[str] = ()
    corrected: Proceedings | None = None
    corrections: Sequence[Correction] = ()
    changes: Sequence[VerdictChange] = ()

    @property
    def best(self) -> Proceedings:
        """What the court goes by: the table as corrected where there is one."""
        return self.corrected or self


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


def hold_published_court(name: str, sheets: PublishedSheets) -> Proceedings:
    """Try a printed table as printed and as corrected, and compare."""
    printed = hold_court(name, sheets.printed, notes=sheets.notes)
    corrected = hold_court(name, sheets.corrected, notes=sheets.notes)
    changes = compare_verdicts(
        (printed.evidence, printed.cases),
        (corrected.evidence, corrected.cases),
        (hold_court(name, other).cases for other in sheets.elsewhere),
    )
    return replace(printed, corrected=corrected, corrections=sheets.corrections, changes=changes)


def _verdict(name: str, cases: Sequence[Case], items: Sequence[ItemEvidence]) -> str:
    over_systems = sum_up(name, [c for c in cases if c.automatic == name and c.domain is None])
    over_items = sum_up_items((i.hearer, i.kind, i.better, i.found) for i in items if i.automatic == name)
    return f"{over_systems} {over_items}".strip()


def as_json(proceedings: Proceedings) -> dict[str, Any]:
    """Everything as plain data; coefficients that are not defined are null.

    Rows say whether they rest on a table as printed (or given) or as corrected; verdicts are those as corrected.
    """
    told = {"printed": proceedings} | ({"corrected": proceedings.corrected} if proceedings.corrected else {})
    return {
        "source": proceedings.source,
        "systems": len(proceedings.sheets[0].without_people().systems) if proceedings.sheets else 0,
        "people": sorted({p for sheet in proceedings.sheets for p in sheet.people}),
        "verdicts": dict(proceedings.best.verdicts),
        "verdicts_as_printed": dict(proceedings.verdicts),
        "corrections": [c.as_json() for c in proceedings.corrections],
        "changes": [asdict(c) | {"turned": c.turned} for c in proceedings.changes],
        "cases": [{"as": way} | asdict(c) for way, p in told.items() for c in p.cases],
        "evidence": [{"as": way} | asdict(e) for way, p in told.items() for e in p.evidence],
        "items": [asdict(i) for i in proceedings.items],
        "notes": list(proceedings.notes),
    }
