"""Pointing in a photograph, in a real Chromium: stored are pixels of the picture, whatever it was enlarged to; what was hit is found on the server."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from study_in_browser import SHORT, Visitor, chromium, serve, stored

from referee.corpora.jsonl import read_trials
from referee.corpora.synthetic.solids import Solids, write_solids
from referee.geometry import Mask
from referee.records import Outcome, Trial
from referee_lab.server.sessions.plan import make_plan
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store.schema import session
from referee_lab.study.design.designs import Request, lay_out
from referee_lab.study.folder.draft import Draft, write_study

WIDTH, HEIGHT = 240, 160


def made(folder: Path, protocol: str, trials: list[Trial], toys: Path, **settings: str) -> Served:
    layout = lay_out("all", Request(items=tuple(t.id for t in trials), conditions=("human",), participants=6, seed=1))
    draft = Draft(
        id=folder.name,
        title="Photographs",
        protocol=protocol,
        participants=6,
        layout=layout,
        conditions=("human",),
        trials=trials,
        outputs=[(t.id, "human", t.references[0]) for t in trials],
        pictures=toys,
    )
    write_study(folder, draft)
    import re

    path = folder / "study.toml"
    written = path.read_text("utf-8")
    for name, value in {**SHORT, **settings}.items():
        written = re.sub(rf"(?m)^{name} = .*$", lambda _, line=f"{name} = {value}": line, written)
    path.write_text(written, "utf-8")
    return open_served(folder)


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Served]:
    folder = tmp_path_factory.mktemp("photographs")
    write_solids(folder / "toys", Solids(scenes=1, solids=4, width=WIDTH, height=HEIGHT))
    trials = list(read_trials(folder / "toys" / "trials.jsonl"))[:2]
    ways = {"point": {}, "box": {"way": '"box"'}, "mark": {"way": '"mark"'}}
    found = {name: made(folder / name, "point", trials, folder / "toys", **more) for name, more in ways.items()}
    return found | {"refoi": made(folder / "refoi", "refoi", trials, folder / "toys")}


@pytest.fixture(scope="module")
def site(studies: dict[str, Served]) -> Iterator[str]:
    with serve(*studies.values()) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture
def visit(browser: Browser, site: str) -> Iterator[object]:
    here: list[Visitor] = []

    def come(study: str, **options: Any) -> Visitor:
        here.append(Visitor.at(browser, f"{site}/s/{study}/", **options))
        here[-1].agree()
        here[-1].go_to("photograph")
        return here[-1]

    yield come
    for visitor in here:
        visitor.context.close()


def rows_of_last(served: Served) -> list[object]:
    newest = stored(served, session)[-1]
    return [row for row in stored(served) if row.session == newest.id]


def press_at(person: Visitor, x: float, y: float) -> None:
    """A press at pixels of the picture, wherever these are on the screen now."""
    sheet = person.page.locator(".photograph .sheet")
    size = sheet.evaluate("node => { const r = node.getBoundingClientRect(); return [r.width, r.height]; }")
    person.wait()
    sheet.click(position={"x": x / WIDTH * size[0], "y": y / HEIGHT * size[1]})


def confirm(person: Visitor) -> None:
    person.wait()
    person.page.get_by_role("button", name="Confirm").click()


def response_to(served: Served, row: object) -> object:
    newest = stored(served, session)[-1]
    step = make_plan(served.study, newest.list, newest.plan_seed).steps[row.index]
    from referee_lab.study.protocols.contract import GivenAnswer

    answer = GivenAnswer(answer=row.answer, times=row.times)
    return served.study.kind.respond(answer, step.stimulus, step.shown, "p"), step.stimulus.trial


def inside_of(trial: Trial) -> tuple[float, float]:
    region = trial.scene.entity(trial.targets[0]).region
    assert isinstance(region, Mask)
    runs = region.counts
    # The middle of the longest run is well inside.
    starts = [sum(runs[:i]) for i in range(len(runs))]
    at = max(range(1, len(runs), 2), key=lambda i: runs[i])
    pixel = starts[at] + runs[at] // 2
    return pixel // HEIGHT + 0.5, pixel % HEIGHT + 0.5


def test_a_click_is_stored_in_pixels_of_the_picture_before_and_after_zooming(visit, studies: dict[str, Served]) -> None:
    served = studies["point"]
    person = visit("point")
    text = person.page.locator(".description").inner_text()
    trial = next(t.trial for t in served.study.stimuli.values() if t.description.text == text)
    x, y = inside_of(trial)
    for _ in range(3):
        person.page.get_by_role("button", name="Enlarge").click()
    press_at(person, x, y)
    confirm(person)
    assert person.finish().startswith("DEBUG-")
    row = rows_of_last(served)[0]
    assert (row.answer["outcome"], row.answer["zoom"]) == ("point", 3)
    assert (row.answer["x"], row.answer["y"]) == (pytest.approx(x, abs=1), pytest.approx(y, abs=1))
    response, asked = response_to(served, row)
    assert (response.outcome, response.entity) == (Outcome.ENTITY, asked.targets[0])
    assert row.times["combined_ms"] == pytest.approx(row.times["t_response"] - row.times["t_onset"], abs=1e-6)
    assert person.problems == []
    assert person.violations() == []


def test_a_box_is_drawn(visit, studies: dict[str, Served]) -> None:
    person = visit("box")
    frame = person.page.locator(".photograph .sheet").bounding_box()
    assert frame is not None
    mouse = person.page.mouse
    person.wait()
    mouse.move(frame["x"] + 0.25 * frame["width"], frame["y"] + 0.25 * frame["height"])
    mouse.down()
    mouse.move(frame["x"] + 0.5 * frame["width"], frame["y"] + 0.75 * frame["height"], steps=4)
    mouse.up()
    confirm(person)
    person.next_thing()
    person.page.wait_for_timeout(300)
    row = rows_of_last(studies["box"])[0]
    assert row.answer["outcome"] == "box"
    assert row.answer["box"] == pytest.approx([0.25 * WIDTH, 0.25 * HEIGHT, 0.5 * WIDTH, 0.75 * HEIGHT], abs=1)


def test_a_mark_is_chosen_and_no_region_is_sent_otherwise(visit, studies: dict[str, Served]) -> None:
    person = visit("mark")
    assert person.page.locator(".photograph .mark").count() == 4
    person.wait()
    person.page.locator(".photograph .mark").first.click(position={"x": 3, "y": 3})
    confirm(person)
    person.next_thing()
    person.page.wait_for_timeout(300)
    row = rows_of_last(studies["mark"])[0]
    assert (row.answer["outcome"], row.answer["entity"]) == ("entity", "e1")
    visit("point")
    newest = stored(studies["point"], session)[-1]
    plan = make_plan(studies["point"].study, newest.list, newest.plan_seed)
    assert all(not step.shown.parameters["marks"] for step in plan.steps if step.plugin == "locate")


def test_who_cannot_see_it_says_so_and_guesses(visit, studies: dict[str, Served]) -> None:
    person = visit("refoi")
    person.wait()
    person.page.get_by_role("button", name="I cannot see it").click()
    confirm(person)
    press_at(person, 60, 40)
    person.next_thing()
    person.page.wait_for_timeout(300)
    row = rows_of_last(studies["refoi"])[0]
    assert row.answer["outcome"] == "none"
    assert (row.answer["guess_x"], row.answer["guess_y"]) == (pytest.approx(60, abs=1), pytest.approx(40, abs=1))


# -- fingers and pens ------------------------------------------------------------------------------------------------------

TABLET = {"has_touch": True, "viewport": {"width": 800, "height": 700}}


class Hand:
    """Fingers on a picture, by shares of the sheet as it lies now."""

    def __init__(self, person: Visitor) -> None:
        self.page = person.page
        self.wire = person.context.new_cdp_session(person.page)
        person.wait()

    def at(self, across: float, down: float) -> dict[str, float]:
        rect = "node => { const r = node.getBoundingClientRect(); return [r.left, r.top, r.width, r.height]; }"
        left, top, width, height = self.page.locator(".photograph .sheet").evaluate(rect)
        return {"x": left + across * width, "y": top + down * height}

    def touch(self, kind: str, *fingers: dict[str, float]) -> None:
        points = [{**finger, "id": i} for i, finger in enumerate(fingers)]
        self.wire.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def drag(self, start: dict[str, float], end: dict[str, float]) -> None:
        self.touch("touchStart", start)
        for share in (0.25, 0.5, 0.75, 1):
            self.touch("touchMove", {axis: start[axis] + share * (end[axis] - start[axis]) for axis in start})
        self.touch("touchEnd")

    def pinch(self, middle: dict[str, float], before: float, after: float) -> None:
        def two(apart: float) -> list[dict[str, float]]:
            return [{"x": middle["x"] - apart / 2, "y": middle["y"]}, {"x": middle["x"] + apart / 2, "y": middle["y"]}]

        self.touch("touchStart", two(before)[0])
        self.touch("touchStart", *two(before))
        for share in (0.25, 0.5, 0.75, 1):
            self.touch("touchMove", *two(before + share * (after - before)))
        self.touch("touchEnd")

    def wide(self) -> float:
        found: float = self.page.locator(".photograph .sheet").evaluate("node => node.getBoundingClientRect().width")
        return found


def answered(person: Visitor, served: Served) -> dict[str, Any]:
    confirm(person)
    person.next_thing()
    person.page.wait_for_timeout(300)
    found: dict[str, Any] = rows_of_last(served)[0].answer
    return found


def test_two_fingers_enlarge_one_moves_and_a_tap_answers(visit, studies: dict[str, Served]) -> None:
    person = visit("point", **TABLET)
    hand = Hand(person)
    narrow, middle = hand.wide(), hand.at(0.5, 0.5)
    hand.pinch(middle, 80, 240)
    # Three times as far apart, three times as large, and what was between the fingers still is (up and down the frame grew, and shows nearly all).
    assert hand.wide() == pytest.approx(3 * narrow, rel=0.02)
    assert hand.at(0.5, 0.5)["x"] == pytest.approx(middle["x"], abs=3)
    middle = hand.at(0.5, 0.5)
    hand.drag(middle, {"x": middle["x"] + 60, "y": middle["y"]})
    assert hand.at(0.5, 0.5)["x"] == pytest.approx(middle["x"] + 60, abs=12)
    assert person.page.locator(".photograph .cross").is_hidden(), "neither was an answer"
    spot = hand.at(0.45, 0.55)
    person.page.touchscreen.tap(spot["x"], spot["y"])
    answer = answered(person, studies["point"])
    assert (answer["outcome"], answer["pointer"], answer["zoom"]) == ("point", "touch", 1)
    # A third of a pixel of the picture is one of the screen.
    assert (answer["x"], answer["y"]) == (pytest.approx(0.45 * WIDTH, abs=1), pytest.approx(0.55 * HEIGHT, abs=1))


def test_a_finger_draws_a_box(visit, studies: dict[str, Served]) -> None:
    person = visit("box", **TABLET)
    hand = Hand(person)
    hand.drag(hand.at(0.25, 0.25), hand.at(0.5, 0.75))
    answer = answered(person, studies["box"])
    assert (answer["outcome"], answer["pointer"]) == ("box", "touch")
    assert answer["box"] == pytest.approx([0.25 * WIDTH, 0.25 * HEIGHT, 0.5 * WIDTH, 0.75 * HEIGHT], abs=1)


def test_a_pinch_draws_no_box(visit) -> None:
    person = visit("box", **TABLET)
    hand = Hand(person)
    narrow = hand.wide()
    hand.pinch(hand.at(0.5, 0.5), 60, 120)
    assert hand.wide() == pytest.approx(2 * narrow, rel=0.02)
    assert person.page.locator(".photograph .drawn-box").is_hidden()


def test_a_pen_points(visit, studies: dict[str, Served]) -> None:
    person = visit("point")
    hand = Hand(person)
    spot = {**hand.at(0.3, 0.4), "button": "left", "clickCount": 1, "pointerType": "pen"}
    for kind in ("mousePressed", "mouseReleased"):
        hand.wire.send("Input.dispatchMouseEvent", {"type": kind, **spot})
    answer = answered(person, studies["point"])
    assert (answer["outcome"], answer["pointer"]) == ("point", "pen")
    assert (answer["x"], answer["y"]) == (pytest.approx(0.3 * WIDTH, abs=1), pytest.approx(0.4 * HEIGHT, abs=1))


def test_photographs_are_served_under_names_that_tell_nothing(studies: dict[str, Served], site: str) -> None:
    import urllib.error
    import urllib.request

    (name,) = {p.stem for p in (studies["point"].study.folder / "photographs").iterdir()}
    assert "solids" not in name
    with urllib.request.urlopen(f"{site}/s/point/photographs/{name}") as found:
        assert (found.headers["content-type"], found.read(4)) == ("image/png", b"\x89PNG")
    for wrong in ("0" * 20, "..%2Fstudy.toml", "%2e%2e/study.toml"):
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(f"{site}/s/point/photographs/{wrong}")
