"""Answers as chat models give them, parsed one by one; the table is beside this file, the labelled sets are in `benchmarks/answer_sets`."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from chat_answers import CHOICES, DESCRIPTIONS

import referee
from referee.errors import InputError

sys.path.insert(0, str(Path(__file__).parents[4] / "benchmarks"))
import answers

SETS = [(role, half) for role in answers.ROLES for half in answers.HALVES]


def test_the_table_has_two_hundred_answers() -> None:
    assert len(CHOICES) + len(DESCRIPTIONS) >= 200
    assert len({content for content, _ in CHOICES}) == len(CHOICES), "each answer once"


@pytest.mark.parametrize(("content", "meant"), CHOICES, ids=[f"{i}-{c[:20]!r}" for i, (c, _) in enumerate(CHOICES)])
def test_a_choice_is_read(content: str, meant: int | str) -> None:
    parsed = referee.parse_answer(content, "choice", options=5)
    assert (parsed.value if parsed.outcome == "read" else "unread") == meant


@pytest.mark.parametrize(("content", "description"), DESCRIPTIONS, ids=range(len(DESCRIPTIONS)))
def test_a_description_is_read(content: str, description: str | None) -> None:
    assert referee.parse_answer(content, "description").value == description


def test_the_sets_have_two_thousand_answers_and_two_hundred_a_role() -> None:
    counts = {(role, half): len(answers.load(role, half)) for role, half in SETS}
    assert sum(counts.values()) >= 2000
    assert all(counts[role, "dev"] + counts[role, "untouched"] >= 200 for role in answers.ROLES)


def test_no_template_is_in_both_halves_but_bare_answers() -> None:
    for role in answers.ROLES:
        both = {a.text for a in answers.load(role, "dev")} & {a.text for a in answers.load(role, "untouched")}
        assert len(both) < 0.2 * len(answers.load(role, "untouched")), role


@pytest.mark.parametrize(("role", "half"), SETS)
def test_hardly_any_labelled_answer_is_misread(role: str, half: str) -> None:
    """At most 2 in 1,000 misread and 5 % unread, or one answer where a set is small."""
    labelled = answers.load(role, half)
    verdicts = [answers.judge(answer) for answer in labelled]
    assert verdicts.count("misread") <= max(1, 0.002 * len(labelled))
    assert verdicts.count("unread") <= 0.05 * len(labelled)


@pytest.mark.parametrize(
    ("text", "finish", "outcome"),
    [
        ("2", "length", "cut-off"),
        ("2", "max_tokens", "cut-off"),
        ("", "content_filter", "refused"),
        ("I'm sorry, but I can't", "length", "refused"),
        ("2", "stop", "read"),
        (None, None, "unread"),
        ("<think>2", None, "cut-off"),
        ('{"answer": 2', None, "cut-off"),
    ],
)
def test_the_outcome_says_how_an_answer_ended(text: str | None, finish: str | None, outcome: str) -> None:
    parsed = referee.parse_answer(text, "choice", options=5, finish=finish)
    assert parsed.outcome == outcome
    assert (parsed.value is None) == (outcome != "read")


@pytest.mark.parametrize("wrong", [{"kind": "song"}, {"kind": "choice"}, {"kind": "rating"}])
def test_a_question_that_is_not_whole_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(InputError):
        referee.parse_answer("2", **wrong)


def test_coordinates_beyond_the_picture_as_sent_are_unread() -> None:
    box = "[10, 20, 900, 40]"
    assert referee.parse_answer(box, "place", form="json", size=(1000, 500)).value == (10, 20, 900, 40)
    assert referee.parse_answer(box, "place", form="json", size=(640, 480)).outcome == "unread"


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("The red chair is 3.", "choice", 3),
        ("A child would say 3.", "choice", None),
        ("The previous answer, 3, was wrong.", "choice", None),
        ("Choosing object 3 requires more information.", "choice", None),
        ("The answer is 2. The answer is 3.", "choice", None),
        ('{"name": "look", "arguments": {"object": 3}}', "choice", None),
        ('{"name": "choose", "arguments": {"object": 3}}', "choice", 3),
        ("Because of the typo I'd give it 70.", "rating", 70),
        ("Someone else would give 70.", "rating", None),
        ("It scored 70 in an earlier study.", "rating", None),
        ("A", "description", "A"),
        ("same", "description", "same"),
        ("yes", "description", None),
        ('If the target were red, I would say "the red chair".', "description", None),
        ("The cup is at [10, 20, 110, 220].", "place", (10, 20, 110, 220)),
        ("I looked at [10, 20, 110, 220] and found nothing.", "place", None),
        ("You wrote [10, 20, 110, 220].", "place", None),
    ],
)
def test_a_value_is_read_only_if_the_words_around_it_are_accounted_for(text: str, kind: str, value: object) -> None:
    assert referee.parse_answer(text, kind, options=5, scale=(0, 100)).value == value
