"""ELAN files (.eaf, format 3.0) with the eleven tiers of REX (Tokunaga et al. 2010): written from a dialogue and read back into one.

`OP-UT` and `SV-UT` hold utterances; `OP-REX` and `SV-REX` expressions, with children `-Ref` and `-Attr`; `Action` the kind of action with the child
`Target`; `Mouse` the piece under the cursor. Referents are piece numbers with commas; a leading `?` says that it is not clear which of them is meant.
ELAN does not let annotations of one tier overlap: an expression inside another one goes to a second tier (`SV-REX-2` and its children). Whatever has no
tier (pieces, pair, language) is kept in the properties of the header.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from referee.errors import InputError
from referee.records import Event
from referee.situated.game.board import PIECES
from referee.situated.tiers.dialogue import ACTION, EXPRESSION, MOUSE, OPERATOR, SOLVER, UTTERANCE, Dialogue
from referee.situated.tiers.eaf import check_eaf, parse_eaf
from referee.situated.tiers.rex_tiers import quantised

__all__ = ["TIERS", "from_eaf", "to_eaf"]

TIERS = (
    *("OP-UT", "SV-UT", "OP-REX", "OP-REX-Ref", "OP-REX-Attr", "SV-REX", "SV-REX-Ref", "SV-REX-Attr"),
    *("Action", "Target", "Mouse"),
)
PREFIX = {OPERATOR: "OP", SOLVER: "SV"}
ROLES = {prefix: role for role, prefix in PREFIX.items()}
ORDER = (UTTERANCE, EXPRESSION, ACTION, MOUSE)
SCHEMA = "http://www.mpi.nl/tools/elan/EAFv3.0.xsd"
INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"
# As ELAN itself writes it.
ASSOCIATION = "1-1 association with a parent annotation"
# XML 1.0 has no place for control characters, not even escaped; a chat may hold them all the same.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TIER = re.compile(r"(?:(OP|SV)-(UT|REX)|(Action)|(Mouse))(?:-(\d+))?")


@dataclass(frozen=True, slots=True)
class _Lane:
    """A tier of its own with events that do not overlap; `children` are values for the tiers below it."""

    name: str
    events: list[Event]
    children: tuple[str, ...]


def to_eaf(dialogue: Dialogue, *, author: str = "", date: str = "1970-01-01T00:00:00+00:00") -> bytes:
    """A dialogue as an ELAN file; the date is an argument so that the same dialogue gives the same bytes."""
    lanes = list(_lanes(quantised(dialogue)))
    xsi = f"{{{INSTANCE}}}noNamespaceSchemaLocation"
    root = etree.Element("ANNOTATION_DOCUMENT", nsmap={"xsi": INSTANCE})
    for name, value in (("AUTHOR", author), ("DATE", date), ("FORMAT", "3.0"), ("VERSION", "3.0"), (xsi, SCHEMA)):
        root.set(name, value)
    header = etree.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    slots = _time_order(root, lanes)
    # The header stands before the tiers and tells the last id used in them: it is filled afterwards.
    number = _tiers(root, lanes, slots)
    _header(header, dialogue, number)
    _types(root)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True))


def _lanes(dialogue: Dialogue) -> Iterator[_Lane]:
    """The eleven tiers, always there, and further ones where events of one kind overlap."""
    for name, kind, by in _layout():
        mine = [e for e in dialogue.tier(kind) if by is None or e.by == by]
        below = {EXPRESSION: ("Ref", "Attr"), ACTION: ("Target",)}.get(kind, ())
        # An empty tier is written too: annotators find all eleven, and readers need not guess.
        for place, events in enumerate(_apart(mine) or [[]], 1):
            yield _Lane(name if place == 1 else f"{name}-{place}", events, below)
    if odd := [e for e in dialogue.events if e.kind in ORDER[:2] and e.by not in PREFIX]:
        raise InputError(f"{odd[0].by!r} is neither solver nor operator", remedy="name the speakers by their roles")


def _layout() -> Iterator[tuple[str, str, str | None]]:
    yield from ((f"{PREFIX[by]}-UT", UTTERANCE, by) for by in PREFIX)
    yield from ((f"{PREFIX[by]}-REX", EXPRESSION, by) for by in PREFIX)
    yield from (("Action", ACTION, None), ("Mouse", MOUSE, None))


def _apart(events: Iterable[Event]) -> list[list[Event]]:
    """Events dealt out to as few lists as needed for none to overlap."""
    lists: list[list[Event]] = []
    for event in events:
        start, _ = _times(event)
        # In order of start, the first free list: that needs the fewest lists there can be.
        free = next((one for one in lists if _times(one[-1])[1] <= start), None)
        if free is None:
            lists.append([event])
        else:
            free.append(event)
    return lists


def _times(event: Event) -> tuple[int, int]:
    if event.start_ms is None or event.end_ms is None:
        raise InputError(f"an event of kind {event.kind} has no time", remedy="give start and end in milliseconds")
    return int(event.start_ms), int(event.end_ms)


def _time_order(root: Any, lanes: list[_Lane]) -> dict[int, str]:
    # One slot a time, shared by all tiers, so that equal times stay equal.
    times = sorted({t for lane in lanes for e in lane.events for t in _times(e)})
    slots = {t: f"ts{i}" for i, t in enumerate(times, 1)}
    order = etree.SubElement(root, "TIME_ORDER")
    for t, slot in slots.items():
        etree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=slot, TIME_VALUE=str(t))
    return slots


def _tiers(root: Any, lanes: list[_Lane], slots: Mapping[int, str]) -> int:
    """Writes every lane and its children; the number of annotations used."""
    number = 0
    for lane in lanes:
        tier = etree.SubElement(root, "TIER", LINGUISTIC_TYPE_REF="span", TIER_ID=lane.name)
        below = [(name, _child(root, lane.name, name)) for name in lane.children]
        for event in lane.events:
            number += 1
            parent = f"a{number}"
            (start, end), annotation = _times(event), etree.SubElement(tier, "ANNOTATION")
            refs = {"TIME_SLOT_REF1": slots[start], "TIME_SLOT_REF2": slots[end]}
            aligned = etree.SubElement(annotation, "ALIGNABLE_ANNOTATION", ANNOTATION_ID=parent, **refs)
            etree.SubElement(aligned, "ANNOTATION_VALUE").text = _value(event)
            for name, child in below:
                number += 1
                refs = {"ANNOTATION_ID": f"a{number}", "ANNOTATION_REF": parent}
                bound = etree.SubElement(etree.SubElement(child, "ANNOTATION"), "REF_ANNOTATION", **refs)
                etree.SubElement(bound, "ANNOTATION_VALUE").text = _below(event, name)
    return number


def _child(root: Any, parent: str, name: str) -> Any:
    tier = parent.replace("Action", "Target") if name == "Target" else f"{parent}-{name}"
    return etree.SubElement(root, "TIER", LINGUISTIC_TYPE_REF="label", PARENT_REF=parent, TIER_ID=tier)


def _value(event: Event) -> str:
    """The text of an annotation; characters that XML cannot hold are shown as replaced."""
    value = {ACTION: event.data.get("action", ""), MOUSE: ",".join(event.entities)}.get(event.kind, event.text or "")
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", value)


def _below(event: Event, name: str) -> str:
    if name == "Attr":
        return ",".join(event.data.get("attributes", ()))
    return ("?" if event.data.get("uncertain") else "") + ",".join(event.entities)


def _header(header: Any, dialogue: Dialogue, number: int) -> None:
    about = {"id": dialogue.id, "pair": dialogue.pair, "language": dialogue.language, "synthetic": dialogue.synthetic}
    about |= {"pieces": {piece: dict(kind) for piece, kind in dialogue.pieces.items()}}
    # ELAN gives new annotations ids above this one; without it they may collide.
    for name, value in (("lastUsedAnnotationId", str(number)), ("referee-dialogue", json.dumps(about))):
        etree.SubElement(header, "PROPERTY", NAME=name).text = value


def _types(root: Any) -> None:
    etree.SubElement(
        root, "LINGUISTIC_TYPE", GRAPHIC_REFERENCES="false", LINGUISTIC_TYPE_ID="span", TIME_ALIGNABLE="true"
    )
    etree.SubElement(
        root,
        "LINGUISTIC_TYPE",
        CONSTRAINTS="Symbolic_Association",
        GRAPHIC_REFERENCES="false",
        LINGUISTIC_TYPE_ID="label",
        TIME_ALIGNABLE="false",
    )
    etree.SubElement(root, "CONSTRAINT", DESCRIPTION=ASSOCIATION, STEREOTYPE="Symbolic_Association")


def from_eaf(content: bytes, where: str = "file.eaf") -> Dialogue:
    """The dialogue in an ELAN file with REX tiers; other tiers are passed over, missing header properties are not needed."""
    root = parse_eaf(content, where)
    check_eaf(root, where)
    slots = {s.get("TIME_SLOT_ID"): s.get("TIME_VALUE") for s in root.iterfind("TIME_ORDER/TIME_SLOT")}
    labels = _labels(root)
    events = [e for tier in root.iterfind("TIER") for e in _events(tier, slots, labels, where)]
    # Longer ones first, so that an expression comes before those nested in it, as it was written.
    events.sort(key=lambda e: (ORDER.index(e.kind), e.start_ms or 0.0, -(e.end_ms or 0.0)))
    said = [e for e in events if e.kind == UTTERANCE]
    events = [_within(e, said) if e.kind == EXPRESSION else e for e in events]
    about = _about(root, where)
    return Dialogue(events=tuple(sorted(events, key=lambda e: e.start_ms or 0.0)), **about)


def _labels(root: Any) -> dict[str, dict[str, str]]:
    """What the child tiers say about an annotation: id → {Ref, Attr, Target}."""
    found: dict[str, dict[str, str]] = {}
    for tier in root.iterfind("TIER[@PARENT_REF]"):
        # Files of others call the tiers SV-Ref or SV-REX-Ref, and further lanes SV-REX-2-Ref: the word tells.
        name = next((n for n in ("Ref", "Attr", "Target") if re.search(rf"\b{n}\b", tier.get("TIER_ID"))), None)
        for bound in tier.iterfind("ANNOTATION/REF_ANNOTATION"):
            if name:
                found.setdefault(bound.get("ANNOTATION_REF"), {})[name] = bound.findtext("ANNOTATION_VALUE") or ""
    return found


def _events(tier: Any, slots: Mapping[str, str], labels: Mapping[str, dict[str, str]], where: str) -> Iterator[Event]:
    name = _TIER.fullmatch(tier.get("TIER_ID"))
    if name is None or tier.get("PARENT_REF"):
        return
    for aligned in tier.iterfind("ANNOTATION/ALIGNABLE_ANNOTATION"):
        times = [slots[aligned.get(f"TIME_SLOT_REF{i}")] for i in (1, 2)]
        if None in times:
            problem = f"annotation {aligned.get('ANNOTATION_ID')} has no time of its own"
            raise InputError(problem, where=where, line=aligned.sourceline, remedy="align it in ELAN")
        span = {"start_ms": float(times[0]), "end_ms": float(times[1])}
        value, below = aligned.findtext("ANNOTATION_VALUE") or "", labels.get(aligned.get("ANNOTATION_ID"), {})
        yield _event(name, value, below, span)


def _event(name: re.Match[str], value: str, below: Mapping[str, str], span: dict[str, float]) -> Event:
    times: dict[str, Any] = dict(span)
    if name[3]:
        return Event(kind=ACTION, by=OPERATOR, entities=_ids(below.get("Target", "")), data={"action": value}, **times)
    if name[4]:
        return Event(kind=MOUSE, by=OPERATOR, entities=_ids(value), **times)
    by = ROLES[name[1]]
    if name[2] == "UT":
        return Event(kind=UTTERANCE, by=by, text=value, **times)
    referents = below.get("Ref", "")
    data = {"attributes": _ids(below.get("Attr", "")), "uncertain": referents.strip().startswith("?")}
    return Event(kind=EXPRESSION, by=by, text=value, entities=_ids(referents), data=data, **times)


def _ids(value: str) -> tuple[str, ...]:
    return tuple(part for part in re.split(r"[,;\s]+", value.strip().lstrip("?")) if part)


def _within(expression: Event, said: list[Event]) -> Event:
    """The expression with the place of its utterance: the speaker's one that holds its middle; none where it stands alone."""
    # By the middle: boundaries drawn by hand may reach into the neighbouring utterance.
    middle = ((expression.start_ms or 0.0) + (expression.end_ms or 0.0)) / 2
    fits = (i for i, u in enumerate(said) if u.by == expression.by and (u.start_ms or 0) <= middle <= (u.end_ms or 0))
    index = next(fits, None)
    data = {**expression.data, **({} if index is None else {"utterance": index})}
    return Event(
        kind=EXPRESSION,
        by=expression.by,
        text=expression.text,
        entities=expression.entities,
        start_ms=expression.start_ms,
        end_ms=expression.end_ms,
        data=data,
    )


def _about(root: Any, where: str) -> dict[str, Any]:
    """Id, pair, pieces, language: from the header if this program wrote it, else from the file's name and the standard set."""
    # "und" is the code of ISO 639 for a language that is not determined.
    about = {"id": where, "pair": where, "language": "und", "synthetic": False, "pieces": PIECES}
    for prop in root.iterfind("HEADER/PROPERTY[@NAME='referee-dialogue']"):
        try:
            about |= {k: v for k, v in json.loads(prop.text or "{}").items() if k in about}
        except (ValueError, AttributeError):
            raise InputError("the property referee-dialogue is damaged", where=where, remedy="delete it") from None
    return about
