"""One game between two players: turns on a clock until an outcome; recorded like people's games, and scored.

The solver acts, then the operator, until the figure is complete or the time is over. Besides *solved* and *timeout* a
game can end without progress (`turns`), or because a player crashed, stalled (no answer in time), gave unreadable
answers several times in a row (nonsense), or could not be reached (`unanswered`). Each is an outcome of its own, and
none counts as a failure to solve. The clock advances by the actions of players: words take typing time, moves take
hand-movement time, and thinking takes real time.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from referee_lab.tangram.game.goals import Goal
from referee_lab.tangram.game.instructions import Command
from referee_lab.tangram.game.log import Recording
from referee_lab.tangram.game.rules import SETTINGS, start_game
from referee_lab.tangram.game.session_log import SERVER, SessionLog
from referee_lab.tangram.game.solver_bot import Instruction
from referee_lab.tangram.players.contract import (
    CRASHED,
    FLIP,
    GRAB,
    MOVE,
    NONSENSE,
    SAY,
    STALLED,
    TURN,
    UNANSWERED,
    WAIT,
    GameEnded,
    PlayerMove,
    Seen,
    TangramPlayer,
    Unreadable,
    ask_player,
    is_refused,
)
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

SOLVED, TIMEOUT, TURNS = "solved", "timeout", "turns"
OUTCOMES = (SOLVED, TIMEOUT, TURNS, CRASHED, STALLED, NONSENSE, UNANSWERED)


@dataclass(frozen=True, slots=True, kw_only=True)
class GameLimits:
    """The limits of a game: turns of the pair, seconds for one answer, unreadable answers in a row."""

    turns: int = 200
    answer_s: float = 120.0
    unreadable: int = 3


@dataclass(slots=True, kw_only=True)
class GameScore:
    """The results of a game.

    `errors` are moves that the rules refuse, `clarifications` questions of the operator, `unreadable` answers without a
    move.
    """

    session: str
    goal: str
    solver: str
    operator: str
    outcome: str = ""
    by: str = ""
    why: str = ""
    solved: bool = False
    seconds: float = 0.0
    turns: int = 0
    words: int = 0
    utterances: int = 0
    moves: int = 0
    errors: int = 0
    clarifications: int = 0
    unreadable: int = 0


@dataclass
class _Match:
    """A game under way."""

    log: SessionLog
    score: GameScore
    limits: GameLimits
    players: Mapping[str, TangramPlayer]
    talk: list[tuple[str, str]] = field(default_factory=list)
    running: dict[str, int] = field(default_factory=lambda: dict.fromkeys((SOLVER, OPERATOR), 0))

    def turn(self, role: str) -> None:
        """Play one turn of a player, whatever its outcome."""
        began = time.monotonic()
        moves = self._ask_player(role)
        self.log.t_ms += 1000 * (time.monotonic() - began)
        for move in moves:
            if self.log.game.outcome is None:
                self._apply_move(role, move)
        self.log.pass_time()

    def _ask_player(self, role: str) -> Sequence[PlayerMove]:
        """Ask a player for its moves.

        Raises an end of the game if it crashes, stalls or gives nonsense too often.
        """
        game = self.log.game
        seen = Seen(
            role=role,
            board=game.board,
            t_ms=self.log.t_ms,
            limit_ms=game.settings["limit_ms"],
            talk=tuple(self.talk),
            goal=game.goal if role == SOLVER else None,
            handled=self.log.hand.piece,
        )
        try:
            moves = list(ask_player(role, self.limits.answer_s, lambda: self.players[role].act(seen)))
        except Unreadable:
            self.score.unreadable += 1
            self.running[role] += 1
            if self.running[role] >= self.limits.unreadable:
                raise GameEnded(NONSENSE, role, f"{self.running[role]} unreadable answers in a row") from None
            return []
        self.running[role] = 0
        if odd := [move for move in moves if not isinstance(move, PlayerMove)]:
            raise GameEnded(CRASHED, role, f"gave {type(odd[0]).__name__} {str(odd[0])[:80]!r}, which is not a move")
        return moves

    def _apply_move(self, role: str, move: PlayerMove) -> None:
        """Apply one move of a player."""
        if move.kind == WAIT:
            self.log.t_ms += 1000.0
        elif move.kind == SAY:
            self._log_utterance(role, move)
        elif is_refused(move, role, self.log.game.board):
            self.score.errors += 1
        else:
            self.score.moves += 1
            self.log.carry_out(choose_command(move))

    def _log_utterance(self, role: str, move: PlayerMove) -> None:
        """Log an utterance of a player and count its words."""
        if not move.text.strip():
            self.score.errors += 1
            return
        self.log.say(role, Instruction(move.text, tuple(move.expressions)))
        self.talk.append((role, move.text))
        self.score.words += len(move.text.split())
        self.score.utterances += 1
        self.score.clarifications += role == OPERATOR and "?" in move.text


def choose_command(move: PlayerMove) -> Command:
    """Return the hand's command for a move: a bot's own command, else exactly the move."""
    if move.command is not None:
        return move.command
    kind = {GRAB: "take", MOVE: "place", TURN: "turn", FLIP: "flip"}[move.kind]
    # Ten rounds end where one does.
    degrees = int(math.fmod(move.degrees, 360)) or (360 if move.degrees else 0)
    return Command(kind, move.piece, move.x, move.y, degrees)


def play_match(
    goal: Goal,
    solver: TangramPlayer,
    operator: TangramPlayer,
    *,
    seed: int = 1,
    session: str | None = None,
    settings: Mapping[str, Any] = SETTINGS,
    limits: GameLimits | None = None,
) -> tuple[Recording, GameScore]:
    """Play a whole game, from the scattered pieces to its end."""
    game, notes = start_game(goal, seed, settings)
    log = SessionLog(game, Random(seed))
    log.open(notes)
    name = session or f"{goal.name}-{seed}"
    score = GameScore(session=name, goal=goal.name, solver=solver.name, operator=operator.name)
    match = _Match(log, score, limits or GameLimits(), {SOLVER: solver, OPERATOR: operator})
    _play_turns(match)
    score.seconds = round(log.t_ms / 1000, 1)
    score.solved = score.outcome == SOLVED
    programs = {"solver": solver.name, "operator": operator.name, "outcome": score.outcome}
    return log.make_recording(name, name, settings, programs), score


def _play_turns(match: _Match) -> None:
    """Play turns until the game ends; record why."""
    score, log = match.score, match.log
    try:
        while log.game.outcome is None:
            if score.turns >= match.limits.turns:
                raise GameEnded(TURNS, "", f"{score.turns} turns")
            score.turns += 1
            for role in (SOLVER, OPERATOR):
                if log.game.outcome is None:
                    match.turn(role)
        score.outcome = str(log.game.outcome)
    except GameEnded as ended:
        score.outcome, score.by, score.why = ended.outcome, ended.by, ended.why
        log.note(log.t_ms, SERVER, "end", {"reason": ended.outcome})
