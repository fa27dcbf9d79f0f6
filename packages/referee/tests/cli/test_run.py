"""`referee run` as a user meets it, with the shipped corpus and a language model that answers from a script."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fake_endpoint import Answer, completion, serving
from referee.cli import main
from referee.jobs.folder import Run

SMALL = ("--corpus", "synthetic", "--limit", "39", "--folds", "3")


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["run", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


def test_a_run_can_be_scored(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, err = run(
        capsys, *SMALL, "--systems", "classic/incremental,tuna2008-as/DIT-FBI", "--out", tmp_path / "run"
    )
    assert code == 0
    assert [line.split() for line in out.splitlines()] == [
        ["classic/incremental", "39", "of", "39"],
        ["tuna2008-as/DIT-FBI", "39", "of", "39"],
    ]
    assert "referee score" in err
    assert main(["score", str(tmp_path / "run"), "--metrics", "scene/unique", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(r["system"], r["n"]) for r in rows] == [("classic/incremental", 39), ("tuna2008-as/DIT-FBI", 39)]


def test_only_part_of_a_corpus_can_be_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    run(
        capsys,
        *SMALL,
        "--systems",
        "classic/greedy",
        "--only",
        "domain=people",
        "--by",
        "scene",
        "--out",
        tmp_path / "run",
    )
    assert {t.domain for t in Run(tmp_path / "run").trials()} == {"people"}


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("--systems", "classik"), "did you mean"),
        (("--systems", "classic/greedy", "--by", "mood"), "--folds-by cannot be 'mood'"),
        (("--systems", "classic/incremental.frequency", "--folds", "40"), "cannot make 40 folds"),
        (("--systems", "classic/greedy", "--only", "furniture"), "--only FIELD=VALUE"),
        (("--systems", "classic/greedy", "--split", "half"), "no split is called 'half'"),
        (("--systems", "classic/greedy", "--replay", "nowhere"), "no calls to replay"),
        (("--systems", "llm/openai-compatible"), "model:NAME"),
        ((), "--systems is missing"),
    ],
)
def test_bad_input_ends_with_code_2_and_a_remedy(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, args: tuple[str, ...], problem: str
) -> None:
    code, _, err = run(capsys, *SMALL, *args, "--out", tmp_path / "run")
    assert code == 2
    assert problem in err
    assert "→" in err
    assert not (tmp_path / "run").exists()


# -- language models -------------------------------------------------------------------------------------------------------


def model(url: str, **switches: object) -> str:
    extra = "".join(f"|{key}:{value}" for key, value in switches.items())
    return f"mine=llm/openai-compatible|model:toy|endpoint:{url}|pause_s:0.001{extra}"


def script() -> list[Answer]:
    return [
        completion("I'm sorry, I can't."),
        completion("the red chair\nthe blue desk"),
        (500, {}, b""),
        completion("the red chair"),
    ]


def test_a_model_is_asked_once_a_trial_and_replayed_without_a_network(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with serving(*script()) as server:
        args = (*SMALL, "--systems", model(server.url, price_in=1, parallel=1))
        code, out, _ = run(capsys, *args, "--out", tmp_path / "first")
        assert len(server.seen) == 40, "39 trials, one asked twice after an error of the server"
    assert code == 0
    assert "mine  37 of 39  refused 1, unparsable 1, retries 1" in out
    counts = Run(tmp_path / "first").manifest["counts"]["mine"]
    assert (counts["answered"], counts["silent"], counts["prompt_tokens"]) == (37, 2, 3900)
    assert counts["cost"] == pytest.approx(0.0039), "3900 tokens at 1 a million"
    code, _, _ = run(capsys, *args, "--replay", tmp_path / "first", "--out", tmp_path / "second")
    assert code == 0
    for name in ("outputs.jsonl", "trials.jsonl", "calls.jsonl"):
        assert (tmp_path / "first" / name).read_text() == (tmp_path / "second" / name).read_text()
    assert Run(tmp_path / "second").manifest["counts"]["mine"] == counts


def test_answers_that_were_paid_for_are_not_asked_for_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with serving(*[completion("the red chair")] * 10, (401, {}, b"")) as server:
        args = (*SMALL, "--systems", model(server.url, parallel=1), "--out", tmp_path / "run")
        code, _, err = run(capsys, *args)
        assert code == 2
        assert "OPENAI_API_KEY" in err
        server.script[:] = [completion("the red chair")]
        asked = len(server.seen)
        # The next question may be on its way before the refusal is seen.
        assert asked in (11, 12)
        assert run(capsys, *args)[0] == 0
        assert len(server.seen) == asked + 39 - 10


def test_several_questions_are_on_their_way_at_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with serving(completion("the red chair"), slow_s=0.05) as server:
        code, out, _ = run(capsys, *SMALL, "--systems", model(server.url, parallel=13), "--out", tmp_path / "run")
        assert code == 0
        assert server.busiest > 1
    assert "mine  39 of 39" in out


def test_an_endpoint_that_is_not_there_ends_the_run_and_keeps_the_place(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    with serving(completion("x")) as server:
        url = server.url
    code, _, err = run(capsys, *SMALL, "--systems", model(url, tries=1), "--out", tmp_path / "run")
    assert code == 2
    assert "in a row" in err
    assert not (tmp_path / "run").exists()
    assert (tmp_path / ".run.unfinished").is_dir()


def test_what_failed_in_a_finished_run_is_asked_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "run"
    systems = f"{model('URL', tries=1, parallel=1, patience=0)},classic/greedy"
    with serving(*[completion("the red chair")] * 10, *[(500, {}, b"")] * 5, completion("the red chair")) as server:
        args = (*SMALL, "--systems", systems.replace("URL", server.url), "--out", out)
        code, _, err = run(capsys, *args)
        assert code == 0
        assert "5 questions were not answered; ask them again: referee run --retry" in err
        before = {(o.system, o.trial): o.description for o in Run(out).outputs()}
        (out / "responses.jsonl").write_text("", "utf-8")
        asked = len(server.seen)
        code, shown, _ = run(capsys, "--retry", out)
        assert code == 0
        assert len(server.seen) - asked == 5, "only what failed"
        assert "39 of 39" in shown
        after = {(o.system, o.trial): o.description for o in Run(out).outputs()}
        assert len(after) == len(before) + 5
        assert before.items() <= after.items(), "what was said is still said, by the others too"
        assert (out / "responses.jsonl").exists(), "what hearers answered stays"
        assert Run(out).manifest["counts"]["mine"]["prompt_tokens"] == 39 * 100
        code, _, err = run(capsys, "--retry", out)
        assert (code, len(server.seen) - asked) == (0, 5)
        assert "no question of this run failed" in err


def test_another_pace_goes_on_with_the_same_run(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with serving(*[completion("the red chair")] * 10, (401, {}, b"")) as server:
        named = model(server.url, parallel=1).partition("=")[2]  # without a label of its own
        out = ("--out", tmp_path / "run")
        assert run(capsys, *SMALL, "--systems", named, *out)[0] == 2
        server.script[:] = [completion("the red chair")]
        asked = len(server.seen)
        faster = f"{named}|per_minute:100000|timeout_s:9"
        assert run(capsys, *SMALL, "--systems", faster, *out)[0] == 0
        assert len(server.seen) == asked + 39 - 10


def test_samples_are_systems_of_their_own(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with serving(completion("the red chair")) as server:
        named = model(server.url, temperature=1)
        assert (
            run(capsys, *SMALL, "--systems", f"{named},classic/greedy", "--samples", "2", "--out", tmp_path / "run")[0]
            == 0
        )
        assert len(server.seen) == 2 * 39
    assert Run(tmp_path / "run").manifest["systems"] == ["mine#1", "mine#2", "classic/greedy"]


def test_a_run_by_way_of_batch_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    requests, answers, out = tmp_path / "requests.jsonl", tmp_path / "answers.jsonl", tmp_path / "run"
    args = (*SMALL, "--systems", model("http://127.0.0.1:9/v1", price_in=1), "--out", out)
    code, _, err = run(capsys, *args, "--batch-out", requests)
    assert code == 0
    assert "39 questions are in" in err
    assert not out.exists()
    body = json.loads(completion("the red chair")[2])
    asked = [json.loads(line) for line in requests.read_text("utf-8").splitlines()]
    lines = [{"custom_id": a["custom_id"], "response": {"status_code": 200, "body": body}} for a in asked]
    answers.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    code, shown, _ = run(capsys, *args, "--batch-in", answers)
    assert code == 0
    assert "39 of 39" in shown
    # 39 questions of 100 tokens at 1 a million
    assert Run(out).manifest["counts"]["mine"]["cost"] == pytest.approx(0.0039)
