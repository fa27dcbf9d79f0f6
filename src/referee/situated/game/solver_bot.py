"""A solver that can be programmed: it sees goal and board and says the next thing, knowing what each of its expressions refers to.

Its words are few (take, turn, flip, put, move) and its expressions are of the kinds that REX-J counts: descriptions with size, type and place for
a new piece, pronouns and demonstratives for the piece in hand, *the other one* when the wrong piece was taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from referee.situated.game.board import PIECES, Board, Placement
from referee.situated.game.goals import Goal, solution

__all__ = ["AMOUNTS", "REGIONS", "Instruction", "Mind", "instruct", "words_for"]

# How far the words carry, in units; the hearer's half of the agreement is in `following`.
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
# After how many degrees a shape looks the same again.
SYMMETRY = {"square": 90, "parallelogram": 180, "triangle": 360}
NEAR = 2.0


@dataclass(frozen=True, slots=True)
class Instruction:
    """Something to say, and what its expressions refer to (`start` and `end` are characters of the text)."""

    text: str
    expressions: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True)
class Mind:
    """What the solver wants (a place for every piece) and which piece it is speaking about."""

    wanted: Mapping[str, Placement]
    focus: str | None = None

    @classmethod
    def of(cls, goal: Goal) -> Mind:
        return cls(solution(goal).placements)


def instruct(mind: Mind, board: Board, handled: str | None, rng: Random) -> tuple[Instruction | None, Mind]:
    """The next thing to say about a board, given the piece last handled; None when every piece lies where it should."""
    if mind.focus is None or in_place(mind, board, mind.focus):
        # In the order of the pieces, large ones first.
        focus = next((p for p in mind.wanted if not in_place(mind, board, p)), None)
        if focus is None:
            return None, mind
        return (_new(focus, mind, board, rng), replace(mind, focus=focus))
    if handled != mind.focus:
        return _again(mind.focus, handled), mind
    return _adjust(mind.focus, mind.wanted[mind.focus], board, rng), mind


def in_place(mind: Mind, board: Board, piece: str) -> bool:
    """Whether a piece lies where the solver wants it, as far as eyes can tell."""
    now, wanted = board.placements[piece], mind.wanted[piece]
    return not _turn(piece, now, wanted) and _same_side(piece, now, wanted) and max(_way(now, wanted)) <= NEAR


def _way(now: Placement, wanted: Placement) -> tuple[float, float]:
    return abs(wanted.x - now.x), abs(wanted.y - now.y)


def _turn(piece: str, now: Placement, wanted: Placement) -> int:
    """The rotation still needed in degrees, between −180 and 180, the shortest that looks right."""
    cycle = SYMMETRY[PIECES[piece]["shape"]]
    missing = (wanted.rotation - now.rotation) % cycle
    return missing if missing <= cycle / 2 else missing - cycle


def _same_side(piece: str, now: Placement, wanted: Placement) -> bool:
    # All other shapes mirror themselves.
    return PIECES[piece]["shape"] != "parallelogram" or now.flipped == wanted.flipped


def _new(piece: str, mind: Mind, board: Board, rng: Random) -> Instruction:
    """Asks for a piece that was not spoken of before, with its place on the board where its kind is not enough (but not always)."""
    attributes = ["typ"] if words_for(piece) == PIECES[piece]["shape"] else ["siz", "typ"]
    phrase = f"the {words_for(piece)}"
    rivals = [p for p in PIECES if p != piece and words_for(p) == words_for(piece)]
    if rivals and rng.random() < 0.6:
        phrase += " " + _side(board.placements[piece], board.placements[rivals[0]])
        attributes.append("prj")
    opening = rng.choice(("take ", "now take ", "pick up ", "next is "))
    return _said(opening, phrase, "", piece, attributes)


def _side(one: Placement, other: Placement) -> str:
    if abs(one.x - other.x) >= abs(one.y - other.y):
        return "on the left" if one.x < other.x else "on the right"
    return "at the top" if one.y < other.y else "at the bottom"


def _again(piece: str, handled: str | None) -> Instruction:
    """Corrects a wrong choice."""
    if handled is not None and words_for(handled) == words_for(piece):
        return _said("no, ", f"the other {PIECES[piece]['size']} one", "", piece, ["siz", "cmp"])
    attributes = ["typ"] if words_for(piece) == PIECES[piece]["shape"] else ["siz", "typ"]
    return _said("no, take ", f"the {words_for(piece)}", "", piece, attributes)


def _adjust(piece: str, wanted: Placement, board: Board, rng: Random) -> Instruction:
    """Turns, flips or moves the piece in hand."""
    now = board.placements[piece]
    form, attributes = _form(piece, rng)
    # Flipping and turning leave the middle where it is, so they come before moving.
    if not _same_side(piece, now, wanted):
        return _said("flip ", form, "", piece, attributes)
    if turn := _turn(piece, now, wanted):
        steps = abs(turn) // board.step
        side = "right" if turn > 0 else "left"
        return _said("turn ", form, f" to the {side}{TURNS.get(steps, f' {steps} times')}", piece, attributes)
    if max(_way(now, wanted)) > 200:
        nearest = min(REGIONS, key=lambda r: sum(abs(a - b) for a, b in zip(REGIONS[r], wanted[:2], strict=True)))
        if _far(now, REGIONS[nearest]):
            return _said("put ", form, f" {nearest}", piece, attributes)
    return _said("move ", form, " " + " and ".join(_shifts(now, wanted)), piece, attributes)


def _far(now: Placement, place: tuple[float, float]) -> bool:
    """Whether a piece is still far from a region: nobody is sent where they are."""
    return max(abs(now.x - place[0]), abs(now.y - place[1])) > 100


def _shifts(now: Placement, wanted: Placement) -> Iterator[str]:
    for missing, ways in ((wanted.x - now.x, ("left", "right")), (wanted.y - now.y, ("up", "down"))):
        if abs(missing) > NEAR:
            amount = min(AMOUNTS, key=lambda a: abs(AMOUNTS[a] - abs(missing)))
            yield f"{ways[missing > 0]} {amount}"


def _form(piece: str, rng: Random) -> tuple[str, list[str]]:
    ((form, attributes, _),) = rng.choices(FORMS, [weight for _, _, weight in FORMS])
    return form.format(shape=PIECES[piece]["shape"]), list(attributes)


def _said(before: str, phrase: str, after: str, piece: str, attributes: list[str]) -> Instruction:
    span = {"start": len(before), "end": len(before) + len(phrase), "referents": [piece], "attributes": attributes}
    return Instruction(before + phrase + after, (span,))


def words_for(piece: str) -> str:
    """The plain name of a piece: *large triangle*, *square*."""
    kind = PIECES[piece]
    return f"{kind['size']} triangle" if kind["shape"] == "triangle" else kind["shape"]
