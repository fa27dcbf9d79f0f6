"""Replayed dialogue in a real Chromium, in the real study server: watch, read, choose, take back, watch again; as overhearer and as operator."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from study_in_browser import Visitor, chromium, serve, stored, wait_for

from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.study.folder.demo_study import make_demo

ENDS = ".utterance:not(.waiting)"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("overheard") / "master"
    make_demo(folder, "replay-identify", items=4, participants=20, practice=1, id="overheard")
    return folder


@pytest.fixture
def study(made: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Served:
    """Eight times as fast as it was, so that tests need not sit through it."""
    import shutil

    folder = tmp_path / "overheard"
    shutil.copytree(made, folder)
    settings = folder / "study.toml"
    text = re.sub(r"(?m)^speed = .*$", "speed = 8.0", settings.read_text("utf-8"))
    # Without the questions about a person, so that the first thing stored is a trial.
    text = re.sub(r"(?m)^demographics = .*$", "demographics = false", text)
    role = getattr(request, "param", "overhearer")
    settings.write_text(re.sub(r"(?m)^role = .*$", f'role = "{role}"', text), "utf-8")
    return open_served(folder)


def _to_the_replay(visitor: Visitor) -> None:
    visitor.agree()
    while not visitor.page.locator(".replay-trial").count():
        visitor.wait()
        if (button := visitor.page.locator(".page .actions .button")).count():
            button.last.click()


def _watch(visitor: Visitor) -> None:
    visitor.wait()
    visitor.page.locator(".replay-bar .button").click()
    visitor.page.wait_for_selector(ENDS)
    visitor.wait()


def _choose(visitor: Visitor, piece: str) -> None:
    visitor.page.locator(f'.piece-choices [data-choice="{piece}"]').click()
    visitor.wait()


@pytest.mark.long
def test_watching_again_and_taking_back_are_counted_and_both_clocks_run(study: Served, browser: Browser) -> None:
    with serve(study) as base:
        visitor = Visitor.at(browser, f"{base}/s/overheard/")
        page = visitor.page
        _to_the_replay(visitor)
        assert page.locator(".replay-counter").inner_text() == "1 of 1"
        assert page.locator(".piece-choices.waiting").count() == 1
        _watch(visitor)
        red = page.locator(".expression-in-red").inner_text()
        assert red
        assert red in page.locator(".utterance").inner_text()
        page.locator(".replay-bar .button").click()
        page.wait_for_selector(".watching")
        page.wait_for_selector(".replay-trial:not(.watching)")
        visitor.wait()
        _choose(visitor, "2")
        page.get_by_role("button", name="Take back").click()
        visitor.wait()
        _choose(visitor, "5")
        page.get_by_role("button", name="Confirm").click()
        wait_for(lambda: len(stored(study)) == 1)
        (row,) = stored(study)
        assert (row.answer["outcome"], row.answer["entity"]) == ("entity", "e5")
        assert (row.answer["repeats"], row.answer["corrected"], row.answer["trusted"]) == (1, True, True)
        times = row.times
        assert times["combined_ms"] == pytest.approx(times["reading_ms"] + times["identification_ms"])
        assert 0 < times["identification_ms"] < times["combined_ms"]
        assert times["t_response"] - times["text_onset"] == pytest.approx(times["combined_ms"])
        assert times["confirming_ms"] > 0
        assert (visitor.problems, visitor.violations()) == ([], [])


def test_the_clip_takes_as_long_as_it_should(study: Served, browser: Browser) -> None:
    with serve(study) as base:
        visitor = Visitor.at(browser, f"{base}/s/overheard/")
        _to_the_replay(visitor)
        _watch(visitor)
        _choose(visitor, "dont-know")
        visitor.page.get_by_role("button", name="Confirm").click()
        wait_for(lambda: len(stored(study)) == 1)
        (row,) = stored(study)
        assert (row.answer["outcome"], row.answer["entity"]) == ("dont-know", None)
        clip = study.study.practice[0].trial.meta["clip_ms"]
        wanted = (clip[1] - clip[0]) / 8
        assert wanted - 60 <= row.times["clip_ms"] <= wanted + 500, "a busy machine may be late, never early"


@pytest.mark.long  # a reload in every other trial is in test_browser_participant
def test_a_reload_breaks_the_trial_off_and_it_comes_again(study: Served, browser: Browser) -> None:
    with serve(study) as base:
        visitor = Visitor.at(browser, f"{base}/s/overheard/")
        _to_the_replay(visitor)
        _watch(visitor)
        visitor.page.reload()
        visitor.page.wait_for_selector(".replay-trial, .page .actions .button")
        while not visitor.page.locator(".replay-trial").count():
            visitor.wait()
            if (button := visitor.page.locator(".page .actions .button")).count():
                button.last.click()
        assert visitor.page.locator(ENDS).count() == 0
        _watch(visitor)
        _choose(visitor, "1")
        visitor.page.get_by_role("button", name="Confirm").click()
        wait_for(lambda: len(stored(study)) == 2)
        assert [(r.state, r.attempt) for r in stored(study)] == [("aborted", 1), ("done", 2)]


@pytest.mark.parametrize("study", ["operator"], indirect=True)
def test_an_operator_presses_the_piece_itself_by_mouse_or_key(study: Served, browser: Browser) -> None:
    with serve(study) as base:
        visitor = Visitor.at(browser, f"{base}/s/overheard/")
        page = visitor.page
        _to_the_replay(visitor)
        _watch(visitor)
        assert page.locator(".piece-choices [data-choice]").count() == 1
        assert not page.locator(".board-number").first.is_visible()
        page.locator('.board-piece[data-piece="6"] .board-shape').click()
        visitor.wait()
        assert "selected" in (page.locator('[data-piece="6"]').get_attribute("class") or "")
        page.locator('[data-piece="3"]').focus()
        page.keyboard.press("Enter")
        page.get_by_role("button", name="Confirm").click()
        wait_for(lambda: len(stored(study)) == 1)
        (row,) = stored(study)
        assert (row.answer["entity"], row.answer["pointer"], row.answer["corrected"]) == ("e3", "keyboard", True)
        assert (visitor.problems, visitor.violations()) == ([], [])


@pytest.mark.long  # one trial of it is in the tests above, a whole study by simulation in test_browser_participant.py
def test_a_simulated_person_finishes_the_whole_study_in_the_page(study: Served, browser: Browser) -> None:
    with serve(study) as base:
        visitor = Visitor.at(browser, f"{base}/s/overheard/?simulate=visual")
        visitor.agree()
        visitor.page.wait_for_selector(".code", timeout=90_000)
        done = [r for r in stored(study) if r.kind == "trial"]
        assert len(done) == 4
        assert visitor.problems == []
