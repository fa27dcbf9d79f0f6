"""A recorded dialogue as tiers of timed events over a shared board.

Utterances, referring expressions, actions and pointing (after the REX-J tiers).

The tiers are `Event`s in order of start: *utterance* (`by`, `text`), *expression* (a reference inside an utterance:
`text`, `entities` = its referents, `data["attributes"]` = the sixteen codes (missing if not coded), `data["utterance"]`
= the index of its utterance in `utterances`), *action* (`entities` = the piece, `data["action"]` = move, rotate or
flip), *mouse* (the piece under the cursor), and where a source has them *gaze* and *position* (`data["x"]`, `data["y"]`
of a piece from that time on). Times count from the start of the dialogue.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from referee.records import NOTHING, Event

UTTERANCE, EXPRESSION, ACTION, MOUSE = "utterance", "expression", "action", "mouse"
GAZE, POSITION = "gaze", "position"
SOLVER, OPERATOR = "solver", "operator"
# In a second of speech; quick speakers say twenty.
MOST_CHARACTERS = 500
# The code of ISO 639 for a language that is not determined.
UNTOLD = "und"

ATTRIBUTES: Mapping[str, str] = {
    "dpr": "demonstrative pronoun",
    "dad": "demonstrative adjective",
    "siz": "size",
    "typ": "type",
    "dir": "direction",
    "prj": "projective relation",
    "tpl": "topological relation",
    "ovl": "overlap",
    "act": "action mentioned",
    "cmp": "complement",
    "sim": "similarity",
    "num": "number",
    "rpr": "repair",
    "err": "error",
    "nest": "nested",
    "meta": "metaphor",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """One trial of a pair: its pieces by id with their attributes, and the events of all tiers in order of start."""

    id: str
    pair: str
    pieces: Mapping[str, Mapping[str, str]]
    events: tuple[Event, ...]
    language: str = "en"
    synthetic: bool = False
    # Objects that each speaker sees; a speaker who is not named sees all.
    sees: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: NOTHING)
    # Data that the source lacks, for instance positions or times.
    lacks: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=lambda: NOTHING)

    def select_tier(self, kind: str) -> tuple[Event, ...]:
        """Return the events of one tier, in order."""
        return tuple(e for e in self.events if e.kind == kind)


def drop_empty_codes(events: Iterable[Event]) -> list[Event]:
    """Return the events without empty `attributes` if no event has the code of pronouns (`dpr`).

    Pronouns were not coded then: the words of an expression decide whether it is one.
    """
    events = list(events)
    if any("dpr" in event.data.get("attributes", ()) for event in events):
        return events
    return [
        replace(event, data={name: value for name, value in event.data.items() if name != "attributes"})
        if "attributes" in event.data and not event.data["attributes"]
        else event
        for event in events
    ]


def list_named_pieces(
    pieces: Mapping[str, Mapping[str, str]], events: Iterable[Event]
) -> Mapping[str, Mapping[str, str]]:
    """Return the pieces of a board, and after them those that only the events name, without descriptions."""
    other = {piece for event in events for piece in event.entities} - pieces.keys()
    return {**pieces, **{piece: {"shape": piece} for piece in sorted(other, key=lambda name: (len(name), name))}}


def add_utterance_indices(events: Sequence[Event]) -> list[Event]:
    """Return the events; an expression without the index of its utterance gets that of the speaker's one that holds it, where there is one.

    With times that is an utterance that holds its middle; without, the last one before it that has its words.
    """
    spoken = [(place, event) for place, event in enumerate(events) if event.kind == UTTERANCE]
    completed = []
    for place, event in enumerate(events):
        if event.kind == EXPRESSION and event.data.get("utterance") is None:
            holders = [
                (i, u)
                for i, (at, u) in enumerate(spoken)
                if u.by == event.by and _contains_expression(u, event, at < place)
            ]
            with_words = [i for i, u in holders if (event.text or "") in (u.text or "")]
            candidates = with_words or ([i for i, _ in holders] if event.start_ms is not None else [])
            if candidates:
                index = candidates[0 if event.start_ms is not None else -1]
                event = replace(event, data={**event.data, "utterance": index})
        completed.append(event)
    return completed


def find_span(expression: Event, text: str) -> tuple[int, int] | None:
    """Return the characters of an expression in the text of its utterance; None if its words are not found."""
    span = expression.data.get("span")
    if span is not None:
        return int(span[0]), int(span[1])
    start = text.find(expression.text or "")
    return None if start < 0 or not expression.text else (start, start + len(expression.text))


def interpolate_span_times(utterance: Event, span: tuple[int, int]) -> tuple[float, float]:
    """Return when the characters of a span are said, in proportion to the length of their utterance with its times."""
    start, end = utterance.start_ms or 0.0, utterance.end_ms or 0.0
    rate = (end - start) / max(len(utterance.text or ""), 1)
    return start + rate * span[0], start + rate * span[1]


def has_described_objects(dialogue: Dialogue) -> bool:
    """Return whether any object has attributes, and not only its name."""
    return any(len(attributes) > 1 or attributes.keys() - {"name", "shape"} for attributes in dialogue.pieces.values())


def has_times_in_seconds(dialogue: Dialogue) -> bool:
    """Return whether more is said in a second than anybody can say: its times are seconds, not milliseconds."""
    timed = [e for e in dialogue.select_tier(UTTERANCE) if e.start_ms is not None and (e.end_ms or 0) > e.start_ms]
    seconds = sum((e.end_ms or 0.0) - (e.start_ms or 0.0) for e in timed) / 1000
    return sum(len(e.text or "") for e in timed) > MOST_CHARACTERS * seconds


def _contains_expression(utterance: Event, expression: Event, is_earlier: bool) -> bool:
    """Return whether an utterance contains an expression: by its middle, or without times by order."""
    if expression.start_ms is None or utterance.start_ms is None:
        return expression.start_ms is None and is_earlier
    # By the middle: boundaries drawn by hand may reach into the neighbouring utterance.
    middle = (expression.start_ms + (expression.end_ms or expression.start_ms)) / 2
    return utterance.start_ms <= middle <= (utterance.end_ms or utterance.start_ms)
