"""The words of a chat message, wherever an endpoint puts them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["words_of_message"]


def words_of_message(message: Mapping[str, Any]) -> str | None:
    """The words of a chat message: its content as text or in parts, or the arguments of the function it called instead of speaking."""
    content = message.get("content")
    if isinstance(content, str) and content.strip():
        return content
    if isinstance(content, list):
        parts = [_part(p) for p in content]
        if any(parts):
            return "".join(parts)
    return _called(message) or (content if isinstance(content, str) else None)


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or part.get("type") not in (None, "text", "output_text"):
        return ""
    text = part.get("text")
    # Some servers wrap the text of a part once more.
    text = text.get("value") if isinstance(text, Mapping) else text
    return text if isinstance(text, str) else ""


def _called(message: Mapping[str, Any]) -> str | None:
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and len(calls) == 1 else {"function": message.get("function_call")}
    function = call.get("function") if isinstance(call, Mapping) else None
    arguments = function.get("arguments") if isinstance(function, Mapping) else None
    return arguments if isinstance(arguments, str) and arguments.strip() else None
