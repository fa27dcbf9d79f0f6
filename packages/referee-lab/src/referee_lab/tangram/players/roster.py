"""Players by name.

In Tangram `bot`, in a reference game a system or a hearer, in both a language model as
`llm/openai-compatible|model:NAME|endpoint:URL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

from referee.capabilities import Remembers
from referee.catalogue import build, configure
from referee.errors import InputError
from referee.records import Trial
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.goals import Goal
from referee_lab.tangram.game.instructions import Hand, interpret, split_clauses
from referee_lab.tangram.game.solver_bot import Mind, instruct
from referee_lab.tangram.players.contract import FLIP, GRAB, MOVE, SAY, TURN, WAIT, PlayerMove, Seen, TangramPlayer
from referee_lab.tangram.players.model_partners import ModelHearer, ModelSpeaker
from referee_lab.tangram.players.model_players import ModelPlayer
from referee_lab.tangram.tiers.dialogue import SOLVER

BOT, MODEL = "bot", "llm/openai-compatible"


def make_player(written: str, role: str, goal: Goal, seed: int, calls: Path | None = None) -> TangramPlayer:
    """Return the player that a text names, for one role in one game.

    A model keeps its calls in `calls` and looks there first.
    """
    name, *switches = written.split("|")
    if name == BOT and not switches:
        return SolverBot(goal, seed) if role == SOLVER else OperatorBot(seed)
    if name != MODEL:
        raise InputError(f"{written!r} is not a player", remedy=f"{BOT}, or {MODEL}|model:NAME|endpoint:URL")
    player: ModelPlayer = build(ModelPlayer, name, switches)
    player.check()
    return player if calls is None else player.remember(calls)


def make_partner(written: str, kind: str, seed: int, learn: Sequence[Trial] = (), calls: Path | None = None) -> Any:
    """Return the speaker (kind `system`) or the hearer (kind `hearer`) of a reference game that a text names, trained on `learn`."""
    name, *switches = written.split("|")
    if name == MODEL:
        made: Any = build(ModelSpeaker if kind == "system" else ModelHearer, name, switches)
        made.check()
    else:
        made = configure(kind, written, seed).fit(learn)
    return made.remember(calls) if calls is not None and isinstance(made, Remembers) else made


# The move that the rules see; the command determines the movements.
_KINDS = {"take": GRAB, "turn": TURN, "flip": FLIP}


class SolverBot:
    """Gives the next instruction towards the goal; waits when the figure is complete."""

    name = "bot"

    def __init__(self, goal: Goal, seed: int = 1) -> None:
        self.mind, self.rng = Mind.of(goal), Random(seed)

    def act(self, seen: Seen) -> Sequence[PlayerMove]:
        """Return the next instruction as a move."""
        instruction, self.mind = instruct(self.mind, seen.board, seen.handled, self.rng)
        if instruction is None:
            return [PlayerMove(kind=WAIT)]
        return [PlayerMove(kind=SAY, text=instruction.text, expressions=instruction.expressions)]


class OperatorBot:
    """Carries out the solver's last instruction once, or asks a question."""

    name = "bot"

    def __init__(self, seed: int = 1) -> None:
        self.hand, self.rng, self.heard = Hand(), Random(seed), 0

    def act(self, seen: Seen) -> Sequence[PlayerMove]:
        """Return the moves for the solver's new instructions."""
        instructions = [text for by, text in seen.talk if by == SOLVER]
        new, self.heard = instructions[self.heard :], len(instructions)
        if not new:
            return [PlayerMove(kind=WAIT)]
        moves: list[PlayerMove] = []
        for clause in split_clauses(new[-1]):
            moves += self._follow_clause(clause, seen.board)
            if self.hand.asked:
                break
        return moves or [PlayerMove(kind=WAIT)]

    def _follow_clause(self, clause: str, board: Board) -> list[PlayerMove]:
        """Return the moves for one clause, or a question."""
        command = interpret(clause, board, self.hand, self.rng)
        self.hand = replace(self.hand, asked=command if command.kind == "ask" else None)
        if command.kind == "ask":
            return [PlayerMove(kind=SAY, text=command.question)]
        if command.kind == "none" or command.piece is None:
            return []
        last = self.hand.last if command.kind in ("take", "undo") else command
        is_same = command.kind == "take" and command.piece == self.hand.piece
        before = self.hand.before if is_same else board.placements[str(command.piece)]
        self.hand = replace(self.hand, piece=command.piece, before=before, last=last)
        return [PlayerMove(kind=_KINDS.get(command.kind, MOVE), piece=command.piece, command=command)]
