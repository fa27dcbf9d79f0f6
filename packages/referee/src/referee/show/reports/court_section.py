"""The court as a chapter of a report: the verdicts on the measures used, the evidence behind them, and the figure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from referee.courtroom.evidence import ALL, Evidence
from referee.courtroom.proceedings import Proceedings, count_pairs
from referee.show.pages import render
from referee.show.reports.court_figure import build_court_figure
from referee.show.reports.court_page import build_evidence_rows
from referee.show.reports.report_figures import CELL, Figure
from referee.show.reports.section import Section
from referee.show.reports.sheets import Cell, Sheet

NAME, TITLE = "court", "The court's verdicts on the measures"
NO_COURT = (
    "No court was held: this run has no answers (referee listen RUN --hearer NAME, or --people for people's answers)."
)


def build_court_section(label: str, court: Proceedings | str) -> Section:
    """Return the section on the court's verdicts; a text as `court` is the reason why it has none."""
    if isinstance(court, str):
        return Section(name=NAME, title=TITLE, texts=(court,))
    counts = count_pairs(court.cases)
    texts = [
        f"Every measure was tested against every hearer measure: {counts['pairs']} pairs, {counts['tried']} "
        "of which could be tested. A verdict needs agreement over families of systems that does not depend on a single "
        "family; `referee docs court` has the rules.",
        *(f"Warning: {w}." for w in court.warnings),
    ]
    tried = [e for e in court.evidence if e.domain is None and e.rows == ALL and e.n]
    drawn = [e for e in court.evidence if e.domain is None and e.pearson.r is not None]
    return Section(
        name=NAME,
        title=TITLE,
        texts=tuple(texts),
        html=render("report/verdicts.html", verdicts=group_verdicts(court.verdicts)),
        figures=(_build_figure(label, court.evidence),) if drawn else (),
        sheets=(_build_sheet(label, tried),) if tried else (),
        data={"court-cases": [{"corpus": label, **asdict(case)} for case in court.cases]},
    )


def group_verdicts(verdicts: Mapping[str, str]) -> dict[str, list[str]]:
    """Return measures grouped by equal sentences."""
    measures_by_verdict: dict[str, list[str]] = {}
    for name, verdict in verdicts.items():
        measures_by_verdict.setdefault(verdict.removeprefix(name).lstrip(": "), []).append(name)
    return measures_by_verdict


def _build_figure(label: str, evidence: Sequence[Evidence]) -> Figure:
    title = f"{label}: the court"
    return Figure(name="court", title=title, spec=build_court_figure(evidence, title), cell=CELL)


def _build_sheet(label: str, tried: Sequence[Evidence]) -> Sheet:
    """Return the table of evidence."""
    head, *lines = build_evidence_rows(tried)
    rows = tuple(tuple(Cell(text) for text in line) for line in lines)
    return Sheet(
        name="court-evidence",
        corpus=label,
        title=f"{label}: measures and hearers over systems",
        header=head,
        rows=rows,
        left=2,
        notes=(
            "r Pearson, rho Spearman; families: how many, with r and rho over their means; p: among all pairs of the table; "
            "without one: lowest and highest r when one system or family is left out; ranking: pairs of systems in the hearers' order; "
            "ceiling: the highest r that the noise of the answers allows.",
        ),
        tidy=tuple(map(_build_tidy_row, tried)),
    )


def _build_tidy_row(e: Evidence) -> dict[str, Any]:
    """Return one pair of measures as a row with full precision."""
    return {
        "measure": e.automatic,
        "hearer_measure": e.hearer,
        "n": e.n,
        "r": e.pearson.r,
        "r_low": e.pearson.low,
        "r_high": e.pearson.high,
        "rho": e.spearman.r,
        "p_adjusted": None if e.families is None else e.families.p_adjusted,
        "finding": e.word,
        "passport": e.admission.passport,
    }
