"""Options that several commands have stand in one place, and a help page is put together from it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import referee.cli
from referee.cli import options, run_group
from referee.errors import InputError, UnknownName

FOLDER = Path(referee.cli.__file__).parent


def test_no_option_is_declared_in_two_commands() -> None:
    declared: dict[str, set[str]] = defaultdict(set)
    for path in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            # what is filled in from a command's own tables cannot be declared elsewhere
            own = any(isinstance(part, ast.JoinedStr) for part in ast.walk(node))
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Annotated" and not own:
                declared[ast.unparse(node)].add(path.relative_to(FOLDER).as_posix())
    assert {what: where for what, where in declared.items() if len(where) > 1} == {}


def test_examples_stand_under_their_heading() -> None:
    assert options.examples("\n  referee score\n") == "Examples:\n  referee score"


def test_a_form_is_text_or_json() -> None:
    options.check_form("json")
    with pytest.raises(InputError, match="--format cannot be 'yaml'") as refused:
        options.check_form("yaml")
    assert refused.value.remedy == "--format is one of text, json"


def test_a_group_lists_its_commands(capsys: pytest.CaptureFixture[str]) -> None:
    commands = {"one": ("nowhere", "the first"), "three": ("nowhere", "the other")}
    assert run_group([], commands, "Some:\n{commands}", "referee some") == 0
    assert capsys.readouterr().out == "Some:\n  one    the first\n  three  the other\n"
    with pytest.raises(UnknownName):
        run_group(["two"], commands, "", "referee some")


def test_no_help_loses_a_word_in_square_brackets_which_are_markup_there() -> None:
    import ast
    import re
    from pathlib import Path

    import referee.cli

    lost = []
    for path in Path(referee.cli.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                lost += [f"{path.name}: {m}" for m in re.findall(r"\[[a-z][a-z.]*\]", ast.get_docstring(node) or "")]
    assert lost == []
