"""Trials and outputs of plain lines, read in one step by msgspec (extra `fast`); whatever is not plain is left to the careful readers of `jsonl` and `outputs`.

What stands in a file again and again (scenes, entities, sets of properties, whole descriptions) is known by its bytes, made once and shared. A reader here
answers with the very record that the careful one would make, or with None: it refuses nothing, so all errors are told in one place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import wraps
from math import isfinite
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.json import Decoder

from referee.corpora.jsonl import entity_from_json, pairs, span_from_json
from referee.corpora.outputs import Output
from referee.corpora.place_records import picture_from_json
from referee.corpora.reading.lines import WrongShape
from referee.places import ScenePicture
from referee.records import (
    NOTHING,
    Description,
    Entity,
    Event,
    Property,
    Relation,
    Scene,
    Span,
    Trial,
)

__all__ = [
    "ROOM",
    "KeptRecords",
    "NotPlain",
    "OutputLines",
    "PlainReference",
    "PlainTrial",
    "TrialLines",
    "decoded_page",
    "is_meant",
    "line_ends",
]

# Bytes of the lines whose records are kept for others that look the same; beyond, they are forgotten and met anew.
ROOM = 1 << 25
_BRACE, _CLOSING, _LINE_END = map(ord, "{}\n")
_LIST = Decoder(list[Raw] | None).decode
Made = TypeVar("Made")
Row = TypeVar("Row")


class _Output(Struct, forbid_unknown_fields=True, gc=False):
    trial: str
    system: str | None = None
    properties: Raw = Raw()
    text: str | None = None


class PlainReference(Struct, forbid_unknown_fields=True, gc=False):
    text: str | None = None
    properties: Raw = Raw()
    spans: Raw = Raw()
    speaker: str | None = None
    media: str | None = None


class _Entity(Struct, forbid_unknown_fields=True, gc=False):
    id: str
    attributes: list[list[str]] = []
    position: list[int | float] | None = None
    image: str | None = None
    relations: list[list[str]] = []


class _Event(Struct, forbid_unknown_fields=True, gc=False):
    kind: str
    by: str | None = None
    text: str | None = None
    entities: list[str] | None = None
    start_ms: int | float | None = None
    end_ms: int | float | None = None
    data: Raw = Raw()


class PlainTrial(Struct, forbid_unknown_fields=True, gc=False):
    id: str
    entities: Raw
    target: str | UnsetType = UNSET
    targets: list[str] | UnsetType = UNSET
    references: list[str | PlainReference] | None = None
    scene: str | None = None
    domain: str | None = None
    condition: str | None = None
    speaker: str | None = None
    language: str | None = None
    complete: bool | None = None
    picture: Raw = Raw()
    after: str | None = None
    history: list[Raw] | None = None
    episode: list[Raw] | None = None
    meta: Raw = Raw()


class NotPlain(ValueError):
    """Something that only the careful reader knows what to do with."""


class KeptRecords(dict[Any, Any]):
    """Records by what they were made from, as many as there is room for."""

    def __init__(self, room: int | None = None) -> None:
        super().__init__()
        self.room = self.left = room or ROOM

    def keep(self, key: Any, size: int, made: Made) -> Made:
        self.left -= size + 200  # the record itself is of about this size
        if self.left < 0:
            self.clear()
            self.left = self.room
        self[key] = made
        return made


class _Known:
    """What was read before, by the bytes it was read from."""

    def __init__(self) -> None:
        self.properties, self.spans, self.span, self.words = KeptRecords(), KeptRecords(), KeptRecords(), KeptRecords()

    def properties_of(self, raw: Raw) -> tuple[Property, ...] | None:
        written = bytes(raw)
        found = self.properties.get(written, UNSET)
        return self.properties.keep(written, len(written), _properties(written)) if found is UNSET else found

    def spans_of(self, raw: Raw) -> tuple[Span, ...]:
        written = bytes(raw)
        found = self.spans.get(written)
        return self.spans.keep(written, len(written), self._spans(written)) if found is None else found

    def check_spans(self, raw: Raw) -> None:
        """Whether each can be read."""
        if raw:
            for one in _LIST(raw) or ():
                self._span(bytes(one))

    def _spans(self, written: bytes) -> tuple[Span, ...]:
        # Not given, or null.
        return tuple([self._span(bytes(raw)) for raw in (_LIST(written) or ())]) if written else ()

    def _span(self, written: bytes) -> Span:
        found = self.span.get(written)
        return self.span.keep(written, len(written), span_from_json(_parsed(written))) if found is None else found

    def word(self, text: str | None) -> str | None:
        """One object for all equal names: a million trials share a few speakers."""
        found = self.words.get(text)
        return self.words.keep(text, len(text), text) if found is None and text is not None else found


def _refuse(constant: str) -> Any:
    raise NotPlain


# Made once: `json.loads` would make one for every text, which takes longer than to read a short one.
_READ = json.JSONDecoder(parse_constant=_refuse).decode


def _parsed(written: bytes) -> Any:
    return _READ(written.decode())


def _properties(written: bytes) -> tuple[Property, ...] | None:
    data = _parsed(written) if written else None
    return None if data is None else pairs(data)


def _decoded(decoder: Decoder[Row], lines: Sequence[bytes]) -> list[Row]:
    """One row a line. A line that is blank, holds two objects or is not all of one is not plain, and neither are its neighbours."""
    rows = _of_page(decoder, b"".join(lines))
    end = b"}\r\n" if lines[0].endswith(b"\r\n") else b"}\n"
    # Within an object nothing ends with a brace where the next line begins with one: here no line break is but between objects.
    apart = len(lines) == 1 or all(line[0] == _BRACE and line.endswith(end) for line in lines)
    if len(rows) != len(lines) or not apart:
        raise NotPlain
    return rows


def _of_page(decoder: Decoder[Row], page: bytes) -> list[Row]:
    # Half a character (a lone surrogate) can only come from such an escape; to look for one byte first is ten times as fast.
    if b"\\" in page and (b"\\ud" in page or b"\\uD" in page):
        raise NotPlain
    return decoder.decode_lines(page)


def line_ends(page: bytes) -> npt.NDArray[np.intp]:
    """Where the lines of a page end."""
    return np.flatnonzero(np.frombuffer(page, np.uint8) == _LINE_END)


def decoded_page(decoder: Decoder[Row], page: bytes) -> list[Row]:
    """One row a line of some whole lines, each of which ends; `NotPlain` as soon as one holds anything but one object from its first to its last byte."""
    rows = _of_page(decoder, page)
    letters, ends = np.frombuffer(page, np.uint8), line_ends(page)
    # Within an object nothing ends with a brace where the next line begins with one.
    apart = (letters[ends - 1] == _CLOSING).all() and (letters[ends[:-1] + 1] == _BRACE).all()
    if len(ends) != len(rows) or letters[0] != _BRACE or letters[-1] != _LINE_END or not apart:
        raise NotPlain
    return rows


def _plainly(read: Callable[[Any, Sequence[bytes], int], Made]) -> Callable[[Any, Sequence[bytes], int], Made | None]:
    """The records of some lines, or None where anything at all is out of the ordinary."""

    @wraps(read)
    def attempt(reader: Any, lines: Sequence[bytes], first: int) -> Made | None:
        try:
            return read(reader, lines, first)
        # ValueError is what msgspec and json raise for shape, syntax and encoding alike.
        except (ValueError, OverflowError, RecursionError, WrongShape, NotPlain):
            return None

    return attempt


class _Told(Struct, gc=False):
    """What somebody said, with the properties as they stand in the file."""

    written: Raw
    said: Description


class OutputLines:
    """Reads the lines of one file of outputs; `own` is the system of lines that name none."""

    def __init__(self, own: str, where: str) -> None:
        self._own, self._where = own, where
        self._decoder: Decoder[Any] = Decoder(_Output)
        self.known, self._descriptions = _Known(), KeptRecords()

    @_plainly
    def read(self, lines: Sequence[bytes], first: int) -> list[Output]:
        """The outputs of some lines, of which `first` is the number of the first."""
        own, where, rows = self._own, self._where, _decoded(self._decoder, lines)
        said = zip(rows, self._said(rows), strict=True)
        return [Output(row.trial, row.system or own, d, where, line) for line, (row, d) in enumerate(said, first)]

    def columns(self, page: bytes) -> tuple[list[str], set[str], list[Description]]:
        """The trials, the systems and the descriptions of a page; ValueError where anything is out of the ordinary."""
        rows = decoded_page(self._decoder, page)
        return [row.trial for row in rows], {row.system or self._own for row in rows}, self._said(rows)

    def _said(self, rows: Sequence[_Output]) -> list[Description]:
        known, said = self._descriptions, []
        for row in rows:
            told = known.get(bytes(row.properties) if row.text is None else row.text)
            # What stands there is held against what was met under these words: to look it up by all its bytes takes longer.
            if told is None or told.written != row.properties:
                told = self._told(row)
            said.append(told.said)
        return said

    def _told(self, row: _Output) -> _Told:
        """Words that were not met yet, or with other properties."""
        written = bytes(row.properties)
        key: Any = written if row.text is None else row.text
        if key in self._descriptions:
            key = (written, row.text)
            found: _Told | None = self._descriptions.get(key)
            if found is not None:
                return found
        properties = self.known.properties_of(row.properties)
        if properties is None and row.text is None:
            raise NotPlain
        made = _Told(Raw(written), Description(properties=properties, text=row.text))
        return self._descriptions.keep(key, len(written) + len(row.text or ""), made)


def _picture(written: bytes) -> ScenePicture | None:
    data = _parsed(written) if written else None
    return None if data is None else picture_from_json(data)


def is_meant(targets: Sequence[str], scene: Scene, ids: frozenset[str]) -> bool:
    """Whether a trial can mean these: entities of its scene, and in a picture perhaps none at all."""
    return ids.issuperset(targets) and (bool(targets) or scene.picture is not None)


class SeenScene(NamedTuple):
    scene: Scene
    ids: frozenset[str]


class TrialLines:
    """Reads lines of one file of trials; trials of the same scene share it."""

    def __init__(self) -> None:
        self.decoder: Decoder[Any] = Decoder(PlainTrial)
        self._entity = Decoder(_Entity).decode
        self.known, self._scenes, self._entities, self._metas = _Known(), KeptRecords(), KeptRecords(), KeptRecords()
        self._targets, self._events = KeptRecords(), KeptRecords()
        self._event_row = Decoder(_Event).decode

    @_plainly
    def read(self, lines: Sequence[bytes], first: int) -> list[tuple[int, Trial]]:
        """The trials of some lines with their numbers, of which `first` is that of the first."""
        return list(enumerate(map(self._trial, _decoded(self.decoder, lines)), first))

    def _trial(self, row: PlainTrial) -> Trial:
        scene, ids = self.scene_of(row)
        targets = self.target_names(row)
        if not is_meant(targets, scene, ids):
            raise NotPlain
        word = self.known.word
        return Trial(
            id=row.id,
            scene=scene,
            targets=targets,
            domain=word(row.domain),
            condition=word(row.condition),
            speaker=word(row.speaker),
            language=word(row.language) or "en",
            history=tuple(map(self.event_of, row.history or ())),
            episode=tuple(map(self.event_of, row.episode or ())),
            after=row.after,
            references=tuple([self._reference(said) for said in row.references or ()]),
            meta=self.meta_of(row.meta),
        )

    def target_names(self, row: PlainTrial) -> tuple[str, ...]:
        if row.target is not UNSET:
            names: tuple[str, ...] = (row.target,)
        elif row.targets is not UNSET:
            names = tuple(row.targets)
        else:
            raise NotPlain
        return self._targets.get(names) or self._targets.keep(names, 50, names)

    def event_of(self, raw: Raw) -> Event:
        """One for all that look the same: what happened in a round of a game is told again with every later one."""
        written = bytes(raw)
        return self._events.get(written) or self._events.keep(written, 4 * len(written), self._event(written))

    def _event(self, written: bytes) -> Event:
        row = self._event_row(written)
        data = _parsed(bytes(row.data)) if row.data else None
        times = [time for time in (row.start_ms, row.end_ms) if time is not None]
        if not all(map(isfinite, times)) or not isinstance(data, dict | None):
            raise NotPlain
        return Event(
            kind=row.kind,
            by=self.known.word(row.by),
            text=row.text,
            entities=tuple(row.entities or ()),
            start_ms=row.start_ms,
            end_ms=row.end_ms,
            data=data or NOTHING,
        )

    def scene_of(self, row: PlainTrial) -> SeenScene:
        key = (bytes(row.entities), row.scene, row.complete, bytes(row.picture))
        found = self._scenes.get(key)
        if found is None:
            entities = tuple([self._entity_of(bytes(raw)) for raw in _LIST(row.entities) or ()])
            ids = frozenset(entity.id for entity in entities)
            if len(ids) < len(entities):
                raise NotPlain
            scene = Scene(
                entities=entities,
                id=self.known.word(row.scene),
                complete=row.complete is not False,
                picture=_picture(bytes(row.picture)),
            )
            # What is worked out about a scene is kept with it, and takes several times the room of its text.
            found = self._scenes.keep(key, 4 * len(key[0]), SeenScene(scene, ids))
        return found

    def _entity_of(self, written: bytes) -> Entity:
        found = self._entities.get(written)
        return self._entities.keep(written, len(written), self._made(written)) if found is None else found

    def _made(self, written: bytes) -> Entity:
        try:
            row = self._entity(written)
        except ValueError:
            return entity_from_json(_parsed(written), 0)
        if not all(map(isfinite, row.position or ())):
            raise NotPlain
        return Entity(
            id=row.id,
            attributes=pairs(row.attributes),
            image=row.image,
            position=None if row.position is None else tuple(row.position),
            relations=tuple([Relation(*p) for p in pairs(row.relations)]),
        )

    def _reference(self, said: str | PlainReference) -> Description:
        if isinstance(said, str):
            return Description(text=said)
        return Description(
            properties=self.known.properties_of(said.properties),
            text=said.text,
            spans=self.known.spans_of(said.spans),
            speaker=self.known.word(said.speaker),
            media=said.media,
        )

    def meta_of(self, raw: Raw) -> Any:
        found = self.shared_meta(raw)
        # A copy, for whoever adds to the notes of one trial does not mean the others.
        return NOTHING if found is None else dict(found)

    def shared_meta(self, raw: Raw) -> dict[str, Any] | None:
        """The notes themselves, None where there are none: not to be added to."""
        written = bytes(raw)
        found: dict[str, Any] | UnsetType | None = self._metas.get(written, UNSET)
        if found is UNSET:
            data = _parsed(written) if written else None
            if data is not None and not isinstance(data, dict):
                raise NotPlain
            found = self._metas.keep(written, len(written), data or None)
        return found
