"""All tables of systems by the group that their names begin with, in the order in which they are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems import asgre2007, baselines, classics, tuna2008_as, tuna2008_r, tuna2008_reg, tunareg2009, variants

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from referee.systems.entries import SystemRow

GROUPS: dict[str, ModuleType] = {
    "asgre2007": asgre2007,
    "tuna2008-as": tuna2008_as,
    "classic": classics,
    "variants": variants,
    "baseline": baselines,
    "tuna2008-r": tuna2008_r,
    "tuna2008-reg": tuna2008_reg,
    "tunareg2009": tunareg2009,
}


def iterate_rows() -> Iterator[tuple[str, str, str, SystemRow]]:
    """Yield every row with its group, its name in the group, and the path of its builder."""
    for group, module in GROUPS.items():
        for name, row in module.TABLE.items():
            yield group, name, f"{module.__name__}:system", row
