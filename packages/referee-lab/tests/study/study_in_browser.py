"""Real studies served to a real Chromium: what the browser tests share."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import select

from machine import lacking
from real_chromium import PATIENCE_MS, open_chromium
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store.schema import session, trial
from referee_lab.server.web.built_pages import STATIC
from referee_lab.server.web.server import create_app
from referee_lab.study.folder.demo_study import make_demo

# What the page itself calls the two halves of a double click lies this far apart at most.
APART_MS = 260
SHORT = {"fixation_ms": "100", "demographics": "false", "comments": "false", "sound_check": "false"}
WATCH_POLICY = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (e) => window.violations.push(`${e.violatedDirective} ${e.blockedURI}`));
"""


@contextmanager
def chromium() -> Iterator[Browser]:
    if not (STATIC / "participant.html").is_file():
        lacking("needs the bundled pages: run `make bundle`")
    with open_chromium() as browser:
        yield browser


def make_study(folder: Path, protocol: str, id: str, *, changes: dict[str, str] | None = None, **more: Any) -> Served:
    """A demonstration study of three trials and nothing else; `changes` are values for fields of study.toml, as TOML."""
    make_demo(folder, protocol, id=id, **{"items": 3, "participants": 30, "practice": 0, "checks": 0, **more})
    settings = folder / "study.toml"
    written = settings.read_text("utf-8")
    for name, value in {**SHORT, **(changes or {})}.items():
        written = re.sub(rf"(?m)^{name} = .*$", lambda _, line=f"{name} = {value}": line, written)
    settings.write_text(written, "utf-8")
    return open_served(folder)


@contextmanager
def serve(*studies: Served) -> Iterator[str]:
    """The address of a server that has these studies."""
    server = uvicorn.Server(uvicorn.Config(create_app(studies), port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not (server.started and server.servers):
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join(10)


@dataclass
class Visitor:
    """A person at a page, by mouse unless told otherwise; remembers everything the page complained about."""

    context: BrowserContext
    page: Page
    problems: list[str] = field(default_factory=list)

    @classmethod
    def at(cls, browser: Browser, address: str, **options: Any) -> Visitor:
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE_MS)
        visitor = cls(context, context.new_page())
        context.add_init_script(WATCH_POLICY)
        visitor.listen(visitor.page)
        visitor.page.goto(address)
        return visitor

    def listen(self, page: Page) -> None:
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("console", lambda message: message.type == "error" and self.problems.append(message.text))

    def violations(self) -> list[str]:
        return list(self.page.evaluate("window.violations"))

    def agree(self) -> None:
        self.page.get_by_role("button", name="I agree and want to take part").click()

    def wait(self) -> None:
        """As long as a person needs at least before the next press."""
        self.page.wait_for_timeout(APART_MS)

    def next_thing(self) -> str:
        """What can be done now: page, form, reading, scene, produce, rate, compare, or end."""
        found = self.page.wait_for_function(
            "signs => Object.entries(signs).find(([, selector]) => document.querySelector(selector))?.[0]", arg=SIGNS
        )
        return str(found.json_value())

    def do(self, thing: str, press: str = "click") -> None:
        """The least a person can do about it."""
        page = self.page
        if thing in ("scene", "compare"):
            self.wait()
        if thing == "reading":
            getattr(page.locator(".reading .button.primary"), press)()
        elif thing == "scene":
            getattr(page.locator(".scene button.entity").first, press)()
        elif thing == "photograph":
            self.wait()
            getattr(page.locator(".photograph .sheet"), press)()
            self.wait()
            getattr(page.get_by_role("button", name="Confirm"), press)()
        elif thing == "compare":
            getattr(page.locator(".card").first, press)()
        elif thing == "produce":
            page.locator("textarea").press_sequentially("the red one")
            getattr(page.get_by_role("button", name="Done"), press)()
        elif thing == "rate":
            for scale in page.locator(".scale").all():
                getattr(scale.locator("input").first, press)()
            getattr(page.locator(".judge .actions .button"), press)()
        else:
            getattr(page.locator(".page .actions .button").last, press)()

    def finish(self, press: str = "click") -> str:
        """Everything to the end; the completion code."""
        while (thing := self.next_thing()) != "end":
            self.do(thing, press)
        return self.page.locator(".code").first.inner_text()

    def go_to(self, wanted: str) -> None:
        """On to the first such thing."""
        while (thing := self.next_thing()) != wanted:
            self.do(thing)


SIGNS = {
    "end": ".code",
    "reading": ".reading .button.primary:not(.waiting)",
    "compare": ".panel:not(.waiting) .card",
    "produce": ".panel:not(.waiting) textarea",
    "rate": ".panel:not(.waiting) .scale",
    "scene": ".panel:not(.waiting) .scene button.entity",
    "photograph": ".panel:not(.waiting) .photograph .sheet",
    "form": ".page.form",
    "page": ".page .actions .button:not(:disabled)",
}


def enter_room(page: Page, port: int, study: str, answer: str = "") -> Page:
    """A new person, through consent and instructions into the room; `answer` is the button that answers the question about the microphone."""
    page.set_default_timeout(PATIENCE_MS)
    page.goto(f"http://127.0.0.1:{port}/s/{study}/")
    page.get_by_role("button", name="I agree").click()
    for heading in ("What to do", "Ready?"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        page.get_by_role("button").last.click()
    if answer:
        expect(page.locator(".room-card.voice")).to_be_visible()
        assert page.locator(".room-timer").count() == 0, "the clock runs while the question is read"
        page.get_by_role("button", name=answer).click()
    expect(page.locator(".room")).to_be_visible()
    return page


def stored(served: Served, what: Any = trial) -> list[Any]:
    """All rows of a table of a study's store, trials in the order in which they came."""
    order = trial.c.received_at if what is trial else session.c.created
    with served.store.read() as connection:
        return list(connection.execute(select(what).order_by(order)))


def wait_for(condition: Any, seconds: float = PATIENCE_MS / 1000) -> None:
    """Until something is so; fails saying what was not."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.05)
