"""The results of the court with one vote per system, as papers count, to compare with those over families."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from referee.courtroom.corrected_verdicts import Pair
from referee.courtroom.evidence import SystemScores, words_of


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
        """Whether the finding rests on families having one vote."""
        return self.finding != self.alone_corrected

    @property
    def turned(self) -> bool:
        """Whether corrections would change the finding over single systems."""
        return self.alone_printed != self.alone_corrected


def vote_singly(
    printed: Sequence[SystemScores], corrected: Sequence[SystemScores], findings: Mapping[Pair, str], seed: int = 1
) -> list[SingleVote]:
    """Return the findings without families, beside the corrected findings over families.

    Empty if every system is its own family.
    """
    if not any(len(set(map(sheet.family_of, sheet.systems))) < len(sheet.systems) for sheet in corrected):
        return []
    after = findings_of(map(_apart, corrected), seed)
    before = after if list(printed) == list(corrected) else findings_of(map(_apart, printed), seed)
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


def findings_of(sheets: Iterable[SystemScores], seed: int) -> dict[Pair, str]:
    """Only the findings, for tables that differ from another one in a cell or two, or in who has a vote."""
    return {(sheet.domain, *pair): word for sheet in sheets for pair, word in words_of(sheet, seed).items()}


def _apart(sheet: SystemScores) -> SystemScores:
    return replace(sheet, families={})
