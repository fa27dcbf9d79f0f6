"""Every page of every protocol as axe-core sees it (WCAG 2.2 A and AA, and its best practices): no findings.

Pages that need no server are opened as `study check` opens them, on a desktop and on a phone; rooms, replays and the
organisers' dashboard are served.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from study_in_browser import Visitor, chromium, make_study, serve

from machine import lacking
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.study.design import browser_look
from referee_lab.study.folder.demo_study import make_demo
from referee_lab.study.folder.screens import SCREENS

AXE = Path(__file__).parents[2] / "browser" / "node_modules" / "axe-core" / "axe.min.js"
FIND = "() => axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map((v) => `${v.id}: ${v.nodes[0].html}`))"
DAILY = ("asgre2007", "judgement", "ranking")
OPENED = (*DAILY, "tuna2008", "self-paced-reading", "open-choice", "production", "judgement-pairwise", "point", "refoi")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not AXE.is_file():
        lacking("needs axe-core: run `python browser/node.py npm ci` in packages/referee-lab")
    with chromium() as opened:
        yield opened


def find_faults(page: Page) -> list[str]:
    page.evaluate(AXE.read_text("utf-8"))
    return list(page.evaluate(FIND))


@pytest.mark.parametrize("protocol", [p if p in DAILY else pytest.param(p, marks=pytest.mark.long) for p in OPENED])
def test_no_page_of_a_protocol_has_a_fault(protocol: str, browser: Browser, tmp_path: Path) -> None:
    study = make_demo(tmp_path / "study", protocol, items=3, practice=1)
    layouts = browser_look._collect_layouts(study)
    plugins = {layout.step["plugin"] for layout in layouts}
    assert {"consent", "ending", "page", "form", study.kind.info.plugin} <= plugins
    # Cards of one word are in the demonstration only where the protocol shows none of the drawings.
    for screen in (SCREENS[0], SCREENS[-1]):
        page = browser_look._open_page(browser, study, screen)
        for layout in layouts:
            browser_look._show_layout(page, study, layout, screen, tmp_path / "shot.jpg")
            assert find_faults(page) == [], f"{layout.name} on a {screen.name}"
        page.context.close()


@pytest.fixture
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Served, str]]:
    make_demo(tmp_path / "served", request.param, id="served", participants=2, practice=0)
    opened = open_served(tmp_path / "served")
    with serve(opened) as address:
        yield opened, address


def go_to(visitor: Visitor, selector: str) -> None:
    """Through pages and questions to what matches a selector; every page on the way is examined."""
    visitor.page.locator(".page .actions .button").first.wait_for()
    assert find_faults(visitor.page) == []
    visitor.agree()
    while not visitor.page.locator(selector).count():
        visitor.wait()
        if (press := visitor.page.locator(".page .actions .button:enabled")).count():
            assert find_faults(visitor.page) == []
            press.last.click()
    visitor.page.locator(selector).first.wait_for()
    visitor.wait()


@pytest.mark.long
@pytest.mark.parametrize(
    ("served", "selector"),
    [("reference-game", ".room[data-phase=playing]"), ("tangram", ".room"), ("replay-identify", ".replay-trial")],
    indirect=["served"],
)
def test_rooms_and_replays_have_no_fault(selector: str, served: tuple[Served, str], browser: Browser) -> None:
    for screen in (SCREENS[0], SCREENS[2]):
        size = {"width": screen.width, "height": screen.height}
        visitor = Visitor.at(browser, f"{served[1]}/s/served/", viewport=size)
        go_to(visitor, selector)
        assert find_faults(visitor.page) == []
        visitor.context.close()


def test_the_dashboard_has_no_fault(browser: Browser, tmp_path: Path) -> None:
    opened = make_study(tmp_path / "study", "asgre2007", "organised")
    with serve(opened) as address:
        person = Visitor.at(browser, f"{address}/s/organised/?simulate=data-only")
        person.agree()
        expect(person.page.locator(".code").first).to_be_visible()
        assert find_faults(person.page) == []
        organiser = Visitor.at(browser, f"{address}/s/organised/organiser#{opened.keys.manage}")
        expect(organiser.page.locator("#people tbody tr")).to_have_count(1)
        assert find_faults(organiser.page) == []
