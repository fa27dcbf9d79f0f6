"""The realisers of TUNA-R, the realisation task of the 2008 challenge (Gatt, Belz & Kow 2008, table 6), and the others that its teams used or built on.

A realiser is given the properties a person chose and has to find the words. Where the annotation or the grammar of an entry was never
published, docs/realisation.md says what stands in for it.
"""

from __future__ import annotations

from functools import partial

from referee.contracts import Realiser
from referee.realisation.case_net import CaseNet
from referee.realisation.cases import CaseBase
from referee.realisation.common_phrases import CommonPhrases
from referee.realisation.dependencies import DependencyOrder
from referee.realisation.fixed_choices import FixedChoices
from referee.realisation.organisers import FixedWords
from referee.realisation.permutation import PermuteAndRank
from referee.realisation.speaker_branches import SpeakerBranches
from referee.realisation.templates import MajorityTemplates, RankedTemplates
from referee.systems.entries import FAITHFUL, LOW, MEDIUM
from referee.systems.worded_entries import WordedRow, build_realiser

__all__ = ["FOLDS", "SUBMITTED", "TABLE", "realiser", "system"]

FOLDS = (("challenge", 5), ("speaker", 5))
"""Scores on the development set are for speakers whom the realisers knew (random folds), those on the test set for new ones (folds by speaker)."""

SUBMITTED = ("IS-GT", "NIL-UCM-BSC", "ATT-Dependency", "DIT-CBSR", "DIT-RBR")
"""The five entries of the task; the other rows are realisers of whole systems."""

ATT, DIT, GRAPH, IS, NIL = "AT&T", "Dublin", "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid"
row = partial(WordedRow, task="R")

# fmt: off
TABLE: dict[str, WordedRow] = {
    "IS-GT": row(IS, MEDIUM, "the speaker's own words and branches under a noun", SpeakerBranches),
    "NIL-UCM-BSC": row(NIL, MEDIUM, "one wording for each choice point, found by climbing", FixedChoices),
    "ATT-Dependency": row(ATT, MEDIUM, "phrases ordered by dependencies, ranked by a language model", DependencyOrder),
    "DIT-CBSR": row(DIT, FAITHFUL, "a remembered description, quoted or edited", CaseBase),
    "DIT-RBR": row(DIT, MEDIUM, "the most common phrase for each value, in the usual order", CommonPhrases),
    "ATT-Template": row(ATT, FAITHFUL, "templates from annotated strings, ranked by a language model", RankedTemplates),
    "ATT-TemplateS": row(ATT, FAITHFUL, "as ATT-Template, from the speaker's own strings", RankedTemplates, {"personal": True}),
    "ATT-PermuteRank": row(ATT, FAITHFUL, "phrases in any order, ranked by a language model", PermuteAndRank),
    "organisers": row("organisers", LOW, "the challenges' attribute-to-word converter", FixedWords),
    "GRAPH-2009": row(GRAPH, FAITHFUL, "the majority template of the attribute combination", MajorityTemplates, year=2009),
    "NIL-CBR-2009": row(NIL, MEDIUM, "the nearest case of a retrieval net, cut and filled", CaseNet, year=2009),
}
# fmt: on


def realiser(name: str, mended: bool = True) -> Realiser:
    """What an entry puts properties into words with, untrained; `mended` says whether broken strings are mended."""
    return build_realiser(TABLE, name, mended)


system = realiser
"""In this task an entry is its realiser."""
