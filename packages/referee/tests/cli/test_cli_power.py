"""`referee power` from the command line."""

from __future__ import annotations

import json

import pytest

from referee.cli import main

PLAN = ["power", "--systems", "3", "--items", "9", "--participants", "6", "--effect", "0.2", "--simulations", "60"]


def test_a_plan_gives_a_table_with_intervals(capsys: pytest.CaptureFixture[str]) -> None:
    # nine items make three squares, which two groups cannot share
    assert main([*PLAN[:4], "12", *PLAN[5:]]) == 0
    out = capsys.readouterr().out
    assert "one planned pair" in out
    assert "36 trials, 6 per participant; 60 simulations" in out


def test_json_says_what_was_assumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*PLAN[:4], "12", *PLAN[5:], "--measure", "time", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["study"]["participant_sd"] == 0.2
    assert [row["analysis"] for row in found["rows"]] == ["all systems", "one planned pair", "the pair among all"]
    assert all(0 <= row["low"] <= row["power"] <= row["high"] <= 1 for row in found["rows"])


def test_numbers_that_do_not_fit_end_with_two_and_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(PLAN) == 2
    assert "12 items" in capsys.readouterr().err
    assert main([*PLAN[:4], "12", *PLAN[5:], "--format", "csv"]) == 2
    assert main(["power", "--systems", "3"]) == 2
