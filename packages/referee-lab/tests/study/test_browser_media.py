"""Descriptions that are heard, in a real Chromium: loaded before the first trial, begun with the scene, their onsets and errors stored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser
from small_media import write_film, write_sound
from study_in_browser import Visitor, chromium, make_study, serve, stored, wait_for
from study_server import change
from test_heard_descriptions import give_voices

from referee_lab.server.sessions.served_study import Served, open_served

SECONDS = 0.3
# What Playwright asks of a page counts as a gesture; a person's reload does not.
ONLY_PRESSES = """
addEventListener("pointerdown", () => { window.pressed = true; }, { capture: true });
Object.defineProperty(navigator, "userActivation", { get: () => ({ hasBeenActive: Boolean(window.pressed) }) });
"""


def voiced(folder: Path, protocol: str, ending: str, **settings: str) -> Served:
    make_study(folder, protocol, folder.name, items=3).store.close()
    for name in give_voices(folder, ending):
        (write_sound if ending == ".wav" else write_film)(folder / "media" / name, SECONDS)
    change(folder, **settings)
    return open_served(folder)


STUDIES: dict[str, tuple[str, str, dict[str, str]]] = {
    "sound": ("asgre2007", ".wav", {}),
    "first": ("tuna2008", ".wav", {"media_repeats": "1"}),
    "film": ("tuna2008", ".webm", {}),
    "judged": ("judgement", ".wav", {"media_text": '"shown"'}),
    "found": ("point", ".wav", {}),
    "gone": ("asgre2007", ".wav", {}),
    "checked": ("asgre2007", ".wav", {"sound_check": "true"}),
    "brief": ("tuna2008", ".wav", {}),
    "glimpse": ("tuna2008", ".webm", {}),
    "beside": ("asgre2007", ".webm", {"media_repeats": "1"}),
}
# Counted where they are made, as a person would by ear.
COUNT_TONES = """
window.tones = 0;
const made = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.tones++; return made.call(this); };
"""
# A browser that plays nothing before a press on this page, whatever was pressed before.
REFUSE_FILMS = """
const allowed = HTMLMediaElement.prototype.play;
addEventListener("pointerdown", () => { window.pressed = true; }, { capture: true });
HTMLMediaElement.prototype.play = function () {
  return window.wanted && !window.pressed ? Promise.reject(new DOMException("not allowed", "NotAllowedError")) : allowed.call(this);
};
"""
SLEEP = """
const real = Object.getOwnPropertyDescriptor(BaseAudioContext.prototype, "state").get;
const resume = AudioContext.prototype.resume;
addEventListener("pointerdown", () => { window.asleep = false; }, { capture: true });
Object.defineProperty(BaseAudioContext.prototype, "state", { get() { return window.asleep ? "suspended" : real.call(this); } });
AudioContext.prototype.resume = function () { return window.asleep ? new Promise(() => undefined) : resume.call(this); };
"""


@pytest.fixture
def studies(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Served]:
    """The one study that a test is about."""
    name = request.param
    protocol, ending, settings = STUDIES[name]
    served = voiced(tmp_path / name, protocol, ending, **settings)
    for path in (tmp_path / name / "media").iterdir() if name == "gone" else ():
        path.write_bytes(b"no sound")
    return {name: served}


@pytest.fixture
def site(studies: dict[str, Served]) -> Iterator[str]:
    with serve(*studies.values()) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def take_part(browser: Browser, site: str, study: str) -> Visitor:
    visitor = Visitor.at(browser, f"{site}/s/{study}/")
    visitor.agree()
    return visitor


def trials_of(served: Served) -> list[Any]:
    return [row for row in stored(served) if row.kind == "trial"]


def check_onsets(rows: list[Any]) -> None:
    for row in rows:
        assert row.times["media_onset"] > 0
        # How good an onset is depends on the machine; that it is measured from the right moment does not.
        assert abs(row.times["media_onset_error_ms"]) < 1000
        assert row.times["text_onset"] == row.times["media_onset"]
        assert 0 < row.times["media_ms"] <= 1000 * SECONDS + 100
        assert "preload-failed" not in row.flags


@pytest.mark.parametrize("studies", ["sound"], indirect=True)
def test_a_sound_begins_with_the_scene(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = take_part(browser, site, "sound")
    visitor.go_to("scene")
    asked = visitor.page.evaluate(
        "performance.getEntriesByType('resource').map(e => e.name).filter(n => n.includes('/media/'))"
    )
    # All of them before the first trial: nothing is fetched while a clock runs.
    assert len(set(asked)) == 3
    assert visitor.page.locator(".description").is_hidden()
    visitor.finish()
    rows = trials_of(studies["sound"])
    assert len(rows) == 3
    check_onsets(rows)
    for row in rows:
        shown_at = row.times["t_onset"]
        assert row.times["media_onset"] - row.times["media_onset_error_ms"] == pytest.approx(shown_at)
        assert row.times["combined_ms"] == pytest.approx(row.times["t_response"] - row.times["media_onset"])
    assert visitor.problems == []
    assert visitor.violations() == []


@pytest.mark.parametrize("studies", ["first"], indirect=True)
@pytest.mark.long
def test_a_voice_before_the_scene_is_heard_to_its_end_and_again(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    visitor = take_part(browser, site, "first")
    visitor.go_to("reading")
    visitor.page.get_by_role("button", name="Play again").click()
    visitor.page.wait_for_selector(".reading .button.primary.waiting", state="attached")
    visitor.page.wait_for_selector(".reading .button.primary:not(.waiting)")
    assert visitor.page.locator(".again:not(.waiting)").count() == 0
    visitor.finish()
    rows = trials_of(studies["first"])
    check_onsets(rows)
    assert [row.answer["repeats"] for row in rows] == [1, 0, 0]
    assert all(row.times["reading_ms"] >= 1000 * SECONDS for row in rows)
    assert visitor.problems == []


@pytest.mark.parametrize("studies", ["film"], indirect=True)
@pytest.mark.long
def test_a_film_is_seen_and_timed(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = take_part(browser, site, "film")
    visitor.go_to("reading")
    wide = visitor.page.evaluate("document.querySelector('video').videoWidth")
    assert wide == 64
    visitor.finish()
    check_onsets(trials_of(studies["film"]))
    assert visitor.problems == []
    assert visitor.violations() == []


@pytest.mark.parametrize("studies", ["judged"], indirect=True)
@pytest.mark.long
def test_what_is_heard_can_be_judged(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = take_part(browser, site, "judged")
    visitor.go_to("rate")
    assert visitor.page.locator(".description").is_visible()
    visitor.finish()
    rows = trials_of(studies["judged"])
    assert all(row.times["media_onset"] > 0 and row.answer["repeats"] == 0 for row in rows)
    assert visitor.problems == []


@pytest.mark.parametrize("studies", ["found"], indirect=True)
@pytest.mark.long
def test_what_is_heard_can_be_pointed_at_in_a_picture(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = take_part(browser, site, "found")
    visitor.go_to("photograph")
    assert visitor.page.locator(".description").is_hidden()
    visitor.finish()
    check_onsets(trials_of(studies["found"]))
    assert visitor.problems == []


@pytest.mark.parametrize("studies", ["sound"], indirect=True)
@pytest.mark.long
def test_after_a_reload_a_press_comes_first_for_browsers_play_nothing_unasked(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    visitor = take_part(browser, site, "sound")
    visitor.go_to("scene")
    before = len(stored(studies["sound"]))
    visitor.do("scene")
    # A page that has something unsaved asks before it is left.
    wait_for(lambda: len(stored(studies["sound"])) > before)
    visitor.page.get_by_text("Saved", exact=True).wait_for()
    visitor.go_to("scene")
    visitor.context.add_init_script(ONLY_PRESSES)
    visitor.page.reload()
    visitor.page.locator(".starting .button:not(.waiting)").click()
    visitor.go_to("scene")
    visitor.finish()
    assert visitor.problems == []


@pytest.mark.parametrize("studies", ["gone"], indirect=True)
@pytest.mark.long
def test_who_cannot_hear_is_told_so_and_does_not_go_on(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = take_part(browser, site, "gone")
    visitor.page.get_by_text("Some recordings could not be loaded or played.").wait_for()
    assert visitor.page.locator(".page .button").all_inner_texts() == ["Try again"]
    # The organiser has mended it meanwhile.
    for path in (studies["gone"].study.folder / "media").iterdir():
        write_sound(path, SECONDS)
    visitor.page.evaluate("const was = fetch; window.fetch = (a, o) => was(a, { ...o, cache: 'reload' })")
    visitor.page.get_by_role("button", name="Try again").click()
    visitor.finish()
    check_onsets(trials_of(studies["gone"]))


@pytest.mark.parametrize("studies", ["sound"], indirect=True)
@pytest.mark.long
def test_a_network_that_is_lost_while_loading_is_waited_for(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    visitor = Visitor.at(browser, f"{site}/s/sound/")
    visitor.context.route("**/media/*", lambda route: route.abort())
    visitor.agree()
    visitor.page.get_by_text("Some recordings could not be loaded or played.").wait_for()
    visitor.context.unroute("**/media/*")
    # Nothing is pressed: the page goes on when the browser is back on the net.
    visitor.page.evaluate("window.dispatchEvent(new Event('online'))")
    visitor.finish()
    check_onsets(trials_of(studies["sound"]))


@pytest.mark.parametrize("studies", ["checked"], indirect=True)
def test_who_counts_the_tones_wrongly_hears_others(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = Visitor.at(browser, f"{site}/s/checked/")
    page = visitor.page
    page.evaluate(f"() => {{ {COUNT_TONES} }}")
    visitor.agree()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Can you hear it?").wait_for()
    page.get_by_role("button", name="Play the tones").click()
    page.get_by_text("How many tones were there?").wait_for()
    first = page.evaluate("window.tones")
    assert 2 <= first <= 5
    page.get_by_role("button", name="1", exact=True).click()
    page.get_by_text("That was another number.").wait_for()
    assert page.get_by_role("button", name="2", exact=True).is_hidden()
    page.get_by_role("button", name="Play again").click()
    page.get_by_text("How many tones were there?").wait_for()
    second = page.evaluate("window.tones") - first
    assert second != first
    page.get_by_role("button", name=str(second), exact=True).click()
    visitor.finish()
    assert len(trials_of(studies["checked"])) == 3
    assert visitor.problems == []


@pytest.mark.parametrize("studies", ["sound"], indirect=True)
@pytest.mark.long
def test_sound_that_fell_asleep_is_woken_by_a_press(browser: Browser, site: str, studies: dict[str, Served]) -> None:
    visitor = Visitor.at(browser, f"{site}/s/sound/")
    visitor.page.evaluate(f"() => {{ {SLEEP} }}")
    visitor.agree()
    visitor.go_to("scene")
    visitor.page.evaluate("window.asleep = true")
    visitor.do("scene")
    # The press before woke it: only a sleep that lasts into the trial is asked about.
    visitor.page.evaluate("window.asleep = true")
    visitor.page.locator(".starting .button:not(.waiting)").click()
    visitor.finish()
    check_onsets(trials_of(studies["sound"]))


@pytest.mark.parametrize("studies", ["film"], indirect=True)
@pytest.mark.long
def test_a_film_that_the_browser_refuses_is_started_by_a_press(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    visitor = Visitor.at(browser, f"{site}/s/film/")
    visitor.page.evaluate(f"() => {{ {REFUSE_FILMS} }}")
    visitor.agree()
    while visitor.page.get_by_role("heading", name="Ready?").count() == 0:
        visitor.do(visitor.next_thing())
    visitor.page.get_by_role("button", name="Start").click()
    visitor.page.evaluate("window.pressed = false; window.wanted = true")
    visitor.page.locator(".starting .button:not(.waiting)").click()
    visitor.finish()
    check_onsets(trials_of(studies["film"]))


@pytest.mark.parametrize(
    ("studies", "seconds"),
    [pytest.param("brief", 0.1, marks=pytest.mark.long), pytest.param("glimpse", 0.12, marks=pytest.mark.long)],
    indirect=["studies"],
)
def test_what_lasts_a_tenth_of_a_second_is_played_and_ends(
    browser: Browser, site: str, studies: dict[str, Served], seconds: float
) -> None:
    (served,) = studies.values()
    for path in (served.study.folder / "media").iterdir():
        (write_sound if path.suffix == ".wav" else write_film)(path, seconds)
    visitor = take_part(browser, site, served.id)
    visitor.finish()
    rows = trials_of(served)
    check_onsets(rows)
    assert visitor.problems == []


@pytest.mark.parametrize("studies", ["sound"], indirect=True)
@pytest.mark.long
def test_who_reloads_while_it_plays_hears_it_from_the_beginning(
    browser: Browser, site: str, studies: dict[str, Served]
) -> None:
    served = studies["sound"]
    for path in (served.study.folder / "media").iterdir():
        write_sound(path, 5.0)
    visitor = take_part(browser, site, "sound")
    visitor.go_to("scene")
    visitor.page.reload()
    visitor.finish()
    kept = trials_of(served)
    assert [row.state for row in kept].count("aborted") == 1
    done = [row for row in kept if row.state == "done"]
    assert sorted(row.attempt for row in done) == [1, 1, 2]
    # Answered while the voice still spoke: what was heard is what was played, not the length of the file.
    assert all(0 < row.times["media_ms"] < 5000 for row in done)


@pytest.mark.parametrize("studies", ["beside"], indirect=True)
@pytest.mark.long
@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_a_film_and_its_scene_are_seen_whole_without_scrolling(
    browser: Browser, site: str, studies: dict[str, Served], size: tuple[int, int]
) -> None:
    for path in (studies["beside"].study.folder / "media").iterdir():
        write_film(path, SECONDS, size=(640, 480))
    visitor = Visitor.at(browser, f"{site}/s/beside/", viewport={"width": size[0], "height": size[1]})
    visitor.agree()
    visitor.go_to("scene")
    boxes = [visitor.page.locator(selector).bounding_box() for selector in (".film", ".scene", ".again")]
    for box in boxes:
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= size[0]
        # The bar at the top has 60 pixels.
        assert box["y"] >= 60
        assert box["y"] + box["height"] <= size[1]
