"""`referee replicate` as a user meets it, with the shipped corpus in the place of TUNA."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from referee.api import replicate as command
from referee.cli import main
from referee.corpora.synthetic.corpus import Synthetic
from referee.jobs.folder import Run
from referee.jobs.open import open_corpus


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = tuple(Synthetic(speakers=2).trials())

    def instead(name: str, data: Any, reading: str) -> Any:
        assert (name, reading) == ("tuna", "challenge")
        return open_corpus(trials)

    monkeypatch.setattr(command, "open_corpus", instead)


def run(capsys: pytest.CaptureFixture[str], *args: object) -> tuple[int, str, str]:
    code = main(["replicate", *map(str, args)])
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.usefixtures("small")
def test_json_has_rows_summary_and_reasons(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = run(
        capsys, "tuna2008-as", "--folds", 2, "--jobs", 1, "--draws", 2, "--out", tmp_path / "run", "--format", "json"
    )
    found = json.loads(out)
    assert code == 0
    assert set(found["rows"][0]) == {
        "system", "domain", "metric", "ours", "low", "high", "published", "difference", "evidence", "fitted", "floor", "folds", "mended", "people",
        "protocol", "protocol_low", "protocol_high", "published_in_range", "draws",
    }  # fmt: skip
    assert len(found["rows"]) == 14 * 8
    assert {"spearman", "mean_absolute_difference", "mean_absolute_difference_faithful", "n"} <= set(found["summary"])
    assert found["summary"]["n"] == 14
    assert any("splits" in reason for reason in found["reasons"])
    assert len(Run(tmp_path / "run").manifest["systems"]) == 14


@pytest.mark.usefixtures("small")
def test_the_table_shows_ours_print_and_the_reasons(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "tuna2008-as", "--folds", 2, "--jobs", 1, "--draws", 2)
    assert code == 0
    (first, *_) = [line for line in out.splitlines() if line.strip().startswith("JU-PTBSGRE")]
    assert "0.810" in first, "the best in print comes first (Gatt, Belz & Kow 2008, table 3)"
    assert "low confidence" in first
    assert "Spearman's rho" in out
    assert "can differ from the printed" in out


@pytest.mark.usefixtures("small")
def test_csv_has_one_line_a_number(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(run(capsys, "asgre2007", "--folds", 2, "--jobs", 1, "--format", "csv")[1].splitlines()))
    assert len(rows) == 16 * 3
    # per cent, as printed: a smallest set is always minimal
    (minimal,) = [r for r in rows if (r["system"], r["metric"]) == ("IS-FBS", "scene/minimal")]
    assert (float(minimal["ours"]), float(minimal["published"])) == (100.0, 100.0)


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("tuna2009",), "did you mean"),
        (("tuna2008-as", "--format", "xml"), "--format is one of table, json, csv"),
        (("tuna2008-as",), "no folder of corpora is known"),
    ],
)
def test_bad_input_ends_with_code_2_and_a_remedy(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], problem: str
) -> None:
    monkeypatch.delenv("REFEREE_DATA", raising=False)
    code, _, err = run(capsys, *args)
    assert code == 2
    assert problem in err
