"""ELAN's annotation format 3.0 (Wittenburg et al. 2006) as XML, and Praat's TextGrid converted to it.

Documents are parsed safely and checked against the schema and ELAN's own requirements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from lxml import etree

from referee.errors import MalformedInput
from referee_lab.tangram.json_lines import decode_text

# The schema is a sequence: sections stand in this order or the file is not valid.
SECTIONS = (
    *("LICENSE", "HEADER", "TIME_ORDER", "TIER", "LINGUISTIC_TYPE", "LOCALE", "LANGUAGE", "CONSTRAINT"),
    *("CONTROLLED_VOCABULARY", "LEXICON_REF", "REF_LINK_SET", "EXTERNAL_REF"),
)
# No file is dated: the same dialogue gives the same bytes.
NO_DATE = "1970-01-01T00:00:00+00:00"
STEREOTYPES = {"Time_Subdivision", "Symbolic_Subdivision", "Symbolic_Association", "Included_In"}
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")


def parse_eaf(content: bytes, where: str) -> Any:
    """Return the root element; entities, document types, network access and faults that prevent interpretation are refused."""
    # Files come from strangers: entities could read local files or grow without end, a DTD could be fetched from anywhere.
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        root = etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        remedy = "save the file again in ELAN"
        raise MalformedInput(f"not XML: {error.msg}", where=where, line=error.lineno or 1, remedy=remedy) from None
    if root.getroottree().docinfo.doctype:
        raise MalformedInput("the file declares a document type", where=where, line=1, remedy="delete <!DOCTYPE …>")
    _raise_unreadable(root, where)
    return root


def _raise_unreadable(root: Any, where: str) -> None:
    """Raise MalformedInput for faults that prevent interpretation.

    Other violations of the format are tolerated.
    """
    remedy = "save the file again in ELAN"
    if root.tag != "ANNOTATION_DOCUMENT":
        raise MalformedInput(
            f"the root is {root.tag}, not ANNOTATION_DOCUMENT", where=where, line=root.sourceline or 1, remedy=remedy
        )
    if root.find("TIME_ORDER") is None:
        raise MalformedInput("one TIME_ORDER is needed, there are 0", where=where, line=1, remedy=remedy)
    slots = {s.get("TIME_SLOT_ID") for s in root.iterfind("TIME_ORDER/TIME_SLOT")}
    for slot in root.iterfind("TIME_ORDER/TIME_SLOT[@TIME_VALUE]"):
        if not slot.get("TIME_VALUE").lstrip("-").isdecimal():
            fault = f"time slot {slot.get('TIME_SLOT_ID')} has the time {slot.get('TIME_VALUE')!r}"
            raise MalformedInput(fault, where=where, line=slot.sourceline, remedy="write whole milliseconds")
    owners = _find_owners(root)
    for tier in root.iterfind("TIER"):
        for line, fault in _check_annotations(tier, slots, owners):
            if "no value" not in fault:
                raise MalformedInput(fault, where=where, line=line, remedy=remedy)


def compute_slot_times(root: Any) -> dict[str, float]:
    """Return the time of every slot; those without a time are spaced evenly between their neighbours."""
    slots = root.findall("TIME_ORDER/TIME_SLOT")
    values = [s.get("TIME_VALUE") for s in slots]
    timed = [i for i, value in enumerate(values) if value is not None and value.lstrip("-").isdecimal()]
    times = np.interp(range(len(slots)), timed, [float(values[i]) for i in timed]) if timed else np.zeros(len(slots))
    return {slot.get("TIME_SLOT_ID"): float(t) for slot, t in zip(slots, times, strict=True)}


def list_annotation_spans(root: Any) -> dict[str, tuple[float, float]]:
    """Return the start and end of every annotation.

    Those without times share their parent's time evenly, in order.
    """
    slots = compute_slot_times(root)
    spans: dict[str, tuple[float, float]] = {}
    bound: dict[str, list[str]] = {}
    for tier in root.iterfind("TIER"):
        for annotation in tier.iterfind("ANNOTATION/*"):
            name = annotation.get("ANNOTATION_ID")
            if annotation.tag == "ALIGNABLE_ANNOTATION":
                # Ends that were swapped by hand still say when.
                start, end = sorted(slots[annotation.get(f"TIME_SLOT_REF{i}")] for i in (1, 2))
                spans[name] = (start, end)
            else:
                # Siblings are those of one tier below one annotation.
                bound.setdefault(f"{tier.get('TIER_ID')}\0{annotation.get('ANNOTATION_REF')}", []).append(name)
    # A tier may stand before its parent, and parents may themselves be bound.
    while bound:
        ready = {key: names for key, names in bound.items() if key.partition("\0")[2] in spans}
        if not ready:
            break
        for key, names in ready.items():
            start, end = spans[key.partition("\0")[2]]
            step = (end - start) / len(names)
            spans |= {name: (start + i * step, start + (i + 1) * step) for i, name in enumerate(names)}
            del bound[key]
    return spans


def find_eaf_faults(root: Any) -> Iterator[tuple[int, str]]:
    """Return every fault that ELAN would refuse or the schema forbids, with its line."""
    if root.tag != "ANNOTATION_DOCUMENT":
        yield root.sourceline, f"the root is {root.tag}, not ANNOTATION_DOCUMENT"
        return
    yield from _check_frame(root)
    yield from _check_slots(root)
    yield from _check_ids(root)
    yield from _check_references(root)
    if root.find("TIME_ORDER") is not None:
        yield from _check_overlaps(root)


def _check_frame(root: Any) -> Iterator[tuple[int, str]]:
    """Yield the faults of the document's frame: missing attributes and misplaced elements."""
    for name in ("AUTHOR", "DATE", "VERSION"):
        if root.get(name) is None:
            yield root.sourceline, f"the document has no {name}"
    # A missing date is reported above; the default prevents a second report.
    if not _DATE.fullmatch(root.get("DATE", NO_DATE)):
        yield root.sourceline, f"{root.get('DATE')!r} is not a date and time"
    names = [e.tag for e in root.iterchildren("*")]
    if unknown := [n for n in names if n not in SECTIONS]:
        yield root.sourceline, f"{unknown[0]} does not belong here"
    elif names != sorted(names, key=SECTIONS.index):
        yield root.sourceline, "the sections are not in the order of the format"
    for name in ("HEADER", "TIME_ORDER"):
        if names.count(name) != 1:
            yield root.sourceline, f"one {name} is needed, there are {names.count(name)}"


