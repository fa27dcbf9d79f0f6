"""Marks the referring expressions of a chat before a person does (after the annotation rules of Tokunaga et al. 2010).

An expression is the smallest noun phrase with a word for a piece (*the small triangle on the left*), a pronoun, or a
demonstrative. The words are those of the dialogue's language for its pieces (`piece_lexicon`). Codes by rule, here in
English: `dpr` it, this, that, these, those, them, and *this/that one*; `dad` a demonstrative before another noun; `siz`
a word of size; `typ` a word of shape; `dir` pointing or facing somewhere; `prj` left, right, top, bottom …; `tpl` next
to, near; `ovl` under, on top of; `act` *(that) you moved …*; `cmp` other, another, remaining; `sim` same; `num` a
number. After *put* and similar verbs a position is a goal and does not identify the piece (*put the square at the
top*). *like that*, *that way*, *that's it* and similar phrases are no references.

The referent is proposed from the words (size, colour, shape, place, number) and, among the remaining pieces, by
handling now, else by the last handling or mention. If no piece has all named properties, those with most of them count
(*the purple Z* for an N piece that is the only purple one). If the words fit several pieces equally, all are proposed
as `uncertain`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

from referee.records import Event
from referee_lab.tangram.game.piece_sets import PIECES
from referee_lab.tangram.tiers.dialogue import ACTION, EXPRESSION, MOUSE, OPERATOR, UTTERANCE, Dialogue
from referee_lab.tangram.tiers.piece_lexicon import TRAITS, PieceLexicon, WordFile, find_lexicon, make_lexicon_error
from referee_lab.tangram.tiers.reference_forms import has_pronoun_list, is_pronoun
from referee_lab.tangram.tiers.rex_tiers import mark_expression

Positions = Callable[[float], Mapping[str, tuple[float, float]]]

# Which coordinate decides, and which way.
PLACES = {"left": (0, 1), "right": (0, -1), "top": (1, 1), "bottom": (1, -1)}


# Where words contradict each other: a colour is seen, and a shape is likened to something (*the purple Z* of an N).
WEIGHT = {"size": 1, "colour": 2, "shade": 1, "shape": 1}


class FoundPhrase(NamedTuple):
    """An expression in a text: its characters, its codes, and the properties of the referent in its words."""

    start: int
    end: int
    attributes: tuple[str, ...]
    traits: Mapping[str, frozenset[str]]
    place: str | None
    number: int


def find_phrases(text: str, lexicon: PieceLexicon | None = None) -> tuple[FoundPhrase, ...]:
    """Return the expressions of a text, from left to right.

    The default lexicon is English for the Tangram.
    """
    words = lexicon or find_lexicon("en", PIECES)
    assert words is not None
    matches = (
        m for m in words.phrase.finditer(text) if not m["pronoun"] or not words.has("not_behind", text[: m.start()])
    )
    return tuple(_make_phrase(text, *m.span(), bool(m["pronoun"]), words) for m in matches)


def infer_codes(expression: Event, language: str, pieces: Mapping[str, Mapping[str, str]]) -> tuple[str, ...] | None:
    """Return the codes of an expression by its words.

    None where there are no words for its language and pieces.
    """
    lexicon = find_lexicon(language, pieces)
    text = expression.text or ""
    if lexicon is None or not has_pronoun_list(language):
        return None
    is_pronominal = is_pronoun(Event(kind=EXPRESSION, text=text), language)
    return _make_phrase(text, 0, len(text), is_pronominal, lexicon).attributes


def _make_phrase(text: str, start: int, end: int, pronoun: bool, words: PieceLexicon) -> FoundPhrase:
    """Return one expression with its codes, without a position that is a goal."""
    if words.has("carrying", text[:start]) and (place := words.marks["place"].search(text[start:end])):
        end = start + place.start()
    phrase = text[start:end]
    traits = {trait: meant for trait in TRAITS if (meant := words.says(trait, phrase))}
    region, counted = min(words.says("place", phrase), default=None), min(words.says("number", phrase), default="1")
    count = words.pieces if counted == "all" else int(counted)
    many = count == 1 and (words.marks["several"].match(phrase) or words.has("plural", phrase))
    codes = tuple(_infer_codes(phrase, traits, region, pronoun, words))
    return FoundPhrase(start, end, codes, traits, region, 2 if many else count)


def _infer_codes(
    phrase: str, traits: Mapping[str, frozenset[str]], place: str | None, pronoun: bool, words: PieceLexicon
) -> Iterator[str]:
    """Yield the codes of an expression."""
    pointing = bool(words.marks["demonstrative"].match(phrase))
    other = words.has("others", phrase)
    if (pronoun and not other) or (
        pointing and words.has("stand_in", phrase) and not traits and place is None and not other
    ):
        yield "dpr"
    elif pointing:
        yield "dad"
    facing, over = words.has("dir", phrase), words.has("ovl", phrase)
    rules = (
        ("siz", "size" in traits),
        ("typ", "shape" in traits),
        ("dir", facing),
        # *Pointing left* is a direction and *on top of* an overlap; neither says where the piece lies.
        ("prj", place is not None and not facing and not over),
        ("tpl", words.has("tpl", phrase)),
        ("ovl", over),
        ("act", words.has("act", phrase)),
        ("cmp", other),
        ("sim", words.has("same", phrase)),
        ("num", words.has("number", phrase)),
    )
    yield from (code for code, holds in rules if holds)


def preannotate(dialogue: Dialogue, positions: Positions | None = None, word_file: WordFile | None = None) -> Dialogue:
    """Return the dialogue with proposed expressions in place of its own.

    `positions` gives the positions of the pieces at a time; `word_file` adds words. Raises InputError for a language
    without a lexicon.
    """
    words = find_lexicon(dialogue.language, dialogue.pieces, word_file)
    if words is None:
        raise make_lexicon_error(dialogue.language)
    utterances = dialogue.select_tier(UTTERANCE)
    marked: list[Event] = []
    for index, utterance in enumerate(utterances):
        for phrase in find_phrases(utterance.text or "", words):
            span = (phrase.start, phrase.end)
            event = mark_expression(utterance, index, span, referents=(), attributes=phrase.attributes)
            time = event.start_ms or 0.0
            referents, is_guess = _infer_referents(dialogue, phrase, time, marked, positions, utterance.by)
            data = {**event.data, "uncertain": is_guess, "proposed": True}
            marked.append(replace(event, entities=referents, data=data))
    other_events = [e for e in dialogue.events if e.kind != EXPRESSION]
    order = {UTTERANCE: 0, EXPRESSION: 1}
    events = sorted([*other_events, *marked], key=lambda e: (e.start_ms or 0.0, order.get(e.kind, 2)))
    return replace(dialogue, events=tuple(events))


def _infer_referents(
    dialogue: Dialogue,
    phrase: FoundPhrase,
    time: float,
    before: list[Event],
    positions: Positions | None,
    by: str | None,
) -> tuple[tuple[str, ...], bool]:
    """Return the pieces that the words and the situation allow, and whether the choice is a guess."""
    ranked = list(dict.fromkeys(_rank_by_salience(dialogue, time, before, by)))
    fitting, contradicted = _match_properties(dialogue.pieces, phrase.traits)
    # *The other one* is not the one at hand, but of its shape if there is such.
    if "cmp" in phrase.attributes and ranked:
        kind = dialogue.pieces[ranked[0]].get("shape")
        fitting = [p for p in fitting if p != ranked[0]]
        fitting = [p for p in fitting if dialogue.pieces[p].get("shape") == kind] or fitting
    # No more pieces fit than are meant: the words alone decide.
    if phrase.number >= len(fitting):
        return tuple(fitting), not fitting or contradicted
    if phrase.place and positions and "prj" in phrase.attributes and phrase.number == 1:
        axis, sign = PLACES[phrase.place]
        where = positions(time)
        return (min(fitting, key=lambda p: sign * where[p][axis]),), False
    described = "size" in phrase.traits or "prj" in phrase.attributes or "cmp" in phrase.attributes
    near = [p for p in ranked if p in fitting][: phrase.number]
    if described or len(near) < phrase.number:
        return tuple(fitting), True
    # Without handling and pointing, a pronoun may refer to the next description (*it's the one with …*).
    return tuple(near), dialogue.meta.get("pointer") == "none"


def _match_properties(
    pieces: Mapping[str, Mapping[str, str]], traits: Mapping[str, frozenset[str]]
) -> tuple[list[str], bool]:
    """Return the pieces with most of the named properties, and whether none has all of them."""
    weights = {
        piece: sum(WEIGHT[trait] for trait, meant in traits.items() if meant & {kind.get(trait, ""), piece})
        for piece, kind in pieces.items()
    }
    best = max(weights.values(), default=0)
    return [piece for piece, n in weights.items() if n == best], best < sum(WEIGHT[trait] for trait in traits)


def _rank_by_salience(dialogue: Dialogue, time: float, before: list[Event], by: str | None) -> Iterator[str]:
    """Yield pieces from the most to the least likely referent of *it*: in hand now, then handled or mentioned, latest
    first.

    The operator says *this* of the piece under the cursor. An ambiguous mention counts for the piece under the cursor
    the longest since.
    """
    past = [e for e in dialogue.events if (e.start_ms or 0.0) <= time]
    now = [e for e in past if e.end_ms is not None and e.end_ms > time]
    if by == OPERATOR:
        yield from (p for e in reversed(now) if e.kind == MOUSE for p in e.entities)
    yield from (p for e in reversed(now) if e.kind == ACTION for p in e.entities)
    # An action that is still going on counts as of now, not as of its later end.
    recent = sorted([*(e for e in past if e.kind == ACTION), *before], key=lambda e: min(e.end_ms or 0.0, time))
    for event in reversed(recent):
        if not event.data.get("uncertain"):
            yield from event.entities
        elif stays := _sum_cursor_times(past, event, time):
            yield max(stays, key=lambda p: stays[p])


def _sum_cursor_times(past: list[Event], mention: Event, time: float) -> dict[str, float]:
    """Return how long the cursor was over each candidate of a mention since it was made."""
    since, stays = mention.start_ms or 0.0, dict[str, float]()
    for event in past:
        if event.kind == MOUSE and event.end_ms is not None and event.end_ms > since:
            for piece in set(event.entities) & set(mention.entities):
                shown = min(event.end_ms, time) - max(event.start_ms or 0.0, since)
                stays[piece] = stays.get(piece, 0.0) + shown
    return stays


class SpanAgreement(NamedTuple):
    """Agreement of proposed with gold expressions.

    Numbers of gold and proposed spans, then counts among the spans that both have.
    """

    gold: int
    proposed: int
    same_span: int
    same_attributes: int
    same_referents: int
    uncertain: int
    # Whether the gold expressions carry codes beyond that of a pronoun, as those of corpora do not.
    coded: bool = True


def compare(gold: Dialogue, proposed: Dialogue) -> SpanAgreement:
    """Return counts of agreement between two annotations of the same utterances.

    Expressions without a position (whole turns) are left out.
    """
    reference, yours = (
        {(e.data["utterance"], *e.data["span"]): e for e in d.select_tier(EXPRESSION) if "span" in e.data}
        for d in (gold, proposed)
    )
    both = [(reference[k], yours[k]) for k in reference if k in yours]
    return SpanAgreement(
        gold=len(reference),
        proposed=len(yours),
        same_span=len(both),
        same_attributes=sum(set(a.data.get("attributes", ())) == set(b.data.get("attributes", ())) for a, b in both),
        same_referents=sum(set(a.entities) == set(b.entities) for a, b in both),
        uncertain=sum(bool(b.data.get("uncertain")) for _, b in both),
        coded=any(set(e.data.get("attributes", ())) - {"dpr"} for e in reference.values()),
    )
