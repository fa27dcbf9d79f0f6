"""The rows of challenge tables: an entry's team, the certainty of its reconstruction, and its components.

The tables are the only place where a system is registered; `referee.systems.roster` collects them for the catalogue.
Rows are plain data without imports, because `referee list` reads them all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from referee.errors import UnknownName
from referee.systems.components import Component

if TYPE_CHECKING:
    from collections.abc import Mapping

    from referee.contracts import Realiser, Selector
    from referee.systems.speaker import Composed

FAITHFUL = "faithful"
"""The papers determine the algorithm."""
MEDIUM = "reconstructed"
"""The papers determine it except for points that `referee docs systems` names."""
LOW = "low confidence"
"""Its outline fits what is known, but it may differ from the original."""
STAND_IN = "stand-in"
"""A part of the original is replaced by something simpler of ours."""
OURS = "ours"
"""A baseline or a system of this project, without an original."""
LABELS = (FAITHFUL, MEDIUM, LOW, STAND_IN, OURS)


class SystemRow:
    """An entry as data: a selector (task AS), a realiser (task R: the properties are given), or both (task REG).

    `evidence` is that of the weaker part; `printed` its row in the published table if that has another name; `fitted`
    names the settings that were chosen as closest to print; `floor` marks entries that ignore people's preferences and
    so have the lowest scores by every measure; `mended` whether its words are corrected, beyond the algorithm, unless
    the option is ``mended:no``; `learns` whether it must be trained.
    """

    __slots__ = (
        "about",
        "evidence",
        "fitted",
        "floor",
        "learns",
        "mended",
        "printed",
        "realiser",
        "selector",
        "team",
        "year",
    )

    def __init__(
        self,
        team: str,
        year: int,
        evidence: str,
        about: str,
        selector: Component | None = None,
        realiser: Component | None = None,
        *,
        printed: str = "",
        fitted: tuple[str, ...] = (),
        floor: bool = False,
        mended: bool = True,
        learns: bool = True,
    ) -> None:
        self.team = team
        self.year = year
        self.evidence = evidence
        self.about = about
        self.selector = selector
        self.realiser = realiser
        self.printed = printed
        self.fitted = fitted
        self.floor = floor
        self.learns = learns
        # Systems without words have none to correct.
        self.mended = mended and realiser is not None

    @property
    def task(self) -> str:
        return "AS" if self.realiser is None else "R" if self.selector is None else "REG"

    @property
    def tags(self) -> dict[str, Any]:
        """Return the catalogue's tags of the entry."""
        shown = {"team": self.team, "year": str(self.year), "task": self.task, "evidence": self.evidence}
        return {**shown, "fitted": list(self.fitted), "mended": self.mended, "learns": self.learns}


def get_selector_switches(table: Mapping[str, SystemRow], name: str) -> dict[str, Any]:
    """Return the settings of an entry's selector that a command line can hold, with their values.

    Values are numbers, words, yes or no, and lists of words.
    """
    from inspect import signature

    row = table.get(name)
    if row is None or row.selector is None:
        return {}
    settings = {p.name: p.default for p in signature(row.selector.load()).parameters.values()} | row.selector.settings
    plain = (bool, int, float, str, tuple, type(None))
    # A table (of costs, say) cannot be written as a switch, nor can a component.
    return {key: value for key, value in settings.items() if isinstance(value, plain) and key not in _TABLES}


_TABLES = frozenset({"costs", "preferences", "printed", "shares"})


def _parse_switch(written: Any, before: Any, key: str) -> Any:
    """Return a setting as a value; plus signs separate a list of words (``attributes:colour+size``)."""
    if isinstance(written, str) and ("+" in written or isinstance(before, tuple) or key == "attributes"):
        return tuple(word for word in written.split("+") if word and word != "none")
    return written


def _create_part(
    table: Mapping[str, SystemRow], name: str, kind: str, switches: Mapping[str, Any] | None = None
) -> Any:
    """Return a new selector or realiser from its row.

    Raises:
        UnknownName: with suggestions, if there is no such row or it has no such part.
    """
    row = table.get(name)
    part: Component | None = None if row is None else getattr(row, kind)
    if part is None:
        raise UnknownName("system", name, [n for n, r in table.items() if getattr(r, kind) is not None])
    before = part.settings
    changed = {key: _parse_switch(value, before.get(key), key) for key, value in (switches or {}).items()}
    return Component(part.where, **{**before, **changed}).make() if changed else part.make()


def build_selector(table: Mapping[str, SystemRow], name: str, switches: Mapping[str, Any] | None = None) -> Selector:
    """Return the selector of an entry, untrained; `switches` override settings of its row."""
    selector: Selector = _create_part(table, name, "selector", switches)
    return selector


def build_realiser(table: Mapping[str, SystemRow], name: str, mended: bool = True) -> Realiser:
    """Return the realiser of an entry, untrained.

    Its strings are corrected unless the algorithm's own are requested.
    """
    from referee.realisation.repairs import Mended

    realiser: Realiser = _create_part(table, name, "realiser")
    # Words that are never mended (those of a person, or of another language than English) are not, whatever is asked for.
    return Mended(realiser) if mended and table[name].mended else realiser


def build_speaker(
    table: Mapping[str, SystemRow],
    name: str,
    mended: bool = True,
    distribution: bool = False,
    switches: Mapping[str, Any] | None = None,
) -> Composed:
    """Return an entry as a speaker: its selector and, if it has words, its realiser."""
    from referee.systems.speaker import Composed

    selector = build_selector(table, name, switches)
    worded = table[name].realiser is not None
    return Composed(selector, build_realiser(table, name, mended) if worded else None, distribution)
