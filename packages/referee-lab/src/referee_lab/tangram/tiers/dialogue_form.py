"""The open form of a dialogue: a file of JSON lines, a header and then one event a line, small enough to write by hand (`referee docs dialogues`).

The forms here are the declaration: reading checks against them, and `dialogue_schema` makes the JSON Schema from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

import msgspec
from msgspec import Struct, field

from referee.errors import MalformedInput
from referee.records import Event
from referee_lab.tangram.json_lines import json_object
from referee_lab.tangram.tiers.dialogue import UNTOLD, UTTERANCE, Dialogue

__all__ = [
    "FORMAT",
    "VERSION",
    "EventForm",
    "HeaderForm",
    "dialogue_schema",
    "read_dialogue",
    "utterance_indices",
    "write_dialogue",
]

FORMAT, VERSION = "referee-dialogue", 2
REMEDY = "`referee dialogue schema` prints the form of a dialogue"


class HeaderForm(Struct, kw_only=True, forbid_unknown_fields=True):
    """The first line of a dialogue: what there is to see, and who takes part.

    Args:
        format: always referee-dialogue.
        version: of this form.
        id: the dialogue.
        pair: the people who talk, the same in all their dialogues; the id where it is missing.
        language: ISO 639 code; und where it is not determined.
        objects: attributes of every object, by its id.
        sees: for each speaker, the ids of the objects that they see; a speaker who is not named sees all.
        lacks: what the source does not have, for instance positions or times.
        synthetic: whether programs talked, or the dialogue is invented.
        meta: anything else.
    """

    format: Literal["referee-dialogue"]
    id: str
    version: int = VERSION
    pair: str | None = None
    language: str = UNTOLD
    objects: dict[str, dict[str, str]] = field(default_factory=dict)
    sees: dict[str, list[str]] = field(default_factory=dict)
    lacks: list[str] = field(default_factory=list)
    synthetic: bool = False
    meta: dict[str, Any] = field(default_factory=dict)


class EventForm(Struct, kw_only=True, forbid_unknown_fields=True):
    """Any later line: something that was said, meant, done or looked at.

    Args:
        kind: expression is a reference; mouse is under a cursor or a hand; position holds from start_ms on.
        by: the speaker, or whose hand or eyes they are.
        text: the words of an utterance or an expression.
        entities: ids of the objects referred to, handled, pointed at or moved.
        start_ms: when it began, in milliseconds since the start of the dialogue.
        end_ms: when it ended.
        data: expression: utterance (index or indices from 0), span, attributes, uncertain; action: action; position: x, y.
    """

    kind: Literal["utterance", "expression", "action", "mouse", "gaze", "position"]
    by: str | None = None
    text: str | None = None
    entities: list[str] = field(default_factory=list)
    start_ms: float | None = None
    end_ms: float | None = None
    data: dict[str, Any] = field(default_factory=dict)


def dialogue_schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of a dialogue: a header or an event."""
    _, parts = msgspec.json.schema_components([HeaderForm, EventForm])
    for form in (HeaderForm, EventForm):
        about = (line.strip().partition(": ") for line in (form.__doc__ or "").splitlines() if ": " in line)
        for name, _, text in about:
            parts[form.__name__]["properties"].get(name, {}).setdefault("description", text)
        parts[form.__name__]["description"] = (form.__doc__ or "").splitlines()[0]
    lines = [{"$ref": f"#/$defs/{form.__name__}"} for form in (HeaderForm, EventForm)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a dialogue",
        "oneOf": lines,
        "$defs": parts,
    }


