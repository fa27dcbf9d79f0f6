"""The six entries of TUNA-REG 2009, from scene to words (Gatt, Belz & Kow 2009, tables 4 and 5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems import tuna2008_as
from referee.systems.components import (
    CASE_NET,
    EVOLVED_SET,
    FIXED_CHOICES,
    FIXED_WORDS,
    FREQUENT_FIRST,
    MAJORITY_TEMPLATES,
    SPEAKER_BRANCHES,
    Component,
)
from referee.systems.entries import LOW, MEDIUM, SystemRow, build_speaker
from referee.systems.tuna2008_reg import OWN_NEAREST

if TYPE_CHECKING:
    from referee.systems.speaker import Composed

FOLDS = ("speaker", 5)
"""The published test scores are for new speakers."""

GRAPH, IS, NIL, USP = "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid", "São Paulo"
EVOLVING = Component(EVOLVED_SET)
# The one change since 2008: separate lists for +LOC and -LOC (W09-0633).
CONDITIONED = Component(FREQUENT_FIRST, by=("domain", "condition"))
CHEAPEST, BY_PRIOR = tuna2008_as.TABLE["GRAPH-4+B"].selector, tuna2008_as.TABLE["NIL-UCM-MFVF"].selector

# fmt: off
TABLE: dict[str, SystemRow] = {
    "GRAPH": SystemRow(GRAPH, 2009, MEDIUM, "GRAPH-4+B with the majority template of the attribute combination",
        CHEAPEST, Component(MAJORITY_TEMPLATES)),
    "IS-FP-GT": SystemRow(IS, 2009, MEDIUM, "IS-FP from the speaker's own sets, with the realiser IS-GT",
        OWN_NEAREST, Component(SPEAKER_BRANCHES), fitted=tuna2008_as.MARKS),
    "NIL-UCM-EvoTAP": SystemRow(NIL, 2009, MEDIUM, "an evolved set, worded with fixed choices",
        EVOLVING, Component(FIXED_CHOICES)),
    "NIL-UCM-ValuesCBR": SystemRow(NIL, 2009, MEDIUM, "NIL-UCM-MFVF, worded after the nearest case",
        BY_PRIOR, Component(CASE_NET)),
    "NIL-UCM-EvoCBR": SystemRow(NIL, 2009, MEDIUM, "an evolved set, worded after the nearest case",
        EVOLVING, Component(CASE_NET)),
    "USP-EACH": SystemRow(USP, 2009, LOW, "USP-EACH-FREQ per condition, with the organisers' converter",
        CONDITIONED, Component(FIXED_WORDS)),
}
# fmt: on


def system(name: str, mended: bool = True) -> Composed:
    """Return an entry as a speaker; `mended` corrects broken strings."""
    return build_speaker(TABLE, name, mended)
