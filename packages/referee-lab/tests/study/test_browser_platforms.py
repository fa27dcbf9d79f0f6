"""Recruiting platforms, sound, sliders, feedback, dialogs and forced colours in a real Chromium."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Route, expect
from sqlalchemy import select
from study_in_browser import Visitor, chromium, make_study, serve, stored

from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store.schema import arrival, session

HOSTED = "https://study.example"
TURK = "https://workersandbox.mturk.com"
WORKER = f"assignmentId=A1&hitId=H1&workerId=W1&turkSubmitTo={TURK}"
# Counts what is started, and when: a bell cannot be heard here.
LISTEN = """
window.rung = [];
const start = OscillatorNode.prototype.start;
OscillatorNode.prototype.start = function (...given) {
  window.rung.push({ state: this.context.state, fixation: document.querySelectorAll(".fixation:not(.waiting)").length });
  return start.apply(this, given);
};
"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Served]:
    folder = tmp_path_factory.mktemp("platforms")

    def make(id: str, protocol: str, practice: int = 0, **changes: str) -> Served:
        return make_study(folder / id, protocol, id, practice=practice, changes=changes)

    return {
        "turk": make("turk", "asgre2007", platform='"mturk"', mode='"pilot"'),
        "prolific": make("prolific", "asgre2007", platform='"prolific"', mode='"pilot"'),
        "bell": make("bell", "tuna2008", bell="true"),
        "slider": _with_sliders(make("slider", "judgement")),
        "feedback": make("feedback", "asgre2007", practice=2, feedback="true"),
        "words": make("words", "self-paced-reading"),
        "production": make("production", "production"),
    }


def _with_sliders(served: Served) -> Served:
    """`kind` is a field of two tables of study.toml: the scale's, not the design's, is meant."""
    served.store.close()
    folder = served.study.folder
    settings = folder / "study.toml"
    settings.write_text(settings.read_text("utf-8").replace('kind = "likert"', 'kind = "slider"'), "utf-8")
    shutil.rmtree(folder / "data")
    return open_served(folder)


@pytest.fixture(scope="module")
def site(studies: dict[str, Served]) -> Iterator[str]:
    with serve(*studies.values()) as address:
        yield address


def framed(browser: Browser, outer: str, site: str, path: str) -> Visitor:
    """A study over HTTPS in the frame of another site; neither host exists, requests to the study's go to the server here."""
    context = browser.new_context()
    visitor = Visitor(context, context.new_page())
    visitor.listen(visitor.page)

    def pass_on(route: Route) -> None:
        route.fulfill(response=route.fetch(url=route.request.url.replace(HOSTED, site)))

    context.route(f"{HOSTED}/**", pass_on)
    context.route(f"{outer}/task", lambda route: route.fulfill(content_type="text/html", body=_frame(HOSTED + path)))
    visitor.page.goto(f"{outer}/task")
    return visitor


def _frame(address: str) -> str:
    return f'<!doctype html><title>task</title><iframe name="study" src="{address}" width=1000 height=800></iframe>'


