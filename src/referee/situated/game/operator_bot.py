"""An operator that can be programmed: it understands short instructions and carries them out with a hand that moves like a hand.

Cursor paths follow the minimum-jerk profile of arm movements (Flash & Hogan 1985) with a slight bow, and take the time that Fitts's law gives;
points come at 60 Hz. The bot knows nothing of the goal: what it does depends on the words, the board, and chance.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from referee.situated.game.board import PIECES, WORK_AREA, Board, Change
from referee.situated.game.solver_bot import AMOUNTS, REGIONS

__all__ = ["Act", "Command", "Hand", "follow", "rest", "understand"]

FRAME = 1000 / 60
# In steps of the board, usually 45 degrees: four turn a piece upside down.
NUMBERS = {"twice": 2, "two times": 2, "three times": 3, "four times": 4, "upside down": 4, "around": 4, "half": 4}
SIZES = {"big": "large", "large": "large", "medium": "medium", "middle": "medium", "small": "small", "little": "small"}
_MOVE = re.compile(
    rf"\b(left|right|up|down)\b(?: (?:by )?({'|'.join(AMOUNTS)}))?|({'|'.join(AMOUNTS)}) (?:to the )?(left|right|up|down)\b"
)
_WAYS = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}


@dataclass(frozen=True, slots=True)
class Command:
    """What an instruction asks for: `kind` is take, turn, flip, put, shift or none."""

    kind: str
    piece: str | None = None
    x: float = 0.0
    y: float = 0.0
    degrees: int = 0


@dataclass(frozen=True, slots=True)
class Hand:
    """Where the cursor is, which piece was handled last, and which were taken and given back as wrong."""

    cursor: tuple[float, float] = (600.0, 400.0)
    piece: str | None = None


@dataclass(frozen=True, slots=True)
class Act:
    """One thing the hand does at a time: the cursor is at (x, y), and perhaps a change."""

    t_ms: float
    x: float
    y: float
    change: Change | None = None


def understand(text: str, board: Board, hand: Hand, rng: Random) -> Command:
    """What an instruction asks for; where the words fit several pieces, one of them at random."""
    words = text.lower()
    piece = _named(words, board, hand, rng)
    if re.search(r"\b(turn|rotate|spin)\b", words):
        return Command("turn", piece, degrees=_degrees(words, board.step))
    if re.search(r"\b(flip|mirror)\b", words):
        return Command("flip", piece)
    if re.search(r"\b(put|place)\b", words) and (region := _region(words)):
        return Command("put", piece, *region)
    if re.search(r"\b(move|shift|push|bring|slide)\b", words) and (way := _way(words)):
        return Command("shift", piece, *way)
    fresh = re.search(r"\b(take|pick|next|now|no|use|grab|the|that|this)\b", words)
    return Command("take", piece) if fresh and piece else Command("none")


def _named(words: str, board: Board, hand: Hand, rng: Random) -> str | None:
    """The piece that the words name: by size and shape, then by place; the one in hand where they name none."""
    shape = re.search(r"\b(triangle|square|parallelogram)\b", words)
    # A size counts before a noun only: *a little to the left* names no piece.
    size = re.search(rf"\b({'|'.join(SIZES)})(?= (?:triangle|one|piece|square|parallelogram))", words)
    other = re.search(r"\bother\b", words)
    if not shape and not size and not other:
        return hand.piece
    fitting = [p for p, a in PIECES.items() if (not shape or a["shape"] == shape[1])]
    fitting = [p for p in fitting if not size or PIECES[p]["size"] == SIZES[size[1]]]
    if other:
        fitting = _others(fitting, hand.piece)
    elif not size and hand.piece in fitting:
        return hand.piece
    placed = _by_place(words, fitting, board)
    return placed or (rng.choice(fitting) if fitting else hand.piece)


def _others(fitting: list[str], held: str | None) -> list[str]:
    """What *the other one* can be: not the one in hand, and of its shape if there is one."""
    rest = [p for p in fitting if p != held]
    return [p for p in rest if held and PIECES[p]["shape"] == PIECES[held]["shape"]] or rest


def _by_place(words: str, fitting: list[str], board: Board) -> str | None:
    place = re.search(r"\b(?:on|at) the (left|right|top|bottom)\b", words)
    # After *put* a place says where to, not which one.
    if not place or not fitting or re.search(r"\bput\b", words):
        return None
    axis, sign = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "bottom": (1, -1)}[place[1]]
    return min(fitting, key=lambda p: sign * board.placements[p][axis])


def _degrees(words: str, step: int) -> int:
    if number := re.search(r"\b(\d+) ?(?:degrees|°)", words):
        amount = int(number[1])
    else:
        amount = step * next((n for phrase, n in NUMBERS.items() if phrase in words), 1)
    return -amount if re.search(r"\b(left|anticlockwise|counter-?clockwise)\b", words) else amount


def _region(words: str) -> tuple[float, float] | None:
    fitting = [r for r in REGIONS if r in words]
    # The longest, because *at the top left* holds *at the top*.
    return REGIONS[max(fitting, key=len)] if fitting else None


def _way(words: str) -> tuple[float, float] | None:
    found = [(m[1] or m[4], m[2] or m[3] or "a bit") for m in _MOVE.finditer(words)]
    if not found:
        return None
    steps = [(AMOUNTS[amount] * _WAYS[way][0], AMOUNTS[amount] * _WAYS[way][1]) for way, amount in found]
    return sum(x for x, _ in steps), sum(y for _, y in steps)


def follow(command: Command, board: Board, hand: Hand, t_ms: float, rng: Random) -> tuple[list[Act], Hand]:
    """What the hand does from a time on, and the hand afterwards."""
    if command.kind == "none" or command.piece is None:
        return [], hand
    now = board.placements[command.piece]
    hold = (now.x + rng.gauss(0, 8), now.y + rng.gauss(0, 8))
    acts = [Act(t, *point) for t, point in _path(hand.cursor, hold, t_ms, rng)]
    ready = acts[-1].t_ms + rng.uniform(80, 200)
    acts += _HANDLE[command.kind](command, board, hold, ready, rng)
    return acts, Hand((acts[-1].x, acts[-1].y), command.piece)


def _take(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    """Touches the piece to show which one is meant."""
    piece = str(command.piece)
    return [Act(t_ms, *hold, Change("grab", piece)), Act(t_ms + rng.uniform(120, 300), *hold, Change("release", piece))]


def _turned(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    piece, acts, t = str(command.piece), [], t_ms
    sign = 1 if command.degrees >= 0 else -1
    for step in range(1, max(1, round(abs(command.degrees) / board.step)) + 1):
        rotation = board.placements[piece].rotation + sign * step * board.step
        acts.append(Act(t, *hold, Change("rotate", piece, rotation=rotation)))
        t += rng.uniform(140, 320)
    return acts


def _flipped(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    piece = str(command.piece)
    return [Act(t_ms, *hold, Change("flip", piece, flipped=not board.placements[piece].flipped))]


def _carried(command: Command, board: Board, hold: tuple[float, float], t_ms: float, rng: Random) -> list[Act]:
    """Drags the piece: to a region, or by as much as was said, give or take a little."""
    piece = str(command.piece)
    now = board.placements[piece]
    if command.kind == "put":
        goal = (command.x + rng.gauss(0, 12), command.y + rng.gauss(0, 12))
    else:
        goal = tuple(v + d * (1 + rng.gauss(0, 0.04)) for v, d in ((now.x, command.x), (now.y, command.y)))  # type: ignore[assignment]
    # The cursor keeps its place on the piece while it is dragged.
    grip = (hold[0] - now.x, hold[1] - now.y)
    acts = [Act(t_ms, *hold, Change("grab", piece))]
    for t, (x, y) in _path((now.x, now.y), goal, t_ms + rng.uniform(60, 140), rng, bow=0.02):
        acts.append(Act(t, x + grip[0], y + grip[1], Change("move", piece, x, y)))
    last = acts[-1]
    return [*acts, Act(last.t_ms + rng.uniform(60, 180), last.x, last.y, Change("release", piece))]


def rest(hand: Hand, t_ms: float, rng: Random) -> tuple[list[Act], Hand]:
    """The hand draws back to some point of the table, as hands do while their owner waits."""
    angle, way = rng.uniform(0, 2 * math.pi), rng.uniform(150, 350)
    x, y = hand.cursor[0] + way * math.cos(angle), hand.cursor[1] + way * math.sin(angle)
    end = (min(max(x, 10.0), WORK_AREA[0] - 10), min(max(y, 10.0), WORK_AREA[1] - 10))
    return [Act(t, *point) for t, point in _path(hand.cursor, end, t_ms, rng)], Hand(end, hand.piece)


_HANDLE = {"take": _take, "turn": _turned, "flip": _flipped, "put": _carried, "shift": _carried}


def _path(
    start: tuple[float, float], end: tuple[float, float], t_ms: float, rng: Random, bow: float = 0.06
) -> Iterator[tuple[float, tuple[float, float]]]:
    """Points of a reach at 60 Hz: minimum jerk along the way, a bow across it."""
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
