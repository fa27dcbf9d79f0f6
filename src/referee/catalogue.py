"""THE table of names: everything that can be asked for by name, imported only when it is used.

Each line is ``name: (where, constructor parameters, one sentence)``. Third parties add names through the entry-point
groups ``referee.metrics``, ``referee.corpora``, ``referee.systems``, ``referee.hearers`` and ``referee.protocols``;
a snapshot test guards the names shipped here.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

from referee.errors import InputError, UnknownName

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the start-up time
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

__all__ = ["KINDS", "Entry", "configure", "create", "entries", "entry", "load", "names"]


class Entry:
    """Where a named thing lives, how it is configured under that name, what it is, and how good its evidence is."""

    __slots__ = ("about", "parameters", "tags", "where")

    def __init__(
        self,
        where: str,
        parameters: Mapping[str, Any] | None = None,
        about: str = "",
        tags: Mapping[str, str] | None = None,
    ) -> None:
        self.where = where
        self.parameters = parameters or {}
        self.about = about
        self.tags = tags or {}


METRICS: dict[str, Entry] = {
    # sets of properties
    "set/dice": Entry("referee.metrics.sets:Dice", {}, "2·|A∩B| / (|A|+|B|)"),
    "set/dice.multiset": Entry("referee.metrics.sets:Dice", {"multiset": True}, "Dice that counts repeated properties"),
    "set/masi": Entry(
        "referee.metrics.sets:Masi", {}, "Jaccard weighted by 1, 2/3, 1/3, 0 for equal, subset, overlap, disjoint"
    ),
    "set/jaccard": Entry("referee.metrics.sets:Jaccard", {}, "|A∩B| / |A∪B|"),
    "set/exact": Entry("referee.metrics.sets:SetExact", {}, "the same set of properties"),
    "set/edit": Entry(
        "referee.metrics.sets:SetEdit", {}, "1 - set edit cost / reference size; addition and omission cost the same"
    ),
    # the scene
    "scene/unique": Entry("referee.metrics.discrimination:Unique", {}, "true of the target and of nothing else"),
    "scene/minimal": Entry(
        "referee.metrics.discrimination:Minimal", {}, "unique, and no smaller set is; type is an attribute like others"
    ),
    "scene/minimal.no-type": Entry(
        "referee.metrics.discrimination:Minimal", {"count_type": False}, "as minimal, but type is free"
    ),
    "scene/remaining": Entry(
        "referee.metrics.discrimination:Remaining", {}, "distractors that the description is true of"
    ),
    "scene/bits": Entry("referee.metrics.discrimination:Bits", {}, "log2(1 + remaining distractors)"),
    "scene/surplus": Entry(
        "referee.metrics.discrimination:Surplus", {}, "properties that can go without letting a distractor in"
    ),
    "scene/deficit": Entry(
        "referee.metrics.discrimination:Deficit", {}, "fewest properties to add until the target stands alone"
    ),
    "scene/dice.specificity": Entry(
        "referee.metrics.discrimination:SpecificityDice",
        {},
        "Dice minus a penalty for differing from the human specificity",
    ),
    # meaning
    "meaning/denotation": Entry(
        "referee.metrics.semantics:Denotation", {}, "Dice of what the values of each attribute denote in the scene"
    ),
    "meaning/ontology": Entry(
        "referee.metrics.semantics:Ontology", {}, "similarity of values in a taxonomy (Wu-Palmer or path)"
    ),
    "meaning/cosine": Entry(
        "referee.metrics.semantics:Cosine", {}, "soft cosine over properties with value similarity"
    ),
    # words
    "string/exact": Entry("referee.metrics.strings:Exact", {}, "the same words as a reference"),
    "string/edit": Entry(
        "referee.metrics.strings:Edit", {}, "word edit distance, substitution 2 (the challenges' measure)"
    ),
    "string/edit.1": Entry("referee.metrics.strings:Edit", {"substitution": 1}, "word edit distance, substitution 1"),
    "string/edit.normalised": Entry(
        "referee.metrics.strings:Edit", {"normalise": True}, "word edit distance per reference token"
    ),
    "string/seb": Entry("referee.metrics.strings:Seb", {}, "1 - errors / reference length (Bangalore et al.)"),
    "string/seb.moves": Entry("referee.metrics.strings:Seb", {"moves": True}, "the same, a moved word being one error"),
    "string/bleu.1": Entry("referee.metrics.bleu:Bleu", {"order": 1}, "BLEU with unigrams"),
    "string/bleu.2": Entry("referee.metrics.bleu:Bleu", {"order": 2}, "BLEU up to bigrams"),
    "string/bleu.3": Entry("referee.metrics.bleu:Bleu", {"order": 3}, "BLEU up to trigrams"),
    "string/bleu.4": Entry("referee.metrics.bleu:Bleu", {"order": 4}, "BLEU up to 4-grams"),
    "string/nist": Entry("referee.metrics.nist:Nist", {}, "NIST-5 as in mteval"),
    "string/rouge-2": Entry("referee.metrics.rouge:Rouge2", {}, "bigram overlap F"),
    "string/rouge-su4": Entry("referee.metrics.rouge:RougeSU4", {}, "skip-bigrams (gap 4) and unigrams"),
    "string/chrf": Entry("referee.metrics.chrf:Chrf", {}, "character n-gram F-score"),
    # distributions
    "distribution/js": Entry(
        "referee.metrics.distributions:JensenShannon", {}, "Jensen-Shannon divergence from the human distribution"
    ),
    "distribution/coverage": Entry(
        "referee.metrics.distributions:Coverage", {}, "share of human descriptions whose set the system also gives"
    ),
    "distribution/over": Entry("referee.metrics.distributions:Over", {}, "rate of over-specified descriptions"),
    "distribution/under": Entry("referee.metrics.distributions:Under", {}, "rate of under-specified descriptions"),
}

CORPORA: dict[str, Entry] = {
    "synthetic": Entry(
        "referee.corpora.synthetic.corpus:Synthetic", {}, "generated scenes and speakers in the TUNA design (shipped)"
    ),
    "tuna": Entry("referee.corpora.tuna:Tuna", {}, "furniture and people, 780 English descriptions"),
    "gre3d7": Entry(
        "referee.corpora.gre3d:Gre3d", {"version": 7}, "balls and cubes with relations, 4,480 English descriptions"
    ),
    "gre3d3": Entry(
        "referee.corpora.gre3d:Gre3d", {"version": 3}, "balls and cubes with relations, 630 English descriptions"
    ),
    "stars": Entry("referee.corpora.stars:Stars", {"version": 1}, "relational scenes, 704 Portuguese descriptions"),
    "stars2": Entry("referee.corpora.stars:Stars", {"version": 2}, "relational scenes, 1,204 Portuguese descriptions"),
    "zoom": Entry("referee.corpora.zoom:Zoom", {}, "places on maps, 1,814 Portuguese descriptions"),
    "give2": Entry("referee.corpora.give2:Give2", {}, "buttons in virtual worlds, 992 contents in English and German"),
    "b5-ref": Entry("referee.corpora.b5:B5Ref", {}, "one face among six, 1,821 Portuguese descriptions"),
    "degen2020": Entry("referee.corpora.degen:Degen2020", {}, "reference games with listener choices and times"),
    "colors": Entry(
        "referee.corpora.colors:Colors", {}, "Colors in Context: three patches, 39,599 rounds with listeners"
    ),
    "franke-degen2016": Entry(
        "referee.corpora.franke_degen:FrankeDegen2016", {}, "closed reference games, 7,722 choices"
    ),
    "tangrams-hawkins": Entry(
        "referee.corpora.tangrams:HawkinsTangrams", {}, "twelve tangrams named six times, 5,976 rounds"
    ),
    "tg-matcher": Entry(
        "referee.corpora.tangrams:NaiveMatchers", {}, "naive readers guess tangrams, 3,383 texts, 11,344 guesses"
    ),
    "kth-tangrams": Entry("referee.corpora.kth:KthTangrams", {}, "34 situated games with board events and speech"),
    "pento-take": Entry("referee.corpora.pento:PentoTake", {}, "pentomino pieces in German speech, 1,035 episodes"),
    "jsonl": Entry("referee.corpora.jsonl:JsonlCorpus", {}, "any corpus in Referee's own JSONL form"),
}

_SYSTEM_MODULES = {
    "asgre2007": "asgre2007",
    "tuna2008-as": "tuna2008_as",
    "classic": "classics",
    "variants": "variants",
    "tuna2008-r": "tuna2008_r",
    "tuna2008-reg": "tuna2008_reg",
    "tunareg2009": "tunareg2009",
}
# fmt: off
_SYSTEM_ROWS: tuple[tuple[str, str, str, str, str, str], ...] = (
    # name, team, year, task, evidence, about
    ("asgre2007/CAM-B", "Cambridge", "2007", "AS", "low confidence", "discriminating quotient, ties settled by taste"),
    ("asgre2007/CAM-BU", "Cambridge", "2007", "AS", "low confidence", "as CAM-B, quotients updated after each choice"),
    ("asgre2007/CAM-T", "Cambridge", "2007", "AS", "low confidence", "discriminating quotient plus learned preference"),
    ("asgre2007/CAM-TU", "Cambridge", "2007", "AS", "low confidence", "as CAM-T, quotients updated after each choice"),
    ("asgre2007/DIT-DS", "Dublin", "2007", "AS", "faithful", "type, then attributes by falling frequency"),
    ("asgre2007/GRAPH-FP", "Twente and Tilburg", "2007", "AS", "reconstructed", "cheapest set; the most mentioned is free"),
    ("asgre2007/GRAPH-SC", "Twente and Tilburg", "2007", "AS", "reconstructed", "cheapest set; what is rarely mentioned is dear"),
    ("asgre2007/IS-FBN", "Stuttgart", "2007", "AS", "reconstructed", "distinguishing set nearest to one the speaker used"),
    ("asgre2007/IS-FBS", "Stuttgart", "2007", "AS", "reconstructed", "a smallest distinguishing set"),
    ("asgre2007/IS-FBS-submitted", "Stuttgart", "2007", "AS", "low confidence", "first submission of IS-FBS: one attribute too many"),
    ("asgre2007/IS-IAC", "Stuttgart", "2007", "AS", "low confidence", "incremental, with learned decisions on what belongs"),
    ("asgre2007/NIL", "Madrid", "2007", "AS", "low confidence", "incremental by groups of attributes; type nothing special"),
    ("asgre2007/TITCH-AS", "Tokyo", "2007", "AS", "low confidence", "discriminatory power times frequency"),
    ("asgre2007/TITCH-AS+", "Tokyo", "2007", "AS", "low confidence", "as TITCH-AS, attributes attract each other"),
    ("asgre2007/TITCH-RS", "Tokyo", "2007", "AS", "low confidence", "discriminatory power times frequency where it helps"),
    ("asgre2007/TITCH-RS+", "Tokyo", "2007", "AS", "low confidence", "as TITCH-RS, attributes attract each other"),
    ("tuna2008-as/GRAPH-4+B", "Twente, Tilburg and Macquarie", "2008", "AS", "faithful", "cheapest set, three prices, often mentioned first"),
    ("tuna2008-as/JU-PTBSGRE", "Jadavpur", "2008", "AS", "low confidence", "a tree of ever smaller sets, by preference"),
    ("tuna2008-as/ATT-DR-b", "AT&T", "2008", "AS", "faithful", "incremental, order by frequency under the condition"),
    ("tuna2008-as/ATT-DR-sf", "AT&T", "2008", "AS", "faithful", "as ATT-DR-b, the speaker's own order first"),
    ("tuna2008-as/ATT-FB-m", "AT&T", "2008", "AS", "faithful", "one of the smallest sets, at random"),
    ("tuna2008-as/ATT-FB-f", "AT&T", "2008", "AS", "faithful", "the distinguishing set that was used most"),
    ("tuna2008-as/ATT-FB-sf", "AT&T", "2008", "AS", "faithful", "the distinguishing set that the speaker used most"),
    ("tuna2008-as/ATT-FB-sr", "AT&T", "2008", "AS", "faithful", "the distinguishing set that the speaker used last"),
    ("tuna2008-as/DIT-FBI", "Dublin", "2008", "AS", "faithful", "type, then by frequency under the condition; both axes for the centre"),
    ("tuna2008-as/DIT-TVAS", "Dublin", "2008", "AS", "faithful", "type, then the most telling of the pairs with the highest priors"),
    ("tuna2008-as/IS-FP", "Stuttgart", "2008", "AS", "reconstructed", "distinguishing set nearest to those of the speaker and one like him"),
    ("tuna2008-as/NIL-UCM-MFVF", "Madrid", "2008", "AS", "faithful", "incremental over pairs by falling prior"),
    ("tuna2008-as/OSU-GP", "Ohio State", "2008", "AS", "faithful", "the two evolved programs that were sent in"),
    ("tuna2008-as/USP-EACH-FREQ", "São Paulo", "2008", "AS", "faithful", "what most people say, then what does the rest alone"),
    ("classic/full-brevity", "Dale", "1989", "AS", "faithful", "the fewest properties that single out the target, and its type"),
    ("classic/greedy", "Dale", "1989", "AS", "faithful", "always the property that rules out most"),
    ("classic/relational", "Dale & Haddock", "1991", "AS", "faithful", "facts about the target and its landmarks, one by one"),
    ("classic/incremental", "Dale & Reiter", "1995", "AS", "faithful", "down the scene's own list of attributes; no training"),
    ("classic/incremental.frequency", "Dale & Reiter", "1995", "AS", "faithful", "down a list of attributes by how often they are mentioned"),
    ("classic/boolean", "van Deemter", "2002", "AS", "faithful", "literals, then unions of them; several targets at once"),
    ("classic/graph", "Krahmer, van Erk & Verleg", "2003", "AS", "faithful", "the cheapest set; what is rarely mentioned is dear"),
    ("classic/graph.kmeans", "Theune et al.", "2011", "AS", "faithful", "the cheapest set; two prices, from clusters of priors"),
    ("classic/partitioned", "Gatt & van Deemter", "2007", "AS", "faithful", "several targets, in parts of one kind"),
    ("classic/pro", "van Gompel et al.", "2019", "AS", "reconstructed", "what is needed, then perhaps more; probabilities learned"),
    ("classic/rsa", "Monroe & Potts", "2015", "AS", "faithful", "rational speech acts, pragmatic speaker; no training"),
    ("classic/rsa.learned", "Monroe & Potts", "2015", "AS", "faithful", "rational speech acts on a learned literal speaker"),
    ("variants/DIT-DS.pooled", "Dublin", "2007", "AS", "faithful", "counts pooled over domains"),
    ("variants/IS-FBN.names", "Stuttgart", "2007", "AS", "reconstructed", "sets compared by attribute names only"),
    ("variants/IS-FBN.pairs", "Stuttgart", "2007", "AS", "reconstructed", "sets compared by attribute-value pairs"),
    ("variants/TITCH-AS+.redundancy", "Tokyo", "2007", "AS", "low confidence", "plus read as one attribute more than needed"),
    ("variants/TITCH-RS+.redundancy", "Tokyo", "2007", "AS", "low confidence", "plus read as one attribute more than needed"),
    ("variants/ATT-FB-m.first", "AT&T", "2008", "AS", "reconstructed", "the first smallest set instead of a random one"),
    ("variants/ATT-FB-f.described", "AT&T", "2008", "AS", "faithful", "looks sets up for unknown speakers, too"),
    ("variants/ATT-FB-sf.described", "AT&T", "2008", "AS", "faithful", "looks sets up for unknown speakers, too"),
    ("variants/ATT-FB-sr.described", "AT&T", "2008", "AS", "faithful", "looks sets up for unknown speakers, too"),
    ("variants/DIT-TVAS.relative", "Dublin", "2008", "AS", "faithful", "within 5 % of the highest prior, not 5 points"),
    ("variants/GRAPH-4+B.helpful", "Twente, Tilburg and Macquarie", "2008", "AS", "faithful", "free properties only where they rule out somebody"),
    ("variants/IS-FP.names", "Stuttgart", "2008", "AS", "reconstructed", "sets compared by attribute names only"),
    ("variants/IS-FP.pairs", "Stuttgart", "2008", "AS", "reconstructed", "sets compared by attribute-value pairs"),
    ("variants/IS-FP.mean", "Stuttgart", "2008", "AS", "reconstructed", "mean instead of highest similarity"),
    ("variants/OSU-GP.evolved", "Ohio State", "2008", "AS", "reconstructed", "evolves its programs anew (extra: evolve)"),
    ("tuna2008-r/IS-GT", "Stuttgart", "2008", "R", "reconstructed", "the speaker's own words and branches under a noun"),
    ("tuna2008-r/NIL-UCM-BSC", "Madrid", "2008", "R", "reconstructed", "one wording for each choice point, found by climbing"),
    ("tuna2008-r/ATT-Dependency", "AT&T", "2008", "R", "reconstructed", "phrases ordered by dependencies, ranked by a language model"),
    ("tuna2008-r/DIT-CBSR", "Dublin", "2008", "R", "faithful", "a remembered description, quoted or edited"),
    ("tuna2008-r/DIT-RBR", "Dublin", "2008", "R", "reconstructed", "the most common phrase for each value, in the usual order"),
    ("tuna2008-r/ATT-Template", "AT&T", "2008", "R", "faithful", "templates from annotated strings, ranked by a language model"),
    ("tuna2008-r/ATT-TemplateS", "AT&T", "2008", "R", "faithful", "as ATT-Template, from the speaker's own strings"),
    ("tuna2008-r/ATT-PermuteRank", "AT&T", "2008", "R", "faithful", "phrases in any order, ranked by a language model"),
    ("tuna2008-r/organisers", "organisers", "2008", "R", "low confidence", "the challenges' attribute-to-word converter"),
    ("tuna2008-r/GRAPH-2009", "Twente, Tilburg and Macquarie", "2009", "R", "faithful", "the majority template of the attribute combination"),
    ("tuna2008-r/NIL-CBR-2009", "Madrid", "2009", "R", "reconstructed", "the nearest case of a retrieval net, cut and filled"),
    ("tuna2008-reg/ATT-PermuteRank-ws", "AT&T", "2008", "REG", "faithful", "ATT-FB-sf with the realiser ATT-PermuteRank"),
    ("tuna2008-reg/ATT-Template-ws", "AT&T", "2008", "REG", "faithful", "ATT-FB-sf with the realiser ATT-Template"),
    ("tuna2008-reg/ATT-TemplateS-ws", "AT&T", "2008", "REG", "faithful", "ATT-FB-sf with the realiser ATT-TemplateS"),
    ("tuna2008-reg/ATT-Dependency-ws", "AT&T", "2008", "REG", "reconstructed", "ATT-FB-sf with the realiser ATT-Dependency"),
    ("tuna2008-reg/ATT-PermuteRank-drws", "AT&T", "2008", "REG", "faithful", "ATT-DR-sf with the realiser ATT-PermuteRank"),
    ("tuna2008-reg/ATT-Template-drws", "AT&T", "2008", "REG", "faithful", "ATT-DR-sf with the realiser ATT-Template"),
    ("tuna2008-reg/ATT-TemplateS-drws", "AT&T", "2008", "REG", "faithful", "ATT-DR-sf with the realiser ATT-TemplateS"),
    ("tuna2008-reg/ATT-Dependency-drws", "AT&T", "2008", "REG", "reconstructed", "ATT-DR-sf with the realiser ATT-Dependency"),
    ("tuna2008-reg/DIT-FBI-CBSR", "Dublin", "2008", "REG", "faithful", "DIT-FBI with the realiser DIT-CBSR"),
    ("tuna2008-reg/DIT-TVAS-RBR", "Dublin", "2008", "REG", "reconstructed", "DIT-TVAS with the realiser DIT-RBR"),
    ("tuna2008-reg/GRAPH-4+B", "Twente, Tilburg and Macquarie", "2008", "REG", "low confidence", "GRAPH-4+B with the realiser organisers"),
    ("tuna2008-reg/IS-FP-GT", "Stuttgart", "2008", "REG", "reconstructed", "IS-FP from the speaker's own sets, with the realiser IS-GT"),
    ("tuna2008-reg/NIL-UCM-FVBS", "Madrid", "2008", "REG", "reconstructed", "NIL-UCM-MFVF with the realiser NIL-UCM-BSC"),
    ("tuna2008-reg/OSU-GP", "Ohio State", "2008", "REG", "low confidence", "OSU-GP with the realiser organisers"),
    ("tunareg2009/GRAPH", "Twente, Tilburg and Macquarie", "2009", "REG", "faithful", "GRAPH-4+B with the majority template of the attribute combination"),
    ("tunareg2009/IS-FP-GT", "Stuttgart", "2009", "REG", "reconstructed", "IS-FP from the speaker's own sets, with the realiser IS-GT"),
    ("tunareg2009/NIL-UCM-EvoTAP", "Madrid", "2009", "REG", "reconstructed", "an evolved set, worded with fixed choices"),
    ("tunareg2009/NIL-UCM-ValuesCBR", "Madrid", "2009", "REG", "reconstructed", "NIL-UCM-MFVF, worded after the nearest case"),
    ("tunareg2009/NIL-UCM-EvoCBR", "Madrid", "2009", "REG", "reconstructed", "an evolved set, worded after the nearest case"),
    ("tunareg2009/USP-EACH", "São Paulo", "2009", "REG", "low confidence", "USP-EACH-FREQ per condition, with the organisers' converter"),
)
# fmt: on


def _system(name: str, team: str, year: str, task: str, evidence: str, about: str) -> Entry:
    """A row of a table of systems: ``group/entry`` is what ``system("entry")`` of the group's module builds."""
    group, _, entry = name.partition("/")
    tags = {"team": team, "year": year, "task": task, "evidence": evidence}
    return Entry(f"referee.systems.{_SYSTEM_MODULES[group]}:system", {"name": entry}, about, tags)


