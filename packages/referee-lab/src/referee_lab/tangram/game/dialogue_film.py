"""A film of a dialogue without recorded positions: pieces lie in rows, and actions are drawn from the events.

A piece in a hand is lifted, a piece being turned turns, and the arrow is at the hand that acted last (without hands, at
the selected piece). Real positions are not shown; an overhearer can learn from it what was handled, held and said, and
when. The format is that of `film`; pieces come with the board, as custom ones do: pentominoes, figures of the KTH
corpus, and a square for any other name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.show.drawing.silhouettes import FIGURES
from referee_lab.tangram.game.piece_sets import PIECES, SHAPES
from referee_lab.tangram.tiers.dialogue import ACTION, MOUSE, UTTERANCE, Dialogue

AREA = (1200.0, 800.0)
COLUMNS, MANY, LIFT = 4, 16, 46.0
TURN = 90
# The drawn size of figures without a size of their own, and of a pentomino relative to the game's board.
FIGURE, FIVE = 130.0, 0.95
INKS = {
    "grey": "#8d949b",
    "orange": "#e8862e",
    "purple": "#8a4fa3",
    "pink": "#e58fb4",
    "yellow": "#e3c62c",
    "red": "#cf3f3a",
    "brown": "#8a5a36",
    "turquoise": "#35b3ab",
    "light blue": "#6cb4e4",
    "dark blue": "#2c5aa8",
    "light green": "#8cc152",
    "dark green": "#2f7d4a",
    "blue": "#2469b3",
    "green": "#2e8b57",
    "black": "#30343b",
    "white": "#f2f2f2",
}
PLAIN = "#4d6a8f"
SIZES = {"large": 1.0, "medium": 0.75, "small": 0.5}


def numbered(dialogue: Dialogue) -> Dialogue:
    """Return the dialogue with numbers as piece names.

    Letters could be confused with letters that speakers say.
    """
    names = {piece: str(n) for n, piece in enumerate(dialogue.pieces, 1)}
    events = tuple(replace(e, entities=tuple(names[p] for p in e.entities)) for e in dialogue.events)
    return replace(dialogue, pieces={names[p]: kind for p, kind in dialogue.pieces.items()}, events=events)


def dialogue_film(dialogue: Dialogue, start_ms: float, end_ms: float) -> dict[str, Any]:
    """Return the actions and utterances between two times, as JSON values for a page."""
    places = {piece: _place(n, len(dialogue.pieces)) for n, piece in enumerate(dialogue.pieces)}
    before = list(_marks(dialogue, places, 0.0, start_ms))
    state = {piece: [*place, 0, False] for piece, place in places.items()}
    cursor: list[float] | None = None
    for mark in before:
        if isinstance(mark[1], str):
            state[mark[1]] = mark[2:]
        else:
            cursor = mark[1:]
    pieces = {p: dict(zip(("x", "y", "rotation", "flipped"), place, strict=True)) for p, place in state.items()}
    return {
        "start_ms": start_ms,
        "end_ms": end_ms,
        "state": {"area": list(AREA), "step": TURN, "order": list(pieces), "pieces": pieces, "own": _drawn(dialogue)},
        "cursor": cursor,
        "marks": list(_marks(dialogue, places, start_ms, end_ms)),
        "said": [
            {"by": u.by, "text": u.text, "start_ms": u.start_ms, "end_ms": u.end_ms, "shown_ms": u.start_ms}
            for u in dialogue.tier(UTTERANCE)
            if start_ms <= (u.start_ms or 0.0) < end_ms
        ],
        "hints": [],
    }


def _place(number: int, of: int) -> tuple[float, float]:
    """Return the position of a piece in rows on the board."""
    columns = COLUMNS if of <= MANY else COLUMNS + 2
    rows = -(-of // columns)
    row, column = divmod(number, columns)
    return AREA[0] * (column + 0.5) / columns, AREA[1] * (row + 0.55) / rows


def _drawn(dialogue: Dialogue) -> dict[str, dict[str, Any]]:
    """Return the appearance of pieces, in the format of custom pieces.

    The Tangram's are identified by number.
    """
    return {
        piece: {"set": "dialogue", "name": _named(piece, kind), "colour": _ink(kind), "colour_word": kind.get("colour", ""), "corners": _corners(kind),
                "step": TURN, "two_sided": False}
        for piece, kind in dialogue.pieces.items()
        if PIECES.get(piece) != kind
    }  # fmt: skip


def _named(piece: str, kind: Mapping[str, str]) -> str:
    return " ".join(kind[name] for name in ("shade", "colour", "shape") if kind.get(name)) or piece


def _ink(kind: Mapping[str, str]) -> str:
    """Return the colour of a piece as #rrggbb."""
    if "rgb" in kind:
        return "#" + "".join(f"{int(part):02x}" for part in kind["rgb"].split(","))
    shade = f"{kind['shade']} {kind['colour']}" if kind.get("shade") else kind.get("colour", "")
    return INKS.get(shade, INKS.get(kind.get("colour", ""), PLAIN))


def _corners(kind: Mapping[str, str]) -> list[list[float]]:
    """The outline of a piece about its middle."""
    shape = kind.get("shape", "")
    if len(shape) == 1 and shape in SHAPES:
        return [[round(FIVE * x, 2), round(FIVE * y, 2)] for x, y in SHAPES[shape]]
    unit = [(x / 100 - 0.5, y / 100 - 0.5) for x, y in FIGURES.get(shape, [(0, 0), (100, 0), (100, 100), (0, 100)])]
    side = FIGURE * SIZES.get(kind.get("size", ""), 0.75)
    return [[round(side * x, 2), round(side * y, 2)] for x, y in unit]


def _marks(
    dialogue: Dialogue, places: Mapping[str, tuple[float, float]], start_ms: float, end_ms: float
) -> Iterator[list[Any]]:
    """Lifting and putting down, turning, and where the hand is; each at its time, in order."""
    marks: list[tuple[float, str, str]] = []
    for stay in dialogue.tier(MOUSE):
        for piece in stay.entities:
            marks += [(stay.start_ms or 0.0, "up", piece), (stay.end_ms or 0.0, "down", piece)]
    done = [(a.end_ms or 0.0, a.data.get("action"), p) for a in dialogue.tier(ACTION) for p in a.entities]
    marks += [(t_ms, "turn", piece) for t_ms, action, piece in done if action == "rotate"]
    marks += [(t_ms, "point", piece) for t_ms, action, piece in done if action == "select"]
    hands, turned = dict.fromkeys(places, 0), dict.fromkeys(places, 0)
    for t_ms, what, piece in sorted(marks):
        if what == "turn":
            turned[piece] = (turned[piece] + TURN) % 360
        elif what != "point":
            hands[piece] += 1 if what == "up" else -1
        if start_ms <= t_ms < end_ms:
            x, y = places[piece]
            lifted = y - (LIFT if hands[piece] > 0 else 0.0)
            yield [t_ms, piece, x, lifted, turned[piece], False]
            if what in ("up", "point"):
                yield [t_ms, x + 20.0, lifted + 20.0]
