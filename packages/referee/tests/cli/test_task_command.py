"""A shared task from a corpus to ranks: blind items, sealed references, messages for participants, Codabench's scores."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
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
        {
            "id": f"t{i}",
            "targets": ["a"],
            "entities": ENTITIES,
            "references": [{"text": f"the secret red cup {i}"}],
            # What was said in earlier rounds of a game are the references of their items.
            "history": [{"kind": "message", "by": "speaker", "text": f"the secret red cup {n}"} for n in range(i)],
        }
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
    # By hand: "red" and the number are missing in 11 lines; the missing line costs the five words of its reference.
    assert (scores["string_edit_1"], scores["n_missing"]) == (pytest.approx((11 * 2 + 5) / 12), 1)


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
    assert "the references were changed after the task was made" in capsys.readouterr().err


def test_the_bundle_scores_as_codabench_runs_it(task: Path, tmp_path: Path) -> None:
    # Codabench unpacks the reference data to input/ref and the submission to input/res.
    shutil.copytree(task / "codabench/reference_data", tmp_path / "in/ref")
    (tmp_path / "in/res").mkdir()
    rows = "".join(f"t{i},the secret cup\n" for i in range(12))
    (tmp_path / "in/res/outputs.csv").write_text(f"trial,text\n{rows}", "utf-8")
    program = task / "codabench/scoring_program/evaluate.py"
    subprocess.run([sys.executable, program, tmp_path / "in", tmp_path / "out"], check=True, timeout=120)
    scores = json.loads((tmp_path / "out/scores.json").read_text("utf-8"))
    # By hand: "red" and the number are missing in every line.
    assert (scores["string_edit_1"], scores["n_missing"]) == (2.0, 0)


@pytest.mark.parametrize("folder", ["TASK", "TASK/organisers", "TASK/codabench/reference_data"])
def test_every_folder_with_the_references_scores(task: Path, folder: str) -> None:
    submit("team", [(f"t{i}", "the secret cup") for i in range(12)])
    assert main(["task", "score", "subs/team.zip", "--task", folder, "--out", "scored"]) == 0
    assert json.loads(Path("scored/scores.json").read_text("utf-8"))["string_edit_1"] == 2.0


def test_participants_cannot_score(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submit("team", [("t1", "the cup")])
    assert main(["task", "score", "subs/team.zip", "--task", "TASK/participants", "--out", "scored"]) == 2
    assert "the references are not in this folder" in capsys.readouterr().err


def test_only_complete_submissions_have_a_rank(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # The first measure is a distance: the lowest is the best.
    submit("best", [(f"t{i}", f"the secret red cup {i}") for i in range(3)])
    submit("poor", [(f"t{i}", "a dog") for i in range(12)])
    submit("twin_a", [(f"t{i}", f"the red cup {i}" if i else "a dog") for i in range(12)])
    submit("twin_b", [(f"t{i}", f"the red cup {i}") for i in range(12)])
    assert main(["task", "rank", "subs", "--task", "TASK", "--out", "results", "--format", "json"]) == 0
    ranking = json.loads(capsys.readouterr().out)
    # Equal ranks stand by value, best first.
    assert list(ranking["ranks"].items()) == [("twin_b", 1), ("twin_a", 1), ("poor", 3), ("best", None)]
    assert ranking["n_missing"] == {"best": 9, "poor": 0, "twin_a": 0, "twin_b": 0}
    assert json.loads(Path("results/results.json").read_text("utf-8"))["ranks"] == ranking["ranks"]
    page = Path("results/index.html").read_text("utf-8")
    assert "<th>n</th>" in page
    assert "<td>9 of 12 items are missing: not ranked</td><td>best</td><td>3</td>" in page
    assert main(["task", "rank", "subs", "--task", "TASK"]) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[-1].split()[:2] == ["–", "best"]
    assert "9 of 12 items are missing: not ranked" in shown.out + shown.err
    assert main(["task", "check", "subs/best.zip", "--task", "TASK"]) == 0
    assert "9 of 12 items are missing: not ranked" in capsys.readouterr().out


def test_incomplete_submissions_alone_have_no_rank(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submit("short", [("t1", "the cup")])
    assert main(["task", "rank", "subs", "--task", "TASK", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["ranks"] == {"short": None}
    # One item has no interval.
    assert main(["task", "rank", "subs", "--task", "TASK"]) == 0
    assert capsys.readouterr().out.split()[:2] == ["–", "short"]


def test_participants_see_no_path(task: Path, tmp_path: Path) -> None:
    assert main(["task", "new", str(tmp_path / "corpus.jsonl"), "--out", "OTHER"]) == 0
    manifest = json.loads(Path("OTHER/participants/task.json").read_text("utf-8"))
    assert (manifest["title"], manifest["corpus"]) == ("Describe the target: corpus", "corpus.jsonl")


def test_a_table_is_a_corpus_and_submissions_keep_the_dots_of_their_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("items.csv").write_text(
        "item,image,target,reference\nt1,a.jpg,cup,the secret cup\nt2,b.jpg,dog,a dog\n", "utf-8"
    )
    assert main(["task", "new", "items.csv", "--out", "TASK"]) == 0
    shown = [json.loads(line) for line in Path("TASK/participants/items.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["targets"], row["picture"]["path"]) for row in shown] == [
        ("t1", ["cup"], "a.jpg"),
        ("t2", ["dog"], "b.jpg"),
    ]
    assert "secret" not in Path("TASK/participants/items.jsonl").read_text("utf-8")
    Path("subs").mkdir()
    for name in ("gpt-4.1.csv", "gpt-4.5.csv", "team.csv", "team.tsv"):
        delimiter = "\t" if name.endswith("tsv") else ","
        Path("subs", name).write_text(f"trial{delimiter}text\nt1{delimiter}the cup\nt2{delimiter}a dog\n", "utf-8")
    capsys.readouterr()
    assert main(["task", "rank", "subs", "--task", "TASK", "--format", "json"]) == 0
    assert set(json.loads(capsys.readouterr().out)["ranks"]) == {"gpt-4.1", "gpt-4.5", "team.csv", "team.tsv"}


@pytest.mark.parametrize("column", ["description", "text", "reference"])
def test_a_table_of_objects_is_a_corpus_with_its_references(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["t1,o1,cup,red,1,the red cup", "t1,o2,cup,blue,0,", "t2,o1,dog,red,0,", "t2,o2,cat,red,1,a cat"]
    Path("corpus.csv").write_text("\n".join([f"trial,object,type,colour,target,{column}", *rows]), "utf-8")
    assert main(["task", "new", "corpus.csv", "--out", "TASK"]) == 0
    shown = [json.loads(line) for line in Path("TASK/participants/items.jsonl").read_text("utf-8").splitlines()]
    assert [(row["targets"], [e["id"] for e in row["entities"]]) for row in shown] == [
        (["o1"], ["o1", "o2"]),
        (["o2"], ["o1", "o2"]),
    ]
    assert shown[0]["entities"][0]["attributes"] == [["type", "cup"], ["colour", "red"]]
    sealed = [json.loads(line) for line in Path("TASK/organisers/references.jsonl").read_text("utf-8").splitlines()]
    assert [row["references"] for row in sealed] == [[{"text": "the red cup"}], [{"text": "a cat"}]]


def test_submissions_of_clumsy_participants(task: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f"t{i},the red cup\n" for i in range(12))
    with zipfile.ZipFile("team.zip", "w") as archive:
        archive.writestr("team/outputs.csv", f"trial,text\n{rows}")
        archive.writestr("team/README.txt", "our system\n")
        archive.writestr("__MACOSX/team/._outputs.csv", "\0")
    assert main(["task", "check", "team.zip", "--task", "TASK"]) == 0
    for name, content, problem in (
        ("bare.csv", rows, "seems to be no header"),
        ("lines.txt", "the red cup\n" * 12, "do not name their items"),
    ):
        Path(name).write_text(content, "utf-8")
        assert main(["task", "check", name, "--task", "TASK"]) == 2
        assert problem in capsys.readouterr().err
