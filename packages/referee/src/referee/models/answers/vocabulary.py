"""Words of answers in eight languages (en, de, fr, es, pt, nl, zh, ja), merged: an answer may be in any of them."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any


def any_of(*phrases: str) -> str:
    """A group of alternatives, as a regular expression."""
    return f"(?:{'|'.join(phrases)})"


def words(text: str) -> frozenset[str]:
    """The words of a list that is written with spaces."""
    return frozenset(text.split())


def replace_all(text: str, rules: Iterable[tuple[str, str]]) -> str:
    """Return a text after replacements of patterns, one after the other, ignoring case."""
    for pattern, replacement in rules:
        text = re.sub(pattern, replacement, text, flags=re.IGNORECASE)
    return text


# The lists of words; those of numbers are tables of their own.
_LISTS: dict[str, Any] = tomllib.loads(Path(__file__).with_name("words.toml").read_text("utf-8"))
WORDS = {name: words(listed) for name, listed in _LISTS.items() if isinstance(listed, str)}
PATTERNS = {name: any_of(*listed.split("\n")[:-1]) for name, listed in _LISTS["patterns"].items()}
# Where a word may begin: Chinese and Japanese have no spaces between words.
START = r"(?<![^\W\u3040-\u30ff\u4e00-\u9fff])(?<!')"

# Nouns that a number may count.
KINDS = any_of(
    rf"(?:{'|'.join(_LISTS['numbered'].split())})(?![^\W\d_])",
    r"no\.|nr\.|num\.|obj\.?|#|№|n[°º]",
    _LISTS["numbered_unspaced"],
)

NUMBER_WORDS = {language: tuple(line.split()) for language, line in _LISTS["numbers"].items()}
ORDINALS = {language: tuple(line.split()) for language, line in _LISTS["ordinals"].items()}


def number_words(language: str | None = None) -> dict[str, int]:
    """Return the number words of a language and of English, or of all languages, with their values."""
    languages = NUMBER_WORDS if language is None else {"en", language} & NUMBER_WORDS.keys()
    return {word: i for name in sorted(languages) for i, word in enumerate(NUMBER_WORDS[name], 1)}


def ordinals() -> list[tuple[str, int]]:
    """Ordinals of all languages as regular expressions, with their numbers."""
    endings = {"de": "e[nrs]?"}
    return [
        (rf"{word}{endings.get(language, '')}", i)
        for language, words in ORDINALS.items()
        for i, word in enumerate(words, 1)
    ]


# Words that announce the answer; the last one counts.
MARKERS = PATTERNS["markers"]

# Only beginnings count: "the chair that I cannot miss" is a description. A sentence about not knowing is no refusal.
KNOWING = (
    r"(?!,?(?: really| quite| reliably)? (?:tell|determine|decide|say|know|be (?:sure|certain)|identify (?:which|the (?:referent|target|object))|distinguish|single|see any|find (?:any|an?|the|such)|choose|pick|see (?:the target|which)|(?:give|rate|call) (?:it|this|the \w+) (?:more than |less than |higher than |above |over )?(?:an? |the )?\d+)\b"
    r"| to (?:tell|determine|decide|identify (?:which|the (?:referent|target|object))|say|choose|single)\b)"
)
REFUSAL = re.compile(
    any_of(
        rf"(?:unfortunately,? |sorry,? (?:but )?|i apologi[sz]e,? (?:but )?|(?:i['’]?m|i am)(?: so| very| really)? sorry,? (?:but )?)?i (?:can['’]?t|cannot|can not|won['’]?t|am unable|am not able|must decline|will not|do not feel comfortable){KNOWING}",
        rf"(?:unfortunately,? |sorry,? (?:but )?|(?:i['’]?m|i am)(?: so| very| really)? sorry,? (?:but )?)?i['’]m (?:unable|not able){KNOWING}",
        rf"(?:(?:i['’]?m|i am)(?: so| very| really)? sorry|sorry,(?! (?:i (?:meant|mean|got|was|mis\w+)|\W*\d|object|number|it|the|no\b|make|let|wait|actually|my|that))|i apologi[sz]e|as an? (?:ai|large language|language model|assistant))(?!,? (?:but )?i (?:can['’]?t|cannot|am unable|am not able|['’]m (?:unable|not able)|do(?: not|n['’]t) know){KNOWING.replace('(?!', '(?:', 1)})(?! i meant)\b",
        r"i(?:['’]?m| am) (?:afraid i can(?:not|['’]t)(?! (?:tell|say|decide|know))|not comfortable)|it would be inappropriate|das kann ich leider nicht tun|(?:es )?tut mir (?:sehr )?leid|entschuldigung,|leider kann ich|dabei kann ich (?:dir |ihnen )?nicht|das kann ich nicht(?! sagen| erkennen| bestimmen)|als ki\b",
        r"(?:je suis )?désolée?\b|je ne peux pas (?!le dire|dire|savoir|déterminer)|en tant qu['’]ia",
        r"lo siento|lo lamento|no puedo (?!decir|saber|determinar)|como (?:una )?ia\b",
        r"(?:me )?desculpe|sinto muito|lamento|não posso (?!dizer|saber|determinar)|como uma ia\b",
        r"het spijt me|sorry,? (?:maar |dat |daar|hier|ik )|ik kan (?:je |u )?(?:hier ?(?:mee|bij) )?niet helpen|als ai\b",
        r"(?:很|非常)?抱歉|对不起|我不能|我无法(?!确定|判断)|作为(?:一个|一名)?(?:ai|人工智能)",
        r"i refuse to|\{\s*\"refusal\"\s*:\s*\"\w|申し訳|すみませんが|お答えできません|お手伝いできません",
    ),
    re.IGNORECASE,
)

UNKNOWN = PATTERNS["unknown"]

_WIDE = str.maketrans(
    {"，": ", ", "。": ". ", "：": ": ", "；": "; ", "！": "! ", "？": "? ", "（": " (", "）": ") ", "、": ", ", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"', "「": '"', "」": '"', "’": "'", "‘": "'", "–": "-", "—": "-", "\u00a0": " ", "\u202f": " ", "【": "[", "】": "]"}
    | {chr(0xFF10 + i): str(i) for i in range(10)}
)  # fmt: skip


def plain_marks(text: str) -> str:
    """A text with plain quotation marks, dashes, digits and punctuation."""
    return text.translate(_WIDE)


def plain_text(text: str) -> str:
    """A text with plain quotation marks, dashes, digits and punctuation, and without Markdown's emphasis."""
    return re.sub(r"\*\*|__|(?<![\w*])\*(?=\S)|(?<=\S)\*(?![\w*])|`", "", plain_marks(text))
