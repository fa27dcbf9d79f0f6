"""ELAN files (.eaf, format 3.0) with the eleven tiers of REX (Tokunaga et al. 2010).

Written from a dialogue and read back into one.

`OP-UT` and `SV-UT` hold utterances; `OP-REX` and `SV-REX` expressions, with children `-Ref` and `-Attr`; `Action` the
kind of action with the child `Target`; `Mouse` the piece under the cursor. Referents are piece numbers with commas; a
leading `?` marks alternatives. ELAN does not let annotations of one tier overlap: an expression inside another one goes
to a second tier (`SV-REX-2` and its children). Data without a tier (pieces, pair, language, whether a program proposed
the expressions) is stored in the properties of the header; proposed tiers also name the program as annotator. The kinds
of actions and the pieces are controlled vocabularies, recordings of sound or video are linked.

Files from other programs are read if they can be interpreted: overlaps, unknown types, swapped ends and slots without a
time are tolerated and listed in `meta["faults"]`. Tiers of other names are read by a map of names (`{"A-utts":
"SV-UT"}`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

from lxml import etree

from referee.errors import InputError
from referee.records import Event
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.tiers.dialogue import (
    ACTION,
    ATTRIBUTES,
    EXPRESSION,
    GAZE,
    MOUSE,
    OPERATOR,
    SOLVER,
    UNTOLD,
    UTTERANCE,
    Dialogue,
    add_utterance_indices,
    drop_empty_codes,
    list_named_pieces,
)
from referee_lab.tangram.tiers.eaf import NO_DATE, find_eaf_faults, list_annotation_spans, parse_eaf
from referee_lab.tangram.tiers.rex_tiers import round_dialogue_times
from referee_lab.tangram.tiers.tier_proposals import make_tier_prefix, read_annotation_values

TIERS = (
    *("OP-UT", "SV-UT", "OP-REX", "OP-REX-Ref", "OP-REX-Attr", "SV-REX", "SV-REX-Ref", "SV-REX-Attr"),
    *("Action", "Target", "Mouse"),
)
PREFIX = {OPERATOR: "OP", SOLVER: "SV"}
ROLES = {prefix: role for role, prefix in PREFIX.items()}
ORDER = (UTTERANCE, EXPRESSION, ACTION, MOUSE, GAZE)
SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
MEDIA = {"wav": "audio/x-wav", "webm": "video/webm", "ogg": "audio/ogg", "mp4": "video/mp4", "mp3": "audio/mpeg"}
PROGRAM = "program (proposed)"
# As ELAN itself writes it.
ASSOCIATION = "1-1 association with a parent annotation"
# XML 1.0 has no place for control characters, not even escaped; a chat may hold them all the same.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_CHILD = re.compile(r"\b(?:Ref|Attr|Target|Words)\b")
# OP and SV are REX's; files of others may have more speakers, by their names.
_TIER = re.compile(r"(?:(\w+)-(UT|REX)|(Action)|(Mouse|Gaze))(?:-(\d+))?")
# Referents at the end of an expression: *the red mug [m1]*.
_MARK = re.compile(r"(.*\S)\s*[\[{]([^\[\]{}]+)[\]}]\s*", re.DOTALL)
_LANGUAGES = dict(
    pair.split("=")
    for pair in [
        "eng=en",
        "deu=de",
        "ger=de",
        "fra=fr",
        "fre=fr",
        "ita=it",
        "jpn=ja",
        "nld=nl",
        "spa=es",
        "por=pt",
        "zho=zh",
    ]
)


@dataclass(frozen=True, slots=True)
class _Lane:
    """A tier with events that do not overlap; `children` are the values of its child tiers."""

    name: str
    events: list[Event]
    children: tuple[str, ...]


def convert_to_eaf(dialogue: Dialogue, *, media: Mapping[str, float] | Iterable[str] = ()) -> bytes:
    """Return a dialogue as an ELAN file; the same dialogue gives the same bytes.

    `media` are files beside it, with their start times where known.
    """
    lanes = list(_split_into_lanes(round_dialogue_times(dialogue)))
    xsi = f"{{{INSTANCE}}}noNamespaceSchemaLocation"
    root = etree.Element("ANNOTATION_DOCUMENT", nsmap={"xsi": INSTANCE})
    root.attrib.update({"AUTHOR": "", "DATE": NO_DATE, "FORMAT": "3.0", "VERSION": "3.0"})
    root.set(xsi, SCHEMA)
    header = etree.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    begins = media if isinstance(media, Mapping) else {}
    for name in media:
        kind = MEDIA.get(name.rpartition(".")[2].lower(), "unknown")
        # ELAN's word for how far into the medium the tiers begin: it can only be skipped forward.
        origin = {"TIME_ORIGIN": str(round(-begins[name]))} if begins.get(name, 0.0) < 0 else {}
        etree.SubElement(
            header, "MEDIA_DESCRIPTOR", MEDIA_URL=f"./{name}", MIME_TYPE=kind, RELATIVE_MEDIA_URL=f"./{name}", **origin
        )
    # One slot a time, shared by all tiers, so that equal times stay equal.
    times = sorted({t for lane in lanes for event in lane.events for t in _round_times(event)})
    slots = {t: f"ts{i}" for i, t in enumerate(times, 1)}
    order = etree.SubElement(root, "TIME_ORDER")
    for t, slot in slots.items():
        etree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=slot, TIME_VALUE=str(t))
    # The header stands before the tiers and tells the last id used in them: it is filled afterwards.
    number = _write_tiers(root, lanes, slots, _find_annotator(dialogue))
    _add_header(header, dialogue, number)
    _add_types(root)
    _add_vocabularies(root, dialogue)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _split_into_lanes(dialogue: Dialogue) -> Iterator[_Lane]:
    """Return the eleven tiers, and further ones where events of one kind overlap."""
    for name, kind, by in _iterate_tier_layout(dialogue):
        tier_events = [e for e in dialogue.select_tier(kind) if by is None or e.by == by]
        below = {EXPRESSION: ("Ref", "Attr"), ACTION: ("Target",)}.get(kind, ())
        # An empty tier is written too: annotators find all eleven, and readers need not guess.
        for place, events in enumerate(_separate_overlapping(tier_events) or [[]], 1):
            yield _Lane(name if place == 1 else f"{name}-{place}", events, below)


def _iterate_tier_layout(dialogue: Dialogue) -> Iterator[tuple[str, str, str | None]]:
    """Yield the name, the kind and the speaker of every tier.

    Speakers that are neither solver nor operator have tiers of their names.
    """
    speakers = dict(PREFIX) | {
        e.by: make_tier_prefix(e.by) for e in dialogue.events if e.by and e.kind in ORDER[:2] and e.by not in PREFIX
    }
    yield from ((f"{prefix}-UT", UTTERANCE, by) for by, prefix in speakers.items())
    yield from ((f"{prefix}-REX", EXPRESSION, by) for by, prefix in speakers.items())
    yield from (("Action", ACTION, None), ("Mouse", MOUSE, None))
    yield from [("Gaze", GAZE, None)] if dialogue.select_tier(GAZE) else []


def _separate_overlapping(events: Iterable[Event]) -> list[list[Event]]:
    """Distribute events over as few lists as possible so that no two in a list overlap."""
    lists: list[list[Event]] = []
    for event in events:
        start, _ = _round_times(event)
        # In order of start, the first free list: that needs the fewest lists there can be.
        free = next((lane for lane in lists if _round_times(lane[-1])[1] <= start), None)
        if free is None:
            lists.append([event])
        else:
            free.append(event)
    return lists


def _round_times(event: Event) -> tuple[int, int]:
    """Return the times of an event in whole milliseconds. Raises InputError if it has none."""
    if event.start_ms is None or event.end_ms is None:
        raise InputError(f"an event of kind {event.kind} has no time", remedy="give start and end in milliseconds")
    return int(event.start_ms), int(event.end_ms)


def _find_annotator(dialogue: Dialogue) -> str:
    """Return the annotator of the expressions: a person's name, the program, or empty."""
    if any(e.data.get("proposed") for e in dialogue.select_tier(EXPRESSION)):
        return PROGRAM
    return str(dialogue.meta.get("annotator", ""))


