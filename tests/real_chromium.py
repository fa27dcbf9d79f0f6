"""A real browser for tests: the Chromium named by REFEREE_CHROMIUM, or found on the path, or Playwright's own.

The headless shell comes first: the same engine without a browser's own windows, at a third of the cost of every new visitor.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright, expect, sync_playwright

from machine import NO_CHROMIUM, lacking

__all__ = ["PATIENCE_MS", "open_chromium", "open_chromiums", "require_chromium"]

# How long a page may take on a machine with other things to do; nothing waits so long where all is well.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)
KNOWN = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@contextmanager
def open_chromium(*arguments: str) -> Iterator[Browser]:
    with open_chromiums(arguments) as (browser,):
        yield browser


@contextmanager
def open_chromiums(*each: Sequence[str]) -> Iterator[list[Browser]]:
    """Several browsers, each with arguments of its own (microphones, say)."""
    with sync_playwright() as playwright:
        path = _find_chromium(playwright)
        browsers = [playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *args]) for args in each]
        yield browsers
        for browser in browsers:
            browser.close()


def require_chromium() -> None:
    """Skip the test, or fail it under CI, where there is no Chromium: for commands that open one themselves."""
    with sync_playwright() as playwright:
        _find_chromium(playwright)


def _find_chromium(playwright: Playwright) -> str:
    """Return the path of the browser; the test is skipped where there is none."""
    named = os.environ.get("REFEREE_CHROMIUM") or next(filter(None, map(shutil.which, KNOWN)), None)
    path = named or playwright.chromium.executable_path
    if not Path(path).exists():
        lacking(f"{NO_CHROMIUM}: install it, run `playwright install chromium`, or set REFEREE_CHROMIUM")
    return path
