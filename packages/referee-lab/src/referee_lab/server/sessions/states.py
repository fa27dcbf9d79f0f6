"""The states of a session, without I/O.

Transitions, open steps, the position to resume at, and which outcomes are paid.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

MOVES: Mapping[str, frozenset[str]] = {
    "entered": frozenset({"consented", "declined"}),
    # A session of one answer never runs: it is finished with its first.
    "consented": frozenset({"running", "finished", "screened_out", "timed_out", "partner_left", "withdrawn"}),
    "running": frozenset({"finished", "screened_out", "timed_out", "partner_left", "withdrawn"}),
    # Screened out at the end: too many checks failed.
    "finished": frozenset({"coded", "screened_out", "withdrawn"}),
    # Withdrawing is possible after any end, and nothing else is.
    "coded": frozenset({"withdrawn"}),
    "declined": frozenset(),
    "screened_out": frozenset({"withdrawn"}),
    "timed_out": frozenset({"withdrawn"}),
    "partner_left": frozenset({"withdrawn"}),
    "withdrawn": frozenset({"purged"}),
    "purged": frozenset(),
}
ACTIVE = ("consented", "running")
LEFT_OUT = ("withdrawn", "purged")

# The outcomes of a session with their states. `technical` and `partner_left` are not the participant's fault and are
# paid.
OUTCOMES: Mapping[str, str] = {
    "completed": "coded",
    "declined": "declined",
    "screened_out": "screened_out",
    "failed_check": "screened_out",
    "too_fast": "screened_out",
    "full": "screened_out",
    "partner_left": "partner_left",
    "technical": "timed_out",
    "restarted": "timed_out",
}


class Tried(Protocol):
    """The status of an answer, new or stored: its step, the attempt, and whether it was done or aborted."""

    @property
    def step(self) -> int: ...

    @property
    def attempt(self) -> int: ...

    @property
    def state(self) -> str: ...


def change_state(state: str, to: str) -> str:
    """Return the next state. Raises ValueError if it may not follow."""
    if to not in MOVES[state]:
        raise ValueError(f"a session that is {state} cannot become {to}")
    return to


def find_complete_steps(rows: Iterable[Tried], aborted: str) -> set[int]:
    """Return the steps that are complete: done, or aborted in a study that skips aborted trials."""
    # A trial that is broken off twice is two rows of one step.
    return {row.step for row in rows if row.state == "done" or aborted == "skip"}


def find_missing_steps(saved_steps: Sequence[int], rows: Iterable[Tried], aborted: str) -> list[int]:
    """Return the steps that still need an answer."""
    have = find_complete_steps(rows, aborted)
    return [index for index in saved_steps if index not in have]


def find_position(saved_steps: Sequence[int], rows: Iterable[Tried], aborted: str, steps: int) -> int:
    """Return the step to resume at: after the last answered step before the first open one.

    Pages between the two are shown again.
    """
    left = find_missing_steps(saved_steps, rows, aborted)
    if not left:
        return 1 + max(saved_steps) if saved_steps else steps
    before = [index for index in saved_steps if index < left[0]]
    return before[-1] + 1 if before else 0


def count_next_attempt(index: int, rows: Iterable[Tried]) -> int:
    """Return the number of the next attempt at a step."""
    return 1 + max((row.attempt for row in rows if row.step == index), default=0)
