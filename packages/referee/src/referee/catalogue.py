"""The table of names: metrics, corpora, systems, hearers and protocols, imported when used.

Each line is ``name: (where, constructor parameters, one sentence)``. Third parties add names through the entry-point
groups ``referee.metrics``, ``referee.corpora``, ``referee.systems``, ``referee.hearers`` and ``referee.protocols``;
a snapshot test guards the names shipped here.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from referee.errors import BrokenPlugin, InputError, RefereeError, UnknownName, check_choice
from referee.systems import roster

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from importlib.abc import Loader
    from importlib.machinery import ModuleSpec
    from pathlib import Path
    from types import ModuleType
__all__ = [
    "KINDS",
    "Entry",
    "build",
    "check_choice",
    "configure",
    "create",
    "describe_entry",
    "drop_pace_options",
    "entries",
    "entry",
    "is_shipped",
    "load",
    "names",
]


class Entry:
    """Where a named object is defined, its parameters, its description, and tags such as its evidence."""

    # A plain class and no dataclass, whose import would cost every command at its start.
    __slots__ = ("about", "parameters", "tags", "where")

    def __init__(
        self,
        where: str,
        parameters: Mapping[str, Any] | None = None,
        about: str = "",
        tags: Mapping[str, Any] | None = None,
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
    "set/dice.parts": Entry(
        "referee.metrics.sets:PartsDice", {}, "Dice of descriptions in parts, by the best assignment"
    ),
    "set/edit": Entry(
        "referee.metrics.sets:SetEdit", {}, "1 - set edit cost / reference size; addition and omission cost the same"
    ),
    "set/edit.tree": Entry("referee.metrics.sets:TreeEdit", {}, "edit distance of trees of parts and properties"),
    # the scene
    "scene/unique": Entry("referee.metrics.discrimination:Unique", {}, "true of the target and of no other entity"),
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
        "referee.metrics.discrimination:Surplus", {}, "properties that can be removed without admitting a distractor"
    ),
    "scene/deficit": Entry(
        "referee.metrics.discrimination:Deficit", {}, "fewest properties to add until the target is distinguished"
    ),
    "scene/dice.specificity": Entry(
        "referee.metrics.discrimination:SpecificityDice",
        {},
        "Dice minus a penalty for differing from the human specificity",
    ),
    # meaning
    "meaning/denotation": Entry(
        "referee.metrics.semantics:Denotation", {}, "Dice of the denotations of each attribute's values"
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
    "string/seb.moves": Entry(
        "referee.metrics.strings:Seb", {"moves": True}, "the same, but a moved word counts as one error"
    ),
    "string/bleu.1": Entry("referee.metrics.bleu:Bleu", {"order": 1}, "BLEU with unigrams"),
    "string/bleu.2": Entry("referee.metrics.bleu:Bleu", {"order": 2}, "BLEU up to bigrams"),
    "string/bleu.3": Entry("referee.metrics.bleu:Bleu", {"order": 3}, "BLEU up to trigrams"),
    "string/bleu.4": Entry("referee.metrics.bleu:Bleu", {"order": 4}, "BLEU up to 4-grams"),
    "string/nist": Entry("referee.metrics.nist:Nist", {}, "NIST-5 as in mteval"),
    "string/rouge-2": Entry("referee.metrics.rouge:Rouge2", {}, "bigram overlap F"),
    "string/rouge-su4": Entry("referee.metrics.rouge:RougeSU4", {}, "skip-bigrams (gap 4) and unigrams"),
    "string/rouge-l": Entry(
        "referee.metrics.rouge_l:RougeL", {}, "F of the longest common subsequence, as caption scorers compute it"
    ),
    "string/meteor": Entry("referee.metrics.meteor:Meteor", {}, "METEOR 1.5 by words and stems (extra: meteor)"),
    "string/meteor.exact": Entry("referee.metrics.meteor:Meteor", {"match": "exact"}, "METEOR 1.5 by words alone"),
    "string/cider": Entry("referee.metrics.cider:Cider", {}, "cosine of n-grams weighted by rarity"),
    "string/cider-d": Entry(
        "referee.metrics.cider:CiderD", {}, "CIDEr as pycocoevalcap prints it: clipped, with a penalty for length"
    ),
    "string/chrf": Entry("referee.metrics.chrf:Chrf", {}, "character n-gram F-score"),
    # vectors, and scores from elsewhere
    "embedding/cosine": Entry(
        "referee.metrics.embeddings:EmbeddingCosine", {}, "cosine of sentence vectors (extra: embeddings)"
    ),
    "embedding/bertscore": Entry(
        "referee.metrics.embeddings:BertScore", {}, "best cosines of tokens (extra: embeddings)"
    ),
    "imported/score": Entry(
        "referee.metrics.imported:ImportedScore", {}, "scores of another program, from a file (SPICE, CLIPScore)"
    ),
    # distributions
    "distribution/js": Entry(
        "referee.metrics.distributions:JensenShannon", {}, "Jensen-Shannon divergence from the human distribution"
    ),
    "distribution/coverage": Entry(
        "referee.metrics.distributions:Coverage", {}, "share of human descriptions whose set the system also gives"
    ),
    "distribution/dice": Entry(
        "referee.metrics.distributions:ExpectedDice", {}, "expected Dice under the system's own probabilities"
    ),
    "distribution/exact": Entry(
        "referee.metrics.distributions:ExpectedExact", {}, "probability of exactly a reference's description"
    ),
    "distribution/over": Entry("referee.metrics.distributions:Over", {}, "rate of over-specified descriptions"),
    "distribution/under": Entry("referee.metrics.distributions:Under", {}, "rate of under-specified descriptions"),
    # places in pictures
    "ground/iou": Entry("referee.metrics.grounding:Iou", {}, "intersection over union with the target region"),
    "ground/iou.cumulative": Entry(
        "referee.metrics.grounding:CumulativeIou", {}, "summed intersections over summed unions (cIoU)"
    ),
    "ground/accuracy": Entry(
        "referee.metrics.grounding:BoxAccuracy", {}, "share of boxes with IoU >= .5 (iou:.7 for another threshold)"
    ),
    "ground/accuracy.mean": Entry(
        "referee.metrics.grounding:MeanAccuracy", {}, "mean accuracy over the thresholds .50, .55 … .95"
    ),
    "ground/point": Entry(
        "referee.metrics.grounding:PointInside", {}, "the point, or the middle of the box, is in the target region"
    ),
    "ground/found": Entry(
        "referee.metrics.grounding:EntityFound", {}, "the entity at the answer's place is the target"
    ),
    "ground/distance": Entry(
        "referee.metrics.grounding:Distance", {}, "distance to the target region, as a share of the picture's diagonal"
    ),
    "ground/none": Entry(
        "referee.metrics.grounding:NoTarget", {}, "there is no target, and the answer is none (N-acc of gRefCOCO)"
    ),
    "ground/none.target": Entry(
        "referee.metrics.grounding:NoTarget", {"target": True}, "there is a target, and the answer is not none (T-acc)"
    ),
}

CORPORA: dict[str, Entry] = {
    "synthetic": Entry(
        "referee.corpora.synthetic.corpus:Synthetic", {}, "generated scenes and speakers in the TUNA design (shipped)"
    ),
    "plurals": Entry(
        "referee.corpora.synthetic.plurals:Plurals", {}, "generated scenes with two or three targets (shipped)"
    ),
    "solids": Entry(
        "referee.corpora.synthetic.solids:Solids",
        {},
        "rendered pictures of solids with exact regions (shipped as a generator)",
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
    "franke2024": Entry("referee.corpora.franke2024:Franke2024", {}, "reference games in text, 968 choices"),
    "mayn-refgames": Entry(
        "referee.corpora.mayn:MaynRefgames", {}, "closed reference games in six experiments, 16,000 choices"
    ),
    "pragma": Entry("referee.corpora.pragma:Pragma", {}, "captions of systems for one of two pictures, with listeners"),
    "coop-nets": Entry("referee.corpora.coop_nets:CoopNets", {}, "12,561 rounds of colors with answers of networks"),
    "conventions-network": Entry(
        "referee.corpora.conventions:ConventionsNetwork", {}, "tangrams in networks of four, 2,208 trials"
    ),
    "cabb-dutch": Entry("referee.corpora.cabb:CabbDutch", {}, "fribbles named in spoken Dutch, 1,824 trials"),
    "tangrams-hawkins": Entry(
        "referee.corpora.tangrams:HawkinsTangrams", {}, "twelve tangrams named six times, 5,976 rounds"
    ),
    "tg-matcher": Entry(
        "referee.corpora.tangrams:NaiveMatchers", {}, "naive readers guess tangrams, 3,383 texts, 11,344 guesses"
    ),
    "kth-tangrams": Entry("referee.corpora.kth:KthTangrams", {}, "34 situated games with board events and speech"),
    "pento-cv": Entry("referee.corpora.pento_cv:PentoCv", {}, "German dialogues over pentominoes, speech and hands"),
    "pento-take": Entry("referee.corpora.pento:PentoTake", {}, "pentomino pieces in German speech, 1,035 episodes"),
    "color-grids": Entry(
        "referee.corpora.color_grids:ColorGrids", {}, "three grids of nine colours, 8,814 rounds with listeners"
    ),
    "colors-mandarin": Entry(
        "referee.corpora.colors_mandarin:ColorsMandarin", {}, "Colors in Context in Mandarin, 4,311 rounds"
    ),
    "multiparty-tangrams": Entry(
        "referee.corpora.multiparty:MultipartyTangrams", {}, "tangrams in groups of two to six, 36,956 answers"
    ),
    "tangrams-ref": Entry(
        "referee.corpora.tangrams_ref:TangramsRef",
        {},
        "KiloGram tangrams in pairs, 8,609 rounds; contexts in the pilots only",
    ),
    "vlm-tangram": Entry(
        "referee.corpora.vlm_tangram:VlmTangram", {}, "the 7,440 guesses of tg-matcher, with pictures"
    ),
    "continual-adaptation": Entry(
        "referee.corpora.photographs:ContinualAdaptation",
        {},
        "photographs named by people and by a model, 5,373 rounds",
    ),
    "rec-eval": Entry(
        "referee.corpora.rec_eval:RecEval",
        {},
        "boxes and points of models for 9,968 expressions of RefCOCO and PersReFex",
    ),
    "osworld-g": Entry(
        "referee.corpora.screens:OsWorldG",
        {},
        "instructions on 251 screens, 564 targets with two wordings, 54 of them not there",
    ),
    "screenspot": Entry("referee.corpora.screens:ScreenSpot", {}, "instructions on screens, in ScreenSpot's format"),
    "uibert-refexp": Entry("referee.corpora.uibert:UiBert", {}, "elements of mobile screens, 1,125 expressions"),
    "talk2car": Entry("referee.corpora.talk2car:Talk2Car", {}, "commands to a car, 3,610 boxes in street pictures"),
    "clembench-refgame": Entry(
        "referee.corpora.clembench:Clembench", {}, "390 games of three pictures, and letter grids in 11 languages"
    ),
    "refcoco": Entry("referee.corpora.refcoco:RefCoco", {}, "RefCOCO in its usual files: refs(unc).p, JSON or Parquet"),
    "refcoco+": Entry("referee.corpora.refcoco:RefCoco", {"name": "refcoco+"}, "RefCOCO+ in its usual files"),
    "refcocog": Entry("referee.corpora.refcoco:RefCoco", {"name": "refcocog"}, "RefCOCOg in its usual files"),
    "grefcoco": Entry(
        "referee.corpora.refcoco:GRefCoco", {}, "gRefCOCO in its usual files: one target, several or none"
    ),
    "refoi": Entry("referee.corpora.refoi:RefOi", {}, "RefOI in its published Parquet form"),
    "jsonl": Entry("referee.corpora.jsonl:JsonlCorpus", {}, "any corpus in Referee's JSONL format"),
}

SYSTEMS: dict[str, Entry] = {
    **{
        f"{group}/{name}": Entry(where, {"name": name}, row.about, row.tags)
        for group, name, where, row in roster.iterate_rows()
    },
    "neural/transformer": Entry(
        "referee.systems.sequence_model:SequenceModel",
        {},
        "a small transformer from properties to a description (epochs:20, width:64; needs referee[neural])",
        {"team": "–", "year": "2026", "task": "REG", "evidence": "ours", "fitted": [], "mended": False, "learns": True},
    ),
    # colour patches
    "colour/rational": Entry(
        "referee.hearers.colour_speaker:ColourSpeaker",
        {},
        "colour patches: the frequent text that best identifies the target for a neural listener (learns)",
        {
            "team": "Monroe et al.",
            "year": "2017",
            "task": "REG",
            "evidence": "reconstructed",
            "fitted": [],
            "mended": False,
        },
    ),
    # language models
    "llm/looking": Entry(
        "referee.systems.vision_model:VisionSpeaker",
        {},
        "a model that sees, shown the picture with the target marked (model:NAME, endpoint:URL, pictures:FOLDER, mark:box)",
        {"team": "–", "year": "–", "task": "REG", "evidence": "–"},
    ),
    "llm/openai-compatible": Entry(
        "referee.systems.language_model:LanguageModel",
        {},
        "any chat model behind an OpenAI-compatible endpoint (model:NAME, endpoint:URL; key from OPENAI_API_KEY)",
        {"team": "–", "year": "–", "task": "REG", "evidence": "–", "fitted": [], "mended": False},
    ),
}
HEARERS: dict[str, Entry] = {
    "literal": Entry("referee.hearers.literal:Literal", {}, "the entities that satisfy the whole description"),
    "noisy": Entry(
        "referee.hearers.noisy:Noisy",
        {},
        "literal, with imperfect sight, graded sizes and places, and guesses by salience",
    ),
    "rsa": Entry(
        "referee.hearers.rational_listener:Rational",
        {},
        "reasons about a rational speaker (alpha, cost, longest, depth)",
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
    "colour.network": Entry(
        "referee.hearers.colour_network:ColourNetwork",
        {},
        "reads words about patches with h, s and l: small neural networks that vote (learns)",
    ),
    "timed": Entry(
        "referee.hearers.times:Timed", {}, "the learned listener with times by length, doubt and surplus (learns)"
    ),
    "position": Entry(
        "referee.hearers.baselines:Position",
        {},
        "always chooses the same position of the shuffled scene: the chance level",
    ),
    "majority": Entry(
        "referee.hearers.baselines:Majority",
        {},
        "chooses the entity that looks most like a target, for any description",
    ),
    "remote": Entry(
        "referee.hearers.remote:Remote",
        {},
        "any chat model behind an OpenAI-compatible endpoint (model:NAME, endpoint:URL; key from OPENAI_API_KEY)",
    ),
    "sight/centre": Entry(
        "referee.hearers.onlookers:Centre",
        {},
        "points at the middle of the picture, for any description (box:yes for a box)",
    ),
    "sight/largest": Entry(
        "referee.hearers.onlookers:Largest", {}, "chooses the largest of the marked regions, for any description"
    ),
    "sight/ocr": Entry(
        "referee.hearers.onlookers:ScreenReader",
        {},
        "points at words on the screen that also occur in the instruction (extra ocr)",
    ),
    "sight/model": Entry(
        "referee.hearers.vision_model:VisionModel",
        {},
        "a model that sees, asked for a box, a point or a mark (model:NAME, endpoint:URL, pictures:FOLDER, form:NAME)",
    ),
    "sight/detector": Entry(
        "referee.hearers.onlookers:Detector", {}, "any detector as MODULE:FUNCTION: the box with the highest score"
    ),
}

KINDS: dict[str, dict[str, Entry]] = {
    "metric": METRICS,
    "corpus": CORPORA,
    "system": SYSTEMS,
    "hearer": HEARERS,
    "protocol": {},  # they come with the package referee-lab
}
GROUPS = {
    "protocol": "referee.protocols",
    "metric": "referee.metrics",
    "corpus": "referee.corpora",
    "system": "referee.systems",
    "hearer": "referee.hearers",
}


# The package of this project that brings protocols.
LAB = "referee_lab."


# The results of the next two functions are cached by search path: one that is extended later (a notebook, a test) is looked through again.
@cache
def _find_entry_points(path: tuple[str, ...]) -> bytes:
    """Return the entry points of installed packages that mention Referee, as bytes.

    Reading these small files is ten times faster than parsing them all.
    """
    mentions = b""
    # The same folder may stand in the path twice.
    for folder in dict.fromkeys(path):
        try:
            folders = [
                entry.path for entry in os.scandir(folder or ".") if entry.name.endswith((".dist-info", ".egg-info"))
            ]
        except OSError:
            continue  # a search path may name zip files and folders that do not exist
        for path_of_package in folders:
            try:
                with open(f"{path_of_package}/entry_points.txt", "rb") as file:  # noqa: PTH123 (pathlib costs a third of the start-up time)
                    text = file.read()
            except OSError:
                continue  # most packages have no entry points
            mentions += text if b"[referee." in text else b""
    return mentions


@cache
def _list_third_party_names(kind: str, path: tuple[str, ...]) -> dict[str, Entry]:
    """Return the names that installed packages add; shipped names cannot be replaced."""
    if f"[{GROUPS[kind]}]".encode() not in _find_entry_points(path):
        return {}
    # Imported and parsed only where a package has names of this kind at all, which is rare.
    from importlib.metadata import entry_points

    # Of two packages with one name Referee's own stays, so it comes last.
    points = sorted(entry_points(group=GROUPS[kind]), key=lambda p: p.value.startswith(LAB))
    return {p.name: Entry(p.value, {}, f"from {p.dist.name if p.dist else 'elsewhere'}") for p in points}


def entries(kind: str) -> dict[str, Entry]:
    """Return all entries of a kind, shipped ones first."""
    # Of two with one name the later one stays: a package cannot pass itself off as a shipped metric.
    return {**_list_third_party_names(kind, tuple(sys.path)), **KINDS[kind]}


def names(kind: str) -> list[str]:
    """Return all names of a kind."""
    return list(entries(kind))


def entry(kind: str, name: str) -> Entry:
    """Return one entry, of a system also for FILE.py:CLASS and MODULE:CLASS; raise `UnknownName` if there is none."""
    # A shipped name is found without looking through the installed packages.
    match = KINDS[kind].get(name) or entries(kind).get(name)
    if match is None and kind == "system" and ":" in name:
        return Entry(name, about="a class of your own")
    if match is None:
        raise UnknownName(kind, name, names(kind))
    return match


def describe_entry(kind: str, name: str) -> str:
    """Return the one-line description of a name: for a plug-in, the first line of its docstring.

    A plug-in that cannot be imported is described by the package that adds it and the error.
    """
    described = entry(kind, name)
    if name in KINDS[kind]:
        return described.about
    try:
        docstring = (load(kind, name).__doc__ or "").strip()
    except RefereeError as error:
        return str(error).partition("\n")[0]
    return docstring.partition("\n")[0].rstrip(".") or described.about


def load(kind: str, name: str) -> Any:
    """Import and return the class or function behind a name."""
    loaded = entry(kind, name)
    if loaded.where == name:
        return import_class(name)
    module, _, attribute = loaded.where.partition(":")
    with _naming(kind, name, loaded):
        return getattr(import_module(module), attribute)


def import_class(name: str) -> Any:
    """Return a class from FILE.py:CLASS or MODULE:CLASS. Raises UnknownName for an unknown class."""
    from inspect import isclass
    from pathlib import Path

    place, _, cls = name.rpartition(":")
    module = _import_file(Path(place)) if place.endswith(".py") else _import_module_by_path(place)
    named = getattr(module, cls, None)
    if not isclass(named):
        classes = [n for n, x in vars(module).items() if isclass(x) and x.__module__ == module.__name__]
        raise UnknownName("class", cls, classes, hint=f"{place} has {', '.join(classes) or 'no classes'}")
    return named


_files_being_imported: set[Path] = set()


def _import_file(path: Path) -> ModuleType:
    """Return a module from a Python file, imported again only after a change. Raises InputError if there is none."""
    if not path.is_file():
        raise InputError("there is no such file", where=path, remedy="name a class as FILE.py:CLASS")
    if _is_running_script(path):
        return sys.modules["__main__"]
    if path in _files_being_imported:
        remedy = 'put the call under `if __name__ == "__main__":`'
        raise InputError(
            "this script starts a job with a class that is defined in it, and is imported by that job",
            where=path,
            remedy=remedy,
        )
    _files_being_imported.add(path)
    try:
        return _execute_file(path, path.stat().st_mtime_ns)
    except RefereeError:
        raise
    except Exception as error:
        raise InputError(f"it cannot be imported ({type(error).__name__}: {error})", where=path) from error
    finally:
        _files_being_imported.remove(path)


@cache
def _execute_file(path: Path, changed: int) -> ModuleType:
    """Return a new module from a Python file as it was last `changed`."""
    import importlib.util

    name = f"referee_own_{path.stem}"
    spec = cast("ModuleSpec", importlib.util.spec_from_file_location(name, path))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their own module up
    cast("Loader", spec.loader).exec_module(module)
    return module


def _is_running_script(path: Path) -> bool:
    """Return whether a file is the script of this process, which must not run a second time."""
    script = getattr(sys.modules["__main__"], "__file__", None)
    return script is not None and os.path.realpath(script) == os.path.realpath(path)


def _import_module_by_path(name: str) -> ModuleType:
    """Return a module from the import path or the working directory."""
    from importlib.util import find_spec
    from pathlib import Path

    here = str(Path.cwd())
    added = here not in sys.path
    if added:
        sys.path.insert(0, here)
    try:
        spec = find_spec(name) if name not in sys.modules else None
        if spec is not None and spec.origin is not None and _is_running_script(Path(spec.origin)):
            return sys.modules["__main__"]
        return import_module(name)
    except ImportError as error:
        remedy = "name MODULE:CLASS with a module that Python finds from here, or FILE.py:CLASS"
        raise InputError(f"the module {name!r} cannot be imported ({error})", remedy=remedy) from error
    finally:
        if added:
            sys.path.remove(here)


class _naming:
    """Converts any exception of a plug-in inside the block to `BrokenPlugin`, with the name of its package."""

    # A plain class and no generator: contextlib would cost every command at its start.
    def __init__(self, kind: str, name: str, registered: Entry) -> None:
        self.kind, self.name, self.registered = kind, name, registered

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, where: object) -> None:
        if (
            isinstance(error, Exception)
            and not isinstance(error, RefereeError)
            and not is_shipped(self.kind, self.name)
        ):
            raise BrokenPlugin(self.kind, self.name, self.registered.about, error) from error


def is_shipped(kind: str, name: str) -> bool:
    """Return whether a name (switches may follow it) is part of Referee, not of a plug-in.

    >>> is_shipped("metric", "set/dice|multiset:yes"), is_shipped("metric", "my/metric")
    (True, False)
    """
    bare = name.partition("|")[0]
    return bare in KINDS[kind] or (bare in (table := entries(kind)) and table[bare].where.startswith(LAB))


def create(kind: str, name: str, **parameters: Any) -> Any:
    """Return a new object by name, with the parameters of its entry and further ones.

    Args:
        kind: metric, corpus, system, hearer or protocol.
        name: as `referee list` shows it.
        **parameters: of its constructor.

    Returns:
        A new object, independent of others with the same name.

    Raises:
        UnknownName: for an unknown name, with the nearest ones.

    >>> create("metric", "string/bleu.4", case="keep").case
    'keep'
    """
    make, base = load(kind, name), entry(kind, name)
    with _naming(kind, name, base):
        return make(**{**base.parameters, **parameters})


# The parts of a signature beside options; a signature can be used as a name.
_NOT_SWITCHES = frozenset(
    [
        "answers",
        "corpus",
        "reading",
        "part",
        "trials",
        "against",
        "baseline",
        "group",
        "humans",
        "lenient",
        "meant",
        "outputs",
        "cluster",
        "labels",
        "interval",
        "swaps",
        "seed",
        "package",
        "version",
    ]
)
_WORDS = {"yes": True, "true": True, "no": False, "false": False, "none": None}


def configure(kind: str, written: str, seed: int | None = None) -> Any:
    """Return a new object from a name with options: ``string/bleu.4|brevity:shortest|case:keep``.

    Random objects use `seed`, unless their entry or an option overrides it.
    """
    name, *switches = written.split("|")
    make, base = load(kind, name), entry(kind, name)
    with _naming(kind, name, base):
        return build(make, name, switches, base.parameters, seed)


def drop_pace_options(kind: str, written: str) -> str:
    """Return a name without the switches that affect only speed or cost (`unsigned`)."""
    name, *switches = written.split("|")
    if not switches or name not in entries(kind):
        return written
    aside: frozenset[str] = getattr(load(kind, name), "unsigned", frozenset())
    return "|".join([name, *(s for s in switches if s.partition(":")[0] not in aside)])


def build(
    make: Callable[..., Any],
    name: str,
    switches: Sequence[str] = (),
    settings: Mapping[str, Any] | None = None,
    seed: int | None = None,
) -> Any:
    """Return the object that `make` builds from settings, switches (``key:value``) and the seed."""
    from inspect import signature

    fixed = settings or {}
    accepted = {p.name: p for p in signature(make).parameters.values() if p.kind is not p.VAR_KEYWORD}
    # A function that builds objects by name may have options that depend on the name.
    special = make.switches(**fixed) if hasattr(make, "switches") else {}
    defaults = {**{p.name: p.default for p in accepted.values()}, **special, **fixed}
    chosen: dict[str, Any] = {}
    for switch in switches:
        key, _, value = switch.partition(":")
        if key in defaults:
            optional = value == "none" and key in accepted and "None" in str(accepted[key].annotation)
            chosen[key] = None if optional else _convert_option(value, defaults[key], switch)
        elif key not in _NOT_SWITCHES:
            raise UnknownName("switch", key, defaults, hint=f"{name} has {', '.join(defaults) or 'no switches'}")
    # An entry that fixes its seed is a published configuration, which a run must not change.
    if seed is not None and "seed" in accepted and "seed" not in fixed:
        chosen.setdefault("seed", seed)
    return make(**{**fixed, **chosen})


def _convert_option(value: str, default: Any, switch: str) -> Any:
    """Return the value of an option with the type of its default, or the type that its text suggests."""
    # First, because a boolean is an integer as well.
    if isinstance(default, bool):
        return _parse_yes_or_no(value, switch)
    if isinstance(default, (int, float)):
        try:
            number = float(value)
        except ValueError:
            raise InputError(
                f"the switch {switch!r} takes a number", remedy=f"for example {switch.partition(':')[0]}:{default}"
            ) from None
        # The object must store its default's type, or the same value would have two signatures (2 and 2.0).
        return int(number) if number.is_integer() and isinstance(default, int) else number
    if isinstance(default, str):
        return None if value == "none" else value
    return _guess_value(value)


def _parse_yes_or_no(value: str, switch: str) -> bool:
    """Return a yes-no option. Raises InputError for another value."""
    answer = {**_WORDS, "1": True, "0": False}.get(value)
    if answer is None:
        raise InputError(f"the switch {switch!r} takes yes or no", remedy=f"{switch.partition(':')[0]}:yes or no")
    return answer


def _guess_value(text: str) -> Any:
    """Return a text as a boolean, number or string."""
    if text in _WORDS:
        return _WORDS[text]
    # Whole numbers first: "2" reads as a float, too.
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
