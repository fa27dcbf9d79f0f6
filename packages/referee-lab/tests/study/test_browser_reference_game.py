"""A reference game in real Chromium pages: nobody sees too much, a choice survives a reload, a lost network and a second window, nothing is covered."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crowd import ServerProcess, free_port
from playwright.sync_api import Browser, BrowserContext, Page, expect
from study_in_browser import chromium, enter_room

from real_chromium import PATIENCE_MS
from referee_lab.rooms.reference_store import load_game
from referee_lab.rooms.reference_study import make_reference_study
from referee_lab.rooms.room_files import list_rooms
from referee_lab.study.data.collection import open_for_reading
from referee_lab.study.folder.study import open_study
from referee_lab.tangram.players.reference_game import PlayedGame

SIZES = ((1280, 800), (1024, 700), (390, 844))
SMALL = {"group": 3, "repetitions": 1, "objects": 2, "speaker": "fixed", "feedback_seconds": 300.0}
BOXES = """() => Object.fromEntries(["room-head", "choice-players", "choice-say", "choice-grid", "chat", "chat-form", "room-banner"].map((name) => {
  const node = document.querySelector(`.${name}`), box = node?.getBoundingClientRect();
  return [name, box && box.height ? [box.left, box.top, box.right, box.bottom] : null];
}))"""
CELLS = "() => [...document.querySelectorAll('.choice')].map((c) => { const b = c.getBoundingClientRect(); return [b.width, b.height]; })"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def served(folder: Path, **changes: Any) -> ServerProcess:
    make_reference_study(folder, id="trio", settings={**SMALL, **changes})
    process = ServerProcess(folder, free_port())
    process.start()
    process.wait_until_up()
    return process


def come(context: BrowserContext, server: ServerProcess) -> Page:
    return enter_room(context.new_page(), server.port, "trio")


def sized(browser: Browser, width: int, height: int) -> BrowserContext:
    return browser.new_context(viewport={"width": width, "height": height})


def phase(page: Page, name: str) -> None:
    expect(page.locator(f".room[data-phase={name}]")).to_be_visible(timeout=PATIENCE_MS)


def say(page: Page, text: str) -> None:
    page.locator(".chat-field").fill(text)
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".chat-list .mine .chat-text").last).to_have_text(text)


def press(page: Page, label: str) -> None:
    page.locator(f".choice[data-object='{label}']").click()


def is_chosen(page: Page, label: str) -> None:
    expect(page.locator(f".choice.chosen[data-object='{label}']")).to_be_visible()
    expect(page.locator(".choice:enabled")).to_have_count(0)


def game_of(folder: Path) -> PlayedGame:
    """What was played in the only room of a study."""
    study = open_study(folder)
    with open_for_reading(study, None) as connection:
        (room,) = list_rooms(connection, study)
        return load_game(connection, room.id)


def test_one_person_and_two_programs_play_to_the_end(browser: Browser, tmp_path: Path) -> None:
    server = served(tmp_path / "trio", bots=2, begins="bot", limit_seconds=60.0)
    context = sized(browser, 1280, 800)
    try:
        page = come(context, server)
        for number in range(2):
            expect(page.locator(f".room[data-phase=playing][data-round='{number}']")).to_be_visible()
            expect(page.locator(".choice:enabled")).to_have_count(12, timeout=PATIENCE_MS)
            assert page.locator(".choice.target").count() == 0
            page.locator(".choice").first.click()
            phase(page, "between")
            expect(page.locator(".choice.target")).to_have_count(1)
            page.locator(".choice-next button").click()
        phase(page, "over")
        page.get_by_role("button", name="Go on").click()
        expect(page.locator(".room")).to_have_count(0)
        context.close()
    finally:
        server.stop()
    game = game_of(tmp_path / "trio")
    assert (game.outcome, [len(r.choices) for r in game.rounds]) == ("completed", [2, 2])


@pytest.mark.long
def test_three_people_play_and_a_choice_survives_whatever_happens_to_a_page(browser: Browser, tmp_path: Path) -> None:
    server = served(tmp_path / "trio", grace_seconds=60.0)
    contexts = [sized(browser, *size) for size in SIZES]
    try:
        pages = [come(context, server) for context in contexts]
        for page in pages:
            phase(page, "playing")
        roles = [page.locator(".room").get_attribute("data-role") for page in pages]
        speaker = pages[roles.index("speaker")]
        one, two = (page for page, role in zip(pages, roles, strict=True) if role == "listener")
        target = str(speaker.locator(".choice.target").get_attribute("data-object"))
        orders = [
            page.evaluate("[...document.querySelectorAll('.choice')].map((c) => c.dataset.object)") for page in pages
        ]
        assert len({tuple(order) for order in orders}) > 1
        expect(one.locator(".choice:enabled")).to_have_count(0)
        say(speaker, "the one with the long neck")
        expect(one.locator(".choice-note")).to_contain_text("Which picture")
        for width, height in SIZES:
            for page in (speaker, one):
                page.set_viewport_size({"width": width, "height": height})
                check_the_screen(page, width, height)
        press(one, target)
        is_chosen(one, target)
        expect(one.locator(".room[data-pending='0']")).to_be_visible()
        # Reloaded, the page is back in the round, and the choice is made and locked.
        one.reload()
        phase(one, "playing")
        is_chosen(one, target)
        assert two.locator(".choice.target").count() == 0
        # Chosen while the network is gone: nobody knows of it until it is back, and then it counts.
        two.context.set_offline(True)
        press(two, target)
        expect(two.locator(".room-banner")).to_be_visible()
        expect(speaker.locator(".choice-note")).to_have_text("1 of 2 have chosen.")
        two.context.set_offline(False)
        for page in pages:
            phase(page, "between")
        expect(speaker.locator(".choice-note")).to_have_text("2 of 2 chose the right one.")
        expect(one.locator(".choice-note")).to_have_text("Right!")
        for width, height in SIZES:
            one.set_viewport_size({"width": width, "height": height})
            check_the_screen(one, width, height)
        for page in pages:
            page.locator(".choice-next button").click()
        for page in pages:
            expect(page.locator(".room[data-round='1'][data-phase=playing]")).to_be_visible()
        say(speaker, "the other one")
        target = str(speaker.locator(".choice.target").get_attribute("data-object"))
        press(one, target)
        is_chosen(one, target)
        # A second window takes over, with the choice; the first one gives way.
        again = one.context.new_page()
        again.set_default_timeout(PATIENCE_MS)
        again.goto(f"http://127.0.0.1:{server.port}/s/trio/")
        again.get_by_role("button").last.click()
        phase(again, "playing")
        is_chosen(again, target)
        expect(one.locator(".room")).to_have_count(0)
        press(two, next(label for label in orders[0] if label != target))
        for page in (speaker, again, two):
            phase(page, "between")
        expect(again.locator(".choice-who i.bad")).to_have_count(1)
        for page in (speaker, again, two):
            page.locator(".choice-next button").click()
        for page in (speaker, again, two):
            phase(page, "over")
        for context in contexts:
            context.close()
    finally:
        server.stop()
    game = game_of(tmp_path / "trio")
    assert [sorted(str(c.right) for c in r.choices) for r in game.rounds] == [["True", "True"], ["False", "True"]]


def check_the_screen(page: Page, width: int, height: int) -> None:
    """Nothing covers anything, all pictures are large enough for a finger, and large windows need no scrolling."""
    boxes = page.evaluate(BOXES)
    for name in ("room-head", "choice-say", "choice-grid", "chat", "chat-form"):
        assert boxes[name], name
        assert boxes[name][0] >= -1, name
        assert boxes[name][2] <= width + 1, name
    assert boxes["choice-say"][3] <= boxes["choice-grid"][1] + 1
    assert min(min(cell) for cell in page.evaluate(CELLS)) >= 44
    if width > 820:
        assert max(box[3] for box in boxes.values() if box) <= height + 1
        assert boxes["choice-grid"][2] <= boxes["chat"][0] + 1
    else:
        assert boxes["choice-grid"][3] <= boxes["chat"][1] + 1
