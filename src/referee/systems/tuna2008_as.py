"""The fourteen entries of TUNA-AS, the attribute selection task of the 2008 challenge (Gatt, Belz & Kow 2008, table 3).

The published scores are for a test set with speakers whom no system had met, so folds are cut by speaker: systems that know their
speakers fall back here as they did there. docs/systems.md compares ours with print, and names the choices that the papers leave open.
"""

from __future__ import annotations

from functools import partial

from referee.contracts import Selector
from referee.selection.costs import LevelCosts
from referee.selection.graph import GraphSearch
from referee.selection.incremental import Incremental
from referee.systems.attribute_programs import Programs
from referee.systems.brevity_by_example import RememberedSet, SmallestSet
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, Row, build
from referee.systems.nearest_set import NearestSet
from referee.systems.ordered_walks import BackedOffOrder, CentreRule, FrequentFirst, PriorsWithinReach
from referee.systems.partition_tree import PartitionTree
from referee.systems.speaker import Composed

__all__ = ["FOLDS", "PUBLISHED", "TABLE", "selector", "system"]

FOLDS = ("speaker", 5)
"""How to cut a corpus for a fair comparison with print: whole speakers, five times."""

PUBLISHED = (
    "tuna-2008",
    "table3",
    {
        "set/dice": "dice_both",
        "set/masi": "masi_both",
        "set/exact": "accuracy_both",
        "scene/minimal": "minimality_both",
    },
)
"""Paper and table of the printed scores, and the column of each metric (the first three also per domain: dice_furniture, dice_people …)."""

PREFERENCES = {
    "furniture": ("type", "colour", "size", "orientation", "y-dimension", "x-dimension"),
    "people": ("type", "hasBeard:1", "hasGlasses:1", "hairColour", "hasHair", "y-dimension", "x-dimension"),
    "people +LOC": ("type", "hasBeard:1", "hasGlasses:1", "y-dimension", "x-dimension", "hairColour", "hasHair"),
}
"""JU-PTBSGRE's lists are not in print: these give GRAPH-4+B's furniture sets, as the scores do, and were chosen for their Dice."""

ATT, DIT, GRAPH, IS, JU, NIL = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Jadavpur", "Madrid"
OSU, USP = "Ohio State", "São Paulo"
OWN_TASTE = ("shortest", "typical", "frequent")
row = partial(Row, year=2008)

# fmt: off
TABLE: dict[str, Row] = {
    "GRAPH-4+B": row(GRAPH, FAITHFUL, GraphSearch, {"costs": LevelCosts(), "order": "prior", "head": "first"}),
    "JU-PTBSGRE": row(JU, LOW, PartitionTree, {"preferences": PREFERENCES}),
    "ATT-DR-b": row(ATT, FAITHFUL, BackedOffOrder),
    "ATT-DR-sf": row(ATT, FAITHFUL, BackedOffOrder, {"personal": True}),
    "ATT-FB-m": row(ATT, FAITHFUL, SmallestSet, {"pick": "random"}),
    "ATT-FB-f": row(ATT, FAITHFUL, RememberedSet, {"memory": ("all",), "known_only": True}),
    "ATT-FB-sf": row(ATT, FAITHFUL, RememberedSet, {"memory": ("own", "all"), "known_only": True}),
    "ATT-FB-sr": row(ATT, FAITHFUL, RememberedSet, {"memory": ("recent", "own", "all"), "known_only": True}),
    "DIT-FBI": row(DIT, FAITHFUL, CentreRule),
    "DIT-TVAS": row(DIT, FAITHFUL, PriorsWithinReach),
    "IS-FP": row(IS, MEDIUM, NearestSet, {"similar": 1, "then": OWN_TASTE}),
    "NIL-UCM-MFVF": row(NIL, FAITHFUL, Incremental, {"order": "prior", "head": "last"}),
    "OSU-GP": row(OSU, FAITHFUL, Programs),
    "USP-EACH-FREQ": row(USP, FAITHFUL, FrequentFirst),
}
# fmt: on


def selector(name: str) -> Selector:
    """What an entry chooses with, untrained."""
    return build(TABLE, name)


def system(name: str) -> Composed:
    """An entry as a speaker."""
    return Composed(selector(name))
