"""Answers from elsewhere become runs: logs that inspect_ai 0.3.285, lm-eval 0.4.13, lmms-eval 0.7.2 and clemcore 3.7.2 wrote, and small ones like them."""

from __future__ import annotations

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

from referee.api.evaluate import evaluate
from referee.cli import main
from referee.corpora.natives.recognition import recognise_format
from referee.errors import InputError
from referee.jobs.folder import Run
from referee.records import Outcome

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
    assert (code, recognise_format(log)) == (0, "inspect")
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
    from referee.corpora.natives import logs

    words = json.dumps(HEAD).encode()
    packed = zstandard.ZstdCompressor().compress(words)
    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header.json", packed)
    with zipfile.ZipFile(path) as archive:
        archive.getinfo("header.json").compress_type = logs.ZSTD
        assert logs._read_member(archive, path, "header.json") == words


# Made with the programs themselves from `referee export-task` of the corpus above: inspect_ai 0.3.285 with its mock model (two epochs, and once as hearer),
# lm-eval 0.4.13 with its dummy model, which says "lol"; lmms-eval's by the lines of `save_results_samples` in its release 0.7.2. The episodes are those of
# clemcore 3.7.2's mock players, who say "The one that looks like the target." and choose by lot, over three instances of our own.
LOGS = Path(__file__).with_name("logs")


def test_a_log_of_inspects_mock_model(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    pytest.importorskip("zstandard")
    code, told, run = imported(capsys, tmp_path, LOGS / "inspect-0.3.285-speaker.eval", "--corpus", corpus)
    assert (code, told.splitlines()[:2]) == (0, ["mockllm/model: 2 answered", "mockllm/model#2: 2 answered"])
    assert {(o.system, o.trial): o.description.text for o in run.outputs()} == {
        ("mockllm/model", "t1"): "the red chair",
        ("mockllm/model", "t2"): "the red one",
        ("mockllm/model#2", "t1"): "the red seat",
        ("mockllm/model#2", "t2"): "the chair in red",
    }


def test_a_log_of_inspects_mock_model_as_hearer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path
) -> None:
    """It said "Object 2, because it is red." and "several"; the first was shown b, then a."""
    code, _, run = imported(capsys, tmp_path, LOGS / "inspect-0.3.285-hearer.json", "--corpus", corpus)
    assert code == 0
    assert [(r.trial, str(r.outcome), r.entity, r.system) for r in run.responses()] == [
        ("t1", "entity", "a", "human"),
        ("t2", "several", None, "human"),
    ]


