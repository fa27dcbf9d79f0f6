"""Items of pictures as a page: what is in it, what never runs, and that many items stay light."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from referee import score
from referee.cli import main
from referee.corpora.jsonl import read_trials, response_to_json, write_json_line
from referee.corpora.synthetic.solids import Solids, write_solids
from referee.errors import InputError
from referee.geometry import Point
from referee.jobs.folder import Run
from referee.records import Outcome, Response
from referee.show.reports.place_pages import build_places_section, write_place_pages

HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("toys")
    write_solids(folder, Solids(scenes=1, solids=3, width=160, height=120))
    return folder


@pytest.fixture
def run(tmp_path: Path, toys: Path) -> Run:
    trials = list(read_trials(toys / "trials.jsonl"))
    rows: list[dict[str, Any]] = [
        {
            "trial": t.id,
            "system": HOSTILE,
            "places": [{"mask": {"size": [160, 120], "counts": list(t.scene.entity(t.targets[0]).region.counts)}}],
        }  # type: ignore[union-attr]
        for t in trials
    ]
    rows += [{"trial": t.id, "system": "b", "outcome": "refused"} for t in trials]
    score(rows, str(toys), metrics=["ground/iou"], resamples=0, out=tmp_path / "run")
    clicks = [
        Response(trial=trials[0].id, hearer=f"p{i}", outcome=Outcome.POINT, places=(Point((i, i)),)) for i in range(5)
    ]
    (tmp_path / "run" / "responses.jsonl").write_text(
        "".join(write_json_line(response_to_json(r)) + "\n" for r in clicks), "utf-8"
    )
    return Run(tmp_path / "run")


def data_of(folder: Path) -> dict[str, Any]:
    text = (folder / "items.js").read_text("utf-8")
    found: dict[str, Any] = json.loads(text.removeprefix("window.items=").removesuffix(";"))
    return found


def test_every_item_has_its_picture_what_was_meant_and_every_answer(run: Run, toys: Path, tmp_path: Path) -> None:
    assert write_place_pages(tmp_path / "page", run, toys) == 3
    data = data_of(tmp_path / "page")
    assert data["systems"] == [HOSTILE, "b", "people"]
    first = data["items"][0]
    assert first["size"] == [160, 120]
    assert (tmp_path / "page" / first["picture"]).is_file()
    assert first["given"]["0"] == [["found", first["meant"]]], "a mask is drawn as the box around it"
    assert first["given"]["1"] == [["refused", []]]
    assert [places for _, places in first["given"]["2"]] == [[[i, i]] for i in range(5)]
    assert len(list((tmp_path / "page" / "pictures").iterdir())) == 1, "three items share one picture"


def test_nothing_that_was_said_can_run(run: Run, tmp_path: Path) -> None:
    write_place_pages(tmp_path / "page", run)
    assert "<img src=x" not in (tmp_path / "page" / "items.js").read_text("utf-8")
    assert "innerHTML" not in (tmp_path / "page" / "index.html").read_text("utf-8")


def test_the_chapter_counts_outcomes_and_leads_to_the_page(run: Run) -> None:
    section = build_places_section("toys", run, 'page/"index".html')
    assert any("b: 3 refused" in text for text in section.texts)
    assert "page/&#34;index&#34;.html" in section.html


def test_the_command_writes_it_and_says_what_is_missing(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ground", "--page", str(run.folder), "--out", str(tmp_path / "page")]) == 0
    assert "3 items" in capsys.readouterr().out
    assert main(["ground", "--page", str(run.folder)]) == 2
    assert main(["ground"]) == 2
    assert main(["ground", "--page", str(tmp_path), "--out", str(tmp_path / "other")]) == 2


def test_a_run_without_places_is_told(tmp_path: Path) -> None:
    score(demo=True, metrics="set/dice", resamples=0, out=tmp_path / "run")
    with pytest.raises(InputError, match="no answer in this run has coordinates"):
        write_place_pages(tmp_path / "page", Run(tmp_path / "run"))


def test_a_report_of_answers_nobody_described_holds_no_court(run: Run, toys: Path, tmp_path: Path) -> None:
    """People who clicked answered what the corpus says, and no system that was scored: there is nobody to hold a court over, and the report says so."""
    assert main(["report", str(run.folder), "--pictures", str(toys), "--out", str(tmp_path / "report")]) == 0
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert "No court was held: hearers answered other systems than those that were scored." in page
    assert 'href="places/index.html"' in page
    assert (tmp_path / "report" / "places" / "items.js").is_file()


def test_a_folder_of_pictures_that_is_not_there_is_told(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = ["--pictures", str(tmp_path / "nowhere"), "--out", str(tmp_path / "page")]
    assert main(["ground", "--page", str(run.folder), *given]) == 2
    assert "no such folder of pictures" in capsys.readouterr().err
    assert not (tmp_path / "page").exists()
