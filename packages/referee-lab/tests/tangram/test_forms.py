"""The form of a reference, told from its words."""

from __future__ import annotations

import pytest

from referee.errors import InputError
from referee.records import Event
from referee_lab.tangram.tiers.reference_forms import (
    FULL,
    PRONOUN,
    REDUCED,
    choose_demonstrative,
    classify_form,
    is_pronoun,
    list_describing_words,
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("that", PRONOUN),
        ("uh it's the same one again", PRONOUN),
        ("the rooster", REDUCED),
        ("the K", REDUCED),
        ("um the the blue crab", REDUCED),
        ("the big blue crab on the left", FULL),
        ("okay yeah", None),
        ("", None),
        ("the purp-", None),
    ],
)
def test_the_rule_of_the_documentation(text: str, form: str | None) -> None:
    assert classify_form(text) == form


def test_a_word_said_twice_describes_once() -> None:
    assert list_describing_words("the blue one the Blue one with blue hat") == ["blue", "hat"]


def test_an_annotation_overrules_the_words() -> None:
    nested = Event(kind="expression", text="the same shape as that", data={"attributes": ("dpr", "sim")})
    assert is_pronoun(nested)
    assert not is_pronoun(Event(kind="expression", text="that", data={"attributes": ()}))
    assert is_pronoun(Event(kind="expression", text="that"))


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("das", "de", True),
        ("es", "de", True),
        ("ihn", "de-AT", True),
        ("das rote", "de", False),
        ("eso", "es", True),
        ("それ", "ja", True),
        ("それを", "ja", True),
        ("その三角形", "ja", False),
        ("celle-ci", "fr", True),
        ("la", "fr", True),
        ("la tasse", "fr", False),
        ("quello là", "it", True),
        ("it", "en", True),
        ("it", "und", True),
        ("the mug", "en", False),
    ],
)
def test_without_codes_the_words_of_the_language_decide(text: str, language: str, expected: bool) -> None:
    assert is_pronoun(Event(kind="expression", text=text), language) is expected


def test_the_pronoun_put_in_is_that_of_the_language() -> None:
    # Spanger et al. 2013, section 5.1: sore.
    assert [choose_demonstrative(language, "") for language in ("ja", "en", "de-AT", "fr")] == [
        "それ",
        "that",
        "das",
        "ça",
    ]
    with pytest.raises(InputError, match="'fi'"):
        choose_demonstrative("fi", "--pronoun WORD")


def test_a_language_without_a_list_is_refused_where_nobody_coded_pronouns() -> None:
    with pytest.raises(InputError, match="no list of pronouns for the language 'fi'"):
        is_pronoun(Event(kind="expression", text="se"), "fi")
    assert is_pronoun(Event(kind="expression", text="se", data={"attributes": ("dpr",)}), "fi")
