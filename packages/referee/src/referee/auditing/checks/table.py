"""The table of checks: the function that makes the claims of each kind of `[[checks]]`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from referee.auditing.checks.arithmetic import (
    check_counts,
    check_overall_means,
    check_ranges,
    check_repeated_numbers,
    check_totals,
    order,
)
from referee.auditing.checks.correlations import check_correlations
from referee.auditing.checks.formulas import check_formulas
from referee.auditing.checks.group_means import check_group_means
from referee.auditing.checks.kruskal_wallis import check_kruskal_wallis
from referee.auditing.checks.significance import check_significance
from referee.auditing.checks.subsets import check_subsets
from referee.auditing.checks.variances import check_anova
from referee.auditing.claims import PrintedClaim
from referee.auditing.paper import CheckSection, Paper
from referee.auditing.value_claims import ValueClaim

KINDS: dict[str, Callable[[Paper, CheckSection], list[PrintedClaim]]] = {
    "anova": check_anova,
    "correlations": check_correlations,
    "counts": check_counts,
    "formula": check_formulas,
    "groups": check_group_means,
    "kruskal-wallis": check_kruskal_wallis,
    "order": order,
    "overall": check_overall_means,
    "range": check_ranges,
    "same": check_repeated_numbers,
    "significance": check_significance,
    "subsets": check_subsets,
    "total": check_totals,
}


def expand(paper: Paper) -> list[PrintedClaim]:
    """Return every single claim that the checks of a paper make."""
    claims: list[PrintedClaim] = []
    for section in paper.checks:
        kind = section.values["kind"]
        if kind not in KINDS:
            raise section.make_mistake(f"no check is called {kind!r}", f"kinds: {', '.join(KINDS)}")
        claims += _add_admission(KINDS[kind](paper, section), section.get("admitted", "", str))
        section.finish()
    return claims


def _add_admission(claims: list[PrintedClaim], admitted: str) -> list[PrintedClaim]:
    """Return the claims with the paper's admission that their inputs are another quantity."""
    return [replace(c, admitted=admitted) if admitted and isinstance(c, ValueClaim) else c for c in claims]
