"""Answers as chat models give them, read one by one; the table is beside this file."""

from __future__ import annotations

import pytest
from chat_answers import CHOICES, DESCRIPTIONS

from referee.llm.choice_reading import Said, read_number
from referee.llm.description_reading import read_described


def test_the_table_has_two_hundred_answers() -> None:
    assert len(CHOICES) + len(DESCRIPTIONS) >= 200
    assert len({content for content, _ in CHOICES}) == len(CHOICES), "each answer once"


@pytest.mark.parametrize(("content", "meant"), CHOICES, ids=[f"{i}-{c[:20]!r}" for i, (c, _) in enumerate(CHOICES)])
def test_a_choice_is_read(content: str, meant: int | str) -> None:
    found = read_number(content, 5)
    assert (found.value if isinstance(found, Said) else found) == meant


@pytest.mark.parametrize(("content", "said"), DESCRIPTIONS, ids=range(len(DESCRIPTIONS)))
def test_a_description_is_read(content: str, said: str | None) -> None:
    assert read_described(content) == said
