"""Praat's TextGrid (long and short text form) converted to the elements of an ELAN file, so that one reader serves
both.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from lxml import etree

from referee.errors import MalformedInput
from referee_lab.tangram.json_lines import decode_text

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
    root = etree.Element(
        "ANNOTATION_DOCUMENT", AUTHOR="", DATE="1970-01-01T00:00:00+00:00", FORMAT="3.0", VERSION="3.0"
    )
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
            aligned = etree.SubElement(
                etree.SubElement(tier, "ANNOTATION"), "ALIGNABLE_ANNOTATION", ANNOTATION_ID=f"a{number}", **refs
            )
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
