"""A language model behind an OpenAI-compatible endpoint as a player of the Tangram game, in either role.

The solver answers with words, which are sent unchanged. The operator answers with JSON, `{"moves": [{"do": "move",
"piece": "6", "x": 300, "y": 200}, …]}`. An answer without a move raises `Unreadable`; an endpoint that does not answer
raises `Unanswered`; neither is a move.
"""

from __future__ import annotations

import json
import math
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from referee.errors import InputError
from referee.models.answers.calls import FAILED, parse_call
from referee.models.answers.cleaning import clean_answer
from referee.models.model_client import ModelClient
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.piece_sets import ALL_PIECES, get_piece_name, name_of_set
from referee_lab.tangram.players.contract import (
    GRAB,
    KINDS,
    MOVE,
    SAY,
    TURN,
    WAIT,
    PlayerMove,
    Seen,
    Unanswered,
    Unreadable,
)
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

SIGHTS = ("text", "picture", "both")
LONGEST = 400
TALK = 12
MOST_MOVES = 8
RULES = {
    SOLVER: (
        "You and a partner lay {figure} together. You see the figure that is to be laid; your partner does not, but moves the pieces. "
        "Tell your partner the next small step in plain words, such as: put the {name} at the top left. "
        "Your partner knows no numbers of pieces and no coordinates. "
        "Answer with what you say, on one line, and nothing else."
    ),
    OPERATOR: (
        "You and a partner lay {figure} together. Only your partner sees the figure; only you move the pieces. "
        'Do what your partner says, or ask back if it is not clear. Answer with JSON alone: {{"moves": [...]}}, '
        'where a move is {{"do": "move", "piece": "{one}", "x": 300, "y": 200}} (its middle goes there), '
        '{{"do": "turn", "piece": "{one}", "degrees": {step}}} (clockwise), {{"do": "flip", "piece": "{other}"}}, '
        '{{"do": "grab", "piece": "{one}"}} (shows which one you mean), {{"do": "say", "text": "this one?"}} or {{"do": "wait"}}.'
    ),
}


@dataclass(eq=False, repr=False)
class PlayingModel(ModelClient):
    """A model that plays: the parameters of its endpoint."""

    keeps_failures = False
    offline_remedy = "play online"

    model: str = ""
    endpoint: str = "http://localhost:8000/v1"
    key_variable: str = "OPENAI_API_KEY"
    temperature: float = 0.0
    max_tokens: int = 120
    parallel: int = 1
    per_minute: float = 0.0
    timeout_s: float = 60.0
    tries: int = 4
    pause_s: float = 1.0

    def check(self) -> None:
        """Refuses a player that could never be asked."""
        if not self.model:
            raise InputError("no model is named", remedy="llm/openai-compatible|model:NAME|endpoint:URL")


@dataclass(eq=False, repr=False)
class ModelPlayer(PlayingModel):
    """Asks a model for each turn. `sees` is text, picture or both."""

    max_tokens: int = 300
    sees: str = "text"

    @property
    def name(self) -> str:
        return self.model

    def act(self, seen: Seen) -> Sequence[PlayerMove]:
        """Ask the model for the moves of a turn."""
        self.check()
        call = self.ask(self._make_messages(seen), f"{seen.role} at {seen.t_ms:.0f} ms")
        outcome = parse_call(call, "description").outcome
        if outcome == FAILED:
            raise Unanswered(f"no answer: {call.failure}", where=self.endpoint, remedy="see that the endpoint runs")
        if outcome in ("refused", "cut-off"):
            raise Unreadable(call.content or call.refusal or "")
        return read_moves(call.content or "", seen.role)

    def check(self) -> None:
        """Refuses a player that could never be asked, or that sees in no known way."""
        super().check()
        if self.sees not in SIGHTS:
            raise InputError(f"a player cannot see {self.sees!r}", remedy=f"sees:{' or sees:'.join(SIGHTS)}")

    def _make_messages(self, seen: Seen) -> list[dict[str, Any]]:
        """Return the messages of a question: rules, view, talk and pictures."""
        talk = "\n".join(f"{'you' if by == seen.role else 'your partner'}: {text}" for by, text in seen.talk[-TALK:])
        # Without words where the pieces lie is in the picture alone.
        shown = seen.format_text() if self.sees != "picture" else seen.format_picture_text()
        text = f"{shown}\n\nWhat was said so far:\n{talk or '(nothing yet)'}\n\nYour turn."
        content: Any = text
        if self.sees != "text":
            pictures = [
                {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64encode(png).decode()}"}}
                for png in seen.pictures()
            ]
            content = [{"type": "text", "text": text}, *pictures]
        return [
            {"role": "system", "content": format_rules(seen.role, seen.board)},
            {"role": "user", "content": content},
        ]


