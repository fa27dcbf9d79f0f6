"""The collected data of a study.

Sessions, and answers with their stimuli and the marks of the preregistered exclusion rules.

Withdrawn sessions are absent; nothing else is removed. Each analysis applies the marks of its scope.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from referee.records import NOTHING, Response
from referee_lab.server.sessions.plan import TRIAL
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.contract import GivenAnswer, Stimulus

TIME, ALL = "time", "all"
# Of one time only; a measure that combines both needs both.
READING, IDENTIFYING = "reading", "identification"
BY_HAND = "corrected-by-hand"


@dataclass(frozen=True, slots=True)
class ExclusionMark:
    """Why an answer is left out of analyses: of reading time, of identification time, of all times, or of all."""

    scope: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sitting:
    """One session of one person.

    `simulated` is the hearer of a simulated participant; `marks` exclude all of its answers.
    """

    id: str
    alias: str
    number: int
    list: str
    group: int | None
    state: str
    outcome: str | None
    study_hash: str
    day: str
    minutes: float
    client: Mapping[str, Any] = field(default_factory=lambda: NOTHING)
    simulated: str | None = None
    planned: int = 0
    done: int = 0
    failed_checks: int = 0
    failed: bool = False
    marks: tuple[ExclusionMark, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.alias}.{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredAnswer(GivenAnswer):
    """A stored answer with its stimulus.

    `response` and `right` are set only where the protocol has them. `asked` is None if the study folder no longer has
    the stimulus. `after_s` counts from the beginning of the session.
    """

    uuid: str
    sitting: Sitting
    kind: str
    stimulus: str | None
    labels: Mapping[str, str]
    after_s: float
    asked: Stimulus | None = None
    response: Response | None = None
    right: bool | None = None
    marks: tuple[ExclusionMark, ...] = ()

    def counts_for(self, *scopes: str) -> bool:
        """Return whether no mark excludes the answer from these scopes; without scopes, from at least one."""
        return not any(mark.scope == ALL or mark.scope in scopes for mark in self.marks)

    def drop_excluded_times(self, response: Response) -> Response:
        """Return the response without the times that the exclusion rules leave out."""
        return replace(
            response,
            reading_ms=response.reading_ms if self.counts_for(TIME, READING) else None,
            identification_ms=response.identification_ms if self.counts_for(TIME, IDENTIFYING) else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerCorrection:
    """An organiser's correction of an answer, with its reason.

    `problem` is the reason why it could not be applied.
    """

    trial: str
    author: str
    reason: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dataset:
    """Everything in one mode of a study, sorted by alias, session and step."""

    study: Study
    mode: str
    sittings: tuple[Sitting, ...]
    answers: tuple[StoredAnswer, ...]
    aborted: tuple[StoredAnswer, ...]
    forms: tuple[StoredAnswer, ...]
    corrections: tuple[AnswerCorrection, ...]
    counts: Mapping[str, int]

    @property
    def trials(self) -> list[StoredAnswer]:
        """Return the answers to the study's own trials, without practice and checks."""
        return [a for a in self.answers if a.kind == TRIAL]

    @property
    def simulated(self) -> int:
        """Return the number of sessions that simulated participants played."""
        return sum(s.simulated is not None for s in self.sittings)
