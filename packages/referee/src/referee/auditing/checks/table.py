"""The table of checks: the function that makes the claims of each kind of `[[checks]]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from referee.auditing.checks.arithmetic import counts, order, overall, ranges, same, total
from referee.auditing.checks.correlations import correlations
from referee.auditing.checks.formulas import formula
from referee.auditing.checks.group_means import groups
from referee.auditing.checks.kruskal_wallis import kruskal_wallis
from referee.auditing.checks.significance import significance
from referee.auditing.checks.subsets import subsets
from referee.auditing.checks.variances import anova
from referee.auditing.claims import PrintedClaim
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.value_claims import ValueClaim

KINDS: dict[str, Callable[[Paper, CheckSection], list[PrintedClaim]]] = {
    "anova": anova,
    "correlations": correlations,
    "counts": counts,
    "formula": formula,
    "groups": groups,
    "kruskal-wallis": kruskal_wallis,
    "order": order,
    "overall": overall,
    "range": ranges,
    "same": same,
    "significance": significance,
    "subsets": subsets,
    "total": total,
}


def expand(paper: Paper) -> list[PrintedClaim]:
    """Every single claim that the checks of a paper make."""
    claims: list[PrintedClaim] = []
    for section in paper.checks:
        kind = section.values["kind"]
        if kind not in KINDS:
            raise section.mistake(f"no check is called {kind!r}", f"kinds: {', '.join(KINDS)}")
        claims += _admitting(KINDS[kind](paper, section), section.get("admitted", "", str))
        section.finish()
    return claims


def _admitting(claims: list[PrintedClaim], admitted: str) -> list[PrintedClaim]:
    """Return the claims with the paper's admission that their inputs are another quantity."""
    return [replace(c, admitted=admitted) if admitted and isinstance(c, ValueClaim) else c for c in claims]
