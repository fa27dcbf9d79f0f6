"""A programmable solver: it sees goal and board and gives the next instruction with the referents of its expressions.

It uses few verbs (take, turn, flip, put, move). Its expressions are of the kinds that REX-J counts: descriptions with
size, type and position for a new piece, pronouns and demonstratives for the piece in hand, *the other one* after a
wrong piece was taken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

from referee_lab.tangram.game.board import Board, Placement, compute_corners
from referee_lab.tangram.game.goals import Goal, lay_out_goal
from referee_lab.tangram.game.piece_sets import ALL_PIECES, PIECES, get_piece_name

# How far the words carry, in units; the hearer's half of the agreement is in `instruction_words`.
AMOUNTS: Mapping[str, float] = {"a long way": 300, "a good bit": 100, "a bit": 30, "a little": 10, "a touch": 3}
# The middles of nine fields of the work area.
REGIONS: Mapping[str, tuple[float, float]] = {
    f"at the {v} {h}" if v and h else f"at the {v}" if v else f"on the {h}" if h else "in the middle": (x, y)
    for v, y in (("top", 133.0), ("", 400.0), ("bottom", 667.0))
    for h, x in (("left", 200.0), ("", 600.0), ("right", 1000.0))
}
TURNS = {1: "", 2: " twice", 3: " three times", 4: " four times"}
FORMS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("it", ("dpr",), 0.55),
    ("that one", ("dpr",), 0.15),
    ("that", ("dpr",), 0.1),
    ("that {shape}", ("dad", "typ"), 0.1),
    ("the {shape}", ("typ",), 0.1),
)
NEAR = 2.0
# Two corners that close are one, in units.
SAME = 0.5


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction and the referents of its expressions (`start` and `end` are characters of the text)."""

    text: str
    expressions: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Mind:
    """The solver's plan (a goal placement of every piece) and the piece under discussion."""

    goal_placements: Mapping[str, Placement]
    focus: str | None = None

    @classmethod
    def of(cls, goal: Goal) -> Mind:
        return cls(lay_out_goal(goal).placements)


def instruct(mind: Mind, board: Board, handled: str | None, rng: Random) -> tuple[Instruction | None, Mind]:
    """Return the next instruction for a board, given the piece last handled, and the plan.

    None when every piece is in place.
    """
    if mind.focus is None or is_in_place(mind, board, mind.focus):
        # In the order of the pieces, large ones first.
        focus = next((p for p in mind.goal_placements if not is_in_place(mind, board, p)), None)
        if focus is None:
            return None, mind
        return (_request_new_piece(focus, mind, board, rng), replace(mind, focus=focus))
    if handled != mind.focus:
        return _correct_choice(mind.focus, handled), mind
    return _adjust_piece(mind.focus, mind.goal_placements[mind.focus], board, rng), mind


def clarify(mind: Mind, board: Board, handled: str | None, rng: Random) -> Instruction:
    """Return an answer to a question: the piece and its position, or the action for the piece in hand."""
    focus = mind.focus or next(iter(mind.goal_placements))
    if handled == focus and not is_in_place(mind, board, focus):
        return _adjust_piece(focus, mind.goal_placements[focus], board, rng)
    phrase, attributes = _name_piece(focus)
    if rivals := _list_rivals(mind, focus):
        phrase += " " + _describe_side(board.placements[focus], board.placements[rivals[0]])
        attributes.append("prj")
    return _make_instruction("I mean ", phrase, "", focus, attributes)


def is_in_place(mind: Mind, board: Board, piece: str) -> bool:
    """Return whether a piece is at its goal placement, to visual accuracy."""
    now, goal = board.placements[piece], mind.goal_placements[piece]
    return _compute_rotation(piece, now[2:], goal[2:], board.step) == 0 and max(_measure_shift(now, goal)) <= NEAR


def _measure_shift(now: Placement, goal: Placement) -> tuple[float, float]:
    return abs(goal.x - now.x), abs(goal.y - now.y)


@lru_cache(maxsize=4096)
def _compute_rotation(piece: str, now: tuple[int, bool], pose: tuple[int, bool], step: int) -> int | None:
    """Return the remaining rotation in degrees, from −180 to 180, the smallest that looks right.

    None if the piece has to be flipped.
    """
    turns = sorted(range(-180, 181, step), key=lambda turn: (abs(turn), turn < 0))
    goal = compute_corners(piece, Placement(0.0, 0.0, *pose))
    return next(
        (t for t in turns if _are_alike(compute_corners(piece, Placement(0.0, 0.0, now[0] + t, now[1])), goal)), None
    )


