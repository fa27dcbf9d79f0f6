"""`referee report` as a user meets it: the folder it leaves, the audit, refusals."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from small_runs import chatty, colour, exact, make_run

from referee.cli import main


def test_the_folder_holds_page_tables_and_figures_in_every_form(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", {"exact": exact, "colour": colour, "chatty": chatty}, by=("domain",))
    out = tmp_path / "report"
    assert main(["report", str(run), "--out", str(out), "--style", "tuna2008"]) == 0
    assert capsys.readouterr().out.strip() == str(out / "index.html")
    tables = {p.stem for p in (out / "tables").glob("*.tex")}
    assert tables >= {"scores-set", "scores-string", "domain-set", "correlations"}
    assert tables <= {p.stem for p in (out / "tables").glob("*.csv")}
    figures = {p.stem for p in (out / "figures").glob("*.svg")}
    assert figures == {"findings", "scores", "scores-by-domain", "scores-by-condition", "distributions", "correlations"}
    for name in figures:
        assert (out / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (out / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")
    with (out / "tables" / "scores-set.csv").open(encoding="utf-8") as file:
        rows = {(r["system"], r["metric"]): r for r in csv.DictReader(file)}
    assert float(rows["colour", "set/dice"]["value"]) == pytest.approx(2 / 3, abs=1e-12), "full precision"
    assert json.loads((out / "manifest.json").read_text("utf-8"))["kind"] == "report"


def test_an_existing_folder_is_replaced_only_when_asked_and_only_if_it_is_a_report(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = make_run(tmp_path / "run", {"exact": exact})
    precious = tmp_path / "thesis"
    precious.mkdir()
    (precious / "chapter.txt").write_text("years of work", "utf-8")
    assert main(["report", str(run), "--out", str(precious)]) == 2
    assert main(["report", str(run), "--out", str(precious), "--overwrite"]) == 2
    assert "a file or folder with this name exists already" in capsys.readouterr().err
    assert (precious / "chapter.txt").read_text("utf-8") == "years of work"
    out = tmp_path / "report"
    assert main(["report", str(run), "--out", str(out), "--title", "First"]) == 0
    assert main(["report", str(run), "--out", str(out), "--title", "Second", "--overwrite"]) == 0
    assert "<title>Second</title>" in (out / "index.html").read_text("utf-8")


def test_the_audit_is_a_chapter(tmp_path: Path) -> None:
    out = tmp_path / "audit"
    assert main(["report", "--audit", "--out", str(out)]) == 0
    page = (out / "index.html").read_text("utf-8")
    assert '<section id="audit"' in page
    assert "do not follow" in page
    with (out / "tables" / "audit-all.csv").open(encoding="utf-8") as file:
        verdicts = {r["verdict"] for r in csv.DictReader(file)}
    assert len(verdicts) > 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "no run was named"),
        (["nowhere"], "there is no such run folder"),
        (["nowhere", "--style", "tuna2007"], "--style cannot be 'tuna2007'"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str) -> None:
    assert main(["report", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err


def test_the_same_run_twice_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(tmp_path / "run", {"exact": exact})
    assert main(["report", str(run), str(run), "--out", str(tmp_path / "out")]) == 2
    assert "two run folders have the same name" in capsys.readouterr().err
