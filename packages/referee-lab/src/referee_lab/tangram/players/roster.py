"""Players by name.

In Tangram `bot`, in a reference game a system or a hearer, in both a language model as
`llm/openai-compatible|model:NAME|endpoint:URL`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from referee.capabilities import Remembers
from referee.catalogue import build, configure
from referee.errors import InputError
from referee.records import Trial
from referee_lab.tangram.game.goals import Goal
from referee_lab.tangram.players.bots import OperatorBot, SolverBot
from referee_lab.tangram.players.contract import TangramPlayer
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
