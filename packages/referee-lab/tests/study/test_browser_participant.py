"""Participants in a real Chromium: every protocol, every way of pointing, and everything that goes wrong on the way."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from study_in_browser import Visitor, chromium, make_study, serve, stored, wait_for

from referee.show.drawing import Layout, Place
from referee_lab.server.sessions.plan import make_plan
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store.schema import session
from referee_lab.study.folder.hit_areas import find_pressed

PROTOCOLS = (
    "asgre2007", "tuna2008", "self-paced-reading", "open-choice", "production", "judgement", "judgement-pairwise",
)  # fmt: skip
HOSTILE = '<img src=x onerror="window.hacked = 1"> הכיסא האדום'
PHONE = {"viewport": {"width": 375, "height": 667}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Served]:
    folder = tmp_path_factory.mktemp("browser")
    made = {name: make_study(folder / name, name, name) for name in PROTOCOLS}
    made["four"] = make_study(folder / "four", "asgre2007", "four", practice=1)
    made["whole"] = make_study(
        folder / "whole", "tuna2008", "whole", practice=1, changes={"demographics": "true", "comments": "true"}
    )
    made["skip"] = make_study(folder / "skip", "asgre2007", "skip", changes={"aborted": '"skip"'})
    made["confirm"] = make_study(folder / "confirm", "asgre2007", "confirm", changes={"confirm": "true"})
    made["hostile"] = _hostile(folder / "hostile")
    made["close"] = _close(folder / "close")
    made["track"] = make_study(folder / "track", "asgre2007", "track", changes={"track": "true"})
    return made


def _hostile(folder: Path) -> Served:
    """Every description is hostile and in Hebrew, and the page runs from right to left."""
    make_study(folder, "tuna2008", "hostile", changes={"direction": '"rtl"'}).store.close()
    for name, change in (("outputs", {"text": HOSTILE}), ("trials", {"language": "he"})):
        path = folder / f"{name}.jsonl"
        rows = [json.loads(line) | change for line in path.read_text("utf-8").splitlines()]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    shutil.rmtree(folder / "data")
    return open_served(folder)


def _close(folder: Path) -> Served:
    """Everything stands half behind something else."""
    make_study(folder, "asgre2007", "close").store.close()
    path = folder / "trials.jsonl"
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        for n, entity in enumerate(row["entities"]):
            entity["attributes"] = [[k, v] for k, v in entity["attributes"] if "dimension" not in k]
            entity["position"] = [0.45 * n + 5 * (n > 2), 0.4 * (n % 2) + 6 * (n > 4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    shutil.rmtree(folder / "data")
    return open_served(folder)


@pytest.fixture(scope="module")
def site(studies: dict[str, Served]) -> Iterator[str]:
    with serve(*studies.values()) as address:
        yield address


@pytest.fixture
def visit(browser: Browser, site: str) -> Iterator[object]:
    here: list[Visitor] = []

    def come(study: str, query: str = "", **options: object) -> Visitor:
        here.append(Visitor.at(browser, f"{site}/s/{study}/{query}", **options))
        return here[-1]

    yield come
    for visitor in here:
        visitor.context.close()


def rows_of_last(served: Served) -> list[object]:
    newest = stored(served, session)[-1]
    return [row for row in stored(served) if row.session == newest.id]


# One of clicks, one of ratings and one of words for every day, all for `make test-all`.
DAILY = ("tuna2008", "judgement", "production")
WALKS = [p if p in DAILY else pytest.param(p, marks=pytest.mark.long) for p in (*PROTOCOLS, "whole")]


@pytest.mark.parametrize("protocol", WALKS)
def test_a_participant_completes_every_protocol_by_mouse(protocol: str, visit, studies: dict[str, Served]) -> None:
    served = studies[protocol]
    person = visit(protocol)
    person.agree()
    assert person.finish().startswith("DEBUG-")
    newest = stored(served, session)[-1]
    expected = served.outline(newest.list, newest.plan_seed, newest.study_hash).saved
    rows = rows_of_last(served)
    assert [row.index for row in rows] == list(expected)
    assert {(row.attempt, row.state) for row in rows} == {(1, "done")}
    assert newest.state == "coded"
    assert person.problems == []
    assert person.violations() == []
    for row in rows:
        assert row.answer.get("trusted", True) is True
        assert row.times["t_frame"] < row.times["t_onset"] < row.times["t_response"]
        if protocol == "self-paced-reading":
            _check_reading(row.times)


def _check_reading(times: dict[str, float]) -> None:
    """The times of a word-by-word trial fit together, and none is rounded."""
    assert times["identification_ms"] == pytest.approx(times["t_response"] - times["t_onset"], abs=1e-6)
    assert times["combined_ms"] == pytest.approx(times["t_response"] - times["text_onset"], abs=1e-6)
    assert times["reading_ms"] >= sum(times["regions_ms"]) - 1e-6
    assert any(value != round(value) for value in times["regions_ms"])


def test_the_display_is_calibrated_before_the_first_trial(visit, studies: dict[str, Served]) -> None:
    person = visit("asgre2007")
    person.agree()
    person.go_to("scene")
    client = stored(studies["asgre2007"], session)[-1].client
    assert client["frames"] >= 60
    assert client["frame_ms"] > 0
    assert client["cross_origin_isolated"] is True
    assert client["touch"] is False


def test_everything_can_be_done_with_the_keyboard_alone(visit, studies: dict[str, Served]) -> None:
    person = visit("tuna2008")
    keyboard, page = person.page.keyboard, person.page
    page.get_by_role("button", name="I agree").wait_for()
    page.get_by_role("button", name="I agree").focus()
    keyboard.press("Enter")
    moves = ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp", "ArrowRight")
    while (thing := person.next_thing()) != "end":
        person.wait()
        if thing == "reading":
            keyboard.press("Space")
        elif thing == "scene":
            for key in moves:
                keyboard.press(key)
            focused = page.locator(".scene button.entity:focus-visible")
            expect(focused).to_have_count(1)
            assert focused.evaluate("node => getComputedStyle(node.nextElementSibling).outlineStyle") == "solid"
            keyboard.press("Enter")
        else:
            page.locator(".page .actions .button").last.focus()
            keyboard.press("Enter")
    answers = [row.answer for row in rows_of_last(studies["tuna2008"]) if row.kind == "trial"]
    assert {answer["pointer"] for answer in answers} == {"keyboard"}


def test_a_phone_is_enough(visit, studies: dict[str, Served]) -> None:
    person = visit("open-choice", **PHONE)
    page = person.page
    person.page.get_by_role("button", name="I agree").tap()
    while (thing := person.next_thing()) != "end":
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), thing
        if thing == "scene":
            sizes = page.evaluate(
                "[...document.querySelectorAll('main button')].map(b => Math.min(b.offsetWidth, b.offsetHeight))"
            )
            assert min(sizes) >= 44
            person.wait()
            page.get_by_role("button", name="Several fit").tap()
            expect(page.get_by_text("Which one is your best guess?")).to_be_visible()
            person.wait()
        person.do(thing, "tap")
    answers = [row.answer for row in rows_of_last(studies["open-choice"]) if row.kind == "trial"]
    assert {(answer["pointer"], answer["outcome"], answer["entity"]) for answer in answers} == {
        ("touch", "several", None)
    }
    assert all(answer["guess"] for answer in answers)


def test_a_reload_in_the_middle_of_a_trial_is_reported_and_the_trial_comes_again(
    visit, studies: dict[str, Served]
) -> None:
    person = visit("asgre2007")
    person.agree()
    person.go_to("scene")
    person.page.reload()
    person.finish()
    first = [(row.attempt, row.state) for row in rows_of_last(studies["asgre2007"])][:2]
    assert first == [(1, "aborted"), (2, "done")]


def test_a_study_may_skip_what_was_interrupted(visit, studies: dict[str, Served]) -> None:
    person = visit("skip")
    person.agree()
    person.go_to("scene")
    person.page.reload()
    person.finish()
    rows = rows_of_last(studies["skip"])
    assert [(row.attempt, row.state) for row in rows][:2] == [(1, "aborted"), (1, "done")]
    assert rows[0].index < rows[1].index


def test_answers_given_offline_arrive_when_the_network_is_back(visit, studies: dict[str, Served]) -> None:
    person = visit("four")
    person.agree()
    person.go_to("scene")
    person.context.set_offline(True)  # three answers fit into the box, then the study waits
    expect(person.page.get_by_text("No connection.")).to_be_visible()
    for _ in range(3):
        person.go_to("scene")
        person.do("scene")
    expect(person.page.get_by_text("We go on as soon as")).to_be_visible()
    assert rows_of_last(studies["four"]) == []
    person.context.set_offline(False)
    person.finish()
    rows = rows_of_last(studies["four"])
    assert len({row.index for row in rows}) == len(rows) == 4


def test_a_server_with_too_much_to_do_is_told_of_and_the_page_goes_on_by_itself(visit) -> None:
    person = visit("asgre2007")
    person.agree()
    person.go_to("scene")
    busy = {"status": 503, "headers": {"retry-after": "1"}, "json": {"problem": "busy", "message": "…"}}
    person.context.route("**/api/trials/*", lambda route: route.fulfill(**busy))
    person.do("scene")
    person.page.get_by_text("Very many people are here just now.").wait_for()
    person.context.unroute("**/api/trials/*")
    person.page.get_by_text("Very many people are here just now.").wait_for(state="hidden")


def test_answers_survive_a_reload_while_the_server_is_silent(visit, studies: dict[str, Served]) -> None:
    person = visit("asgre2007")
    person.agree()
    person.go_to("scene")
    person.context.route("**/api/trials/*", lambda route: route.abort())
    person.do("scene")
    person.next_thing()
    assert rows_of_last(studies["asgre2007"]) == []
    person.context.unroute("**/api/trials/*")
    person.page.on("dialog", lambda dialog: dialog.accept())
    person.page.reload()
    wait_for(lambda: len(rows_of_last(studies["asgre2007"])) >= 1)
    assert rows_of_last(studies["asgre2007"])[0].state == "done"
    person.finish()


def test_a_second_window_asks_and_takes_over_and_the_first_one_stops(
    visit, studies: dict[str, Served], site: str
) -> None:
    person = visit("asgre2007")
    person.agree()
    person.go_to("scene")
    second = Visitor(person.context, person.context.new_page())
    second.page.goto(f"{site}/s/asgre2007/")
    expect(second.page.get_by_text("This study is open in another window.")).to_be_visible()
    second.page.get_by_role("button", name="Continue here").click()
    expect(person.page.get_by_text("The study goes on in another window.")).to_be_visible()
    second.finish()
    assert len({row.session for row in rows_of_last(studies["asgre2007"])}) == 1
    assert stored(studies["asgre2007"], session)[-1].state == "coded"


def test_withdrawing_asks_first_and_ends_everything(visit, studies: dict[str, Served]) -> None:
    person = visit("tuna2008")
    person.agree()
    person.go_to("scene")
    leave = person.page.get_by_role("button", name="Withdraw")
    leave.click()
    person.page.get_by_role("button", name="No, go on").click()
    expect(person.page.locator(".scene")).to_be_visible()
    leave.click()
    person.page.get_by_role("button", name="Yes, withdraw").click()
    expect(person.page.get_by_text("You have withdrawn.")).to_be_visible()
    assert stored(studies["tuna2008"], session)[-1].state == "withdrawn"
    person.page.reload()
    expect(person.page.get_by_text("You have withdrawn.")).to_be_visible()


def test_the_withdraw_button_is_on_every_page_after_consent(visit) -> None:
    person = visit("judgement")
    person.agree()
    while (thing := person.next_thing()) != "end":
        expect(person.page.get_by_role("button", name="Withdraw", exact=True)).to_be_visible()
        person.do(thing)
    expect(person.page.get_by_role("button", name="Withdraw", exact=True)).to_be_visible()


def test_declining_stores_nothing(visit, studies: dict[str, Served]) -> None:
    before = len(stored(studies["tuna2008"], session))
    person = visit("tuna2008")
    person.page.get_by_role("button", name="I do not want to take part").click()
    expect(person.page.get_by_text("nothing was stored")).to_be_visible()
    assert len(stored(studies["tuna2008"], session)) == before


def test_back_button_and_double_click_change_nothing(visit, studies: dict[str, Served]) -> None:
    person = visit("asgre2007")
    person.agree()
    person.page.locator(".jspsych-content .actions .button").wait_for()
    heading = person.page.locator("h1").inner_text()
    person.page.locator(".jspsych-content .actions .button").dblclick()
    expect(person.page.locator("h1")).not_to_have_text(heading)
    person.go_to("scene")
    person.page.go_back()
    person.page.wait_for_timeout(200)
    person.wait()
    person.page.locator(".scene button.entity").first.dblclick()
    person.finish()
    rows = rows_of_last(studies["asgre2007"])
    assert [row.attempt for row in rows] == [1] * len(rows)


def test_a_taken_back_choice_is_kept_as_corrected(visit, studies: dict[str, Served]) -> None:
    person = visit("confirm")
    person.agree()
    corrected = 0
    while (thing := person.next_thing()) != "end":
        person.do(thing)
        if thing == "scene" and not corrected:
            person.page.get_by_role("button", name="Take back").click()
            person.wait()
            person.page.locator(".scene button.entity").nth(1).click()
            corrected = 1
        if thing == "scene":
            person.page.get_by_role("button", name="Confirm").click()
    answers = [row.answer for row in rows_of_last(studies["confirm"]) if "corrected" in row.answer]
    assert [answer["corrected"] for answer in answers] == [True] + [False] * (len(answers) - 1)
    assert answers[0]["entity"] == "e2"


def test_a_hostile_description_is_text_and_right_to_left_is_respected(visit) -> None:
    person = visit("hostile")
    page = person.page
    person.agree()
    person.go_to("reading")
    shown = page.locator(".reading .description")
    assert shown.inner_text() == HOSTILE
    assert page.evaluate("document.documentElement.dir") == "rtl"
    assert page.evaluate("window.hacked") is None
    person.go_to("scene")
    places = page.evaluate(
        "[...document.querySelectorAll('.scene .place')].map(n => [Number(n.style.getPropertyValue('--x')), n.getBoundingClientRect().x])"
    )
    ordered = [x for _, x in sorted(places)]
    assert ordered == sorted(ordered), "a scene keeps its left and right in any script"
    person.finish()
    assert person.problems == []
    assert person.violations() == []


def test_the_pointers_path_is_stored_in_cells(visit, studies: dict[str, Served]) -> None:
    person = visit("track")
    person.agree()
    person.go_to("scene")
    place = person.page.locator(".scene .place").first
    box = place.bounding_box()
    column, row = place.evaluate("n => ['--x', '--y'].map((name) => Number(n.style.getPropertyValue(name)))")
    person.page.mouse.move(5, 5)
    person.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=12)
    person.finish()
    path = next(r.answer for r in rows_of_last(studies["track"]) if r.kind == "trial")
    assert len(path["path_ms"]) == len(path["path_x"]) >= 2
    assert path["path_ms"] == sorted(path["path_ms"])
    # It ended in the middle of the first picture, wherever the screen has it.
    assert (path["path_x"][-1], path["path_y"][-1]) == pytest.approx((column + 0.5, row + 0.5), abs=0.05)
    assert person.problems == []


POINTS = """
() => [...document.querySelectorAll('.scene .place')].flatMap((place) => {
  const box = place.getBoundingClientRect();
  return Array.from({ length: 64 }, (_, i) => [(i % 8 + 0.5) / 8, (Math.floor(i / 8) + 0.5) / 8]).map(([x, y]) => {
    const [left, top] = [box.x + x * box.width, box.y + y * box.height];
    const at = (v) => Number(place.style.getPropertyValue(v));
    const hit = document.elementFromPoint(left, top)?.closest('[data-entity]');
    return [100 * (at('--x') + x), 100 * (at('--y') + y), hit?.dataset.entity ?? null];
  });
})
"""


def test_objects_that_overlap_are_pressed_where_they_are_seen(visit, studies: dict[str, Served]) -> None:
    """Every point of the browser's scene belongs to whom the server's own geometry says; before, the later object's cell took all presses."""
    person = visit("close", viewport={"width": 1280, "height": 900})
    person.agree()
    person.go_to("scene")
    study, row = studies["close"].study, stored(studies["close"], session)[-1]
    step = next(s for s in make_plan(study, row.list, row.plan_seed).steps if s.stimulus)
    entities = step.shown.parameters["entities"]
    layout = Layout(
        places={e["id"]: Place(e["column"], e["row"], e["dx"], e["dy"]) for e in entities},
        columns=step.shown.parameters["grid"]["columns"],
        rows=step.shown.parameters["grid"]["rows"],
    )
    areas = {e["id"]: e["area"] for e in entities if "area" in e}
    assert len(areas) >= 4
    found = person.page.evaluate(POINTS)
    wrong = [(x, y, hit) for x, y, hit in found if hit != find_pressed(x, y, areas, layout)]
    # Points on an outline may fall to either side of it.
    assert len(wrong) < 0.02 * len(found), wrong[:5]
    assert {hit for *_, hit in found} >= set(areas), "every object can be pressed"


