"""The base of protocols whose only step is a room with other people.

Grouping, the page's final answer, and its validation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from random import Random
from typing import Any

from referee_lab.study.protocols.checked_answers import (
    CLOCKS,
    NothingIdentified,
    check_recorded,
    make_field_error,
    make_time_column,
)
from referee_lab.study.protocols.contract import GivenAnswer, Parameter, RecordedColumn, Shown, Stimulus

ANYBODY, INVITED = "any", "invited"
MOST_PEOPLE = 6

PAIRING = Parameter(
    default=ANYBODY,
    about="any: the next participant who arrives; invited: participants whose links were made together.",
    values=(ANYBODY, INVITED),
)
GRACE_SECONDS = Parameter(
    default=45.0,
    about="How long the game waits for a participant whose connection is lost.",
    unit="seconds",
    low=0,
)
WAIT_MINUTES = Parameter(
    default=10.0, about="Waiting time after which a participant may leave and is paid.", unit="minutes", low=0
)
HOW_IT_ENDED = RecordedColumn(
    type="text", about="how the room ended", values=("completed", "partner-left", "no-partner")
)
TIMES = {"combined_ms": make_time_column("from the beginning of the step to its end"), **CLOCKS}


class RoomProtocol(NothingIdentified, ABC):
    """A protocol that is played in a room; the room stores its events."""

    @abstractmethod
    def usual_seconds(self, stimulus: Stimulus, settings: Mapping[str, Any]) -> float:
        """Return the usual duration of a room in seconds."""

    def longest_seconds(self, settings: Mapping[str, Any]) -> float:
        """Return by how many seconds the longest room exceeds the usual one: the wait for a partner."""
        return 60.0 * float(settings["wait_minutes"])

    def check(self, answer: GivenAnswer, shown: Shown, settings: Mapping[str, Any]) -> None:
        """Raise InputError unless the answer is a room's id and outcome."""
        check_recorded(answer, self.info)
        for name in self.info.answer:
            if answer.answer.get(name) is None:
                raise make_field_error(f"answer.{name}", "is missing")

    @staticmethod
    def simulate_room(rng: Random, counts: Mapping[str, int], usual_seconds: float) -> GivenAnswer:
        """Return a page's answer after a completed room."""
        room = f"simulated-{rng.randrange(16**8):08x}"
        answer = {"room": room, "outcome": "completed", **counts}
        return GivenAnswer(answer=answer, times={"combined_ms": 1000 * usual_seconds * (0.5 + rng.random())})
