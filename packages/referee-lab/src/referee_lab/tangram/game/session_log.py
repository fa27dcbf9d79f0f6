"""The log of a game between programs.

Their words and actions, with human-like times, in the order of arrival at the server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from referee.records import NOTHING
from referee_lab.tangram.game.goals import export_custom_goal
from referee_lab.tangram.game.instructions import Command, Hand
from referee_lab.tangram.game.log import Header, LogEntry, Recording
from referee_lab.tangram.game.operator_bot import Act, perform_command, withdraw_hand
from referee_lab.tangram.game.rules import Game, Note, apply_change, pass_time
from referee_lab.tangram.game.solver_bot import Instruction
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

KEY_MS = 90.0
BATCH = 3
SERVER = "server"
# Network delays in milliseconds, so that times of events and of arrival differ as in real sessions.
DELAY = {SOLVER: 12.0, OPERATOR: 9.0, SERVER: 9.0}
AHEAD = {SOLVER: 5_000.0, OPERATOR: -3_000.0}  # the players' own clocks do not start when the server's does


@dataclass(slots=True)
class SessionLog:
    """A game that is being played by programs, and everything that happens in it; `t_ms` is its clock."""

    game: Game
    rng: Random
    hand: Hand = field(default_factory=Hand)
    t_ms: float = 1_000.0
    rows: list[tuple[float, str, str, Mapping[str, Any]]] = field(default_factory=list)

    def open(self, notes: list[Note]) -> None:
        """Write the first entries: initial state, roles and clock pings."""
        self.take_down(0.0, notes)
        for actor in (SOLVER, OPERATOR):
            self.note(0.0, actor, "role", {"role": actor})
            ahead_ms, delay = AHEAD[actor], DELAY[actor]
            # Both directions take the same time, so `clocks` finds the exact offset.
            self.note(
                0.0, actor, "clock", {"sent_ms": ahead_ms, "server_ms": delay, "received_ms": ahead_ms + 2 * delay}
            )

    def note(self, t_ms: float, actor: str, kind: str, data: Mapping[str, Any]) -> None:
        self.rows.append((t_ms, actor, kind, data))

    def take_down(self, t_ms: float, notes: list[Note]) -> None:
        for note in notes:
            self.note(t_ms, SERVER if note.by_server else OPERATOR, note.kind, note.data)

    def say(self, actor: str, instruction: Instruction) -> None:
        """Type and send a message, at a typist's speed."""
        begins = self.t_ms + self.rng.uniform(300, 900)
        ends = begins + sum(self.rng.uniform(0.6, 1.5) * KEY_MS for _ in instruction.text)
        sent = ends + self.rng.uniform(80, 200)
        ahead_ms = AHEAD[actor]
        self.note(begins, actor, "typing", {"typing": True})
        data = {
            "text": instruction.text,
            "typing_start_ms": round(begins + ahead_ms, 1),
            "typing_end_ms": round(ends + ahead_ms, 1),
            "keystrokes": len(instruction.text),
            "expressions": [dict(e) for e in instruction.expressions],
        }
        self.note(sent, actor, "say", data)
        self.t_ms = sent

    def carry_out(self, command: Command) -> None:
        """Carry out a command with the operator's hand."""
        begins = self.t_ms + self.rng.uniform(350, 900)
        acts, self.hand = perform_command(command, self.game.board, self.hand, begins, self.rng)
        self.trace(acts)
        for act in acts:
            if act.change:
                self.game, notes = apply_change(self.game, act.change, act.t_ms)
                self.take_down(act.t_ms, notes)
        self.t_ms = max([self.t_ms, *(a.t_ms for a in acts)])

    def draw_back(self) -> None:
        """Move the cursor away from the pieces."""
        away, self.hand = withdraw_hand(self.hand, self.t_ms + self.rng.uniform(100, 400), self.rng)
        self.trace(away)

    def pass_time(self) -> None:
        """Log the hints that are due, and the time limit."""
        self.game, notes = pass_time(self.game, self.t_ms)
        self.take_down(self.t_ms, notes)

    def trace(self, acts: list[Act]) -> None:
        """Log the cursor's points in small batches, with times relative to the last point of each."""
        for first in range(0, len(acts), BATCH):
            batch = acts[first : first + BATCH]
            points = [[round(a.t_ms - batch[-1].t_ms, 1), round(a.x, 2), round(a.y, 2)] for a in batch]
            self.note(batch[-1].t_ms, OPERATOR, "cursor", {"points": points})

    def make_recording(
        self, session: str, pair: str, settings: Mapping[str, Any], programs: Mapping[str, str] = NOTHING
    ) -> Recording:
        """Return the game as the recording of a session; `programs` name who played, and with which outcome."""
        rules = {name: list(value) if isinstance(value, tuple) else value for name, value in settings.items()}
        goal = self.game.goal
        header = Header(
            session=session,
            pair=pair,
            goal=goal.name,
            players={SOLVER: SOLVER, OPERATOR: OPERATOR},
            settings={**rules, **programs, **export_custom_goal(goal)},
            synthetic=True,
        )
        return Recording(header, self.log())

    def log(self) -> tuple[LogEntry, ...]:
        """Return the rows in the order in which they reach the server."""
        arrived = sorted(self.rows, key=lambda row: row[0] + DELAY[row[1]])
        return tuple(
            LogEntry(
                seq,
                round(t_ms + DELAY[actor], 1),
                None if actor == SERVER else round(t_ms + AHEAD[actor], 1),
                actor,
                kind,
                data,
            )
            for seq, (t_ms, actor, kind, data) in enumerate(arrived)
        )
