"""A trial of one's own: the plug-in and the table of the documentation, made into a study, checked, played in Chromium and analysed."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from study_in_browser import Visitor, chromium, serve, stored
from study_server import change

from real_chromium import require_chromium
from referee.cli import main
from referee_lab.server.sessions.served_study import open_served

PAGE = Path(__file__).parents[4] / "docs" / "protocols.md"

SHOWN = ".own:has(input), .page .actions .button:not(:disabled)"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """The table of the documentation, beside its plug-in."""
    section = PAGE.read_text("utf-8").partition("## A trial of your own")[2].partition("\n## ")[0]
    script, items = re.findall(r"```(?:js|text)\n(.*?)```", section, re.DOTALL)
    (tmp_path / "height.js").write_text(script, "utf-8")
    (tmp_path / "heights.csv").write_text(items, "utf-8")
    return tmp_path / "heights.csv"


def make(table: Path, *more: str) -> Path:
    study = table.parent / "study"
    plugin = str(table.with_name("height.js"))
    made = ["study", "new", str(table), "--protocol", plugin, "--factors", "size", "--participants", "2", "--out"]
    assert main([*made, str(study), *more]) == 0
    return study


def test_the_example_of_the_documentation_is_checked_played_and_exported(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = make(table)
    assert main(["study", "check", str(study)]) == 0, capsys.readouterr().out
    change(study, demographics="false", comments="false")
    served = open_served(study)
    with chromium() as browser, serve(served) as address:
        person = Visitor.at(browser, f"{address}/s/study/")
        person.agree()
        for number in range(4):
            while "own" not in (shown := person.page.wait_for_selector(SHOWN)).evaluate("node => node.className"):
                shown.click()
                shown.wait_for_element_state("hidden")
            question = person.page.locator(".own label").inner_text()
            person.page.locator(".own input").fill("0" if "lowest" in question else str(100 + number))
            person.page.get_by_role("button", name="Done").click()
            person.page.wait_for_function("q => document.querySelector('.own label')?.textContent !== q", arg=question)
        person.page.wait_for_selector(".code")
        assert person.page.locator(".code").first.inner_text()
        assert person.problems == []
        assert person.violations() == []
    rows = [row for row in stored(served) if row.kind != "form"]
    assert [row.kind for row in rows].count("check") == 1
    assert all(row.times["combined_ms"] == pytest.approx(row.answer["data"]["rt"]) for row in rows)
    assert main(["study", "export", str(study), "--mode", "debug", "--out", str(tmp_path / "out")]) == 0
    with (tmp_path / "out" / "trials.csv").open(encoding="utf-8") as file:
        exported = {row["item"]: row for row in csv.DictReader(file)}
    assert {exported["tree"]["size"], exported["house"]["size"]} == {"small", "large"}
    assert 100 <= float(exported["tree"]["response"]) <= 103
    checked = next(row for row in exported.values() if row["kind"] == "check")
    assert (checked["response"], checked["correct"]) == ("0", "true")


def test_a_column_that_the_plug_in_does_not_know_is_refused_by_check(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    require_chromium()
    table.write_text(table.read_text("utf-8").replace("most,", "msot,"), "utf-8")
    study = make(table)
    assert main(["study", "check", str(study)]) != 0
    said = capsys.readouterr()
    assert "msot" in said.out + said.err


def test_numbers_are_numbers(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    require_chromium()
    table.write_text(table.read_text("utf-8").replace("tree?,300", "tree?,many"), "utf-8")
    study = make(table)
    assert main(["study", "check", str(study)]) != 0
    said = capsys.readouterr()
    assert "most has to be a number and is many" in said.out + said.err


def test_a_file_that_makes_no_plug_in_is_refused_by_check(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    require_chromium()
    table.with_name("height.js").write_text("const height = 1;\n", "utf-8")
    study = make(table)
    assert main(["study", "check", str(study)]) != 0
    said = capsys.readouterr()
    assert "no jsPsych plug-in" in said.out + said.err


def test_a_missing_file_and_a_run_folder_are_refused(table: Path, tmp_path: Path) -> None:
    out = ["--participants", "2", "--out", str(tmp_path / "s")]
    assert main(["study", "new", str(table), "--protocol", str(tmp_path / "absent.js"), *out]) == 2
    assert main(["study", "new", str(tmp_path), "--protocol", str(table.with_name("height.js")), *out]) == 2
    assert not (tmp_path / "s").exists()
