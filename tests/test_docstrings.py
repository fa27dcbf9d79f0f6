"""The public names say what they take, give back and raise, and every example in them runs."""

from __future__ import annotations

import ast
import dataclasses
import doctest
import inspect
import re
from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import referee
import referee_lab
from referee import contracts, records

ROOTS = [Path(package.__file__).parent for package in (referee, referee_lab)]
MODULES = [
    ".".join(path.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
    for root in ROOTS
    for path in sorted(root.rglob("*.py"))
    if ">>> " in path.read_text("utf-8")
]
DOCUMENTED: dict[str, Any] = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (referee, contracts, records)
    for name in module.__all__
    if callable(getattr(module, name)) and name != "FloatArray"
}


def parameters(thing: Any) -> list[str]:
    """What a caller may give, as far as it has a name of its own."""
    if dataclasses.is_dataclass(thing):
        return [f.name for f in dataclasses.fields(thing) if f.init]
    if inspect.isclass(thing) and (issubclass(thing, Enum) or getattr(thing, "_is_protocol", False)):
        return []
    if thing is referee.RefereeError:  # takes what every exception takes
        return []
    return [p for p in inspect.signature(thing).parameters if p not in ("args", "kwargs", "self", "cls")]


SOURCES = Path(referee.__file__).parent
EXPLAINED = [
    "api",
    "metrics",
    "statistics",
    "contracts.py",
    "capabilities.py",
    "errors.py",
    "engines",
    "show/drawing",
    "show/viewer",
]
LONGEST = 100


def iterate_public(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """Yield the public functions, classes and methods of a module."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("_"):
            yield node
            if isinstance(node, ast.ClassDef):
                yield from iterate_public(node)


@pytest.mark.parametrize("folder", EXPLAINED)
def test_the_first_line_of_a_docstring_is_short(folder: str) -> None:
    root = SOURCES / folder
    for path in [root] if root.suffix else sorted(root.rglob("*.py")):
        for node in iterate_public(ast.parse(path.read_text("utf-8"))):
            first = (ast.get_docstring(node) or "").partition("\n")[0]
            assert len(first) <= LONGEST, (
                f"{path.name}:{node.lineno}: {node.name}: the first line has {len(first)} characters"
            )


@pytest.mark.parametrize("folder", ["api", "metrics", "statistics", "contracts.py", "capabilities.py"])
def test_public_functions_have_a_docstring(folder: str) -> None:
    root = SOURCES / folder
    for path in [root] if root.suffix else sorted(root.rglob("*.py")):
        for node in iterate_public(ast.parse(path.read_text("utf-8"))):
            overloaded = any("overload" in ast.unparse(decorator) for decorator in node.decorator_list)
            assert overloaded or ast.get_docstring(node), f"{path.name}:{node.lineno}: {node.name} has no docstring"


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed


@pytest.mark.parametrize("name", DOCUMENTED)
def test_a_public_name_has_an_example_and_names_its_parameters(name: str) -> None:
    thing = DOCUMENTED[name]
    text = inspect.getdoc(thing) or ""
    assert ">>>" in text
    assert [p for p in parameters(thing) if not re.search(rf"^\s*\**{p}: |`{p}`", text, re.MULTILINE)] == []
