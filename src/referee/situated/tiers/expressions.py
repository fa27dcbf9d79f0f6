"""Marks the referring expressions of an English chat before a person does (after the annotation rules of Tokunaga et al. 2010).

An expression is the smallest noun phrase with a word for a piece (*the small triangle on the left*), a pronoun, or a demonstrative. Codes by
rule: `dpr` it, this, that, these, those, them, and *this/that one*; `dad` a demonstrative before another noun; `siz` a word of size; `typ` a word
of shape; `dir` pointing or facing somewhere; `prj` left, right, top, bottom …; `tpl` next to, near; `ovl` under, on top of; `act` *(that) you
moved …*; `cmp` other, another, remaining; `sim` same; `num` a number. After *put* and its like a place is where to, not which (*put the square
at the top*). *like that*, *that way*, *that's it* and the like are no references.

The referent is proposed from the words (size, shape, place, number) and, among what they leave, from what is being handled, else was handled or
mentioned last. Where the words fit several pieces and nothing speaks for one, all are given as `uncertain`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from referee.records import Event
from referee.situated.tiers.dialogue import ACTION, EXPRESSION, MOUSE, OPERATOR, UTTERANCE, Dialogue
from referee.situated.tiers.rex_tiers import mark_expression

__all__ = ["FoundPhrase", "SpanAgreement", "compare", "find_phrases", "preannotate"]

Positions = Callable[[float], Mapping[str, tuple[float, float]]]

SIZES = {
    "large": "large",
    "big": "large",
    "bigger": "large",
    "biggest": "large",
    "medium": "medium",
    "mid-sized": "medium",
}
SIZES |= {
    "middle-sized": "medium",
    "small": "small",
    "little": "small",
    "smaller": "small",
    "smallest": "small",
    "tiny": "small",
}
SHAPES = {"triangle": "triangle", "square": "square", "parallelogram": "parallelogram", "rhomboid": "parallelogram"}
PLACES = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "upper": (1, 1), "bottom": (1, -1), "lower": (1, -1)}
# All the pieces there are.
NUMBERS = {"two": 2, "both": 2, "three": 3, "four": 4, "all": 7}
_DEMONSTRATIVE = r"this|that|these|those"
_MODIFIER = "|".join(
    (*SIZES, *PLACES, *NUMBERS, "other", "same", "remaining", "last", "first", "second", "next", "of the")
)
_NOUN = rf"(?:{'|'.join(SHAPES)}|piece|one|shape)s?"
_SIDE = r"left|right|top|bottom|upper|lower|middle|far|hand|side|corner"
_WHERE = rf" (?:on|at|in) the(?: (?:{_SIDE}))+"
_DONE = r"(?: just)? (?:moved|took|turned|put|flipped|rotated)(?: away| there| before)?"
_AFTER = (
    rf"{_WHERE}|(?: (?:that|which))? you(?: have|'ve)?{_DONE}| (?:pointing|facing) (?:up|down|left|right)"
    r"|(?: that is| that's)? (?:next to|near|under|underneath|on top of) (?:it|this|that)"
)
_PLACE = re.compile(rf"{_WHERE}$", re.IGNORECASE)
_CARRYING = re.compile(r"\b(?:put|place|bring|move|push|slide|leave|turn|rotate) $", re.IGNORECASE)
_PHRASE = re.compile(
    rf"\b(?P<np>(?:(?:the|an?|another|my|your|{_DEMONSTRATIVE}|both|all)\b ?)(?:(?:{_MODIFIER})\b ?)*(?<= ){_NOUN}\b(?:{_AFTER})?)"
    rf"|\b(?P<pronoun>it|them|{_DEMONSTRATIVE}|(?:the )?other (?:one|two))\b(?!'s it| way| much| far| is (?:it|right|fine|good)|'s (?:it|right|fine|good))",
    re.IGNORECASE,
)
_NOT_BEFORE = re.compile(r"(?:\b(?:like|that's|say|so|think|know|sure|is)|\bit's) $", re.IGNORECASE)


class FoundPhrase(NamedTuple):
    """An expression in a text: its characters, its codes, and what the words say about the referent."""

    start: int
    end: int
    attributes: tuple[str, ...]
    size: str | None
    shape: str | None
    place: str | None
    number: int


def find_phrases(text: str) -> tuple[FoundPhrase, ...]:
    """The expressions of a text, from left to right."""
    found = (m for m in _PHRASE.finditer(text) if m["np"] or not _NOT_BEFORE.search(text[: m.start()]))
    return tuple(_phrase(text, *m.span()) for m in found)


def _phrase(text: str, start: int, end: int) -> FoundPhrase:
    """One expression with its codes, without a place that tells where to put it."""
    if _CARRYING.search(text[:start]) and (place := _PLACE.search(text[start:end])):
        end = start + place.start()
    words = re.findall(r"[\w'-]+", text[start:end].lower())
    singular = [w.removesuffix("s") if w.removesuffix("s") in SHAPES else w for w in words]
    size = next((SIZES[w] for w in words if w in SIZES), None)
    shape = next((SHAPES[w] for w in singular if w in SHAPES), None)
    place = next((w for w in words if w in PLACES), None)
    count = next((NUMBERS[w] for w in words if w in NUMBERS), 1)
    # *this* ends in s and is one.
    many = count == 1 and (words[0] in ("them", "these", "those") or (words[-1].endswith("s") and words[-1] != "this"))
    codes = tuple(_codes(words, size, shape, place))
    return FoundPhrase(start, end, codes, size, shape, place, 2 if many else count)


def _codes(words: list[str], size: str | None, shape: str | None, place: str | None) -> Iterator[str]:
    text, first = " ".join(words), words[0]
    pointing = first in ("this", "that", "these", "those")
    if first in ("it", "them") or (pointing and (len(words) == 1 or words[1] in ("one", "ones"))):
        yield "dpr"
    elif pointing:
        yield "dad"
    rules = (
        ("siz", size is not None),
        ("typ", shape is not None),
        ("dir", bool(re.search(r"\b(?:pointing|facing)\b", text))),
        # *Pointing left* is a direction and *on top of* an overlap; neither says where the piece lies.
        ("prj", place is not None and not re.search(r"\b(?:pointing|facing)\b|on top of", text)),
        ("tpl", bool(re.search(r"\b(?:next to|near|far)\b", text))),
        ("ovl", bool(re.search(r"\b(?:under|underneath|on top of)\b", text))),
        ("act", bool(re.search(r"\byou\b", text))),
        ("cmp", bool({"other", "another", "remaining"} & set(words))),
        ("sim", "same" in words),
        ("num", bool(NUMBERS.keys() & set(words))),
    )
    yield from (code for code, holds in rules if holds)


def preannotate(dialogue: Dialogue, positions: Positions | None = None) -> Dialogue:
    """The dialogue with proposed expressions in place of any it had; `positions` tells where the pieces lay at a time, if known."""
    said = dialogue.tier(UTTERANCE)
    marked: list[Event] = []
    for index, utterance in enumerate(said):
        for phrase in find_phrases(utterance.text or ""):
            marked.append(_proposed(dialogue, utterance, index, phrase, marked, positions))
    kept = [e for e in dialogue.events if e.kind != EXPRESSION]
    order = {UTTERANCE: 0, EXPRESSION: 1}
    events = sorted([*kept, *marked], key=lambda e: (e.start_ms or 0.0, order.get(e.kind, 2)))
    return replace(dialogue, events=tuple(events))


def _proposed(
    dialogue: Dialogue,
    utterance: Event,
    index: int,
    phrase: FoundPhrase,
    before: list[Event],
    positions: Positions | None,
) -> Event:
    blank = mark_expression(
        utterance, index, (phrase.start, phrase.end), referents=(), attributes=phrase.attributes, uncertain=True
    )
    time = blank.start_ms or 0.0
    referents, uncertain = _referents(dialogue, phrase, time, before, positions, utterance.by)
    return replace(blank, entities=referents, data={**blank.data, "uncertain": uncertain, "proposed": True})


def _referents(
    dialogue: Dialogue,
    phrase: FoundPhrase,
    time: float,
    before: list[Event],
    positions: Positions | None,
    by: str | None,
) -> tuple[tuple[str, ...], bool]:
    """The pieces that the words and the situation leave, and whether that is a guess among several."""
    ranked = list(dict.fromkeys(_salient(dialogue, time, before, by)))
    fitting = [
        p
        for p, a in dialogue.pieces.items()
        if phrase.size in (None, a.get("size")) and phrase.shape in (None, a.get("shape"))
    ]
    # *The other one* is not the one at hand, but of its shape if there is such.
    if "cmp" in phrase.attributes and ranked:
        kind = dialogue.pieces[ranked[0]].get("shape")
        fitting = [p for p in fitting if p != ranked[0]]
        fitting = [p for p in fitting if dialogue.pieces[p].get("shape") == kind] or fitting
    # No more pieces fit than are meant: the words alone decide.
    if phrase.number >= len(fitting):
        return tuple(fitting), not fitting
    if phrase.place and positions and "prj" in phrase.attributes and phrase.number == 1:
        axis, sign = PLACES[phrase.place]
        where = positions(time)
        return (min(fitting, key=lambda p: sign * where[p][axis]),), False
    described = phrase.size is not None or "prj" in phrase.attributes or "cmp" in phrase.attributes
    near = [p for p in ranked if p in fitting][: phrase.number]
    if described or len(near) < phrase.number:
        return tuple(fitting), True
    return tuple(near), False


def _salient(dialogue: Dialogue, time: float, before: list[Event], by: str | None) -> Iterator[str]:
    """Pieces from the most to the least likely to be *it*: in hand now, then handled or mentioned, latest first.

    The operator says *this* of what the cursor is over. A mention that fitted several pieces stands for the one the cursor stayed on longest since.
    """
    past = [e for e in dialogue.events if (e.start_ms or 0.0) <= time]
    now = [e for e in past if e.end_ms is not None and e.end_ms > time]
    if by == OPERATOR:
        yield from (p for e in reversed(now) if e.kind == MOUSE for p in e.entities)
    yield from (p for e in reversed(now) if e.kind == ACTION for p in e.entities)
    # What is still going on counts as of now, not as of its later end.
    recent = sorted([*(e for e in past if e.kind == ACTION), *before], key=lambda e: min(e.end_ms or 0.0, time))
    for event in reversed(recent):
        if not event.data.get("uncertain"):
            yield from event.entities
        elif stays := _stays(past, event, time):
            yield max(stays, key=lambda p: stays[p])


def _stays(past: list[Event], mention: Event, time: float) -> dict[str, float]:
    """How long the cursor was over each candidate of a mention since it was made."""
    since, stays = mention.start_ms or 0.0, dict[str, float]()
    for event in past:
        if event.kind == MOUSE and event.end_ms is not None and event.end_ms > since:
            for piece in set(event.entities) & set(mention.entities):
                shown = min(event.end_ms, time) - max(event.start_ms or 0.0, since)
                stays[piece] = stays.get(piece, 0.0) + shown
    return stays


class SpanAgreement(NamedTuple):
    """How well proposed expressions meet known ones: found and proposed spans, then shares among the spans that both have."""

    known: int
    proposed: int
    same_span: int
    same_attributes: int
    same_referents: int
    uncertain: int


def compare(known: Dialogue, proposed: Dialogue) -> SpanAgreement:
    """Counts of agreement between two annotations of the same utterances."""
    mine, yours = ({_key(e): e for e in d.tier(EXPRESSION)} for d in (known, proposed))
    both = [(mine[k], yours[k]) for k in mine if k in yours]
    return SpanAgreement(
        known=len(mine),
        proposed=len(yours),
        same_span=len(both),
        same_attributes=sum(set(a.data["attributes"]) == set(b.data["attributes"]) for a, b in both),
        same_referents=sum(set(a.entities) == set(b.entities) for a, b in both),
        uncertain=sum(bool(b.data.get("uncertain")) for _, b in both),
    )


def _key(event: Event) -> tuple[int, tuple[int, int]]:
    return int(event.data["utterance"]), tuple(event.data["span"])
