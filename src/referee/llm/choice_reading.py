"""Which of some numbered things an answer chooses, in whatever words it is put; what names none of them, or may mean two, is unread.

In this order: JSON; the whole answer; what follows "answer:"; a sentence that is an answer by itself; the one number that is named as an object anywhere.
"""

from __future__ import annotations

import re
from enum import Enum

from referee.llm.answer_reading import answer_of
from referee.llm.json_reading import find_json, value_named

__all__ = ["Said", "read_number"]


class Said(Enum):
    """Answers that are no number."""

    SEVERAL = "several"
    NONE = "none"
    UNKNOWN = "unknown"
    UNREAD = "unread"


KEYS = (
    *("answer", "choice", "number", "object", "object_number", "index", "id", "target"),
    *("selected", "selection", "final_answer", "result", "option", "item"),
)
NAMES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
ORDINALS = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"]
NUMBERED = {w: i for words in (NAMES, ORDINALS) for i, w in enumerate(words, 1)}
MARKS = "\"'`*_.,:;!-#()[]{}<> \t\n“”‘’「」。"

KIND = r"(?:objects?|numbers?|items?|options?|choices?|images?|pictures?|candidates?|entit(?:y|ies)|no\.?|nr\.?|#)"
DIGITS = r"\d{1,5}(?![\d.,]*\d)(?!\s*%)"
NUMBER = rf"(?:{DIGITS}|(?:{'|'.join(NAMES)})\b)"


def _any(*phrases: str, begin: str = "^", end: str = r"\b") -> re.Pattern[str]:
    return re.compile(f"{begin}(?:{'|'.join(phrases)}){end}", re.IGNORECASE)


# What may stand before an answer without being a part of it; taken off as often as it comes.
OPENING = _any(
    r"okay|ok|sure|certainly|well|yes|right|likely|most likely|probably|definitely|clearly",
    r"i (?:think|believe|would say|choose|pick|select)|i['’]d (?:say|go with|pick|choose)",
    r"my (?:answer|choice) (?:is|would be)",
    r"it(?:['’]s| is| must be| has to be| should be| seems to be| would be| could be| might be| may be)",
    r"that(?:['’]s| is| would be| must be)|this is",
    r"the (?:correct |right |best |final )?(?:answer|object|number|choice|match|target|one|referent)(?: number)? (?:is|would be|must be)",
    r"the (?:described object|object (?:meant|described|being described)) (?:is|would be|must be)",
    r"the (?:best|closest|only|correct) match (?:is|would be)",
    r"the description (?:refers to|matches|fits|describes|points to|is of|best (?:matches|fits|describes))",
    end=r"\b[\s,:!.]*(?:that |the )?",
)
SEVERAL = _any(
    r"several|ambiguous|all (?:of them|of the objects|objects)|either",
    r"(?:both|multiple|many|more than one|two or more|at least two)(?!.*\bbut (?:only|the best)\b)",
    r"it (?:fits|matches|could be) (?:several|more than one|both|multiple)",
    r"there are (?:several|multiple|two|three)",
)
NONE = _any(
    r"none|no(?:thing| object| one| item| such object)|neither|not any|zero|n/a",
    r"it (?:fits|matches) (?:none|no)|there is no (?:such|object|match)",
)
UNKNOWN = _any(
    r"unknown|unclear|undetermined|indeterminate|insufficient",
    r"(?:i )?(?:can['’]?t|cannot|can not) (?:tell|determine|decide|say|know|be (?:sure|determined))",
    r"i(?:['’]m| am) (?:not sure|unsure|unable to (?:tell|determine|decide|identify))",
    r"(?:i )?(?:do not|don['’]?t) know|not (?:sure|clear|possible to tell)",
    r"impossible to (?:tell|say)|it is (?:unclear|impossible)",
)
ANSWER = re.compile(
    r"(?:\banswer|\bchoice|\bconclusion|\bresult)\b[*_\"']*\s*(?:is|would be|must be|:|=|->|→)+[\s*_\"'$]*(?:\\boxed\{)?\s*([^\n]*)"
    r"|\\boxed\{([^}]*)\}",
    re.IGNORECASE,
)
THEREFORE = _any(
    r"therefore|thus|so|hence|in conclusion|which leaves|leaving|that leaves", begin=r"\b", end=r"\b,?([^\n.;]*)"
)
NAMED = re.compile(
    rf"\b{KIND}\s*(?:number\s*)?(?:is\s*|:\s*)?[*_`\"'(\[#]*({NUMBER})"
    rf"|(?<![\w#])#\s?({DIGITS})|\*\*\(?#?({DIGITS})[.)]?\*\*"
    rf"|\bthe ({'|'.join(ORDINALS)}) (?:object|one|item|image|picture)\b",
    re.IGNORECASE,
)
JOINED = rf"(?:\s*(?:,|and|or|/|&|und|oder)+\s*(?:{KIND}\s*)?\(?{NUMBER}\)?)+"
PAIR = re.compile(rf"^(?:{KIND}\s*)?\(?{NUMBER}\)?{JOINED}$", re.IGNORECASE)
LISTED = re.compile(rf"\b{KIND}\s+{NUMBER}{JOINED}", re.IGNORECASE)
LEADING = re.compile(
    rf"^(?:{KIND}\s*(?:number\s*)?)?[\s*_`\"'(\[#]*({NUMBER})[*_`\"')\]]*(?=$|[.,:;)!\s–—-])", re.IGNORECASE
)
SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
REASON = _any(
    r"because|since|as|it|which|the only|is (?:the (?:only|one|correct|answer|best|object)|meant)",
    begin=r"^[\s,;:.()–—-]*",
)
REPORT = re.compile(r"^\W*(?:is|are|has|does|was|looks|seems)\b", re.IGNORECASE)
SIDE_BY_SIDE = _any(r"both|several|more than one|multiple|either|could be", begin=r"\b")
DENIED = _any(r"not|isn['’]t|cannot be|can['’]t be|rules? out|except", begin=r"\b")


