"""Tokenisers by language: corpus BLEU and chrF are sacrebleu's, to 1e-9."""

from __future__ import annotations

import pytest

import referee
from referee.metrics.tokens import split_words

sacrebleu = pytest.importorskip("sacrebleu")

TEXTS = {
    "en": (
        ["the small red chair on the left, please.", "a man with 3.5 glasses and a beard"],
        ["the small red chair at the left, please.", "the man with 3.5 glasses and a beard"],
    ),
    "de": (
        ["der große rote Stuhl, der links steht", "die Tür mit dem weißen Griff ist's"],
        ["der große rote Stuhl, der rechts steht", "die Tür mit dem weißen Griff"],
    ),
    "fr": (
        ["la chaise rouge à gauche de l'étagère", "l'homme âgé aux lunettes noires"],
        ["la chaise rouge à droite de l'étagère", "l'homme âgé avec des lunettes noires"],
    ),
    "pt": (
        ["a cadeira vermelha à esquerda da mesa", "o homem de óculos e barba não"],
        ["a cadeira vermelha à direita da mesa", "o homem de óculos e barba"],
    ),
    "nl": (
        ["de grote rode stoel aan de linkerkant", "de man met 'n bril en een baard"],
        ["de grote rode stoel aan de rechterkant", "de man met een bril en een baard"],
    ),
    "zh": (
        ["左边那把红色的小椅子。", "戴眼镜的男人,有3.5米高——旁边"],
        ["右边那把红色的小椅子。", "戴眼镜的男人,有3.5米高——旁边的"],
    ),
    "ja": (
        ["左にある赤い小さな椅子です。", "眼鏡をかけた男の人がいます"],
        ["右にある赤い小さな椅子です。", "眼鏡をかけた男の人です"],
    ),
    "ko": (
        ["왼쪽에 있는 빨간 작은 의자입니다.", "안경을 쓴 남자가 있습니다"],
        ["오른쪽에 있는 빨간 작은 의자입니다.", "안경을 쓴 남자입니다"],
    ),
}
TOKENISERS = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}


@pytest.mark.parametrize("language", TEXTS)
def test_bleu_and_chrf_are_sacrebleus(language: str) -> None:
    outputs, references = TEXTS[language]
    result = referee.evaluate(
        outputs, references=references, language=language, metrics="string/bleu.4|case:keep,string/chrf"
    )
    bleu, chrf = result.frame["value"].to_list()
    expected = sacrebleu.corpus_bleu(
        outputs, [references], tokenize=TOKENISERS.get(language, "13a"), smooth_method="none"
    )
    assert bleu == pytest.approx(expected.score / 100, abs=1e-9)
    assert chrf == pytest.approx(sacrebleu.corpus_chrf(outputs, [references]).score / 100, abs=1e-9)


def test_the_signature_names_the_tokeniser() -> None:
    outputs, references = TEXTS["zh"]
    # The script tells the language of plain texts.
    result = referee.evaluate(outputs, references=references, metrics="string/bleu.4")
    assert "|tokens:zh|" in result.signature
    assert not result.notes


def test_an_unsuitable_tokeniser_is_warned_of() -> None:
    outputs, references = TEXTS["zh"]
    result = referee.evaluate(outputs, references=references, language="en", metrics="string/bleu.4")
    assert "written without blanks" in result.notes[0]


def test_items_of_several_languages_are_split_each_by_its_own() -> None:
    rows = [
        {"item": i, "output": out, "reference": ref, "language": language}
        for language in ("en", "zh")
        for i, (out, ref) in enumerate(zip(*TEXTS[language], strict=True), len(language) * (language == "zh"))
    ]
    result = referee.evaluate(rows, metrics="string/edit.1")
    # By hand: one substitution in each English pair and the first Chinese pair, one deletion in the second.
    assert result.frame["value"].to_list() == [1.0]
    assert "|tokens:mteval+zh|" in result.signature


@pytest.mark.parametrize(
    ("tokens", "language", "text", "words"),
    [
        ("char", "en", "a cup", ["a", "c", "u", "p"]),
        ("ptb", "en", "The man's cup isn't red.", ["the", "man", "'s", "cup", "is", "n't", "red"]),
        # The words that pycocoevalcap 1.2 (PTBTokenizer, Java) prints for these texts.
        (
            "ptb",
            "en",
            "Cannot see (the) #3 @ left w/ $5, etc. 'quoted'",
            ["can", "not", "see", "-lrb-", "the", "-rrb-", "#", "3", "@", "left", "w", "/", "$", "5", "etc.", "quoted"],
        ),
        (
            "ptb",
            "en",
            "gonna be 9:30pm o'clock? what?! '90s a.m. white&black",
            ["gon", "na", "be", "9:30", "pm", "o'clock", "what", "?!", "'90s", "a.m.", "white", "&", "black"],
        ),
        ("rouge-1.5.5", "en", "Tür links", ["t", "r", "links"]),
        ("rouge-1.5.5", "de", "Tür, links", ["tür", "links"]),
        ("13a", "zh", "红椅子", ["红椅子"]),
    ],
)
def test_words(tokens: str, language: str, text: str, words: list[str]) -> None:
    assert split_words(text, "lower", tokens, language) == words


@pytest.mark.parametrize("name", ["zh", "zh-CN", "zho", "Chinese", "中文"])
def test_languages_by_name(name: str) -> None:
    assert split_words("红椅子", "lower", "mteval", name) == ["红", "椅", "子"]
