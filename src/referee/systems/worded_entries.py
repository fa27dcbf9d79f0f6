"""Rows of the tables that have words: a realiser with its settings and, for whole systems, what chooses the properties."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from referee.contracts import Realiser, Selector
from referee.errors import UnknownName
from referee.realisation.repairs import Mended
from referee.systems.speaker import Composed

__all__ = ["WordedRow", "build_realiser", "build_speaker"]


@dataclass(frozen=True, slots=True)
class WordedRow:
    """An entry as data. Its evidence is that of its weaker part; `selector` is None where the properties are given (task R)."""

    team: str
    evidence: str
    about: str
    realiser: Callable[..., Realiser]
    settings: Mapping[str, Any] = field(default_factory=dict)
    selector: Callable[[], Selector] | None = None
    year: int = 2008
    task: str = "REG"

    @property
    def tags(self) -> dict[str, str]:
        """What the catalogue shows beside the name."""
        return {"team": self.team, "year": str(self.year), "task": self.task, "evidence": self.evidence}


def find(table: Mapping[str, WordedRow], name: str) -> WordedRow:
    """A row by name; `UnknownName` with suggestions when there is none."""
    if name not in table:
        raise UnknownName("system", name, table)
    return table[name]


def build_realiser(table: Mapping[str, WordedRow], name: str, mended: bool = True) -> Realiser:
    """A fresh realiser from its row; its strings are mended unless they are wanted as the algorithm makes them."""
    row = find(table, name)
    made = row.realiser(**deepcopy(dict(row.settings)))
    return Mended(made) if mended else made


def build_speaker(table: Mapping[str, WordedRow], name: str, mended: bool = True) -> Composed:
    """A fresh selector and realiser from their row."""
    row = find(table, name)
    if row.selector is None:
        raise UnknownName("whole system", name, [n for n, r in table.items() if r.selector])
    return Composed(row.selector(), build_realiser(table, name, mended))
