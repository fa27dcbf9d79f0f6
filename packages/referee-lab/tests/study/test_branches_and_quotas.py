"""Branches by answer and quotas by answer and condition: followed by server, bots and exports, and impossible ones named before anybody comes."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from study_server import Clock, Person, change, site, study_folder

from referee.cli import main
from referee.errors import InputError, MalformedInput
from referee_lab.study.design.possible_ways import prove_ways
from referee_lab.study.folder.study import open_study

SIGHT = """[[field]]
name = "sight"
question = "Do you wear glasses?"
kind = "choice"
choices = ["no", "glasses", "lenses"]
required = true
"""
STRENGTH = """[[field]]
name = "strength"
question = "How strong are they?"
kind = "choice"
choices = ["weak", "strong"]
required = true
"""
BRANCH = '[[branch]]\nshow = ["wear-them", "strength"]\nquestion = "sight"\nanswers = ["glasses", "lenses"]\n'


def branched(tmp: Path, rules: str, **settings: str) -> Path:
    """A study that asks about sight before, and shows a page and a survey to those who wear something."""
    before = '["sight", "wear-them", "strength"]'
    folder = study_folder(tmp, **{"pages_before": before, "demographics": "false", "comments": "false", **settings})
    texts = folder / "texts" / "en"
    (texts / "sight.toml").write_text(SIGHT, "utf-8")
    (texts / "strength.toml").write_text(STRENGTH, "utf-8")
    (texts / "wear-them.md").write_text("# Please wear them\n", "utf-8")
    with (folder / "study.toml").open("a", encoding="utf-8") as file:
        file.write(f"\n{rules}")
    return folder


def fields(person: Person, index: int, **said: Any) -> Any:
    return person.put(index, body={**person.body(index), "answer": {"fields": said}})


def test_the_page_is_told_where_a_branch_leads(tmp_path: Path) -> None:
    with site(branched(tmp_path, BRANCH), Clock()) as opened:
        person = Person(opened).begin()
        steps = person.plan["steps"]
        assert [s.get("only") for s in steps[:4]] == [
            None,
            {"question": "sight", "answers": ["glasses", "lenses"]},
            {"question": "sight", "answers": ["glasses", "lenses"]},
            None,
        ]


@pytest.mark.parametrize(("sight", "asked"), [("glasses", True), ("no", False)])
def test_who_answers_so_is_asked_and_others_are_not(sight: str, asked: bool, tmp_path: Path) -> None:
    with site(branched(tmp_path, BRANCH), Clock()) as opened:
        person = Person(opened).begin()
        first, second, *rest = person.saved_steps
        assert fields(person, first, sight=sight).status_code == 201
        skipped = {**person.body(second), "answer": {"skipped": True}}
        wrong = person.put(second, body=skipped) if asked else fields(person, second, strength="weak")
        assert (wrong.status_code, wrong.json()["where"]) == (422, "answer")
        right = fields(person, second, strength="weak") if asked else person.put(second, body=skipped)
        assert right.status_code == 201, right.text
        # Whoever comes back goes by what was answered before.
        assert person.open().json()["told"]["sight"] == sight
        for index in rest:
            assert person.put(index).status_code == 201
        assert person.ask("POST", "finish").json()["outcome"] == "completed"


def test_simulated_people_follow_branches_and_the_export_has_who_was_asked(tmp_path: Path) -> None:
    folder = branched(tmp_path, BRANCH)
    assert main(["study", "simulate", str(folder), "--participants", "12"]) == 0
    assert main(["study", "export", str(folder), "--out", str(tmp_path / "out"), "--mode", "debug"]) == 0
    said: dict[str, dict[str, str]] = {}
    with (tmp_path / "out" / "demographics.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            said.setdefault(row["participant"], {})[row["field"]] = row["value"]
    assert len(said) == 12
    assert {answers["sight"] != "no" for answers in said.values()} == {True, False}
    assert all(("strength" in answers) == (answers["sight"] != "no") for answers in said.values())


def test_a_quota_on_an_answer_turns_away_whoever_is_too_many(tmp_path: Path) -> None:
    quota = '[[quota]]\nquestion = "sight"\nanswers = ["glasses", "lenses"]\nmost = 2\n'
    with site(branched(tmp_path, quota, mode='"live"', pages_before='["sight"]'), Clock()) as opened:
        replies = []
        for sight in ("glasses", "lenses", "glasses", "no"):
            person = Person(opened).begin()
            assert person.plan["steps"][0]["screening"] is True
            replies.append((person, fields(person, person.saved_steps[0], sight=sight).json()))
        assert ["ended" in said for _, said in replies] == [False, False, True, False]
        ended = replies[2][1]["ended"]
        assert (ended["outcome"], ended["paid"], bool(ended["code"])) == ("full", False, True)
        late = replies[2][0]
        assert late.put(late.saved_steps[1]).json()["problem"] == "ended"
        # Whoever withdraws makes room.
        assert replies[0][0].ask("POST", "withdraw").status_code == 200
        another = Person(opened).begin()
        assert "ended" not in fields(another, another.saved_steps[0], sight="glasses").json()


def test_a_quota_on_a_condition_shuts_its_lists(tmp_path: Path) -> None:
    folder = study_folder(tmp_path, mode='"live"')
    study = open_study(folder)
    # Between people: one list has one system only.
    lists = folder / "lists.json"
    systems = sorted({c for one in study.lists for _, c in one.trials})[:2]
    import json

    items = [t for t, _ in study.lists[0].trials]
    lists.write_text(
        json.dumps(
            {
                "lists": [
                    {"id": f"L0{n}", "group": 1, "trials": [[t, s] for t in items]} for n, s in enumerate(systems, 1)
                ]
            }
        ),
        "utf-8",
    )
    change(folder, lists="2")
    with (folder / "study.toml").open("a", encoding="utf-8") as file:
        file.write(f'\n[[quota]]\ncondition = "{systems[0]}"\nmost = 1\n')
    with site(folder, Clock()) as opened:
        for _ in range(4):
            Person(opened).begin()
        assert sorted(row[0] for row in opened.rows("SELECT list FROM session")) == ["L01", "L02", "L02", "L02"]
        late = Person(opened)
        said = late.enter()
        assert said["full"]["outcome"] == "full"
        assert late.agree().json()["problem"] == "full"
    (claim,) = prove_ways(open_study(folder))
    assert not claim.holds
    assert "lets in 4 of 6 people" in claim.counted


def test_simulated_people_are_turned_away_by_quotas_as_people_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    quota = '[[quota]]\nquestion = "sight"\nanswers = ["no"]\nmost = 1\n'
    folder = branched(tmp_path, BRANCH + quota)
    assert main(["study", "simulate", str(folder), "--participants", "12"]) == 0
    told = capsys.readouterr().out
    assert "full" in told
    with site(folder, Clock()) as opened:
        outcomes = dict(opened.rows("SELECT outcome, count(*) FROM session GROUP BY outcome"))
    assert outcomes["full"] >= 1
    assert outcomes["full"] + outcomes["completed"] == 12


IMPOSSIBLE = {
    "no such page": (
        BRANCH.replace("wear-them", "wear-this"),
        "no page or survey 'wear-this' (did you mean wear-them?)",
    ),
    "no such question": (
        BRANCH.replace('"sight"', '"site"'),
        "the question 'site' is never asked (did you mean sight?)",
    ),
    "no such answer": (BRANCH.replace('"lenses"', '"lens"'), "'lens' is not a choice of 'sight'"),
    "no such condition": ('[[quota]]\ncondition = "nobody"\nmost = 3\n', "no list has the condition 'nobody'"),
    "twice": (BRANCH + BRANCH.replace('"wear-them", ', ""), "'strength' is in another branch already"),
}


@pytest.mark.parametrize("fault", IMPOSSIBLE)
def test_what_the_study_does_not_have_is_named(fault: str, tmp_path: Path) -> None:
    rules, said = IMPOSSIBLE[fault]
    with pytest.raises(InputError) as caught:
        open_study(branched(tmp_path, rules))
    assert said in str(caught.value)


MALFORMED = {
    "a quota without a number": '[[quota]]\ncondition = "toy-chatty"\n',
    "a quota of nobody": '[[quota]]\ncondition = "toy-chatty"\nmost = 0\n',
    "a quota of both": '[[quota]]\ncondition = "toy-chatty"\nquestion = "sight"\nanswers = ["no"]\nmost = 2\n',
    "a branch with a strange field": BRANCH + 'goto = "end"\n',
    "one table": '[branch]\nshow = ["strength"]\n',
}


@pytest.mark.parametrize("fault", MALFORMED)
def test_rules_of_another_shape_are_refused(fault: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedInput):
        open_study(branched(tmp_path, MALFORMED[fault]))


def test_check_names_branches_and_quotas_that_can_never_be(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = '["strength", "sight"]'
    every = '[[quota]]\nquestion = "sight"\nanswers = ["no"]\nmost = 2\n[[quota]]\nquestion = "sight"\nanswers = ["glasses", "lenses"]\nmost = 3\n'
    folder = branched(tmp_path, BRANCH.replace('"wear-them", ', "") + every, pages_before=before)
    assert main(["study", "check", str(folder), "--no-browser"]) == 1
    told = capsys.readouterr().out
    assert "Not so: every branch can be taken (1 branch; not so: strength: sight is not asked before this page)" in told
    assert "the quotas on sight let in 5 of 6 people" in told
    folder = branched(tmp_path, BRANCH + every.replace("most = 3", "most = 4"))
    assert main(["study", "check", str(folder), "--no-browser"]) == 0


def test_a_branch_for_those_who_may_not_take_part_is_never_taken(tmp_path: Path) -> None:
    folder = branched(tmp_path, BRANCH + '[[quota]]\nquestion = "sight"\nanswers = ["lenses"]\nmost = 5\n')
    survey = folder / "texts" / "en" / "sight.toml"
    survey.write_text(survey.read_text("utf-8") + 'eligible = ["no"]\n', "utf-8")
    wrong = [claim.counted for claim in prove_ways(open_study(folder)) if not claim.holds]
    assert len(wrong) == 2
    assert all("may not take part" in said for said in wrong)


def test_a_quota_that_is_asked_too_late_is_told(tmp_path: Path) -> None:
    quota = '[[quota]]\nquestion = "sight"\nanswers = ["lenses"]\nmost = 5\n'
    folder = branched(tmp_path, quota, pages_before='["wear-them", "strength"]', pages_after='["sight"]')
    (claim,) = prove_ways(open_study(folder))
    assert "asked after the first trial" in claim.counted