def read_number(content: str, most: int) -> int | Said:
    """The number chosen, from 1 to `most`, or what was said instead."""
    text = answer_of(content)
    # A minus belongs to no number of a list.
    if not text or re.match(r"-\d", text):
        return Said.UNREAD
    for reading in (_from_json, _bare, _announced, _opening, _named):
        found = reading(text, most)
        if found is not None:
            return found
    return Said.UNREAD


def _from_json(text: str, most: int) -> int | Said | None:
    value = value_named(find_json(text), *KEYS)
    if isinstance(value, dict):
        value = value_named(value, *KEYS)
    if isinstance(value, list):
        if not value:
            return Said.NONE
        value = value[0] if len(value) == 1 else "several" if all(_number(str(v), most) for v in value) else None
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return _bare(str(value), most) or _opening(str(value), most) or Said.UNREAD


def _bare(text: str, most: int) -> int | Said | None:
    """An answer that is nothing but a number, several numbers, or one of the words."""
    bare = text.strip(MARKS)
    word = bare.lower()
    for said in (Said.SEVERAL, Said.NONE, Said.UNKNOWN):
        if word == said.value:
            return said
    if PAIR.match(bare):
        return _pair(bare, most)
    return _number(re.sub(rf"^{KIND}[\s:#*_(]*", "", bare, flags=re.IGNORECASE).strip(MARKS), most)


def _pair(text: str, most: int) -> Said | None:
    numbers = {_number(n, most) for n in re.findall(NUMBER, text, re.IGNORECASE)}
    return Said.SEVERAL if None not in numbers and len(numbers) > 1 else None


def _number(text: str, most: int) -> int | None:
    word = text.lower()
    place = NUMBERED.get(word) or (int(word) if word.isascii() and word.isdigit() and len(word) < 6 else None)
    return place if place and 1 <= place <= most else None


def _announced(text: str, most: int) -> int | Said | None:
    """What is said after "answer:", the last time it is said; and what a last "so" or "therefore" comes to."""
    for found in reversed(list(ANSWER.finditer(text))):
        said = _phrase(_open(found[1] or found[2] or ""), most)
        if said is not None:
            return said
    for found in reversed(list(THEREFORE.finditer(text))):
        numbers = _names(found[1], most)
        if len(numbers) == 1:
            return numbers.pop()
        said = _phrase(_open(found[1]), most)
        if isinstance(said, Said):
            return said
    return None


def _opening(text: str, most: int) -> int | Said | None:
    """A first or last sentence that is an answer by itself, with reasons after (or before) it."""
    parts = [p for p in SENTENCE.split(text) if p.strip(MARKS)]
    for part in (*parts[:2], *parts[-1:]):
        if (said := _phrase(_open(part), most)) is not None:
            return said
    return None


def _open(part: str) -> str:
    part = part.strip(MARKS)
    while (shorter := OPENING.sub("", part).strip(MARKS)) != part:
        part = shorter
    return part


def _phrase(part: str, most: int) -> int | Said | None:
    for pattern, said in ((UNKNOWN, Said.UNKNOWN), (SEVERAL, Said.SEVERAL), (NONE, Said.NONE)):
        if pattern.match(part):
            return said
    listed = LISTED.match(part)
    if listed or PAIR.match(part):
        return _pair(listed[0] if listed else part, most)
    found = LEADING.match(part)
    if found is None:
        return None
    place, rest = _number(found[1], most), part[found.end() :]
    reasoned = REASON.match(rest)
    # "Object 1 is red" reports; it chooses nothing, and neither do other numbers after it, unless a reason begins.
    if not reasoned and (REPORT.match(rest) or _names(rest, most) - {place}):
        return None
    # A number's name needs more than a word to be one: "one of them" chooses nothing.
    if found[1].isalpha() and rest.strip(MARKS) and not re.match(KIND, part, re.IGNORECASE):
        return None
    return place


def _names(text: str, most: int) -> set[int]:
    found = (next(filter(None, groups)) for groups in NAMED.findall(text))
    return {place for name in found if (place := _number(name, most))}


def _named(text: str, most: int) -> int | Said | None:
    """The one number that is named as an object; several are an answer only where they are set side by side as all fitting."""
    numbers = _names(text, most)
    if SIDE_BY_SIDE.search(text) and len(numbers) != 1:
        return Said.SEVERAL if LISTED.search(text) or len(numbers) > 1 else None
    return numbers.pop() if len(numbers) == 1 and not DENIED.search(text) else None
