"""Completion: every command and option is in the script, and bash completes with it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from referee.cli import COMMANDS, main
from referee.cli.completion import script_for


def complete(line: str) -> list[str]:
    """What bash offers for the last word of a line."""
    words = line.split(" ")
    quoted = " ".join(f"'{w}'" for w in words)
    ask = (
        f'{script_for("bash")}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _referee; echo "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(["bash", "-c", ask], capture_output=True, text=True, check=True)
    assert not done.stderr
    return done.stdout.split()


def test_bash_completes_commands_subcommands_and_options() -> None:
    assert set(complete("referee ")) == set(COMMANDS)
    assert complete("referee sco") == ["score"]
    assert "serve" in complete("referee study ")
    assert complete("referee study exp") == ["export"]
    assert complete("referee score --base") == ["--baseline"]
    assert "--participants" in complete("referee study new RUN --p")
    assert "card" in complete("referee corpus ")


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_take_their_script(shell: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(script_for(shell), "utf-8")
    assert "tangram" in script.read_text("utf-8")
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed, so the script was not read by it")
    subprocess.run([shell, "-n", script], check=True)


def test_it_is_installed_where_the_shell_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["--install-completion", "bash"]) == 0
    place = tmp_path / "bash-completion" / "completions" / "referee"
    assert str(place) in capsys.readouterr().out
    assert place.read_text("utf-8") == script_for("bash")


def test_an_unknown_shell_is_named(capsys) -> None:
    assert main(["--show-completion", "tcsh"]) == 2
    assert "'tcsh'" in capsys.readouterr().err
