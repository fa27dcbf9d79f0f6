"""Chat messages and questions.

As an endpoint takes them, as the response cache stores them (pictures by their hash), and the words of an answer.
"""

from __future__ import annotations

import hashlib
import io
import json
import mimetypes
from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from referee.errors import InputError
from referee.signature import digest

Content = str | list[Any]


class Picture:
    """A picture as bytes, or as the path of a file that is read when sent.

    `rule` is the resizing rule applied before ("" for none).
    """

    __slots__ = ("_hash", "rule", "source")

    def __init__(self, source: bytes | Path, rule: str = "") -> None:
        self.source = source
        self.rule = rule
        self._hash = ""

    @property
    def data(self) -> bytes:
        """Return the bytes of the picture. Raises InputError if its file cannot be read."""
        if isinstance(self.source, bytes):
            return self.source
        try:
            return self.source.read_bytes()
        except OSError as error:
            raise InputError(f"the picture cannot be read ({error.strerror})", where=self.source) from None

    @property
    def kind(self) -> str:
        """Return the media type of the picture."""
        head = self.source[:4] if isinstance(self.source, bytes) else b""
        if head:
            return "image/jpeg" if head.startswith(b"\xff\xd8") else "image/webp" if head == b"RIFF" else "image/png"
        return mimetypes.guess_type(str(self.source))[0] or "image/png"

    @property
    def hash(self) -> str:
        self._hash = self._hash or hashlib.sha256(self.data).hexdigest()
        return self._hash

    def encode_for_request(self) -> dict[str, Any]:
        data = b64encode(self.data).decode()
        return {"type": "image_url", "image_url": {"url": f"data:{self.kind};base64,{data}"}}

    def encode_for_cache(self) -> dict[str, Any]:
        return {"type": "image", "sha256": self.hash}

    def record(self) -> dict[str, Any]:
        """Return hash, width, height and resizing rule of the picture as sent.

        The size is null for vector graphics.
        """
        from PIL import Image

        width: int | None
        height: int | None
        try:
            with Image.open(io.BytesIO(self.data)) as opened:
                width, height = opened.size
        except (OSError, ValueError, SyntaxError):
            width = height = None
        return {"sha256": self.hash, "width": width, "height": height, "rule": self.rule or "unchanged"}


def make_message(role: str, words: str, pictures: Sequence[Picture] = ()) -> dict[str, Any]:
    """Return a chat message; with pictures it has parts, the words first."""
    return {"role": role, "content": [{"type": "text", "text": words}, *pictures] if pictures else words}


def encode_for_request(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages in the form that an endpoint takes."""
    return [_replace_pictures(m, Picture.encode_for_request) for m in messages]


def encode_for_cache(messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return messages as the response cache stores them: a picture is its hash."""
    return [_replace_pictures(m, Picture.encode_for_cache) for m in messages]


def _replace_pictures(chat_message: Mapping[str, Any], form: Any) -> dict[str, Any]:
    """Return a message with its pictures in another form."""
    content = chat_message["content"]
    if isinstance(content, list):
        content = [form(part) if isinstance(part, Picture) else part for part in content]
    return {**chat_message, "content": content}


def get_message_text(message: Mapping[str, Any]) -> str | None:
    """Return the words of a chat message: its content as text or in parts, or the arguments of the function it called instead of speaking."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    if isinstance(content, list):
        parts = [_get_part_text(p) for p in content]
        if any(parts):
            return "".join(parts)
    return _get_call_arguments(message) or (content if isinstance(content, str) else None)


def _get_part_text(part: object) -> str:
    """Return the text of a part of a message; empty for other parts."""
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in (None, "text", "output_text"):
        return ""
    text = part.get("text")
    # Some servers wrap the text of a part once more.
    text = text.get("value") if isinstance(text, Mapping) else text
    return text if isinstance(text, str) else ""


def _get_call_arguments(message: Mapping[str, Any]) -> str | None:
    """Return the arguments of a message's only tool call; None without one."""
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and len(calls) == 1 else {"function": message.get("function_call")}
    function = call.get("function") if isinstance(call, Mapping) else None
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    return arguments if isinstance(arguments, str) and arguments.strip() else None


class ChatQuestion(NamedTuple):
    """A question: `sent` is the body of a chat completion.

    `stored` adds endpoint and sample number, with pictures by hash; `pictures` are those sent.
    """

    key: str
    stored: Mapping[str, Any]
    sent: Mapping[str, Any]
    pictures: tuple[Picture, ...] = ()


def make_question(
    endpoint: str, sample: int, parameters: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
) -> ChatQuestion:
    """Return the question that these messages and parameters are."""
    stored = {"endpoint": endpoint.rstrip("/"), "sample": sample, **parameters, "messages": encode_for_cache(messages)}
    parts = [part for m in messages if isinstance(m["content"], list) for part in m["content"]]
    pictures = tuple(part for part in parts if isinstance(part, Picture))
    return ChatQuestion(
        make_cache_key(stored), stored, {**parameters, "messages": encode_for_request(messages)}, pictures
    )


def make_cache_key(question: Mapping[str, Any]) -> str:
    """Return the key of a stored question.

    Endpoint, model, all parameters, sample number and pictures are parts of it.
    """
    return digest(json.dumps(question, sort_keys=True, ensure_ascii=False))


def make_first_release_key(question: Mapping[str, Any]) -> str:
    """Return the key that the first release gave a question: without endpoint and sample."""
    return make_cache_key({name: part for name, part in question.items() if name not in ("endpoint", "sample")})
