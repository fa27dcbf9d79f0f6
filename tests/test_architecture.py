"""The map that a newcomer reads names every room and every module of the top two levels, and nothing that is not there."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import referee

PACKAGE = Path(referee.__file__).parent
MAP = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text("utf-8")
RESERVED = ("score", "run", "listen", "court", "passport", "audit", "report", "draw", "describe", "replicate")


def rooms() -> dict[str, set[str]]:
    """Folders of the package with the modules and folders in them."""
    found = {}
    for folder in PACKAGE.iterdir():
        if (folder / "__init__.py").is_file():
            modules = {p.stem for p in folder.glob("*.py")} - {"__init__"}
            found[folder.name] = modules | {p.name for p in folder.iterdir() if (p / "__init__.py").is_file()}
    return found


def rows() -> dict[str, set[str]]:
    """The table of the map: folder and the names in its last column."""
    lines = re.findall(r"^\| `(\w+)/` \|[^|]*\|([^|]*)\|$", MAP, flags=re.MULTILINE)
    return {folder: set(re.findall(r"`(\w+)/?`", modules)) for folder, modules in lines}


def test_every_room_and_module_is_on_the_map() -> None:
    assert rows().keys() == rooms().keys()
    for folder, modules in rooms().items():
        assert rows()[folder] == modules, folder


def test_every_module_at_the_top_is_on_the_map() -> None:
    for module in (p.stem for p in PACKAGE.glob("*.py")):
        assert f"`{module}`" in MAP, module


def test_modules_that_the_walks_name_are_there() -> None:
    for name in re.findall(r"`((?:\w+\.)+\w+)`", MAP[MAP.index("## Four walks") : MAP.index("## Ideas")]):
        path = PACKAGE.joinpath(*name.split("."))
        assert path.with_suffix(".py").is_file() or path.is_dir(), name


def test_nothing_at_the_top_hides_a_public_function() -> None:
    taken = {p.stem for p in PACKAGE.iterdir()}
    assert not taken & set(RESERVED)


def test_a_class_name_stands_once_in_the_package() -> None:
    trees = (ast.parse(path.read_text("utf-8")) for path in PACKAGE.rglob("*.py"))
    names = Counter(node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []
