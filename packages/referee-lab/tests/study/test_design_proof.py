"""The proof of balance holds for what is made here, and finds what somebody broke."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from referee_lab.study.design.balance import prove_balance
from referee_lab.study.design.design_page import list_open_tasks, write_design_report
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.study import Study, open_study


def _broken(study: Study) -> list[str]:
    return [claim.sentence for claim in prove_balance(study) if claim.promised and not claim.holds]


@pytest.mark.parametrize(
    ("design", "items", "people"),
    [("latin", 12, 6), ("latin", 10, 6), ("balanced", 7, 3), ("blocked", 9, 6), ("williams", 12, 6), ("within", 4, 2)],
)
def test_every_design_keeps_what_it_promises(design: str, items: int, people: int, tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", design=design, items=items, participants=people)
    assert _broken(study) == []
    assert "NO " not in write_design_report(study)
    assert (study.folder / "design.txt").read_text(encoding="utf-8").strip() == write_design_report(study)


def _swap_system(data: dict[str, Any]) -> None:
    first, second = data["lists"][0]["trials"][:2]
    first[1], second[1] = second[1], second[1]


def _shorten(data: dict[str, Any]) -> None:
    data["lists"][0]["trials"].pop()


def _repeat(data: dict[str, Any]) -> None:
    trials = data["lists"][0]["trials"]
    trials[0][0] = trials[1][0]


def _drop_list(data: dict[str, Any]) -> None:
    data["lists"].pop()


@pytest.mark.parametrize(
    ("damage", "sentence"),
    [
        (_swap_system, "every item is seen with every condition equally often"),
        (_shorten, "every list has the same number of trials"),
        (_repeat, "no participant sees an item twice"),
        (_drop_list, "[design] in study.toml matches lists.json"),
    ],
)
def test_damage_is_found(damage: Callable[[dict[str, Any]], None], sentence: str, tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", items=6, participants=3)
    path = study.folder / "lists.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    damage(data)
    path.write_text(json.dumps(data), encoding="utf-8")
    assert sentence in _broken(open_study(study.folder))


def test_participants_that_do_not_fill_the_lists_are_found(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", items=6, participants=3)
    path = study.folder / "study.toml"
    path.write_text(path.read_text("utf-8").replace("participants = 3", "participants = 4"), encoding="utf-8")
    assert _broken(open_study(study.folder)) == ["every list is filled by equally many participants"]


def test_scenes_that_come_back_are_told(tmp_path: Path) -> None:
    once, again = (make_demo(tmp_path / str(n), items=n, participants=3) for n in (12, 24))
    sentence = "no participant sees a scene twice, with other positions or another target"
    held = [next(c for c in prove_balance(s) if c.sentence == sentence).holds for s in (once, again)]
    assert held == [True, False], "a synthetic speaker has twelve scenes here, a second one the same again"


def test_a_changed_order_breaks_the_balance_of_successions(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", design="williams", items=9, participants=6)
    path = study.folder / "lists.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    data["lists"][0]["trials"].sort(key=lambda pair: pair[1])
    path.write_text(json.dumps(data), encoding="utf-8")
    assert any("follows every other" in sentence for sentence in _broken(open_study(study.folder)))


def test_meeting_an_item_again_is_told_where_the_design_does_not_rule_it_out(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s", design="latin", items=10, participants=3)
    assert len(study.design.duplicates) == 2
    claim = next(c for c in prove_balance(study) if c.sentence == "no participant sees an item twice")
    assert (claim.holds, claim.promised) == (False, False)
    assert "does not guarantee" in write_design_report(study)


def test_the_report_has_power_and_duration(tmp_path: Path) -> None:
    report = write_design_report(make_demo(tmp_path / "s", design="latin", items=12, participants=6))
    assert "one planned pair" in report
    assert "minutes per session" in report
    assert "36 trials in all" in report


def test_what_is_still_to_be_done_is_told(tmp_path: Path) -> None:
    study = make_demo(tmp_path / "s")
    assert any("hypothesis" in line for line in list_open_tasks(study))
    path = study.folder / "study.toml"
    path.write_text(
        path.read_text("utf-8").replace('hypothesis = ""', 'hypothesis = "chatty is slower to read"'), encoding="utf-8"
    )
    assert list_open_tasks(open_study(study.folder)) == []
