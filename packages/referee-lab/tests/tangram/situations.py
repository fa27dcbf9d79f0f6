"""Small invented dialogues for tests of what a reference rests on."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from referee.records import Event
from referee_lab.tangram.game.goals import Goal
from referee_lab.tangram.game.own_pieces import pieces_to_data
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, MOUSE, OPERATOR, SOLVER, UTTERANCE, Dialogue

PIECES = {
    "1": {"shape": "triangle", "size": "large"},
    "4": {"shape": "triangle", "size": "small"},
    "6": {"shape": "square", "size": "small"},
}


def said(start: float, text: str, *targets: str, dpr: bool = False, by: str = SOLVER) -> list[Event]:
    """An utterance with one expression, a second long."""
    data = {"attributes": ("dpr",) if dpr else ("typ",)}
    sentence = Event(kind=UTTERANCE, by=by, text=f"take {text} now", start_ms=start - 200, end_ms=start + 1200)
    return [
        sentence,
        Event(kind=EXPRESSION, by=by, text=text, entities=targets, start_ms=start, end_ms=start + 1000, data=data),
    ]


def handled(start: float, end: float, piece: str, kind: str = "move") -> list[Event]:
    return [Event(kind=ACTION, by=OPERATOR, entities=(piece,), start_ms=start, end_ms=end, data={"action": kind})]


def cursor(start: float, end: float, piece: str) -> list[Event]:
    return [Event(kind=MOUSE, by=OPERATOR, entities=(piece,), start_ms=start, end_ms=end)]


def dialogue(*parts: Sequence[Event], language: str = "en", name: str = "d", pair: str = "p") -> Dialogue:
    """The parts in order of time, each expression tied to the utterance it is in."""
    events = sorted((e for part in parts for e in part), key=lambda e: (e.start_ms or 0.0, e.kind == EXPRESSION))
    spoken, tied = -1, []
    for event in events:
        spoken += event.kind == UTTERANCE
        if event.kind == EXPRESSION:
            event = Event(
                kind=event.kind,
                by=event.by,
                text=event.text,
                entities=event.entities,
                start_ms=event.start_ms,
                end_ms=event.end_ms,
                data={**event.data, "utterance": spoken},
            )
        tied.append(event)
    return Dialogue(id=name, pair=pair, pieces=PIECES, events=tuple(tied), language=language)


def write_goals(path: Path, goals: Iterable[Goal]) -> None:
    """Write figures as a file, with their custom pieces."""
    figures = list(goals)
    rows = [{"name": g.name, "pieces": {piece: list(place) for piece, place in g.placements.items()}} for g in figures]
    own = pieces_to_data(dict.fromkeys(piece for goal in figures for piece in goal.placements))
    path.write_text(json.dumps({"goals": rows, **({"own": own} if own else {})}), encoding="utf-8")
