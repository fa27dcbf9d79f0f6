"""The figures of a game: named ones, those of a file, or those of a set of pieces."""

from __future__ import annotations

from pathlib import Path

from referee.errors import InputError
from referee_lab.tangram.game.goals import GOALS, PENTOMINO_GOALS, Goal, find_goal
from referee_lab.tangram.game.own_goals import read_goals
from referee_lab.tangram.game.own_pieces import find_set
from referee_lab.tangram.game.piece_sets import find_pieces, find_set_of, name_of_set


def choose_goals(puzzles: str | None, file: Path | None, pieces: str) -> list[Goal]:
    """Return the figures named in `puzzles`; without names, all of the file or of the set."""
    chosen = find_set(pieces)
    find_pieces(chosen)
    file_goals = [] if file is None else read_goals(file)
    other = [goal for goal in file_goals if find_set_of(goal.placements) != chosen]
    # Tangrams are the default.
    if other and chosen != "tangram":
        made = name_of_set(other[0].placements)
        remedy = f"leave out --pieces {pieces}, or name figures of that set"
        raise InputError(
            f"the figure {other[0].name!r} is made of {made}, not of {chosen}", where=file or pieces, remedy=remedy
        )
    names = [name.strip() for name in puzzles.split(",") if name.strip()] if puzzles else []
    if names:
        goals_by_name = {goal.name: goal for goal in file_goals}
        return [goals_by_name.get(name) or find_goal(name) for name in names]
    shipped = {"tangram": GOALS, "pentomino": PENTOMINO_GOALS}.get(chosen, {})
    if not file_goals and not shipped:
        remedy = "give a file of figures: --goals FILE (`referee docs tangram` has its form)"
        raise InputError(f"there are no figures of the set {chosen!r}", where=pieces, remedy=remedy)
    return file_goals or list(shipped.values())
