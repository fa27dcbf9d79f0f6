"""Simulated participants in a real Chromium, on the pages that people see."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_in_browser import SHORT, chromium
from study_server import change

from referee.errors import InputError
from referee_lab.bots.chromium import play_in_chromium
from referee_lab.server.web import built_pages
from referee_lab.study.data.collection import collect_from
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study


@pytest.mark.parametrize("bots", [1, pytest.param(2, marks=pytest.mark.long)])
def test_bots_in_chromium_leave_every_answer_and_are_marked_as_such(tmp_path: Path, bots: int) -> None:
    with chromium():
        pass  # skips, saying why, where there is no browser or no bundle
    study = make_demo(tmp_path / "study", items=2, participants=3, practice=0, checks=0)
    change(study.folder, **SHORT)
    lines = play_in_chromium(study.folder, bots)
    assert lines == ["in Chromium: 2 answers, coded, nothing lost"] * bots
    collected = collect_from(open_study(study.folder))
    assert [s.simulated for s in collected.sittings] == ["browser"] * bots
    assert all(a.times["identification_ms"] > 0 for a in collected.trials)
    assert all("untrusted" in a.flags for a in collected.trials)  # no hand moved a mouse


def test_without_pages_it_says_how_to_build_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(built_pages, "STATIC", tmp_path / "nowhere")
    study = make_demo(tmp_path / "study", items=2, participants=3)
    with pytest.raises(InputError, match="make bundle"):
        play_in_chromium(study.folder, 1)
