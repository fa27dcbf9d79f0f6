"""The one description in an answer, without the courtesies, labels and reasons that models put around it; two descriptions are none."""

from __future__ import annotations

import re
from typing import Any

from referee.llm.answer_reading import answer_of
from referee.llm.json_reading import find_json, value_named

__all__ = ["read_described", "read_pairs", "read_words"]

LONGEST = 400
KEYS = ("description", "referring_expression", "expression", "text", "answer", "utterance", "output", "response")


def _beginning(*phrases: str, before: str = "", after: str = "") -> re.Pattern[str]:
    return re.compile(f"^{before}(?:{'|'.join(phrases)}){after}", re.IGNORECASE)


LABEL = _beginning(
    r"description|answer|referring expression|expression|output|response|result",
    before=r"[#>*_\s-]*(?:the |my |a |final |short |possible |good )*",
    after=r"s?(?: of (?:the )?(?:object|target|it)[\w\s]*)?[*_]*\s*(?::|is:|would be:?|could be:?|is(?=\s*[\"“‘']))[*_]*\s*",
)
COURTESY = _beginning(
    r"sure|certainly|of course|absolutely|okay|ok|great|alright|got it|no problem|happy to help|yes",
    r"i understand|understood|here you go",
    after=r"\b[^.:!\n]{0,60}[.!,:]+\s*",
)
ANNOUNCING = _beginning(
    r"here(?:['’]s| is| are)|this is|below is|the following is|to (?:help|identify)|let me|based on|given",
    r"you (?:could|can|might) (?:say|describe it as)|i (?:would|['’]d) (?:say|describe it as|describe)",
    r"we (?:could|can) say|i['’]ll describe",
    after=r"\b[^:\n\"“]{0,120}(?::\s*|\s+(?=[\"“]))",
)
REASON = _beginning(
    r"this (?:description|uniquely|singles|sets|distinguish|identif|object|is|one|phrase|should|allows|would|helps|will)",
    r"explanation|reason(?:ing)?\b|because|note\b|since\b|it (?:is|['’]s) the only|(?:the )?listener",
    r"i (?:chose|used|included|mention)|that (?:should|way|singles)|these (?:details|attributes|features)",
    r"let me know|hope (?:this|that)|i hope|feel free|would you|is there|word count|\(?\d+ words|---|\*\*\*",
    r"the (?:description|combination|colou?r|other objects|words?)\b.{0,40}\b(?:distinguish|unique|identif|single|set)",
    before=r"[\s(*_\[>-]*",
)
QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,})[\"”]")
BULLET = re.compile(r"^\s*(?:[-*•]\s+|\d+[.)]\s+)")
FENCED = re.compile(r"```[\w-]*[ \t]*\n(.*?)\n?```", re.DOTALL)
AROUND = "\"'“”‘’`*_ \t「」"


def read_described(content: str) -> str | None:
    """The words of the one description that was asked for, or None."""
    text = answer_of(content)
    inside = [part.strip() for part in FENCED.findall(text)]
    if len(inside) == 1:
        text = inside[0]
    if "{" in text:
        found = value_named(find_json(text), *KEYS)
        return _whole(found) if isinstance(found, str) else None
    return read_words(text)


def read_words(text: str) -> str | None:
    lines = [line.strip() for line in text.splitlines() if line.strip(AROUND + "-#>")]
    said: list[str] = []
    for line in lines:
        if said and REASON.match(line):
            break
        # Each may bring the next to light: "Sure! Here is a description: ..."
        while (shorter := LABEL.sub("", ANNOUNCING.sub("", COURTESY.sub("", line))).strip()) != line:
            line = shorter
        if line.strip(AROUND) and not (not said and line.endswith(":")):
            said.append(line)
    if len(said) != 1 or (BULLET.match(said[0]) is not None and len(lines) > 2):
        return None
    return _whole(_quoted(BULLET.sub("", said[0])))


def _quoted(line: str) -> str:
    """What stands in quotation marks, where the line only announces it or explains it afterwards."""
    found = QUOTED.findall(line)
    if len(found) != 1:
        return line
    before, after = line.split(found[0], 1)
    announced = not before.strip(AROUND) or before.rstrip(AROUND).endswith((":", "is", "be", "as", "say"))
    explained = not after.strip(AROUND + ".!") or bool(re.match(r"[\"”]\s*[.,–—(-]", after))
    return found[0] if announced and explained else line


def _whole(text: str) -> str | None:
    text = text.strip().strip(AROUND).strip()
    # Markup or a list where words were asked for.
    if not text or "\n" in text or len(text) > LONGEST or text[0] in "{[<" or not re.search(r"\w", text):
        return None
    return text


def read_pairs(content: str) -> tuple[str, list[tuple[str, Any]]] | None:
    """Words and attribute values from an answer that was asked for as JSON."""
    data = find_json(answer_of(content))
    text, given = value_named(data, *KEYS), value_named(data, "properties", "attributes")
    if not isinstance(text, str) or not text.strip() or given is None:
        return None
    try:
        pairs = [(name, value) for name, value in (given.items() if isinstance(given, dict) else map(_pair, given))]
    except (TypeError, ValueError):
        return None
    plain = all(isinstance(name, str) and isinstance(value, (str, int, float)) for name, value in pairs)
    return (text.strip(), pairs) if plain else None


def _pair(given: Any) -> tuple[Any, Any]:
    """``["colour", "red"]``, or ``{"attribute": "colour", "value": "red"}``, or ``{"colour": "red"}``."""
    if isinstance(given, dict):
        if len(given) == 1:
            return next(iter(given.items()))
        return value_named(given, "attribute", "name", "key"), value_named(given, "value")
    name, value = given
    return name, value