def _write_tiers(root: Any, lanes: list[_Lane], slots: Mapping[int, str], annotator: str) -> int:
    """Write every lane and its children; return the number of annotations used."""
    number = 0
    for lane in lanes:
        kind = {"Action": "action", "Mouse": "piece", "Gaze": "piece"}.get(lane.name.partition("-")[0], "span")
        prefix, _, rest = lane.name.partition("-")
        role = ROLES.get(prefix) or next((e.by for e in lane.events if e.by), OPERATOR)
        about = {**({"ANNOTATOR": annotator} if annotator and rest.startswith("REX") else {}), "PARTICIPANT": role}
        tier = etree.SubElement(root, "TIER", **about, LINGUISTIC_TYPE_REF=kind, TIER_ID=lane.name)
        below = [(name, _add_child_tier(root, lane.name, name, about)) for name in lane.children]
        for event in lane.events:
            number += 1
            parent = f"a{number}"
            (start, end), annotation = _round_times(event), etree.SubElement(tier, "ANNOTATION")
            refs = {"TIME_SLOT_REF1": slots[start], "TIME_SLOT_REF2": slots[end]}
            aligned = etree.SubElement(annotation, "ALIGNABLE_ANNOTATION", ANNOTATION_ID=parent, **refs)
            etree.SubElement(aligned, "ANNOTATION_VALUE").text = _format_value(event)
            for name, child in below:
                number += 1
                refs = {"ANNOTATION_ID": f"a{number}", "ANNOTATION_REF": parent}
                bound = etree.SubElement(etree.SubElement(child, "ANNOTATION"), "REF_ANNOTATION", **refs)
                etree.SubElement(bound, "ANNOTATION_VALUE").text = _format_child_value(event, name)
    return number