def test_names_for_screen_readers_reveal_nothing(visit) -> None:
    person = visit("asgre2007")
    person.agree()
    person.go_to("scene")
    names = (
        person.page.locator(".scene")
        .get_by_role("button")
        .evaluate_all("nodes => nodes.map(n => n.getAttribute('aria-label'))")
    )
    assert names == [f"Object {n}" for n in range(1, len(names) + 1)]
    assert person.page.locator(".scene img:not([alt=''])").count() == 0
    expect(person.page.get_by_role("progressbar")).to_have_count(1)
    expect(person.page.get_by_role("group", name=f"Scene with {len(names)} objects")).to_be_visible()


def test_pictures_that_do_not_load_are_offered_again(visit) -> None:
    person = visit("tuna2008")
    person.context.route("**/pictures/*", lambda route: route.abort())
    person.agree()
    expect(person.page.get_by_text("Some pictures could not be loaded.")).to_be_visible()
    person.context.unroute("**/pictures/*")
    person.page.get_by_role("button", name="Try again").click()
    person.go_to("reading")


def test_who_goes_on_without_pictures_has_flagged_trials(visit, studies: dict[str, Served]) -> None:
    person = visit("asgre2007")
    person.context.route("**/pictures/*", lambda route: route.abort())
    person.agree()
    person.page.get_by_role("button", name="Continue without them").click()
    person.finish()
    rows = [row for row in rows_of_last(studies["asgre2007"]) if row.kind == "trial"]
    assert len(rows) == 3
    assert all("preload-failed" in row.flags for row in rows)


