"""A film of a dialogue without the recording of a board, drawn from its events.

Pieces lie where the events of the kind position put them, or in rows where not every piece has one. A piece in a hand
is lifted, a piece being turned turns, and the arrow is at the hand that acted last (without hands, at the selected
piece). The format is that of `film`; pieces come with the board, as custom ones do: pentominoes, figures of the KTH
corpus, and for any other object a square with its name on it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from referee.show.drawing.silhouettes import FIGURES
from referee_lab.tangram.game.piece_sets import PIECES, SHAPES
from referee_lab.tangram.tiers.dialogue import ACTION, MOUSE, POSITION, UTTERANCE, Dialogue

AREA = (1200.0, 800.0)
COLUMNS, MANY, LIFT, MARGIN = 4, 16, 46.0, 80.0
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
_PlaceAt = Callable[[str, float], tuple[float, float]]


def number_pieces(dialogue: Dialogue) -> Dialogue:
    """Return the dialogue with numbers as piece names.

    Letters could be confused with letters that speakers say.
    """
    names = {piece: str(n) for n, piece in enumerate(dialogue.pieces, 1)}
    events = tuple(replace(e, entities=tuple(names[p] for p in e.entities)) for e in dialogue.events)
    sees = {by: tuple(names[piece] for piece in pieces) for by, pieces in dialogue.sees.items()}
    return replace(dialogue, pieces={names[p]: kind for p, kind in dialogue.pieces.items()}, events=events, sees=sees)


def make_dialogue_film(dialogue: Dialogue, start_ms: float, end_ms: float) -> dict[str, Any]:
    """Return the actions and utterances between two times, as JSON values for a page."""
    place_at = track_recorded_positions(dialogue) or _lay_out_rows(dialogue)
    state = {piece: [*place_at(piece, 0.0), 0, False] for piece in dialogue.pieces}
    cursor: list[float] | None = None
    for mark in _make_marks(dialogue, place_at, 0.0, start_ms):
        if isinstance(mark[1], str):
            state[mark[1]] = mark[2:]
        else:
            cursor = mark[1:]
    pieces = {p: dict(zip(("x", "y", "rotation", "flipped"), place, strict=True)) for p, place in state.items()}
    board = {"area": list(AREA), "step": TURN, "order": list(pieces), "pieces": pieces, "own": _draw_pieces(dialogue)}
    return {
        "start_ms": start_ms,
        "end_ms": end_ms,
        "state": board,
        "cursor": cursor,
        "marks": list(_make_marks(dialogue, place_at, start_ms, end_ms)),
        "said": [
            {"by": u.by, "text": u.text, "start_ms": u.start_ms, "end_ms": u.end_ms, "shown_ms": u.start_ms}
            for u in dialogue.select_tier(UTTERANCE)
            if start_ms <= (u.start_ms or 0.0) < end_ms
        ],
        "hints": [],
    }


def track_recorded_positions(dialogue: Dialogue) -> _PlaceAt | None:
    """Return a function from a piece and a time to its recorded position, scaled to the board.

    None where not every piece has a position: some in rows and others as they lay would show false relations.
    """
    moves: dict[str, list[tuple[float, float, float]]] = {piece: [] for piece in dialogue.pieces}
    for event in dialogue.select_tier(POSITION):
        for piece in event.entities:
            moves[piece].append((event.start_ms or 0.0, float(event.data["x"]), float(event.data["y"])))
    if not all(moves.values()):
        return None
    for steps in moves.values():
        steps.sort(key=lambda step: step[0])
    lows, spans = [], []
    for axis in (1, 2):
        values = [step[axis] for steps in moves.values() for step in steps]
        lows.append(min(values))
        spans.append(max(values) - min(values))
    # One scale for both axes: distances stay comparable.
    scale = min(((side - 2 * MARGIN) / span for side, span in zip(AREA, spans, strict=True) if span), default=1.0)

    def at(piece: str, t_ms: float) -> tuple[float, float]:
        """Return the position of a piece in the picture at a time."""
        steps = moves[piece]
        place = steps[max(bisect_right(steps, t_ms, key=lambda step: step[0]) - 1, 0)][1:]
        centred = (
            side / 2 + scale * (value - low - span / 2)
            for side, value, low, span in zip(AREA, place, lows, spans, strict=True)
        )
        x, y = (round(value, 1) for value in centred)
        return x, y

    return at


def _lay_out_rows(dialogue: Dialogue) -> _PlaceAt:
    """Return a function from a piece to its position in rows on the board, at any time."""
    columns = COLUMNS if len(dialogue.pieces) <= MANY else COLUMNS + 2
    rows = -(-len(dialogue.pieces) // columns)
    places = {
        piece: (AREA[0] * (number % columns + 0.5) / columns, AREA[1] * (number // columns + 0.55) / rows)
        for number, piece in enumerate(dialogue.pieces)
    }
    return lambda piece, t_ms: places[piece]


def _draw_pieces(dialogue: Dialogue) -> dict[str, dict[str, Any]]:
    """Return the appearance of pieces, in the format of custom pieces.

    The Tangram's are identified by number. Objects whose shape cannot be drawn have their name as a caption.
    """
    return {
        piece: {
            "set": "dialogue",
            "name": _get_name(piece, kind),
            "colour": _get_colour(kind),
            "colour_word": kind.get("colour", ""),
            "corners": _get_outline(kind),
            "step": TURN,
            "two_sided": False,
            **({} if _get_shape(kind) in (*SHAPES, *FIGURES) else {"caption": _get_name("", kind)}),
        }
        for piece, kind in dialogue.pieces.items()
        if PIECES.get(piece) != kind
    }  # fmt: skip


def _get_name(piece: str, kind: Mapping[str, str]) -> str:
    return " ".join(word for word in (kind.get("shade"), kind.get("colour"), _get_shape(kind)) if word) or piece


def _get_shape(kind: Mapping[str, str]) -> str:
    return kind.get("shape") or kind.get("type", "")


def _get_colour(kind: Mapping[str, str]) -> str:
    """Return the colour of a piece as #rrggbb."""
    if "rgb" in kind:
        return "#" + "".join(f"{int(part):02x}" for part in kind["rgb"].split(","))
    shade = f"{kind['shade']} {kind['colour']}" if kind.get("shade") else kind.get("colour", "")
    return INKS.get(shade, INKS.get(kind.get("colour", ""), PLAIN))


