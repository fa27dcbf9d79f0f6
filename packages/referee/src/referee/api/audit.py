"""`referee.audit`: checks printed numbers against each other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from referee.api import charts
from referee.api.options import AuditOptions
from referee.api.results import AUDIT, Result, make_frame
from referee.auditing.audit import Audit, summarise
from referee.auditing.audit import audit as audit_paper
from referee.auditing.claims import AuditVerdict
from referee.auditing.corrections import format_toml
from referee.auditing.explain.wording import format_value
from referee.auditing.paper import DESCRIPTION, Paper, list_shipped_papers, read_paper, read_shipped_paper
from referee.errors import InputError
from referee.options import accept_options

if TYPE_CHECKING:
    import altair as alt


class AuditResult(Result):
    """Every printed number that could be checked, and the failures.

    Args:
        audits: one for each paper.

    >>> import referee
    >>> referee.audit("tuna-2008").findings[0][:9]
    'tuna-2008'
    """

    def __init__(self, audits: Sequence[Audit]) -> None:
        self.audits = tuple(audits)
        rows = [
            {
                "paper": a.paper,
                "source": row.source,
                "item": row.item,
                "printed": format_value(row.printed),
                "recomputed": format_value(row.recomputed),
                "low": row.low,
                "high": row.high,
                "verdict": row.verdict.value,
                "explanation": row.explanation,
            }
            for a in self.audits
            for row in a.rows
        ]
        super().__init__(make_frame(rows, AUDIT))

    @property
    def findings(self) -> list[str]:
        """Return one sentence per failed check, each with the name of its paper."""
        return [f"{f.paper}: {f.sentence}" for a in self.audits for f in a.findings]

    @property
    def corrections(self) -> str:
        """Return the register of corrections as TOML text, the form in which `referee court` reads it."""
        return format_toml(c for a in self.audits for c in a.corrections)

    def plot(self) -> alt.TopLevelMixin:
        """Return a chart of how many printed numbers of each paper are consistent, inconsistent or unchecked."""
        counts = self.frame.group_by("paper", "verdict", maintain_order=True).len("n").to_dicts()
        return charts.draw_bars(counts, "printed numbers by verdict", x="n", y="paper", colour="verdict")

    def _format_table(self) -> tuple[list[str], list[list[str]]]:
        """Return the table of failures."""
        import polars as pl

        wrong = self.frame.filter(pl.col("verdict") == AuditVerdict.DOES_NOT_FOLLOW.value)
        return Result(wrong.drop("explanation", "verdict"))._format_table()

    def _get_title(self) -> str:
        return f"AuditResult: {summarise(self.audits)}"

    def _list_notes(self) -> Sequence[str]:
        return self.findings


@accept_options(AuditOptions)
def audit(options: AuditOptions) -> AuditResult:
    """Check printed numbers against each other, and return those that do not follow (`referee audit`).

    Returns:
        An `AuditResult`.

    Raises:
        InputError: if a name is this is neither a folder nor the name of a shipped paper.

    >>> import referee
    >>> audit = referee.audit("tuna-2008")
    >>> len(audit.findings) > 0, audit.frame.columns[:3]
    (True, ['paper', 'source', 'item'])
    """
    named = [options.papers] if isinstance(options.papers, (str, Path)) else list(options.papers)
    papers = [p if isinstance(p, Paper) else _find_paper(p) for p in named or list_shipped_papers()]
    return AuditResult([audit_paper(paper) for paper in options.progress(papers, "papers")])


def _find_paper(name: str | Path) -> Paper:
    """Return the folder with this name, or the paper with this name that ships with the package."""
    folder = Path(name)
    # A folder first: users may have a changed copy of a shipped paper under its name.
    if folder.is_dir():
        return read_paper(folder)
    if folder.name == DESCRIPTION and folder.is_file():
        return read_paper(folder.parent)
    if str(name) in list_shipped_papers():
        return read_shipped_paper(str(name))
    raise InputError(
        "this is neither a folder nor the name of a shipped paper",
        where=name,
        remedy=f"give a folder with a {DESCRIPTION}, or one of {', '.join(list_shipped_papers())}",
    )
