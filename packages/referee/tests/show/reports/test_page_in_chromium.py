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
from small_runs import chatty, colour, exact, make_run, material_of, trials

from real_chromium import open_chromium
from referee.cli import main
from referee.show.reports.page import Part, as_page
from referee.show.reports.sections import build_sections

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
    assert page.locator("figure .drawing").count() == 6
    assert page.locator("figure .drawing svg.marks").count() == 6
    assert problems == []
    expect(page.locator(".banner")).to_contain_text("SYNTHETIC")


def test_hostile_text_is_shown_and_does_nothing(page: Page, problems: list[str]) -> None:
    page.locator("#items-browser input[type=search]").fill("hacked")
    page.locator("#items-browser summary").first.click()
    expect(page.locator("#items-browser td", has_text="window.hacked").first).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert page.locator("img:not(.thing > img)").count() == 0
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
    assert first.locator(".thing").count() == 2
    expect(first.locator(".thing.target img")).to_have_attribute("alt", re.compile("target; x, .*colour red"))
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
    page.locator("details.more", has_text="string measures").locator("summary").click()
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
    expect(page.locator("#items-gallery .card").first).to_be_visible()
    # Not "screen", which would lay the paper out as a screen.
    page.emulate_media(media="null")
    pages = len(re.findall(rb"/Type\s*/Page[^s]", page.pdf(format="A4")))
    assert 2 < pages < 12, "everything but the browser, closed chapters included"
    assert page.locator("details.chapter[open]").count() == 0, "closed again afterwards"


def test_it_opens_with_what_was_found_and_the_rest_is_closed(page: Page) -> None:
    assert page.locator("main section").first.get_attribute("id") == "findings"
    expect(page.locator("#findings p").first).to_contain_text("exact has the highest set/dice (1.000")
    expect(page.locator("#figure-findings svg.marks")).to_be_visible()
    expect(page.locator("#figure-scores-by-domain")).to_be_hidden()
    page.locator("nav a", has_text="By domain").click()
    expect(page.locator("#figure-scores-by-domain")).to_be_visible()


@pytest.mark.parametrize("scheme", ["dark", pytest.param("light", marks=pytest.mark.long)])
def test_axe_finds_nothing_serious(page: Page, scheme: Any) -> None:
    """axe-core's rules for WCAG 2.2 A and AA and its best practices, with every chapter and one item open."""
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.querySelectorAll('main details').forEach((d) => { d.open = true; })")
    page.locator("#items-browser .picture").first.wait_for()
    found = Axe().run(page).response["violations"]
    bad = [f"{v['id']}: {v['nodes'][0]['html'][:160]}" for v in found if v["impact"] in ("serious", "critical")]
    assert bad == []


def test_dark_rooms_get_a_dark_page(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    ground, ink = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert ground == "rgb(20, 24, 29)"
    title = page.locator("#figure-findings svg.marks text").first
    assert title.evaluate("(node) => getComputedStyle(node).fill") == ink, "figures follow without being drawn anew"


def test_fourteen_systems_fit_on_a_short_page(chromium: Browser, tmp_path: Path) -> None:
    says = {f"system-{i:02}": (lambda t, i=i: exact(t) if t % (i + 2) else colour(t)) for i in range(14)}
    material = material_of(tmp_path / "run", says, corpus=trials(30))
    part = Part(title="fourteen", sections=tuple(build_sections(material)))
    (tmp_path / "page.html").write_text(as_page([part], title="fourteen", made="today"), "utf-8")
    page = chromium.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    page.wait_for_selector("body[data-drawn]")
    assert page.evaluate("document.documentElement.scrollHeight") < 6000
    page.close()


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
