"""A question is written once and hashed, kept and sent from there: the same text that `json.dumps` gives, whatever is in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.llm.messages import Picture, message
from referee.llm.question import QuestionForm, key_of
from referee.signature import digest

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), st.dictionaries(TEXTS, st.integers() | TEXTS | st.none())
)
def test_the_text_of_a_question_is_what_json_writes(said: list[tuple[str, str]], parameters: dict[str, Any]) -> None:
    messages = [{"role": role, "content": words} for role, words in said]
    parameters = {name: value for name, value in parameters.items() if name not in ("endpoint", "sample", "messages")}
    found = QuestionForm("http://host/v1/", 3, parameters).question(messages)
    expected = {"endpoint": "http://host/v1", "sample": 3, **parameters, "messages": messages}
    assert found.kept == expected
    # As the first releases wrote it: their kept calls are found again.
    assert found.text == json.dumps(expected, sort_keys=True, ensure_ascii=False)
    assert found.key == digest(found.text) == key_of(expected)
    assert json.loads(found.body) == found.sent == {**parameters, "messages": messages}


@pytest.mark.parametrize(
    "given_message",
    [
        {"role": "user", "content": [{"type": "text", "text": "a"}]},
        {"role": "tool", "content": "a", "tool_call_id": "x"},
        message("user", "Which?", [Picture(b"\x89PNG")]),
    ],
)
def test_other_messages_are_written_too(given_message: dict[str, Any]) -> None:
    found = QuestionForm("e", 0, {"model": "m"}).question([given_message])
    assert found.text == json.dumps(found.kept, sort_keys=True, ensure_ascii=False)
    assert json.loads(found.body) == found.sent


def test_pictures_are_sent_as_data_and_kept_by_their_hash() -> None:
    found = QuestionForm("e", 0, {"model": "m"}).question([message("user", "Which?", [Picture(b"\x89PNG")])])
    assert b"base64,iVBORw==" in found.body  # printf '\x89PNG' | base64
    assert "base64" not in found.text
    assert found.kept["messages"][0]["content"][1]["type"] == "image"
