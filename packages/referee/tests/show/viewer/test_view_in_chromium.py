"""`referee view` in a real Chromium: playing with a scene at 1280 and 390 pixels, sharing it, and a run by page."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from real_chromium import open_chromium
from referee.cli import main
from referee.show.viewer.local_server import LocalServer
from referee.show.viewer.playground import Playground, play_routes
from referee.show.viewer.run_view import RunView


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with LocalServer(play_routes(Playground()), 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.address
        server.shutdown()


@pytest.fixture(params=[(1280, "light"), (390, "dark")], ids=["desk", "phone"])
def page(chromium: Browser, address: str, request: pytest.FixtureRequest) -> Iterator[Page]:
    width, scheme = request.param
    page = chromium.new_page(viewport={"width": width, "height": 840}, color_scheme=scheme)
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(address)
    page.wait_for_selector("body[data-answered]")
    yield page
    page.close()
    assert problems == []


def card(page: Page, name: str) -> Any:
    return page.locator(".card", has=page.locator("h3", has_text=re.compile(f"^{name}$")))


def test_playing_with_a_scene(page: Page) -> None:
    said = card(page, "classic/incremental").locator(".said")
    expect(said).to_have_text("“the large red chair”")
    page.locator(".stage [data-id=c]").click()
    expect(said).to_have_text("“the sofa”")
    page.locator(".stage [data-id=d]").focus()
    page.keyboard.press("Enter")
    expect(said).to_have_text("“the small red chair”")
    page.locator(".inspector label", has_text="colour").locator("select").select_option("green")
    expect(said).to_have_text("“the green chair”")
    page.get_by_text("Add one like it").click()
    expect(page.locator(".stage .thing")).to_have_count(6)
    expect(said).to_contain_text("the green chair in the", timeout=20_000)  # only their places tell the two apart
    page.locator(".stage [data-id=f]").focus()
    page.keyboard.press("Delete")
    expect(page.locator(".stage .thing")).to_have_count(5)
    before = page.locator(".stage [data-id=d]").evaluate("(node) => node.style.left")
    page.locator(".stage [data-id=d]").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".stage [data-id=d]")).not_to_have_attribute("style", re.compile(f"left: {re.escape(before)}"))
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]


def test_dragging_moves_an_object_to_another_cell(page: Page) -> None:
    box = page.locator(".stage [data-id=a]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * 2.5, steps=4)
    page.mouse.up()
    moved = page.locator(".stage [data-id=a]")
    expect(moved).not_to_have_attribute("style", re.compile(r"top: 1\.\d+%"))
    assert moved.bounding_box()["y"] == pytest.approx(box["y"] + 2 * box["height"], abs=4)  # type: ignore[index]


def test_why_is_shown_step_by_step_and_ones_own_words_are_heard(page: Page) -> None:
    mine = card(page, "classic/incremental")
    mine.locator(".step").nth(0).click()
    expect(mine.locator(".thing.gone")).to_have_count(2)
    mine.locator(".step").nth(2).click()
    expect(mine.locator(".thing.gone")).to_have_count(4)
    page.get_by_label("Your own description").fill("the blue chair")
    own = page.locator(".card.own")
    expect(own.locator("img[alt*='b, type chair, colour blue']")).to_have_attribute(
        "alt", re.compile("chosen by literal 100%")
    )


def test_a_link_holds_the_scene_and_a_broken_one_says_what_is_wrong(page: Page, address: str) -> None:
    page.locator(".stage [data-id=e]").click()
    expect(page.locator(".inspector h2")).to_have_text("The target: e")
    page.wait_for_function("location.hash.length > 20")
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator(".inspector h2")).to_have_text("The target: e")
    for broken, said in (
        (link[: len(link) - 40], "its end is missing"),
        (f"{address}#scene=%%%", "letters, digits"),
        (f"{address}#scene=e30", "it holds no scene"),
    ):
        page.goto("about:blank")
        page.goto(broken)
        expect(page.locator(".notice")).to_contain_text("This link is broken: ")
        expect(page.locator(".notice")).to_contain_text(said)
        expect(page.locator(".stage .thing")).to_have_count(5)


def test_axe_finds_nothing_serious_where_one_plays(page: Page) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:160]) for v in found if v["impact"] in ("serious", "critical")] == []


def test_a_run_is_read_by_page(chromium: Browser, tmp_path: Path) -> None:
    run = tmp_path / "run"
    assert main(["score", "--demo", "--metrics", "set/dice", "--out", str(run)]) == 0
    view = RunView(run)
    with LocalServer(view.routes(), 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = chromium.new_page(viewport={"width": 1280, "height": 840})
        page.goto(server.address)
        expect(page.locator("#findings")).to_be_visible()
        expect(page.locator("#items-browser .count")).to_have_text("1–25 of 780")
        page.get_by_label("Search items").fill("nobody says this")
        expect(page.locator("#items-browser .count")).to_have_text("no item fits")
        page.get_by_label("Search items").fill("")
        page.locator("#items-browser summary").first.click()
        expect(page.locator("#items-browser .picture").first).to_be_visible()
        page.close()
        server.shutdown()
    view.close()
