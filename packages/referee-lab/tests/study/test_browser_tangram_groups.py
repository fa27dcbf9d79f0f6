"""Three people in three Chromium pages of three sizes: one speaks, two have the pieces, one hand at a time; nothing on the screens covers anything else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from crowd import ServerProcess, free_port
from playwright.sync_api import Browser, Page, expect
from study_in_browser import chromium, enter_room

from referee_lab.rooms.room_study import make_tangram_study

pytestmark = pytest.mark.long
SIZES = ((1280, 800), (1024, 700), (390, 844))
BOXES = """() => Object.fromEntries(["room", "board", "room-tools", "room-banner", "goal-panel", "goal-note"].map((name) => {
  const node = document.querySelector(`.${name}`), box = node?.getBoundingClientRect();
  return [name, box && box.height ? [box.left, box.top, box.right, box.bottom] : null];
}))"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    settings = {"group": 3, "swap_after": 1, "hints_minutes": [0.03, 10.0]}
    make_tangram_study(tmp_path / "trio", id="trio", puzzles=["house", "cat"], practice=False, settings=settings)
    process = ServerProcess(tmp_path / "trio", free_port())
    process.start()
    process.wait_until_up()
    yield process
    process.stop()


def come(browser: Browser, server: ServerProcess, width: int, height: int) -> Page:
    page = browser.new_context(viewport={"width": width, "height": height}).new_page()
    return enter_room(page, server.port, "trio")


def place_of(page: Page, piece: str) -> tuple[float, float]:
    """Where a piece is on the screen."""
    box = page.locator("svg.board").bounding_box()
    assert box
    x, y = (float(v) for v in str(page.locator(f"[data-piece='{piece}']").get_attribute("transform"))[10:-1].split())
    return box["x"] + x * box["width"] / 1200, box["y"] + y * box["width"] / 1200


def inside(inner: list[float], outer: list[float]) -> bool:
    return all(a >= b - 1 for a, b in zip(inner[:2], outer[:2], strict=True)) and all(
        a <= b + 1 for a, b in zip(inner[2:], outer[2:], strict=True)
    )


def test_one_speaks_two_have_the_pieces_and_one_hand_at_a_time(browser: Browser, server: ServerProcess) -> None:
    pages = [come(browser, server, *size) for size in SIZES]
    for page in pages:
        expect(page.locator(".room[data-phase=playing]")).to_be_visible()
    roles = [page.locator(".room").get_attribute("data-role") for page in pages]
    assert sorted(map(str, roles)) == ["operator", "operator", "solver"]
    first, second = (page for page, role in zip(pages, roles, strict=True) if role == "operator")
    solver = pages[roles.index("solver")]
    solver.locator(".chat-field").fill("the long one")
    solver.get_by_role("button", name="Send").click()
    expect(first.locator(".chat-list .theirs .chat-who")).to_have_text(f"Player {pages.index(solver) + 1}")
    before = second.locator("[data-piece='4']").get_attribute("transform")
    x, y = place_of(first, "3")
    first.mouse.move(x, y)
    first.mouse.down()
    first.mouse.move(x + 12, y + 6, steps=2)
    expect(solver.locator("[data-piece='3']")).to_have_attribute(
        "transform", str(first.locator("[data-piece='3']").get_attribute("transform"))
    )
    x, y = place_of(second, "4")
    second.mouse.move(x, y)
    second.mouse.down()
    second.mouse.move(x + 30, y + 10, steps=3)
    second.mouse.up()
    # The piece is back where it was, for the other one had a piece in the hand.
    expect(second.locator("[data-piece='4']")).to_have_attribute("transform", str(before))
    first.mouse.up()
    expect(first.locator(".room[data-pending='0']")).to_be_visible()
    solver.wait_for_selector(".goal-note")
    for width, height in SIZES:
        for page in pages:
            page.set_viewport_size({"width": width, "height": height})
            check_the_screen(page.evaluate(BOXES), width, height)
    solver.context.close()
    expect(first.locator(".room-banner")).to_be_visible()
    for width, height in SIZES:
        first.set_viewport_size({"width": width, "height": height})
        check_the_screen(first.evaluate(BOXES), width, height)
    for page in (first, second):
        page.context.close()


def check_the_screen(boxes: dict[str, Any], width: int, height: int) -> None:
    """The room has a height, the hint stands in its panel, trouble is told above everything, and large windows need no scrolling."""
    assert boxes["room"]
    if boxes["goal-note"]:
        assert inside(boxes["goal-note"], boxes["goal-panel"])
    if boxes["room-banner"]:
        assert boxes["room-banner"][3] <= boxes["board"][1]
    if boxes["room-tools"]:
        assert boxes["room-tools"][1] >= boxes["board"][3]
    assert boxes["board"][2] <= width
    if width > 820:
        assert max(box[3] for box in boxes.values() if box) <= height
        # As large as the window allows: two thirds of its width, or all of the height that is left.
        assert boxes["board"][2] - boxes["board"][0] >= 0.62 * width
