"""Every result on a page stands beside the command that makes it: the marks are there, name programs that exist, and are read as CONTRIBUTING says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docs_numbers import Commands, missing_program, wrong_in, wrong_lines, wrong_numbers
from page_marks import FENCE, MARK, PAGES, ROOT, Claim, bare_numbers, blocks, claims

REMEDY = "put it between <!-- numbers: COMMAND --> and <!-- /numbers -->, or say <!-- printed: SOURCE --> or <!-- chosen: WHAT --> (CONTRIBUTING.md)"


TEXTS = {page.name: page.read_text("utf-8") for page in PAGES}


class TestEveryPage:
    def test_no_result_stands_without_its_command(self) -> None:
        bare = [f"{page}:{line}: {number}" for page, text in TEXTS.items() for line, number in bare_numbers(text)]
        assert bare == [], REMEDY

    @pytest.mark.parametrize("kind", ["numbers", "printed", "chosen"])
    def test_marks_are_closed(self, kind: str) -> None:
        for page, text in TEXTS.items():
            whole = sum(found[1] == kind for found in MARK.finditer(text)) + sum(
                inner[1] == kind for found in MARK.finditer(text) for inner in MARK.finditer(found[3])
            )
            assert text.count(f"<!-- {kind}: ") == text.count(f"<!-- /{kind} -->") == whole, page

    def test_marks_within_a_line_do_not_begin_it(self) -> None:
        """Markdown takes the rest of a line that begins with a comment for HTML, and leaves its stars and links as they are."""
        pattern = re.compile(r"^<!-- (?:numbers|printed|chosen): .+? -->\S.*", re.MULTILINE)
        assert [(page, found) for page, text in TEXTS.items() for found in pattern.findall(text)] == []

    def test_programs_that_make_numbers_exist(self) -> None:
        found = [claim for page, text in TEXTS.items() for claim in claims(page, text)]
        assert [(claim.page, p) for claim in found for p in missing_program(claim.command)] == []

    def test_a_block_of_output_begins_with_its_command(self) -> None:
        """Decimals in a block without a language, outside the commands themselves, are what some command printed."""
        outputs = [b for page, text in TEXTS.items() for b in blocks(page, text) if b.language == ""]
        bare = [
            b for b in outputs if not b.code.startswith("$ ") and not b.how.startswith("not") and not _commands(b.code)
        ]
        assert [f"{b.page}:{b.line}" for b in bare] == [], "begin it with $ COMMAND, or call it ```text"


def _commands(code: str) -> bool:
    """Whether a block starts with something that a shell runs."""
    return code.split(maxsplit=1)[0] in {
        "referee",
        "python",
        "pip",
        "make",
        "export",
        "createdb",
        "cd",
        "pytest",
        "uv",
        "head",
        "ls",
    }


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dice is .73 here", [".73"]),
        ("in 22 % of them, p < .01", ["22 %", "p <", ".01"]),
        ("rises by +0.5 points", ["+0.5"]),
        ("a 95 % interval, Python 3.11 to 3.14, arXiv 2406.01234, version 1.5.5", []),
        ("`--effect 0.05` and [there](a.md#v1.2)", []),
        ("```\nreferee power --effect 0.05\n```", []),
        ("<!-- chosen: the limit -->\n.05\n<!-- /chosen --> and <!-- numbers: x -->.7<!-- /numbers -->", []),
    ],
)
def test_what_looks_like_a_result(text: str, found: list[str]) -> None:
    assert [number for _, number in bare_numbers(text)] == found


def test_a_mark_within_a_mark_is_not_the_commands() -> None:
    text = "<!-- numbers: (slow) (data) referee x -->\nours .5, print <!-- printed: Table 1 -->.7<!-- /printed -->\n<!-- /numbers -->"
    (claim,) = claims("page.md", text)
    assert (claim.command, claim.slow, claim.data, claim.timed) == ("referee x", True, True, False)
    assert wrong_numbers(claim.said, "0.4962") == []
    assert wrong_numbers(claim.said, "0.44") == [".5"]


def test_numbers_are_held_against_what_rounds_to_them() -> None:
    """By hand: .0345 is 3.5 per cent and .03; 1,234.5 is one number; a sign on the page has to be there."""
    assert wrong_numbers("3.5 % or .03", "0.0345") == []
    assert wrong_numbers("1,234.5", "1234.46") == []
    assert wrong_numbers("+.5", "-0.5") == ["+.5"]
    assert wrong_numbers(".5", "-0.5") == []


def test_an_interval_is_held_against_its_own_bounds() -> None:
    """All six numbers are printed, but .2 to .4 is the interval of .3."""
    printed = "0.30 [0.20, 0.40]\n0.50 [0.35, 0.65]"
    assert wrong_numbers(".3 [.20, .40] and .5\\* [.35, .65]", printed) == []
    assert wrong_numbers(".5 [.20, .65]", printed) == [".5 [.20, .65]"]


def test_years_are_not_held_against_anything() -> None:
    assert wrong_numbers("Degen 2020 has 7", "6") == ["7"]


def test_lines_are_held_against_lines_in_order() -> None:
    assert wrong_lines("a  1\n…\nc 3", "a 1\nb 2\nc   3\n") == []
    assert wrong_lines("c 3\na 1", "a 1\nb 2\nc 3\n") == ["a 1"]


def test_commands_are_run_once_and_kept(tmp_path: Path) -> None:
    command = f"echo 0.25; echo run >> {tmp_path}/runs"
    claim = Claim("page.md", command, ".25 and .4")
    for _ in range(2):
        assert wrong_in(claim, Commands(tmp_path / "kept")) == [".4"]
    assert (tmp_path / "runs").read_text() == "run\n"


def test_a_command_that_fails_is_wrong() -> None:
    assert wrong_in(Claim("page.md", "exit 3", ""), Commands()) == ["exit code 3: "]


def test_the_pages_stay_short() -> None:
    """At most 40,000 words by hand: what commands print, code and marks are not counted."""
    pages = [page.read_text("utf-8") for page in PAGES if page.parent == ROOT / "docs"]
    prose = " ".join(re.sub(r"<!--.*?-->", "", FENCE.sub("", page), flags=re.DOTALL) for page in pages)
    assert sum(any(c.isalpha() for c in word) for word in prose.split()) < 40_000


def test_the_changelog_is_short_and_begins_with_scores() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    assert re.findall(r"^### (.+)$", text, re.MULTILINE)[0] == "Scores that change"
    assert len(text.splitlines()) < 80


def test_every_page_stands_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:\n")[2]
    missing = [page.name for page in PAGES if page.parent == ROOT / "docs" and not re.search(rf"\b{page.name}\b", nav)]
    assert missing == [], "name it in mkdocs.yml, under one of its headings"
