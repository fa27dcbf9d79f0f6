"""A question in three forms: as an endpoint takes it, as the response cache stores it, and as the key that identifies it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from referee.models.messages import keepable, sendable
from referee.signature import digest

__all__ = ["ChatQuestion", "key_of", "make_question", "older_key_of"]


class ChatQuestion(NamedTuple):
    """`sent` is the body of a chat completion; `stored` has endpoint and sample number beside it, and pictures by their hash."""

    key: str
    stored: Mapping[str, Any]
    sent: Mapping[str, Any]


def make_question(
    endpoint: str, sample: int, parameters: Mapping[str, Any], messages: Sequence[Mapping[str, Any]]
) -> ChatQuestion:
    """Return the question that these messages and parameters are."""
    stored = {"endpoint": endpoint.rstrip("/"), "sample": sample, **parameters, "messages": keepable(messages)}
    return ChatQuestion(key_of(stored), stored, {**parameters, "messages": sendable(messages)})


def key_of(question: Mapping[str, Any]) -> str:
    """Return the key of a stored question; endpoint, model, all parameters, sample number and pictures are parts of it."""
    return digest(json.dumps(question, sort_keys=True, ensure_ascii=False))


def older_key_of(question: Mapping[str, Any]) -> str:
    """Return the key that the first release gave a question: without endpoint and sample."""
    return key_of({name: part for name, part in question.items() if name not in ("endpoint", "sample")})