def format_rules(role: str, board: Board) -> str:
    """Return the rules in the prompt, with the name of the pieces and numbers of this board."""
    pieces = sorted(board.placements, key=int)
    piece, other = pieces[-2:]
    called = name_of_set(pieces)
    figure = "a Tangram figure" if called == "Tangram" else f"a figure of {called}"
    return RULES[role].format(figure=figure, name=get_piece_name(piece), one=piece, other=other, step=board.step)


def read_moves(answer: str, role: str) -> list[PlayerMove]:
    """Return the moves in an answer; `Unreadable` where there are none."""
    text = clean_answer(answer).text
    return [_parse_words(text)] if role == SOLVER else _parse_moves(text)


def _parse_words(text: str) -> PlayerMove:
    """Return the solver's words; an answer in JSON is parsed, too."""
    try:
        data = json.loads(text)
        if isinstance(data, dict):
            # Words in an object or in the moves of one, as the operator would write them.
            moves = data.get("moves")
            rows = [row for row in moves if isinstance(row, dict)] if isinstance(moves, list) else [data]
            text = " ".join(str(row.get("say") or row.get("text") or "") for row in rows)
    except ValueError:
        pass
    line = " ".join(text.split()).strip("\"'")
    if not line or len(line) > LONGEST:
        raise Unreadable(text)
    return PlayerMove(kind=SAY, text=line)


def _parse_moves(text: str) -> list[PlayerMove]:
    """Return the moves in an operator's JSON. Raises Unreadable for invalid ones."""
    match = re.search(r"\{.*\}|\[.*\]", text, re.DOTALL)
    try:
        data = json.loads(match[0]) if match else None
        rows = data.get("moves", [data]) if isinstance(data, dict) else data or ()
        moves = [_parse_move(row) for row in rows]
    except (ValueError, KeyError, TypeError):
        raise Unreadable(text) from None
    if not moves or len(moves) > MOST_MOVES:
        raise Unreadable(text)
    return moves


def _parse_move(row: Any) -> PlayerMove:
    """Return one move; raises ValueError, KeyError or TypeError for an invalid one."""
    kind = str(row["do"]).lower()
    kind = {"rotate": TURN, "take": GRAB, "put": MOVE, "place": MOVE}.get(kind, kind)
    if kind not in KINDS:
        raise ValueError(kind)
    if kind == SAY:
        return PlayerMove(kind=SAY, text=" ".join(str(row["text"]).split())[:LONGEST])
    if kind == WAIT:
        return PlayerMove(kind=WAIT)
    piece = str(row["piece"])
    if piece not in ALL_PIECES:
        raise ValueError(piece)
    if kind == MOVE:
        return PlayerMove(kind=MOVE, piece=piece, x=_parse_number(row["x"]), y=_parse_number(row["y"]))
    return PlayerMove(kind=kind, piece=piece, degrees=int(_parse_number(row["degrees"])) if kind == TURN else 0)


def _parse_number(value: Any) -> float:
    """Return a finite number; raises ValueError otherwise."""
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(value)
    return number
