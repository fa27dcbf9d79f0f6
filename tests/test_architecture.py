"""The architecture page names every folder of both packages and nothing that does not exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import referee
import referee_lab

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
PACKAGES = {"referee": Path(referee.__file__).parent, "referee_lab": Path(referee_lab.__file__).parent}
PUBLIC_FUNCTIONS = ("score", "run", "listen", "court", "passport", "audit", "report", "draw", "describe", "replicate")


def folders(package: Path) -> set[str]:
    """Return the folders of a package that hold modules, two levels deep, as `show/drawing`."""
    inits = [path for pattern in ("*/__init__.py", "*/*/__init__.py") for path in package.glob(pattern)]
    return {path.parent.relative_to(package).as_posix() for path in inits}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_folder_is_on_the_page(package: str) -> None:
    rows = set(re.findall(r"^\| `([\w/]+)/` \|", PAGE, flags=re.MULTILINE))
    missing = {name for name in folders(PACKAGES[package]) if "/" not in name and name not in rows}
    assert missing == set(), f"docs/architecture.md has no row for these folders of {package}"


def test_the_page_names_no_folder_that_does_not_exist() -> None:
    rows = set(re.findall(r"^\| `([\w/]+)/` \|", PAGE, flags=re.MULTILINE))
    assert rows <= set().union(*map(folders, PACKAGES.values()))


def test_modules_that_the_walks_name_exist() -> None:
    walks = PAGE[PAGE.index("walks\n") :]
    walks = walks[: walks.index("\n## ")]
    for name in re.findall(r"`((?:\w+\.)+\w+)`", walks):
        paths = [package.joinpath(*name.split(".")) for package in PACKAGES.values()]
        assert any(path.with_suffix(".py").is_file() or path.is_dir() for path in paths), name


def test_nothing_at_the_top_hides_a_public_function() -> None:
    taken = {path.stem for path in PACKAGES["referee"].iterdir()}
    assert not taken & set(PUBLIC_FUNCTIONS)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_class_name_is_used_once_in_a_package(package: str) -> None:
    trees = (ast.parse(path.read_text("utf-8")) for path in PACKAGES[package].rglob("*.py"))
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []


def test_both_packages_have_one_version() -> None:
    version = referee.__version__
    assert referee_lab.__version__ == version
    for package, pinned in (("referee", "referee-lab"), ("referee-lab", "referee")):
        text = (ROOT / "packages" / package / "pyproject.toml").read_text("utf-8")
        assert set(re.findall(rf'"{pinned}(?:\[\w+\])?==([^"]+)"', text)) == {version}, package
