"""A film of a dialogue of which no positions were recorded: the pieces lie in rows, and what the hands do to them is drawn from the events.

A piece in a hand is lifted, one that is turned turns, and the arrow is at the hand that acted last. Where pieces really lay is not shown, for nobody knows;
what an overhearer can learn from it is what was handled, held and said when. The form is that of `film`, with `shapes` for pieces that are no tangram's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.drawing.silhouettes import PENTOMINOES
from referee.situated.tiers.dialogue import ACTION, MOUSE, UTTERANCE, Dialogue

__all__ = ["dialogue_film", "numbered"]

AREA = (1200.0, 800.0)
COLUMNS, SIDE, LIFT = 4, 38.0, 46.0
TURN = 90
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
}


def numbered(dialogue: Dialogue) -> Dialogue:
    """The dialogue with numbers for the names of its pieces: letters would be mistaken for the letters that speakers say."""
    names = {piece: str(n) for n, piece in enumerate(dialogue.pieces, 1)}
    events = tuple(replace(e, entities=tuple(names[p] for p in e.entities)) for e in dialogue.events)
    return replace(dialogue, pieces={names[p]: kind for p, kind in dialogue.pieces.items()}, events=events)


def dialogue_film(dialogue: Dialogue, start_ms: float, end_ms: float) -> dict[str, Any]:
    """What was done and said from one time to another, as plain data for a page."""
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
        "state": {"area": list(AREA), "step": TURN, "order": list(pieces), "pieces": pieces},
        "shapes": {piece: _shape(kind) for piece, kind in dialogue.pieces.items()},
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
    rows = -(-of // COLUMNS)
    row, column = divmod(number, COLUMNS)
    return AREA[0] * (column + 0.5) / COLUMNS, AREA[1] * (row + 0.55) / rows


def _shape(kind: Mapping[str, str]) -> dict[str, Any]:
    """The squares of a pentomino about its middle, and its colour."""
    cells = PENTOMINOES[kind["shape"]]
    middle = [sum(cell[i] for cell in cells) / len(cells) + 0.5 for i in (0, 1)]
    squares = [[round(SIDE * (x - middle[0]), 2), round(SIDE * (y - middle[1]), 2)] for x, y in cells]
    shade = f"{kind['shade']} {kind['colour']}" if kind.get("shade") else kind["colour"]
    return {"squares": squares, "side": SIDE, "colour": INKS[shade]}


def _marks(
    dialogue: Dialogue, places: Mapping[str, tuple[float, float]], start_ms: float, end_ms: float
) -> Iterator[list[Any]]:
    """Lifting and putting down, turning, and where the hand is; each at its time, in order."""
    found: list[tuple[float, str, str]] = []
    for stay in dialogue.tier(MOUSE):
        for piece in stay.entities:
            found += [(stay.start_ms or 0.0, "up", piece), (stay.end_ms or 0.0, "down", piece)]
    found += [
        ((a.end_ms or 0.0), "turn", p)
        for a in dialogue.tier(ACTION)
        if a.data["action"] == "rotate"
        for p in a.entities
    ]
    hands, turned = dict.fromkeys(places, 0), dict.fromkeys(places, 0)
    for t_ms, what, piece in sorted(found):
        if what == "turn":
            turned[piece] = (turned[piece] + TURN) % 360
        else:
            hands[piece] += 1 if what == "up" else -1
        if start_ms <= t_ms < end_ms:
            x, y = places[piece]
            lifted = y - (LIFT if hands[piece] > 0 else 0.0)
            yield [t_ms, piece, x, lifted, turned[piece], False]
            if what == "up":
                yield [t_ms, x + 20.0, lifted + 20.0]
