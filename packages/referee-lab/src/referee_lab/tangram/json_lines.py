"""Text and lines of recordings, annotations and dialogues, or an error that names the file and the line."""

from __future__ import annotations

import json
from typing import Any

from referee.errors import MalformedInput


def decode_text(content: bytes, where: str) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with the mark of its byte order, as Praat and Excel write it."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise MalformedInput("not UTF-8", where=where, remedy="save the file as UTF-8") from None


def json_object(line: str, where: str, number: int, remedy: str) -> dict[str, Any]:
    """Return the JSON object on a line. Raises MalformedInput with `remedy` for anything else."""
    try:
        row = json.loads(line)
    except ValueError:
        row = None
    if not isinstance(row, dict):
        raise MalformedInput("not a JSON object", where=where, line=number, remedy=remedy)
    return row
