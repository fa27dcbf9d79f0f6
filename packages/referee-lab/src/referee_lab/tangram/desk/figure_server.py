"""The page on which own goal figures are laid, at a local address: the program snaps, checks and keeps; the page shows."""

from __future__ import annotations

import threading
from itertools import count
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from pydantic import BaseModel, Field

from referee.errors import InputError
from referee_lab.server.web.built_pages import STATIC
from referee_lab.tangram.desk.local_page import create_local_app
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.goals import Goal, outline_path, scatter
from referee_lab.tangram.game.own_goals import check_figure, figure_on, read_goals, write_goals
from referee_lab.tangram.game.piece_sets import find_pieces, step_of

__all__ = ["create_figures_app"]

LARGEST = 64 * 1024
SNAP = 14.0
UNNAMED = "unnamed"


class FigureState(BaseModel):
    """A board; the piece that was let go just now, if one was."""

    board: dict[str, Any]
    piece: str | None = None


class FigureName(BaseModel):
    """The name of a figure, and the board on which it lies where it is to be kept."""

    name: str = Field(max_length=60)
    board: dict[str, Any] | None = None


def create_figures_app(file: Path, pieces: str, token: str, static: Path = STATIC) -> FastAPI:
    """The application for one file of figures; whoever has the token may add to it."""
    app, guarded = create_local_app("figures", token, static, LARGEST)
    writing, seeds, numbers = threading.Lock(), count(1), find_pieces(pieces)

    def kept() -> list[Goal]:
        return read_goals(file) if file.exists() else []

    @app.get("/api/figures", dependencies=guarded)
    def figures() -> dict[str, Any]:
        board = scatter(next(seeds), step_of(numbers), numbers)
        return {"file": file.name, "board": board.to_data(), "goals": _shown(kept())}

    @app.post("/api/check", dependencies=guarded)
    def check(body: FigureState) -> dict[str, Any]:
        board = Board.from_data(body.board)
        if body.piece in board.placements:
            board = board.snapped(str(body.piece), SNAP)
        placed = figure_on(board)
        found = check_figure(UNNAMED, placed)
        return {
            "board": board.to_data(),
            "problems": list(found.problems),
            "left_out": [piece for piece in board.placements if piece not in placed],
            "symmetric": None if found.goal is None else found.goal.symmetric,
            "path": None if found.goal is None else outline_path(found.goal),
        }

    @app.post("/api/goals", dependencies=guarded)
    def keep(body: FigureName) -> list[dict[str, Any]]:
        found = check_figure(body.name, figure_on(Board.from_data(body.board or {})))
        if found.goal is None:
            raise InputError("; ".join(found.problems), remedy="mend it")
        with writing:
            goals = kept()
            if any(goal.name == body.name for goal in goals):
                raise InputError(f"there is a figure {body.name} already", remedy="choose another name")
            write_goals(file, [*goals, found.goal])
            return _shown(kept())

    @app.post("/api/goals/delete", dependencies=guarded)
    def forget(body: FigureName) -> list[dict[str, Any]]:
        with writing:
            left = [goal for goal in kept() if goal.name != body.name]
            # A file without figures is no file of figures.
            if left:
                write_goals(file, left)
            else:
                file.unlink(missing_ok=True)
            return _shown(left)

    return app


def _shown(goals: list[Goal]) -> list[dict[str, Any]]:
    return [
        {"name": g.name, "symmetric": g.symmetric, "pieces": len(g.placements), "path": outline_path(g)} for g in goals
    ]
