"""How passports are quoted in signatures, and what is said where they speak of another corpus."""

from __future__ import annotations

from referee.hearers.passports.quoting import read_quote, sign, warn_elsewhere

CARD = {"corpus": "degen2020", "hash": "0123456789abcdef", "verdict": "use with care"}


def test_a_quoted_card_names_its_corpus() -> None:
    signed = sign("literal|seed:1", CARD)
    assert signed == "literal|seed:1|passport:degen2020:0123456789ab:use-with-care"
    assert read_quote(signed) == ("degen2020", "0123456789ab", "use with care")
    own = sign("literal", {**CARD, "corpus": "my folder/trials.jsonl + answers.jsonl"})
    assert read_quote(own) == ("trials.jsonl-+-answers.jsonl", "0123456789ab", "use with care")


def test_signatures_without_a_corpus_or_a_passport_are_understood() -> None:
    assert read_quote("literal|passport:0123456789ab:not-fit") == (None, "0123456789ab", "not fit")
    assert read_quote("literal|seed:1") is None


def test_a_card_of_another_corpus_gives_a_warning() -> None:
    signed = {"literal": sign("literal|seed:1", CARD), "noisy": "noisy|seed:1"}
    assert warn_elsewhere(signed, "degen2020") == []
    (told,) = warn_elsewhere(signed, "tuna")
    assert "The passport of literal was made on degen2020, and this is tuna" in told
    with_answers = {"literal": sign("literal", {**CARD, "corpus": "degen2020 + more.jsonl"})}
    assert warn_elsewhere(with_answers, "degen2020") == []