def _check_slots(root: Any) -> Iterator[tuple[int, str]]:
    """Yield the faults of time slots: times are whole milliseconds in ascending order; a slot may lack one."""
    latest = 0
    for slot in root.iterfind("TIME_ORDER/TIME_SLOT"):
        value = slot.get("TIME_VALUE")
        if value is not None and not value.isdecimal():
            yield slot.sourceline, f"time slot {slot.get('TIME_SLOT_ID')} has the time {value!r}"
        elif value is not None and int(value) < latest:
            yield slot.sourceline, f"time slot {slot.get('TIME_SLOT_ID')} runs backwards"
        else:
            # Slots without a time lie between their neighbours; ELAN places them when it shows the tier.
            latest = latest if value is None else int(value)


def _check_ids(root: Any) -> Iterator[tuple[int, str]]:
    """Yield the faults of ids: missing, repeated or malformed."""
    for path, attribute in (
        ("TIME_ORDER/TIME_SLOT", "TIME_SLOT_ID"),
        ("TIER", "TIER_ID"),
        ("TIER/ANNOTATION/*", "ANNOTATION_ID"),
        ("LINGUISTIC_TYPE", "LINGUISTIC_TYPE_ID"),
        ("CONSTRAINT", "STEREOTYPE"),
    ):
        seen: set[str] = set()
        for element in root.iterfind(path):
            name = element.get(attribute)
            if not name or name in seen:
                yield element.sourceline, f"{attribute} {name!r} is missing or used twice"
            seen.add(name)


