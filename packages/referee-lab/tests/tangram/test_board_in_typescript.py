"""The walk that the browser's tests check its board against is what the Python board does.

To make them again: python tests/situated/test_board_in_typescript.py
"""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from referee_lab.tangram.game.board import CHANGES, Change
from referee_lab.tangram.game.goals import scatter_pieces
from referee_lab.tangram.game.piece_sets import PENTOMINOES, PIECES

WALK = Path(__file__).parents[2] / "browser/tests/tangram-walk.json"
PENTOMINO_WALK = WALK.with_name("pentomino-walk.json")


def walk(seed: int = 11, steps: int = 150, pieces: Collection[str] = PIECES) -> dict[str, Any]:
    """A random walk with the hash of every state, and what lies under random points of the first one."""
    rng, board = Random(seed), scatter_pieces(seed, 45, pieces)
    first, rows = board, []
    for _ in range(steps):
        x, y = rng.uniform(-50, 1300), rng.choice([None, rng.randrange(0, 800_000) / 1000])
        turn, flip = rng.choice([None, rng.uniform(-800, 800)]), rng.choice([None, True, False])
        change = Change(rng.choice(CHANGES), rng.choice(sorted(pieces)), x, y, turn, flip)
        board = board.apply(change)
        rows.append({"change": asdict(change), "hash": board.hash(), "corners": board.corners(change.piece)})
    points = [(rng.uniform(0, 1200), rng.uniform(0, 800)) for _ in range(200)]
    found = [{"x": x, "y": y, "piece": first.find_piece_at(x, y)} for x, y in points]
    return {"board": first.to_data(), "steps": rows, "points": found}


def test_the_walk_of_the_browsers_tests_is_that_of_the_board():
    stored, now = json.loads(WALK.read_text("utf-8")), walk()
    assert [row["hash"] for row in stored["steps"]] == [row["hash"] for row in now["steps"]]
    assert stored["board"] == now["board"]
    assert stored["points"] == now["points"]


def test_the_walk_of_pentominoes_is_that_of_the_board():
    stored, now = json.loads(PENTOMINO_WALK.read_text("utf-8")), walk(5, 60, PENTOMINOES)
    assert [row["hash"] for row in stored["steps"]] == [row["hash"] for row in now["steps"]]
    assert stored["points"] == now["points"]
    assert sum(row["piece"] is not None for row in stored["points"]) > 10


if __name__ == "__main__":
    WALK.write_text(json.dumps(walk(), separators=(",", ":")) + "\n", "utf-8")
    PENTOMINO_WALK.write_text(json.dumps(walk(5, 60, PENTOMINOES), separators=(",", ":")) + "\n", "utf-8")