def _add_child_tier(root: Any, parent: str, name: str, about: Mapping[str, str]) -> Any:
    """Add a child tier."""
    tier = parent.replace("Action", "Target") if name == "Target" else f"{parent}-{name}"
    kind = "target" if name == "Target" else "label"
    return etree.SubElement(root, "TIER", **about, LINGUISTIC_TYPE_REF=kind, PARENT_REF=parent, TIER_ID=tier)


def _format_value(event: Event) -> str:
    """Return the text of an annotation, with a replacement for characters that XML cannot contain."""
    objects = ",".join(event.entities)
    value = {ACTION: event.data.get("action", ""), MOUSE: objects, GAZE: objects}.get(event.kind, event.text or "")
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value)


def _format_child_value(event: Event, name: str) -> str:
    """Return the value of a child annotation: codes or referents."""
    if name == "Attr":
        return ",".join(event.data.get("attributes", ()))
    return ("?" if event.data.get("uncertain") else "") + ",".join(event.entities)


def _add_header(header: Any, dialogue: Dialogue, number: int) -> None:
    """Add the header with the properties that have no tier."""
    about = {"id": dialogue.id, "pair": dialogue.pair, "language": dialogue.language, "synthetic": dialogue.synthetic}
    about |= {"pieces": {piece: dict(kind) for piece, kind in dialogue.pieces.items()}}
    if not all("attributes" in e.data for e in dialogue.select_tier(EXPRESSION)):
        about["coded"] = False
    if _find_annotator(dialogue):
        about["expressions"] = _find_annotator(dialogue)
    if "pointer" in dialogue.meta:
        about["pointer"] = dialogue.meta["pointer"]
    # ELAN gives new annotations ids above this one; without it they may collide.
    for name, value in (("lastUsedAnnotationId", str(number)), ("referee-dialogue", json.dumps(about))):
        etree.SubElement(header, "PROPERTY", NAME=name).text = value


def _add_types(root: Any) -> None:
    """Add the linguistic types and their constraints."""
    for name, vocabulary in (
        ("span", ""),
        ("action", "actions"),
        ("piece", "pieces"),
        ("label", ""),
        ("target", "pieces"),
    ):
        is_bound = name in ("label", "target")
        about = {"CONSTRAINTS": "Symbolic_Association"} if is_bound else {}
        about |= {"CONTROLLED_VOCABULARY_REF": vocabulary} if vocabulary else {}
        about |= {"GRAPHIC_REFERENCES": "false", "LINGUISTIC_TYPE_ID": name}
        etree.SubElement(root, "LINGUISTIC_TYPE", **about, TIME_ALIGNABLE="false" if is_bound else "true")
    etree.SubElement(
        root, "LANGUAGE", LANG_DEF="http://cdb.iso.org/lg/CDB-00138502-001", LANG_ID="eng", LANG_LABEL="English (eng)"
    )
    etree.SubElement(root, "CONSTRAINT", DESCRIPTION=ASSOCIATION, STEREOTYPE="Symbolic_Association")