SYSTEMS: dict[str, Entry] = {
    **{row[0]: _system(*row) for row in _SYSTEM_ROWS},
    # language models
    "llm/openai-compatible": Entry(
        "referee.systems.language_model:LanguageModel",
        {},
        "any chat model behind an OpenAI-compatible endpoint (model:NAME, endpoint:URL; key from OPENAI_API_KEY)",
        {"team": "–", "year": "–", "task": "REG", "evidence": "–"},
    ),
}
HEARERS: dict[str, Entry] = {
    "literal": Entry(
        "referee.hearers.literal:Literal", {}, "what the whole description is true of, no more and no less"
    ),
    "noisy": Entry(
        "referee.hearers.noisy:Noisy",
        {},
        "literal, with imperfect sight, graded sizes and places, and guesses by salience",
    ),
    "rsa": Entry(
        "referee.hearers.rational_listener:Rational",
        {},
        "asks what a sensible speaker would have said (alpha, cost, longest, depth)",
    ),
    "retrieval": Entry(
        "referee.hearers.retrieval:Retrieval",
        {},
        "reads the words: votes of the most similar known descriptions (learns)",
    ),
    "learned": Entry(
        "referee.hearers.learned:Learned", {}, "reads the words: log-linear over words and attribute values (learns)"
    ),
    "colour": Entry(
        "referee.hearers.colour:Colour",
        {},
        "reads words about patches with h, s and l: shapes in colour space (learns)",
    ),
    "timed": Entry(
        "referee.hearers.times:Timed", {}, "the learned listener with times by length, doubt and surplus (learns)"
    ),
    "position": Entry(
        "referee.hearers.baselines:Position", {}, "always the same place of the shuffled scene: the chance level"
    ),
    "majority": Entry(
        "referee.hearers.baselines:Majority", {}, "the entity that looks most like a target, whatever is said"
    ),
    "remote": Entry(
        "referee.hearers.remote:Remote",
        {},
        "any chat model behind an OpenAI-compatible endpoint (model:NAME, endpoint:URL; key from OPENAI_API_KEY)",
    ),
}