def write_dialogue(dialogue: Dialogue) -> str:
    """Return a dialogue as JSON lines: a header, then one line per event with all its data."""
    header: dict[str, Any] = {"format": FORMAT, "version": VERSION}
    header |= {name: getattr(dialogue, name) for name in ("id", "pair", "language", "synthetic")}
    header["objects"] = {piece: dict(attributes) for piece, attributes in dialogue.pieces.items()}
    header |= {"sees": {by: list(ids) for by, ids in dialogue.sees.items()}} if dialogue.sees else {}
    header |= {"lacks": list(dialogue.lacks)} if dialogue.lacks else {}
    header["meta"] = dict(dialogue.meta)
    lines = [header]
    for event in dialogue.events:
        fields = {name: getattr(event, name) for name in ("kind", "by", "text", "start_ms", "end_ms")}
        lines.append({**fields, "entities": list(event.entities), "data": dict(event.data)})
    return "".join(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n" for line in lines)


def read_dialogue(text: str, where: str = "dialogue.jsonl") -> Dialogue:
    """Return a dialogue from its JSON lines; MalformedInput names the line and the field that is wrong."""
    rows = [(n, json_object(line, where, n, REMEDY)) for n, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not rows or rows[0][1].get("format") != FORMAT:
        raise MalformedInput("not a dialogue", where=where, line=1, remedy=f"the first line says format {FORMAT}")
    header = _header(rows[0][1], where)
    events = tuple(_event(row, where, number, header) for number, row in rows[1:])
    _refuse_lost_utterances(events, [number for number, _ in rows[1:]], where)
    return Dialogue(
        id=header.id,
        pair=header.pair or header.id,
        pieces=header.objects,
        events=events,
        language=header.language,
        synthetic=header.synthetic,
        sees={by: tuple(ids) for by, ids in header.sees.items()},
        lacks=tuple(header.lacks),
        meta=header.meta,
    )


def _header(row: dict[str, Any], where: str) -> HeaderForm:
    version = row.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise MalformedInput("written by a newer version", where=where, line=1, remedy="install a newer Referee")
    # Version 1 called the objects pieces.
    if "pieces" in row:
        row = {**row, "objects": row.get("objects", row["pieces"])}
        del row["pieces"]
    header: HeaderForm = _decoded(row, HeaderForm, where, 1)
    for by, ids in header.sees.items():
        if unknown := [id for id in ids if id not in header.objects]:
            raise MalformedInput(
                f"sees of {by!r} names {unknown[0]!r}, which is no object",
                where=where,
                line=1,
                remedy=f"objects are {', '.join(header.objects) or 'none'}",
            )
    return header


def _event(row: Mapping[str, Any], where: str, number: int, header: HeaderForm) -> Event:
    form: EventForm = _decoded(row, EventForm, where, number)
    if form.start_ms is not None and form.end_ms is not None and form.end_ms < form.start_ms:
        raise MalformedInput(
            "it ends before it begins", where=where, line=number, remedy="exchange start_ms and end_ms"
        )
    if unknown := [id for id in form.entities if header.objects and id not in header.objects]:
        raise MalformedInput(
            f"{unknown[0]!r} is no object of this dialogue",
            where=where,
            line=number,
            remedy=f"objects are {', '.join(header.objects)}",
        )
    if form.kind == "position" and not all(isinstance(form.data.get(axis), int | float) for axis in ("x", "y")):
        raise MalformedInput("a position without x and y", where=where, line=number, remedy='"data": {"x": 1, "y": 2}')
    return Event(
        kind=form.kind,
        by=form.by,
        text=form.text,
        entities=tuple(form.entities),
        start_ms=form.start_ms,
        end_ms=form.end_ms,
        data={name: tuple(value) if isinstance(value, list) else value for name, value in form.data.items()},
    )


def _refuse_lost_utterances(events: tuple[Event, ...], numbers: list[int], where: str) -> None:
    """Raise MalformedInput where an expression names an utterance that the dialogue does not have."""
    utterances = sum(event.kind == UTTERANCE for event in events)
    for number, event in zip(numbers, events, strict=True):
        for index in utterance_indices(event):
            if not 0 <= index < utterances:
                raise MalformedInput(
                    f"there is no utterance {index}",
                    where=where,
                    line=number,
                    remedy=f"utterances are counted from 0 to {utterances - 1}",
                )


def utterance_indices(event: Event) -> Iterator[int]:
    """Yield the indices of the utterances that an expression is part of."""
    index = event.data.get("utterance")
    if isinstance(index, int):
        yield index
    elif isinstance(index, tuple | list):
        yield from (i for i in index if isinstance(i, int))


def _decoded(row: Mapping[str, Any], form: Any, where: str, number: int) -> Any:
    try:
        return msgspec.convert(row, form)
    except msgspec.ValidationError as error:
        raise MalformedInput(str(error), where=where, line=number, remedy=REMEDY) from None
