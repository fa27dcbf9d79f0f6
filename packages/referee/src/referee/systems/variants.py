"""Variants of challenge entries with the other choice on an open point.

If a paper leaves a point open, the tables of `asgre2007` and `tuna2008_as` have one interpretation and this table the
others; `referee docs systems` has their scores. The last one is OSU-GP with a new run of its evolution (needs the extra
``evolve``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems.asgre2007 import FREE
from referee.systems.components import (
    CASE_NET,
    CENTRE_RULE,
    EVOLVED,
    EVOLVED_SET,
    FIXED_CHOICES,
    FREQUENT_FIRST,
    GRAPH_SEARCH,
    IN_PORTUGUESE,
    INCREMENTAL,
    LEVEL_COSTS,
    NEAREST_SET,
    PRIORS_WITHIN_REACH,
    REMEMBERED_SET,
    SMALLEST_SET,
    STOCHASTIC_COSTS,
    WEIGHTED_POWER,
    Component,
)
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, SystemRow, build_selector, build_speaker
from referee.systems.tuna2008_as import ATT, DIT, GRAPH, IS, NIL, OSU, OWN_TASTE, USP

if TYPE_CHECKING:
    from referee.contracts import Selector
    from referee.systems.speaker import Composed

TITCH = "Tokyo"
PLACES = ("x-dimension", "y-dimension")
TRIED = (
    "type", "orientation", "x-dimension", "colour", "size", "y-dimension", "age", "hairColour", "hasHair", "hasBeard", "hasGlasses", "hasShirt", "hasTie",
    "hasSuit",
)  # fmt: skip
COUNTED = {
    "furniture": {
        "type": 291 / 319, "colour": 273 / 319, "size": 117 / 319, "orientation": 106 / 319,
        "type:fan": 41 / 42, "type:chair": 134 / 143, "type:sofa": 43 / 48, "type:desk": 73 / 86, "colour:green": 35 / 40, "colour:blue": 75 / 86,
        "colour:red": 82 / 96, "colour:grey": 81 / 97, "orientation:back": 25 / 51, "orientation:front": 31 / 86, "orientation:left": 22 / 86,
        "orientation:right": 28 / 96, "size:small": 56 / 130, "size:large": 61 / 189,
    },
    "people": {
        "type": 225 / 274, "hasBeard": 123 / 274, "hasGlasses": 117 / 274, "hasHair": 42 / 274, "age": 17 / 274, "orientation": 8 / 274, "hasShirt": 3 / 274,
        "hasTie": 2 / 274, "hasSuit": 4 / 274, "type:person": 225 / 274, "hasBeard:1": 123 / 181, "hasGlasses:1": 117 / 184, "hasSuit:1": 4 / 94,
        "hasHair:1": 36 / 233, "hasHair:0": 6 / 41, "age:old": 15 / 132, "age:young": 2 / 142, "orientation:right": 2 / 44, "orientation:front": 4 / 143,
        "orientation:left": 2 / 87, "hasShirt:1": 3 / 136, "hasTie:1": 2 / 94,
    },
}  # fmt: skip
"""Shares and priors of the challenge's training data as Kelleher & Mac Namee (2008) print them; places and hair colour are not among them."""

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
        Component(SMALLEST_SET, pick="first"), printed="ATT-FB-m", learns=False),
    "ATT-FB-f.described": SystemRow(ATT, 2008, MEDIUM, "looks sets up for unknown speakers, too",
        Component(REMEMBERED_SET, memory=("all",)), printed="ATT-FB-f", fitted=('pick="last"',)),
    "ATT-FB-sf.described": SystemRow(ATT, 2008, MEDIUM, "looks sets up for unknown speakers, too",
        Component(REMEMBERED_SET, memory=("own", "all")), printed="ATT-FB-sf", fitted=('pick="last"',)),
    "ATT-FB-sr.described": SystemRow(ATT, 2008, MEDIUM, "looks sets up for unknown speakers, too",
        Component(REMEMBERED_SET, memory=("recent", "own", "all")), printed="ATT-FB-sr", fitted=('pick="last"',)),
    "DIT-TVAS.relative": SystemRow(DIT, 2008, FAITHFUL, "within 5 % of the highest prior, not 5 points",
        Component(PRIORS_WITHIN_REACH, relative=True), printed="DIT-TVAS"),
    "GRAPH-4+B.helpful": SystemRow(GRAPH, 2008, FAITHFUL, "properties of cost 0 are added only where they rule out a distractor",
        Component(GRAPH_SEARCH, costs=Component(LEVEL_COSTS), order="prior", head="first", helpful=True), printed="GRAPH-4+B"),
    "IS-FP.names": SystemRow(IS, 2008, MEDIUM, "sets compared by attribute names only",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, match="names", likeness="names"), printed="IS-FP"),
    "IS-FP.pairs": SystemRow(IS, 2008, MEDIUM, "sets compared by attribute-value pairs",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, match="pairs"), printed="IS-FP"),
    "IS-FP.mean": SystemRow(IS, 2008, MEDIUM, "mean instead of highest similarity",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, nearest="mean"), printed="IS-FP"),
    # Hypotheses picked by looking at print; `referee docs systems` compares each on furniture, people, Dice, MASI, exact sets and minimality together.
    "IS-FBS-submitted.no-location": SystemRow(IS, 2007, LOW, "full brevity without location, and the type for people",
        Component(SMALLEST_SET, without=PLACES, typed=("people",)), printed="*IS-FBS", fitted=("without", "typed"), floor=True, learns=False),
    "GRAPH-FP.order": SystemRow(GRAPH, 2007, LOW, "type, orientation, x and colour tried first",
        Component(GRAPH_SEARCH, costs=Component(STOCHASTIC_COSTS, free=FREE), head="last", attributes=TRIED), printed="GR-FP", fitted=("attributes",)),
    "NIL-UCM-MFVF.location-last": SystemRow(NIL, 2008, LOW, "location after everything else",
        Component(INCREMENTAL, order="prior", head="last", late=PLACES), printed="NIL-UCM-MFVF", fitted=("late",)),
    "NIL-UCM-MFVF.counted": SystemRow(NIL, 2008, MEDIUM, "priors as printed for the challenge's training data",
        Component(INCREMENTAL, order="prior", head="last", printed=COUNTED), printed="NIL-UCM-MFVF"),
    "DIT-FBI.location-last": SystemRow(DIT, 2008, LOW, "location after everything else",
        Component(CENTRE_RULE, late=PLACES), printed="DIT-FBI", fitted=("late",)),
    "DIT-FBI.counted": SystemRow(DIT, 2008, MEDIUM, "shares as printed for the challenge's training data",
        Component(CENTRE_RULE, by=("domain",), printed=COUNTED), printed="DIT-FBI"),
    "DIT-DS.counted": SystemRow(DIT, 2007, MEDIUM, "shares as printed for the challenge's training data",
        Component(INCREMENTAL, order="frequency", head="first", printed=COUNTED), printed="DIT-DS"),
    "IS-FP.condition": SystemRow(IS, 2008, LOW, "unknown speakers are replaced by the typical one of the condition",
        Component(NEAREST_SET, similar=1, then=OWN_TASTE, same_condition=True), printed="IS-FP", fitted=("same_condition",)),
    "NIL-UCM-EvoTAP.early": SystemRow(NIL, 2009, LOW, "evolution stopped before it has converged",
        Component(EVOLVED_SET, population=10, generations=3), Component(FIXED_CHOICES), printed="NIL-UCM-EvoTAP", fitted=("population", "generations")),
    "NIL-UCM-EvoCBR.early": SystemRow(NIL, 2009, LOW, "evolution stopped before it has converged",
        Component(EVOLVED_SET, population=10, generations=3), Component(CASE_NET), printed="NIL-UCM-EvoCBR", fitted=("population", "generations")),
    "USP-EACH-FREQ.portuguese": SystemRow(USP, 2008, MEDIUM, "the open track: words in Portuguese from hand-made lists",
        Component(FREQUENT_FIRST), Component(IN_PORTUGUESE), printed="USP-EACH-FREQ", mended=False),
    "OSU-GP.evolved": SystemRow(OSU, 2008, MEDIUM, "evolves new programs (extra: evolve)",
        Component(EVOLVED), printed="OSU-GP"),
}
# fmt: on


def selector(name: str) -> Selector:
    """Return the selector of a variant, untrained."""
    return build_selector(TABLE, name)


def system(name: str, mended: bool = True) -> Composed:
    """Return a variant as a speaker; `mended` corrects broken strings, if it has words."""
    return build_speaker(TABLE, name, mended)
