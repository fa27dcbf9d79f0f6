"""Two bots play a whole puzzle: a session with known references in a fraction of a second, to try everything that needs a recording.

Snapping follows the rule of the live game: a released piece is drawn to its neighbours only after it was carried further than the snap reaches, so
that a small correction is never taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import hypot
from random import Random
from typing import Any

from referee.dialogue.board import Board, Change
from referee.dialogue.dialogue import OPERATOR, SOLVER
from referee.dialogue.following import Act, Hand, follow, understand
from referee.dialogue.goals import Goal, hint, outline, scatter
from referee.dialogue.instructing import Instruction, Mind, instruct
from referee.dialogue.log import Entry, Header, Recording

__all__ = ["SETTINGS", "play", "released"]

SETTINGS: Mapping[str, Any] = {
    "tolerance": 0.05,
    "snap": 12.0,
    "step": 45,
    "hints_ms": [300_000, 600_000],
    "limit_ms": 900_000,
    "snapshot_ms": 5_000,
}
KEY_MS = 90.0
BATCH = 3
DELAY = {SOLVER: 12.0, OPERATOR: 9.0, "server": 0.0}
AHEAD = {SOLVER: 5_000.0, OPERATOR: -3_000.0}  # the players' own clocks do not start when the server's does


def released(board: Board, piece: str, grabbed: Board, snap: float) -> Board:
    """The board when a piece is let go: snapped to a neighbour if it was carried further than the snap reaches."""
    now, then = board.placements[piece], grabbed.placements[piece]
    carried = hypot(now.x - then.x, now.y - then.y) > snap
    return board.snapped(piece, snap) if snap and carried else board


def play(goal: Goal, seed: int, settings: Mapping[str, Any] = SETTINGS) -> Recording:
    """A complete session of a bot solver and a bot operator, from the scattered pieces to the solution or the time limit."""
    game = _Game(goal, settings, Random(seed), scatter(seed, settings["step"]))
    game.begin()
    mind = Mind.of(goal)
    while not game.over:
        instruction, mind = instruct(mind, game.board, game.hand.piece, game.rng)
        if instruction is None:
            game.finish(game.t_ms, None)
            break
        game.say(SOLVER, instruction)
        game.answer(instruction)
    header = Header(
        session=f"bots-{goal.name}-{seed}",
        pair=f"bots-{seed}",
        goal=goal.name,
        players={SOLVER: SOLVER, OPERATOR: OPERATOR},
        settings=dict(settings),
        synthetic=True,
    )
    return Recording(header, game.log())


@dataclass(slots=True)
class _Game:
    """The state of a session while the bots play it; only `play` sees it."""

    goal: Goal
    settings: Mapping[str, Any]
    rng: Random
    board: Board
    hand: Hand = field(default_factory=Hand)
    t_ms: float = 0.0
    over: bool = False
    hints: int = 0
    snapshot_due: float = 0.0
    held: Board | None = None
    rows: list[tuple[float, str, str, dict[str, Any]]] = field(default_factory=list)

    def begin(self) -> None:
        self.note(0.0, "server", "start", self.state())
        for actor in (SOLVER, OPERATOR):
            self.note(0.0, actor, "role", {"role": actor})
            mine, delay = AHEAD[actor], DELAY[actor]
            self.note(0.0, actor, "clock", {"sent_ms": mine, "server_ms": delay, "received_ms": mine + 2 * delay})
        self.snapshot_due, self.t_ms = self.settings["snapshot_ms"], 1_000.0

    def note(self, t_ms: float, actor: str, kind: str, data: dict[str, Any]) -> None:
        self.rows.append((t_ms, actor, kind, data))

    def state(self) -> dict[str, Any]:
        return {"state": self.board.to_data(), "hash": self.board.hash()}

    def say(self, actor: str, instruction: Instruction) -> None:
        """Types and sends, at a typist's pace."""
        begins = self.t_ms + self.rng.uniform(300, 900)
        ends = begins + sum(self.rng.uniform(0.6, 1.5) * KEY_MS for _ in instruction.text)
        sent = ends + self.rng.uniform(80, 200)
        mine = AHEAD[actor]
        self.note(begins, actor, "typing", {"typing": True})
        data = {
            "text": instruction.text,
            "typing_start_ms": round(begins + mine, 1),
            "typing_end_ms": round(ends + mine, 1),
            "keystrokes": len(instruction.text),
            "expressions": [dict(e) for e in instruction.expressions],
        }
        self.note(sent, actor, "say", data)
        self.t_ms = sent

    def answer(self, instruction: Instruction) -> None:
        """The operator does what it has understood, and sometimes asks."""
        command = understand(instruction.text, self.board, self.hand, self.rng)
        acts, self.hand = follow(command, self.board, self.hand, self.t_ms + self.rng.uniform(350, 900), self.rng)
        self.trace(acts)
        for act in acts:
            if act.change and not self.over:
                self.change(act.t_ms, act.change)
        self.t_ms = max([self.t_ms, *(a.t_ms for a in acts)])
        if command.kind == "take" and not self.over and self.rng.random() < 0.3:
            span = {"start": 0, "end": 8, "referents": [command.piece], "attributes": ["dpr"]}
            self.say(OPERATOR, Instruction("this one?", (span,)))
        self.tend()

    def trace(self, acts: list[Act]) -> None:
        """The cursor's points in small batches, counted back from the last one of each."""
        for first in range(0, len(acts), BATCH):
            batch = acts[first : first + BATCH]
            points = [[round(a.t_ms - batch[-1].t_ms, 1), round(a.x, 2), round(a.y, 2)] for a in batch]
            self.note(batch[-1].t_ms, OPERATOR, "cursor", {"points": points})

    def change(self, t_ms: float, change: Change) -> None:
        self.board = self.board.apply(change)
        if change.kind == "grab":
            self.held = self.board
        elif change.kind == "release" and self.held is not None:
            self.board, self.held = released(self.board, change.piece, self.held, self.settings["snap"]), None
        data = {"piece": change.piece, **self.board.placements[change.piece]._asdict()}
        self.note(t_ms, OPERATOR, change.kind, data)
        if change.kind in ("release", "rotate", "flip"):
            self.check(t_ms)

    def check(self, t_ms: float) -> None:
        if t_ms >= self.snapshot_due:
            self.note(t_ms + 0.1, "server", "snapshot", self.state())
            self.snapshot_due = t_ms + self.settings["snapshot_ms"]
        if self.board.covered(outline(self.goal), self.settings["tolerance"]):
            self.finish(t_ms + 0.2, "solved")

    def tend(self) -> None:
        """Hints and the limit, as time goes by."""
        due = self.settings["hints_ms"]
        if not self.over and self.hints < len(due) and self.t_ms >= due[self.hints]:
            piece, place = hint(self.goal, self.hints)
            self.note(self.t_ms, "server", "hint", {"number": self.hints, "piece": piece, **place._asdict()})
            self.hints += 1
        if not self.over and self.t_ms >= self.settings["limit_ms"]:
            self.finish(self.t_ms, "timeout")

    def finish(self, t_ms: float, outcome: str | None) -> None:
        self.note(t_ms, "server", "snapshot", self.state())
        if outcome:
            self.note(t_ms, "server", outcome, {})
        self.note(t_ms, "server", "end", {})
        self.over = True

    def log(self) -> tuple[Entry, ...]:
        """The rows in the order in which they reach the server."""
        arrived = sorted(self.rows, key=lambda row: row[0] + DELAY[row[1] if row[1] != "server" else OPERATOR])
        return tuple(self._entry(seq, row) for seq, row in enumerate(arrived))

    def _entry(self, seq: int, row: tuple[float, str, str, dict[str, Any]]) -> Entry:
        t_ms, actor, kind, data = row
        mine = None if actor == "server" else round(t_ms + AHEAD[actor], 1)
        arrival = t_ms + (DELAY[OPERATOR] if actor == "server" else DELAY[actor])
        return Entry(seq, round(arrival, 1), mine, actor, kind, data)
