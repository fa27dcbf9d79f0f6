"""Run folders appear whole or not at all, and never at somebody else's cost."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.corpora.reading.lines import open_binary
from referee.errors import CannotWrite, InputError, MalformedInput
from referee.jobs.folder import Run, write_manifest, writing_run


def make(target: Path, word: str, overwrite: bool = False) -> None:
    with writing_run(target, overwrite) as folder:
        write_manifest(folder, word=word)


def test_of_two_at_once_the_first_stays_and_the_second_is_told(tmp_path: Path) -> None:
    target = tmp_path / "run"
    slow = writing_run(target)
    write_manifest(slow.__enter__(), word="second")
    make(target, "first")
    with pytest.raises(CannotWrite, match="cannot be written"):
        slow.__exit__(None, None, None)
    assert Run(target).manifest["word"] == "first"
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_overwriting_replaces_and_leaves_nothing_beside(tmp_path: Path) -> None:
    make(tmp_path / "run", "old")
    make(tmp_path / "run", "new", overwrite=True)
    assert Run(tmp_path / "run").manifest["word"] == "new"
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_what_fails_on_the_way_leaves_the_old_folder(tmp_path: Path) -> None:
    make(tmp_path / "run", "old")
    with pytest.raises(KeyboardInterrupt), writing_run(tmp_path / "run", overwrite=True):
        raise KeyboardInterrupt
    assert Run(tmp_path / "run").manifest["word"] == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


def test_damaged_and_newer_manifests_are_told_apart(tmp_path: Path) -> None:
    make(tmp_path / "run", "old")
    manifest = tmp_path / "run" / "manifest.json"
    manifest.write_text('{"format": 99, "version": "9.9"}', "utf-8")
    with pytest.raises(InputError, match=r"newer version \(9.9\)"):
        _ = Run(tmp_path / "run").manifest
    manifest.write_text('{"format": ', "utf-8")
    with pytest.raises(MalformedInput, match="damaged"):
        _ = Run(tmp_path / "run").manifest


def test_a_file_that_may_not_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match="no permission to read"):
        open_binary(tmp_path / "closed.jsonl")
