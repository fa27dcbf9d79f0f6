"""TRIAL elements as records: the XML of the TUNA corpus and of its shared tasks (Gatt, Belz & Kow 2008, Fig. 1).

One reader serves all three dialects, which differ only in names:

    =============  ==================  ==============================  =====================
    dialect        words               words with markup               attribute set
    =============  ==================  ==============================  =====================
    release 1.0    STRING-DESCRIPTION  DESCRIPTION                     ATTRIBUTE-SET
    2008 and 2009  WORD-STRING         ANNOTATED-WORD-STRING           ATTRIBUTE-SET
    2007                                                               DESCRIPTION
    =============  ==================  ==============================  =====================

A trial may have several successive descriptions (the test sets have two references per trial).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lxml import etree

from referee.corpora.reading.safe_xml import make_natural_sort_key, read_documents
from referee.errors import DuplicateTrial, MalformedInput
from referee.meaning import Meaning, conjunction
from referee.records import Description, Entity, Property, Scene, Span, Trial

# -- annotated words -------------------------------------------------------------------------------------------------------


def join_words(element: Any) -> str:
    """Return the words of an element and its descendants, separated by single spaces."""
    return " ".join(" ".join(element.itertext()).split())


def read_property(element: Any, where: str) -> Property:
    """Return the property of an ATTRIBUTE element, without surrounding spaces."""
    name, value = (element.get("NAME") or "").strip(), element.get("VALUE")
    if element.tag != "ATTRIBUTE" or not name or value is None:
        problem = f"<{element.tag}> is not an attribute with NAME and VALUE"
        remedy = 'write <ATTRIBUTE NAME="colour" VALUE="red"/>'
        raise MalformedInput(problem, where=where, line=element.sourceline, remedy=remedy)
    # In release 1.0 `age` has a trailing blank in many people files ("old ").
    return Property(name, value.strip())


def read_spans(element: Any, where: str) -> tuple[Span, ...]:
    """Return the content of an annotated string in order, complete."""
    spans = _normalise_text(element.text)
    for child in element:
        spans += _read_span(child, where) + _normalise_text(child.tail)
    return tuple(spans)


def _normalise_text(text: str | None) -> list[Span]:
    return [Span(word) for word in (text or "").split()]


def _read_span(element: Any, where: str) -> list[Span]:
    """Return the spans of one element."""
    content = read_spans(element, where)
    properties: tuple[Property, ...] = ()
    if element.tag == "ATTRIBUTE":
        properties = (read_property(element, where),)
    # A location phrase ("in the top left corner") expresses both axes, which stand beside the words as empty elements.
    elif element.tag == "META-ATTRIBUTE":
        properties = tuple(p for span in content if not span.text for p in span.properties)
        content = tuple(span for span in content if span.text)
    # Plain words inside a marked stretch are its text already; only marked ones are kept as parts.
    inside = content if any(span.properties or span.inside for span in content) else ()
    if not properties and not inside:
        return list(content)
    return [Span(join_words(element), properties, inside)]


def read_markup(element: Any) -> list[dict[str, Any]]:
    """Return the markup as JSON values: tag, words, every XML attribute, including determiners, landmarks and polarity."""
    return [_convert_markup(child) for child in element]


def _convert_markup(element: Any) -> dict[str, Any]:
    data = {"tag": element.tag, "text": join_words(element), **{k.lower(): v for k, v in element.attrib.items()}}
    return {**data, "inside": read_markup(element)} if len(element) else data


def write_spans(parent: Any, spans: tuple[Span, ...]) -> None:
    """Spans as content of an annotated string; `read_spans` gives them back."""
    for span in spans:
        if not span.properties and not span.inside:
            _append_words(parent, span.text)
            continue
        element = _open_span(parent, span)
        write_spans(element, span.inside or (Span(span.text),))


def _open_span(parent: Any, span: Span) -> Any:
    """Return an element for a span's properties."""
    if not span.properties:
        # Only one half of a plural has parts and no property of its own.
        return etree.SubElement(parent, "DESCRIPTION")
    if len(span.properties) == 1:
        return etree.SubElement(parent, "ATTRIBUTE", NAME=span.properties[0].name, VALUE=span.properties[0].value)
    element = etree.SubElement(parent, "META-ATTRIBUTE")
    for prop in span.properties:
        etree.SubElement(element, "ATTRIBUTE", NAME=prop.name, VALUE=prop.value)
    return element


def _append_words(element: Any, text: str) -> None:
    """Append words to an element's content, which is the tail of its last child in this tree, separated by spaces."""
    if len(element):
        element[-1].tail = f"{element[-1].tail or ' '}{text} "
    else:
        element.text = f"{element.text or ''}{text} "


