"""Decodes JSON into records by their declarations, in one step; errors are explained in a second pass.

`Form.decode` is for lines, `Form.convert` for Python objects. Both raise `WrongShape` with field, problem and remedy.
Null fields count as not given.
"""

from __future__ import annotations

import json
import re
from copy import copy
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from msgspec import MsgspecError, Struct, ValidationError

from referee.corpora.place_records import place_from_json
from referee.corpora.reading.lines import WrongShape, parse_object
from referee.errors import find_similar_names
from referee.geometry import Point, RegionBase, ScenePicture
from referee.records import Description, Entity, Event, Outcome, Span

Kind = TypeVar("Kind")
PAIRS = 'write [["colour", "red"], ["type", "chair"]], or {"colour": "red", "type": "chair"}'


class _FieldNoun(NamedTuple):
    """The description of a field, with the record that declares its fields."""

    noun: str
    kind: type[Struct]
    rest: str = ""


_PARTS = {
    "entities": _FieldNoun("an entity", Entity, '; anything else goes into "attributes": {…}'),
    "references": _FieldNoun("a reference", Description),
    "description": _FieldNoun("a description", Description),
    "spans": _FieldNoun("a span", Span),
    "inside": _FieldNoun("a span", Span),
    "history": _FieldNoun("an event", Event, '; anything else goes into "data": {…}'),
    "episode": _FieldNoun("an event", Event, '; anything else goes into "data": {…}'),
    "picture": _FieldNoun("a picture", ScenePicture),
}
_REMEDIES = {
    "attributes": PAIRS,
    "properties": PAIRS,
    "entities": 'write {"id": "e1", "attributes": {"colour": "red"}}; name entities elsewhere by their ids, as in ["e1"]',
    "references": 'write {"text": "the red one"}, or "the red one"',
    "relations": 'write "relations": [["left-of", "b"]], each with an entity\'s id',
    "position": 'write "position": [1, 2.5]',
    "distribution": 'write [[[["colour", "red"]], 0.5]]: sets of properties, each with a probability',
    "size": 'write "size": [640, 480]',
    "meaning": 'write ["colour", "red"], or an operator with its forms (`referee docs meaning`)',
    "outcome": f"write one of {', '.join(Outcome)}",
    "targets": 'write "targets": ["a", "b"]',
    "flags": 'write "flags": ["…"]',
}
_WORDS = {
    "str": "text",
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "array": "a list",
    "object": "an object",
}
_MESSAGE = re.compile(r"(?P<problem>.*?)(?: - at (?:`key` in )?`\$(?P<path>.*)`)?", re.DOTALL)
# How msgspec writes a key of a mapping that is no field.
ANY = "..."
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")


def get_field_names(kind: type[Struct]) -> tuple[str, ...]:
    """Return the names of a record's fields in a file."""
    return kind.__struct_encode_fields__


def decode_place(kind: type, written: Any) -> Any:
    """Return a place from its JSON object, the one part of a record that msgspec cannot decode by itself."""
    place = place_from_json(written)
    if issubclass(kind, RegionBase) and isinstance(place, Point):
        raise WrongShape("a region covers an area, but a point does not", "write a box, a polygon or a mask")
    return place


class KeyCheck:
    """A second look at JSON that a decoder accepted, for keys that occur twice.

    Msgspec takes the last of two values under one key in silence. Not for several threads.
    """

    def __init__(self) -> None:
        self._objects: list[list[tuple[str, Any]]] = []
        self._scan = json.JSONDecoder(object_pairs_hook=self._objects.append).raw_decode

    def check(self, text: str) -> None:
        """Raise ValueError if an object has a key twice."""
        objects = self._objects
        objects.clear()
        self._scan(text)
        if sum(map(len, objects)) > sum(map(len, map(dict, objects))):
            raise ValueError("a key occurs twice")