def test_samples_of_lm_eval(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    log = LOGS / "lm-eval-0.4.13-reference.jsonl"
    assert recognise_format(log) == "lm-eval"
    code, told, run = imported(capsys, tmp_path, log, "--corpus", corpus, "--system", "dummy")
    assert (code, told.splitlines()[0]) == (0, "dummy: 2 answered")
    assert [(o.trial, o.description.text) for o in run.outputs()] == [("t1", "lol"), ("t2", "lol")]


def test_of_several_filters_one_is_chosen(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    log = LOGS / "lm-eval-0.4.13-filters.jsonl"
    code, told, _ = imported(capsys, tmp_path, log, "--corpus", corpus)
    assert code == 2
    assert "filtered in several ways (first-line, none)" in told
    assert ":3" in told or "line 3" in told
    # Its filter looked for "(the .*)" and found nothing: [invalid].
    code, told, _ = imported(capsys, tmp_path, log, "--corpus", corpus, "--map", "filter=first-line")
    assert code == 2
    assert "no answer in this file can be parsed" in told
    # Raw, there are two answers to every question (repeats: 2).
    args = (log, "--corpus", corpus, "--system", "dummy", "--map", "filter=none,text=resps")
    code, told, _ = imported(capsys, tmp_path, *args)
    assert (code, told.splitlines()[:2]) == (0, ["dummy: 2 answered", "dummy#2: 2 answered"])


def test_likelihoods_are_no_answers(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    code, told, _ = imported(capsys, tmp_path, LOGS / "lm-eval-0.4.13-choice.jsonl", "--corpus", corpus)
    assert code == 2
    assert "likelihoods, not answers in words" in told


def test_samples_of_lmms_eval_name_their_document_by_number(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path
) -> None:
    log = LOGS / "org__model" / "20261116_061500_samples_toy_reference.jsonl"
    assert recognise_format(log) == "lmms-eval"
    code, told, _ = imported(capsys, tmp_path, log, "--corpus", corpus)
    assert code == 2
    assert "--documents" in told
    args = (log, "--corpus", corpus, "--documents", LOGS / "toy-speaker.jsonl")
    code, told, run = imported(capsys, tmp_path, *args)
    assert (code, told.splitlines()[0]) == (0, "org/model: 2 answered")
    assert [(o.trial, o.description.text) for o in run.outputs()] == [("t1", "the red chair"), ("t2", "the red one")]


def test_the_one_file_that_lmms_eval_wrote_before(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path
) -> None:
    """As its model `from_log` reads it: args, model_configs, and logs with doc_id and resps."""
    logs = [{"doc_id": i, "doc": {"trial": f"t{i + 1}"}, "resps": [["the red chair"]]} for i in range(2)]
    log = tmp_path / "toy.json"
    about = {"args": {"model": "llava", "model_args": "", "limit": None}, "model_configs": {"task": "toy"}}
    log.write_text(json.dumps({**about, "logs": logs}), "utf-8")
    assert recognise_format(log) == "lmms-eval"
    code, told, run = imported(capsys, tmp_path, log, "--corpus", corpus)
    assert (code, told.splitlines()[0]) == (0, "llava: 2 answered")
    assert len(list(run.outputs())) == 2


def test_a_table_with_a_map_of_its_columns(capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path) -> None:
    table = tmp_path / "answers.csv"
    table.write_text(
        'item,utterance,who\nt1,the red chair,A\nt1,"I\'m sorry, I can\'t.",B\nt2,"Sure:\nhere you are!",B\n', "utf-8"
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
    assert answers == [("entity", "second"), ("entity", "first"), ("dont-know", None)]
    assert main(["listen", str(run.folder)]) == 0


def test_episodes_of_clemcores_mock_players(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, told, run = imported(capsys, tmp_path, LOGS / "clemcore-3.7.2")
    assert (code, told.splitlines()[0]) == (0, "mock: 3 answered")
    assert {o.description.text for o in run.outputs()} == {"The one that looks like the target."}
    # The target of each instance (first, second, third), and what the follower's "Answer: …" said.
    assert [t.targets[0] for t in run.trials()] == ["first", "second", "third"]
    chosen = [(r.hearer, r.system, r.entity) for r in run.responses()]
    assert chosen == [("mock player 2", "mock", place) for place in ("second", "third", "second")]


def test_models_of_one_folder_are_kept_apart(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for model in ("mock", "other"):
        copied = tmp_path / "results" / f"{model}--{model}"
        shutil.copytree(LOGS / "clemcore-3.7.2" / "mock--mock", copied)
        for path in copied.rglob("interactions.json"):
            path.write_text(path.read_text("utf-8").replace('"mock"', f'"{model}"'), "utf-8")
    code, told, run = imported(capsys, tmp_path, tmp_path / "results")
    assert (code, told.splitlines()[:2]) == (0, ["mock: 3 answered", "other: 3 answered"])
    assert len(list(run.trials())) == 3
    code, told, _ = imported(capsys, tmp_path, tmp_path / "results", "--system", "one", "--overwrite")
    assert code == 2
    assert "twice" in told


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("log.xml", "<log/>", "this format is unknown"),
        ("log.json", "{}", "this format is unknown"),
        ("log.jsonl", '{"trial": "t9", "text": "x"}', "'t9' is not in the corpus"),
        ("log.jsonl", '{"trial": "t1"}', "no column is recognised as the text"),
        ("log.jsonl", '{"trial": "t1", "text": "the red chair"}\n{"trial": "t1", "text": "the chair"}', "twice"),
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
    from referee.corpora.natives.logs import LOG_FORMATS

    path = tmp_path / "log.eval"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("_journal/start.json", "{}")
    with pytest.raises(InputError, match="not finished"):
        list(LOG_FORMATS["inspect"](path, {}))


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


def test_a_task_carries_photographs_and_boxes(tmp_path: Path) -> None:
    image = pytest.importorskip("PIL.Image")
    red, white, box = (200, 0, 0), (255, 255, 255), [100, 100, 200, 220]
    photograph = image.new("RGB", (640, 480), white)
    photograph.paste(red, (100, 100, 200, 220))
    photograph.save(tmp_path / "p.png")
    region = {"box": box, "in": "pixels xyxy"}
    other = {"box": [400, 100, 520, 260], "in": "pixels xyxy"}
    trial = {
        "id": "t1",
        "targets": ["a"],
        "picture": {"path": "p.png", "size": [640, 480]},
        "entities": [{"id": "a", "attributes": [], "region": region}, {"id": "b", "attributes": [], "region": other}],
        "references": [{"text": "the red box"}, {"text": "red one"}],
    }
    corpus = tmp_path / "corpus.jsonl"
    corpus.write_text(json.dumps(trial) + "\n", "utf-8")
    rows = {}
    for role in ("speaker", "hearer", "locator"):
        task = tmp_path / role
        arguments = ["export-task", "--corpus", str(corpus), "--role", role, "--pictures", str(tmp_path)]
        assert main([*arguments, "--out", str(task)]) == 0
        compile((task / "task.py").read_text("utf-8"), "task.py", "exec")
        (line,) = (task / "data" / "test.jsonl").read_text("utf-8").splitlines()
        rows[role] = json.loads(line)
        with image.open(task / rows[role]["image"]) as shown:
            assert shown.size == (640, 480)
            # The box is the target's; a frame or a number is drawn around it for those who need one.
            assert shown.convert("RGB").getpixel((150, 180)) == red
            assert (shown.convert("RGB").tobytes() != photograph.tobytes()) is (role != "locator")
    assert rows["speaker"]["references"] == ["the red box", "red one"]
    assert (rows["locator"]["bbox"], rows["locator"]["image_size"]) == (box, [640, 480])
    scorer = {"name": "referee/grounding", "options": {"convention": "0-1000 xyxy"}}
    log = tmp_path / "log.json"
    metadata = {key: rows["locator"][key] for key in ("trial", "bbox", "image_size")}
    log.write_text(
        json.dumps(
            {
                **HEAD,
                "eval": {**HEAD["eval"], "scorers": [scorer]},
                "samples": [sample("t1", "[156, 208, 312, 458]", metadata=metadata)],
            }
        ),
        "utf-8",
    )
    scores = {row["metric"]: row["value"] for row in evaluate(log).data["scores"]}
    # By hand: 156 to 312 thousandths of 640 and 208 to 458 of 480 are 99.84 to 199.68 and 99.84 to 219.84:
    # 99.68 x 119.84 over 99.84 x 120 + 100 x 120 - 99.68 x 119.84.
    assert scores["ground/iou"] == pytest.approx(0.99256, abs=1e-4)
    assert main(["export-task", "--corpus", str(corpus), "--role", "locator", "--out", str(tmp_path / "none")]) == 2


def test_a_system_that_is_named_twice_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, corpus: Path
) -> None:
    table = tmp_path / "t.csv"
    table.write_text("item,text,model\nx,a cup,a\ny,a cup,b\n", "utf-8")
    arguments = ["import", str(table), "--corpus", str(corpus), "--out", str(tmp_path / "run"), "--system", "mine"]
    assert main([*arguments, "--map", "system=model"]) == 2
    assert "named twice" in capsys.readouterr().err
    assert main([*arguments, "--map", "trial=item"]) == 2
    assert "2 systems" in capsys.readouterr().err
