"""The report in a real Chromium: offline, clickable, usable by keyboard, on a phone and on paper."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from small_runs import chatty, colour, exact, make_run, trials

from real_chromium import open_chromium
from referee.cli import main

HOSTILE = '</script><script>window.hacked = 1</script><img src=x onerror="window.hacked = 1">'


def half(i: int) -> dict[str, Any]:
    """Far off on the trials 3 and 4, hostile on 5."""
    if i in (3, 4):
        return {"properties": [["size", "large"]], "text": "large thing"}
    return {"properties": [["colour", "red"], ["type", "chair"]], "text": HOSTILE} if i == 5 else exact(i)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty trials, four systems of which one has a hostile name; the trials 4 and 3 are the worst."""
    folder = tmp_path_factory.mktemp("chromium")
    corpus = [replace(t, meta=MappingProxyType({"synthetic": True})) for t in trials(30)]
    systems = {"half": half, "exact": exact, "colour": lambda i: colour(i) if i % 3 else exact(i), HOSTILE: chatty}
    run = make_run(folder / "run", systems, corpus=corpus, by=("domain", "condition"))
    assert main(["report", str(run), "--out", str(folder / "report"), "--style", "tuna2008"]) == 0
    return folder / "report"


@pytest.fixture
def problems() -> list[str]:
    return []


@pytest.fixture
def page(chromium: Browser, report: Path, problems: list[str]) -> Iterator[Page]:
    """The page with its figures drawn; whatever it complains about or asks the network for is a problem."""
    page = chromium.new_page(viewport={"width": 1200, "height": 900})
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("request", lambda request: problems.append(request.url) if not request.url.startswith("file:") else None)
    page.goto((report / "index.html").as_uri())
    page.wait_for_selector("body[data-drawn]", timeout=120_000)
    yield page
    page.close()


def choice(page: Page, label: str) -> Locator:
    return page.locator("#items-browser label", has_text=label).locator("select")


def test_it_opens_offline_without_complaint_and_draws_every_figure(page: Page, problems: list[str]) -> None:
    assert page.locator("figure").count() == 5
    assert page.locator("figure svg").count() == 5
    assert problems == []
    expect(page.locator(".banner")).to_contain_text("SYNTHETIC")


def test_hostile_text_is_shown_and_does_nothing(page: Page, problems: list[str]) -> None:
    page.locator("#items-browser input[type=search]").fill("hacked")
    page.locator("#items-browser summary").first.click()
    expect(page.locator("#items-browser td", has_text="window.hacked").first).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img").count() == 0
    assert problems == []


def test_the_worst_items_come_first_and_the_order_can_be_turned(page: Page) -> None:
    items = page.locator("#items-browser summary .id")
    assert items.all_text_contents()[:2] == ["t4", "t3"]
    assert items.count() == 25, "one page of thirty"
    choice(page, "Order").select_option("best")
    assert not {"t3", "t4"} & set(items.all_text_contents()[:10])
    choice(page, "Order").select_option("worst")
    choice(page, "Measure").select_option(label="string/edit")
    assert items.all_text_contents()[0] == "t5", "the hostile words are the longest way from anybody's"
    choice(page, "System").select_option(label="colour")
    choice(page, "Measure").select_option(label="set/dice")
    worst = [int(i[1:]) for i in items.all_text_contents()[:20]]
    assert all(i % 3 for i in worst), "every third time, colour says what people say"


def test_an_opened_item_shows_scene_people_systems_and_scores(page: Page) -> None:
    first = page.locator("#items-browser details").first
    first.locator("summary").click()
    expect(first.locator(".entity.target")).to_contain_text("colour: red")
    assert first.locator(".entity").count() == 2
    expect(first.locator(".people")).to_contain_text("the red chair")
    row = first.locator("tbody tr", has_text="half")
    expect(row).to_contain_text("large thing")
    expect(row).to_contain_text("size:large")
    expect(row.locator("td.number").first).to_have_text("0.000")


def test_search_and_filters_narrow_the_list(page: Page) -> None:
    count = page.locator("#items-browser .count")
    page.get_by_label("Search items").fill("large thing")
    expect(count).to_have_text("1–2 of 2 found")
    page.get_by_label("Search items").fill("nothing says this")
    expect(count).to_have_text("no item fits")
    page.get_by_label("Search items").fill("")
    choice(page, "Domain").select_option("b")
    expect(count).to_have_text("1–15 of 15 found")


def test_the_keyboard_reaches_everything(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    assert page.locator("#items-browser details[open] .id").all_text_contents() == ["t3"]
    page.keyboard.press("n")
    expect(page.locator("#items-browser .count")).to_have_text("26–30 of 30")
    page.keyboard.press("p")
    expect(page.locator("#items-browser .count")).to_have_text("1–25 of 30")
    page.keyboard.press("g")
    assert page.evaluate("window.scrollY") == 0


def test_column_heads_sort_the_scoreboard(page: Page) -> None:
    table = page.locator("#table-scores-string table")
    names = table.locator("tbody th")
    table.locator("thead button", has_text="edit").click()
    assert names.all_text_contents()[-1] == "exact", "largest distance first"
    table.locator("thead button", has_text="edit").click()
    assert names.all_text_contents()[0] == "exact"
    assert table.locator("th[aria-sort=ascending]").count() == 1


def test_nothing_hangs_over_on_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    page.reload()
    page.wait_for_selector("body[data-drawn]", timeout=120_000)
    page.locator("#items-browser summary").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_paper_gets_results_without_controls(page: Page) -> None:
    page.emulate_media(media="print")
    expect(page.locator("nav")).to_be_hidden()
    expect(page.locator("#items-browser")).to_be_hidden()
    expect(page.locator("#table-scores-set table")).to_be_visible()
    assert len(page.pdf()) > 10_000


def test_every_link_leads_somewhere(page: Page, report: Path) -> None:
    for link in page.locator("a[href]").all():
        target = link.get_attribute("href") or ""
        if target.startswith("#"):
            assert page.locator(f'[id="{target[1:]}"]').count() == 1, target
        else:
            assert (report / target).is_file(), target


def test_colours_are_told_apart_without_colour_vision(page: Page) -> None:
    """Groups differ in shape as well as in colour, and their colours are Okabe & Ito's."""
    drawn = page.locator("#figure-scores-by-domain").inner_html()
    assert "#0072B2" in drawn
    assert "#D55E00" in drawn
    marks = re.findall(
        r'<path aria-label="[^"]*" role="graphics-symbol" aria-roledescription="point"[^>]* d="([^"]*)"', drawn
    )
    assert len({re.sub(r"[-\d.]+", "#", path) for path in marks}) > 1
