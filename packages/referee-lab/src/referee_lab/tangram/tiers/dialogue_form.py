"""The form of a dialogue on disk, small enough to write by hand (`referee docs dialogues`).

JSON lines, a header and then one event a line.

One JSON object with the fields of the header and a list `events` is the same dialogue.
A game that was played has `meta.game` in its header: a reference game has ordinary events, a board game has lines of
its log (`game.log`), from which the events are made.
The forms here are the declaration: reading checks against them, and `make_dialogue_schema` makes the JSON Schema from them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any, Literal, NamedTuple, get_args

import msgspec
from msgspec import Struct, field

from referee.corpora.reading.decoding import Form
from referee.corpora.reading.lines import WrongShape
from referee.errors import MalformedInput
from referee.meaning import as_value
from referee.records import Event
from referee_lab.tangram.json_lines import parse_json_object
from referee_lab.tangram.tiers.dialogue import (
    EXPRESSION,
    UNTOLD,
    UTTERANCE,
    Dialogue,
    add_utterance_indices,
    drop_empty_codes,
    find_span,
    interpolate_span_times,
    list_named_pieces,
)

FORMAT, VERSION = "referee-dialogue", 3
# Kinds of games in `meta.game` of a header.
BOARD_GAME, REFERENCE_GAME = "tangram", "reference"
LANGUAGE = re.compile(r"[a-z]{2,3}(-\w+)*")
REMEDY = "`referee dialogue schema` prints the form of a dialogue"
Kind = Literal["utterance", "expression", "action", "mouse", "gaze", "position"]
KINDS: tuple[str, ...] = get_args(Kind)


class HeaderForm(Struct, kw_only=True, forbid_unknown_fields=True):
    """The first line of a dialogue: what there is to see, and who takes part.

    Args:
        format: always referee-dialogue.
        version: of this form.
        id: the dialogue.
        pair: the people who talk, the same in all their dialogues; the id where it is missing.
        language: ISO 639 code; und where it is not determined.
        objects: attributes of every object, by its id; without any, the objects are those that the events name.
        sees: for each speaker, the ids of the objects that they see; a speaker who is not named sees all.
        lacks: what the source does not have, for instance positions or times.
        synthetic: whether programs talked, or the dialogue is invented.
        meta: anything else; of a played game, "game" with its kind (tangram or reference), settings and outcome.
    """

    format: Literal["referee-dialogue"]
    id: str
    version: int = VERSION
    pair: str | None = None
    language: str = UNTOLD
    objects: dict[str, dict[str, str | int | float | bool]] = field(default_factory=dict)
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
        data: see DataForm.
    """

    kind: Kind
    by: str | None = None
    text: str | None = None
    entities: list[str] = field(default_factory=list)
    start_ms: float | None = None
    end_ms: float | None = None
    data: dict[str, Any] = field(default_factory=dict)


class DataForm(Struct, kw_only=True):
    """What an event says beyond its fields; further names may be added.

    Args:
        utterance: of an expression, the index of its utterance among all utterances, from 0; a list where it spans several.
        span: of an expression, the first character in its utterance and the one after the last.
        attributes: of an expression, the codes of an annotator.
        uncertain: of an expression, whether it is not clear which object is meant.
        action: of an action, what was done; select is the choice of an object.
        right: of a choice whose object is not known, whether it was the one referred to.
        x: of a position, from the left in any unit.
        y: of a position, from the top.
    """

    utterance: int | list[int] | None = None
    span: tuple[int, int] | None = None
    attributes: list[str] | str | None = None
    uncertain: bool | None = None
    action: str | None = None
    right: bool | None = None
    x: float | None = None
    y: float | None = None


class LogForm(Struct, kw_only=True, forbid_unknown_fields=True):
    """A line of the log of a board game (`referee docs tangram-recording`).

    Args:
        kind: of the line, for instance move or say.
        by: who sent it, or server.
        seq: its number, without gaps.
        server_ms: when the server received it.
        client_ms: when it was sent, by the sender's own clock.
        data: what is recorded of this kind.
    """

    kind: str
    by: str
    seq: int
    server_ms: float
    client_ms: float | None = None
    data: dict[str, Any] = field(default_factory=dict)


class DocumentForm(HeaderForm, kw_only=True, forbid_unknown_fields=True):
    """A whole dialogue as one JSON object: the fields of the header, and the events in a list.

    Args:
        events: in the order in which they began.
    """

    events: list[EventForm]