def test_a_preview_on_mechanical_turk_says_so_and_stores_nothing(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    query = f"assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE&hitId=H1&turkSubmitTo={TURK}"
    visitor = framed(browser, TURK, site, f"/s/turk/?{query}")
    inside = visitor.page.frame_locator("iframe")
    expect(inside.get_by_text("This is a preview.")).to_be_visible()
    assert inside.get_by_role("button", name="I agree").count() == 0
    assert stored(studies["turk"], session) == []
    with studies["turk"].store.read() as connection:
        assert list(connection.execute(select(arrival))) == []
    visitor.context.close()


@pytest.mark.long
def test_a_worker_in_the_frame_of_mechanical_turk_sends_it_assignment_and_code(browser: Browser, site: str) -> None:
    visitor = framed(browser, TURK, site, f"/s/turk/?{WORKER}")
    sent: list[str] = []

    def take(route: Route) -> None:
        sent.append(route.request.post_data or "")
        route.fulfill(content_type="text/html", body="taken by the platform")

    visitor.context.route(f"{TURK}/mturk/externalSubmit", take)
    inside = visitor.page.frame_locator("iframe")
    inside.get_by_role("button", name="I agree").click()
    while inside.locator(".code").count() == 0:
        ready = inside.locator(
            ".code, .panel:not(.waiting) .scene button.entity, .page .actions .button:not(:disabled)"
        )
        ready.first.wait_for()
        visitor.wait()
        if inside.locator(".code").count() == 0:
            ready.last.click()
    code = inside.locator(".code").first.inner_text()
    inside.get_by_role("button", name="Submit the task").click()
    expect(inside.get_by_text("taken by the platform")).to_be_visible()
    assert sent == [f"assignmentId=A1&code={code}"]
    visitor.context.close()


def test_other_sites_cannot_frame_a_study(browser: Browser, site: str) -> None:
    for study, outer in (("turk", "https://elsewhere.example"), ("bell", TURK)):
        visitor = framed(browser, outer, site, f"/s/{study}/?{WORKER}")
        while not any("frame" in problem.lower() for problem in visitor.problems):
            visitor.page.wait_for_event("console")  # fails by itself where nothing is complained about
        assert visitor.page.frame_locator("iframe").locator("#stage").count() == 0
        visitor.context.close()


def test_who_comes_from_prolific_goes_back_with_the_code_when_they_like(browser: Browser, site: str) -> None:
    who = "PROLIFIC_PID=5f1a&STUDY_ID=s1&SESSION_ID=t1"
    person = Visitor.at(browser, f"{site}/s/prolific/?{who}")
    person.context.route("https://app.prolific.com/**", lambda route: route.fulfill(body="back"))
    person.agree()
    code = person.finish()
    link = person.page.get_by_role("link", name="Back to the recruitment platform")
    expect(link).to_be_visible()
    # Nothing takes the person away: what is written here can be read, and withdrawing is still possible.
    assert person.page.get_by_text("?withdraw").count() == 1
    person.page.wait_for_timeout(400)
    assert "app.prolific.com" not in person.page.url
    link.click()
    person.page.wait_for_url(f"https://app.prolific.com/submissions/complete?cc={code}", timeout=60_000)
    person.page.goto(f"{site}/s/prolific/?{who}")
    expect(person.page.locator(".code").first).to_have_text(code)
    person.context.close()


def test_the_bell_rings_once_with_every_fixation_point(browser: Browser, site: str) -> None:
    person = Visitor.at(browser, "about:blank")
    person.context.add_init_script(LISTEN)
    person.page.goto(f"{site}/s/bell/")
    person.agree()
    person.finish()
    assert person.page.evaluate("window.rung") == [{"state": "running", "fixation": 1}] * 3
    assert person.problems == []
    person.context.close()


def test_a_slider_has_no_starting_value_and_keeps_what_was_set(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    person = Visitor.at(browser, f"{site}/s/slider/")
    page = person.page
    person.agree()
    while (thing := person.next_thing()) != "end":
        if thing != "rate":
            person.do(thing)
            continue
        done = page.locator(".judge .actions .button")
        expect(done).to_be_disabled()
        first, second = page.get_by_role("slider").all()
        assert first.get_attribute("aria-valuetext") == "–"
        first.focus()
        page.keyboard.press("End")
        box = second.bounding_box()
        assert box is not None
        second.click(position={"x": box["width"] / 2, "y": box["height"] / 2})
        person.wait()
        done.click()
    ratings = [row.answer["ratings"] for row in stored(studies["slider"]) if row.kind == "trial"]
    assert len(ratings) == 3
    assert ratings == [{"adequacy": 100, "fluency": 50}] * 3
    person.context.close()


def test_every_trial_begins_at_the_top_of_its_page(browser: Browser, site: str) -> None:
    person = Visitor.at(browser, f"{site}/s/slider/", viewport={"width": 800, "height": 500})
    person.agree()
    for _ in range(2):
        person.go_to("rate")
        person.wait()
        assert person.page.evaluate("window.scrollY") == 0
        covered = person.page.evaluate(
            "document.querySelector('.bar').getBoundingClientRect().bottom > document.querySelector('.description').getBoundingClientRect().top"
        )
        assert not covered
        for line in person.page.get_by_role("slider").all():
            line.press("End")
        person.page.locator(".judge .actions .button").click()  # scrolls down to it
    person.context.close()


def test_practice_is_told_right_from_wrong_and_trials_are_not(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    person = Visitor.at(browser, f"{site}/s/feedback/")
    person.agree()
    person.page.evaluate(
        "window.told = []; new MutationObserver(() => { const said = document.querySelector('.page [role=status]')?.textContent;"
        " if (said && window.told.at(-1) !== said + window.at) { window.told.push(said); } })"
        ".observe(document.getElementById('stage'), { childList: true })"
    )
    person.finish()
    told = person.page.evaluate("window.told")
    newest = stored(studies["feedback"], session)[-1]
    outline = studies["feedback"].outline(newest.list, newest.plan_seed, newest.study_hash)
    practice = [row for row in stored(studies["feedback"]) if row.kind == "practice"]
    expected = []
    for row in practice:
        step = outline.plan.steps[row.index]
        assert step.stimulus is not None
        right = step.shown.labels[row.answer["entity"]] in step.stimulus.trial.targets
        expected.append("That was the one." if right else "It was another one.")
    assert len(practice) == 2
    assert told == expected
    person.context.close()


def test_the_question_about_withdrawing_is_safe_to_dismiss(browser: Browser, site: str) -> None:
    person = Visitor.at(browser, f"{site}/s/production/")
    person.agree()
    person.go_to("produce")
    page = person.page
    page.locator("textarea").press_sequentially("the red")
    leave = page.get_by_role("button", name="Withdraw", exact=True)
    leave.focus()
    page.keyboard.press("Enter")
    question = page.get_by_role("dialog", name="Stop and withdraw?")
    expect(question.get_by_role("button", name="No, go on")).to_be_focused()
    page.keyboard.press("Escape")
    expect(question).to_be_hidden()
    expect(leave).to_be_focused()
    assert page.locator("textarea").input_value() == "the red"
    person.context.close()


def test_forced_colours_neither_unveil_words_nor_hide_the_cross_or_the_mark(browser: Browser, site: str) -> None:
    reader = Visitor.at(browser, f"{site}/s/words/", forced_colors="active")
    reader.agree()
    reader.go_to("reading")
    veiled = reader.page.locator(".word:not(.open)").first
    assert veiled.evaluate("node => getComputedStyle(node).color") == "rgba(0, 0, 0, 0)"
    reader.page.keyboard.press("Space")
    seen = reader.page.locator(".word.open")
    expect(seen).to_have_count(1)
    colours = seen.evaluate("node => [getComputedStyle(node).color, getComputedStyle(document.body).backgroundColor]")
    assert colours[0] not in ("rgba(0, 0, 0, 0)", colours[1])
    reader.go_to("scene")
    reader.wait()
    reader.page.keyboard.press("ArrowRight")
    expect(reader.page.locator(".scene .entity:focus-visible + .ring")).to_have_css("outline-style", "solid")
    speaker = Visitor.at(browser, f"{site}/s/production/", forced_colors="active")
    speaker.agree()
    speaker.go_to("produce")
    edges = speaker.page.locator(".scene .entity").evaluate_all(
        "nodes => nodes.map(n => [n.classList.contains('marked'), getComputedStyle(n.nextElementSibling).borderTopColor])"
    )
    marked = {colour for is_marked, colour in edges if is_marked}
    others = {colour for is_marked, colour in edges if not is_marked}
    assert len(marked) == 1
    assert marked.isdisjoint(others)
    reader.context.close()
    speaker.context.close()
