"""Entries of the challenges with an open choice made the other way, so that the choice can be looked at.

Where a paper leaves a point open, the tables of `asgre2007` and `tuna2008_as` take one reading and this table has the others; docs/systems.md
says what each of them scores. The last one is OSU-GP with its evolution run anew (needs the extra ``evolve``).
"""

from __future__ import annotations

from referee.systems.components import (
    EVOLVED,
    GRAPH_SEARCH,
    INCREMENTAL,
    LEVEL_COSTS,
    NEAREST_SET,
    PRIORS_WITHIN_REACH,
    REMEMBERED_SET,
    SMALLEST_SET,
    WEIGHTED_POWER,
    Component,
)
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, STAND_IN, SystemRow, build_selector, build_speaker
from referee.systems.tuna2008_as import ATT, DIT, GRAPH, IS, OSU, OWN_TASTE

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the start-up time
if TYPE_CHECKING:
    from referee.contracts import Selector
    from referee.systems.speaker import Composed

__all__ = ["TABLE", "selector", "system"]

TITCH = "Tokyo"

# fmt: off
TABLE: dict[str, SystemRow] = {
    "DIT-DS.pooled": SystemRow(DIT, 2007, FAITHFUL, "counts pooled over domains",
        Component(INCREMENTAL, order="frequency", head="first", by=()), printed="DIT-DS"),
    "IS-FBN.names": SystemRow(IS, 2007, MEDIUM, "sets compared by attribute names only",
        Component(NEAREST_SET, match="names"), printed="IS-FBN"),
    "IS-FBN.pairs": SystemRow(IS, 2007, MEDIUM, "sets compared by attribute-value pairs",
        Component(NEAREST_SET, match="pairs"), printed="IS-FBN"),
    "TITCH-AS+.redundancy": SystemRow(TITCH, 2007, LOW, "plus read as one attribute more than needed",
        Component(WEIGHTED_POWER, weight="absolute", plus="redundancy"), printed="T-AS+"),
    "TITCH-RS+.redundancy": SystemRow(TITCH, 2007, LOW, "plus read as one attribute more than needed",
        Component(WEIGHTED_POWER, weight="relative", plus="redundancy"), printed="T-RS+"),
    "ATT-FB-m.first": SystemRow(ATT, 2008, MEDIUM, "the first smallest set instead of a random one",
        Component(SMALLEST_SET, pick="first"), printed="ATT-FB-m"),
    "ATT-FB-f.described": SystemRow(ATT, 2008, MEDIUM, "looks sets up for unknown speakers, too",
        Component(REMEMBERED_SET, memory=("all",)), printed="ATT-FB-f", fitted=('pick="last"',)),
    "ATT-FB-sf.described": SystemRow(ATT, 2008, MEDIUM, "looks sets up for unknown speakers, too",
        Component(REMEMBERED_SET, memory=("own", "all")), printed="ATT-FB-sf", fitted=('pick="last"',)),
    "ATT-FB-sr.described": SystemRow(ATT, 2008, MEDIUM, "looks sets up for unknown speakers, too",
        Component(REMEMBERED_SET, memory=("recent", "own", "all")), printed="ATT-FB-sr", fitted=('pick="last"',)),
    "DIT-TVAS.relative": SystemRow(DIT, 2008, FAITHFUL, "within 5 % of the highest prior, not 5 points",
        Component(PRIORS_WITHIN_REACH, relative=True), printed="DIT-TVAS"),
    "GRAPH-4+B.helpful": SystemRow(GRAPH, 2008, FAITHFUL, "free properties only where they rule out somebody",
        Component(GRAPH_SEARCH, costs=Component(LEVEL_COSTS), order="prior", head="first", helpful=True), printed="GRAPH-4+B"),
    "IS-FP.names": SystemRow(IS, 2008, MEDIUM, "sets compared by attribute names only",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, match="names", likeness="names"), printed="IS-FP"),
    "IS-FP.pairs": SystemRow(IS, 2008, MEDIUM, "sets compared by attribute-value pairs",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, match="pairs"), printed="IS-FP"),
    "IS-FP.mean": SystemRow(IS, 2008, MEDIUM, "mean instead of highest similarity",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, nearest="mean"), printed="IS-FP"),
    "OSU-GP.evolved": SystemRow(OSU, 2008, STAND_IN, "evolves its programs anew (extra: evolve)",
        Component(EVOLVED), printed="OSU-GP"),
}
# fmt: on


def selector(name: str) -> Selector:
    """What a variant chooses with, untrained."""
    return build_selector(TABLE, name)


def system(name: str) -> Composed:
    """A variant as a speaker."""
    return build_speaker(TABLE, name)