def _add_vocabularies(root: Any, dialogue: Dialogue) -> None:
    """Add the controlled vocabularies: the kinds of actions and the pieces."""
    actions = {e.data.get("action", "") for e in dialogue.select_tier(ACTION)} - {"", "move", "rotate", "flip"}
    pieces = {piece: " ".join(kind.values()) for piece, kind in dialogue.pieces.items()}
    lists = {"actions": dict.fromkeys(("move", "rotate", "flip", *sorted(actions)), ""), "pieces": pieces}
    for name, entries in lists.items():
        vocabulary = etree.SubElement(root, "CONTROLLED_VOCABULARY", CV_ID=name)
        etree.SubElement(vocabulary, "DESCRIPTION", LANG_REF="eng")
        for number, (value, meaning) in enumerate(entries.items(), 1):
            entry = etree.SubElement(vocabulary, "CV_ENTRY_ML", CVE_ID=f"{name}-{number}")
            etree.SubElement(entry, "CVE_VALUE", DESCRIPTION=meaning, LANG_REF="eng").text = value


def from_eaf(
    content: bytes,
    where: str = "file.eaf",
    tiers: Mapping[str, str] | None = None,
    pieces: Mapping[str, Mapping[str, str]] | None = None,
) -> Dialogue:
    """Return the dialogue in an ELAN file with REX tiers, or with others that `tiers` maps to them.

    Other tiers are ignored.

    The pieces are those of the header; else `pieces` and those that the file names; else, in a file with REX's own
    tiers, the seven of the Tangram.
    """
    root = parse_eaf(content, where)
    # Other programs write times in any order, which matters where slots have none of their own and lie between their neighbours.
    has_untimed = any(slot.get("TIME_VALUE") is None for slot in root.iterfind("TIME_ORDER/TIME_SLOT"))
    faults = [fault for _, fault in find_eaf_faults(root) if has_untimed or "runs backwards" not in fault]
    is_rex = not tiers and has_rex_tiers(root)
    _rename_tiers(root, tiers or {}, where)
    events = list(_FileReader(root, pieces or {}).events())
    # Longer ones first, so that an expression precedes those nested in it, as in the written file.
    events.sort(key=lambda e: (ORDER.index(e.kind), e.start_ms or 0.0, -(e.end_ms or 0.0)))
    events = add_utterance_indices(events)
    about = _read_metadata(root, where)
    is_coded = about.pop("coded")
    has_pieces = about["pieces"] is not None
    if not has_pieces:
        listed = {name: {"shape": name} for name in _list_vocabulary_objects(root)}
        default: Mapping[str, Mapping[str, str]] = listed or (PIECES if is_rex and not pieces else {})
        # If the events name others that are not declared, only those of the list that they name.
        named = {piece for event in events for piece in event.entities}
        if not named <= default.keys() | (pieces or {}).keys():
            default = {piece: kind for piece, kind in default.items() if piece in named}
        about["pieces"] = {**default, **(pieces or {})}
    if about.pop("expressions", None) == PROGRAM:
        events = [replace(e, data={**e.data, "proposed": True}) if e.kind == EXPRESSION else e for e in events]
    board = about["pieces"] if has_pieces else None
    odd = _count_invalid_values(events, board)
    events = [_keep_valid_values(e, board) for e in events]
    events = events if is_coded else drop_empty_codes(events)
    about["pieces"] = list_named_pieces(about["pieces"], events)
    fault_counts = {faults[0] if len(faults) == 1 else f"{faults[0]} (and the like)": len(faults)} if faults else {}
    fault_counts |= _count_unread_annotations(root) | odd
    pointer = about.pop("pointer")
    meta = ({"faults": fault_counts} if fault_counts else {}) | ({"pointer": pointer} if pointer else {})
    if meta:
        about["meta"] = meta
    return Dialogue(events=tuple(sorted(events, key=lambda e: e.start_ms or 0.0)), **about)


def has_rex_tiers(root: Any) -> bool:
    """Return whether a file is one of this program, or has tiers of speech under REX's names: files of others may have an *Action*, too."""
    names = {tier.get("TIER_ID") for tier in root.iterfind("TIER")}
    is_own = root.find("HEADER/PROPERTY[@NAME='referee-dialogue']") is not None
    return is_own or not names.isdisjoint(name for name in TIERS if "-" in name)