def test_who_comes_again_after_the_end_gets_the_same_code(visit) -> None:
    person = visit("asgre2007")
    person.agree()
    code = person.finish()
    person.page.reload()
    expect(person.page.locator(".code").first).to_have_text(code)


def test_a_code_withdraws_later_from_any_device(visit, studies: dict[str, Served]) -> None:
    person = visit("asgre2007", "?simulate=data-only")
    person.agree()
    expect(person.page.locator(".code")).to_have_count(2)
    code = person.page.locator(".code").last.inner_text()
    elsewhere = visit("asgre2007", "?withdraw")
    elsewhere.page.get_by_role("textbox").fill("AAAA-AAAA-AAAA")
    elsewhere.page.get_by_role("button", name="Withdraw").click()
    expect(elsewhere.page.get_by_text("Nobody has this code.")).to_be_visible()
    elsewhere.page.get_by_role("textbox").fill(code)
    elsewhere.page.get_by_role("button", name="Withdraw").click()
    expect(elsewhere.page.get_by_text("You have withdrawn.")).to_be_visible()
    assert stored(studies["asgre2007"], session)[-1].state == "withdrawn"


@pytest.mark.parametrize("how", ["data-only", pytest.param("visual", marks=pytest.mark.long)])
def test_a_study_can_be_rehearsed_by_simulation(how: str, visit, studies: dict[str, Served]) -> None:
    person = visit("tuna2008", f"?simulate={how}")
    person.agree()
    expect(person.page.locator(".code").first).to_be_visible()
    rows = [row for row in rows_of_last(studies["tuna2008"]) if row.kind == "trial"]
    assert len(rows) == 3
    assert all("untrusted" in row.flags for row in rows)
