"""Splitting and numbering words: equal to sacrebleu's 13a where it should be, and the same numbers on both paths."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from phrases import ITEMS, compiled, hold
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from referee.errors import UnknownName
from referee.metrics import tokens
from referee.metrics.tokens import encode, load_kernels, split_words

TRICKY = st.text(alphabet="ab 0.,-!'&\"<>()_é\xa0\u2003ß\n#/", max_size=14)


def test_mteval_splits_marks_but_not_numbers_or_apostrophes():
    assert split_words("The chair's (3,5 m), left.") == ["the", "chair's", "(", "3,5", "m", ")", ",", "left", "."]


def test_mteval_splits_a_dash_only_after_a_digit():
    assert split_words("dark-red 1-2") == ["dark-red", "1", "-", "2"]


@settings(deadline=None)
@given(TRICKY)
def test_mteval_splits_as_sacrebleu_13a(text):
    assert split_words(text, case="keep") == Tokenizer13a()(text.rstrip()).split()


@settings(deadline=None)
@given(st.lists(TRICKY, max_size=6))
def test_texts_split_together_are_split_as_if_alone(texts):
    for way in ("mteval", "words", "unicode", "rouge-1.5.5"):
        page = tokens.split_texts(texts, "lower", way)
        together = [line.split() for line in page.split("\n")] if texts else []
        assert together == [split_words(text, tokens=way) for text in texts]


def test_words_are_split_at_blanks_only_when_asked():
    assert split_words("The chair, left.", case="keep", tokens="words") == ["The", "chair,", "left."]


def test_the_unicode_tokeniser_keeps_words_of_any_script_whole():
    said = split_words("l'été à São-Paulo, 3.5 m: हिन्दी «да».", tokens="unicode")
    assert said == ["l'été", "à", "são", "-", "paulo", ",", "3.5", "m", ":", "हिन्दी", "«", "да", "»", "."]


def test_an_unknown_way_to_split_is_named_with_the_known_ones():
    with pytest.raises(UnknownName, match="mteval"):
        split_words("a", tokens="mteva")
    with pytest.raises(UnknownName, match="lower"):
        split_words("a", case="lowre")


def test_no_text_is_not_an_empty_text():
    encoding = encode(hold(["", None, "a", "b"], [["a"], ["a"], [], [None]]), "lower", "mteval")
    assert encoding.measurable.tolist() == [True, False, False, False]
    assert encoding.owner.tolist() == [0, 1]


def test_a_batch_is_encoded_once_for_each_way_of_splitting():
    batch = hold(["a b"], [["a"]])
    first = encode(batch, "lower", "mteval")
    assert encode(batch, "lower", "mteval") is first
    assert encode(batch, "keep", "mteval") is not first


def test_texts_without_marks_are_encoded_once_for_all_ways_of_splitting():
    batch = hold(["a b"], [["a"]])
    assert encode(batch, "lower", "rouge-1.5.5") is encode(batch, "lower", "mteval")
    with_a_mark = hold(["a-b"], [["a"]])
    assert encode(with_a_mark, "lower", "rouge-1.5.5").words == ["a", "b"]
    assert encode(with_a_mark, "lower", "mteval").words == ["a-b", "a"]
    with pytest.raises(UnknownName, match="mteval"):
        encode(batch, "lower", "mteva")


@settings(deadline=None)
@given(
    st.lists(
        st.one_of(TRICKY, st.sampled_from(["a b", "A", "", "two 2", "<skipped>", "a-\nb", "\u212a", "tab\there"])),
        min_size=1,
        max_size=5,
    )
)
def test_what_was_encoded_before_does_not_change_an_encoding(texts):
    batch = hold(texts, [["a"]] * len(texts))
    for case in ("lower", "keep"):
        for way in ("mteval", "words", "unicode", "rouge-1.5.5"):
            alone = encode(hold(texts, [["a"]] * len(texts)), case, way)
            after = encode(batch, case, way)
            assert after.words == alone.words
            np.testing.assert_array_equal(after.ids, alone.ids)
            np.testing.assert_array_equal(after.starts, alone.starts)


@settings(deadline=None)
@given(ITEMS, st.lists(TRICKY, max_size=4))
def test_both_paths_give_words_the_same_numbers(items, tricky):
    outputs, references = [o for o, _ in items] + tricky, [r for _, r in items] + [[t] for t in tricky]
    plain = encode(hold(outputs, references), "lower", "mteval")
    with compiled():
        swiftly = encode(hold(outputs, references), "lower", "mteval")
    assert swiftly.words == plain.words
    for field in ("ids", "starts", "first", "owner", "measurable"):
        np.testing.assert_array_equal(getattr(swiftly, field), getattr(plain, field))


def test_thousands_of_different_words_keep_their_numbers_apart():
    outputs = [f"word{i} word{i * 7}" for i in range(3000)]
    with compiled():
        swiftly = encode(hold(outputs, [["word0"]] * len(outputs)), "lower", "mteval")
    assert [swiftly.words[i] for i in swiftly.ids[: 2 * len(outputs)]] == " ".join(outputs).split()


def test_small_batches_and_machines_without_numba_take_the_plain_path():
    assert load_kernels(tokens.WORTH_COMPILING - 1) is None
    with patch.object(tokens, "find_spec", return_value=None):
        assert load_kernels(tokens.WORTH_COMPILING) is None
