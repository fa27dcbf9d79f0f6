"""The replay page in a real Chromium: stored states to the frame, no network, nothing to write to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page
from study_in_browser import chromium

from referee.records import Event
from referee_lab.tangram.desk.replay_page import build_session_page
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.dialogue_film import number_pieces
from referee_lab.tangram.game.dialogue_sessions import DialogueSession
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import Recording, find_state
from referee_lab.tangram.game.rules import SETTINGS
from referee_lab.tangram.tiers.dialogue import Dialogue
from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue


def page_of(recording: Recording) -> str:
    return build_session_page(DialogueSession(recording, convert_to_dialogue(recording)))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def recording() -> Recording:
    return play_bot_game(GOALS["eagle"], 2, {**SETTINGS, "hints_ms": (15_000, 30_000)})


@pytest.fixture
def page(browser: Browser, recording: Recording, tmp_path: Path) -> Iterator[Page]:
    file = tmp_path / "replay.html"
    file.write_text(page_of(recording), encoding="utf-8")
    context = browser.new_context(viewport={"width": 1200, "height": 800})
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.on(
        "request", lambda request: None if request.url.startswith(("file:", "data:")) else problems.append(request.url)
    )
    page.goto(file.as_uri())
    yield page
    assert problems == []
    context.close()


def test_the_states_in_the_browser_are_those_of_the_log_at_any_time(page: Page, recording: Recording) -> None:
    rng = Random(7)
    times = [0.0, *(rng.uniform(0, 120_000) for _ in range(12))]
    for t_ms in times:
        moment = find_state(recording, t_ms)
        assert moment is not None
        assert page.evaluate("t => replay.hash(t)", t_ms) == moment.board.hash()
        seen = page.evaluate("t => replay.cursor(t)", t_ms)
        assert seen == (None if moment.cursor is None else list(moment.cursor))


def test_what_is_drawn_is_the_state_of_the_time_shown(page: Page, recording: Recording) -> None:
    page.evaluate("replay.seek(47000)")
    moment = find_state(recording, 47_000)
    assert moment is not None
    for piece, placed in moment.board.placements.items():
        group = page.locator(f'[data-piece="{piece}"]')
        assert group.get_attribute("transform") == f"translate({placed.x:g} {placed.y:g})"
    drawn = page.eval_on_selector_all(".board-piece", "nodes => nodes.map(node => node.dataset.piece)")
    assert drawn == list(moment.board.order)


def test_one_frame_on_and_back_is_the_same_place(page: Page) -> None:
    page.evaluate("replay.seek(20000)")
    page.keyboard.press("ArrowRight")
    after = page.evaluate("replay.time()")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("replay.time()") == after > 20_000


def test_it_plays_at_the_speed_that_was_chosen_and_stops_when_told(page: Page) -> None:
    page.get_by_label("Speed").select_option("8")
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("() => replay.time() > 3000")
    page.get_by_role("button", name="Pause").click()
    stopped = page.evaluate("replay.time()")
    page.wait_for_timeout(200)
    assert page.evaluate("replay.time()") == stopped


def test_cursor_and_numbers_can_be_switched(page: Page) -> None:
    page.evaluate("replay.seek(20000)")
    cursor = page.locator(".board-cursor")
    assert cursor.get_attribute("visibility") == "visible"
    page.keyboard.press("c")
    assert cursor.get_attribute("visibility") == "hidden"
    assert not page.locator(".board-number").first.is_visible()
    page.keyboard.press("n")
    assert page.locator(".board-number").first.is_visible()


def test_a_line_of_the_transcript_leads_to_its_moment_with_its_subtitle(page: Page) -> None:
    line = page.locator(".transcript .line").nth(2)
    line.click()
    assert "current" in (line.get_attribute("class") or "")
    assert line.locator(".line-text").inner_text() in page.locator(".caption").inner_text()


def test_the_solvers_hints_appear_when_they_were_given(page: Page) -> None:
    assert page.locator(".goal-hint").count() == 0
    page.evaluate("replay.seek(28000)")
    assert page.locator(".goal-hint").count() == 1
    assert "hint 1" in page.locator(".goal-panel figcaption").inner_text()


def test_words_of_players_are_words_on_the_page(browser: Browser, recording: Recording, tmp_path: Path) -> None:
    from dataclasses import replace

    hostile = "</script><img src=x onerror=alert(1)> that one"
    entries = [
        replace(e, data={**e.data, "text": hostile, "expressions": []}) if e.kind == "say" else e
        for e in recording.entries
    ]
    file = tmp_path / "hostile.html"
    file.write_text(page_of(Recording(recording.header, tuple(entries))), encoding="utf-8")
    page = browser.new_page()
    page.goto(file.as_uri())
    assert page.locator(".line-text").first.inner_text() == hostile
    assert page.locator("img").count() == 0
    page.close()


@pytest.mark.parametrize("named", ["letters", "numbers"])
def test_a_dialogue_without_positions_is_drawn_with_pieces_of_any_name(
    browser: Browser, tmp_path: Path, named: str
) -> None:
    # As in PENTOCV, whose pieces go by letters, and by 1 to 12 in clips; the Tangram's page knows 1 to 7 and 11 to 22 only.
    pieces = {letter: {"shape": letter, "colour": "red"} for letter in "FILNPTUVWXYZ"}
    hand = Event(kind="mouse", by="operator", entities=("U",), start_ms=500, end_ms=900)
    said = Event(kind="utterance", by="solver", text="das U", start_ms=100, end_ms=400)
    dialogue = Dialogue(id="d", pair="p", pieces=pieces, events=(said, hand), language="de")
    file = tmp_path / "drawn.html"
    file.write_text(
        build_session_page(DialogueSession(None, dialogue if named == "letters" else number_pieces(dialogue))), "utf-8"
    )
    page = browser.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector(".board-piece")
    assert page.locator(".board-piece polygon").count() == 12
    corners = page.locator(f'[data-piece="{"U" if named == "letters" else "7"}"] polygon').get_attribute("points")
    assert len((corners or "").split()) == 8
    assert problems == []
    page.close()


def test_a_phone_needs_no_sideways_scrolling(page: Page) -> None:
    page.set_viewport_size({"width": 375, "height": 760})
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
