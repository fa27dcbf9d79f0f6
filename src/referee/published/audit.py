"""The audit: every claim of a paper judged, and what does not follow gathered into a few findings, each said in a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from referee.published.checks import expand
from referee.published.claims import Claim, CountClaim, Row, ValueClaim, Verdict
from referee.published.detective import explain
from referee.published.paper import Paper
from referee.published.slips import describe_slip

__all__ = ["Audit", "Finding", "audit", "summarise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that does not follow, said once for all the rows it concerns."""

    paper: str
    sentence: str
    rows: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """What came out for one paper: a row per claim, and the findings."""

    paper: str
    title: str
    citation: str
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]

    @property
    def verdicts(self) -> Counter[Verdict]:
        return Counter(row.verdict for row in self.rows)


def audit(paper: Paper) -> Audit:
    """Judge every claim of a paper and explain what does not follow."""
    claims = expand(paper)
    rows = [claim.judge() for claim in claims]
    failed = [i for i, row in enumerate(rows) if row.verdict is Verdict.DOES_NOT_FOLLOW]
    found = [(e.sentence, e.claims) for e in explain(claims, failed)]
    explained = {i for _, indices in found for i in indices}
    found += _grouped([i for i in failed if i not in explained], claims, rows, paper)
    findings = tuple(Finding(paper=paper.name, sentence=s, rows=tuple(indices)) for s, indices in found)
    for finding in findings:
        for i in finding.rows:
            rows[i] = replace(rows[i], explanation=f"{rows[i].explanation}. {finding.sentence}")
    return Audit(
        paper=paper.name, title=paper.title, citation=paper.citation, rows=tuple(rows), findings=findings
    )


def _grouped(
    failed: Sequence[int], claims: Sequence[Claim], rows: Sequence[Row], paper: Paper
) -> list[tuple[str, tuple[int, ...]]]:
    """Failures of one check that read alike (or say the same two numbers) belong into one sentence."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for i in failed:
        slip = describe_slip(claims[i])
        same_numbers = (rows[i].source, rows[i].printed, rows[i].recomputed) if not isinstance(claims[i], CountClaim) else i
        column = rows[i].item.rpartition(", ")[2]
        groups.setdefault((claims[i].check, slip, column) if _many(failed, claims, i) else (same_numbers,), []).append(i)
    return [(_sentence(indices, claims, rows, paper), tuple(indices)) for indices in groups.values()]


def _many(failed: Sequence[int], claims: Sequence[Claim], index: int) -> bool:
    """Whether the check of a claim failed at least three times."""
    return sum(claims[i].check == claims[index].check for i in failed) >= 3


def _sentence(indices: Sequence[int], claims: Sequence[Claim], rows: Sequence[Row], paper: Paper) -> str:
    first = rows[indices[0]]
    table = first.source.removeprefix(f"{paper.name}, ")
    items = _listed([rows[i].item for i in indices])
    about = paper.checks[claims[indices[0]].check].values.get("about", "")
    numbers = f"{shown(first.printed)} is printed, {_implied(first)}" if len({rows[i].printed for i in indices}) == 1 else ""
    slip = describe_slip(claims[indices[0]])
    outside = _outside(indices, claims)
    parts = [f"{table}: {items}", numbers or _range(indices, rows), slip, outside, about]
    return "; ".join(part for part in parts if part)


def _implied(row: Row) -> str:
    if row.recomputed is None:
        return f"but it must lie between {shown(row.low)} and {shown(row.high)}"
    exact = row.low is None or row.low == row.high
    return f"but {shown(row.recomputed)} follows" + ("" if exact else f" (rounding allows {shown(row.low)} to {shown(row.high)})")


def _range(indices: Sequence[int], rows: Sequence[Row]) -> str:
    """Several failures with different numbers: the first two as examples."""
    pairs = [f"{shown(rows[i].printed)} for {shown(rows[i].recomputed)}" for i in indices[:2] if rows[i].recomputed is not None]
    return f"printed {', '.join(pairs)}{' …' if len(indices) > 2 else ''}" if pairs else ""


def _outside(indices: Sequence[int], claims: Sequence[Claim]) -> str:
    """A mean outside its parts is impossible whatever the counts."""
    values = [c for i in indices if isinstance(c := claims[i], ValueClaim) and c.because.startswith("mean of")]
    beyond = [c for c in values if not min(n.low for n in c.inputs) <= c.printed.value <= max(n.high for n in c.inputs)]
    return "no mean of these parts, whatever their counts, can be that" if beyond and len(beyond) == len(indices) else ""


def _listed(items: Sequence[str]) -> str:
    if len(items) <= 3:
        return " and ".join(items) if len(items) < 3 else f"{items[0]}, {items[1]} and {items[2]}"
    return f"{items[0]} and {len(items) - 1} more"


def shown(value: float | str | None) -> str:
    """A value for reading: up to four decimals, and at least four significant digits."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:.0f}" if abs(value - round(value)) < 1e-9 else f"{value:.4g}" if abs(value) < 1 else f"{value:.7g}" if abs(value) >= 1000 else f"{value:.5g}"


def summarise(audits: Iterable[Audit]) -> str:
    """The first line: how many numbers were checked, and how they came out."""
    audits = list(audits)
    counts = sum((a.verdicts for a in audits), Counter[Verdict]())
    papers = "1 paper" if len(audits) == 1 else f"{len(audits)} papers"
    said = f"{sum(counts.values())} numbers checked in {papers}: {counts[Verdict.FOLLOWS]} follow, "
    said += f"{counts[Verdict.ROUNDING]} within rounding, {counts[Verdict.DOES_NOT_FOLLOW]} do not follow"
    open_ = counts[Verdict.UNDETERMINED]
    return said + (f", {open_} cannot be determined" if open_ else "")
