"""A real browser for tests: the Chromium named by REFEREE_CHROMIUM, or found on the path, or Playwright's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from machine import lacking

__all__ = ["open_chromium"]


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