PARTS = {
    "WORD-STRING": "words",
    "STRING-DESCRIPTION": "words",
    "ANNOTATED-WORD-STRING": "markup",
    "DESCRIPTION": "markup",
    "ATTRIBUTE-SET": "set",
}
# Each type occurs in one domain only, so types determine it.
FURNITURE = {"chair", "sofa", "desk", "fan"}
Parts = dict[str, Any]


def read_trial_elements(path: str | Path) -> Iterator[tuple[str, Any, str]]:
    """Yield every TRIAL element with its id and file. Raises an error for missing or repeated ids."""
    seen: dict[str, str] = {}
    for where, root in read_documents(path):
        for element in [root] if root.tag == "TRIAL" else list(root):
            trial_id = _get_trial_id(element, where)
            place = f"{where}:{element.sourceline}"
            if trial_id in seen:
                problem = f"trial {trial_id!r} occurs twice (first at {seen[trial_id]})"
                raise DuplicateTrial(problem, where=where, line=element.sourceline, remedy="keep one of the two")
            seen[trial_id] = place
            yield trial_id, element, where
        if root.tag != "TRIAL" and not len(root):
            raise MalformedInput("there is no TRIAL", where=where, line=1, remedy='write <TRIAL ID="s1t1">…</TRIAL>')


def _get_trial_id(element: Any, where: str) -> str:
    """Return the id of a TRIAL element. Raises MalformedInput for another element."""
    if element.tag != "TRIAL":
        remedy = "name files whose root is a TRIAL or holds nothing but TRIALs"
        raise MalformedInput(f"<{element.tag}> is not a TRIAL", where=where, line=element.sourceline, remedy=remedy)
    return _get_attribute(element, "ID", where)


def _get_attribute(element: Any, name: str, where: str) -> str:
    """Return a required XML attribute. Raises MalformedInput if it is missing."""
    value = (element.get(name) or "").strip()
    if not value:
        problem = f"<{element.tag}> has no {name}"
        raise MalformedInput(problem, where=where, line=element.sourceline, remedy=f'add {name}="…"')
    return value


def read_trial(element: Any, where: str) -> Trial:
    """Return a trial; an id like s101t2 gives speaker and designed scene."""
    trial_id = _get_attribute(element, "ID", where)
    numbers = re.fullmatch(r"s([0-9]{1,9})t([0-9]{1,9})", trial_id)
    speaker, number = numbers.groups() if numbers else (None, None)
    entities, targets = _read_entities(element, where)
    parts = split_descriptions(element, where)
    # Two descriptions of one trial cannot both come from the speaker in the trial's name.
    author = speaker if len(parts) == 1 else None
    return Trial(
        id=trial_id,
        scene=Scene(entities=entities, id=number and f"t{number}"),
        targets=targets,
        domain=element.get("DOMAIN") or guess_domain(entities),
        condition=element.get("CONDITION"),
        speaker=speaker,
        references=tuple(read_description(p, where, author, len(targets)) for p in parts),
        meta=_read_meta(element, number, parts),
    )


def guess_domain(entities: Iterable[Entity]) -> str | None:
    """Return the domain of a scene by the types of its entities, because challenge files do not state it."""
    types = {entity.value("type") for entity in entities}
    return "people" if types == {"person"} else "furniture" if types <= FURNITURE else None


def _read_entities(trial: Any, where: str) -> tuple[tuple[Entity, ...], tuple[str, ...]]:
    """Return the entities and the ids of the targets. Raises MalformedInput without a DOMAIN."""
    domain = trial.find("DOMAIN")
    if domain is None:
        remedy = "name files of trials; peer outputs have no DOMAIN and are read as outputs"
        raise MalformedInput("the TRIAL has no DOMAIN", where=where, line=trial.sourceline, remedy=remedy)
    entities: dict[str, Entity] = {}
    targets = []
    for element in domain:
        entity = _read_entity(element, where)
        if entity.id in entities:
            problem, remedy = f"two entities have the id {entity.id!r}", "give every ENTITY a different ID"
            raise MalformedInput(problem, where=where, line=element.sourceline, remedy=remedy)
        entities[entity.id] = entity
        if _is_target(element, where):
            targets.append(entity.id)
    if not targets:
        problem, remedy = "no entity is the target", 'mark one ENTITY with TYPE="target"'
        raise MalformedInput(problem, where=where, line=domain.sourceline, remedy=remedy)
    # The files list the target first, which would tell: order by picture number instead.
    return tuple(sorted(entities.values(), key=lambda e: make_natural_sort_key(e.id))), tuple(targets)


def _is_target(entity: Any, where: str) -> bool:
    """Return whether an entity is a target. Raises MalformedInput for an unknown role."""
    role = _get_attribute(entity, "TYPE", where)
    if role not in ("target", "distractor"):
        problem, remedy = f"an entity is a {role!r}", "TYPE is target or distractor"
        raise MalformedInput(problem, where=where, line=entity.sourceline, remedy=remedy)
    return role == "target"


