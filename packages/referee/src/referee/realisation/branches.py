"""Splits a description into head, determiner and branches.

The phrases before and after the noun, each with its properties.

Bohnet (2008) split hand-made dependency trees below their root; here the annotated string is split instead, and a
phrase after the noun includes the function words before it. The rule-based and case-based realisers build their strings
from the same parts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from referee.realisation.annotation import HEAD, Example, Properties
from referee.realisation.language import AFTER, BEFORE, Language, Noun
from referee.realisation.phrases import Words
from referee.records import Property


class Branch(NamedTuple):
    """A phrase on one side of the noun."""

    properties: Properties
    words: Words
    side: int

    @property
    def names(self) -> frozenset[str]:
        return frozenset(p.name for p in self.properties)


class Cut(NamedTuple):
    """A description in parts; `head` is empty where there is no noun, `determiner` where there is none."""

    determiner: str
    head: Words
    branches: tuple[Branch, ...]


def cut(example: Example, language: Language) -> Cut:
    """Split a description into head, determiner and branches.

    Function words that open no phrase are dropped, and so is "and". Repeated properties are dropped ("a red chair …
    surrounded by red"). A feature of the target gets a "with" after the noun if it has no opener.
    """
    determiner = _find_determiner(example, language)
    head: Words = ()
    branches: list[Branch] = []
    loose: list[str] = []
    for i, piece in enumerate(example.pieces):
        if not piece.properties:
            loose += piece.words
        elif i == example.head:
            head, loose = piece.words, []
        elif HEAD not in piece.names and not piece.names <= {name for b in branches for name in b.names}:
            behind = example.head is None or i > example.head
            words = _add_opening_words(loose, piece.words, language) if behind else piece.words
            if head and behind and words[0] not in language.openers and any(map(_is_possession, piece.properties)):
                words = (language.having, *words)
            branches.append(Branch(piece.properties, words, AFTER if behind else BEFORE))
            loose = []
    return Cut(determiner, head, tuple(branches))


def cut_all(examples: Iterable[Example], language: Language) -> list[Cut]:
    return [cut(example, language) for example in examples]


def _find_determiner(example: Example, language: Language) -> str:
    """Return the initial article in its form before consonants (an is a)."""
    first = next(iter(example.words), "")
    plain = {changed: word for word, changed in language.before_vowels.items()}
    return plain.get(first, first) if first in language.determiners else ""


def _add_opening_words(loose: Sequence[str], words: Words, language: Language) -> Words:
    """Return a phrase after the noun with its opening function words, from its preposition on.

    A phrase with its own opener keeps only that.
    """
    if words[0] in language.openers:
        return words
    fitting = [w for w in loose if w in language.openers or w in language.determiners]
    start = next((i for i, w in enumerate(fitting) if w in language.openers), None)
    return tuple(fitting[start or 0 :]) + words


def _is_possession(prop: Property) -> bool:
    """Return whether a property is a thing that an object has or lacks (hasBeard:1, fringe:yes)."""
    return prop.name.startswith("has") or prop.value in ("yes", "no")


class Places:
    """The usual side of phrases and their distance from the noun; for a new phrase, by its attributes."""

    def __init__(self, cuts: Iterable[Cut]) -> None:
        self._sides: dict[object, Counter[int]] = {}
        self._ranks: dict[object, list[float]] = {}
        for _, head, branches in cuts:
            if head:
                # From the noun outwards, on either side.
                self._add([b for b in branches if b.side == BEFORE][::-1])
                self._add([b for b in branches if b.side == AFTER])

    def _add(self, branches: Sequence[Branch]) -> None:
        """Count the sides and distances of branches."""
        for distance, branch in enumerate(branches, start=1):
            for key in ((branch.names, branch.words), branch.names):
                self._sides.setdefault(key, Counter())[branch.side] += 1
                self._ranks.setdefault((branch.names, branch.side), []).append(distance)

    def side(self, branch: Branch) -> int:
        """Return the usual side of a phrase, else that of its attributes, else its own."""
        for key in ((branch.names, branch.words), branch.names):
            if key in self._sides:
                return self._sides[key].most_common(1)[0][0]
        return branch.side

    def distance(self, branch: Branch) -> float:
        """Return the mean distance of phrases for these attributes from the noun on this side."""
        ranks = self._ranks.get((branch.names, branch.side))
        # Unseen branches come outermost.
        return sum(ranks) / len(ranks) if ranks else 9.0

    def arrange(self, branches: Iterable[Branch]) -> tuple[list[Branch], list[Branch]]:
        """Return the branches before and after the noun, in the usual order (in the given order if there is none)."""
        placed = sorted(branches, key=self.distance)
        before = [b for b in placed if b.side == BEFORE][::-1]
        return before, [b for b in placed if b.side == AFTER]


def join(
    determiner: str, before: Iterable[Branch], head: str, after: Iterable[Branch], language: Language, gender: str = ""
) -> str:
    """Return the parts as one string in the ways of the language; a determiner needs a word to determine."""
    opening = [" ".join(b.words) for b in before]
    return language.put_together(
        opening,
        Noun(head, gender or language.default.gender),
        [" ".join(b.words) for b in after],
        determiner if head or opening else "",
    )


def make_plain_branches(properties: Sequence[Property], language: Language) -> list[Branch]:
    """Return the language's own phrases, for properties unseen in training."""
    key = frozenset(properties)
    return [Branch(key, tuple(phrase.text.split()), phrase.place) for phrase in language.word(properties)]
