"""Simulated participants in a real Chromium.

The study's own pages and plug-ins in jsPsych's visual simulation, over a real port.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select

from referee.errors import InputError
from referee_lab.server.sessions.served_study import Served, open_served
from referee_lab.server.store import schema
from referee_lab.server.web.built_pages import require_pages
from referee_lab.server.web.server import create_app
from referee_lab.study.data.collection import SIMULATED

BROWSER = "browser"
# Simulated clicks wait as a person would, and several browsers share the machine.
SECONDS_A_STEP = 20.0
START_SECONDS = 20.0
# Spoken descriptions are recorded from a tone.
MICROPHONE = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")


def find_chromium() -> str | None:
    """Return the path of Chromium: REFEREE_CHROMIUM, or one on PATH; None lets Playwright use its own."""
    names = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
    return os.environ.get("REFEREE_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def play_in_chromium(folder: Path, participants: int, *, database: str | None = None) -> list[str]:
    """Let simulated participants play the study in Chromium, in mode debug; return one line per session.

    InputError when one gets stuck.
    """
    try:
        from playwright import async_api
    except ImportError:
        raise InputError(
            "--browser needs Playwright, which is not installed", remedy="pip install playwright, then try again"
        ) from None
    require_pages("participant")
    served = open_served(folder, database=database)
    # Others may be in debug mode: only sessions that are new are looked at afterwards.
    before = set(_load_session_states(served))
    steps = max(len(trial_list.trials) for trial_list in served.study.lists)
    steps += len(served.study.practice) + len(served.study.checks)
    with _serve_in_thread(served) as address:
        asyncio.run(_run_bots(async_api, f"{address}/s/{served.id}/", served, participants, steps))
        return _report_sessions(served, before, participants)


async def _run_bots(async_api: Any, address: str, served: Served, participants: int, steps: int) -> None:
    """Run the bots in Chromium, some at a time."""
    async with async_api.async_playwright() as playwright:
        try:
            browser = await playwright.chromium.launch(
                executable_path=find_chromium(), args=["--no-sandbox", *MICROPHONE]
            )
        except async_api.Error as error:
            raise InputError(
                f"Chromium does not start ({str(error).splitlines()[0]})",
                remedy="install chromium, run `playwright install chromium`, or set REFEREE_CHROMIUM",
            ) from None
        try:
            patience_ms = 1000 * SECONDS_A_STEP * (steps + 5)
            await asyncio.gather(*(_play_session(browser, address, served, patience_ms) for _ in range(participants)))
        except async_api.TimeoutError as error:
            raise InputError(
                f"a simulated participant got stuck: {str(error).splitlines()[0]}",
                where=served.study.folder,
                remedy="open the study with ?mode=debug&simulate=visual and look",
            ) from None
        finally:
            await browser.close()


async def _play_session(browser: Any, address: str, served: Served, patience_ms: float) -> None:
    """Play one participant from the link to the code.

    The display properties that the page reports are marked as simulated.
    """
    context = await browser.new_context()
    page = await context.new_page()
    # The page cannot tell a bot from a person; bots' data must never pass for people's.
    await page.route("**/api/client", _mark_synthetic)
    await page.goto(f"{address}?mode=debug&simulate=visual")
    await page.get_by_role("button", name=served.study.strings["agree"], exact=True).click()
    await page.wait_for_selector("code.code", timeout=patience_ms)
    await context.close()


async def _mark_synthetic(route: Any) -> None:
    report = json.loads(route.request.post_data or "{}")
    await route.continue_(post_data=json.dumps({**report, SIMULATED: BROWSER}))


@contextmanager
def _serve_in_thread(served: Served) -> Iterator[str]:
    """Serve the study in a thread, on any free port of this machine; yield the address."""
    import uvicorn

    # Bound here and handed over, so that no other program takes the port in between.
    sock = socket.create_server(("127.0.0.1", 0))
    # Never, as far as this run is concerned.
    app = create_app([served], housekeeping=1e9)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    until = time.monotonic() + START_SECONDS
    while not server.started:
        if time.monotonic() > until or not thread.is_alive():
            raise InputError("the server does not start", remedy="run `referee study serve` to see why")
        time.sleep(0.05)
    try:
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(START_SECONDS)


def _load_session_states(served: Served) -> dict[str, str]:
    """Return the state of each session of the study in mode debug."""
    conditions = (schema.session.c.study == served.id, schema.session.c.mode == "debug")
    with served.store.read() as connection:
        rows = connection.execute(select(schema.session.c.id, schema.session.c.state).where(*conditions))
        return {row.id: row.state for row in rows}


def _report_sessions(served: Served, before: set[str], participants: int) -> list[str]:
    """Return one line per new session; raise InputError unless every saved step is stored once."""
    new = {id: state for id, state in _load_session_states(served).items() if id not in before}
    lines = []
    with served.store.read() as connection:
        for id, state in sorted(new.items()):
            outline = served.load_outline(id)
            done = connection.scalars(
                select(schema.trial.c["index"]).where(schema.trial.c.session == id, schema.trial.c.state == "done")
            ).all()
            if outline is None or sorted(done) != list(outline.saved):
                raise InputError(f"a session in the browser has {len(done)} answers that are not those of its plan")
            lines.append(f"in Chromium: {len(done)} answers, {state}, nothing lost")
    if len(new) != participants:
        raise InputError(
            f"{participants} participants made {len(new)} sessions",
            remedy="check whether another person uses debug mode",
        )
    return lines