PROTOCOLS: dict[str, Entry] = {
    "asgre2007": Entry(
        "referee.studies.protocols.asgre2007:Asgre2007",
        {},
        "description and scene on one screen, click: combined time and error",
    ),
    "tuna2008": Entry(
        "referee.studies.protocols.tuna2008:Tuna2008",
        {},
        "read the description, call up the scene, click: reading time, identification time and error",
    ),
    "self-paced-reading": Entry(
        "referee.studies.protocols.self_paced_reading:SelfPacedReading",
        {},
        "as tuna2008, but the description is read word by word, each word timed",
    ),
    "open-choice": Entry(
        "referee.studies.protocols.open_choice:OpenChoice",
        {},
        "click, or say that several or none fit or that you cannot tell, with a best guess",
    ),
    "production": Entry(
        "referee.studies.protocols.production:Production", {}, "describe the marked object: collects a corpus"
    ),
    "judgement": Entry(
        "referee.studies.protocols.judgement:Judgement",
        {},
        "how good is this description of the marked object? scales or sliders",
    ),
    "judgement-pairwise": Entry(
        "referee.studies.protocols.judgement_pairwise:JudgementPairwise",
        {},
        "which of two descriptions of the marked object is better?",
    ),
    "replay-identify": Entry(
        "referee.studies.protocols.replay_identify:ReplayIdentify",
        {},
        "watch a clip of a dialogue, read the next utterance, say which piece is meant: task performance",
    ),
    "tangram": Entry(
        "referee.studies.protocols.tangram:Tangram",
        {},
        "two people lay a figure together: the game of Spanger et al. 2013",
    ),
}

