"""The fourteen entries of TUNA-AS, the attribute selection task of the 2008 challenge (Gatt, Belz & Kow 2008, table 3).

The published scores are for a test set with speakers that no system had met, so folds are cut by speaker: systems that know their
speakers fall back here as they did there. `referee docs systems` compares ours with print, and names the choices that the papers leave open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems.components import (
    BACKED_OFF_ORDER,
    CENTRE_RULE,
    FREQUENT_FIRST,
    GRAPH_SEARCH,
    INCREMENTAL,
    LEVEL_COSTS,
    NEAREST_SET,
    PARTITION_TREE,
    PRIORS_WITHIN_REACH,
    PROGRAMS,
    REMEMBERED_SET,
    SMALLEST_SET,
    Component,
)
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, SystemRow, build_selector, build_speaker

if TYPE_CHECKING:
    from referee.contracts import Selector
    from referee.systems.speaker import Composed

FOLDS = ("speaker", 5)
"""How to split a corpus for a fair comparison with the printed scores: whole speakers, five times."""

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
"""JU-PTBSGRE's lists are not published: these give GRAPH-4+B's furniture sets, as the scores do, and were chosen for their Dice."""

ATT, DIT, GRAPH, IS, JU, NIL = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Jadavpur", "Madrid"
OSU, USP = "Ohio State", "São Paulo"
OWN_TASTE = ("shortest", "typical", "frequent")
COLLAPSED = ("known_only=True", 'pick="last"')
"""A choice for ATT-FB-f, -sf and -sr, which have the same minimal sets in the printed test results."""
MARKS = ('match="marks"', 'likeness="pairs"')

# fmt: off
TABLE: dict[str, SystemRow] = {
    # With three cost levels many sets have equal costs; the order by prior decides, and keeps free properties.
    "GRAPH-4+B": SystemRow(GRAPH, 2008, FAITHFUL, "cheapest set, three prices, often mentioned first",
        Component(GRAPH_SEARCH, costs=Component(LEVEL_COSTS), order="prior", head="first")),
    "JU-PTBSGRE": SystemRow(JU, 2008, LOW, "a tree of ever smaller sets, by preference",
        Component(PARTITION_TREE, preferences=PREFERENCES), fitted=("preferences",), learns=False),
    "ATT-DR-b": SystemRow(ATT, 2008, FAITHFUL, "incremental, order by frequency under the condition",
        Component(BACKED_OFF_ORDER)),
    "ATT-DR-sf": SystemRow(ATT, 2008, FAITHFUL, "as ATT-DR-b, the speaker's own order first",
        Component(BACKED_OFF_ORDER, personal=True)),
    "ATT-FB-m": SystemRow(ATT, 2008, FAITHFUL, "one of the smallest sets, at random",
        Component(SMALLEST_SET, pick="random"), floor=True, learns=False),
    # On the test set f, sf and sr print the same minimal sets: the look-up never found anything for new speakers.
    "ATT-FB-f": SystemRow(ATT, 2008, MEDIUM, "the distinguishing set that was used most",
        Component(REMEMBERED_SET, memory=("all",), known_only=True), fitted=COLLAPSED, floor=True),
    "ATT-FB-sf": SystemRow(ATT, 2008, MEDIUM, "the distinguishing set that the speaker used most",
        Component(REMEMBERED_SET, memory=("own", "all"), known_only=True), fitted=COLLAPSED, floor=True),
    "ATT-FB-sr": SystemRow(ATT, 2008, MEDIUM, "the distinguishing set that the speaker used last",
        Component(REMEMBERED_SET, memory=("recent", "own", "all"), known_only=True), fitted=COLLAPSED, floor=True),
    "DIT-FBI": SystemRow(DIT, 2008, FAITHFUL, "type, then by frequency under the condition; both axes for the centre",
        Component(CENTRE_RULE)),
    "DIT-TVAS": SystemRow(DIT, 2008, FAITHFUL, "type, then the most discriminating of the pairs with the highest priors",
        Component(PRIORS_WITHIN_REACH)),
    "IS-FP": SystemRow(IS, 2008, MEDIUM, "distinguishing set nearest to those of the speaker and one like him",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE), fitted=MARKS),
    # The paper forces the type for people only; in furniture its prior puts it first anyway.
    "NIL-UCM-MFVF": SystemRow(NIL, 2008, FAITHFUL, "incremental over pairs by falling prior",
        Component(INCREMENTAL, order="prior", head="last")),
    "OSU-GP": SystemRow(OSU, 2008, FAITHFUL, "the two evolved programs of the submission",
        Component(PROGRAMS), floor=True, learns=False),
    "USP-EACH-FREQ": SystemRow(USP, 2008, FAITHFUL, "the most frequent attributes, then one that is sufficient",
        Component(FREQUENT_FIRST)),
}
# fmt: on


def selector(name: str) -> Selector:
    """Return the selector of an entry, untrained."""
    return build_selector(TABLE, name)


def system(name: str) -> Composed:
    """Return an entry as a speaker."""
    return build_speaker(TABLE, name)
