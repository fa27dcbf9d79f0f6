"""Answers from elsewhere become runs; forms as inspect_ai 0.3.285, lm-eval 0.4.9, lmms-eval 0.4 and clemcore 3.7.2 write them, cut down to what is read."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from referee.cli import main
from referee.errors import InputError
from referee.records import Outcome
from referee.runs.folder import Run
from referee.runs.foreign_logs import recognise

TRIALS = [
    {
        "id": name,
        "targets": ["a"],
        "entities": [
            {"id": "a", "attributes": {"type": "chair", "colour": "red"}},
            {"id": "b", "attributes": {"type": "chair", "colour": "blue"}},
        ],
        "references": [{"text": "the red chair"}],
    }
    for name in ("t1", "t2")
]


def sample(name: str, content: Any, **more: Any) -> dict[str, Any]:
    """A sample of inspect_ai's log, as its mock model left it."""
    choice = {"message": {"role": "assistant", "content": content, "source": "generate"}, "stop_reason": "stop"}
    return {
        "id": name,
        "epoch": 1,
        "input": "…",
        "target": "",
        "output": {"model": "mockllm/model", "choices": [choice]},
        **more,
    }


SAMPLES = [
    sample("t1", "<think>hm</think>the red chair"),
    sample("t2", [{"type": "text", "text": "Sure! the red one"}]),
]
HEAD = {"version": 2, "status": "success", "eval": {"task": "toy", "model": "mockllm/model"}}


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("\n".join(map(json.dumps, TRIALS)), "utf-8")
    return path


def imported(capsys: pytest.CaptureFixture[str], tmp_path: Path, *args: object) -> tuple[int, str, Run]:
    code = main(["import", *map(str, args), "--out", str(tmp_path / "run")])
    out, err = capsys.readouterr()
    return code, out + err, Run(tmp_path / "run")


def write_zip(path: Path, pack: Any = None) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", json.dumps(HEAD))
        for one in SAMPLES:
            archive.writestr(f"samples/{one['id']}_epoch_1.json", json.dumps(one))
    return path


def test_an_inspect_log_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    log = tmp_path / "log.json"
    failed = {"id": "t1", "epoch": 2, "output": {"choices": []}, "error": {"message": "no connection"}}
    log.write_text(json.dumps({**HEAD, "samples": [*SAMPLES, failed]}), "utf-8")
    code, told, run = imported(capsys, tmp_path, log, "--corpus", corpus)
    assert (code, recognise(log)) == (0, "inspect")
    assert "mockllm/model: 2 answered" in told
    assert {o.trial: o.description.text for o in run.outputs()} == {"t1": "the red chair", "t2": "the red one"}
    assert main(["score", str(run.folder), "--metrics", "string/exact"]) == 0