def _count_unread_annotations(root: Any) -> dict[str, int]:
    """Count the annotations of tiers that are neither REX tiers nor their children."""
    counts = {
        str(tier.get("TIER_ID")): len(tier)
        for tier in root.iterfind("TIER")
        if len(tier) and not _TIER.fullmatch(tier.get("TIER_ID") or "") and not _CHILD.search(tier.get("TIER_ID") or "")
    }
    problem = f"annotations of tiers that are not known here ({', '.join(counts)}; --tiers maps them)"
    return {problem: sum(counts.values())} if counts else {}


def _count_invalid_values(events: Iterable[Event], pieces: Mapping[str, Any] | None) -> dict[str, int]:
    """Return counts of invalid values: pieces that are not on the board, and unknown codes."""
    counts: dict[str, int] = {}
    strange = [name for e in events for name in e.entities if pieces is not None and name not in pieces]
    if strange:
        counts[f"names that are not pieces of this board, left out ({', '.join(sorted(set(strange)))})"] = len(strange)
    codes = [code for e in events for code in e.data.get("attributes", ()) if code not in ATTRIBUTES]
    if codes:
        listed = f"{', '.join(sorted(set(codes)))}; {' '.join(ATTRIBUTES)} are"
        counts[f"attributes that are not codes, left out ({listed})"] = len(codes)
    return counts


def _keep_valid_values(event: Event, pieces: Mapping[str, Any] | None) -> Event:
    """Return the event with valid codes and pieces only.

    A reference with invalid pieces as well becomes uncertain.
    """
    if "attributes" in event.data:
        codes = tuple(code for code in event.data["attributes"] if code in ATTRIBUTES)
        event = replace(event, data={**event.data, "attributes": codes})
    if pieces is None or all(name in pieces for name in event.entities):
        return event
    on_board = tuple(name for name in event.entities if name in pieces)
    return replace(event, entities=() if event.kind == EXPRESSION else on_board)


def _rename_tiers(root: Any, tiers: Mapping[str, str], where: str) -> None:
    """Rename mapped tiers to the names of REX."""
    if strange := [new for new in tiers.values() if not (_TIER.fullmatch(new) or _CHILD.search(new))]:
        raise InputError(f"there is no tier {strange[0]!r} to map to", where=where, remedy=f"one of {', '.join(TIERS)}")
    present = [str(tier.get("TIER_ID")) for tier in root.iterfind("TIER")]
    if tiers and not tiers.keys() & set(present):
        raise InputError(
            f"there is no tier {min(tiers)!r} in this file, nor any other of the map",
            where=where,
            remedy=f"it has {', '.join(present)}",
        )
    for new in dict.fromkeys(tiers.values()):
        same = [name for name in dict.fromkeys(present) if tiers.get(name, name) == new]
        if len(same) > 1:
            further = "" if _CHILD.search(new) else f' to "{new}-2", or'
            raise InputError(
                f"the tiers {' and '.join(map(repr, same))} are both mapped to {new}",
                where=where,
                remedy=f"map one of them{further} to another tier, or leave it out of the map",
            )
    for tier in root.iterfind("TIER"):
        for name in ("TIER_ID", "PARENT_REF"):
            if tier.get(name) in tiers:
                tier.set(name, tiers[tier.get(name)])


def _list_vocabulary_objects(root: Any) -> list[str]:
    """Return the entries of the controlled vocabularies of tiers of referents."""
    vocabularies = {
        t.get("LINGUISTIC_TYPE_ID"): t.get("CONTROLLED_VOCABULARY_REF") for t in root.iterfind("LINGUISTIC_TYPE")
    }
    named = (t for t in root.iterfind("TIER") if re.search(r"\b(?:Ref|Target|Mouse|Gaze)\b", t.get("TIER_ID") or ""))
    wanted = {vocabularies.get(tier.get("LINGUISTIC_TYPE_REF")) for tier in named} - {None}
    lists = (v for v in root.iterfind("CONTROLLED_VOCABULARY") if v.get("CV_ID") in wanted)
    values = ((e.findtext("CVE_VALUE") or e.text or "").strip() for v in lists for e in v if e.tag != "DESCRIPTION")
    return list(dict.fromkeys(value for value in values if value))


