"""What a correction does to verdicts, on invented tables."""

from __future__ import annotations

import pytest

from referee.courtroom.corrected_verdicts import VerdictChange
from referee.courtroom.evidence import SystemScores
from referee.courtroom.printed_evidence import PublishedSheets
from referee.courtroom.proceedings import hold_published_court

STRAIGHT = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]


def sheet(last: float) -> SystemScores:
    """Eight systems that a measure puts in the hearers' order, but for the last one."""
    systems = tuple(f"s{i}" for i in range(8))
    hearer = {"found": [*STRAIGHT[:-1], last], "seconds": STRAIGHT}
    return SystemScores(systems=systems, automatic={"A": STRAIGHT}, hearer=hearer)


def changes(printed: float, corrected: float, *elsewhere: float) -> list[VerdictChange]:
    sheets = PublishedSheets(
        printed=[sheet(printed)],
        corrected=[sheet(corrected)],
        elsewhere=[[sheet(value)] for value in elsewhere],
        corrections=(),
        notes=(),
    )
    return list(hold_published_court("invented", sheets).changes)


def test_only_what_moves_is_a_change() -> None:
    (found,) = changes(-20.0, 8.0)
    assert (found.automatic, found.hearer) == ("A", "found")
    assert found.r_corrected == pytest.approx(1)
    assert found.finding_corrected == "predicts"
    assert found.turned
    assert found.holds


def test_a_coefficient_may_move_and_the_verdict_stay() -> None:
    (found,) = changes(8.0, 8.5)
    assert not found.turned
    assert changes(8.0, 8.0) == []


def test_a_verdict_that_changes_within_the_interval_does_not_hold() -> None:
    (found,) = changes(-20.0, 8.0, 7.5, -20.0)
    assert not found.holds
    (sure,) = changes(-20.0, 8.0, 7.5, 8.5)
    assert sure.holds
