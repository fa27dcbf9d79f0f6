"""The suite's quick part, for trying several versions of Python: `pytest -p quick_part` leaves out what needs data, a browser, PostgreSQL or patience.

These say nothing about a version of Python that the rest does not say sooner; `make test-all` runs them on one.
"""

from __future__ import annotations

import pytest

SLOW_MARKS = ("slow", "long", "data")
NEEDY_HELPERS = {"real_chromium", "study_in_browser", "postgres_server"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    quick = [item for item in items if not _needs_more(item)]
    left_out = [item for item in items if _needs_more(item)]
    items[:] = quick
    config.hook.pytest_deselected(items=left_out)


def _needs_more(item: pytest.Item) -> bool:
    if any(item.get_closest_marker(mark) for mark in SLOW_MARKS):
        return True
    module = getattr(item, "module", None)
    if module is None or "data_folder" in getattr(item, "fixturenames", ()):
        return "data_folder" in getattr(item, "fixturenames", ())
    helpers = {getattr(value, "__module__", None) for value in vars(module).values()}
    return module.__name__.rpartition(".")[2].startswith("test_browser") or bool(NEEDY_HELPERS & helpers)
