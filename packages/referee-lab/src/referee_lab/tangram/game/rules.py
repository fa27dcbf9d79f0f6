"""The rules of the Tangram game without I/O (Tokunaga et al. 2010).

The effect of a change, of time, or of a lost connection on a running game.

Every function takes a game and a server time and returns the next game and the notes to log and send, in order; rooms,
bots and tests share them. A released piece snaps to its neighbours only if it was moved further than the snap distance,
so that a small correction stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import hypot
from types import MappingProxyType
from typing import Any, NamedTuple

from referee_lab.tangram.game.board import Board, Change, compute_cover_error
from referee_lab.tangram.game.goals import Goal, get_hint, get_outline, scatter_pieces

# Hints after 5 and 10 minutes, the second in place of the first, and 15 minutes in all, as in REX-J.
SETTINGS: Mapping[str, Any] = MappingProxyType(
    {
        "tolerance": 0.05,
        "snap": 12.0,
        "step": 45,
        "hints_ms": (300_000, 600_000),
        "limit_ms": 900_000,
        "snapshot_ms": 5_000,
    }
)

NEARLY = 3.0


class Note(NamedTuple):
    """An event to log: its kind and data as in `log`.

    `by_server` distinguishes the game's own events from a player's.
    """

    kind: str
    data: Mapping[str, Any]
    by_server: bool = True


@dataclass(frozen=True, slots=True)
class Game:
    """A running game: times count from its start.

    `nearly` while the figure is laid but for hair's breadths; `outcome` is solved or timeout once it is over.
    """

    goal: Goal
    settings: Mapping[str, Any]
    board: Board
    held: str | None = None
    grabbed: Board | None = None
    hints: int = 0
    snapshot_ms: float = 0.0
    nearly: bool = False
    outcome: str | None = None


def start_game(goal: Goal, seed: int, settings: Mapping[str, Any] = SETTINGS) -> tuple[Game, list[Note]]:
    """Return a new game with scattered pieces, and its first events."""
    game = Game(goal, settings, scatter_pieces(seed, settings["step"], goal.placements))
    return game, [Note("start", export_state(game))]


def apply_change(game: Game, action: Change, t_ms: float) -> tuple[Game, list[Note]]:
    """Apply an operator's change; a finished game does not change."""
    if game.outcome:
        return game, []
    board = game.board.apply(action)
    if action.kind == "release":
        board = _release_piece(game, board, action.piece)
    held, grabbed = game.held, game.grabbed
    if action.kind == "grab":
        held, grabbed = action.piece, board
    elif action.kind == "release":
        held, grabbed = None, None
    after = replace(game, board=board, held=held, grabbed=grabbed)
    note = Note(action.kind, {"piece": action.piece, **board.placements[action.piece]._asdict()}, by_server=False)
    # A piece in the hand finishes nothing: the outline is looked at when it is let go.
    if action.kind in ("grab", "move"):
        return after, [note]
    settled, notes = _finish_change(after, t_ms)
    return settled, [note, *notes]


def release_piece(game: Game, t_ms: float) -> tuple[Game, list[Note]]:
    """Release a held piece at its position after a lost connection."""
    return apply_change(game, Change("release", game.held), t_ms) if game.held else (game, [])


def pass_time(game: Game, t_ms: float) -> tuple[Game, list[Note]]:
    """Advance the time: show hints that are due, and end the game at its time limit."""
    notes = []
    due = game.settings["hints_ms"]
    while not game.outcome and game.hints < len(due) and t_ms >= due[game.hints]:
        piece, place = get_hint(game.goal, game.hints)
        notes.append(Note("hint", {"number": game.hints, "piece": piece, **place._asdict()}))
        game = replace(game, hints=game.hints + 1)
    if not game.outcome and t_ms >= game.settings["limit_ms"]:
        game, last = _end_game(game, "timeout")
        notes += last
    return game, notes


def _release_piece(game: Game, board: Board, piece: str) -> Board:
    """Return the board after a piece is released, snapped to its neighbours if it was moved far enough."""
    if game.grabbed is None or not game.settings["snap"]:
        return board
    now, then = board.placements[piece], game.grabbed.placements[piece]
    carried = hypot(now.x - then.x, now.y - then.y) > game.settings["snap"]
    return board.snap(piece, game.settings["snap"]) if carried else board


def _finish_change(game: Game, t_ms: float) -> tuple[Game, list[Note]]:
    """End the game if a change completes the figure, else take a snapshot if one is due."""
    missing = max(compute_cover_error(game.board, get_outline(game.goal))) if game.held is None else 1.0
    if missing <= game.settings["tolerance"]:
        return _end_game(game, "solved")
    # A figure that is complete up to hairline gaps counts as solved at once, so that players do not search for another
    # solution.
    nearly = missing <= NEARLY * game.settings["tolerance"] if game.held is None else game.nearly
    if nearly == game.nearly and t_ms - game.snapshot_ms < game.settings["snapshot_ms"]:
        return game, []
    game = replace(game, snapshot_ms=t_ms, nearly=nearly)
    return game, [Note("snapshot", export_state(game))]


def _end_game(game: Game, outcome: str) -> tuple[Game, list[Note]]:
    over = replace(game, outcome=outcome, nearly=False)
    return over, [Note("snapshot", export_state(over)), Note(outcome, {}), Note("end", {})]


def export_state(game: Game) -> dict[str, Any]:
    """Return the data of a snapshot."""
    nearly = {"nearly": True} if game.nearly else {}
    return {"state": game.board.to_data(), "hash": game.board.hash(), **nearly}
