"""The glossary is the list of one word for each thing: it is sorted, and the words that it replaces occur nowhere in the packages."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "glossary.md"
FOLDERS: dict[str, list[Path]] = {}
for package in ("referee", "referee-lab"):
    source = ROOT / "packages" / package / "src" / package.replace("-", "_")
    for path in sorted(source.rglob("*.py")):
        FOLDERS.setdefault("/".join((package, *path.relative_to(source).parts[:-1][:1])), []).append(path)


def read_rows() -> list[tuple[str, str, str]]:
    """Return term, meaning and replaced words of every row of the glossary."""
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| ")]
    rows = [tuple(cell.strip() for cell in line.strip("|").split(" | ")) for line in lines[2:]]
    return [(term.strip("| "), meaning, replaced.strip("| ")) for term, meaning, replaced in rows]


def read_replaced() -> dict[str, str]:
    """Return the replaced words, each with the term that replaces it."""
    return {word.strip(): term for term, _, words in read_rows() for word in words.split(",") if word.strip()}


def iterate_texts(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield names (as words), docstrings and other strings of a module with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value, node.lineno
        for field in ("id", "name", "arg", "attr"):
            name = getattr(node, field, None)
            if isinstance(name, str):
                yield split_name(name), getattr(node, "lineno", 0)


def split_name(name: str) -> str:
    """Return the words of an identifier: ``_CallBook`` and ``call_book`` are ``call book``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").strip().lower()


def test_every_term_is_explained_once_and_in_order() -> None:
    terms = [term for term, _, _ in read_rows()]
    assert len(terms) > 60
    assert terms == sorted(set(terms), key=str.lower)
    assert all(meaning for _, meaning, _ in read_rows())


def test_no_replaced_word_is_a_term() -> None:
    terms = {name.strip() for term, _, _ in read_rows() for name in term.split(",")}
    assert terms & set(read_replaced()) == set()


@pytest.mark.parametrize("folder", FOLDERS)
def test_replaced_words_do_not_occur(folder: str) -> None:
    replaced = read_replaced()
    pattern = re.compile(rf"\b({'|'.join(map(re.escape, sorted(replaced, key=len, reverse=True)))})\b", re.IGNORECASE)
    matches = [
        f"{path.name}:{line}: {match[0]!r}: write {replaced[match[0].lower()]!r} (docs/glossary.md)"
        for path in FOLDERS[folder]
        for text, line in iterate_texts(ast.parse(path.read_text("utf-8")))
        for match in pattern.finditer(text)
    ]
    assert matches == []


def test_names_are_split_into_words() -> None:
    assert split_name("_CallBook") == split_name("call_book") == "call book"
