"""Pictures with regions in the report, in a real Chromium: the way there, filters, few items at a time, and usable by all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from real_chromium import open_chromium
from referee.cli import main
from referee.corpora.jsonl import read_trials, response_to_json, write_json_line
from referee.corpora.synthetic.solids import Solids, write_solids
from referee.geometry import Convention, Order, Point
from referee.grounding.marks import bounds_of
from referee.records import Outcome, Response


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """70 items on 35 pictures: one system is right about all, one refuses every tenth; people clicked on the first."""
    folder = tmp_path_factory.mktemp("places")
    write_solids(folder / "toys", Solids(scenes=35, solids=2, width=96, height=64))
    trials = list(read_trials(folder / "toys" / "trials.jsonl"))
    lines = []
    for i, trial in enumerate(trials):
        box = list(bounds_of(trial.scene.entity(trial.targets[0]).region, None))  # type: ignore[arg-type]
        lines.append({"trial": trial.id, "system": "right", "box": box, "in": "pixels xyxy"})
        shy = {"outcome": "refused"} if i % 10 == 0 else {"point": [0, 0], "in": "pixels xy"}
        lines.append({"trial": trial.id, "system": "shy", **shy})
    (folder / "answers.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    asked = ["score", str(folder / "answers.jsonl"), "--corpus", str(folder / "toys"), "--metrics", "ground/point"]
    assert main([*asked, "--out", str(folder / "run")]) == 0
    xy = Convention(order=Order.XY)
    clicks = [
        Response(trial=trials[0].id, hearer=f"p{i}", outcome=Outcome.POINT, places=(Point((40 + i, 30), xy),))
        for i in range(6)
    ]
    heard = "".join(f"{write_json_line(response_to_json(r))}\n" for r in clicks)
    (folder / "run" / "responses.jsonl").write_text(heard, "utf-8")
    out = folder / "report"
    assert main(["report", str(folder / "run"), "--pictures", str(folder / "toys"), "--out", str(out)]) == 0
    return out


@pytest.fixture
def page(chromium: Browser, report: Path) -> Iterator[Page]:
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    page.goto((report / "index.html").as_uri())
    yield page
    page.close()


def open_items(page: Page) -> None:
    page.locator("nav a", has_text="Where they pointed").click()
    page.get_by_role("link", name="Every item with its picture").click()
    expect(page.locator("figure").first).to_be_visible()


def test_the_report_leads_to_every_item_with_its_picture(page: Page) -> None:
    open_items(page)
    first = page.locator("figure").first
    assert first.locator("img").evaluate(
        "async (i) => { await i.decode(); return [i.naturalWidth, i.naturalHeight]; }"
    ) == [
        96,
        64,
    ]
    # What was meant twice (white under black), a box, no place of the one who refused, and six clicks.
    assert first.locator("svg rect").count() == 3
    assert first.locator("svg circle").count() == 6
    expect(first).to_contain_text("refused")


def test_few_items_are_built_at_a_time(page: Page) -> None:
    open_items(page)
    expect(page.locator("figure")).to_have_count(60)
    expect(page.get_by_role("status")).to_have_text("70 of 70 items; page 1 of 2")
    assert page.locator("img").first.get_attribute("loading") == "lazy"
    page.get_by_role("button", name="next").click()
    expect(page.locator("figure")).to_have_count(10)


def test_items_are_chosen_by_who_and_by_outcome(page: Page) -> None:
    open_items(page)
    page.get_by_label("outcome").select_option("refused")
    expect(page.get_by_role("status")).to_contain_text("7 of 70 items")
    page.get_by_label("answers of").select_option(label="right")
    expect(page.get_by_role("status")).to_contain_text("0 of 70 items")
    page.get_by_label("outcome").select_option("found")
    expect(page.get_by_role("status")).to_contain_text("70 of 70 items")


@pytest.mark.parametrize("width", [1200, 360])
def test_axe_finds_nothing_serious_on_it(page: Page, width: int) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.set_viewport_size({"width": width, "height": 800})
    open_items(page)
    found = Axe().run(page).response["violations"]
    assert [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found if v["impact"] in ("serious", "critical")] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