def _get_outline(kind: Mapping[str, str]) -> list[list[float]]:
    """Return the outline of a piece around its centre."""
    shape = _get_shape(kind)
    if len(shape) == 1 and shape in SHAPES:
        return [[round(FIVE * x, 2), round(FIVE * y, 2)] for x, y in SHAPES[shape]]
    unit = [(x / 100 - 0.5, y / 100 - 0.5) for x, y in FIGURES.get(shape, [(0, 0), (100, 0), (100, 100), (0, 100)])]
    side = FIGURE * SIZES.get(kind.get("size", ""), 0.75)
    return [[round(side * x, 2), round(side * y, 2)] for x, y in unit]


def _make_marks(dialogue: Dialogue, place_at: _PlaceAt, start_ms: float, end_ms: float) -> Iterator[list[Any]]:
    """Yield events of the film in order: lift, put down, move, turn, and the position of the hand."""
    marks: list[tuple[float, str, str]] = []
    for stay in dialogue.select_tier(MOUSE):
        for piece in stay.entities:
            marks += [(stay.start_ms or 0.0, "up", piece), (stay.end_ms or 0.0, "down", piece)]
    done = [(a.end_ms or 0.0, a.data.get("action"), p) for a in dialogue.select_tier(ACTION) for p in a.entities]
    marks += [(t_ms, "turn", piece) for t_ms, action, piece in done if action == "rotate"]
    marks += [(t_ms, "point", piece) for t_ms, action, piece in done if action == "select"]
    marks += [(p.start_ms or 0.0, "move", piece) for p in dialogue.select_tier(POSITION) for piece in p.entities]
    hands, turned = dict.fromkeys(dialogue.pieces, 0), dict.fromkeys(dialogue.pieces, 0)
    for t_ms, what, piece in sorted(marks):
        if what == "turn":
            turned[piece] = (turned[piece] + TURN) % 360
        elif what in ("up", "down"):
            hands[piece] += 1 if what == "up" else -1
        if start_ms <= t_ms < end_ms:
            x, y = place_at(piece, t_ms)
            lifted = y - (LIFT if hands[piece] > 0 else 0.0)
            yield [t_ms, piece, x, lifted, turned[piece], False]
            if what in ("up", "point"):
                yield [t_ms, x + 20.0, lifted + 20.0]
