"""Checks of p beside a statistic.

F, chi-square and r with their degrees of freedom imply a p, and the paper prints a bound (p < .01, n.s.).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Self

from referee.auditing.claims import AuditRow, AuditVerdict, Change, PrintedClaim, Remedy, Unknown
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.printed import CellPlace, Number, PrintedTable

BOUND = re.compile(r"^p?\s*(?P<sign><=|>=|≤|≥|<|>|=)\s*(?P<value>0?\.\d+|[01])$")
NOT_SIGNIFICANT = {"n.s.", "ns", "n.s"}


@dataclass(frozen=True, kw_only=True)
class BoundClaim(PrintedClaim):
    """A bound on p and the statistic that implies it."""

    bound_text: str
    bound_place: CellPlace
    above: bool
    bound: float
    kind: str
    statistic: Number
    df: tuple[float, ...]

    @property
    def cells(self) -> tuple[Number, ...]:
        return (self.statistic,)

    @property
    def text_place(self) -> CellPlace:
        return self.bound_place

    @property
    def symbol(self) -> str:
        return "p = "

    def remedy(self) -> Remedy:
        """Return the printed bound and the p that follows."""
        row = self.judge()
        return Remedy(
            self.bound_place, self.bound_text, *(float(f"{p:.4g}") for p in (row.low or 0.0, row.high or 0.0))
        )

    def changed(self, change: Change) -> Self:
        return replace(self, statistic=change(self.statistic))

    def judge(self) -> AuditRow:
        """Compare the printed bound with the range of p that rounding allows."""
        size = abs(self.statistic.value)
        # A larger statistic has a smaller p, so the bounds change sides.
        p, high, low = (
            self._compute_p(v) for v in (size, max(0.0, size - self.statistic.half), size + self.statistic.half)
        )
        verdict = (
            AuditVerdict.FOLLOWS
            if self._is_within_bound(p)
            else AuditVerdict.ROUNDING
            if self._is_within_bound(low) or self._is_within_bound(high)
            else AuditVerdict.DOES_NOT_FOLLOW
        )
        return self.row(verdict, printed=self.bound_text, recomputed=p, low=low, high=high)

    def _is_within_bound(self, p: float) -> bool:
        """Return whether p is on the printed side of the bound."""
        return p > self.bound if self.above else p <= self.bound

    def _compute_p(self, value: float) -> float:
        """Return the p value of the statistic."""
        # Upper tails as such: 1 minus the lower one would lose the digits of a small p.
        from scipy.special import chdtrc, fdtrc

        if self.kind == "F":
            return float(fdtrc(*self.df, value))
        return float(chdtrc(self.df[0], value))


def check_significance(paper: Paper, section: CheckSection) -> list[PrintedClaim]:
    """Return one claim per row of a table of test statistics that prints a bound on p."""
    table = paper.table(section.get_required("table", str), section)
    columns = {k: section.get(k, k, str) for k in ("statistic", "value", "df1", "df2")}
    p_column = section.get("p", "p_text", str)
    table.require(*columns.values(), p_column)
    rows = section.get("rows", list(table.labels), list)
    claims = (_make_claim(table, label, columns, p_column, paper, section) for label in rows)
    return [claim for claim in claims if claim is not None]


def _make_claim(
    table: PrintedTable, label: str, columns: dict[str, str], p: str, paper: Paper, section: CheckSection
) -> PrintedClaim | None:
    """Return the claim on one printed p; None if it has no bound or statistic."""
    bound_text, kind = table.text(label, p), table.text(label, columns["statistic"])
    above, bound = _parse_bound(bound_text)
    if bound is None or kind not in ("F", "chi2"):
        return None
    subject = section.subject(paper, table, f"p of {label}")
    value = table.number(label, columns["value"])
    df = tuple(n.value for c in ("df1", "df2") if (n := table.number(label, columns[c])) is not None)
    if value is None or len(df) < (2 if kind == "F" else 1) or min(df) <= 0:
        return Unknown(subject=subject, because="the statistic or its degrees of freedom are not printed")
    degrees = ", ".join(f"{d:g}" for d in df)
    because = f"p of {kind}({degrees}) = {value.text}"
    return BoundClaim(
        subject=subject,
        because=because,
        bound_text=bound_text,
        bound_place=table.place(label, p),
        above=above,
        bound=bound,
        kind=kind,
        statistic=value,
        df=df,
    )


def _parse_bound(bound_text: str) -> tuple[bool, float | None]:
    """Return whether a printed bound is from below, and its level; None without a level."""
    if bound_text.lower() in NOT_SIGNIFICANT:
        # Not significant, without a level, is read at .05.
        return True, 0.05
    match = BOUND.match(bound_text.strip())
    if match is None or match["sign"] == "=":
        return False, None
    return match["sign"] in (">", ">=", "≥"), float(match["value"])