def test_an_inspect_log_as_an_archive(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    code, _, run = imported(capsys, tmp_path, write_zip(tmp_path / "log.eval"), "--corpus", corpus)
    assert code == 0
    assert {o.system for o in run.outputs()} == {"mockllm/model"}


def test_an_archive_packed_with_zstd_is_read(tmp_path: Path) -> None:
    """inspect_ai packs with zstd (zip method 93): made here by swapping the packed bytes of a stored member."""
    zstandard = pytest.importorskip("zstandard")
    from referee.runs import foreign_logs

    words = json.dumps(HEAD).encode()
    packed = zstandard.ZstdCompressor().compress(words)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", packed)
    with zipfile.ZipFile(path) as archive:
        archive.getinfo("header.json").compress_type = foreign_logs.ZSTD
        assert foreign_logs._member(archive, path, "header.json") == words


@pytest.mark.parametrize("form", ["lm-eval", "lmms-eval"])
def test_samples_of_the_harnesses(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path, form: str) -> None:
    rows = [
        {
            "doc_id": i,
            "doc": {"trial": f"t{i + 1}"},
            "target": "",
            "resps": [["the red chair"]],
            "filtered_resps": ["the red chair"],
        }
        for i in range(2)
    ]
    folder = tmp_path / "org__model"
    folder.mkdir()
    if form == "lm-eval":
        log = folder / "samples_toy_2026-11-16.jsonl"
        log.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    else:
        log = folder / "toy.json"
        log.write_text(json.dumps({"args": {}, "logs": rows}), "utf-8")
    assert recognise(log) == form
    code, told, run = imported(capsys, tmp_path, log, "--corpus", corpus)
    assert code == 0
    assert "org/model: 2 answered" in told
    assert len(list(run.outputs())) == 2


def test_a_table_with_a_map_of_its_columns(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(
        'item,utterance,who\nt1,the red chair,A\nt1,"I\'m sorry, I can\'t.",B\nt2,"one\nand two\nlines",B\n', "utf-8"
    )
    args = (table, "--corpus", corpus, "--map", "trial=item,text=utterance,system=who")
    code, told, run = imported(capsys, tmp_path, *args)
    assert code == 0
    assert "A: 1 answered" in told
    assert "B: 1 refused, 1 unparsable" in told
    assert [(o.system, o.trial) for o in run.outputs()] == [("A", "t1")]


def test_choices_become_responses(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    rows = [
        {
            "trial": "t1",
            "text": "Object 2, because it is red.",
            "system": "listener",
            "of": "human",
            "places": ["b", "a"],
        },
        {"trial": "t2", "text": "several", "system": "listener", "of": "human", "places": ["a", "b"]},
    ]
    log = tmp_path / "choices.jsonl"
    log.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert imported(capsys, tmp_path, log, "--corpus", corpus)[0] == 0
    found = {r.trial: (r.outcome, r.entity) for r in Run(tmp_path / "run").responses()}
    assert found == {"t1": (Outcome.ENTITY, "a"), "t2": (Outcome.SEVERAL, None)}


def test_episodes_of_clembench(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    def event(who: str, content: str) -> dict[str, Any]:
        return {
            "from": who,
            "to": "GM",
            "timestamp": "…",
            "action": {"type": "get message", "content": content, "label": "response"},
        }

    grids = {
        "player_1_target_grid": "X",
        "player_2_first_grid": "O",
        "player_2_second_grid": "X",
        "player_2_third_grid": "Z",
    }
    for number, answer in enumerate(("Answer: second", "Answer: first", "no idea")):
        folder = tmp_path / "results" / "model" / "letter_grids" / f"episode_{number}"
        folder.mkdir(parents=True)
        (folder / "instance.json").write_text(json.dumps(grids), "utf-8")
        turns = [[event("Player 1", "Expression: the one with an X")], [event("Player 2", answer)]]
        (folder / "interactions.json").write_text(json.dumps({"meta": {}, "players": {}, "turns": turns}), "utf-8")
    code, _, run = imported(capsys, tmp_path, tmp_path / "results", "--system", "model")
    assert code == 0
    assert {o.description.text for o in run.outputs()} == {"the one with an X"}
    assert [t.targets for t in run.trials()] == [("second",)] * 3
    answers = [(str(r.outcome), r.entity) for r in run.responses()]
    assert answers == [("entity", "second"), ("entity", "first"), ("unparsable", None)]
    assert main(["listen", str(run.folder)]) == 0


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("log.xml", "<log/>", "nobody here knows this format"),
        ("log.json", "{}", "nobody here knows this format"),
        ("log.jsonl", '{"trial": "t9", "text": "x"}', "'t9' is not in the corpus"),
        ("log.jsonl", '{"trial": "t1"}', "there is no text in it"),
        ("log.jsonl", '{"trial": "t1", "text": "x"}\n{"trial": "t1", "text": "y"}', "twice"),
        ("log.eval", "not a zip", "cannot be read as JSON"),
    ],
)
def test_what_is_unknown_is_refused_with_a_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path, name: str, content: str, problem: str
) -> None:
    log = tmp_path / name
    log.write_text(content, "utf-8")
    code = main(["import", str(log), "--corpus", str(corpus), "--out", str(tmp_path / "run")])
    assert code == 2
    assert problem in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_an_unfinished_archive_is_refused(tmp_path: Path) -> None:
    from referee.runs.foreign_logs import FORMATS

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(InputError, match="not finished"):
        list(FORMATS["inspect"](path, {}))


@pytest.mark.parametrize("role", ["speaker", "hearer"])
def test_a_corpus_as_a_task_and_back(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path, role: str
) -> None:
    task = tmp_path / "task"
    assert main(["export-task", "--corpus", str(corpus), "--role", role, "--out", str(task)]) == 0
    compile((task / "task.py").read_text("utf-8"), "task.py", "exec")
    rows = [json.loads(line) for line in (task / "data" / "test.jsonl").read_text("utf-8").splitlines()]
    assert [r["trial"] for r in rows] == ["t1", "t2"]
    assert "data/test.jsonl" in (task / "README.md").read_text("utf-8")
    # As inspect_ai would log it: metadata hold what the task's FieldSpec names.
    answers = {"speaker": "the red chair", "hearer": "several"}
    samples = [sample(r["id"], answers[role], metadata={k: r[k] for k in ("trial", "places", "system")}) for r in rows]
    log = tmp_path / "log.json"
    log.write_text(json.dumps({**HEAD, "samples": samples}), "utf-8")
    assert imported(capsys, tmp_path, log, "--corpus", corpus)[0] == 0
    run = Run(tmp_path / "run")
    assert len(list(run.outputs() if role == "speaker" else run.responses())) == 2
    if role == "hearer":
        # The target is the number of the entity meant, in the order shown.
        assert all(r["places"][int(r["target"]) - 1] == "a" for r in rows)
        assert "red" in rows[0]["prompt"]
