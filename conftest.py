"""Shared fixtures: where the real corpora are, if they are anywhere."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import settings

from machine import NO_CHROMIUM

# Speed is measured in benchmarks/, never in tests: an example may take as long as the machine makes it.
# `make test-all` looks at as many invented examples as Hypothesis likes, `make test` at fewer.
IS_THOROUGH = bool(os.environ.get("REFEREE_THOROUGH"))
# The same examples in every run, so that no run is red by luck; thorough runs draw new ones.
settings.register_profile(
    "patient", deadline=None, max_examples=100 if IS_THOROUGH else 20, derandomize=not IS_THOROUGH
)
settings.load_profile("patient")

# Tables are as wide as in a pipe, wherever the tests run: xdist tells its workers the width of the terminal.
os.environ.pop("COLUMNS", None)

ROOT = Path(__file__).resolve().parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every worker begins with a share of the tests that mostly wait (pages, servers), so that none is left alone with them at the end.

    xdist gives each worker an equal part of the list; modules stay whole, for they share a browser or a server.
    """
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    modules: dict[Path, list[pytest.Item]] = {}
    for item in items:
        modules.setdefault(item.path, []).append(item)
    waiting = sorted((m for m in modules.items() if _waits(m[0])), key=lambda m: (-len(m[1]), m[0].name))
    shares: list[list[pytest.Item]] = [[] for _ in range(workers)]
    for _, tests in waiting:
        min(shares, key=len).extend(tests)
    part = -(-len(items) // workers)
    quick = iter([item for path, tests in modules.items() if not _waits(path) for item in tests])
    items[:] = [*(item for share in shares for item in (*share, *islice(quick, max(0, part - len(share))))), *quick]


def _waits(path: Path) -> bool:
    return any(word in path.name for word in ("browser", "chromium", "live", "killed", "partners", "faults"))


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """The last line of a run without a browser says how many page tests were not run, and how to get one."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return
    unseen = sum(NO_CHROMIUM in str(report.longrepr) for report in reporter.stats.get("skipped", ()))
    if unseen:
        remedy = (
            "apt-get install chromium-headless-shell, or .venv/bin/playwright install chromium, or set REFEREE_CHROMIUM"
        )
        reporter.write_line(
            f"NOT RUN: {unseen} page tests, for there is no Chromium here. {remedy}", red=True, bold=True
        )


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real corpora; tests that need it are skipped, saying why, where it is missing."""
    folder = Path(os.environ.get("REFEREE_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "tuna").is_dir():
        pytest.skip(f"needs the corpora: set REFEREE_DATA to the data folder (looked in {folder})")
    return folder
