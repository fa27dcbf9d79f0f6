"""Players by name: `bot`, or a language model as `llm/openai-compatible|model:NAME|endpoint:URL` with any switches of `ModelPlayer`."""

from __future__ import annotations

from pathlib import Path

from referee.catalogue import build
from referee.errors import InputError
from referee.situated.game.goals import Goal
from referee.situated.players.bots import OperatorBot, SolverBot
from referee.situated.players.contract import TangramPlayer
from referee.situated.players.model_players import ModelPlayer
from referee.situated.tiers.dialogue import SOLVER

__all__ = ["BOT", "MODEL", "make_player"]

BOT, MODEL = "bot", "llm/openai-compatible"


def make_player(written: str, role: str, goal: Goal, seed: int, calls: Path | None = None) -> TangramPlayer:
    """The player that a text names, for one role in one game; a model keeps its calls in `calls` and looks there first."""
    name, *switches = written.split("|")
    if name == BOT and not switches:
        return SolverBot(goal, seed) if role == SOLVER else OperatorBot(seed)
    if name != MODEL:
        raise InputError(f"{written!r} is no player", remedy=f"{BOT}, or {MODEL}|model:NAME|endpoint:URL")
    player: ModelPlayer = build(ModelPlayer, name, switches)
    return player if calls is None else player.remember(calls)
