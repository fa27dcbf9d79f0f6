"""What people see at the door and on their device: buttons in sight, cards whole, one heading, a page with a code for whoever cannot take part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from study_in_browser import Visitor, chromium, make_study, serve
from test_people_and_payment import QUESTIONS

from referee_lab.server.sessions.doors import Doors, set_doors
from referee_lab.server.sessions.served_study import Served, open_served

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
INSIDE = "node => { const b = node.getBoundingClientRect(); return b.top >= 0 && b.left >= 0 && b.bottom <= innerHeight && b.right <= innerWidth; }"


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Served]:
    folder = tmp_path_factory.mktemp("doors")
    live = {"mode": '"live"', "platform": '"prolific"', "screened_out": '"OUT1"', "closed": '"CLOSED1"'}
    made = {"pair": make_study(folder / "pair", "judgement-pairwise", "pair", language="de")}
    make_study(folder / "ask", "tuna2008", "ask", changes=live).store.close()
    (folder / "ask" / "texts" / "en" / "before.toml").write_text(QUESTIONS, "utf-8")
    made["ask"] = open_served(folder / "ask", accept_changes=True)
    made["closed"] = make_study(folder / "closed", "tuna2008", "closed", changes=live)
    set_doors(folder / "closed", Doors(closed=True))
    made["desk"] = make_study(folder / "desk", "tuna2008", "desk", changes={**live, "devices": '["computer"]'})
    return made


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def site(studies: dict[str, Served]) -> Iterator[str]:
    with serve(*studies.values()) as address:
        yield address


def test_a_phone_shows_both_cards_whole_in_the_studys_language(browser: Browser, site: str) -> None:
    person = Visitor.at(browser, f"{site}/s/pair/", **PHONE)
    person.page.get_by_role("button", name="Ich stimme zu").click()
    person.go_to("compare")
    cards = person.page.locator(".card")
    assert [card.evaluate(INSIDE) for card in cards.all()] == [True, True]
    assert person.page.locator("h1").count() == 1
    mode = person.page.locator(".bar-mode")
    assert mode.evaluate("n => n.scrollWidth <= n.clientWidth && n.getBoundingClientRect().bottom <= 61"), "whole"
    assert person.problems == []
    person.context.close()


def test_buttons_of_the_consent_are_in_sight_and_a_wrong_answer_ends_with_its_code(browser: Browser, site: str) -> None:
    person = Visitor.at(browser, f"{site}/s/ask/?PROLIFIC_PID=5f1a", viewport={"width": 1280, "height": 800})
    agree = person.page.get_by_role("button", name="I agree")
    agree.wait_for()
    assert agree.evaluate(INSIDE)
    expect(person.page.locator(".later-code")).to_have_count(1)
    assert person.page.locator("h1").count() == 1
    agree.click()
    person.page.get_by_label("no", exact=True).check()
    person.page.get_by_role("button", name="Continue").click()
    expect(person.page.locator(".code").first).to_have_text("OUT1")
    expect(person.page.get_by_role("link", name="Back to the recruitment platform")).to_be_visible()
    person.page.reload()
    expect(person.page.locator(".code").first).to_have_text("OUT1")
    person.context.close()


@pytest.mark.parametrize(
    ("study", "device", "code", "words"),
    [("closed", {}, "CLOSED1", "This study is closed."), ("desk", PHONE, "OUT1", "cannot be done with this device")],
)
def test_who_cannot_come_in_sees_why_and_the_platforms_code(
    browser: Browser, site: str, study: str, device: dict[str, object], code: str, words: str
) -> None:
    person = Visitor.at(browser, f"{site}/s/{study}/?PROLIFIC_PID=5f1a", **device)
    expect(person.page.locator(".code")).to_have_text(code)
    expect(person.page.get_by_text(words)).to_be_visible()
    person.context.close()