KINDS: dict[str, dict[str, Entry]] = {
    "metric": METRICS,
    "corpus": CORPORA,
    "system": SYSTEMS,
    "hearer": HEARERS,
    "protocol": PROTOCOLS,
}
GROUPS = {
    "protocol": "referee.protocols",
    "metric": "referee.metrics",
    "corpus": "referee.corpora",
    "system": "referee.systems",
    "hearer": "referee.hearers",
}


_SEEN: dict[tuple[str, ...], bytes] = {}


def _mentions() -> bytes:
    """Entry points of installed packages that mention Referee: reading these small files is ten times quicker than parsing them all."""
    mentions = b""
    for folder in dict.fromkeys(sys.path):
        try:
            found = [
                entry.path for entry in os.scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))
            ]
        except OSError:
            continue  # sys.path may name zip files and folders that do not exist
        for path in found:
            try:
                with open(f"{path}/entry_points.txt", "rb") as file:  # noqa: PTH123 (pathlib costs a third of the start-up time)
                    text = file.read()
            except OSError:
                continue  # most packages have no entry points
            mentions += text if b"[referee." in text else b""
    return mentions


def _third_party(kind: str) -> dict[str, Entry]:
    """Names that installed packages add; a shipped name cannot be taken over."""
    path = tuple(sys.path)
    if path not in _SEEN:
        _SEEN[path] = _mentions()
    if f"[{GROUPS[kind]}]".encode() not in _SEEN[path]:
        return {}
    from importlib.metadata import entry_points

    found = entry_points(group=GROUPS[kind])
    return {p.name: Entry(p.value, {}, f"from {p.dist.name if p.dist else 'elsewhere'}") for p in found}


