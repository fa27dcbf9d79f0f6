"""The results of the court with one vote per system, as papers count, to compare with those over families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.courtroom.corrected_verdicts import Pair
from referee.courtroom.evidence import SystemScores, judge_sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class SingleVote:
    """The finding of one pair over families as corrected, and over single systems as printed and as corrected."""

    automatic: str
    hearer: str
    domain: str | None
    finding: str
    alone_printed: str
    alone_corrected: str

    @property
    def differs(self) -> bool:
        """Whether the finding changes if every system has its own vote."""
        return self.finding != self.alone_corrected

    @property
    def turned(self) -> bool:
        """Whether the corrections change the finding over single systems."""
        return self.alone_printed != self.alone_corrected


def vote_singly(
    printed: Sequence[SystemScores], corrected: Sequence[SystemScores], findings: Mapping[Pair, str], seed: int = 1
) -> list[SingleVote]:
    """Return the findings with one vote per system, beside the corrected findings over families.

    Empty if every system is its own family.
    """
    if not any(len(set(map(sheet.family_of, sheet.systems))) < len(sheet.systems) for sheet in corrected):
        return []
    after = list_findings(map(_separate_systems, corrected), seed)
    before = after if list(printed) == list(corrected) else list_findings(map(_separate_systems, printed), seed)
    return [
        SingleVote(
            domain=pair[0],
            automatic=pair[1],
            hearer=pair[2],
            finding=finding,
            alone_printed=before[pair],
            alone_corrected=after[pair],
        )
        for pair, finding in findings.items()
    ]


def list_findings(sheets: Iterable[SystemScores], seed: int) -> dict[Pair, str]:
    """Return only the findings of sheets, by domain and pair of measures."""
    return {(sheet.domain, *pair): word for sheet in sheets for pair, word in judge_sheet(sheet, seed).items()}


def _separate_systems(sheet: SystemScores) -> SystemScores:
    """Return the sheet with every system as its own family."""
    return replace(sheet, families={})
