"""`referee score` as a user meets it: forms of output, run folders, bad luck."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

import referee
from referee.cli import main
from referee.corpora.demo import list_output_files
from referee.jobs.folder import Run

CORPUS = [
    {
        "id": f"t{i}",
        "target": "a",
        "domain": "chairs" if i % 2 else "desks",
        "entities": [
            {"id": "a", "attributes": {"type": "chair", "colour": "red"}},
            {"id": "b", "attributes": {"type": "chair", "colour": "blue"}},
        ],
        "references": [{"text": "the red chair", "properties": [["colour", "red"], ["type", "chair"]]}],
    }
    for i in range(6)
]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(t) + "\n" for t in CORPUS), "utf-8")
    return path


@pytest.fixture
def outputs(tmp_path: Path) -> Path:
    path = tmp_path / "mine.jsonl"
    lines = [{"trial": t["id"], "properties": [["colour", "red"]], "text": "red one"} for t in CORPUS]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["score", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


def test_json_is_tidy_and_complete(capsys: pytest.CaptureFixture[str], corpus: Path, outputs: Path) -> None:
    code, out, _ = run(
        capsys, outputs, "--corpus", corpus, "--metrics", "set/dice,string/edit", "--by", "domain", "--format", "json"
    )
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [(r["group"], r["metric"]) for r in rows[:3]] == [
        (None, "set/dice"),
        (None, "string/edit"),
        ("domain=chairs", "set/dice"),
    ]
    plain = {"system", "group", "metric", "value", "n", "low", "high", "clusters", "signature"}
    assert set(rows[0]) == plain | {"signature_hash", "signature_parts"}
    assert rows[0]["signature_parts"]["measure"] == "set/dice"
    assert rows[0]["value"] == pytest.approx(2 / 3)
    assert rows[1]["value"] == pytest.approx(3.0), "the, and chair→one (2)"


@pytest.mark.parametrize(
    ("form", "piece"),
    [
        ("table", "dice ↑"),
        ("csv", "system,group,metric,value,n,low,high,signature"),
        ("latex", r"\bottomrule"),
        ("markdown", "| system | n | set/dice |"),
    ],
)
def test_every_form_holds_the_number_and_the_signature(
    capsys: pytest.CaptureFixture[str], corpus: Path, outputs: Path, form: str, piece: str
) -> None:
    code, out, _ = run(capsys, outputs, "--corpus", corpus, "--metrics", "set/dice", "--format", form)
    assert code == 0
    assert piece in out
    assert "0.66" in out
    assert "set/dice|multiset:no" in out


def test_the_demo_needs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--demo", "--baseline", "toy-chatty", "--metrics", "set")
    assert code == 0
    assert "SYNTHETIC" in out
    assert "t over clusters" in out
    assert "intervals over 13 scenes x 60 speakers" in out


def test_a_run_folder_holds_everything_and_scores_itself(
    capsys: pytest.CaptureFixture[str], corpus: Path, outputs: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "run"
    code, first, _ = run(
        capsys, outputs, "--corpus", corpus, "--out", folder, "--format", "json", "--metrics", "set,string"
    )
    assert code == 0
    assert sorted(p.name for p in folder.iterdir()) == [
        "comparisons.jsonl",
        "items.parquet",
        "manifest.json",
        "outputs.jsonl",
        "scores.jsonl",
        "trials.jsonl",
    ]
    manifest = Run(folder).manifest
    assert manifest["corpus"]["trials"] == 6
    assert manifest["settings"]["seed"] == 1
    assert manifest["signatures"]["set/dice"].removesuffix(f"|version:{referee.__version__}") in first
    code, again, _ = run(capsys, folder, "--format", "json", "--metrics", "set,string")
    assert again == first


def test_an_existing_folder_is_not_overwritten_by_accident(
    capsys: pytest.CaptureFixture[str], corpus: Path, outputs: Path, tmp_path: Path
) -> None:
    (tmp_path / "precious").mkdir()
    code, _, err = run(capsys, outputs, "--corpus", corpus, "--out", tmp_path / "precious")
    assert (code, "a file or folder with this name exists already" in err) == (2, True)


def test_a_full_disk_leaves_nothing_half_written(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, corpus: Path, outputs: Path, tmp_path: Path
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    before = set(tmp_path.iterdir())
    code, _, err = run(capsys, outputs, "--corpus", corpus, "--out", tmp_path / "run")
    assert code == 2
    assert "No space left on device" in err
    assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["{outputs}"], "no corpus was named"),
        (["--corpus", "{corpus}"], "no outputs were named"),
        (["{folder}/missing.jsonl", "--corpus", "{corpus}"], "no such file"),
        (["{outputs}", "--corpus", "nowhere"], "no corpus is called 'nowhere'"),
        (["{outputs}", "--corpus", "{corpus}", "--metrics", "set/dyce"], "did you mean set/dice"),
        (["{outputs}", "--corpus", "{corpus}", "--by", "mood"], "--by cannot be 'mood'"),
        (["{outputs}", "--corpus", "{corpus}", "--format", "pdf"], "--format cannot be 'pdf'"),
        (["{outputs}", "--corpus", "{corpus}", "--baseline", "nobody"], "no system is called 'nobody'"),
        (["{outputs}", "--corpus", "{corpus}", "--split", "mood=good"], "cannot choose trials by 'mood'"),
        (["{outputs}", "--corpus", "{corpus}", "--split", "domain=none", "--lenient"], "no trial has domain=none"),
        (["{outputs}", "--corpus", "{corpus}", "--reading", "raw"], "--reading"),
        (["{outputs}", "--corpus", "{corpus}", "--resamples", "many"], "resamples"),
        (["{outputs}", "--corpus", "{corpus}", "--seed", "-1"], "seed"),
        (["{outputs}", "--no-such-option"], "no-such-option"),
        (["{outputs}", "--corpus", "synthetic"], "is not in the corpus"),
    ],
)
def test_mistakes_end_with_exit_code_2_and_a_remedy(
    capsys: pytest.CaptureFixture[str], corpus: Path, outputs: Path, tmp_path: Path, args: list[str], complaint: str
) -> None:
    code, out, err = run(capsys, *(a.format(outputs=outputs, corpus=corpus, folder=tmp_path) for a in args))
    assert code == 2
    assert complaint in err.lower() or complaint in err
    assert out == ""


def test_lenient_goes_on_and_counts(capsys: pytest.CaptureFixture[str], corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "half.jsonl"
    path.write_text('{"trial": "t0", "text": "red chair"}\n{broken\n{"trial": "t1", "text": "red"}\n', "utf-8")
    assert run(capsys, path, "--corpus", corpus)[0] == 2
    code, out, err = run(capsys, path, "--corpus", corpus, "--lenient", "--metrics", "string/edit", "--format", "json")
    (row,) = json.loads(out)["rows"]
    assert code == 0
    assert (row["n"], row["missing"], row["unparsable"]) == (2, 4, 1)
    assert "half.jsonl:2" in err


def test_shipped_outputs_are_the_demo(capsys: pytest.CaptureFixture[str]) -> None:
    assert [p.stem for p in list_output_files()] == ["toy-chatty", "toy-minimal"]
    code, out, _ = run(capsys, *list_output_files(), "-c", "synthetic", "--metrics", "scene/unique", "-f", "json")
    assert code == 0
    assert {r["system"] for r in json.loads(out)["rows"]} == {"toy-chatty", "toy-minimal"}


def test_a_run_remembers_that_people_were_a_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = tmp_path / "first"
    assert main(["score", "--demo", "--humans", "--metrics", "set/dice", "--resamples", "0", "--out", str(first)]) == 0
    capsys.readouterr()

    def systems(*more: str) -> set[str]:
        args = ["score", str(first), "--metrics", "set/dice", "--resamples", "0", "--format", "json", *more]
        assert main(args) == 0
        return {row["system"] for row in json.loads(capsys.readouterr().out)["rows"]}

    assert "human" in systems()
    assert "human" not in systems("--no-humans")


def test_two_crossed_factors_cannot_be_swapped(capsys: pytest.CaptureFixture[str]) -> None:
    """A table without stars would look as if nothing differed."""
    code, _, err = run(capsys, "--demo", "--baseline", "toy-chatty", "--metrics", "set/dice", "--test", "randomisation")
    assert code == 2
    assert "--cluster scene" in err
