"""A real browser for tests: the Chromium named by REFEREE_CHROMIUM, or found on the path, or Playwright's own.

The headless shell comes first: the same engine without a browser's own windows, at a third of the cost of every new visitor.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from machine import NO_CHROMIUM, lacking

__all__ = ["PATIENCE_MS", "open_chromium", "open_chromiums"]

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
    named = os.environ.get("REFEREE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, KNOWN)), None)
    with sync_playwright() as playwright:
        path = found or playwright.chromium.executable_path
        if not Path(path).exists():
            lacking(f"{NO_CHROMIUM}: install it, run `playwright install chromium`, or set REFEREE_CHROMIUM")
        browsers = [playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *args]) for args in each]
        yield browsers
        for browser in browsers:
            browser.close()
