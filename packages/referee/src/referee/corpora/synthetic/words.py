"""Words for synthetic descriptions.

A phrase lexicon written for this project, and speakers with individual preferences.

Determiners have the distribution of TUNA's furniture descriptions: "the" 44 %, "a" 11 %, none 45 %. A speaker tends to
repeat their own choices, so texts of one speaker resemble each other more than those of two (as Viethen & Dale 2010 and
many others found for people).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple

from referee.records import Property, Span

BEFORE, HEAD, AFTER = 0, 1, 2
HABIT = 0.7  # the chance that a speaker repeats an earlier choice; chances over all speakers do not depend on it
THE, A = 0.44, 0.11
UNUSUAL_ORDER, NOUN_FIRST, AND = 0.15, 0.2, 0.6


class PlacedWords(NamedTuple):
    """A phrase with its position: before the noun, the noun, or after it, and its rank among neighbours."""

    place: int
    rank: int
    span: Span


# Phrases by property: "before; before | after; after". Nouns stand alone.
_NOUNS = {
    "chair": "chair",
    "sofa": "sofa; couch; settee",
    "desk": "desk; table",
    "fan": "fan; ventilator",
    "person": "man; person; guy",
}
_WORDS = {
    "size:large": "large; big |",
    "size:small": "small; little; tiny |",
    "age:old": "old; older; elderly |",
    "age:young": "young; younger |",
    "colour:red": "red |",
    "colour:blue": "blue |",
    "colour:green": "green |",
    "colour:grey": "grey; gray |",
    "hasHair:1": "| with hair; with a full head of hair",
    "hasHair:0": "bald; balding | with no hair",
    "hairColour:dark": "dark haired | with dark hair; with black hair",
    "hairColour:light": "fair haired | with light hair; with white hair",
    "hasBeard:1": "bearded | with a beard; with beard",
    "hasBeard:0": "clean shaven | without a beard; with no beard",
    "orientation:front": "| facing forward; facing me; seen from the front",
    "orientation:back": "| facing away; facing backwards; seen from behind",
    "orientation:left": "| facing left; turned to the left",
    "orientation:right": "| facing right; turned to the right",
    "hasGlasses:1": "| with glasses; wearing glasses; with spectacles",
    "hasGlasses:0": "| without glasses; with no glasses",
    "hasShirt:1": "| in a shirt; wearing a shirt",
    "hasShirt:0": "| without a shirt",
    "hasTie:1": "| with a tie; wearing a tie",
    "hasTie:0": "| without a tie; wearing no tie",
    "hasSuit:1": "| in a suit; wearing a suit",
    "hasSuit:0": "| without a suit; not in a suit",
    "y-dimension:1": "| in the top row; at the top; on the top row",
    "y-dimension:2": "| in the middle row; in the second row",
    "y-dimension:3": "| in the bottom row; at the bottom; on the bottom row",
    "x-dimension:1": "leftmost | on the far left; in the first column",
    "x-dimension:2": "| on the left; in the second column; second from the left",
    "x-dimension:3": "| in the middle; in the centre; in the middle column",
    "x-dimension:4": "| on the right; in the fourth column; second from the right",
    "x-dimension:5": "rightmost | on the far right; in the last column",
}
_LINES = {"x-dimension": "column", "y-dimension": "row"}
_ORDER = {
    BEFORE: ["x-dimension", "size", "age", "hasHair", "hairColour", "hasBeard", "colour"],
    HEAD: ["type"],
    AFTER: [
        "orientation",
        "hasHair",
        "hairColour",
        "hasBeard",
        "hasGlasses",
        "hasShirt",
        "hasTie",
        "hasSuit",
        "y-dimension",
        "x-dimension",
    ],
}
_THE, _A, _AN, _ONE, _AND = (Span(word) for word in ("the", "a", "an", "one", "and"))


@cache
def list_phrases(prop: Property, numbered: bool = False) -> tuple[PlacedWords, ...]:
    """Return all phrases for a property; on a grid larger than 5 x 3 (`numbered`), rows and columns have numbers."""
    name, value = prop
    if name == "type":
        before, noun, after = "", _NOUNS[value], ""
    elif numbered and name in _LINES:
        before, noun, after = "", "", f"in {_LINES[name]} {value}"
    else:
        before, _, after = _WORDS[f"{name}:{value}"].partition("|")
        noun = ""
    return tuple(
        PlacedWords(place, _ORDER[place].index(name), Span(words, (prop,)))
        for place, texts in ((BEFORE, before), (HEAD, noun), (AFTER, after))
        for words in filter(None, map(str.strip, texts.split(";")))
    )


class SimulatedWording:
    """The wording of one speaker: preferred phrases and a preferred determiner, used most of the time."""

    def __init__(self, typos: float, rng: Random) -> None:
        self.typos, self.rng = typos, rng
        self._favourites: dict[Property, PlacedWords] = {}
        self._determiner = rng.random()

    def word(self, properties: Iterable[Property], numbered: bool = False) -> tuple[Span, ...]:
        """Return spans that together express the properties; the text is their words joined by blanks."""
        chosen = sorted([self._choose_phrase(p, numbered) for p in properties])
        before = [p.span for p in chosen if p.place == BEFORE]
        noun = [p.span for p in chosen if p.place == HEAD]
        after = self._join_after([p.span for p in chosen if p.place == AFTER])
        draw = self.rng.random
        if len(before) > 1 and draw() < UNUSUAL_ORDER:
            before.reverse()
        # Kept or drawn anew from the same line: over all speakers the shares stay those above.
        kind = self._determiner if draw() < HABIT else draw()
        if kind >= THE + A:
            spans = noun + before + after if draw() < NOUN_FIRST else before + noun + after
        else:
            noun = noun or [_ONE]
            spans = [_choose_determiner(kind, (before + noun)[0]), *before, *noun, *after]
        return tuple([self._add_typos(s) for s in spans] if self.typos else spans)

    def _choose_phrase(self, prop: Property, numbered: bool) -> PlacedWords:
        """Return the phrase for a property, usually the speaker's preferred one."""
        draw = self.rng.random
        favourite = self._favourites.get(prop)
        if favourite is not None and draw() < HABIT:
            return favourite
        ways = list_phrases(prop, numbered)
        chosen = ways[int(draw() * len(ways))]
        self._favourites.setdefault(prop, chosen)
        return chosen

    def _join_after(self, after: list[Span]) -> list[Span]:
        """Return the phrases after the noun, usually with "and" between two "with", and sometimes in reverse order."""
        if len(after) < 2:
            return after
        if self.rng.random() < UNUSUAL_ORDER:
            after.reverse()
        joined = after[:1]
        for left, right in pairwise(after):
            if left.text.startswith("with") and right.text.startswith("with") and self.rng.random() < AND:
                joined.append(_AND)
            joined.append(right)
        return joined

    def _add_typos(self, span: Span) -> Span:
        """Return the span with neighbouring letters swapped in some of its longer words."""
        words = [
            self._swap_letters(w) if len(w) > 3 and self.rng.random() < self.typos else w for w in span.text.split()
        ]
        return replace(span, text=" ".join(words))

    def _swap_letters(self, word: str) -> str:
        i = 1 + int(self.rng.random() * (len(word) - 2))
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]


def phrase_plainly(properties: Iterable[Property]) -> str:
    """Return the properties in the plainest words: "the", then the first phrase of each in the usual order."""
    chosen = sorted(list_phrases(p)[0] for p in properties)
    noun = [] if any(p.place == HEAD for p in chosen) else [PlacedWords(HEAD, 0, _ONE)]
    return " ".join(["the", *(p.span.text for p in sorted(chosen + noun))])


def _choose_determiner(kind: float, following: Span) -> Span:
    return _THE if kind < THE else _AN if following.text[0] in "aeiou" else _A
