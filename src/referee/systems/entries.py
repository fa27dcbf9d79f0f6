"""What a row of a challenge's table says about an entry: who sent it in, how sure the reconstruction is, and what it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from referee.contracts import Selector
from referee.errors import UnknownName

__all__ = ["FAITHFUL", "LOW", "MEDIUM", "Row", "build"]

FAITHFUL = "faithful"
"""The papers determine the algorithm."""
MEDIUM = "reconstructed"
"""The papers determine it except for points that docs/systems.md names."""
LOW = "low confidence"
"""Its outline fits what is known, but it may differ from the original."""


@dataclass(frozen=True, slots=True)
class Row:
    """An entry as data: a selector with its settings, and its row in the published table where that has another name (`printed`)."""

    team: str
    evidence: str
    selector: Callable[..., Selector]
    settings: Mapping[str, Any] = field(default_factory=dict)
    printed: str | None = None
    year: int = 0
    task: str = "AS"

    @property
    def tags(self) -> dict[str, str]:
        """What the catalogue shows beside the name."""
        return {"team": self.team, "year": str(self.year), "task": self.task, "evidence": self.evidence}


def build(table: Mapping[str, Row], name: str) -> Selector:
    """A fresh selector from its row; settings are copied, so that what one selector learns stays with it."""
    if name not in table:
        raise UnknownName("system", name, table)
    row = table[name]
    return row.selector(**deepcopy(dict(row.settings)))
