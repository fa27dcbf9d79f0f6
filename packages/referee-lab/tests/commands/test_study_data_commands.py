"""`referee study simulate, export, analyse, import, datasheet`, as typed."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from referee.cli import main
from referee_lab.study.folder.demo_study import make_demo


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands") / "mine"
    make_demo(folder, items=6, participants=3, id="mine")
    assert main(["study", "simulate", str(folder), "--participants", "3", "--faults", "loss,duplicate"]) == 0
    return folder


def test_simulate_counts_what_was_acknowledged(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "simulate", str(played), "--participants", "2", "--faults", "loss,reload,skew"]) == 0
    said = capsys.readouterr().out
    assert "2 simulated participants (noisy): 2 completed" in said
    assert "2 skew" in said
    assert "lost: 0, twice: 0" in said


def test_export_refuses_to_overwrite_and_keeps_identities_apart(
    played: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "data"
    assert main(["study", "export", str(played), "--out", str(out), "--format", "csv,parquet"]) == 0
    assert {"trials.csv", "trials.parquet", "SHA256SUMS"} <= {p.name for p in out.iterdir()}
    assert main(["study", "export", str(played), "--out", str(out)]) == 2
    assert "a file or folder with this name exists already" in capsys.readouterr().err
    assert main(["study", "export", str(played), "--out", str(out), "--overwrite", "--include-identities"]) == 0
    names = tmp_path / "data.identities.csv"
    assert stat.S_IMODE(names.stat().st_mode) == 0o600
    assert not any("identit" in p.name for p in out.iterdir())


def test_overwriting_never_replaces_what_is_no_export(played: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("chapter one", "utf-8")
    assert main(["study", "export", str(played), "--out", str(tmp_path), "--overwrite"]) == 2
    assert (tmp_path / "thesis.txt").read_text("utf-8") == "chapter one"


def test_analyse_prints_tables_in_each_form(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["study", "analyse", str(played), "--style", "tuna2008"]) == 0
    text = capsys.readouterr().out
    assert "Table 11, as printed" in text
    assert "Table 12, as registered" in text
    assert main(["study", "analyse", str(played), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {"error-means", "identification_ms-pairs"} <= set(found["tables"])
    assert main(["study", "analyse", str(played), "--style", "tuna2008", "--format", "latex"]) == 0
    assert r"\toprule" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["analyse", "--style", "tuna2007"], "did you mean tuna2008"),
        (["export", "--format", "xlsx"], "--format cannot be 'xlsx'"),
        (["simulate", "--faults", "delays"], "did you mean delay"),
        (["import"], "--out NEW-RUN or --into RUN"),
    ],
)
def test_a_wrong_word_is_answered_with_the_right_one(
    played: Path, arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    command, *more = arguments
    assert main(["study", command, str(played), *more]) == 2
    assert said in capsys.readouterr().err


def test_a_study_without_data_says_how_to_get_some(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_demo(tmp_path / "fresh", items=3, participants=3, id="fresh")
    for command in ("export", "analyse"):
        assert main(["study", command, str(tmp_path / "fresh")]) == 2
        assert "referee study simulate" in capsys.readouterr().err
    assert not (tmp_path / "fresh" / "data").exists()
    assert main(["study", "datasheet", str(tmp_path / "fresh")]) == 0


def test_import_makes_a_run_that_can_be_reported(played: Path, tmp_path: Path) -> None:
    assert main(["study", "import", str(played), "--out", str(tmp_path / "run")]) == 0
    assert main(["study", "import", str(played), "--into", str(tmp_path / "run")]) == 0
    assert main(["score", str(tmp_path / "run"), "--metrics", "set/dice", "--format", "json"]) == 0
