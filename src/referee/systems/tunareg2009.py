"""The six entries of TUNA-REG 2009, from scene to words (Gatt, Belz & Kow 2009, tables 4 and 5)."""

from __future__ import annotations

from functools import partial

from referee.realisation.case_net import CaseNet
from referee.realisation.fixed_choices import FixedChoices
from referee.realisation.organisers import FixedWords
from referee.realisation.speaker_branches import SpeakerBranches
from referee.realisation.templates import MajorityTemplates
from referee.systems import tuna2008_as
from referee.systems.entries import FAITHFUL, LOW, MEDIUM
from referee.systems.evolved_set import EvolvedSet
from referee.systems.ordered_walks import FrequentFirst
from referee.systems.speaker import Composed
from referee.systems.tuna2008_reg import own_nearest
from referee.systems.worded_entries import WordedRow, build_speaker

__all__ = ["FOLDS", "TABLE", "system"]

FOLDS = ("speaker", 5)
"""The published test scores are for new speakers."""

GRAPH, IS, NIL, USP = "Twente, Tilburg and Macquarie", "Stuttgart", "Madrid", "São Paulo"
row = partial(WordedRow, year=2009)
graph, priors = partial(tuna2008_as.selector, "GRAPH-4+B"), partial(tuna2008_as.selector, "NIL-UCM-MFVF")
conditioned = partial(FrequentFirst, by=("domain", "condition"))

# fmt: off
TABLE: dict[str, WordedRow] = {
    "GRAPH": row(GRAPH, FAITHFUL, "GRAPH-4+B with the majority template of the attribute combination", MajorityTemplates, selector=graph),
    "IS-FP-GT": row(IS, MEDIUM, "IS-FP from the speaker's own sets, with the realiser IS-GT", SpeakerBranches, selector=own_nearest),
    "NIL-UCM-EvoTAP": row(NIL, MEDIUM, "an evolved set, worded with fixed choices", FixedChoices, selector=EvolvedSet),
    "NIL-UCM-ValuesCBR": row(NIL, MEDIUM, "NIL-UCM-MFVF, worded after the nearest case", CaseNet, selector=priors),
    "NIL-UCM-EvoCBR": row(NIL, MEDIUM, "an evolved set, worded after the nearest case", CaseNet, selector=EvolvedSet),
    "USP-EACH": row(USP, LOW, "USP-EACH-FREQ per condition, with the organisers' converter", FixedWords, selector=conditioned),
}
# fmt: on


def system(name: str, mended: bool = True) -> Composed:
    """An entry as a speaker; `mended` says whether broken strings are mended."""
    return build_speaker(TABLE, name, mended)
