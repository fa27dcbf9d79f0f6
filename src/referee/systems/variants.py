"""Entries of the challenges with an open choice made the other way, so that the choice can be looked at.

Where a paper leaves a point open, the tables of `asgre2007` and `tuna2008_as` take one reading and this table has the others; docs/systems.md
says what each of them scores. The last one is OSU-GP with its evolution run anew (needs the extra ``evolve``).
"""

from __future__ import annotations

from referee.contracts import Selector
from referee.selection.costs import LevelCosts
from referee.selection.graph import GraphSearch
from referee.selection.incremental import Incremental
from referee.systems.brevity_by_example import RememberedSet, SmallestSet
from referee.systems.discriminating_power import WeightedPower
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, Row, build
from referee.systems.genetic_programming import Evolved
from referee.systems.nearest_set import NearestSet
from referee.systems.ordered_walks import PriorsWithinReach
from referee.systems.speaker import Composed
from referee.systems.tuna2008_as import ATT, DIT, GRAPH, IS, OSU, OWN_TASTE

__all__ = ["TABLE", "selector", "system"]

TITCH = "Tokyo"

# fmt: off
TABLE: dict[str, Row] = {
    "DIT-DS.pooled": Row(DIT, FAITHFUL, Incremental, {"order": "frequency", "head": "first", "by": ()}, "DIT-DS", 2007),
    "IS-FBN.names": Row(IS, MEDIUM, NearestSet, {"match": "names"}, "IS-FBN", 2007),
    "IS-FBN.pairs": Row(IS, MEDIUM, NearestSet, {"match": "pairs"}, "IS-FBN", 2007),
    "TITCH-AS+.redundancy": Row(TITCH, LOW, WeightedPower, {"weight": "absolute", "plus": "redundancy"}, "T-AS+", 2007),
    "TITCH-RS+.redundancy": Row(TITCH, LOW, WeightedPower, {"weight": "relative", "plus": "redundancy"}, "T-RS+", 2007),
    "ATT-FB-m.first": Row(ATT, MEDIUM, SmallestSet, {"pick": "first"}, "ATT-FB-m", 2008),
    "ATT-FB-f.described": Row(ATT, FAITHFUL, RememberedSet, {"memory": ("all",)}, "ATT-FB-f", 2008),
    "ATT-FB-sf.described": Row(ATT, FAITHFUL, RememberedSet, {"memory": ("own", "all")}, "ATT-FB-sf", 2008),
    "ATT-FB-sr.described": Row(ATT, FAITHFUL, RememberedSet, {"memory": ("recent", "own", "all")}, "ATT-FB-sr", 2008),
    "DIT-TVAS.relative": Row(DIT, FAITHFUL, PriorsWithinReach, {"relative": True}, "DIT-TVAS", 2008),
    "GRAPH-4+B.helpful": Row(GRAPH, FAITHFUL, GraphSearch, {"costs": LevelCosts(), "order": "prior", "head": "first", "helpful": True}, "GRAPH-4+B", 2008),
    "IS-FP.names": Row(IS, MEDIUM, NearestSet, {"similar": 1, "then": OWN_TASTE, "match": "names", "likeness": "names"}, "IS-FP", 2008),
    "IS-FP.pairs": Row(IS, MEDIUM, NearestSet, {"similar": 1, "then": OWN_TASTE, "match": "pairs"}, "IS-FP", 2008),
    "IS-FP.mean": Row(IS, MEDIUM, NearestSet, {"similar": 1, "then": OWN_TASTE, "nearest": "mean"}, "IS-FP", 2008),
    "OSU-GP.evolved": Row(OSU, MEDIUM, Evolved, {}, "OSU-GP", 2008),
}
# fmt: on


def selector(name: str) -> Selector:
    """What a variant chooses with, untrained."""
    return build(TABLE, name)


def system(name: str) -> Composed:
    """A variant as a speaker."""
    return Composed(selector(name))