class Form(Generic[Kind]):
    """A decoder for one type of record in JSON.

    Args:
        kind: the record.
        noun: its name in messages.
        rest: the field for unknown fields.
    """

    def __init__(self, kind: type[Kind], noun: str, rest: str = "") -> None:
        self.kind, self._root = kind, _FieldNoun(noun, kind, rest)  # type: ignore[arg-type]
        self._decode = msgspec.json.Decoder(kind, dec_hook=decode_place).decode

    def decode(self, line: bytes) -> Kind:
        """Return the record of a line."""
        try:
            record = self._decode(line)
            KeyCheck().check(line.decode())
        except (MsgspecError, ValueError, RecursionError, WrongShape):
            return self.convert(parse_object(line))
        return record

    def convert(self, data: Any) -> Kind:
        """Return the record of an object that was parsed before."""
        try:
            return msgspec.convert(data, self.kind, dec_hook=decode_place)
        except ValidationError as error:
            misfit = _Misfit.of(error)
        if misfit.is_null_field:
            return self.convert(_drop_field(data, misfit.steps))
        raise self._explain(misfit, data)

    def _explain(self, misfit: _Misfit, data: Any) -> WrongShape:
        """Return the error with its field, problem and remedy."""
        place, fields = misfit.place, [step for step in misfit.steps if isinstance(step, str)]
        part = _PARTS.get(fields[-1], self._root) if fields else self._root
        remedy = next((_REMEDIES[name] for name in reversed(fields) if name in _REMEDIES), "")
        if name := misfit.named("contains unknown field"):
            names = get_field_names(part.kind)
            meant = find_similar_names(name, names, 1, 0.6)
            hint = f"did you mean {meant[0]!r}? " if meant else ""
            problem = f"{part.noun} has no field {name!r}"
            rest = f"its fields are {', '.join(names)}{part.rest}"
            return WrongShape(f"{problem} (in {place})" if place else problem, hint + rest)
        if name := misfit.named("missing required field"):
            return WrongShape(f"the field {name!r} is missing" + (f" in {place}" if place else ""), remedy)
        value = _follow_path(data, misfit.steps)
        if misfit.steps[-1:] == [ANY] and isinstance(value, dict):
            key = next((key for key in value if not isinstance(value[key], str | int | float)), next(iter(value)))
            place, value = f"{place.removesuffix(f'[{ANY}]')}.{key}", value.get(key, value)
        if "of length >= 1" in misfit.problem:
            return WrongShape(f"a property in {place} has no name: {value!r:.60}", remedy or PAIRS)
        if "of length 2" in misfit.problem:
            return WrongShape(f"{place} is not a pair: {value!r:.60}", remedy or PAIRS)
        if misfit.problem.startswith("meaning"):
            problem, _, remedy = misfit.problem.partition("; ")
            return WrongShape(f"{place}.{problem}" if place else problem, remedy)
        if misfit.expected is not None:
            where = f"the field {place!r}" if place else part.noun
            return WrongShape(f"{where} should be {misfit.expected}, not {value!r:.40}", remedy)
        return WrongShape(f"{place}: {misfit.problem}" if place else misfit.problem, remedy)


class _Misfit(NamedTuple):
    """The position and the reason of the first invalid field, parsed from msgspec's message."""

    problem: str
    steps: list[str | int]

    @classmethod
    def of(cls, error: ValidationError) -> _Misfit:
        """Return the problem and the path of a validation error."""
        match = _MESSAGE.fullmatch(str(error))
        steps = _STEP.findall(match["path"] or "") if match else []
        return cls(
            match["problem"] if match else str(error),
            [name or (int(number) if number != ANY else ANY) for name, number in steps],
        )

    @property
    def place(self) -> str:
        """Return the position of the invalid field, such as ``entities[0].position``."""
        text = "".join(f"[{s}]" if isinstance(s, int) or s == ANY else f".{s}" for s in self.steps)
        return text.removeprefix(".")

    @property
    def is_null_field(self) -> bool:
        """Whether a field, and not a value in a list or under a name of the user's, is null."""
        return (
            self.problem.endswith("got `null`")
            and bool(self.steps)
            and type(self.steps[-1]) is str
            and ANY not in self.steps
        )

    def named(self, words: str) -> str | None:
        """Return the field that the message names after some words."""
        match = re.search(rf"{words} `(.*)`", self.problem)
        return match[1] if match else None

    @property
    def expected(self) -> str | None:
        """The expected type in words; None if it is not a type error."""
        match = re.match(r"Expected `(.*?)`( >= 0)?", self.problem)
        if match is None:
            return None
        kinds = [kind for kind in match[1].split(" | ") if kind != "null"]
        words = " or ".join(_WORDS.get(kind, kind) for kind in kinds if kind != "int" or "float" not in kinds)
        return f"{words}, 0 or more" if match[2] else words


def _follow_path(data: Any, steps: list[str | int]) -> Any:
    """Return the value at a path in an object, as deep as it can be followed."""
    for step in steps:
        try:
            data = data[step]
        except (LookupError, TypeError):
            break
    return data


def _drop_field(data: Any, steps: list[str | int]) -> Any:
    """Return the object without one field."""
    first, *others = steps
    changed = copy(data)
    if others:
        changed[first] = _drop_field(data[first], others)
    else:
        del changed[first]
    return changed
