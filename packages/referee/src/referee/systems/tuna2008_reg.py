"""The fourteen entries of TUNA-REG, from scene to words, of the 2008 challenge (Gatt, Belz & Kow 2008, table 8).

Each is a selector of TUNA-AS followed by a realiser of TUNA-R. ATT's names: -ws is full brevity by the speaker's
earlier sets (ATT-FB-sf), -drws the incremental algorithm in the speaker's order (ATT-DR-sf); this reading is inferred
from the scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems import tuna2008_as, tuna2008_r
from referee.systems.components import NEAREST_SET, Component
from referee.systems.entries import LABELS, MEDIUM, SystemRow, build_speaker

if TYPE_CHECKING:
    from referee.systems.speaker import Composed

FOLDS = ("speaker", 5)
"""The published scores are for new speakers."""

ATT, DIT, GRAPH, IS, NIL, OSU = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid", "Ohio State"


OWN_NEAREST = Component(NEAREST_SET, similar=0, then=tuna2008_as.OWN_TASTE)
"""IS-FP without the similar speaker, as IS-FP-GT used it."""


def join_rows(team: str, selector: str, realiser: str) -> SystemRow:
    """Return an entry of a selector of TUNA-AS and a realiser of TUNA-R.

    Its evidence is the weaker one, and its fitted settings those of both.
    """
    chooser, wording = tuna2008_as.TABLE[selector], tuna2008_r.TABLE[realiser]
    weaker = max(chooser.evidence, wording.evidence, key=LABELS.index)
    about, fitted = f"{selector} with the realiser {realiser}", (*chooser.fitted, *wording.fitted)
    return SystemRow(team, 2008, weaker, about, chooser.selector, wording.realiser, fitted=fitted, floor=chooser.floor)


_IS_GT = tuna2008_r.TABLE["IS-GT"].realiser
_ATT = ("PermuteRank", "Template", "TemplateS", "Dependency")
_SELECTORS = {"ws": "ATT-FB-sf", "drws": "ATT-DR-sf"}

TABLE: dict[str, SystemRow] = {
    **{
        f"ATT-{realiser}-{suffix}": join_rows(ATT, selector, f"ATT-{realiser}")
        for suffix, selector in _SELECTORS.items()
        for realiser in _ATT
    },
    "DIT-FBI-CBSR": join_rows(DIT, "DIT-FBI", "DIT-CBSR"),
    "DIT-TVAS-RBR": join_rows(DIT, "DIT-TVAS", "DIT-RBR"),
    # The team took the organisers' converter for this task.
    "GRAPH-4+B": join_rows(GRAPH, "GRAPH-4+B", "organisers"),
    "IS-FP-GT": SystemRow(
        IS,
        2008,
        MEDIUM,
        "IS-FP from the speaker's own sets, with the realiser IS-GT",
        OWN_NEAREST,
        _IS_GT,
        fitted=tuna2008_as.MARKS,
    ),
    "NIL-UCM-FVBS": join_rows(NIL, "NIL-UCM-MFVF", "NIL-UCM-BSC"),
    "OSU-GP": join_rows(OSU, "OSU-GP", "organisers"),
}


def system(name: str, mended: bool = True) -> Composed:
    """Return an entry as a speaker; `mended` corrects broken strings."""
    return build_speaker(TABLE, name, mended)
