"""A shared task from a corpus to ranks: blind items, sealed references, messages for participants, Codabench's scores."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import yaml

from referee.cli import main

ENTITIES = [{"id": "a", "attributes": {"colour": "red"}}, {"id": "b", "attributes": {"colour": "blue"}}]


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    trials = [
        {"id": f"t{i}", "targets": ["a"], "entities": ENTITIES, "references": [{"text": f"the secret red cup {i}"}]}
        for i in range(12)
    ]
    Path("corpus.jsonl").write_text("\n".join(map(json.dumps, trials)), "utf-8")
    assert main(["task", "new", "corpus.jsonl", "--out", "TASK", "--metrics", "string/edit.1,string/chrf"]) == 0
    return tmp_path / "TASK"


def submit(name: str, rows: list[tuple[str, str]]) -> None:
    Path("subs").mkdir(exist_ok=True)
    with zipfile.ZipFile(f"subs/{name}.zip", "w") as archive:
        archive.writestr("outputs.csv", "trial,text\n" + "".join(f"{trial},{text}\n" for trial, text in rows))


def test_participants_see_no_references(task: Path) -> None:
    for path in (task / "participants").iterdir():
        assert "secret" not in path.read_text("utf-8")


def test_codabench_keys_are_those_of_the_scores(task: Path) -> None:
    bundle = task / "codabench"
    competition = yaml.safe_load((bundle / "competition.yaml").read_text("utf-8"))
    asked = competition["tasks"][0]
    named = [competition["image"], competition["terms"], asked["scoring_program"], asked["reference_data"]]
    named += [page["file"] for page in competition["pages"]]
    assert all((bundle / name).exists() and ".." not in name for name in named)
    assert competition["leaderboards"] == competition["leaderboard"]
    submit("team", [(f"t{i}", "the secret cup") for i in range(11)])
    assert main(["task", "score", "subs/team.zip", "--task", "TASK", "--out", "scored"]) == 0
    scores = json.loads(Path("scored/scores.json").read_text("utf-8"))
    assert set(scores) == {column["key"] for column in competition["leaderboard"][0]["columns"]}
    # By hand: "red" and the number are missing in every line; one line is missing.
    assert (scores["string_edit_1"], scores["n_missing"]) == (2.0, 1)


def test_messages_for_participants(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submit("short", [("t1", "the cup")])
    assert main(["task", "check", "subs/short.zip", "--task", "TASK/participants"]) == 0
    assert "11 of 12 items are missing" in capsys.readouterr().out
    submit("wrong", [("x1", "the cup")])
    assert main(["task", "check", "subs/wrong.zip", "--task", "TASK"]) == 2
    assert "item 'x1' is not in the task" in capsys.readouterr().err


def test_ranks_are_shared_where_systems_cannot_be_told_apart(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submit("good", [(f"t{i}", f"the secret red cup {i}" if i else "the cup") for i in range(12)])
    submit("poor", [(f"t{i}", "a dog" if i % 2 else "a big dog") for i in range(12)])
    submit("same", [(f"t{i}", "a cat" if i % 2 else "a big cat") for i in range(12)])
    assert main(["task", "rank", "subs", "--task", "TASK", "--out", "results", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == {"good": 1, "poor": 2, "same": 2}
    assert "<td>good</td>" in Path("results/index.html").read_text("utf-8")


def test_other_references_are_refused(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sealed = task / "organisers/references.jsonl"
    sealed.write_text(sealed.read_text("utf-8").replace("secret", "other"), "utf-8")
    submit("team", [("t1", "the cup")])
    assert main(["task", "score", "subs/team.zip", "--task", "TASK", "--out", "scored"]) == 2
    assert "not those that were sealed" in capsys.readouterr().err