def _are_alike(points: Sequence[tuple[float, float]], other: Sequence[tuple[float, float]]) -> bool:
    return all(any(math.dist(a, b) < SAME for b in other) for a in points)


def _request_new_piece(piece: str, mind: Mind, board: Board, rng: Random) -> Instruction:
    """Return a request for a new piece, usually with its position where its kind is ambiguous."""
    phrase, attributes = _name_piece(piece)
    rivals = _list_rivals(mind, piece)
    if rivals and rng.random() < 0.6:
        phrase += " " + _describe_side(board.placements[piece], board.placements[rivals[0]])
        attributes.append("prj")
    opening = rng.choice(("take ", "now take ", "pick up ", "next is "))
    return _make_instruction(opening, phrase, "", piece, attributes)


def _list_rivals(mind: Mind, piece: str) -> list[str]:
    """Return the other pieces with the name of a piece."""
    return [p for p in mind.goal_placements if p != piece and get_piece_name(p) == get_piece_name(piece)]


def _describe_side(placement: Placement, other: Placement) -> str:
    """Return the side of one piece relative to another, in words."""
    if abs(placement.x - other.x) >= abs(placement.y - other.y):
        return "on the left" if placement.x < other.x else "on the right"
    return "at the top" if placement.y < other.y else "at the bottom"


def _correct_choice(piece: str, handled: str | None) -> Instruction:
    """Correct a wrong choice."""
    size = ALL_PIECES[piece]["size"] if piece in PIECES else ""
    if handled is not None and get_piece_name(handled) == get_piece_name(piece):
        other = f"the other {size} one" if size else f"the other {get_piece_name(piece)}"
        return _make_instruction("no, ", other, "", piece, ["siz", "cmp"] if size else ["typ", "cmp"])
    phrase, attributes = _name_piece(piece)
    return _make_instruction("no, take ", phrase, "", piece, attributes)


def _name_piece(piece: str) -> tuple[str, list[str]]:
    """Return a piece by its name, and the kinds of words in it."""
    sized = piece in PIECES and get_piece_name(piece) != ALL_PIECES[piece]["shape"]
    return f"the {get_piece_name(piece)}", ["siz", "typ"] if sized else ["typ"]


def _adjust_piece(piece: str, goal: Placement, board: Board, rng: Random) -> Instruction:
    """Turn, flip or move the piece in hand."""
    now = board.placements[piece]
    form, attributes = _choose_form(piece, rng)
    # Flipping and turning leave the middle where it is, so they come before moving.
    turn = _compute_rotation(piece, now[2:], goal[2:], board.step)
    if turn is None:
        return _make_instruction("flip ", form, "", piece, attributes)
    if turn:
        steps = abs(turn) // board.step
        side = "right" if turn > 0 else "left"
        return _make_instruction(
            "turn ", form, f" to the {side}{TURNS.get(steps, f' {steps} times')}", piece, attributes
        )
    if max(_measure_shift(now, goal)) > 200:
        nearest = min(REGIONS, key=lambda r: sum(abs(a - b) for a, b in zip(REGIONS[r], goal[:2], strict=True)))
        if max(abs(now.x - REGIONS[nearest][0]), abs(now.y - REGIONS[nearest][1])) > 100:
            return _make_instruction("put ", form, f" {nearest}", piece, attributes)
    return _make_instruction("move ", form, " " + " and ".join(_list_shifts(now, goal)), piece, attributes)


def _list_shifts(now: Placement, goal: Placement) -> Iterator[str]:
    """Yield the shifts that bring a piece to its goal, in words."""
    for missing, ways in ((goal.x - now.x, ("left", "right")), (goal.y - now.y, ("up", "down"))):
        if abs(missing) > NEAR:
            amount = min(AMOUNTS, key=lambda a: abs(AMOUNTS[a] - abs(missing)))
            yield f"{ways[missing > 0]} {amount}"


def _choose_form(piece: str, rng: Random) -> tuple[str, list[str]]:
    ((form, attributes, _),) = rng.choices(FORMS, [weight for _, _, weight in FORMS])
    return form.format(shape=ALL_PIECES[piece]["shape"] if piece in PIECES else get_piece_name(piece)), list(attributes)


def _make_instruction(before: str, phrase: str, after: str, piece: str, attributes: list[str]) -> Instruction:
    span = {"start": len(before), "end": len(before) + len(phrase), "referents": [piece], "attributes": attributes}
    return Instruction(before + phrase + after, (span,))
