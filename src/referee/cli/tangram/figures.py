"""Which figures are played: named ones, those of a file, or those of a set of pieces."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from referee.errors import InputError
from referee.situated.game.goals import GOALS, PENTOMINO_GOALS, Goal, find_goal
from referee.situated.game.own_goals import read_goals
from referee.situated.game.piece_sets import PIECES, find_pieces

__all__ = ["chosen_goals", "refuse_for_bots"]


def chosen_goals(puzzles: str | None, file: Path | None, pieces: str) -> list[Goal]:
    """The figures named in `puzzles` (with commas); without names all of the file, or all of the set."""
    find_pieces(pieces)
    own = [] if file is None else read_goals(file)
    names = [name.strip() for name in puzzles.split(",") if name.strip()] if puzzles else []
    if names:
        known = {goal.name: goal for goal in own}
        return [known.get(name) or find_goal(name) for name in names]
    return own or list((GOALS if pieces == "tangram" else PENTOMINO_GOALS).values())


def refuse_for_bots(goals: Sequence[Goal]) -> None:
    """Bots know the words for the seven pieces of the Tangram only."""
    strange = [goal.name for goal in goals if not goal.placements.keys() <= PIECES.keys()]
    if strange:
        raise InputError(
            f"bots play with the seven pieces of the Tangram, and {', '.join(strange)} has others",
            remedy="let people or language models play, or choose figures of the Tangram",
        )
