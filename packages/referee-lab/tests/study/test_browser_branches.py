"""Branches and quotas in a real Chromium: pages that answers lead to, pages that are passed by, a reload in between, and the page for whoever is too many."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser
from study_in_browser import SHORT, Visitor, chromium, serve, stored, wait_for
from test_branches_and_quotas import BRANCH, branched

from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store.schema import session

QUOTA = '[[quota]]\nquestion = "sight"\nanswers = ["lenses"]\nmost = 1\n'


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    short = {name: SHORT[name] for name in ("fixation_ms",)}
    return open_served(branched(tmp_path_factory.mktemp("ways"), BRANCH + QUOTA, **short))


@pytest.fixture(scope="module")
def site(served: Served) -> Iterator[str]:
    with serve(served) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as opened:
        yield opened


def come(browser: Browser, site: str, sight: str) -> Visitor:
    visitor = Visitor.at(browser, f"{site}/s/demo/")
    visitor.agree()
    visitor.page.get_by_label(sight, exact=True).check()
    visitor.page.locator(".page .actions .button").last.click()
    return visitor


def forms_of(served: Served) -> list[dict[str, object]]:
    newest = stored(served, session)[-1]
    return [row.answer for row in stored(served) if row.session == newest.id and row.kind == "form"]


def test_answers_lead_to_pages_even_after_a_reload(browser: Browser, site: str, served: Served) -> None:
    visitor = come(browser, site, "glasses")
    visitor.page.get_by_role("heading", name="Please wear them").wait_for()
    wait_for(lambda: len(forms_of(served)) == 1)
    visitor.page.get_by_text("Saved", exact=True).wait_for()
    visitor.page.reload()
    visitor.page.get_by_role("heading", name="Please wear them").wait_for()
    visitor.page.locator(".page .actions .button").last.click()
    visitor.page.get_by_label("strong").check()
    visitor.page.locator(".page .actions .button").last.click()
    visitor.go_to("reading")
    assert forms_of(served) == [{"fields": {"sight": "glasses"}}, {"fields": {"strength": "strong"}}]
    assert visitor.problems == []


@pytest.mark.long
def test_who_answers_otherwise_passes_them_by(browser: Browser, site: str, served: Served) -> None:
    visitor = come(browser, site, "no")
    visitor.go_to("reading")
    assert visitor.page.get_by_text("Please wear them").count() == 0
    wait_for(lambda: len(forms_of(served)) == 2)
    assert forms_of(served) == [{"fields": {"sight": "no"}}, {"skipped": True}]
    assert visitor.finish().startswith("DEBUG-")
    assert visitor.problems == []


@pytest.mark.long
def test_who_is_too_many_is_told_with_a_code(browser: Browser, site: str, served: Served) -> None:
    first = come(browser, site, "lenses")
    first.page.get_by_role("heading", name="Please wear them").wait_for()
    second = come(browser, site, "lenses")
    second.page.get_by_text("All places of this study are taken.").wait_for()
    assert second.page.locator(".code").first.inner_text().startswith("DEBUG-")
    assert stored(served, session)[-1].outcome == "full"
