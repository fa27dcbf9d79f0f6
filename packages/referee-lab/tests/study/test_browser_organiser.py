"""The organisers' dashboard in a real Chromium: live, read-only until told otherwise, blind until unblinded."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import pytest
from playwright.sync_api import Browser, expect
from study_in_browser import Visitor, chromium, make_study, serve, stored

from referee_lab.server.sessions.served_study import Served
from referee_lab.server.store.schema import session


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return make_study(tmp_path_factory.mktemp("organised") / "study", "asgre2007", "organised")


@pytest.fixture(scope="module")
def site(study: Served, browser: Browser) -> Iterator[str]:
    """A server where one person has finished and one is in the middle."""
    with serve(study) as address:
        for left_early in (False, True):
            person = Visitor.at(
                browser, f"{address}/s/organised/?simulate=data-only" if not left_early else f"{address}/s/organised/"
            )
            person.agree()
            if left_early:
                person.go_to("scene")
            else:
                expect(person.page.locator(".code").first).to_be_visible()
            person.context.close()
        yield address


@pytest.fixture
def organiser(browser: Browser, site: str, study: Served) -> Iterator[Visitor]:
    visitor = Visitor.at(browser, f"{site}/s/organised/organiser#{study.keys.manage}")
    yield visitor
    visitor.context.close()


def test_the_token_leaves_the_address_bar_and_survives_a_reload(organiser: Visitor, study: Served) -> None:
    expect(organiser.page.get_by_role("heading", name="Participants")).to_be_visible()
    assert study.keys.manage not in organiser.page.url
    organiser.page.reload()
    expect(organiser.page.get_by_role("heading", name="Participants")).to_be_visible()


def test_progress_states_and_timing_are_shown_without_names_of_systems(organiser: Visitor) -> None:
    page = organiser.page
    expect(page.locator("#people tbody tr")).to_have_count(2)
    expect(page.locator(".tile").first).to_contain_text("1")
    expect(page.locator("#lists .chart-row")).to_have_count(3)
    expect(page.locator("#quality")).to_contain_text("Hz")
    assert "toy-minimal" not in page.content()
    assert page.get_by_role("button", name="Unblind").is_disabled()
    assert page.get_by_role("button", name="Withdraw").count() == 0
    assert organiser.problems == []
    assert organiser.violations() == []


@pytest.mark.parametrize("width", [1400, 375])
def test_the_dashboard_fits_its_window(organiser: Visitor, width: int) -> None:
    organiser.page.set_viewport_size({"width": width, "height": 900})
    expect(organiser.page.locator("#people")).to_be_visible()
    assert organiser.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_who_may_only_look_is_offered_nothing_else(browser: Browser, site: str, study: Served) -> None:
    viewer = Visitor.at(browser, f"{site}/s/organised/organiser#{study.keys.view}")
    expect(viewer.page.get_by_text("This link is read-only.")).to_be_visible()
    expect(viewer.page.get_by_role("switch")).to_be_hidden()
    assert viewer.page.get_by_role("button", name="Unblind").count() == 0
    export = viewer.page.get_by_role("button", name="Export data")
    expect(export).to_be_disabled()
    assert "only the managing link" in str(export.get_attribute("title"))
    viewer.context.close()


def test_the_managing_link_downloads_the_data(organiser: Visitor, tmp_path: Path) -> None:
    with organiser.page.expect_download() as started:
        organiser.page.get_by_role("button", name="Export data").click()
    assert started.value.suggested_filename == "organised.zip"
    started.value.save_as(tmp_path / "data.zip")
    with ZipFile(tmp_path / "data.zip") as archive:
        assert archive.testzip() is None
        assert {"trials.csv", "codebook.json", "SHA256SUMS"} <= {Path(name).name for name in archive.namelist()}
    assert organiser.problems == []


def test_a_wrong_token_shows_nothing(browser: Browser, site: str) -> None:
    stranger = Visitor.at(browser, f"{site}/s/organised/organiser#nonsense")
    expect(stranger.page.get_by_label("Token")).to_be_visible()
    assert "P-" not in stranger.page.locator("body").inner_text()
    stranger.context.close()


def test_unblinding_shows_the_systems_and_withdrawal_takes_a_person_out(
    browser: Browser, site: str, organiser: Visitor, study: Served
) -> None:
    page = organiser.page
    page.get_by_text("Allow changes", exact=True).click()
    page.get_by_role("button", name="Unblind").click()
    page.get_by_role("dialog").get_by_role("button", name="Unblind").click()
    expect(page.locator("#results")).to_contain_text("toy-minimal")
    expect(page.locator("#results")).to_contain_text("mean combined time")
    viewer = Visitor.at(browser, f"{site}/s/organised/organiser#{study.keys.view}")
    expect(viewer.page.locator("#results")).to_contain_text("toy-minimal")
    expect(viewer.page.get_by_role("button", name="Export data")).to_be_enabled()
    viewer.context.close()
    page.locator("#people").get_by_role("button").first.click()
    page.get_by_role("dialog").get_by_role("button", name="Withdraw").click()
    expect(page.locator("#people")).to_contain_text("withdrawn")
    assert "withdrawn" in {row.state for row in stored(study, session)}
