"""The first page of `referee court`: the verdict and one table on one screen, in three words."""

from __future__ import annotations

import json

import pytest

from referee.cli import main
from referee.courtroom.verdicts import MEANING, VERDICTS


def test_one_printed_table_fits_one_screen(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["court", "--published", "belz-gatt-2008"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert lines[2] == "No measure is shown to predict a hearer measure."
    assert any(line.split() == ["Dice", "+.12", "-.28", "-.39", "-.32", "+.30"] for line in lines)


def test_every_finding_is_one_of_three_verdicts_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert set(VERDICTS) == set(MEANING)
    assert {verdict for verdict, _ in VERDICTS.values()} == {"predicts", "not shown", "cannot be tested"}
    assert main(["court", "--published", "refoi-2025", "--format", "json"]) == 0
    cases = json.loads(capsys.readouterr().out)["cases"]
    assert all(case["verdict"] == VERDICTS[case["finding"]][0] and case["verdict_reason"] for case in cases)
