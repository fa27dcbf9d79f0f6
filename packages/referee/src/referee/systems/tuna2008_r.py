"""The realisers of TUNA-R, the realisation task of the 2008 challenge (Gatt, Belz & Kow 2008, table 6), and the others
that its teams used or built on.

A realiser gets the properties of a human description and generates words. `referee docs realisation` lists the
replacements of unpublished annotations and grammars.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.systems.components import (
    CASE_BASE,
    CASE_NET,
    COMMON_PHRASES,
    DEPENDENCY_ORDER,
    FIXED_CHOICES,
    FIXED_WORDS,
    MAJORITY_TEMPLATES,
    PERMUTE_AND_RANK,
    RANKED_TEMPLATES,
    SPEAKER_BRANCHES,
    Component,
)
from referee.systems.entries import LOW, MEDIUM, STAND_IN, SystemRow, build_realiser

if TYPE_CHECKING:
    from referee.contracts import Realiser

FOLDS = (("challenge", 5), ("speaker", 5))
"""Scores on the development set are for speakers that the realisers knew (random folds), those on the test set for new ones (folds by speaker)."""

SUBMITTED = ("IS-GT", "NIL-UCM-BSC", "ATT-Dependency", "DIT-CBSR", "DIT-RBR")
"""The five entries of the task; the other rows are realisers of whole systems."""

ATT, DIT, GRAPH, IS, NIL = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid"

# fmt: off
TABLE: dict[str, SystemRow] = {
    "IS-GT": SystemRow(IS, 2008, MEDIUM, "the speaker's own words and branches under a noun",
        realiser=Component(SPEAKER_BRANCHES)),
    "NIL-UCM-BSC": SystemRow(NIL, 2008, MEDIUM, "one wording for each choice point, found by climbing",
        realiser=Component(FIXED_CHOICES)),
    "ATT-Dependency": SystemRow(ATT, 2008, MEDIUM, "phrases ordered by dependencies, ranked by a language model",
        realiser=Component(DEPENDENCY_ORDER)),
    "DIT-CBSR": SystemRow(DIT, 2008, MEDIUM, "a remembered description, quoted or edited",
        realiser=Component(CASE_BASE)),
    "DIT-RBR": SystemRow(DIT, 2008, MEDIUM, "the most common phrase for each value, in the usual order",
        realiser=Component(COMMON_PHRASES)),
    "ATT-Template": SystemRow(ATT, 2008, STAND_IN, "templates ranked by a language model; spelling by rule (in 2008: by hand)",
        realiser=Component(RANKED_TEMPLATES)),
    "ATT-TemplateS": SystemRow(ATT, 2008, STAND_IN, "as ATT-Template, from the speaker's own strings",
        realiser=Component(RANKED_TEMPLATES, personal=True)),
    "ATT-PermuteRank": SystemRow(ATT, 2008, MEDIUM, "phrases in any order, ranked by a language model",
        realiser=Component(PERMUTE_AND_RANK), fitted=("window=None",)),
    "organisers": SystemRow("organisers", 2008, LOW, "the challenges' attribute-to-word converter",
        realiser=Component(FIXED_WORDS)),
    "GRAPH-2009": SystemRow(GRAPH, 2009, MEDIUM, "the majority template of the attribute combination",
        realiser=Component(MAJORITY_TEMPLATES)),
    "NIL-CBR-2009": SystemRow(NIL, 2009, MEDIUM, "the nearest case of a retrieval net, cut and filled",
        realiser=Component(CASE_NET)),
}
# fmt: on


def realiser(name: str, mended: bool = True) -> Realiser:
    """Return the realiser of an entry, untrained; `mended` corrects broken strings."""
    return build_realiser(TABLE, name, mended)


system = realiser
"""In this task an entry is its realiser."""
