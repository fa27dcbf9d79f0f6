"""The sixteen entries of the Attribute Selection challenge of 2007 (Belz & Gatt 2007; scores as in Belz & Gatt 2008, table 1).

Of their papers hardly any text is at hand, so most rows are reconstructions from later papers of the same teams; docs/systems.md says what was
chosen, and why. Test items shared their speakers with the training data, so folds are drawn within each domain, not by speaker.
"""

from __future__ import annotations

from functools import partial

from referee.contracts import Selector
from referee.selection.costs import StochasticCosts
from referee.selection.graph import GraphSearch
from referee.selection.incremental import Incremental
from referee.systems.brevity_by_example import SmallestSet
from referee.systems.discriminating_power import ContrastQuotient, WeightedPower
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, Row, build
from referee.systems.learned_inclusion import LearnedInclusion
from referee.systems.nearest_set import NearestSet
from referee.systems.ordered_walks import GroupedOrder
from referee.systems.speaker import Composed

__all__ = ["FOLDS", "PUBLISHED", "TABLE", "selector", "system"]

FOLDS = ("challenge", 5)
"""How to cut a corpus for a fair comparison with print: random trials of each domain, five times."""

PUBLISHED = ("belz-gatt-2008", "table1", {"set/dice": "Dice", "set/masi": "MASI", "scene/minimal": "Min"})
"""Paper and table of the printed scores, and the column of each metric (Min is in per cent)."""

LIKED = {"colour": 3, "hasBeard:1": 3, "hasGlasses:1": 3, "hairColour": 2, "hasHair": 1, "size": 1, "orientation": 1}
"""Preferences of CAM-B and CAM-BU: small beside the quotients, which come in steps of 8, so that they only settle ties."""

GROUPS = {
    "furniture": (("type", "colour"), ("size", "orientation"), ("x-dimension", "y-dimension")),
    "people": (
        ("hasBeard", "hasGlasses", "hairColour"),
        ("x-dimension", "y-dimension"),
        ("hasHair", "age"),
        ("type", "orientation", "hasSuit", "hasShirt", "hasTie"),
    ),
}
"""Attributes of a domain that NIL takes to be used about as often as one another."""

FREE = ("type", "colour", "hasBeard:1", "hasGlasses:1")
"""What costs nothing in GRAPH-FP: in each domain the properties that are mentioned most."""

TUNED = 10.0
"""The weight of learned preference in CAM-T and CAM-TU, fitted to their printed Dice; nothing about it is in print."""


CAM, DIT, GRAPH, IS, NIL, TITCH = "Cambridge", "Dublin", "Twente and Tilburg", "Stuttgart", "Madrid", "Tokyo"
row = partial(Row, year=2007)

# fmt: off
TABLE: dict[str, Row] = {
    "CAM-B": row(CAM, LOW, ContrastQuotient, {"liked": LIKED}),
    "CAM-BU": row(CAM, LOW, ContrastQuotient, {"liked": LIKED, "updated": True}),
    "CAM-T": row(CAM, LOW, ContrastQuotient, {"scale": TUNED}),
    "CAM-TU": row(CAM, LOW, ContrastQuotient, {"scale": TUNED, "updated": True}),
    "DIT-DS": row(DIT, FAITHFUL, Incremental, {"order": "frequency", "head": "first"}),
    "GRAPH-FP": row(GRAPH, MEDIUM, GraphSearch, {"costs": StochasticCosts(free=FREE), "head": "last"}, "GR-FP"),
    "GRAPH-SC": row(GRAPH, MEDIUM, GraphSearch, {"costs": StochasticCosts(), "head": "last"}, "GR-SC"),
    "IS-FBN": row(IS, MEDIUM, NearestSet),
    "IS-FBS": row(IS, MEDIUM, SmallestSet),
    "IS-FBS-submitted": row(IS, LOW, SmallestSet, {"extra": True}, "*IS-FBS"),
    "IS-IAC": row(IS, LOW, LearnedInclusion),
    "NIL": row(NIL, LOW, GroupedOrder, {"groups": GROUPS}),
    "TITCH-AS": row(TITCH, LOW, WeightedPower, {"weight": "absolute"}, "T-AS"),
    "TITCH-AS+": row(TITCH, LOW, WeightedPower, {"weight": "absolute", "plus": "dependency"}, "T-AS+"),
    "TITCH-RS": row(TITCH, LOW, WeightedPower, {"weight": "relative"}, "T-RS"),
    "TITCH-RS+": row(TITCH, LOW, WeightedPower, {"weight": "relative", "plus": "dependency"}, "T-RS+"),
}
# fmt: on


def selector(name: str) -> Selector:
    """What an entry chooses with, untrained."""
    return build(TABLE, name)


def system(name: str) -> Composed:
    """An entry as a speaker."""
    return Composed(selector(name))
