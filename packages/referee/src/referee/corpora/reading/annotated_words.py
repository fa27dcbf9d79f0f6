"""Words with the properties they express marked around them, as TUNA has them (van Deemter, van der Sluis & Gatt 2006).

``ATTRIBUTE`` wraps the words of one property and may hold others (a *white* beard); ``META-ATTRIBUTE`` wraps a location
phrase and holds one silent ``ATTRIBUTE`` per axis; ``DET`` wraps determiners; a ``DESCRIPTION`` inside another is one half
of a plural. As spans: a marked stretch is one `Span` with its properties, a location phrase has all its axes, and every
other word is a `Span` of its own without properties.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from referee.errors import MalformedInput
from referee.records import Property, Span


def words(element: Any) -> str:
    """The words of an element and all it holds, single blanks between them."""
    return " ".join(" ".join(element.itertext()).split())


def read_property(element: Any, where: str) -> Property:
    """The property that an ATTRIBUTE stands for; blanks around name and value are dropped."""
    name, value = (element.get("NAME") or "").strip(), element.get("VALUE")
    if element.tag != "ATTRIBUTE" or not name or value is None:
        problem = f"<{element.tag}> is not an attribute with NAME and VALUE"
        remedy = 'write <ATTRIBUTE NAME="colour" VALUE="red"/>'
        raise MalformedInput(problem, where=where, line=element.sourceline, remedy=remedy)
    # In release 1.0 `age` has a trailing blank in many people files ("old ").
    return Property(name, value.strip())


def read_spans(element: Any, where: str) -> tuple[Span, ...]:
    """The content of an annotated string in order, nothing left out."""
    spans = _plain(element.text)
    for child in element:
        spans += _read_span(child, where) + _plain(child.tail)
    return tuple(spans)


def _plain(text: str | None) -> list[Span]:
    return [Span(word) for word in (text or "").split()]


def _read_span(element: Any, where: str) -> list[Span]:
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
    return [Span(words(element), properties, inside)]


def read_markup(element: Any) -> list[dict[str, Any]]:
    """The markup as plain data: tag, words, every XML attribute, so that determiners, landmarks and polarity survive."""
    return [_plain_data(child) for child in element]


def _plain_data(element: Any) -> dict[str, Any]:
    data = {"tag": element.tag, "text": words(element), **{k.lower(): v for k, v in element.attrib.items()}}
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
    """Words at the end of an element's content: in this tree, the tail of its last child; blanks keep them apart."""
    if len(element):
        element[-1].tail = f"{element[-1].tail or ' '}{text} "
    else:
        element.text = f"{element.text or ''}{text} "
