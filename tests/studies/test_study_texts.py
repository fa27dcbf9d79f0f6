"""Pages are complete in every language, and nothing in them can run."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from referee import catalogue
from referee.studies.texts import HERE, LANGUAGES, PAGES, default_pages, fill, interface_words, to_html

BROWSER = Path(__file__).parents[2] / "browser" / "src" / "strings.ts"
PLACEHOLDER = re.compile(r"\{(\w+)\}")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("protocol", catalogue.names("protocol"))
def test_every_protocol_has_instructions_of_its_own_in_every_language(protocol: str, language: str) -> None:
    pages = default_pages(language, protocol)
    assert set(pages) == set(PAGES)
    assert (HERE / language / f"instructions-{protocol}.md").exists()
    assert all(text.startswith("# ") for text in pages.values())


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_translations_have_the_same_words_and_placeholders(language: str) -> None:
    english, other = interface_words("en"), interface_words(language)
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
def test_every_word_that_the_browser_knows_is_translated() -> None:
    known = set(re.findall(r'^\s+"?([\w-]+)"?: "', BROWSER.read_text(encoding="utf-8"), re.MULTILINE))
    assert len(known) > 30
    assert known - set(interface_words("en")) == set()


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
    assert forbidden not in to_html(markdown)


def test_markdown_becomes_html() -> None:
    assert to_html("# One\n\n*two* [three](https://example.org)") == (
        '<h1>One</h1>\n<p><em>two</em> <a href="https://example.org">three</a></p>\n'
    )


def test_only_known_placeholders_are_filled() -> None:
    assert fill("{title} in {place} {", {"title": "A"}) == "A in {place} {"


def test_an_unknown_language_gets_english_to_translate() -> None:
    assert default_pages("fi", "tuna2008") == default_pages("en", "tuna2008")
