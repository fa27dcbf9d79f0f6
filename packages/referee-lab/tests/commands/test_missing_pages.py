"""Commands that serve pages refuse to start where the pages have not been built, and make nothing before."""

from __future__ import annotations

from pathlib import Path

import pytest

from referee.cli import main
from referee_lab.server.web import built_pages


@pytest.mark.parametrize(
    "command",
    [
        "study serve made",
        "tangram serve --data made",
        "tangram choose --corpus synthetic --data made",
        "tangram annotate recordings --annotator me",
        "tangram adjudicate recordings",
    ],
)
def test_a_server_without_pages_does_not_start(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(built_pages, "STATIC", tmp_path / "static")
    assert main(command.split()) == 2
    output = capsys.readouterr()
    assert "make bundle" in output.err
    assert "http://" not in output.out
    assert not (tmp_path / "made").exists()


def test_a_page_counts_as_built_with_all_of_its_files(tmp_path: Path) -> None:
    for kind in ("html", "js", "css"):
        assert built_pages.find_missing_pages("replay", static=tmp_path) == ["replay"]
        (tmp_path / f"replay.{kind}").touch()
    assert built_pages.find_missing_pages("replay", "organiser", static=tmp_path) == ["organiser"]
