"""The walk that the browser's tests check its board against is what the Python board does.

To make it again: python tests/dialogue/test_board_in_typescript.py > browser/tests/tangram-walk.json
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

from referee.situated.game.board import CHANGES, PIECES, Change
from referee.situated.game.goals import scatter

WALK = Path(__file__).parents[2] / "browser/tests/tangram-walk.json"


def walk(seed: int = 11, steps: int = 150) -> dict[str, Any]:
    """A random walk with the hash of every state, and what lies under random points of the first one."""
    rng, board = Random(seed), scatter(seed)
    first, rows = board, []
    for _ in range(steps):
        x, y = rng.uniform(-50, 1300), rng.choice([None, rng.randrange(0, 800_000) / 1000])
        turn, flip = rng.choice([None, rng.uniform(-800, 800)]), rng.choice([None, True, False])
        change = Change(rng.choice(CHANGES), rng.choice(sorted(PIECES)), x, y, turn, flip)
        board = board.apply(change)
        rows.append({"change": asdict(change), "hash": board.hash(), "corners": board.corners(change.piece)})
    points = [(rng.uniform(0, 1200), rng.uniform(0, 800)) for _ in range(200)]
    found = [{"x": x, "y": y, "piece": first.piece_at(x, y)} for x, y in points]
    return {"board": first.to_data(), "steps": rows, "points": found}


def test_the_walk_of_the_browsers_tests_is_that_of_the_board():
    stored, now = json.loads(WALK.read_text("utf-8")), walk()
    assert [row["hash"] for row in stored["steps"]] == [row["hash"] for row in now["steps"]]
    assert stored["board"] == now["board"]
    assert stored["points"] == now["points"]


if __name__ == "__main__":
    print(json.dumps(walk(), separators=(",", ":")))