def make_dialogue_schema() -> dict[str, Any]:
    """Return the JSON Schema of a line of a dialogue: a header, an event or a line of a log; or of a whole dialogue."""
    _, parts = msgspec.json.schema_components([DocumentForm, HeaderForm, EventForm, LogForm, DataForm])
    parts["EventForm"]["properties"]["data"] = {"$ref": "#/$defs/DataForm"}
    for form in (DocumentForm, HeaderForm, EventForm, LogForm, DataForm):
        about = (line.strip().partition(": ") for line in (form.__doc__ or "").splitlines() if ": " in line)
        for name, _, text in about:
            parts[form.__name__]["properties"].get(name, {}).setdefault("description", text)
        parts[form.__name__]["description"] = (form.__doc__ or "").splitlines()[0]
    parts["DocumentForm"]["properties"] |= parts["HeaderForm"]["properties"]
    lines = [{"$ref": f"#/$defs/{form.__name__}"} for form in (DocumentForm, HeaderForm, EventForm, LogForm)]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A line of a dialogue, or a whole dialogue",
        "oneOf": lines,
        "$defs": parts,
    }


def write_dialogue(dialogue: Dialogue, *, in_lines: bool = True) -> str:
    """Return a dialogue as JSON lines, a header and a line per event with all its data; or as one JSON object."""
    about = {name: getattr(dialogue, name) for name in ("id", "pair", "language", "synthetic")}
    about |= {"sees": {by: list(ids) for by, ids in dialogue.sees.items()}} if dialogue.sees else {}
    about |= {"lacks": list(dialogue.lacks)} if dialogue.lacks else {}
    header = make_header_row(dialogue.pieces, **about, meta=dict(dialogue.meta))
    events = []
    for event in dialogue.events:
        fields = {name: getattr(event, name) for name in ("kind", "by", "text", "start_ms", "end_ms")}
        events.append({**fields, "entities": list(event.entities), "data": dict(event.data)})
    return "".join(map(format_json_line, [header, *events] if in_lines else [{**header, "events": events}]))


def make_header_row(objects: Mapping[str, Mapping[str, str]], **about: Any) -> dict[str, Any]:
    """Return the header of a dialogue as a JSON object."""
    listed = {name: dict(attributes) for name, attributes in objects.items()}
    return {"format": FORMAT, "version": VERSION, **about, "objects": listed}


def format_json_line(row: Mapping[str, Any]) -> str:
    """Return a JSON object as a line with its line end."""
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def get_game_kind(header: Mapping[str, Any]) -> str | None:
    """Return the kind of the game that a header is about; None for a dialogue that is no game."""
    meta = header.get("meta")
    game = meta.get("game") if header.get("format") == FORMAT and isinstance(meta, dict) else None
    return game.get("kind") if isinstance(game, dict) else None


def read_dialogue(text: str, where: str = "dialogue.jsonl") -> Dialogue:
    """Return a dialogue from its JSON lines; MalformedInput names the line and the field that is wrong."""
    rows = _decode_rows(text, where)
    if not rows or rows[0][1].get("format") != FORMAT:
        remedy = f'it begins with {{"format": "{FORMAT}", "id": …}}, the header; one dialogue per file'
        raise (rows[0][0] if rows else _Place(where, 1)).error("not a dialogue", remedy)
    if get_game_kind(rows[0][1]) == BOARD_GAME and any("seq" in row for _, row in rows[1:]):
        raise MalformedInput("the log of a board game", where=where, line=1, remedy="name the file .jsonl")
    places = [place for place, _ in rows[1:]]
    header = _parse_header(rows[0][1], rows[0][0])
    events = add_utterance_indices(drop_empty_codes(_parse_event(row, place, header) for place, row in rows[1:]))
    events = _infer_times(_add_words(events, places))
    objects = {id: {name: as_value(v) for name, v in values.items()} for id, values in header.objects.items()}
    return Dialogue(
        id=header.id,
        pair=header.pair or header.id,
        pieces=objects or list_named_pieces({}, events),
        events=tuple(events),
        language=header.language,
        synthetic=header.synthetic,
        sees={by: tuple(ids) for by, ids in header.sees.items()},
        lacks=tuple(header.lacks),
        meta=header.meta,
    )


