"""Completion: the shell is offered every command and option, by typer's own scripts."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from referee.cli import COMMANDS, main


def complete(line: str) -> list[str]:
    """Return what the script of bash receives for the last word of a line."""
    words = line.split(" ")
    asked = {"_REFEREE_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = subprocess.run(
        [sys.executable, "-m", "referee"], env={**os.environ, **asked}, capture_output=True, text=True, check=False
    )
    return done.stdout.split()


def test_commands_subcommands_and_options_are_completed() -> None:
    assert set(complete("referee ")) == set(COMMANDS)
    assert complete("referee sco") == ["score"]
    assert "serve" in complete("referee study ")
    assert complete("referee study exp") == ["export"]
    assert complete("referee score --base") == ["--baseline"]
    assert "--participants" in complete("referee study new RUN --p")
    assert "card" in complete("referee corpus ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--show-completion", shell]) == 0
    assert "_REFEREE_COMPLETE" in capsys.readouterr().out


def test_it_is_installed_for_the_shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert main(["--install-completion", "bash"]) == 0
    path = Path(capsys.readouterr().out.splitlines()[0])
    assert path.is_relative_to(tmp_path)
    assert "_REFEREE_COMPLETE" in path.read_text("utf-8")


def test_an_unknown_shell_is_named(capsys) -> None:
    assert main(["--show-completion", "tcsh"]) == 2
    assert "'tcsh'" in capsys.readouterr().err
