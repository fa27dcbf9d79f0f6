"""The datasheet says what folder and data know, and asks the authors for the rest."""

from __future__ import annotations

from pathlib import Path

import pytest
from study_server import change

from referee_lab.bots.simulation import simulate
from referee_lab.study.data.collection import collect_from
from referee_lab.study.data.datasheet import OPEN, write_datasheet
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import open_study


def test_before_the_first_participant_it_describes_the_plan(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", items=6, participants=6)
    text = write_datasheet(study, None)
    assert study.hash in text
    assert study.consent_hash in text
    assert "3: human, toy-chatty, toy-minimal" in text
    assert "Took part" not in text
    assert f"Approved by: {OPEN}" in text


def test_afterwards_it_says_who_took_part_and_that_bots_are_no_people(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", items=6, participants=3)
    simulate(study.folder, participants=3)
    text = write_datasheet(study, collect_from(study))
    assert "Took part: 3 (mode debug), 3 to the end; 3 of the sessions were SIMULATED" in text
    assert "median frame interval 16.7 ms over 3 sessions" in text


def test_what_is_filled_in_is_no_longer_asked(tmp_path: Path) -> None:
    make_demo(tmp_path / "study", items=6, participants=6)
    asked = write_datasheet(open_study(tmp_path / "study"), None).count(OPEN)
    change(tmp_path / "study", hypothesis='"toy-chatty is slower to read"')
    text = write_datasheet(open_study(tmp_path / "study"), None)
    assert "Hypothesis: toy-chatty is slower to read" in text
    assert text.count(OPEN) == asked - 1


@pytest.mark.parametrize("protocol", ["judgement", "judgement-pairwise", "production", "open-choice"])
def test_every_protocol_has_its_criteria(tmp_path: Path, protocol: str) -> None:
    study = make_demo(tmp_path / "study", protocol, items=3, participants=3)
    criteria = write_datasheet(study, None).partition("## 6. ")[2].partition("## 7. ")[0]
    expected = {
        "judgement": "How clear is it which object is meant?",
        "judgement-pairwise": "relative",
        "production": "collected, not judged",
        "open-choice": "a click on an object, or several, or none, or dont-know",
    }
    assert expected[protocol] in criteria
