"""The JSON object in an answer, wherever it stands: alone, in a fence, or with prose around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["find_json", "value_named"]

_DECODER = json.JSONDecoder()
# Models write Python as often as JSON.
_PYTHON = {"None": "null", "True": "true", "False": "false"}


def find_json(text: str) -> Any:
    """The one object in a text; of several the last (models correct themselves), and None where there is none."""
    found = list(_objects(text))
    return found[-1] if found else None


def _objects(text: str) -> Iterator[Any]:
    place = 0
    while (start := text.find("{", place)) >= 0:
        value, end = _decode(text, start)
        if end:
            yield value
        place = end or start + 1


def _decode(text: str, start: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError):
        pass
    # One more try, for single quotes, trailing commas and Python's constants, where the braces are balanced.
    close = text.find("}", start)
    while close >= 0 and text.count("{", start, close) > text.count("}", start, close) + 1:
        close = text.find("}", close + 1)
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
    """The first of some names that an object has, whatever their case; None where it has none of them."""
    if not isinstance(data, Mapping):
        return None
    lower = {str(name).lower().replace(" ", "_"): value for name, value in data.items()}
    return next((lower[name] for name in names if name in lower), None)
