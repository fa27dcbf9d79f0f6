"""A question in its three forms: as an endpoint takes it, as the book keeps it, and as the key that tells it apart; the long part is written as JSON once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any, NamedTuple

from referee.llm.messages import has_pictures, keepable, sendable
from referee.signature import digest

__all__ = ["ChatQuestion", "QuestionForm", "key_of", "older_key_of", "question_json"]

# In UTF-8 and sorted: the same text is hashed, kept and sent. Made once, since `json.dumps` would make it anew for every question.
question_json = json.JSONEncoder(sort_keys=True, ensure_ascii=False).encode


class ChatQuestion(NamedTuple):
    """`kept` has endpoint and number of the sample beside what is sent, and pictures by their hash; `text` is the same as JSON, and `body` is `sent`."""

    key: str
    kept: Mapping[str, Any]
    text: str
    sent: Mapping[str, Any]
    body: bytes


class QuestionForm:
    """What all questions of an asker have in common: endpoint, number of the sample and parameters."""

    def __init__(self, endpoint: str, sample: int, parameters: Mapping[str, Any]) -> None:
        self.endpoint, self.sample, self.parameters = endpoint, sample, parameters
        self._about = {"endpoint": endpoint.rstrip("/"), "sample": sample, **parameters}
        self._kept, self._sent = _around_messages(self._about), _around_messages(parameters)

    def fits(self, endpoint: str, sample: int, parameters: Mapping[str, Any]) -> bool:
        return self.sample == sample and self.parameters == parameters and self.endpoint == endpoint

    def question(self, messages: Sequence[Mapping[str, Any]]) -> ChatQuestion:
        """The question with these messages."""
        kept = sent = keepable(messages)
        written = shown = _written(kept)
        if has_pictures(messages):
            sent = sendable(messages)
            shown = _written(sent)
        text = f"{self._kept[0]}{written}{self._kept[1]}"
        body = f"{self._sent[0]}{shown}{self._sent[1]}".encode()
        return ChatQuestion(
            digest(text), {**self._about, "messages": kept}, text, {**self.parameters, "messages": sent}, body
        )


def _written(messages: Sequence[Mapping[str, Any]]) -> str:
    """Messages as `question_json` writes them, at a third of its time where they are plain words."""
    return f"[{', '.join(_plain(m) or question_json(m) for m in messages)}]"


def _plain(message: Mapping[str, Any]) -> str:
    content, role = message["content"], message.get("role")
    if len(message) != 2 or type(content) is not str or type(role) is not str:
        return ""
    return f'{{"content": {encode_basestring(content)}, "role": {encode_basestring(role)}}}'


def _around_messages(fields: Mapping[str, Any]) -> tuple[str, str]:
    """The JSON of an object before and after its messages."""
    written = [(name, f"{question_json(name)}: {question_json(value)}") for name, value in sorted(fields.items())]
    before = "".join(f"{text}, " for name, text in written if name < "messages")
    after = "".join(f", {text}" for name, text in written if name > "messages")
    return f'{{{before}"messages": ', f"{after}}}"


def key_of(question: Mapping[str, Any]) -> str:
    """Equal questions to one endpoint have equal keys; endpoint, model, all parameters, the number of the sample and the pictures are parts of the question."""
    return digest(question_json(question))


def older_key_of(question: Mapping[str, Any]) -> str:
    """The key that the first release gave a question: without endpoint and sample."""
    return key_of({name: value for name, value in question.items() if name not in ("endpoint", "sample")})
