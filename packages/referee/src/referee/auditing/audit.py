"""The audit: judges every claim of a paper and groups the failures into a few findings of one sentence each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from referee.auditing.checks.assumptions import Assumption, list_assumptions
from referee.auditing.checks.table import expand
from referee.auditing.claims import AuditRow, AuditVerdict, PrintedClaim, Remedy
from referee.auditing.corrections import Correction
from referee.auditing.explain.findings import FoundOut, gather
from referee.auditing.paper import Paper
from referee.auditing.printed import CellPlace


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that does not follow, once for all the rows (by position) that it concerns, with its corrections.

    `cells` are at most three cells, the most probable first, of which one is misprinted.
    """

    paper: str
    sentence: str
    rows: tuple[int, ...]
    corrections: tuple[Correction, ...] = ()
    cells: tuple[CellPlace, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """The results for one paper: a row per claim, and the findings."""

    paper: str
    title: str
    citation: str
    rows: tuple[AuditRow, ...]
    findings: tuple[Finding, ...]
    assumptions: tuple[Assumption, ...]

    @property
    def corrections(self) -> tuple[Correction, ...]:
        return tuple(c for finding in self.findings for c in finding.corrections)

    @property
    def verdicts(self) -> Counter[AuditVerdict]:
        return Counter(row.verdict for row in self.rows)


def audit(paper: Paper) -> Audit:
    """Judge every claim of a paper and explain the failures."""
    claims = expand(paper)
    rows = [claim.judge() for claim in claims]
    discoveries = gather(claims, rows, [section.values.get("about", "") for section in paper.checks])
    findings = tuple(_make_finding(paper, f, claims) for f in discoveries)
    for finding in findings:
        for i in finding.rows:
            rows[i] = replace(rows[i], explanation=f"{finding.sentence} [{rows[i].explanation}]")
    return Audit(
        paper=paper.name,
        title=paper.title,
        citation=paper.citation,
        rows=tuple(rows),
        findings=findings,
        assumptions=list_assumptions(paper),
    )


def _make_finding(paper: Paper, discovery: FoundOut, claims: Sequence[PrintedClaim]) -> Finding:
    """Return a discovery as a finding with its corrections."""
    kinds = dict.fromkeys(str(paper.checks[claims[i].subject.check].values["kind"]) for i in discovery.rows)
    corrections = tuple(
        Correction(
            paper=paper.name,
            table=remedy.place.id,
            row=remedy.place.row,
            column=remedy.place.column,
            printed=remedy.printed,
            low=remedy.low,
            high=remedy.high,
            why=discovery.sentence,
            check=", ".join(kinds),
        )
        for remedy in _drop_repeated_corrections(discovery.remedies)
    )
    return Finding(
        paper=paper.name,
        sentence=discovery.sentence,
        rows=discovery.rows,
        corrections=corrections,
        cells=discovery.suspects,
    )


def _drop_repeated_corrections(remedies: Iterable[Remedy]) -> Iterable[Remedy]:
    """Return each correction once: several claims may concern the same cell."""
    return {remedy.place: remedy for remedy in remedies}.values()


def summarise(audits: Iterable[Audit]) -> str:
    """Return the first line: the number of findings, then the outcomes of the numbers behind them."""
    done = list(audits)
    counts = sum((a.verdicts for a in done), Counter[AuditVerdict]())
    finding_count = sum(len(a.findings) for a in done)
    summary = f"{_format_count(finding_count, 'finding')} in {_format_count(len(done), 'paper')}; {sum(counts.values())} numbers checked: "
    summary += f"{counts[AuditVerdict.FOLLOWS]} follow, {counts[AuditVerdict.ROUNDING]} within rounding, "
    summary += f"{counts[AuditVerdict.DOES_NOT_FOLLOW]} do not follow"
    unknown = counts[AuditVerdict.UNDETERMINED]
    return summary + (f", {unknown} cannot be determined" if unknown else "")


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
