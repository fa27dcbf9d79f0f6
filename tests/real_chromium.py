"""A real browser for tests: the Chromium named by REFEREE_CHROMIUM, or found on the path, or Playwright's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, expect, sync_playwright

from machine import lacking

__all__ = ["PATIENCE_MS", "open_chromium"]

# How long a page may take on a machine with other things to do; nothing waits so long where all is well.
PATIENCE_MS = 60_000
expect.set_options(timeout=PATIENCE_MS)


@contextmanager
def open_chromium(*arguments: str) -> Iterator[Browser]:
    named = os.environ.get("REFEREE_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with sync_playwright() as playwright:
        path = found or playwright.chromium.executable_path
        if not Path(path).exists():
            lacking("needs Chromium: install it, run `playwright install chromium`, or set REFEREE_CHROMIUM")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", *arguments])
        yield browser
        browser.close()
