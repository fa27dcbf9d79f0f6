"""The table of checks: what a `[[checks]]` of a given kind claims."""

from __future__ import annotations

from collections.abc import Callable

from referee.published.arithmetic import counts, order, overall, ranges, same, total
from referee.published.claims import Claim
from referee.published.correlation_tables import correlations
from referee.published.formulas import formula
from referee.published.group_means import groups
from referee.published.paper import Paper, Section
from referee.published.significance import significance
from referee.published.subset_tables import subsets
from referee.published.variance_tables import anova, kruskal_wallis

__all__ = ["KINDS", "expand"]

KINDS: dict[str, Callable[[Paper, Section], list[Claim]]] = {
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


def expand(paper: Paper) -> list[Claim]:
    """Every single claim that the checks of a paper make."""
    claims: list[Claim] = []
    for section in paper.checks:
        kind = section.values["kind"]
        if kind not in KINDS:
            raise section.mistake(f"no check is called {kind!r}", f"kinds: {', '.join(KINDS)}")
        claims += KINDS[kind](paper, section)
        section.finish()
    return claims