def _check_references(root: Any) -> Iterator[tuple[int, str]]:
    """Yield the faults of references: missing targets, and children that violate the constraint of their type."""
    types = {t.get("LINGUISTIC_TYPE_ID"): t for t in root.iterfind("LINGUISTIC_TYPE")}
    constraints = {c.get("STEREOTYPE") for c in root.iterfind("CONSTRAINT")}
    slots = {s.get("TIME_SLOT_ID") for s in root.iterfind("TIME_ORDER/TIME_SLOT")}
    owners = _find_owners(root)
    tiers = {t.get("TIER_ID") for t in root.iterfind("TIER")}
    for kind in types.values():
        if kind.get("CONSTRAINTS") and kind.get("CONSTRAINTS") not in constraints & STEREOTYPES:
            yield kind.sourceline, f"linguistic type {kind.get('LINGUISTIC_TYPE_ID')} has an unknown constraint"
    for tier in root.iterfind("TIER"):
        kind, parent = types.get(tier.get("LINGUISTIC_TYPE_REF")), tier.get("PARENT_REF")
        if kind is None:
            yield tier.sourceline, f"tier {tier.get('TIER_ID')} has an unknown linguistic type"
        elif (parent is None) != (kind.get("CONSTRAINTS") is None):
            yield tier.sourceline, f"tier {tier.get('TIER_ID')}: a parent and a constraint belong together"
        if parent is not None and parent not in tiers:
            yield tier.sourceline, f"tier {tier.get('TIER_ID')} has the unknown parent {parent}"
        yield from _check_annotations(tier, slots, owners)


def _find_owners(root: Any) -> dict[str, str]:
    """Return the tier of every annotation."""
    tiers = root.iterfind("TIER")
    return {a.get("ANNOTATION_ID"): t.get("TIER_ID") for t in tiers for a in t.iterfind("ANNOTATION/*")}


def _locate_annotation(annotation: Any, tier: Any) -> str:
    """Return an annotation with its tier and its start, so that it can be found in ELAN."""
    slots = {s.get("TIME_SLOT_ID"): s.get("TIME_VALUE") for s in tier.getroottree().iterfind("TIME_ORDER/TIME_SLOT")}
    start = slots.get(annotation.get("TIME_SLOT_REF1")) or ""
    time = f" at {int(start) / 1000:.2f} s" if start.isdecimal() else ""
    return f"{annotation.get('ANNOTATION_ID')} of tier {tier.get('TIER_ID')}{time}"


