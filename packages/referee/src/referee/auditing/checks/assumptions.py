"""The assumptions of checks, in words: a number fails to follow only if all of them are true."""

from __future__ import annotations

from dataclasses import dataclass

from referee.auditing.paper import CheckSection, Paper

# The assumptions of every kind of check on how the numbers were made.
STANDING = {
    "anova": "independent observations, a fixed analysis of variance (type III), standard deviations with n - 1",
    "correlations": "Pearson's r over one value per row, of the rows that have both, two-sided p",
    "counts": "every item counts as 0 or 1, and all systems have the same number of items",
    "formula": "the formula is the one the authors used",
    "groups": "unweighted means over systems, with the same groups of systems for every measure",
    "kruskal-wallis": "the test is on the 0/1 data behind the printed shares, corrected for ties, observations independent",
    "order": "rows are sorted by that column, ties in any order",
    "overall": "the mean over all items, every item with the same weight",
    "range": "the measure is the usual one and cannot leave its range",
    "same": "both tables print the same quantity",
    "significance": "p is that of the printed statistic with the printed degrees of freedom, the upper tail of F or chi-square",
    "subsets": "Tukey's HSD with the harmonic mean of the counts and the error of the analysis of variance",
    "total": "the sum is over all rows of the table",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """The assumptions of one check of a paper; `admitted` is the paper's own statement to the contrary."""

    paper: str
    check: int
    kind: str
    about: str
    assumes: str
    admitted: str


def list_assumptions(paper: Paper) -> tuple[Assumption, ...]:
    """Return the assumptions of every check, in the order of the description."""
    return tuple(_make_assumption(paper, section) for section in paper.checks)


def _make_assumption(paper: Paper, section: CheckSection) -> Assumption:
    """Return the assumptions of one check."""
    values, kind = section.values, str(section.values["kind"])
    parts = [STANDING[kind], *_describe_inputs(section), str(values.get("assumes", ""))]
    return Assumption(
        paper=paper.name,
        check=section.number + 1,
        kind=kind,
        about=str(values.get("about", "")),
        assumes="; ".join(part for part in parts if part),
        admitted=str(values.get("admitted", "")),
    )


def _describe_inputs(section: CheckSection) -> list[str]:
    """Return formula, counts, omitted rows and references, which a reader of the table could question."""
    values = section.values
    n, missing, without = values.get("n"), values.get("missing"), values.get("without")
    return [
        *([f"it is {values['formula']}"] if "formula" in values else []),
        *([f"n = {n}" if isinstance(n, int) else f"n = {' and '.join(map(str, n))}"] if n else []),
        *([f"up to {missing} missing"] if missing else []),
        *([f"without {', '.join(without)}"] if without else []),
        *([f"at least one of {values['references']} references"] if "references" in values else []),
    ]
