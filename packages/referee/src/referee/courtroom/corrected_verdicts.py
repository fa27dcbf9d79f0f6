"""The effect of corrections of printed tables: every coefficient that changes, and whether its verdict changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from referee.courtroom.evidence import ALL, Evidence
from referee.courtroom.verdicts import Case

# a coefficient that moves by less was computed from the same numbers
NEARLY = 1e-9
Pair = tuple[str | None, str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChange:
    """One pair of measures whose coefficient the corrections change.

    `holds` is whether the corrected verdict is the same for all values in the corrections' intervals.
    """

    automatic: str
    hearer: str
    domain: str | None
    r_printed: float | None
    r_corrected: float | None
    finding_printed: str
    finding_corrected: str
    holds: bool

    @property
    def turned(self) -> bool:
        """Whether the verdict changes, and not only the coefficient."""
        return self.finding_printed != self.finding_corrected


def compare_verdicts(
    printed: tuple[Sequence[Evidence], Sequence[Case]],
    corrected: tuple[Sequence[Evidence], Sequence[Case]],
    elsewhere: Iterable[Mapping[Pair, str]],
) -> list[VerdictChange]:
    """Return the changes between evidence and cases as printed and as corrected.

    `elsewhere` are the findings at other values of the corrections.
    """
    before, after = (_index_coefficients(evidence) for evidence, _ in (printed, corrected))
    findings_before, findings_after = (_index_findings(cases) for _, cases in (printed, corrected))
    others = list(elsewhere)
    return [
        VerdictChange(
            domain=pair[0],
            automatic=pair[1],
            hearer=pair[2],
            r_printed=before[pair],
            r_corrected=after[pair],
            finding_printed=findings_before[pair],
            finding_corrected=findings_after[pair],
            holds=all(other[pair] == findings_after[pair] for other in others),
        )
        for pair in findings_before
        if _is_different(before[pair], after[pair]) or findings_before[pair] != findings_after[pair]
    ]


def _index_coefficients(evidence: Iterable[Evidence]) -> dict[Pair, float | None]:
    """Return r by domain, automatic measure and hearer measure."""
    return {(e.domain, e.automatic, e.hearer): e.pearson.r for e in evidence if e.rows == ALL}


def _index_findings(cases: Iterable[Case]) -> dict[Pair, str]:
    """Return the finding by domain, automatic measure and hearer measure."""
    return {(c.domain, c.automatic, c.hearer): c.finding for c in cases}


def _is_different(before: float | None, after: float | None) -> bool:
    """Return whether two coefficients differ by more than rounding."""
    if before is None or after is None:
        return before is not after
    return abs(before - after) > NEARLY
