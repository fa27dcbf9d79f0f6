"""Help pages fit 80 columns, begin with examples, and name only pages of the documentation that a wheel carries."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import referee
from referee.cli import COMMANDS, main
from referee.cli.docs import PAGES
from referee.cli.help_page import fit_page, format_examples, wrap_words

SOURCES = Path(referee.__file__).parents[3]
GROUPS = {"corpus": ["card", "export", "splits", "add", "synthetic", "solids", "schema"]}
JUDGE = [name for name, (module, _) in COMMANDS.items() if module]
COMMAND_LINES = [[], *([name] for name in JUDGE), *([group, name] for group, names in GROUPS.items() for name in names)]


@pytest.mark.parametrize("command", COMMAND_LINES, ids=" ".join)
def test_no_help_page_is_wider_than_the_terminal(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main([*command, "--help"]) == 0
    page = capsys.readouterr().out
    assert [line for line in page.splitlines() if len(line) > 80] == []
    if "\nExamples:\n" in page and "\nOptions:\n" in page:
        assert page.index("\nExamples:\n") < page.index("\nOptions:\n")


def test_the_first_commands_are_those_that_people_need_first() -> None:
    first = ["score", "run", "listen", "report", "view"]
    assert [name for name in COMMANDS if name in first] == first
    assert max(list(COMMANDS).index(name) for name in first) < 8


def test_a_long_example_is_one_command_to_a_shell() -> None:
    command = 'referee run --corpus synthetic --systems "mine=llm|model:NAME|endpoint:http://localhost/v1" --out RUN'
    lines = format_examples([f"  {command}     ask a model"], 60)
    assert lines[0] == "  # ask a model"
    assert max(map(len, lines[:2])) <= 60
    assert shlex.split("\n".join(lines[1:]).replace("\\\n", "")) == shlex.split(command)


def test_a_note_stays_beside_a_short_example() -> None:
    assert format_examples(["  referee score --demo     two toy speakers"], 60) == [
        "  referee score --demo  # two toy speakers"
    ]


def test_text_is_broken_between_words() -> None:
    assert wrap_words("aa bb cc", 6, "  ", "    ") == ["  aa", "    bb", "    cc"]
    assert fit_page("one two three\nfour", 8) == "one two\nthree\nfour"


def test_pages_that_messages_name_exist() -> None:
    pages = {path.stem for path in PAGES.glob("*.md")}
    assert "score" in pages
    text = {path: path.read_text("utf-8") for path in SOURCES.glob("*/src/**/*.py")}
    assert [
        (p.name, name)
        for p, t in text.items()
        for name in re.findall(r"`referee docs ([a-z0-9-]+)", t)
        if name not in pages
    ] == []
    assert [p.name for p, t in text.items() if re.search(r"\bdocs/[a-z0-9-]+\.md", t)] == [], "a wheel has no such path"


def test_docs_prints_pages_and_lists_them(capsys: pytest.CaptureFixture[str]) -> None:
    title = (PAGES / "score.md").read_text("utf-8").partition("\n")[0]
    assert main(["docs", "score"]) == 0
    assert capsys.readouterr().out.startswith(f"{title}\n")
    assert main(["docs"]) == 0
    assert re.search(rf"^  score +{title.removeprefix('# ')}$", capsys.readouterr().out, re.MULTILINE)
    assert main(["docs", "scor"]) == 2
    assert "did you mean score" in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["metrics", "corpora", "systems", "hearers", "protocols"])
def test_lists_of_names_fit_the_terminal_and_lose_nothing(
    kind: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list", kind]) == 0
    narrow = capsys.readouterr().out
    assert [line for line in narrow.splitlines() if len(line) > 80] == []
    monkeypatch.delenv("COLUMNS")
    assert main(["list", kind, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    words = narrow.split()
    assert {row["name"] for row in rows} <= set(words)
    assert {word for row in rows for word in row["about"].split()} <= set(words)


@pytest.mark.parametrize("args", [["--format", "yaml"], ["--fromat", "json"], ["metric", "--format"]])
def test_list_refuses_options_that_it_does_not_have(args: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", *args]) == 2
    assert "referee" in capsys.readouterr().err
