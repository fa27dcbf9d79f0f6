"""A run while it grows: every item by page, the report on what is there, and the same order as on the static page."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest

from referee.cli import main
from referee.corpora.synthetic.corpus import generate_trials
from referee.errors import InputError
from referee.jobs.speak import Spoken
from referee.jobs.unfinished import RunPart, Unfinished
from referee.records import Description, Property
from referee.show.reports.report_sources import gather
from referee.show.viewer import run_view
from referee.show.viewer.run_view import RunView


@contextmanager
def viewing(path: Path) -> Iterator[RunView]:
    view = RunView(path)
    try:
        yield view
    finally:
        view.close()


def wait_for(fact: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("demo") / "run"
    assert main(["score", "--demo", "--metrics", "set/dice,string/edit", "--out", str(run)]) == 0
    return run


def test_pages_of_items_are_those_of_the_static_page(demo: Path) -> None:
    (material,) = gather([demo])
    with viewing(demo) as view:
        wait_for(lambda: view.composed)
        first = view.items({"measure": "set/dice", "order": "worst"})
        assert (first["found"], first["total"], len(first["items"])) == (780, 780, 25)
        worst = (
            material.items.filter(metric="set/dice")
            .group_by("trial")
            .agg(pl.col("value").mean())
            .sort("value")["value"]
        )
        assert first["values"] == pytest.approx(worst.to_list()[:25])
        falling = view.items({"measure": "string/edit", "order": "worst"})["values"]
        assert falling == sorted(falling, reverse=True), "the largest distance is the worst"
        second = view.items({"order": "run", "page": "1"})
        assert [r[0] for r in second["items"]] == material.trials["trial"].to_list()[25:50]


def test_words_of_people_and_systems_and_labels_narrow_the_list(demo: Path) -> None:
    with viewing(demo) as view:
        wait_for(lambda: view.composed)
        some = view.items({"order": "run", "domain": "people"})
        assert 0 < some["found"] < 780
        lines = [json.loads(line) for line in (demo / "outputs.jsonl").read_text("utf-8").splitlines()]
        said = lines[0]["text"]
        fitting = view.items({"order": "run", "words": said})
        expected = {o["trial"] for o in lines if all(w in json.dumps(o).lower() for w in said.lower().split())}
        assert fitting["found"] >= len(expected) > 0
        assert view.items({"order": "run", "words": "nobody says this"})["found"] == 0


def test_the_page_is_the_report_over_all_items(demo: Path) -> None:
    with viewing(demo) as view:
        wait_for(lambda: view.composed)
        page = view.page()
        assert '<section id="findings"' in page
        assert "connect-src 'self'" in page
        assert 'href="tables/' not in page, "there are no files beside it"
        assert view.state()["done"]
        assert view.state()["made"]


def test_a_run_under_way_is_shown_and_followed_to_its_end(tmp_path: Path) -> None:
    """Two systems of two folds; one part is done, then another, then the folder gets its name."""
    trials = list(generate_trials(40))
    run = Unfinished(tmp_path / "run")
    run.begin({"systems": ["one", "two"]}, trials, overwrite=False, restart=False)
    said = Description(properties=(Property("type", "chair"),), text="the chair")

    def keep(system: str, fold: int) -> None:
        asked = [t.id for t in trials[20 * fold : 20 * fold + 20]]
        run.keep(RunPart.of(system, asked, Spoken(descriptions=tuple((i, said) for i in asked), counts={})))

    keep("one", 0)
    with viewing(tmp_path / "run") as view:
        wait_for(lambda: view.composed)
        assert not view.state()["done"]
        assert "1 part of its systems done" in view.state()["said"]
        assert list(view.composed.systems if view.composed else ()) == ["one"]
        first = view.state()["made"]
        keep("two", 0)
        wait_for(lambda: view.state()["made"] != first)
        assert "2 parts" in view.state()["said"]
        item = view.items({"order": "run"})["items"][0]
        assert len(item[6]) == 2
        for system, fold in (("one", 1), ("two", 1)):
            keep(system, fold)
        run.finish(["one", "two"], trials, corpus={"name": "synthetic"}, kind="run")
        wait_for(lambda: view.state()["done"] and view.files.finished)
        assert view.items({"order": "run"})["total"] == 40


def test_a_large_run_has_its_scoreboard_at_once_and_is_not_compared(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("referee.show.viewer.run_view.LARGE", 10)
    with viewing(demo) as view:
        wait_for(lambda: view.composed and not view.reading)
        page = view.page()
        assert "too large to be compared item by item" in page
        assert 'id="table-scores-set"' in page
        assert view.items({"measure": "set/dice", "order": "worst"})["found"] == 780


def test_an_index_is_not_closed_while_somebody_asks_it(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is read anew just as a page of items is being made: that page is finished first."""
    with viewing(demo) as view:
        wait_for(lambda: view.state()["done"])
        old, count = view.index, view.index.count
        renewing = threading.Thread(target=view._read_new_lines, args=(view.files, view.files.state))

        def slowly(*asked: object) -> int:
            renewing.start()
            # Time enough to close it for whoever does not wait.
            renewing.join(0.2)
            return count(*asked)  # type: ignore[arg-type]

        monkeypatch.setattr(old, "count", slowly)
        assert view.items({"order": "run"})["found"] == 780
        renewing.join(60)
        assert view.index is not old
        assert view.items({"order": "run"})["found"] == 780


def test_a_run_is_not_done_before_the_report_on_all_of_it(demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that was made of an earlier state stops asking when it hears that all is done."""
    states: list[dict[str, object]] = []
    with viewing(demo) as view:
        wait_for(lambda: view.state()["done"])
        made = run_view.report_on

        def watched(*given: object) -> object:
            states.append(view.state())
            return made(*given)  # type: ignore[arg-type]

        monkeypatch.setattr(run_view, "report_on", watched)
        view._read_new_lines(view.files, "newer")
        assert [(s["done"], "being made" in str(s["said"])) for s in states] == [(False, True)]
        assert (view.state()["done"], view.state()["made"]) == (True, "newer")


def test_a_place_without_a_run_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(InputError, match="there is no run here"):
        RunView(tmp_path / "nothing")
    assert main(["view", str(tmp_path / "nothing"), "--no-browser"]) == 2
    assert "referee run" in capsys.readouterr().err