class _Place(NamedTuple):
    """Where a header or an event stands: the file with the line, or in one object its place in the list."""

    where: str
    line: int | None = None

    def error(self, problem: str, remedy: str) -> MalformedInput:
        """Return the error that names the place."""
        return MalformedInput(problem, where=self.where, line=self.line, remedy=remedy)


def _decode_rows(text: str, where: str) -> list[tuple[_Place, dict[str, Any]]]:
    """Return the header and the events with their places."""
    try:
        is_whole = isinstance(json.loads(text), dict)
    except ValueError:
        is_whole = False
    if is_whole:
        whole = parse_json_object(text, where, None, REMEDY)
        events = whole.pop("events", [])
        if not isinstance(events, list):
            raise _Place(where).error("the field events is not a list", REMEDY)
        rows = ((_Place(f"{where}, events[{n}]"), row) for n, row in enumerate(events))
        return [(_Place(where), whole), *((p, row if isinstance(row, dict) else {"kind": row}) for p, row in rows)]
    # By line feeds alone: other marks of an end of a line may stand in a text.
    lines = ((_Place(where, n), line) for n, line in enumerate(text.split("\n"), 1) if line.strip())
    return [(place, parse_json_object(line, where, place.line or 1, REMEDY)) for place, line in lines]


def _infer_times(events: list[Event]) -> list[Event]:
    """Return the events; an expression without a time has that of its words in its utterances, or of all of them."""
    utterances = [event for event in events if event.kind == UTTERANCE]
    timed = []
    for event in events:
        within = [utterances[index] for index in iterate_utterance_indices(event)]
        if event.kind == EXPRESSION and event.start_ms is None and within:
            begin, end = within[0].start_ms, within[-1].end_ms
            span = find_span(event, " ".join(u.text or "" for u in within))
            if span and not any(u.start_ms is None or u.end_ms is None for u in within):
                begin, end = _infer_time(span[0], within), _infer_time(span[1], within)
            event = replace(event, start_ms=begin, end_ms=end)
        timed.append(event)
    return timed


def _infer_time(character: int, utterances: Sequence[Event]) -> float:
    """Return when a character of utterances, joined by blanks, is said."""
    for utterance in utterances[:-1]:
        length = len(utterance.text or "")
        if character <= length:
            return interpolate_span_times(utterance, (character, character))[0]
        character -= length + 1
    return interpolate_span_times(utterances[-1], (character, character))[0]


def _parse_header(row: dict[str, Any], place: _Place) -> HeaderForm:
    """Return the header from its JSON object. Raises MalformedInput for an invalid or newer one."""
    version = row.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise place.error("written by a newer version", "install a newer Referee")
    # Version 1 called the objects pieces.
    if "pieces" in row:
        row = {**row, "objects": row.get("objects", row["pieces"])}
        del row["pieces"]
    header: HeaderForm = _decode_value(row, HeaderForm, place)
    if not header.id.strip():
        raise place.error("the field id is empty", "name the dialogue")
    if not LANGUAGE.fullmatch(header.language):
        raise place.error(f"{header.language!r} is not a code of a language", 'for instance "en", "pt-BR" or "und"')
    for by, ids in header.sees.items():
        if unknown := [id for id in ids if id not in header.objects]:
            objects = ", ".join(header.objects) or "none"
            raise place.error(f"sees of {by!r} names {unknown[0]!r}, which is not an object", f"objects are {objects}")
    return header


