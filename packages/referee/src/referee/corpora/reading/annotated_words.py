"""Words with the properties they express marked around them, as TUNA has them (van Deemter, van der Sluis & Gatt 2006).

``ATTRIBUTE`` encloses the words of one property and may contain others (a *white* beard); ``META-ATTRIBUTE`` encloses a
location phrase and contains one empty ``ATTRIBUTE`` per axis; ``DET`` encloses determiners; a ``DESCRIPTION`` inside
another is one half of a plural. As spans: marked words are one `Span` with their properties, a location phrase has all
its axes, and every other word is a `Span` without properties.
"""

from __future__ import annotations

from typing import Any

from lxml import etree

from referee.errors import MalformedInput
from referee.records import Property, Span


def words(element: Any) -> str:
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
    spans = _plain(element.text)
    for child in element:
        spans += _read_span(child, where) + _plain(child.tail)
    return tuple(spans)


def _plain(text: str | None) -> list[Span]:
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
    return [Span(words(element), properties, inside)]


def read_markup(element: Any) -> list[dict[str, Any]]:
    """Return the markup as JSON values: tag, words, every XML attribute, including determiners, landmarks and polarity."""
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
