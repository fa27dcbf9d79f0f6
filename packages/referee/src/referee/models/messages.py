"""Messages with pictures: sent as data, stored and keyed by their hash."""

from __future__ import annotations

import hashlib
import mimetypes
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from referee.errors import InputError

__all__ = ["Picture", "keepable", "message", "sendable"]

Content = str | list[Any]


class Picture:
    """A picture as bytes, or as the path of a file that is read when it is sent."""

    __slots__ = ("_hash", "source")

    def __init__(self, source: bytes | Path) -> None:
        self.source = source
        self._hash = ""

    @property
    def data(self) -> bytes:
        if isinstance(self.source, bytes):
            return self.source
        try:
            return self.source.read_bytes()
        except OSError as error:
            raise InputError(f"the picture cannot be read ({error.strerror})", where=self.source) from None

    @property
    def kind(self) -> str:
        head = self.source[:4] if isinstance(self.source, bytes) else b""
        if head:
            return "image/jpeg" if head.startswith(b"\xff\xd8") else "image/webp" if head == b"RIFF" else "image/png"
        return mimetypes.guess_type(str(self.source))[0] or "image/png"

    @property
    def hash(self) -> str:
        self._hash = self._hash or hashlib.sha256(self.data).hexdigest()
        return self._hash

    def as_sent(self) -> dict[str, Any]:
        data = b64encode(self.data).decode()
        return {"type": "image_url", "image_url": {"url": f"data:{self.kind};base64,{data}"}}

    def as_kept(self) -> dict[str, Any]:
        return {"type": "image", "sha256": self.hash}


def message(role: str, words: str, pictures: Sequence[Picture] = ()) -> dict[str, Any]:
    """A chat message; with pictures it has parts, the words first."""
    return {"role": role, "content": [{"type": "text", "text": words}, *pictures] if pictures else words}


def sendable(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Messages as an endpoint takes them."""
    return [_with(m, Picture.as_sent) for m in messages]


def keepable(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages as the response cache stores them: a picture is its hash."""
    return [_with(m, Picture.as_kept) for m in messages]


def _with(given: Mapping[str, Any], form: Any) -> dict[str, Any]:
    content = given["content"]
    if isinstance(content, list):
        content = [form(part) if isinstance(part, Picture) else part for part in content]
    return {**given, "content": content}
