"""Speech into words by any OpenAI-compatible transcription endpoint (`/audio/transcriptions`, response format verbose_json)."""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
import uuid
from pathlib import Path

from referee.errors import InputError

__all__ = ["transcribe"]

LARGEST_ANSWER = 16 << 20


def transcribe(
    sound: Path,
    *,
    endpoint: str,
    model: str,
    language: str | None = None,
    key_variable: str = "OPENAI_API_KEY",
    timeout_s: float = 600.0,
) -> str:
    """The endpoint's answer as text: JSON with timed segments. The key is read from the environment and written nowhere."""
    fields = {"model": model, "response_format": "verbose_json", **({"language": language} if language else {})}
    boundary = uuid.uuid4().hex
    body = _form(fields, sound, boundary)
    key = os.environ.get(key_variable, "").strip()
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(f"{endpoint.rstrip('/')}/audio/transcriptions", body, headers)
    try:
        with urllib.request.urlopen(request, timeout=timeout_s) as answer:
            text = str(answer.read(LARGEST_ANSWER), "utf-8")
    except urllib.error.HTTPError as error:
        with error:
            raise InputError(
                f"the endpoint answered HTTP {error.code}", where=endpoint, remedy="check endpoint, model and key"
            ) from None
    except (OSError, ValueError) as error:
        raise InputError(
            f"the endpoint did not answer ({error})", where=endpoint, remedy="see that it runs; it usually ends in /v1"
        ) from None
    _check(text, endpoint)
    return text


def _check(text: str, endpoint: str) -> None:
    try:
        segments = json.loads(text)["segments"]
    except (ValueError, KeyError, TypeError):
        segments = None
    if not isinstance(segments, list):
        raise InputError(
            "the endpoint gave words without times", where=endpoint, remedy="use a model that answers with segments"
        )


def _form(fields: dict[str, str], sound: Path, boundary: str) -> bytes:
    """A form as browsers send it."""
    try:
        content = sound.read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=sound, remedy="name a sound file") from None
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="{sound.name}"\r\nContent-Type: application/octet-stream\r\n\r\n'
    return b"".join([*parts, head.encode(), content, f"\r\n--{boundary}--\r\n".encode()])