def _check_annotations(tier: Any, slots: set[str], owners: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Yield the faults of a tier's annotations: unknown time slots and parents."""
    for annotation in tier.iterfind("ANNOTATION/*"):
        fault = None
        if annotation.tag == "ALIGNABLE_ANNOTATION":
            if not {annotation.get("TIME_SLOT_REF1"), annotation.get("TIME_SLOT_REF2")} <= slots:
                fault = "refers to an unknown time slot"
        elif owners.get(annotation.get("ANNOTATION_REF")) != tier.get("PARENT_REF"):
            fault = "does not refer to one of the parent tier"
        if fault is None and annotation.find("ANNOTATION_VALUE") is None:
            fault = "has no value"
        if fault is not None:
            yield annotation.sourceline, f"annotation {_locate_annotation(annotation, tier)} {fault}"


def _check_overlaps(root: Any) -> Iterator[tuple[int, str]]:
    """Yield the faults of annotations: within a tier each has a duration and none overlap."""
    times = {s.get("TIME_SLOT_ID"): s.get("TIME_VALUE") for s in root.iterfind("TIME_ORDER/TIME_SLOT")}
    for tier in root.iterfind("TIER"):
        spans = []
        for aligned in tier.iterfind("ANNOTATION/ALIGNABLE_ANNOTATION"):
            start, end = (times.get(aligned.get(f"TIME_SLOT_REF{i}")) for i in (1, 2))
            if start is not None and end is not None and start.isdecimal() and end.isdecimal():
                spans.append((int(start), int(end), aligned))
        # In a file annotations may stand in any order; overlap is a matter of time.
        spans.sort(key=lambda span: span[:2])
        for start, end, aligned in spans:
            if end <= start:
                yield aligned.sourceline, f"annotation {_locate_annotation(aligned, tier)} ends before it begins"
        for (_, end, _), (start, _, aligned) in pairwise(spans):
            if start < end:
                yield aligned.sourceline, f"annotation {_locate_annotation(aligned, tier)} overlaps the one before"


# Strings, with a doubled quote inside, numbers, and the flag before the tiers.
_TOKEN = re.compile(r'"((?:[^"]|"")*)"|(?<![\w\[])(-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)(?![\w\]])|<(exists)>')


class _TextInterval(NamedTuple):
    start_ms: int
    end_ms: int
    text: str


def convert_text_grid_to_eaf(content: bytes, where: str) -> bytes:
    """Return a TextGrid as an ELAN document with a tier for every tier.

    A point lasts a millisecond, and empty intervals are left out.
    """
    try:
        text = decode_text(content, where)
    except MalformedInput:
        # Praat's other form of text.
        text = content.decode("latin-1")
    tiers = _parse_tiers(text, where)
    times = sorted({t for spans in tiers.values() for span in spans for t in span[:2]})
    root = etree.Element("ANNOTATION_DOCUMENT", AUTHOR="", DATE=NO_DATE, FORMAT="3.0", VERSION="3.0")
    etree.SubElement(root, "HEADER", MEDIA_FILE="", TIME_UNITS="milliseconds")
    order = etree.SubElement(root, "TIME_ORDER")
    for t in times:
        etree.SubElement(order, "TIME_SLOT", TIME_SLOT_ID=f"t{t}", TIME_VALUE=str(t))
    number = 0
    for name, spans in tiers.items():
        tier = etree.SubElement(root, "TIER", LINGUISTIC_TYPE_REF="span", TIER_ID=name)
        for span in spans:
            number += 1
            refs = {"TIME_SLOT_REF1": f"t{span.start_ms}", "TIME_SLOT_REF2": f"t{span.end_ms}"}
            annotation = etree.SubElement(tier, "ANNOTATION")
            aligned = etree.SubElement(annotation, "ALIGNABLE_ANNOTATION", ANNOTATION_ID=f"a{number}", **refs)
            etree.SubElement(aligned, "ANNOTATION_VALUE").text = span.text
    etree.SubElement(root, "LINGUISTIC_TYPE", LINGUISTIC_TYPE_ID="span", TIME_ALIGNABLE="true")
    return bytes(etree.tostring(root))


def _parse_tiers(text: str, where: str) -> dict[str, list[_TextInterval]]:
    """Return the spans of each tier: the values of both forms follow each other in the same order."""
    tokens: list[str | float] = []
    for string, number, flag in _TOKEN.findall(text):
        tokens.append(float(number) if number else flag or string.replace('""', '"'))
    if tokens[:2] != ["ooTextFile", "TextGrid"] or "exists" not in tokens:
        raise MalformedInput("not a TextGrid in text form", where=where, line=1, remedy="save it in Praat as text")
    values = iter(tokens[tokens.index("exists") + 1 :])
    tiers: dict[str, list[_TextInterval]] = {}
    name, start = "", 0.0
    try:
        for _ in range(int(_parse_number(next(values)))):
            kind, name = str(next(values)), str(next(values))
            next(values), next(values)
            spans = []
            for _ in range(int(_parse_number(next(values)))):
                start = _parse_number(next(values))
                end = start + 0.001 if kind == "TextTier" else _parse_number(next(values))
                spans.append(_convert_span(start, end, str(next(values)), f"tier {name!r}", where))
            # Praat allows two tiers of one name.
            unique = name if name not in tiers else f"{name}-{len(tiers) + 1}"
            tiers[unique] = [span for span in spans if span.text.strip()]
    except (StopIteration, ValueError, RuntimeError):
        problem = f"the TextGrid breaks off in tier {name!r} after {start:.2f} s"
        raise MalformedInput(problem, where=where, remedy="save it again in Praat as text") from None
    return tiers


def _convert_span(start: float, end: float, text: str, tier: str, where: str) -> _TextInterval:
    """Return an interval in milliseconds. Raises MalformedInput if it ends before it begins."""
    if end < start:
        problem = f"{tier}: an interval begins at {start:.2f} s and ends at {end:.2f} s"
        raise MalformedInput(problem, where=where, remedy="correct its boundaries in Praat")
    start_ms = round(1000 * start)
    return _TextInterval(start_ms, max(round(1000 * end), start_ms + 1), text)


def _parse_number(token: object) -> float:
    """Return a token that must be a number. Raises ValueError otherwise."""
    if not isinstance(token, float):
        raise ValueError(token)
    return token