def entries(kind: str) -> dict[str, Entry]:
    """All entries of a kind, shipped ones first."""
    return {**_third_party(kind), **KINDS[kind]}


def names(kind: str) -> list[str]:
    """All names of a kind."""
    return list(entries(kind))


def entry(kind: str, name: str) -> Entry:
    """One entry; `UnknownName` with suggestions when there is none."""
    found = KINDS[kind].get(name) or entries(kind).get(name)
    if found is None:
        raise UnknownName(kind, name, names(kind))
    return found


def load(kind: str, name: str) -> Any:
    """The class or function behind a name."""
    module, _, attribute = entry(kind, name).where.partition(":")
    return getattr(import_module(module), attribute)


def create(kind: str, name: str, **parameters: Any) -> Any:
    """A new object by name, with the parameters of its entry and any given on top."""
    return load(kind, name)(**{**entry(kind, name).parameters, **parameters})


_NOT_SWITCHES = ("version", "against", "interval", "seed")


def configure(kind: str, written: str) -> Any:
    """A new object from a name with switches as a signature writes them: ``string/bleu.4|brevity:shortest|case:keep``."""
    from inspect import signature

    name, *switches = written.split("|")
    known = {
        **{p.name: p.default for p in signature(load(kind, name)).parameters.values()},
        **entry(kind, name).parameters,
    }
    given: dict[str, Any] = {}
    for switch in switches:
        key, _, value = switch.partition(":")
        if key in known:
            given[key] = _typed(value, known[key], switch)
        elif key not in _NOT_SWITCHES:
            raise UnknownName("switch", key, known, hint=f"{name} has {', '.join(known) or 'no switches'}")
    return create(kind, name, **given)


def _typed(value: str, default: Any, switch: str) -> Any:
    """The value of a switch, of the kind its default has."""
    if isinstance(default, bool):
        return value in ("yes", "true", "1")
    if isinstance(default, (int, float)):
        try:
            number = float(value)
        except ValueError:
            raise InputError(
                f"the switch {switch!r} takes a number", remedy=f"for example {switch.partition(':')[0]}:{default}"
            ) from None
        return int(number) if number.is_integer() and isinstance(default, int) else number
    return None if value == "none" else value
