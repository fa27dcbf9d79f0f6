"""The key of a question: the one that earlier releases gave it, whatever is in it, so that their caches are found again."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from referee.models.messages import Picture, make_cache_key, make_message, make_question

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


@given(
    st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=3), st.dictionaries(TEXTS, st.integers() | TEXTS | st.none())
)
def test_the_key_is_the_hash_of_the_sorted_json(pairs: list[tuple[str, str]], parameters: dict[str, Any]) -> None:
    messages = [{"role": role, "content": words} for role, words in pairs]
    parameters = {name: value for name, value in parameters.items() if name not in ("endpoint", "sample", "messages")}
    question = make_question("http://host/v1/", 3, parameters, messages)
    expected = {"endpoint": "http://host/v1", "sample": 3, **parameters, "messages": messages}
    assert question.stored == expected
    text = json.dumps(expected, sort_keys=True, ensure_ascii=False)
    assert question.key == hashlib.sha256(text.encode()).hexdigest() == make_cache_key(expected)
    assert question.sent == {**parameters, "messages": messages}


def test_a_key_of_an_earlier_release() -> None:
    parameters = {"model": "toy", "temperature": 0.0, "max_tokens": 2000}
    question = make_question("http://localhost:8000/v1", 0, parameters, [{"role": "user", "content": "Which? é"}])
    # Written by the release before the client moved to aiohttp (QuestionForm.question).
    assert question.key == "8f19585e64af582c63cfacf11574f3d15579f136b31065011cb9fbf9d210c90d"


def test_pictures_are_sent_as_data_and_stored_by_their_hash() -> None:
    question = make_question("e", 0, {"model": "m"}, [make_message("user", "Which?", [Picture(b"\x89PNG")])])
    assert "base64,iVBORw==" in json.dumps(question.sent)  # printf '\x89PNG' | base64
    assert "base64" not in json.dumps(question.stored)
    assert question.stored["messages"][0]["content"][1]["type"] == "image"
