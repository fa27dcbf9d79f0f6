"""Speech into words by any OpenAI-compatible transcription endpoint (`/audio/transcriptions`, response format verbose_json)."""

from __future__ import annotations

import json
import os
from pathlib import Path

from referee.errors import InputError, naming_extra
from referee.models.http_client import ConnectionFailed, post, run_on_loop


def transcribe(
    sound: Path,
    *,
    endpoint: str,
    model: str,
    language: str | None = None,
    key_variable: str = "OPENAI_API_KEY",
    timeout_s: float = 600.0,
) -> str:
    """Return the endpoint's answer as text: JSON with timed segments.

    The key is read from the environment and written nowhere.
    """
    with naming_extra():
        import aiohttp

    form = aiohttp.FormData({"model": model, "response_format": "verbose_json"})
    if language:
        form.add_field("language", language)
    try:
        form.add_field("file", sound.read_bytes(), filename=sound.name, content_type="application/octet-stream")
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=sound, remedy="name a sound file") from None
    key = os.environ.get(key_variable, "").strip()
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        response = run_on_loop(post(f"{endpoint.rstrip('/')}/audio/transcriptions", form, headers, timeout_s))
    except ConnectionFailed as error:
        raise InputError(
            f"the endpoint did not answer ({error})", where=endpoint, remedy="see that it runs; it usually ends in /v1"
        ) from None
    if response.status != 200:
        raise InputError(
            f"the endpoint answered HTTP {response.status}", where=endpoint, remedy="check endpoint, model and key"
        )
    text = response.body.decode("utf-8", "replace")
    _check_segments(text, endpoint)
    return text.replace(key, "[key]") if key else text


def _check_segments(text: str, endpoint: str) -> None:
    """Raise InputError unless a transcription has segments with times."""
    try:
        segments = json.loads(text)["segments"]
    except (ValueError, KeyError, TypeError):
        segments = None
    if not isinstance(segments, list):
        raise InputError(
            "the endpoint gave words without times", where=endpoint, remedy="use a model that answers with segments"
        )
