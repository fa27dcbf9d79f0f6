"""A programmable operator: it interprets short instructions and carries them out with human-like movements.

Cursor paths follow the minimum-jerk profile of arm movements (Flash & Hogan 1985) with a slight curve, and take the
time of Fitts's law; points come at 60 Hz. The bot does not know the goal: its actions depend on the words, the board
and chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

from referee_lab.tangram.game.board import WORK_AREA, Board, Change, Placement
from referee_lab.tangram.game.instructions import Command, Hand

FRAME = 1000 / 60


@dataclass(frozen=True, slots=True)
class Act:
    """One thing the hand does at a time: the cursor is at (x, y), and perhaps a change."""

    t_ms: float
    x: float
    y: float
    change: Change | None = None


def perform_command(command: Command, board: Board, hand: Hand, t_ms: float, rng: Random) -> tuple[list[Act], Hand]:
    """Return the movements for a command from a time on, and the hand afterwards."""
    if command.kind not in _HANDLE or command.piece is None:
        return [], hand
    now = board.placements[command.piece]
    hold = (now.x + rng.gauss(0, 8), now.y + rng.gauss(0, 8))
    acts = [Act(t, *point) for t, point in _make_reach(hand.cursor, hold, t_ms, rng)]
    ready = acts[-1].t_ms + rng.uniform(80, 200)
    if command.kind == "undo":
        acts += _restore_piece(command.piece, now, hand.before or now, hold, ready)
    else:
        acts += _HANDLE[command.kind](command, board, hold, ready, rng)
    # Taking a piece changes nothing, so the last action can still be undone.
    before = hand.before if command.kind == "take" and command.piece == hand.piece else now
    last = hand.last if command.kind in ("take", "undo") else command
    return acts, Hand((acts[-1].x, acts[-1].y), command.piece, before, last)


def _touch_piece(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    """Return the movements that touch the piece, to show which one is meant."""
    piece = str(command.piece)
    return [Act(t_ms, *hold, Change("grab", piece)), Act(t_ms + rng.uniform(120, 300), *hold, Change("release", piece))]


def _turn_piece(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    """Return the movements that turn a piece step by step."""
    piece, acts, t = str(command.piece), [], t_ms
    sign = 1 if command.degrees >= 0 else -1
    for step in range(1, max(1, round(abs(command.degrees) / board.step)) + 1):
        rotation = board.placements[piece].rotation + sign * step * board.step
        acts.append(Act(t, *hold, Change("rotate", piece, rotation=rotation)))
        t += rng.uniform(140, 320)
    return acts


def _flip_piece(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    piece = str(command.piece)
    return [Act(t_ms, *hold, Change("flip", piece, flipped=not board.placements[piece].flipped))]


def _drag_piece(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    """Return the movements that drag a piece: to a region, or by about the named distance."""
    piece = str(command.piece)
    now = board.placements[piece]
    if command.kind == "beside":
        goal = _find_position_beside(command, board)
    elif command.kind == "place":
        goal = (command.x, command.y)
    elif command.kind == "put":
        goal = (command.x + rng.gauss(0, 12), command.y + rng.gauss(0, 12))
    else:
        goal = tuple(v + d * (1 + rng.gauss(0, 0.04)) for v, d in ((now.x, command.x), (now.y, command.y)))  # type: ignore[assignment]
    # The cursor keeps its place on the piece while it is dragged.
    grip = (hold[0] - now.x, hold[1] - now.y)
    acts = [Act(t_ms, *hold, Change("grab", piece))]
    for t, (x, y) in _make_reach((now.x, now.y), goal, t_ms + rng.uniform(60, 140), rng, bow=0.02):
        acts.append(Act(t, x + grip[0], y + grip[1], Change("move", piece, x, y)))
    last = acts[-1]
    return [*acts, Act(last.t_ms + rng.uniform(60, 180), last.x, last.y, Change("release", piece))]


def _find_position_beside(command: Command, board: Board) -> tuple[float, float]:
    """Return the position of a piece beside another one: on the named side, else on the nearest."""
    piece, other = str(command.piece), str(command.other)
    (left, top, right, bottom), here = board.polygon(other).bounds, board.placements[piece]
    x0, y0, x1, y1 = board.polygon(piece).bounds
    middle = ((left + right) / 2, (top + bottom) / 2)
    places = {
        (-1.0, 0.0): (left - (x1 - here.x), middle[1]),
        (1.0, 0.0): (right + (here.x - x0), middle[1]),
        (0.0, -1.0): (middle[0], top - (y1 - here.y)),
        (0.0, 1.0): (middle[0], bottom + (here.y - y0)),
    }
    named_position = places.get((command.x, command.y))
    return named_position or min(places.values(), key=lambda place: math.dist(place, here[:2]))


def _restore_piece(piece: str, now: Placement, before: Placement, hold: tuple[float, float], t_ms: float) -> list[Act]:
    """Return the movements that bring a piece back to an earlier placement."""
    acts = [
        Act(t_ms, *hold, Change("grab", piece)),
        Act(t_ms + 250, before.x, before.y, Change("move", piece, before.x, before.y)),
        Act(t_ms + 400, before.x, before.y, Change("release", piece)),
    ]
    if before.rotation != now.rotation:
        acts.append(Act(t_ms + 600, before.x, before.y, Change("rotate", piece, rotation=before.rotation)))
    if before.flipped != now.flipped:
        acts.append(Act(t_ms + 800, before.x, before.y, Change("flip", piece, flipped=before.flipped)))
    return acts


def withdraw_hand(hand: Hand, t_ms: float, rng: Random) -> tuple[list[Act], Hand]:
    """Return the movements with which the hand leaves the pieces, and the hand."""
    angle, way = rng.uniform(0, 2 * math.pi), rng.uniform(150, 350)
    x, y = hand.cursor[0] + way * math.cos(angle), hand.cursor[1] + way * math.sin(angle)
    end = (min(max(x, 10.0), WORK_AREA[0] - 10), min(max(y, 10.0), WORK_AREA[1] - 10))
    return [Act(t, *point) for t, point in _make_reach(hand.cursor, end, t_ms, rng)], replace(hand, cursor=end)


_HANDLE = {
    "take": _touch_piece,
    "turn": _turn_piece,
    "flip": _flip_piece,
    "put": _drag_piece,
    "shift": _drag_piece,
    "beside": _drag_piece,
    "place": _drag_piece,
    "undo": _drag_piece,
}


def _make_reach(
    start: tuple[float, float], end: tuple[float, float], t_ms: float, rng: Random, bow: float = 0.06
) -> Iterator[tuple[float, tuple[float, float]]]:
    """Yield points of a reach at 60 Hz: minimum jerk along the path, with a slight curve."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    distance = math.hypot(dx, dy)
    # Fitts's law: a constant and so much for every bit of difficulty, pieces being about 25 units wide to a hand.
    frames = max(2, round((150 + 140 * math.log2(distance / 25 + 1)) * rng.uniform(0.85, 1.2) / FRAME))
    bend = rng.gauss(0, bow)
    for frame in range(1, frames + 1):
        tau = frame / frames
        # The polynomial of least jerk (Flash & Hogan 1985).
        along, across = tau**3 * (10 - 15 * tau + 6 * tau**2), bend * math.sin(math.pi * tau)
        yield t_ms + frame * FRAME, (start[0] + along * dx - across * dy, start[1] + along * dy + across * dx)
