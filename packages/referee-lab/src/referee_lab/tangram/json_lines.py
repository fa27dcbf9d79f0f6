"""Text and lines of recordings, annotations and dialogues, or an error that names the file and the line."""

from __future__ import annotations

from typing import Any

from referee.corpora.reading.lines import WrongShape, parse_object
from referee.errors import MalformedInput


def decode_text(content: bytes, where: str) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 with the mark of its byte order, as Praat and Excel write it."""
    encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return content.decode(encoding)
    except UnicodeDecodeError:
        raise MalformedInput("not UTF-8", where=where, remedy="save the file as UTF-8") from None


def parse_json_object(text: str, where: str, number: int | None, remedy: str) -> dict[str, Any]:
    """Return the JSON object of a line or a file. Raises MalformedInput for anything else, NaN and doubled keys."""
    try:
        return parse_object(text)
    except WrongShape as error:
        raise MalformedInput(str(error), where=where, line=number, remedy=error.remedy or remedy) from None
