"""What a machine may lack: a test that needs it is skipped, saying why; under CI (the variable CI is set) it fails instead."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path
from typing import NoReturn

import pytest

__all__ = ["IN_CI", "NO_CHROMIUM", "find_node", "lacking"]

IN_CI = bool(os.environ.get("CI"))
# How a skipped page test begins its reason; conftest.py counts them by it.
NO_CHROMIUM = "needs Chromium"
NODE = Path(__file__).resolve().parents[1] / "packages" / "referee-lab" / "browser" / "node.py"


def lacking(reason: str) -> NoReturn:
    """Skip the test, or fail it where everything ought to be installed."""
    if IN_CI:
        pytest.fail(f"{reason} (CI is set, so this is not skipped)")
    pytest.skip(reason)


@cache
def find_node() -> Path | None:
    """The machine's Node or the wheel's, as the Makefile finds it; None where there is neither."""
    spec = importlib.util.spec_from_file_location("referee_node", NODE)
    assert spec is not None
    assert spec.loader is not None
    node = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(node)
    try:
        return node.find()[0]
    except node.NoNode:
        return None
