"""The fourteen entries of TUNA-REG, from scene to words, of the 2008 challenge (Gatt, Belz & Kow 2008, table 8).

Each is a selector of TUNA-AS and a realiser of TUNA-R in a row. ATT's names: -ws is full brevity by what the speaker said before (ATT-FB-sf), -drws the
incremental algorithm in the speaker's order (ATT-DR-sf); this reading is inferred from the scores.
"""

from __future__ import annotations

from functools import partial

from referee.contracts import Selector
from referee.systems import tuna2008_as, tuna2008_r
from referee.systems.entries import FAITHFUL, LOW, MEDIUM
from referee.systems.nearest_set import NearestSet
from referee.systems.speaker import Composed
from referee.systems.worded_entries import WordedRow, build_speaker

__all__ = ["FOLDS", "TABLE", "own_nearest", "system"]

FOLDS = ("speaker", 5)
"""The published scores are for new speakers."""

ATT, DIT, GRAPH, IS, NIL, OSU = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid", "Ohio State"


def own_nearest() -> Selector:
    """IS-FP without the similar speaker, as IS-FP-GT used it."""
    return NearestSet(similar=0, then=("shortest", "typical", "frequent"))


def joined(team: str, evidence: str, selector: str, realiser: str) -> WordedRow:
    """A selector of TUNA-AS in front of a realiser of TUNA-R."""
    spoken = tuna2008_r.TABLE[realiser]
    chooser = partial(tuna2008_as.selector, selector)
    return WordedRow(
        team, evidence, f"{selector} with the realiser {realiser}", spoken.realiser, spoken.settings, chooser
    )


_IS_GT = tuna2008_r.TABLE["IS-GT"].realiser
_ATT = {
    "PermuteRank": FAITHFUL,
    "Template": FAITHFUL,
    "TemplateS": FAITHFUL,
    "Dependency": MEDIUM,
}
_SELECTORS = {"ws": "ATT-FB-sf", "drws": "ATT-DR-sf"}

TABLE: dict[str, WordedRow] = {
    **{
        f"ATT-{realiser}-{suffix}": joined(ATT, evidence, selector, f"ATT-{realiser}")
        for suffix, selector in _SELECTORS.items()
        for realiser, evidence in _ATT.items()
    },
    "DIT-FBI-CBSR": joined(DIT, FAITHFUL, "DIT-FBI", "DIT-CBSR"),
    "DIT-TVAS-RBR": joined(DIT, MEDIUM, "DIT-TVAS", "DIT-RBR"),
    "GRAPH-4+B": joined(GRAPH, LOW, "GRAPH-4+B", "organisers"),
    "IS-FP-GT": WordedRow(
        IS, MEDIUM, "IS-FP from the speaker's own sets, with the realiser IS-GT", _IS_GT, selector=own_nearest
    ),
    "NIL-UCM-FVBS": joined(NIL, MEDIUM, "NIL-UCM-MFVF", "NIL-UCM-BSC"),
    "OSU-GP": joined(OSU, LOW, "OSU-GP", "organisers"),
}


def system(name: str, mended: bool = True) -> Composed:
    """An entry as a speaker; `mended` says whether broken strings are mended."""
    return build_speaker(TABLE, name, mended)
