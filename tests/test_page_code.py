"""The code on the pages runs: every block of README, CONTRIBUTING and docs/, in the order of its page, in a folder that has examples/ and nothing else.

Blocks without a language (and `sh`) are commands, `python` is Python with one namespace a page, `json` and `toml` can at least be read, and
``<!-- run: file NAME -->`` before a block puts it into a file. What else a mark says is in `page_marks`; blocks that begin with ``$`` belong to `docs_numbers`.
"""

from __future__ import annotations

import ast
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Collection
from itertools import chain
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import pytest

from page_marks import PAGES, ROOT, Block, blocks
from referee.cli import main
from scripted_endpoint import Said, answered, scripted

COMMANDS = ("", "sh", "bash")
RUN = {
    page.name: [b for b in blocks(page.name, page.read_text("utf-8")) if not b.code.startswith("$ ")] for page in PAGES
}
WITH_CODE = [name for name, found in RUN.items() if any(b.language in (*COMMANDS, "python") for b in found)]
HOW = ("", "long", "data", "endpoint", "file", "not,")
SHELL = ("|", "&&", ";", "<", ">")


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


@pytest.mark.parametrize("page", WITH_CODE)
def test_code_runs_in_the_order_of_the_page(page: str, scratch: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    # `study check` opens its layouts in the long test alone; tests of the command do it as well.
    monkeypatch.setattr("referee_lab.study.design.browser_look.explain_missing_browser", lambda: "not in this test")
    play(page, {"", "endpoint"})


@pytest.mark.long
@pytest.mark.parametrize("page", WITH_CODE)
def test_code_that_takes_long_or_needs_corpora_runs_as_well(page: str, scratch: Path) -> None:
    with_data = {"data", "endpoint data"} if os.environ.get("REFEREE_DATA") else set()
    play(page, {"", "long", "endpoint", *with_data})


def test_blocks_are_marked_in_words_that_are_known() -> None:
    for block in chain.from_iterable(RUN.values()):
        assert block.how == "" or block.how.split()[0] in HOW, f"{block.page}:{block.line}: {block.how}"


def test_data_on_pages_can_be_read() -> None:
    for block in chain.from_iterable(RUN.values()):
        if block.language == "json":
            read_json(block.code)
        elif block.language == "toml":
            tomllib.loads(block.code)


def test_names_that_pages_import_exist() -> None:
    """Also in blocks that only the long test runs."""
    for block in chain.from_iterable(RUN.values()):
        for node in ast.walk(ast.parse(block.code)) if block.language == "python" else ():
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("referee"):
                for alias in node.names:
                    assert resolve_name(f"{node.module}.{alias.name}"), f"{block.page}:{block.line}: {alias.name}"


def read_json(code: str) -> None:
    try:
        json.loads(code)
    except json.JSONDecodeError:
        for line in code.splitlines():
            json.loads(line)


def play(page: str, wanted: Collection[str]) -> None:
    """Run the blocks of a page that are wanted; files are always written."""
    names: dict[str, Any] = {"__name__": page}
    with scripted(say) as server:
        for block in RUN[page]:
            how, _, rest = block.how.partition(" ")
            if how == "file":
                Path(rest).write_text(block.code, encoding="utf-8")
            elif (block.how if how == "endpoint" else how) not in wanted:
                continue
            elif block.language == "python":
                exec(compile(block.code, f"{page}:{block.line}", "exec"), names)
            elif block.language in COMMANDS:
                code = block.code.replace("https://HOST/v1", server.url) if how == "endpoint" else block.code
                for line in code.replace("\\\n", " ").splitlines():
                    run_line(line, block)


def say(question: str, time: int) -> Said:
    """What the endpoint of a page says: a number to who asks for one, and otherwise a description."""
    wants_number = any(words in question for words in ("number of the object", "whole number", "Which"))
    return answered("1" if wants_number else "the red chair")


def run_line(line: str, block: Block) -> None:
    """One line of a block: `referee` in this process, anything else in a shell."""
    command, _, comment = line.partition(" #")
    if not command.strip():
        return
    words = shlex.split(command)
    # A bar within quotation marks belongs to a name such as "noisy|noise:0.1".
    plain = words[0] == "referee" and not any(word in SHELL for word in words) and "$" not in command
    code = run_here(words[1:]) if plain else run_in_shell(command)
    assert code == 0 or (code == 1 and "exit code 1" in comment), f"{block.page}:{block.line}: {line} ended with {code}"


def run_here(words: list[str]) -> int:
    try:
        return main(words)
    except SystemExit as left:
        return int(left.code or 0)


def run_in_shell(command: str) -> int:
    here = str(Path(sys.executable).parent)
    path = os.pathsep.join([str(ROOT / "src"), *filter(None, [os.environ.get("PYTHONPATH")])])
    env = {**os.environ, "PATH": f"{here}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": path}
    return subprocess.run(["bash", "-eu", "-c", command], env=env, check=False).returncode
