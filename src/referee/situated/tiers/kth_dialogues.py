"""Games of KTH Tangrams as dialogues (Shore, Androulakaki & Skantze 2018): twenty figures, selections and moves, speech, one referent for each round.

Takes a game as plain data (a line of the corpus file). There is no cursor and no mark-up of single expressions: the referent of a round is in
`data["referent"]` of its utterances. The instructor of a round is its solver, the manipulator its operator; `data["player"]` tells who that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from referee.errors import MalformedInput
from referee.records import Event
from referee.situated.tiers.dialogue import ACTION, OPERATOR, SOLVER, UTTERANCE, Dialogue

__all__ = ["colour_name", "kth_dialogue"]

ROLES = {"instructor": SOLVER, "manipulator": OPERATOR}
# Upper ends of the hues that English names apart, as shares of the colour circle; red closes the circle.
HUES = (
    *((0.045, "red"), (0.125, "orange"), (0.19, "yellow"), (0.45, "green"), (0.52, "turquoise"), (0.72, "blue")),
    *((0.82, "purple"), (0.955, "pink"), (1.0, "red")),
)
MOMENT = 10.0


def kth_dialogue(game: Mapping[str, Any]) -> Dialogue:
    """One game with all its rounds; times count from the start of the sound recording, as in the corpus."""
    try:
        pieces = {f"p{p['id']}": _attributes(p) for p in game["pieces"]}
        rounds = dict(_rounds(game))
        events = [*_spoken(game, rounds), *_done(game)]
        name = f"kth-{game['game']}"
    except (KeyError, TypeError, ValueError) as error:
        problem = f"not a game of KTH Tangrams: {error!r}"
        raise MalformedInput(problem, remedy="give a line of kth-tangrams/games.jsonl.gz") from None
    events.sort(key=lambda e: e.start_ms or 0.0)
    return Dialogue(id=name, pair=name, pieces=pieces, events=tuple(events), meta={"rounds": rounds})


def colour_name(hue: float, saturation: float, brightness: float) -> str:
    """A plain name for a colour given as hue, saturation and brightness between 0 and 1."""
    if brightness < 0.2:
        return "black"
    if saturation < 0.15:
        return "white" if brightness > 0.85 else "grey"
    return next(name for end, name in HUES if hue <= end)


def _attributes(piece: Mapping[str, Any]) -> dict[str, str]:
    return {"shape": str(piece["shape"]), "size": str(piece["size"]), "colour": colour_name(*piece["hsb"])}


def _rounds(game: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each round with its referent, its instructor and its beginning (the first event that belongs to it)."""
    seen: set[int] = set()
    for event in game["events"]:
        if event["round"] not in seen:
            seen.add(event["round"])
            start = 1000 * event["time_s"]
            yield event["round"], {"referent": f"p{event['referent']}", "instructor": event["by"], "start_ms": start}


def _spoken(game: Mapping[str, Any], rounds: Mapping[int, Mapping[str, Any]]) -> Iterator[Event]:
    for said in game["utterances"]:
        data = {"round": said["round"], "player": said["by"]}
        if said["round"] in rounds:
            data["referent"] = rounds[said["round"]]["referent"]
        start, end = (round(1000 * said[name], 3) for name in ("start_s", "end_s"))
        by = ROLES[said["role"]]
        yield Event(kind=UTTERANCE, by=by, text=said["text"], start_ms=start, end_ms=end, data=data)


def _done(game: Mapping[str, Any]) -> Iterator[Event]:
    """Selections, and the moves that follow them; the figures put out at the beginning are nobody's move."""
    for number, event in enumerate(game["events"]):
        start = round(1000 * event["time_s"], 3)
        times = {"start_ms": start, "end_ms": start + MOMENT}
        about = {"round": event["round"], "player": event["by"], "referent": f"p{event['referent']}"}
        if event["name"] == "selection.request":
            data = {"action": "select", **about}
            yield Event(kind=ACTION, by=OPERATOR, entities=(f"p{event['selected']}",), data=data, **times)
        for piece, place in event["positions"].items() if number else ():
            data = {"action": "move", "position": tuple(place), **about}
            yield Event(kind=ACTION, by=OPERATOR, entities=(f"p{piece}",), data=data, **times)
