"""The annotator in a real Chromium: by keys and by mouse, everything saved at once, two annotators and a decision between them."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from playwright.sync_api import Browser, Page
from study_in_browser import chromium, wait_for

from referee_lab.tangram.desk.annotation_desk import Desk, create_desk_app
from referee_lab.tangram.game.bot_games import play_bot_game
from referee_lab.tangram.game.goals import GOALS
from referee_lab.tangram.game.log import format_recording
from referee_lab.tangram.tiers.annotations import Annotation, ExpressionMark, make_annotation_path, parse_annotation

TOKEN = "only-for-this-test"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_text(format_recording(play_bot_game(GOALS["house"], 1)), encoding="utf-8")
    return path


@contextmanager
def _desk(desk: Desk, browser: Browser) -> Iterator[Page]:
    server = uvicorn.Server(uvicorn.Config(create_desk_app(desk, TOKEN), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not (server.started and server.servers):
        time.sleep(0.02)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/#{TOKEN}"
    page = browser.new_page(viewport={"width": 1300, "height": 850})
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(address)
    page.wait_for_selector(".sentence .token")
    assert TOKEN not in page.url
    yield page
    assert problems == []
    page.close()
    server.should_exit = True
    thread.join(10)


def _on_file(recording: Path, name: str) -> Annotation:
    path = make_annotation_path(recording, name)
    return (
        parse_annotation(path.read_text(encoding="utf-8")) if path.exists() else Annotation(annotator=name, session="")
    )


def _press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def test_an_utterance_is_annotated_by_keys_alone(recording: Path, browser: Browser) -> None:
    """take the large triangle at the bottom: mark "the large triangle", two referents, two codes, done."""
    with _desk(Desk.open_for_annotation([recording], "ann", offer=False), browser) as page:
        assert page.locator(".sentence").inner_text() == "take the large triangle at the bottom"
        _press(page, "ArrowRight", "Shift+ArrowRight", "Shift+ArrowRight", "Enter", "1", "2", "0", "e", "r", "v")
        wait_for(lambda: _on_file(recording, "ann").done == {0})
        (mark,) = _on_file(recording, "ann").marks[0]
        assert mark == ExpressionMark(start=5, end=23, referents=("1", "2"), attributes=("siz", "typ"), uncertain=True)
        assert page.locator(".editor-head").inner_text().startswith("Utterance 2")
        assert page.locator(".progress-told").inner_text() == "1 of 38 utterances"


def test_undo_takes_back_and_stays_on_record(recording: Path, browser: Browser) -> None:
    with _desk(Desk.open_for_annotation([recording], "ann", offer=False), browser) as page:
        _press(page, "Enter", "1")
        wait_for(lambda: [m.referents for m in _on_file(recording, "ann").marks.get(0, ())] == [("1",)])
        # On file is not yet back on the page, and what is being saved cannot be undone.
        page.wait_for_load_state("networkidle")
        _press(page, "Control+z")
        wait_for(lambda: [m.referents for m in _on_file(recording, "ann").marks[0]] == [()])
        page.wait_for_load_state("networkidle")
        _press(page, "Control+z")
        wait_for(lambda: _on_file(recording, "ann").marks[0] == ())
        assert len(make_annotation_path(recording, "ann").read_text().splitlines()) == 5


def test_words_are_marked_by_drawing_over_them_and_removed_again(recording: Path, browser: Browser) -> None:
    with _desk(Desk.open_for_annotation([recording], "ann", offer=False), browser) as page:
        words = page.locator(".sentence .token")
        words.nth(1).hover()
        page.mouse.down()
        words.nth(3).hover()
        page.mouse.up()
        page.get_by_role("group", name="Referents").get_by_role("button", name="1", exact=True).click()
        wait_for(lambda: [(m.start, m.referents) for m in _on_file(recording, "ann").marks.get(0, ())] == [(5, ("1",))])
        page.get_by_role("button", name="Remove").click()
        wait_for(lambda: _on_file(recording, "ann").marks[0] == ())


def test_proposals_are_offered_and_nothing_is_saved_before_they_are_accepted(recording: Path, browser: Browser) -> None:
    with _desk(Desk.open_for_annotation([recording], "ann"), browser) as page:
        assert page.locator(".sentence .proposed").count() > 0
        assert not make_annotation_path(recording, "ann").exists()
        _press(page, "p")
        wait_for(lambda: len(_on_file(recording, "ann").marks.get(0, ())) == 1)
        assert page.locator(".sentence .proposed").count() == 0
        _press(page, "v", "v")
        wait_for(lambda: _on_file(recording, "ann").done == {0, 1})


def test_two_annotators_differ_and_a_third_person_decides(recording: Path, browser: Browser) -> None:
    for name, piece in (("ann", "1"), ("bob", "2")):
        with _desk(Desk.open_for_annotation([recording], name, offer=False), browser) as page:
            _press(page, "Enter", piece, "v", "v")
            wait_for(lambda name=name: _on_file(recording, name).done == {0, 1})
    with _desk(Desk.adjudicate([recording], ("ann", "bob")), browser) as page:
        assert page.locator(".progress-told").inner_text() == "1 of 2 utterances"
        assert [card.inner_text().split("\n")[0] for card in page.locator(".other").all()] == ["ann", "bob"]
        _press(page, "]")
        wait_for(lambda: [m.referents for m in _on_file(recording, "adjudicated").marks.get(0, ())] == [("2",)])
        assert "taken" in (page.locator(".other").nth(1).get_attribute("class") or "")
        _press(page, "1", "v")
        wait_for(lambda: _on_file(recording, "adjudicated").done == {0, 1})
    assert _on_file(recording, "adjudicated").marks[0][0].referents == ("1", "2")
    assert _on_file(recording, "ann").marks[0][0].referents == ("1",)


def test_without_the_token_the_page_says_where_to_find_it(recording: Path, browser: Browser) -> None:
    with _desk(Desk.open_for_annotation([recording], "ann"), browser) as page:
        context = browser.new_context()
        stranger = context.new_page()
        stranger.goto(page.url)
        stranger.wait_for_selector("[role=alert]")
        assert "the link that the command printed" in stranger.locator("[role=alert]").inner_text()
        context.close()


def test_a_phone_needs_no_sideways_scrolling(recording: Path, browser: Browser) -> None:
    with _desk(Desk.open_for_annotation([recording], "ann"), browser) as page:
        page.set_viewport_size({"width": 375, "height": 760})
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
