"""The sixteen entries of the Attribute Selection challenge of 2007 (Belz & Gatt 2007; scores as in Belz & Gatt 2008,
table 1).

Hardly any text of their papers was available, so most rows are reconstructions from later papers of the same teams;
`referee docs systems` has the choices and reasons. Test items shared their speakers with the training data, so folds
are drawn within each domain, not by speaker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems.components import (
    CONTRAST_QUOTIENT,
    GRAPH_SEARCH,
    GROUPED_ORDER,
    INCREMENTAL,
    LEARNED_INCLUSION,
    NEAREST_SET,
    SMALLEST_SET,
    STOCHASTIC_COSTS,
    WEIGHTED_POWER,
    Component,
)
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, SystemRow, build_selector, build_speaker

if TYPE_CHECKING:
    from referee.contracts import Selector
    from referee.systems.speaker import Composed

FOLDS = ("challenge", 5)
"""How to split a corpus for a fair comparison with the printed scores: random trials of each domain, five times."""

PUBLISHED = ("belz-gatt-2008", "table1", {"set/dice": "Dice", "set/masi": "MASI", "scene/minimal": "Min"})
"""Paper and table of the printed scores, and the column of each metric (Min is in per cent)."""

LIKED = {"colour": 3, "hasBeard:1": 3, "hasGlasses:1": 3, "hairColour": 2, "hasHair": 1, "size": 1, "orientation": 1}
"""Preferences of CAM-B and CAM-BU: smaller than any difference of discrimination quotients (multiples of 8), so that they only break ties."""

GROUPS = {
    "furniture": (("type", "colour"), ("size", "orientation"), ("x-dimension", "y-dimension")),
    "people": (
        ("hasBeard", "hasGlasses", "hairColour"),
        ("x-dimension", "y-dimension"),
        ("hasHair", "age"),
        ("type", "orientation", "hasSuit", "hasShirt", "hasTie"),
    ),
}
"""Groups of attributes of a domain that NIL treats as equally frequent."""

FREE = ("type", "colour", "hasBeard:1", "hasGlasses:1")
"""Properties that cost nothing in GRAPH-FP: the most mentioned ones of each domain."""

TUNED = 10.0
"""The weight of learned preference in CAM-T and CAM-TU, fitted to their printed Dice; nothing about it is published."""


CAM, DIT, GRAPH, IS, NIL, TITCH = "Cambridge", "Dublin", "Twente and Tilburg", "Stuttgart", "Madrid", "Tokyo"

# fmt: off
TABLE: dict[str, SystemRow] = {
    # The sources are the algorithm of 2004 (P04-1052) and the table of properties in W08-1108; the meanings of B, T and
    # U are a guess.
    "CAM-B": SystemRow(CAM, 2007, LOW, "discriminating quotient, ties broken by a fixed preference",
        Component(CONTRAST_QUOTIENT, liked=LIKED)),
    "CAM-BU": SystemRow(CAM, 2007, LOW, "as CAM-B, quotients updated after each choice",
        Component(CONTRAST_QUOTIENT, liked=LIKED, updated=True)),
    "CAM-T": SystemRow(CAM, 2007, LOW, "discriminating quotient plus learned preference",
        Component(CONTRAST_QUOTIENT, scale=TUNED), fitted=("scale=10",)),
    "CAM-TU": SystemRow(CAM, 2007, LOW, "as CAM-T, quotients updated after each choice",
        Component(CONTRAST_QUOTIENT, scale=TUNED, updated=True), fitted=("scale=10",)),
    # The abstract has the whole algorithm; whether counts were pooled over domains it does not say (variants/DIT-
    # DS.pooled).
    "DIT-DS": SystemRow(DIT, 2007, FAITHFUL, "type, then attributes by falling frequency",
        Component(INCREMENTAL, order="frequency", head="first")),
    # Tried in the scene's order on purpose: a free property is lost where an equally cheap set comes first, the known
    # weakness of 2007.
    "GRAPH-FP": SystemRow(GRAPH, 2007, MEDIUM, "cheapest set; the most mentioned is free",
        Component(GRAPH_SEARCH, costs=Component(STOCHASTIC_COSTS, free=FREE), head="last"), printed="GR-FP"),
    "GRAPH-SC": SystemRow(GRAPH, 2007, MEDIUM, "cheapest set; rarely mentioned attributes are expensive",
        Component(GRAPH_SEARCH, costs=Component(STOCHASTIC_COSTS), head="last"), printed="GR-SC"),
    # Not published: whether names or pairs are compared, and the treatment of unknown speakers.
    "IS-FBN": SystemRow(IS, 2007, MEDIUM, "distinguishing set nearest to one the speaker used",
        Component(NEAREST_SET), fitted=('match="marks"',)),
    "IS-FBS": SystemRow(IS, 2007, MEDIUM, "a smallest distinguishing set",
        Component(SMALLEST_SET), floor=True, learns=False),
    "IS-FBS-submitted": SystemRow(IS, 2007, LOW, "first submission of IS-FBS: one attribute too many",
        Component(SMALLEST_SET, extra=True), printed="*IS-FBS", floor=True, learns=False),
    "IS-IAC": SystemRow(IS, 2007, LOW, "incremental, with learned decisions on inclusion",
        Component(LEARNED_INCLUSION), fitted=("leaf=10",)),
    # From the title, a footnote of W08-1134 (the type was not forced, hence poor scores on people) and the printed
    # scores.
    "NIL": SystemRow(NIL, 2007, LOW, "incremental by groups of attributes; no special role of the type",
        Component(GROUPED_ORDER, groups=GROUPS)),
    # No available text defines A, R, S and +; the parts are those of C08-2029.
    "TITCH-AS": SystemRow(TITCH, 2007, LOW, "discriminatory power times frequency",
        Component(WEIGHTED_POWER, weight="absolute"), printed="T-AS"),
    "TITCH-AS+": SystemRow(TITCH, 2007, LOW, "as TITCH-AS, attributes attract each other",
        Component(WEIGHTED_POWER, weight="absolute", plus="dependency"), printed="T-AS+", fitted=('plus="dependency"',)),
    "TITCH-RS": SystemRow(TITCH, 2007, LOW, "discriminatory power times frequency where it helps",
        Component(WEIGHTED_POWER, weight="relative"), printed="T-RS"),
    "TITCH-RS+": SystemRow(TITCH, 2007, LOW, "as TITCH-RS, attributes attract each other",
        Component(WEIGHTED_POWER, weight="relative", plus="dependency"), printed="T-RS+", fitted=('plus="dependency"',)),
}
# fmt: on


def selector(name: str) -> Selector:
    """Return the selector of an entry, untrained."""
    return build_selector(TABLE, name)


def system(name: str) -> Composed:
    """Return an entry as a speaker."""
    return build_speaker(TABLE, name)
