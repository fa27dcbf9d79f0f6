"""The audit: every claim of a paper judged, and what does not follow gathered into a few findings, each said in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from referee.auditing.checks.table import expand
from referee.auditing.claims import AuditRow, AuditVerdict
from referee.auditing.explain.findings import gather
from referee.auditing.paper import Paper

__all__ = ["Audit", "Finding", "audit", "summarise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that does not follow, said once for all the rows (by position) that it concerns."""

    paper: str
    sentence: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What came out for one paper: a row per claim, and the findings."""

    paper: str
    title: str
    citation: str
    rows: tuple[AuditRow, ...]
    findings: tuple[Finding, ...]

    @property
    def verdicts(self) -> Counter[AuditVerdict]:
        return Counter(row.verdict for row in self.rows)


def audit(paper: Paper) -> Audit:
    """Judge every claim of a paper and explain what does not follow."""
    claims = expand(paper)
    rows = [claim.judge() for claim in claims]
    found = gather(claims, rows, [section.values.get("about", "") for section in paper.checks])
    findings = tuple(Finding(paper=paper.name, sentence=f.sentence, rows=f.rows) for f in found)
    for finding in findings:
        for i in finding.rows:
            rows[i] = replace(rows[i], explanation=f"{finding.sentence} [{rows[i].explanation}]")
    return Audit(paper=paper.name, title=paper.title, citation=paper.citation, rows=tuple(rows), findings=findings)


def summarise(audits: Iterable[Audit]) -> str:
    """The first line: how many numbers were checked, and how they came out."""
    done = list(audits)
    counts = sum((a.verdicts for a in done), Counter[AuditVerdict]())
    papers = "1 paper" if len(done) == 1 else f"{len(done)} papers"
    said = f"{sum(counts.values())} numbers checked in {papers}: {counts[AuditVerdict.FOLLOWS]} follow, "
    said += f"{counts[AuditVerdict.ROUNDING]} within rounding, {counts[AuditVerdict.DOES_NOT_FOLLOW]} do not follow"
    unknown = counts[AuditVerdict.UNDETERMINED]
    return said + (f", {unknown} cannot be determined" if unknown else "")