class _Label(NamedTuple):
    """An annotation of a child or parallel tier."""

    value: str
    span: tuple[float, float]
    aligned: bool


class _FileReader:
    """The events of the REX tiers of a document."""

    def __init__(self, root: Any, pieces: Mapping[str, Any]) -> None:
        self.tiers = {tier.get("TIER_ID") or "": tier for tier in root.iterfind("TIER")}
        self.spans = list_annotation_spans(root)
        self.values = read_annotation_values(root)
        self.labels = self._read_labels()
        refs = (a.value for below in self.labels.values() for name in ("Ref", "Target") for a in below.get(name, ()))
        singles = {value.strip().lstrip("?").strip() for value in refs}
        self.names = {
            *pieces,
            *_list_vocabulary_objects(root),
            *(value for value in singles if not re.search(r"[,;|\s]", value)),
        }

    def events(self) -> Iterator[Event]:
        """Yield the events of all tiers, tier by tier."""
        for tier_name, tier in self.tiers.items():
            name = _TIER.fullmatch(tier_name)
            keys = [key for a in tier.iterfind("ANNOTATION/*") if (key := a.get("ANNOTATION_ID")) in self.spans]
            marked = [_MARK.fullmatch(self.values[key]) for key in keys if not self.labels.get(key, {}).get("Ref")]
            has_marks = len(marked) == len(keys) and 2 * sum(m is not None for m in marked) > len(keys)
            prefix = "" if name is None else name[1] or ""
            by = ROLES.get(prefix) or tier.get("PARTICIPANT") or prefix or OPERATOR
            for key in keys if name else ():
                yield from self._iterate_annotation_events(name, by, key, has_marks)

    def _iterate_annotation_events(self, name: Any, by: str, key: str, has_marks: bool) -> Iterator[Event]:
        """Yield the events of one annotation, by the kind of its tier."""
        value, below, span = self.values[key], self.labels.get(key, {}), self.spans[key]
        if name[3]:
            handled = [id for label in below.get("Target", ()) for id in self._split_ids(label.value)]
            yield _make_timed_event(span, kind=ACTION, by=by, entities=tuple(handled), data={"action": value})
        elif name[4]:
            kind = MOUSE if name[4] == "Mouse" else GAZE
            yield _make_timed_event(span, kind=kind, by=by, entities=self._split_ids(value))
        elif name[2] == "UT":
            yield _make_timed_event(span, kind=UTTERANCE, by=by, text=value)
            yield from self._iterate_utterance_referents(by, value, below, span, f"{name[1]}-Words")
        else:
            mark = _MARK.fullmatch(value) if has_marks else None
            referents = [mark[2]] if mark else [label.value for label in below.get("Ref", ())]
            yield self._make_expression(by, mark[1] if mark else value, referents, below, span)

    def _iterate_utterance_referents(
        self, by: str, text: str, below: Mapping[str, list[_Label]], span: tuple[float, float], words: str
    ) -> Iterator[Event]:
        """Yield the expressions of an utterance that has annotated referents but no annotated expressions.

        One referent makes the utterance an expression, unless the referent has its own time and there is a tier of
        words. Of several, each is an expression of the words in its time; without a tier of words, an expression
        without words.
        """
        referents = below.get("Ref", [])
        for label in referents:
            shown, when = (text, span) if len(referents) == 1 else ("", label.span)
            if label.aligned and words in self.tiers:
                shown, when = self._find_words_within(label.span, words), label.span
            yield self._make_expression(by, shown, [label.value], below, when)

    def _make_expression(
        self, by: str, text: str, referents: list[str], below: Mapping[str, list[_Label]], span: tuple[float, float]
    ) -> Event:
        """Return an expression from its annotation and the child annotations."""
        codes = ",".join(label.value for label in below.get("Attr", ())).lower()
        data = {
            "attributes": tuple(re.split(r"[,;\s]+", codes.strip())) if codes.strip() else (),
            "uncertain": any(value.strip().startswith("?") for value in referents),
        }
        entities = tuple(id for value in referents for id in self._split_ids(value))
        return _make_timed_event(span, kind=EXPRESSION, by=by, text=text, entities=entities, data=data)

    def _find_words_within(self, span: tuple[float, float], words: str) -> str:
        """Return the words of a tier whose middles are in a span."""
        keys = [a.get("ANNOTATION_ID") for a in self.tiers[words].iterfind("ANNOTATION/*")]
        inside = [k for k in keys if k in self.spans and span[0] <= sum(self.spans[k]) / 2 <= span[1]]
        return " ".join(self.values[k] for k in sorted(inside, key=self.spans.__getitem__))

    def _split_ids(self, value: str) -> tuple[str, ...]:
        """Return the objects that a value names, with commas between them.

        With blanks, where each part is the name of one or ends in a number.
        """
        ids: list[str] = []
        for part in re.split(r"[,;|]", value.strip().lstrip("?")):
            words = part.split()
            separate = all(word in self.names or word[-1].isdigit() for word in words)
            ids += words if separate and part.strip() not in self.names else [" ".join(words)]
        return tuple(id for id in ids if id)

    def _read_labels(self) -> dict[str, dict[str, list[_Label]]]:
        """Return the annotations of other tiers for each annotation: id → {Ref, Attr, Target}.

        Children name their parent annotation; annotations of an aligned parallel tier belong to the same speaker's
        annotation with the largest overlap.
        """
        labels: dict[str, dict[str, list[_Label]]] = {}
        for tier_name, tier in self.tiers.items():
            # Files of others call the tiers SV-Ref or SV-REX-Ref, and further lanes SV-REX-2-Ref: the word tells.
            kind = next((n for n in ("Ref", "Attr", "Target") if re.search(rf"\b{n}\b", tier_name)), None)
            if kind is None:
                continue
            main = _find_labelled_tier(tier_name, self.tiers)
            for annotation in tier.iterfind("ANNOTATION/*"):
                key = annotation.get("ANNOTATION_ID")
                owner = annotation.get("ANNOTATION_REF")
                is_aligned = owner is None
                if owner is None and main is not None:
                    owner = _find_most_overlapping(self.spans[key], main, self.spans)
                if owner is not None and self.values[key] and key in self.spans:
                    label = _Label(self.values[key], self.spans[key], is_aligned)
                    labels.setdefault(owner, {}).setdefault(kind, []).append(label)
        return labels


