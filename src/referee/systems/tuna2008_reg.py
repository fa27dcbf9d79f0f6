"""The fourteen entries of TUNA-REG, from scene to words, of the 2008 challenge (Gatt, Belz & Kow 2008, table 8).

Each is a selector of TUNA-AS and a realiser of TUNA-R in a row. ATT's names: -ws is full brevity by what the speaker said before (ATT-FB-sf), -drws the
incremental algorithm in the speaker's order (ATT-DR-sf); this reading is inferred from the scores.
"""

from __future__ import annotations

from referee.systems import tuna2008_as, tuna2008_r
from referee.systems.components import NEAREST_SET, Component
from referee.systems.entries import FAITHFUL, LOW, MEDIUM, SystemRow, build_speaker

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the start-up time
if TYPE_CHECKING:
    from referee.systems.speaker import Composed

__all__ = ["FOLDS", "OWN_NEAREST", "TABLE", "system"]

FOLDS = ("speaker", 5)
"""The published scores are for new speakers."""

ATT, DIT, GRAPH, IS, NIL, OSU = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid", "Ohio State"


OWN_NEAREST = Component(NEAREST_SET, similar=0, then=tuna2008_as.OWN_TASTE)
"""IS-FP without the similar speaker, as IS-FP-GT used it."""


def joined(team: str, evidence: str, selector: str, realiser: str) -> SystemRow:
    """A selector of TUNA-AS in front of a realiser of TUNA-R."""
    chooser, wording = tuna2008_as.TABLE[selector].selector, tuna2008_r.TABLE[realiser].realiser
    return SystemRow(team, 2008, evidence, f"{selector} with the realiser {realiser}", chooser, wording)


_IS_GT = tuna2008_r.TABLE["IS-GT"].realiser
_ATT = {
    "PermuteRank": FAITHFUL,
    "Template": FAITHFUL,
    "TemplateS": FAITHFUL,
    "Dependency": MEDIUM,
}
_SELECTORS = {"ws": "ATT-FB-sf", "drws": "ATT-DR-sf"}

TABLE: dict[str, SystemRow] = {
    **{
        f"ATT-{realiser}-{suffix}": joined(ATT, evidence, selector, f"ATT-{realiser}")
        for suffix, selector in _SELECTORS.items()
        for realiser, evidence in _ATT.items()
    },
    "DIT-FBI-CBSR": joined(DIT, FAITHFUL, "DIT-FBI", "DIT-CBSR"),
    "DIT-TVAS-RBR": joined(DIT, MEDIUM, "DIT-TVAS", "DIT-RBR"),
    # The team took the organisers' converter for this task.
    "GRAPH-4+B": joined(GRAPH, LOW, "GRAPH-4+B", "organisers"),
    "IS-FP-GT": SystemRow(
        IS, 2008, MEDIUM, "IS-FP from the speaker's own sets, with the realiser IS-GT", OWN_NEAREST, _IS_GT
    ),
    "NIL-UCM-FVBS": joined(NIL, MEDIUM, "NIL-UCM-MFVF", "NIL-UCM-BSC"),
    "OSU-GP": joined(OSU, LOW, "OSU-GP", "organisers"),
}


def system(name: str, mended: bool = True) -> Composed:
    """An entry as a speaker; `mended` says whether broken strings are mended."""
    return build_speaker(TABLE, name, mended)
