"""A claim is one printed number (or letter, or star) and the other printed numbers it should follow from.

Every claim can be judged, and judged again with other numbers in its cells; that is all the detective needs to try out an explanation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, Self

from referee.auditing.printed import CellPlace, Number

Change = Callable[[Number], Number]


class AuditVerdict(StrEnum):
    """The verdict of the audit on one printed number."""

    FOLLOWS = "follows"
    ROUNDING = "rounding"
    DOES_NOT_FOLLOW = "does-not-follow"
    UNDETERMINED = "undetermined"


class Subject(NamedTuple):
    """The subject of a claim: paper and table, the item in words, and the number of the check."""

    paper: str
    table: str
    item: str
    check: int

    @property
    def source(self) -> str:
        return f"{self.paper}, {self.table}"


class CannotTell(Exception):
    """Raised if the print does not determine a number that a check needs.

    The message names the missing one.
    """


@dataclass(frozen=True, slots=True)
class Remedy:
    """A cell as printed, and the bounds of its correct value (one value if they are equal)."""

    place: CellPlace
    printed: str
    low: float
    high: float

    @property
    def middle(self) -> float:
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRow:
    """One line of the audit. `low` and `high` bound the values that could have been printed."""

    source: str
    item: str
    printed: float | str | None
    recomputed: float | str | None
    low: float | None
    high: float | None
    verdict: AuditVerdict
    explanation: str


@dataclass(frozen=True, kw_only=True)
class PrintedClaim:
    """The base of all claims: subject and reason."""

    subject: Subject
    because: str

    @property
    def cells(self) -> tuple[Number, ...]:
        """The printed numbers this claim is computed from."""
        return ()

    @property
    def touches(self) -> tuple[Number, ...]:
        """All printed numbers the claim is about, the one that should follow included."""
        return self.cells

    @property
    def target(self) -> Number | None:
        """The printed number that should follow; None where letters, stars or an order should."""
        return None

    @property
    def text_place(self) -> CellPlace | None:
        """The cell of a printed text that is no number: stars, letters, a bound on p."""
        return None

    @property
    def symbol(self) -> str:
        """The symbol of a recomputed number that differs in kind from the printed one (a bound on p is printed, p
        follows).
        """
        return ""

    def remedy(self) -> Remedy | None:
        """Return the correct value of the cell; None if it is no number."""
        return None

    def changed(self, change: Change) -> Self:
        """Return the claim as it would be with other numbers in its cells."""
        return self

    def judge(self) -> AuditRow:
        raise NotImplementedError(f"{type(self).__name__} must define judge()")

    def fits(self) -> bool:
        """Return whether the claim is not contradicted."""
        return self.judge().verdict is not AuditVerdict.DOES_NOT_FOLLOW

    def holds(self) -> bool:
        """Return whether the printed number follows, which is stronger than not being contradicted."""
        return self.judge().verdict in (AuditVerdict.FOLLOWS, AuditVerdict.ROUNDING)

    def row(
        self,
        verdict: AuditVerdict,
        explanation: str = "",
        *,
        printed: float | str | None = None,
        recomputed: float | str | None = None,
        low: float | None = None,
        high: float | None = None,
    ) -> AuditRow:
        """Return the row of the audit for this claim."""
        return AuditRow(
            source=self.subject.source,
            item=self.subject.item,
            printed=printed,
            recomputed=recomputed,
            low=low,
            high=high,
            verdict=verdict,
            explanation=explanation or self.because,
        )


@dataclass(frozen=True, kw_only=True)
class Unknown(PrintedClaim):
    """A number that the printed numbers do not determine; `because` names the missing ones."""

    printed: Number | None = None

    def judge(self) -> AuditRow:
        return self.row(AuditVerdict.UNDETERMINED, printed=None if self.printed is None else self.printed.value)
