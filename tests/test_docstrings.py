"""The public names say what they take, give back and raise, and every example in them runs."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
import re
from enum import Enum
from importlib import import_module
from typing import Any

import pytest

import referee
from referee import contracts, records

MODULES = [
    "referee",
    "referee.records",
    "referee.contracts",
    "referee.capabilities",
    "referee.errors",
    "referee.catalogue",
    "referee.jobs.describe",
    "referee.jobs.folder",
    "referee.jobs.open",
    "referee.jobs.score_table",
    "referee.api.audit",
    "referee.api.court",
    "referee.api.draw",
    "referee.api.listen",
    "referee.api.passport",
    "referee.api.replicate",
    "referee.api.report",
    "referee.api.results",
    "referee.api.run",
    "referee.api.score",
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
