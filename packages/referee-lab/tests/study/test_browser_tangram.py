"""Two people in two real Chromium pages lay a whole figure: both see one board, each what their role may see, and a lost page ends with pay for the other."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from crowd import ServerProcess, free_port
from playwright.sync_api import Browser, Page, expect
from study_in_browser import enter_room
from tangram_people import load_recordings

from machine import IN_CI
from real_chromium import PATIENCE_MS, open_chromium
from referee_lab.rooms.room_study import make_tangram_study
from referee_lab.server.store.store import make_sqlite_url, open_store
from referee_lab.server.web.built_pages import STATIC
from referee_lab.tangram.game.board import Placement
from referee_lab.tangram.game.goals import find_goal, lay_out_goal
from referee_lab.tangram.game.log import find_faults

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (STATIC / "participant.html").exists() and not IN_CI, reason="the pages are not built: make bundle"
    ),
]
SETTINGS = {"swap_after": 1, "grace_seconds": 20.0, "wait_minutes": 0.01, "hints_minutes": [0.02, 10.0]}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with open_chromium("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream") as browser:
        yield browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("browser") / "pairs"
    make_tangram_study(folder, id="pairs", puzzles=["house", "cat"], practice=False, settings=SETTINGS)
    process = ServerProcess(folder, free_port())
    process.start()
    process.wait_until_up()
    yield process
    process.stop()


@pytest.fixture
def problems() -> list[str]:
    return []


def come(
    browser: Browser, server: ServerProcess, problems: list[str], study: str = "pairs", answer: str = "", **size: int
) -> Page:
    """A new person, through consent and instructions to the door of the room."""
    page = browser.new_context(viewport={"width": 1200, "height": 800, **size}).new_page()
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    return enter_room(page, server.port, study, answer)


def pair(browser: Browser, server: ServerProcess, problems: list[str]) -> tuple[Page, Page]:
    pages = [come(browser, server, problems) for _ in range(2)]
    for page in pages:
        expect(page.locator(".room[data-phase=playing]")).to_be_visible()
    operator = next(page for page in pages if page.locator(".room").get_attribute("data-role") == "operator")
    return operator, next(page for page in pages if page is not operator)


def placed(page: Page, piece: str) -> Placement:
    group = page.locator(f'[data-piece="{piece}"]')
    x, y = map(float, re.findall(r"-?[\d.]+", group.get_attribute("transform") or ""))
    turn = group.locator(".board-turn").get_attribute("transform") or ""
    found = re.search(r"rotate\((\d+)", turn)
    assert found
    return Placement(x, y, int(found[1]), "scale" in turn)


def lay(page: Page, piece: str, wanted: Placement) -> None:
    """A piece to its place: chosen and turned by keys, dragged with the mouse, and corrected with the arrows."""
    page.locator("svg.board").focus()
    page.keyboard.press(piece)
    if placed(page, piece).flipped != wanted.flipped:
        page.keyboard.press("f")
    for _ in range((wanted.rotation - placed(page, piece).rotation) % 360 // 45):
        page.keyboard.press("r")
    drag(page, piece, wanted)
    expect(page.locator(".room")).to_have_attribute("data-pending", "0")
    two_frames(page)  # a released piece may be drawn to its neighbours
    for axis, keys in ((0, ("ArrowLeft", "ArrowRight")), (1, ("ArrowUp", "ArrowDown"))):
        way = wanted[axis] - placed(page, piece)[axis]
        for _ in range(round(abs(way)) % 200):
            page.keyboard.press(f"Shift+{keys[way > 0]}")


def drag(page: Page, piece: str, wanted: Placement) -> None:
    box = page.locator("svg.board").bounding_box()
    assert box
    scale = box["width"] / 1200
    now = placed(page, piece)
    page.mouse.move(box["x"] + now.x * scale, box["y"] + now.y * scale)
    page.mouse.down()
    page.mouse.move(box["x"] + wanted.x * scale, box["y"] + wanted.y * scale, steps=5)
    page.mouse.up()


def two_frames(page: Page) -> None:
    """Until what a hand just did is on the page."""
    page.evaluate("() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")


def same_board(one: Page, other: Page, seconds: float = PATIENCE_MS / 1000) -> str:
    """Both pages come to one hash, with nothing under way."""
    two_frames(one)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        hashes = [page.locator(".room").get_attribute("data-hash") for page in (one, other)]
        if hashes[0] and hashes[0] == hashes[1] and one.locator(".room").get_attribute("data-pending") == "0":
            return hashes[0]
    raise AssertionError(f"two boards: {hashes}")


def pair_that_talks(browser: Browser, server: ServerProcess, problems: list[str]) -> tuple[Page, Page]:
    """Two people, one of whom sees the goal; what is said arrives as it was written."""
    operator, solver = pair(browser, server, problems)
    expect(solver.locator(".goal-shape")).to_have_count(1)
    expect(operator.locator(".goal-shape")).to_have_count(0)
    solver.get_by_label("Your message").fill("the large triangle <b>left</b>")
    solver.keyboard.press("Enter")
    expect(operator.locator(".chat-list .theirs .chat-text")).to_have_text("the large triangle <b>left</b>")
    expect(solver.locator(".goal-hint")).to_have_count(1)
    expect(operator.locator(".goal-hint")).to_have_count(0)
    return operator, solver


def test_two_pages_talk_lay_two_pieces_and_see_one_board(
    chromium: Browser, server: ServerProcess, problems: list[str]
) -> None:
    operator, solver = pair_that_talks(chromium, server, problems)
    for piece, wanted in list(lay_out_goal(find_goal("house")).placements.items())[:2]:
        lay(operator, piece, wanted)
        same_board(operator, solver)
        assert placed(solver, piece) == placed(operator, piece)
    assert problems == []
    for page in (operator, solver):
        page.context.close()


def nearly_there(operator: Page, solver: Page, wanted: Placement) -> None:
    """The last piece a little beside its place: both are told that they are nearly there, also after a page was reloaded."""
    expect(operator.locator(".room-nearly")).to_be_hidden()
    lay(operator, "7", wanted._replace(x=wanted.x - 25))
    for page in (operator, solver):
        expect(page.locator(".room-nearly")).to_have_text("Nearly there: the pieces do not meet exactly yet.")
    solver.reload()
    expect(solver.locator(".room-nearly")).to_be_visible()


@pytest.mark.long
def test_two_pages_lay_a_whole_figure_and_see_one_board(
    chromium: Browser, server: ServerProcess, problems: list[str]
) -> None:
    operator, solver = pair_that_talks(chromium, server, problems)
    for piece, wanted in lay_out_goal(find_goal("house")).placements.items():
        if piece == "7":
            nearly_there(operator, solver, wanted)
        lay(operator, piece, wanted)
        if operator.locator(".room").get_attribute("data-phase") == "playing":
            same_board(operator, solver)
            assert placed(solver, piece) == placed(operator, piece)
    for page in (operator, solver):
        expect(page.get_by_role("heading", name="Solved!")).to_be_visible()
        expect(page.locator(".swap")).to_be_visible()
    last = same_board(operator, solver)
    for page in (operator, solver):
        page.get_by_role("button", name="Next puzzle").click()
    expect(operator.locator(".room[data-role=solver]")).to_be_visible()
    expect(solver.locator(".room[data-role=operator]")).to_be_visible()
    expect(operator.locator(".goal-shape")).to_have_count(1)
    assert problems == []
    store = open_store(make_sqlite_url(server.folder / "data" / "study.sqlite"), "pairs", create=False)
    with store.read() as connection:
        from sqlalchemy import text

        room = connection.execute(text("SELECT id FROM room ORDER BY created DESC")).scalar()
    first = load_recordings(store, str(room))[0]
    store.close()
    assert find_faults(first) == []
    assert [e.data["hash"] for e in first.entries if e.kind == "snapshot"][-1] == last
    kinds = {e.kind for e in first.entries}
    assert {
        "start",
        "role",
        "clock",
        "cursor",
        "grab",
        "move",
        "rotate",
        "release",
        "say",
        "typing",
        "hint",
        "solved",
        "end",
    } <= kinds
    said = next(e for e in first.entries if e.kind == "say")
    assert said.data["typing_start_ms"] <= said.data["typing_end_ms"] <= said.t_client_ms
    for page in (operator, solver):
        page.context.close()


def test_a_page_that_is_reloaded_is_back_in_the_game(
    chromium: Browser, server: ServerProcess, problems: list[str]
) -> None:
    operator, solver = pair(chromium, server, problems)
    solver.get_by_label("Your message").fill("hello")
    solver.keyboard.press("Enter")
    expect(operator.locator(".theirs")).to_have_count(1)
    drag(operator, "6", Placement(300, 300))
    before = same_board(operator, solver)
    operator.reload()
    expect(operator.locator(".room[data-phase=playing]")).to_be_visible()
    assert same_board(operator, solver) == before
    expect(operator.locator(".theirs")).to_have_count(1)
    drag(operator, "6", Placement(500, 300))
    assert same_board(operator, solver) != before
    for page in (operator, solver):
        page.context.close()


@pytest.mark.long  # waits out the grace; test_tangram_rooms_live.py has the same without pages
def test_who_is_left_alone_is_told_and_gets_a_code(
    chromium: Browser, server: ServerProcess, problems: list[str]
) -> None:
    operator, solver = pair(chromium, server, problems)
    operator.context.close()
    expect(solver.locator(".room-banner")).to_contain_text("interrupted")
    expect(solver.locator("code.code").first).to_be_visible()
    expect(solver.locator(".lead")).to_contain_text("You will be paid")
    solver.context.close()


def test_nobody_comes_and_the_way_out_is_paid(chromium: Browser, server: ServerProcess, problems: list[str]) -> None:
    page = come(chromium, server, problems)
    expect(page.get_by_role("heading", name="Waiting for your partner")).to_be_visible()
    page.get_by_role("button", name="Leave now and be paid").click()
    expect(page.locator("code.code").first).to_be_visible()
    page.context.close()


def test_a_finger_moves_a_piece_on_a_phone(chromium: Browser, server: ServerProcess, problems: list[str]) -> None:
    operator, solver = pair(chromium, server, problems)
    operator.set_viewport_size({"width": 375, "height": 700})
    solver.set_viewport_size({"width": 375, "height": 700})
    for page in (operator, solver):
        assert page.evaluate("document.documentElement.scrollWidth") == 375
    operator.locator("svg.board").scroll_into_view_if_needed()
    before = placed(solver, "6")
    box = operator.locator("svg.board").bounding_box()
    assert box
    scale = box["width"] / 1200
    start = (box["x"] + before.x * scale, box["y"] + before.y * scale)
    touch = operator.context.new_cdp_session(operator)

    def finger(kind: str, *points: tuple[float, float]) -> None:
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y} for x, y in points]})

    finger("touchStart", start)
    for step in range(1, 6):
        finger("touchMove", (start[0] + (150 - before.x) * scale * step / 5, start[1]))
    finger("touchEnd")
    same_board(operator, solver)
    assert abs(placed(solver, "6").x - 150) < 20
    for page in (operator, solver):
        page.context.close()


@pytest.mark.long  # test_sound.py has what the server does with a voice
def test_a_voice_is_recorded_only_after_yes(chromium: Browser, tmp_path: Path, problems: list[str]) -> None:
    folder = tmp_path / "spoken"
    settings = {"voice": True, "partner": "bot"}
    make_tangram_study(folder, id="spoken", puzzles=["house"], practice=False, settings=settings)
    process = ServerProcess(folder, free_port())
    process.start()
    process.wait_until_up()
    try:
        page = come(chromium, process, problems, study="spoken", answer="Yes, record")
        expect(page.locator(".voice-note.on")).to_be_visible()
        end = time.monotonic() + PATIENCE_MS / 1000
        while not list((folder / "data").glob("voice/*/*.webm")) and time.monotonic() < end:
            page.wait_for_timeout(200)
        sounds = list((folder / "data").glob("voice/*/*.webm"))
        assert sounds
        expect(page.locator(".chat-list .theirs").first).to_be_visible()  # the bot speaks
        page.context.close()
    finally:
        process.stop()
