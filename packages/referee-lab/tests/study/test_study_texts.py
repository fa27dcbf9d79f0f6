"""Pages are complete in every language, and nothing in them can run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from referee import catalogue
from referee.systems.language_model import LANGUAGES as NAMES_FOR_MODELS
from referee_lab.commands.options import PageLanguage
from referee_lab.study.texts import (
    HERE,
    LANGUAGES,
    PAGES,
    convert_to_html,
    fill_placeholders,
    load_interface_words,
    read_default_pages,
)
from referee_lab.study.texts.plurals import get_counted_word

BROWSER = Path(__file__).parents[2] / "browser" / "src"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


def one_form_each(language: str) -> dict[str, str]:
    """The words of a language; what is counted by its name, in its last form (test_plural_forms.py has all of them)."""
    return {get_counted_word(key) or key: text for key, text in load_interface_words(language).items()}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_every_protocol_has_instructions_of_its_own_in_every_language(protocol: str, language: str) -> None:
    pages = read_default_pages(language, protocol)
    assert set(pages) == set(PAGES)
    assert (HERE / language / f"instructions-{protocol}.md").exists()
    assert all(text.startswith("# ") for text in pages.values())


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_translations_have_the_same_words_and_placeholders(language: str) -> None:
    english, other = one_form_each("en"), one_form_each(language)
    assert english.keys() == other.keys()
    same = [name for name in english if english[name] == other[name]]
    assert same == [], "every word is translated"
    for name in english:
        assert set(PLACEHOLDER.findall(english[name])) == set(PLACEHOLDER.findall(other[name])), name
    for page in (HERE / "en").glob("*.md"):
        translated = (HERE / language / page.name).read_text(encoding="utf-8")
        assert set(PLACEHOLDER.findall(page.read_text(encoding="utf-8"))) == set(PLACEHOLDER.findall(translated)), (
            page.name
        )


@pytest.mark.skipif(not BROWSER.exists(), reason="the browser's sources are not part of this copy")
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_that_a_page_says_is_in_the_file(language: str) -> None:
    sources = "\n".join(_browser_sources())
    said = set(re.findall(r'\bsay\("([\w-]+)"', sources))
    told = {f"room_{word}" for word in re.findall(r'\btell\("([\w-]+)"', sources)}
    assert len(said) > 30
    assert len(told) > 30
    assert (said | told) - one_form_each(language).keys() == set()


@pytest.mark.skipif(not BROWSER.exists(), reason="the browser's sources are not part of this copy")
def test_no_word_in_the_file_is_without_use_and_none_has_a_second_home() -> None:
    pages, server = _browser_sources(), [path.read_text(encoding="utf-8") for path in HERE.parents[1].rglob("*.py")]
    words = one_form_each("en")
    # Pages of rooms leave out what all their words begin with.
    named = {name: (f'"{name}"', f'"{name.removeprefix("room_")}"') for name in words}
    used = [name for name in words if any(written in source for source in (*pages, *server) for written in named[name])]
    assert used == list(words)
    sentences = [text for text in words.values() if " " in text and len(text) > 20]
    assert [text for text in sentences if any(text in source for source in pages)] == [], "written into a page as well"


def _browser_sources() -> list[str]:
    """The pages' own code; what is made out of the file of words is not looked at."""
    return [path.read_text(encoding="utf-8") for path in BROWSER.rglob("*.ts") if path.parent.name != "generated"]


def test_a_regional_language_has_the_words_of_its_language() -> None:
    assert load_interface_words("pt-BR") == load_interface_words("pt")


@pytest.mark.parametrize(
    ("markdown", "forbidden"),
    [
        ("<script>alert(1)</script>", "<script"),
        ("<img src=x onerror=alert(1)>", "<img"),
        ("[click](javascript:alert(1))", "href"),
        ("![x](https://elsewhere.example/x.png)", "<img"),
        ("<b onclick='x'>bold</b>", "<b "),
        ("[x](data:text/html;base64,xxxx)", "href"),
    ],
)
def test_nothing_in_a_page_can_run(markdown: str, forbidden: str) -> None:
    assert forbidden not in convert_to_html(markdown)


def test_markdown_becomes_html() -> None:
    assert convert_to_html("# One\n\n*two* [three](https://example.org)") == (
        '<h1>One</h1>\n<p><em>two</em> <a href="https://example.org">three</a></p>\n'
    )


def test_only_known_placeholders_are_filled() -> None:
    assert fill_placeholders("{title} in {place} {", {"title": "A"}) == "A in {place} {"


def test_an_unknown_language_gets_english_to_translate() -> None:
    assert read_default_pages("fi", "tuna2008") == read_default_pages("en", "tuna2008")


def test_every_language_of_the_pages_is_named_where_one_is_asked_for() -> None:
    """In the help of commands, and to a language model that speaks in a room."""
    (option,) = (given for given in get_args(PageLanguage) if not isinstance(given, type))
    assert re.findall(r"\b[a-z]{2}\b(?=,| or|\.)", option.help.partition(":")[2]) == sorted(LANGUAGES)
    assert set(LANGUAGES) <= set(NAMES_FOR_MODELS)