def _make_timed_event(span: tuple[float, float], **fields: Any) -> Event:
    return Event(start_ms=span[0], end_ms=span[1], **fields)


def _find_labelled_tier(name: str, tiers: Mapping[str, Any]) -> Any:
    """Return the tier whose annotations a tier of labels is about, by its name: SV-REX for SV-REX-Ref and SV-Ref, Action for Target."""
    base = name.replace("Target", "Action") if "Target" in name else re.sub(r"-?\b(?:Ref|Attr)\b", "", name)
    candidates = (base, f"{base}-REX", f"{base}-UT")
    return next((tiers[name] for name in candidates if _TIER.fullmatch(name) and name in tiers), None)


def _find_most_overlapping(
    span: tuple[float, float], tier: Any, spans: Mapping[str, tuple[float, float]]
) -> str | None:
    """Return the annotation of a tier that overlaps most with a span; None if none does."""
    names = [annotation.get("ANNOTATION_ID") for annotation in tier.iterfind("ANNOTATION/*")]
    overlaps = [(min(span[1], spans[n][1]) - max(span[0], spans[n][0]), n) for n in names if n in spans]
    best = max(overlaps, default=(0.0, ""), key=lambda pair: pair[0])
    return best[1] if best[0] > 0 else None


def _read_metadata(root: Any, where: str) -> dict[str, Any]:
    """Return id, pair, pieces and language: from the header if this program wrote it, else from the file's name; unknown pieces are None."""
    stem = Path(where).stem
    about: dict[str, Any] = {"id": stem, "pair": stem, "language": UNTOLD, "synthetic": False, "pieces": None}
    about |= {"expressions": None, "pointer": None, "coded": False}
    spoken = {t.get("LANG_REF") for t in root.iterfind("TIER") if (t.get("TIER_ID") or "").endswith("-UT")} - {None}
    if len(spoken) == 1:
        code = str(min(spoken)).lower()
        about["language"] = _LANGUAGES.get(code, code)
    for prop in root.iterfind("HEADER/PROPERTY[@NAME='referee-dialogue']"):
        about["coded"] = True
        try:
            about |= {k: v for k, v in json.loads(prop.text or "{}").items() if k in about}
        except (ValueError, AttributeError):
            raise InputError("the property referee-dialogue is damaged", where=where, remedy="delete it") from None
    return about
