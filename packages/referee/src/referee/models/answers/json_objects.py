"""JSON objects in an answer: alone, in a fence, in a tool call, or with prose around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_DECODER = json.JSONDecoder()
# Models write Python as often as JSON.
_PYTHON = {"None": "null", "True": "true", "False": "false"}
# An answer that breaks off leaves many brackets; the search stops after these.
_MOST_BRACKETS = 200


# Parts of the names of tools that take an answer; a call of another tool asks for something.
_ANSWERING = re.compile(
    r"answer|select|choose|choice|pick|submit|respond|response|reply|return|final|result|rat(?:e|ing)|scor|grade|assess|evaluat|descri|refer|guess|identif|click|point|say|speak|utter|tell|output|report|set|give|send|finish|complete|print|mark|vote|commit|record|target|object|item|option",
    re.IGNORECASE,
)
_CALL = re.compile(
    r"([A-Za-z_][\w.]*)\(\s*(?:\w+\s*[=:]\s*)?(?:([\"'])(.+)\2|(\{.*\})|([^\"'(),=]*))\s*\)\s*;?", re.DOTALL
)


def unwrap_call(text: str) -> str:
    """Return the one argument of a call that is the whole text: `choose(3)`; "" for a call of a tool that takes no answer."""
    call = _CALL.fullmatch(text.strip())
    if call is None:
        return text
    return (call[3] or call[4] or call[5] or "").strip() if _ANSWERING.search(call[1]) else ""


def find_json(text: str) -> Any:
    """The last JSON object in a text (models correct themselves), a tool call's arguments, or None."""
    objects = [value for value in find_objects(text) if value]
    if not objects:
        return None
    arguments = call_arguments(objects[-1])
    name = objects[-1].get("name") if arguments is not objects[-1] else None
    return {} if isinstance(name, str) and not _ANSWERING.search(name) else arguments


def find_objects(text: str, brackets: str = "{") -> Iterator[Any]:
    """All values in a text that begin with one of the brackets, outermost ones only."""
    start = 0
    for _ in range(_MOST_BRACKETS):
        opening = re.compile(f"[{re.escape(brackets)}]").search(text, start)
        if opening is None:
            return
        value, end = _decode_value(text, opening.start())
        if end:
            yield value
        start = end or opening.start() + 1


def call_arguments(value: Any) -> Any:
    """The arguments of a tool call, parsed where they are text; any other value as it is."""
    for _ in range(3):
        if not isinstance(value, Mapping):
            break
        inner = next((value[n] for n in ("arguments", "parameters", "args", "input", "function") if n in value), None)
        if isinstance(inner, str) and inner.lstrip().startswith("{"):
            inner = _decode_value(inner.strip(), 0)[0]
        if not isinstance(inner, Mapping):
            break
        value = inner
    return value


def has_open_json(text: str) -> bool:
    """Whether a text ends within JSON: a bracket at its beginning, or before a quoted name, is never closed."""
    begun = re.search(r"^\s*(?:```[\w+-]*\s*)?[\[{]|\{\s*[\"']|```json\s*[\[{]", text)
    if begun is None:
        return False
    rest = re.sub(r'"(?:[^"\\]|\\.)*"', "", text[begun.start() :])
    return rest.count("{") > rest.count("}") or rest.count("[") > rest.count("]")


def _decode_value(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON value at a position and its end."""
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    # One more try, for single quotes, trailing commas and Python's constants, where the braces are balanced.
    opened, closed = text[start], "}" if text[start] == "{" else "]"
    close = text.find(closed, start)
    while close >= 0 and text.count(opened, start, close) > text.count(closed, start, close) + 1:
        close = text.find(closed, close + 1)
    if close < 0 or close - start > 5000:
        return None, 0
    mended = re.sub(r",\s*([}\]])", r"\1", text[start : close + 1])
    mended = re.sub(r"\b(None|True|False)\b", lambda m: _PYTHON[m[0]], mended)
    if '"' not in mended:
        mended = mended.replace("'", '"')
    try:
        return json.loads(mended), close + 1
    except (ValueError, RecursionError):
        return None, 0


def value_named(data: Any, *names: str) -> Any:
    """Return the value of the first of some names that an object has, ignoring case; None if it has none."""
    if not isinstance(data, Mapping):
        return None
    lower = {str(name).lower().replace(" ", "_"): value for name, value in data.items()}
    return next((lower[name] for name in names if name in lower), None)
