"""What the pages under docs/ and the README say about their own numbers and code, read for the tests and for `make docs-numbers`.

A number that somebody found stands between two comments that say where it comes from, on lines of their own or within one:

    <!-- numbers: COMMAND -->…<!-- /numbers -->   what COMMAND prints, rounded as on the page; before it may stand (data): needs corpora,
                                                  (slow): takes minutes, (timed): a time or size of the machine at hand, so not compared
    <!-- printed: SOURCE -->…<!-- /printed -->    what a paper prints, or somebody else's documentation
    <!-- chosen: WHAT -->…<!-- /chosen -->        a threshold, setting or worked example: nobody measured it

A block of code is run, in the order of the page, unless a comment on the line before it says otherwise:

    <!-- run: long -->         only by `make test-all`
    <!-- run: data -->         there too, and only where the corpora are
    <!-- run: endpoint -->     with a scripted endpoint of this machine in place of https://HOST/v1; `endpoint data` likewise where the corpora are
    <!-- run: file NAME -->    written to that file, so that later blocks find it
    <!-- run: not, WHY -->     never
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
MARK = re.compile(r"<!-- (numbers|printed|chosen): (.+?) -->(.*?)<!-- /\1 -->", re.DOTALL)
FLAGS = re.compile(r"^((?:\((?:data|slow|timed)\) )*)(.*)$", re.DOTALL)
FENCE = re.compile(
    r"(?:^[ ]*<!-- run: (?P<how>.+?) -->\n+)?^(?P<indent>[ ]*)```(?P<language>\w*)\n(?P<body>.*?)^(?P=indent)```[ ]*$",
    re.DOTALL | re.MULTILINE,
)
FOUND = re.compile(r"(?<![\w.,§/-])[-+−]?(?:\d+(?:\.\d+)?\s?%|\d*\.\d+(?![\w.]*\d|\w))|\bp\s?[=<>]")
NEVER_FOUND = re.compile(r"\b95\s?%|\bPython 3\.\d+(?:(?: to |, | and )3\.\d+)*|\b\d{4}\.\d{4,5}\b")


@dataclass(frozen=True)
class Claim:
    """A command with what a page says that it prints: line by line (`exact`), or number by number."""

    page: str
    command: str
    said: str
    exact: bool = False
    slow: bool = False
    data: bool = False
    timed: bool = False


@dataclass(frozen=True)
class Block:
    """A block of code of a page: its language, its lines, and how it is to be run (empty: as it stands)."""

    page: str
    line: int
    language: str
    code: str
    how: str = ""


def claims(name: str, text: str) -> Iterator[Claim]:
    """What a page claims of commands, marked regions first."""
    for kind, about, said in MARK.findall(text):
        if kind == "numbers":
            yield _claim(name, about, MARK.sub("", said))
    for block in blocks(name, text):
        if block.code.startswith("$ "):
            command, _, said = block.code[2:].partition("\n")
            flags = "".join(f"({flag}) " for flag in ("data", "slow", "timed") if flag in block.how.split())
            yield _claim(name, flags + command, said, exact=True)


def _claim(name: str, about: str, said: str, exact: bool = False) -> Claim:
    found = FLAGS.match(about)
    assert found
    flags, command = found.groups()
    return Claim(name, command, said, exact, slow="slow" in flags, data="data" in flags, timed="timed" in flags)


def blocks(name: str, text: str) -> Iterator[Block]:
    """The blocks of code of a page, without their indentation."""
    for found in FENCE.finditer(text):
        indent = found["indent"]
        code = "".join(line.removeprefix(indent) for line in found["body"].splitlines(keepends=True))
        yield Block(name, text.count("\n", 0, found.start("indent")) + 1, found["language"], code, found["how"] or "")


def bare_numbers(text: str) -> list[tuple[int, str]]:
    """Numbers that look like results (decimals, per cents, p) in prose and tables outside every mark, with their lines."""
    left = _blank(re.compile(r"`[^`\n]+`|\]\([^)\s]*\)|<!--.*?-->", re.DOTALL), _blank(MARK, _blank(FENCE, text)))
    left = _blank(NEVER_FOUND, left)
    return [(n, found) for n, line in enumerate(left.splitlines(), 1) for found in FOUND.findall(line)]


def _blank(pattern: re.Pattern[str], text: str) -> str:
    """The text without what fits, lines kept."""
    return pattern.sub(lambda found: "\n" * found[0].count("\n"), text)
