"""The study of the three concerns runs without data, and its rows mean what it says."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from referee.records import Description, Entity, Property, Scene, Trial

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "three_concerns"
RED, BLUE, BIG, SMALL = (
    Property("colour", "red"),
    Property("colour", "blue"),
    Property("size", "big"),
    Property("size", "small"),
)


@pytest.fixture
def study(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    monkeypatch.syspath_prepend(str(FOLDER))
    monkeypatch.delitem(sys.modules, "answered", raising=False)
    return runpy.run_path(str(FOLDER / "run.py"))


def test_versions_differ_from_the_reference_by_one_property(study: dict[str, Any]) -> None:
    scene = Scene(entities=(Entity(id="a", attributes=(RED, BIG)), Entity(id="b", attributes=(BLUE, SMALL))))
    both = Trial(id="t", scene=scene, targets=("a",), references=(Description(properties=(RED, BIG)),))
    one = Trial(id="t", scene=scene, targets=("a",), references=(Description(properties=(RED,)),))
    assert set(study["versions_of"](both)) == {
        ("omitted", (BIG,)),
        ("omitted", (RED,)),
        ("exchanged", (BLUE, BIG)),
        ("exchanged", (RED, SMALL)),
    }
    assert set(study["versions_of"](one)) == {("exchanged", (BLUE,)), ("added", (RED, BIG))}


def test_the_study_runs_on_synthetic_scenes(
    study: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    monkeypatch.setattr(sys, "argv", ["run.py", "--trials", "15", "--resamples", "5"])
    study["main"]()
    out = capsys.readouterr().out
    table = [[cell.strip() for cell in line.split("|")[1:-1]] for line in out.splitlines()]
    means = {
        row[0]: [float(x) for x in row[2:10]]
        for row in table
        if row[:1] and row[0] in ("omitted", "added", "exchanged")
    }
    assert means["added"][0] > means["omitted"][0], (
        "Dice punishes omission more than addition (van Deemter & Gatt 2007)"
    )
    assert means["exchanged"][-2] == 0, "the literal hearer never finds what a false description describes"
    assert "REFEREE_DATA is not set" in out


def test_a_timed_hearer_takes_as_long_as_people_whose_times_grow_with_length(study: dict[str, Any]) -> None:
    scene = Scene(entities=(Entity(id="a", attributes=(RED, BIG)), Entity(id="b", attributes=(BLUE, SMALL))))
    rows = [
        study["Answered"](
            description=Description(properties=said),
            trial=Trial(id=f"{game}{i}", scene=scene, targets=("a",)),
            right=1.0,
            milliseconds=1000.0 * len(said),
            game=game,
            group="",
        )
        for game in ("g", "h")
        for i, said in enumerate([(RED,), (BIG,), (RED, BIG)])
    ]
    hearer = study["timed"]("literal", rows)
    view = rows[0].trial.for_hearer(Random(1))
    short, long = (hearer.resolve(Description(properties=said), view) for said in ((RED,), (RED, BIG)))
    assert study["_total"](short) == pytest.approx(1000, rel=1e-6)
    assert study["_total"](long) == pytest.approx(2000, rel=1e-6)
    assert study["_total"](study["timed"]("literal", []).resolve(Description(properties=(RED,)), view)) is None


@pytest.mark.data
def test_coded_rounds_are_all_correct_and_held_against_other_games(
    study: dict[str, Any], data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REFEREE_DATA", str(data_folder))
    rows = study["in_like_conditions"](study["degen"](coded=True))
    assert len(rows) > 5000
    assert all(r.right for r in rows), "the authors coded correct clicks only (card of degen2020)"
    assert all(d.speaker != r.game for r in rows for d in r.trial.references)