def _parse_event(row: Mapping[str, Any], place: _Place, header: HeaderForm) -> Event:
    """Return an event from its JSON object. Raises MalformedInput for invalid times or objects."""
    if row.get("format") == FORMAT:
        raise place.error("a second header", "one dialogue per file; `referee dialogue items` takes a folder of them")
    if row.get("kind") not in KINDS:
        problem = f"{row['kind']!r:.40} is no kind of event" if "kind" in row else "an event without its kind"
        raise place.error(problem, f"kind is one of {', '.join(KINDS)}")
    form: EventForm = _decode_value(row, EventForm, place)
    if form.start_ms is not None and form.end_ms is not None and form.end_ms < form.start_ms:
        raise place.error("it ends before it begins", "swap start_ms and end_ms")
    if unknown := [id for id in form.entities if header.objects and id not in header.objects]:
        objects = ", ".join(header.objects)
        raise place.error(f"{unknown[0]!r} is not an object of this dialogue", f"objects are {objects}")
    data: DataForm = _decode_value(form.data, DataForm, place)
    if form.kind == "position" and (data.x is None or data.y is None or not form.entities):
        raise place.error("a position without an object, x or y", '"entities": ["m1"], "data": {"x": 1, "y": 2}')
    if not all(isfinite(value) for value in (form.start_ms, form.end_ms, data.x, data.y) if value is not None):
        raise place.error("NaN or Infinity", "give a number, or leave it out")
    if isinstance(data.attributes, str):
        form.data["attributes"] = data.attributes.replace(",", " ").split()
    return Event(
        kind=form.kind,
        by=form.by,
        text=form.text,
        entities=tuple(dict.fromkeys(form.entities)),
        start_ms=form.start_ms,
        end_ms=form.end_ms,
        data={name: tuple(value) if isinstance(value, list) else value for name, value in form.data.items()},
    )


def _add_words(events: list[Event], places: list[_Place]) -> list[Event]:
    """Return the events; an expression without words or speaker has those of its span and its utterance.

    MalformedInput where an expression names an utterance, or a part of one, that the dialogue does not have, or whose words are others.
    """
    utterances = [event for event in events if event.kind == UTTERANCE]
    completed = []
    for place, event in zip(places, events, strict=True):
        if outside := [index for index in iterate_utterance_indices(event) if not 0 <= index < len(utterances)]:
            remedy = f"utterances are counted from 0 to {len(utterances) - 1}" if utterances else "write utterances"
            raise place.error(f"there is no utterance {outside[0]}", remedy)
        within = [utterances[i] for i in iterate_utterance_indices(event)]
        text, span = " ".join(u.text or "" for u in within), event.data.get("span")
        if span and text:
            if not 0 <= span[0] < span[1] <= len(text):
                problem = f"the span {span[0]} to {span[1]} is not in its utterance"
                raise place.error(problem, f"the utterance has {len(text)} characters")
            words = text[span[0] : span[1]]
            if event.text is not None and event.text.strip().casefold() != words.strip().casefold():
                problem = f"the span {span[0]} to {span[1]} of its utterance is {words!r}, not {event.text!r}"
                raise place.error(problem, "count characters from 0, the last one not included; or leave span out")
            event = replace(event, text=words if event.text is None else event.text)
        speakers = [u.by for u in within if u.by is not None]
        if event.by is None and speakers:
            event = replace(event, by=speakers[0])
        elif speakers and event.by not in speakers:
            problem = f"an expression of {event.by!r} is in an utterance of {speakers[0]!r}"
            raise place.error(problem, "correct by or data.utterance")
        completed.append(event)
    return completed


def iterate_utterance_indices(event: Event) -> Iterator[int]:
    """Yield the indices of the utterances that an expression is part of."""
    index = event.data.get("utterance")
    if isinstance(index, int):
        yield index
    elif isinstance(index, tuple | list):
        yield from (i for i in index if isinstance(i, int))


_FORMS: dict[type, Form[Any]] = {
    HeaderForm: Form(HeaderForm, "a header"),
    EventForm: Form(EventForm, "an event"),
    DataForm: Form(DataForm, "data"),
}
_REMEDIES = {
    "entities": 'ids of objects, as in "entities": ["m1"]',
    "objects": '"objects": {"m1": {"colour": "red"}}',
    "sees": '"sees": {"ann": ["m1", "m2"]}',
    "start_ms": "milliseconds since the start of the dialogue, as in 1200",
    "end_ms": "milliseconds since the start of the dialogue, as in 1200",
    "utterance": "utterances are counted from 0; a list where an expression spans several, as in [2, 3]",
    "span": "the first character in its utterance and the one after the last, as in [5, 16]",
    "attributes": 'codes, as in "attributes": ["dpr"]',
}


def _decode_value(row: Mapping[str, Any], form: Any, place: _Place) -> Any:
    """Return a JSON value as a form. Raises MalformedInput, naming the field, if it does not fit."""
    try:
        return _FORMS[form].convert(row)
    except WrongShape as error:
        remedy = next((r for name, r in _REMEDIES.items() if re.search(rf"\b{name}\b", str(error))), error.remedy)
        raise place.error(str(error), remedy or REMEDY) from None
