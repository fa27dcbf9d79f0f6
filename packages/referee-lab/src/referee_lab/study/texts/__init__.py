"""The pages of a study as Markdown, in seven languages, and the texts of the interface.

A study folder has its own editable copy.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from referee.errors import InputError
from referee_lab.study.texts.plurals import COUNTED, get_counted_word, get_plural_categories

HERE = Path(__file__).parent
LANGUAGES = ("en", "de", "es", "ja", "nl", "pt", "zh")
REQUIRED = ("consent", "instructions", "debriefing")
PAGES = (*REQUIRED, "practice", "ready", "break", "comments")
# Contacts that say nothing; earlier releases wrote the first one into studies of every language.
CONTACTS = ("the organisers of this study", "the organisers of this demonstration")
# How descriptions come to people; pages say so in the words of ways.toml.
READ, HEARD, WATCHED = "read", "heard", "watched"


def _choose_language(language: str) -> str:
    """Return the shipped language for a language: pt for pt-BR, English for a language without texts."""
    spoken = language.partition("-")[0]
    return spoken if spoken in LANGUAGES else "en"


# The protocol whose pages another one takes where it has none of its own.
LIKE = {
    "ranking": "judgement-pairwise",
    "production-spoken": "production",
    "replay-identify-dialogue": "replay-identify",
}


def read_default_pages(language: str, protocol: str, way: str = READ, shown: str = "") -> dict[str, str]:
    """Return the shipped pages of a language, with a protocol's own pages; English for other languages.

    English for a language without texts.

    `way` is how descriptions are presented; `shown` is the display that replaces a scene (a key of without_scene.toml),
    empty for a scene.
    """
    folder = HERE / _choose_language(language)
    names = (f"-{protocol}", f"-{LIKE.get(protocol, protocol)}", "")
    files = {page: [folder / f"{page}{name}.md" for name in names] for page in PAGES}
    paths = {page: next(path for path in candidates if path.exists()) for page, candidates in files.items()}
    phrases = {f"way_{name}": words for name, words in _load_ways(folder.name)[way].items()}
    filled = {page: fill_placeholders(path.read_text(encoding="utf-8"), phrases) for page, path in paths.items()}
    if shown:
        heading, end = filled["instructions"].splitlines()[0], "{tasks_there} {breaks}\n"
        filled["instructions"] = f"{heading}\n\n{_load_scene_texts(folder.name)[shown]}\n\n{end}"
    # Where there is nothing to say, no blank is left behind.
    return {page: re.sub(r" +$", "", text, flags=re.MULTILINE) for page, text in filled.items()}


def get_voices_sentence(language: str) -> str:
    """Return the sentence for instructions of studies whose clips have voices, but whose utterances are read."""
    return str(tomllib.loads((HERE / _choose_language(language) / "clips.toml").read_text(encoding="utf-8"))["voices"])


@cache
def _load_ways(language: str) -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((HERE / language / "ways.toml").read_text(encoding="utf-8"))


def load_claim_phrases(language: str) -> Mapping[str, str]:
    """Return the phrases by which pages of a language make claims about a study; empty for a language without texts."""
    path = HERE / language.partition("-")[0] / "claims.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


@cache
def _load_scene_texts(language: str) -> Mapping[str, Any]:
    return tomllib.loads((HERE / language / "without_scene.toml").read_text(encoding="utf-8"))


def get_ready_page(language: str) -> str:
    """Return the page before the first trial of a study without practice."""
    folder = HERE / _choose_language(language)
    heading = (folder / "ready.md").read_text(encoding="utf-8").splitlines()[0]
    return f"{heading}\n\n{_load_scene_texts(folder.name)['ready']}\n"


def get_default_title(language: str) -> str:
    """Return the heading of a study without a title."""
    return str(_load_scene_texts(_choose_language(language))["title"])


def get_default_questions(language: str, protocol: str, shown: str = "") -> dict[str, Any]:
    """Return a protocol's questions as values of study.toml [protocol].

    `shown` names what a trial shows where it has no scene, such as options or words: these have questions of their own. Empty if
    the (English) questions of the protocol apply.
    """
    without_scene = _load_scene_texts(_choose_language(language))["ask"]
    if shown in without_scene:
        return dict(without_scene[shown])
    path = HERE / _choose_language(language) / "questions.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")).get(protocol, {}) if path.exists() else {}


def get_default_demographics(language: str) -> str:
    """Return the optional questions about the person as TOML."""
    folder = HERE / _choose_language(language)
    return (folder / "demographics.toml").read_text(encoding="utf-8")


@cache
def _load_words(language: str) -> Mapping[str, str]:
    return tomllib.loads((HERE / language / "strings.toml").read_text(encoding="utf-8"))


def load_interface_words(language: str, strings_file: Path | None = None) -> dict[str, str]:
    """Return the words on buttons and in messages.

    English words are replaced by those of the language, and these by the study's own strings.toml.
    """
    words = dict(_load_words("en"))
    spoken = language.partition("-")[0]  # pt-BR has the words of pt
    if spoken in LANGUAGES:
        # Its own plural forms and no others.
        words = {name: text for name, text in words.items() if get_counted_word(name) is None}
        words.update(_load_words(spoken))
    if strings_file is not None and strings_file.exists():
        words.update(_load_own_words(strings_file, words, language))
    return words


def _load_own_words(path: Path, words: Mapping[str, str], language: str) -> dict[str, str]:
    """Return the interface texts with those of the study's own file.

    Raises InputError for an unknown or invalid one.
    """
    try:
        replaced = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"not readable as TOML ({error})", where=path, remedy='lines are name = "words"') from None
    # A language that tells more apart than the shipped ones has forms of its own.
    forms = {f"{name}_{category}" for name in COUNTED for category in get_plural_categories(language)}
    for key, value in replaced.items():
        if (key not in words and key not in forms) or not isinstance(value, str):
            raise InputError(f"there is no word {key!r} to replace", where=path, remedy=f"one of {', '.join(words)}")
    return replaced


def fill_placeholders(text: str, facts: Mapping[str, object]) -> str:
    """Return a page with its {placeholders} filled in; other braces stay."""
    for name, value in facts.items():
        # Not `format`: organisers write braces of their own, and a text must not reach into objects.
        text = text.replace("{" + name + "}", str(value))
    return text


@cache
def _make_renderer() -> object:
    """Return the Markdown renderer without HTML, links or pictures."""
    from markdown_it import MarkdownIt

    # Texts are the organisers' own, but a mistake in them must not run in participants' browsers. No pictures: the
    # policy would not load them.
    return MarkdownIt("commonmark", {"html": False, "linkify": False}).enable("table").disable("image")


@lru_cache(maxsize=1024)
def convert_to_html(markdown: str) -> str:
    """Return Markdown as safe HTML: tags are shown as text, and scripts and foreign pictures are left out."""
    return str(_make_renderer().render(markdown))  # type: ignore[attr-defined]
