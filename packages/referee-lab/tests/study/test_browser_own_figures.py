"""Own figures and pentominoes in a real Chromium: a figure is laid, checked and kept; a game of pentominoes is played, recorded and replayed."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from crowd import ServerProcess, free_port
from playwright.sync_api import Browser, Page, expect
from study_in_browser import chromium, enter_room

from referee.cli import main
from referee_lab.rooms.tangram_study import make_tangram_study
from referee_lab.tangram.desk.figure_server import create_figures_app
from referee_lab.tangram.game.board import Placement
from referee_lab.tangram.game.goals import GOALS, PENTOMINO_GOALS, Goal, solution
from referee_lab.tangram.game.log import faults, parse_recording
from referee_lab.tangram.game.own_goals import check_figure, read_goals
from referee_lab.tangram.game.own_pieces import read_pieces
from referee_lab.tangram.tiers.rex_tiers import to_dialogue

# Keys alone bring a piece to a place: chosen by Tab, flipped, turned, moved by tens and by ones, and let go.
LAY = r"""async ([step, piece, x, y, rotation, flipped]) => {
  const svg = document.querySelector("svg.board"), group = document.querySelector(`[data-piece='${piece}']`);
  const press = (key, shiftKey = false) => document.dispatchEvent(new KeyboardEvent("keydown", { key, shiftKey, bubbles: true }));
  const place = () => group.getAttribute("transform").slice(10, -1).split(" ").map(Number);
  const turned = () => Number(/rotate\((\d+)\)/.exec(group.firstElementChild.getAttribute("transform"))[1]);
  svg.focus();
  for (let i = 0; i < 12 && !group.classList.contains("selected"); i++) press("Tab", true);
  for (let i = 0; i < 12 && !group.classList.contains("selected"); i++) press("Tab");
  // A page may draw what was done only with its next frame, so everything is counted out before.
  if (group.firstElementChild.getAttribute("transform").includes("scale") !== flipped) press("f");
  for (let turns = (((rotation - turned()) % 360) + 360) % 360; turns > 0; turns -= step) press("r");
  for (const [less, more, off] of [["ArrowLeft", "ArrowRight", x - place()[0]], ["ArrowUp", "ArrowDown", y - place()[1]]]) {
    const key = off < 0 ? less : more, tens = Math.trunc(Math.abs(off) / 10), ones = Math.round(Math.abs(off) - 10 * tens);
    for (let i = 0; i < tens; i++) press(key);
    for (let i = 0; i < ones; i++) press(key, true);
  }
  document.dispatchEvent(new KeyboardEvent("keyup", { key: "ArrowLeft", bubbles: true }));
  await new Promise((resolve) => setTimeout(resolve, 150));
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def lay(page: Page, goal: Goal, step: int) -> None:
    for piece, place in solution(goal).placements.items():
        page.evaluate(LAY, [step, piece, *place])


@contextmanager
def drawing(file: Path, pieces: str) -> Iterator[str]:
    """The page on which figures are laid, at its address."""
    server = uvicorn.Server(uvicorn.Config(create_figures_app(file, pieces, "key"), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not (server.started and server.servers):
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/#key"
    server.should_exit = True
    thread.join(timeout=10)


def test_a_figure_is_laid_checked_and_kept(browser: Browser, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    with drawing(file, "tangram") as address:
        keep_a_kitten(browser, address, file)


def keep_a_kitten(browser: Browser, address: str, file: Path) -> None:
    page, problems = browser.new_page(), list[str]()
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(address)
    expect(page.locator(".figure-told")).to_contain_text("falls apart")
    expect(page.get_by_role("button", name="Keep it")).to_be_disabled()
    lay(page, GOALS["cat"], 45)
    expect(page.locator(".figure-told")).to_have_text("This can be solved, and is not symmetric.")
    page.get_by_label("Name of the figure").fill("kitten")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator(".figure-list")).to_contain_text("kitten")
    (kept,) = read_goals(file)
    assert (kept.name, kept.symmetric) == ("kitten", False)
    page.get_by_label("Name of the figure").fill("house")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator(".figure-told")).to_contain_text("house is a figure of this package")
    page.get_by_role("button", name="Delete kitten").click()
    expect(page.locator(".figure-list")).to_contain_text("None yet")
    assert not file.exists()
    # The one refusal above is told by the browser, too.
    assert all("422" in problem for problem in problems)
    page.close()


@pytest.mark.long
def test_pentominoes_are_played_recorded_and_replayed(browser: Browser, tmp_path: Path) -> None:
    folder, problems = tmp_path / "squares", list[str]()
    make_tangram_study(folder, id="squares", puzzles=["castle"], partner="none", practice=False, settings={"step": 90})
    server = ServerProcess(folder, free_port())
    server.start()
    server.wait_until_up()
    try:
        page = browser.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        enter_room(page, server.port, "squares")
        expect(page.locator(".room[data-phase=playing] .board-piece")).to_have_count(6)
        lay(page, PENTOMINO_GOALS["castle"], 90)
        expect(page.locator(".room[data-phase=over]")).to_be_visible()
        page.close()
    finally:
        server.stop()
    assert problems == []
    assert main(["tangram", "export", str(folder), "--all", "--as", "jsonl", "--out", str(tmp_path / "out")]) == 0
    (file,) = (tmp_path / "out").glob("*.jsonl")
    recording = parse_recording(file.read_bytes())
    assert faults(recording) == []
    assert any(entry.kind == "solved" for entry in recording.entries)
    assert to_dialogue(recording).pieces == {
        p: {"shape": s, "size": "five-square"}
        for p, s in zip(("12", "13", "15", "16", "20", "21"), "ILPTXY", strict=True)
    }
    assert main(["tangram", "replay", str(file)]) == 0
    page = browser.new_page()
    page.goto(file.with_suffix(".html").as_uri())
    expect(page.locator(".board-piece")).to_have_count(6)
    expect(page.locator(".goal-panel figcaption")).to_contain_text("castle")
    page.close()


SHEDS = """
name = "sheds"
step = 90
[[pieces]]
name = "wall"
number = 51
colour = "orange"
corners = [[0, 0], [160, 0], [160, 80], [0, 80]]
[[pieces]]
name = "tower"
number = 52
colour = "grey"
corners = [[0, 0], [60, 0], [60, 160], [0, 160]]
"""


def test_own_pieces_have_their_form_and_colour_and_make_figures(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "sheds.toml").write_text(SHEDS, "utf-8")
    file = tmp_path / "figures.json"
    with drawing(file, read_pieces(tmp_path / "sheds.toml")) as address:
        lay_a_shed(browser.new_page(), address)
    (kept,) = read_goals(file)
    assert set(kept.placements) == {"51", "52"}


def lay_a_shed(page: Page, address: str) -> None:
    page.goto(address)
    wall = page.locator("[data-piece='51'] polygon")
    expect(wall).to_have_css("fill", "rgb(210, 105, 30)")
    assert wall.evaluate("(node) => { const box = node.getBBox(); return [box.width, box.height]; }") == [160, 80]
    goal = check_figure("shed", {"51": Placement(-30, 40), "52": Placement(80, 0)}).goal
    assert goal is not None
    lay(page, goal, 90)
    expect(page.locator(".figure-told")).to_have_text("This can be solved, and is not symmetric.")
    page.get_by_label("Name of the figure").fill("shed")
    page.get_by_role("button", name="Keep it").click()
    expect(page.locator(".figure-list")).to_contain_text("shed")
    page.close()