def _read_entity(element: Any, where: str) -> Entity:
    """Return an entity. Raises MalformedInput for another element."""
    if element.tag != "ENTITY":
        problem, remedy = f"<{element.tag}> is in the place of an ENTITY", "a DOMAIN holds ENTITY elements only"
        raise MalformedInput(problem, where=where, line=element.sourceline, remedy=remedy)
    attributes = tuple(read_property(child, where) for child in element)
    return Entity(
        id=_get_attribute(element, "ID", where),
        attributes=attributes,
        image=element.get("IMAGE"),
        position=_read_position(attributes),
    )


def _read_position(attributes: Iterable[Property]) -> tuple[float, ...] | None:
    """Return column and row on the grid; None if either is unknown."""
    values = {p.name: p.value for p in attributes}
    place = values.get("x-dimension", ""), values.get("y-dimension", "")
    # Positions are "unknown" for speakers 1, 4 and 5; nine digits keep a hostile number from becoming infinite.
    return tuple(map(float, place)) if all(re.fullmatch(r"[0-9]{1,9}", p) for p in place) else None


def split_descriptions(trial: Any, where: str) -> list[Parts]:
    """Return the elements of each description; a tag that occurs again begins the next description."""
    parsed: list[Parts] = []
    for child in trial:
        if child.tag == "DOMAIN":
            continue
        if child.tag not in PARTS:
            remedy = f"a TRIAL holds a DOMAIN, {', '.join(PARTS)}"
            raise MalformedInput(f"<{child.tag}> is not known", where=where, line=child.sourceline, remedy=remedy)
        part = PARTS[child.tag]
        # Test sets with two descriptions a trial put both into it, without an element around each.
        if not parsed or part in parsed[-1]:
            parsed.append({})
        parsed[-1][part] = child
    return parsed


def read_description(parts: Parts, where: str, speaker: str | None = None, targets: int = 1) -> Description:
    """Return a description of so many targets; where there is no ATTRIBUTE-SET, a DESCRIPTION is the set itself (2007)."""
    text, markup, pairs = parts.get("words"), parts.get("markup"), parts.get("set")
    properties = None if pairs is None else tuple(read_property(child, where) for child in pairs)
    # DESCRIPTION means the annotated words in 2008 and the set itself in 2007.
    if pairs is None and markup is not None and markup.tag == "DESCRIPTION":
        properties = tuple(read_property(child, where) for child in markup.iter("ATTRIBUTE"))
    return Description(
        properties=properties,
        meaning=None if markup is None or targets < 2 else _read_parts(markup, where),
        text=None if text is None else join_words(text),
        spans=() if markup is None or not join_words(markup) else read_spans(markup, where),
        speaker=speaker,
    )


def _read_parts(markup: Any, where: str) -> Meaning | None:
    """Return the meaning of a DESCRIPTION of several targets in parts; None where it holds fewer than two.

    TUNA's plural half puts the description of each object into its own DESCRIPTION; an ATTRIBUTE outside of these is true
    of every part. In the singular half a DESCRIPTION inside another is a landmark or a correction, not a part.
    """
    inner = [
        e for e in markup.iter("DESCRIPTION") if e is not markup and next(e.iterchildren("DESCRIPTION"), None) is None
    ]
    outside = (a for a in markup.iter("ATTRIBUTE") if not any(e in inner for e in a.iterancestors("DESCRIPTION")))
    shared = tuple(tuple(read_property(a, where)) for a in outside)
    parts = [
        (
            1 if (e.get("NUM") or "").lower() == "singular" else "all",
            conjunction((*(tuple(read_property(a, where)) for a in e.iter("ATTRIBUTE")), *shared)),
        )
        for e in inner
    ]
    return ("parts", *parts) if len(parts) > 1 else None


def _read_meta(trial: Any, number: str | None, parts_of_all: list[Parts]) -> dict[str, Any]:
    """Return the data that records have no fields for: the trial's XML attributes, its full markup, and negated
    properties.
    """
    fields = {k.lower(): v for k, v in trial.attrib.items() if k not in ("ID", "CONDITION", "DOMAIN")}
    meta: dict[str, Any] = {k: int(v) if re.fullmatch(r"[0-9]{1,9}", v) else v for k, v in fields.items()}
    if number:
        meta["trial"] = int(number)
    for parts in parts_of_all:
        if "markup" in parts and join_words(parts["markup"]):
            meta.setdefault("annotation", read_markup(parts["markup"]))
        for attribute in parts.get("set", ()):
            # One set of release 1.0 denies a property (s41t7, colour:red).
            if attribute.get("POLARITY"):
                name = f"{attribute.get('NAME')}:{attribute.get('VALUE')}"
                meta.setdefault("polarity", {})[name] = attribute.get("POLARITY")
    return meta
