"""`referee list` without the laboratory."""

from __future__ import annotations

import pytest

from referee.cli import main, names


def test_without_the_laboratory_the_list_of_protocols_names_its_package(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(names, "entries", lambda kind: {})
    assert main(["list", "protocols"]) == 0
    assert "pip install 'referee[lab]'" in capsys.readouterr().out
