"""A string of words as chunks.

Stretches that speakers used for some attributes, each with the function words in front of it (after Abney 1991).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import dropwhile
from typing import NamedTuple, Self

from referee.realisation.annotation import HEAD
from referee.realisation.language import Language, Phrase
from referee.realisation.phrases import Words
from referee.records import Property

PAUSE = ","
"""Any punctuation."""

LONGEST = 8


class Chunk(NamedTuple):
    """Function words, the words they open, and the attributes these are usually about (none: such words were never marked)."""

    lead: Words
    words: Words
    names: frozenset[str] = frozenset()

    def strip_punctuation(self) -> Chunk:
        """Return the word without punctuation in front."""
        return self._replace(lead=tuple(w for w in self.lead if w != PAUSE))


@dataclass(frozen=True)
class Chunker:
    """Cuts words into the longest phrases it knows."""

    phrases: Mapping[Words, frozenset[str]]
    language: Language

    @classmethod
    def learn(cls, counts: Mapping[tuple[Words, frozenset[str]], int], language: Language) -> Self:
        """Learn phrases from annotated ones with their counts, and from the language, with and without opening function
        words.

        Each has the attributes for which it is most often used.
        """
        seen: dict[Words, Counter[frozenset[str]]] = {}
        for group, phrases in language.phrases.items():
            for phrase in phrases:
                # The language's own phrases weigh as much as one annotated use.
                seen.setdefault(tuple(phrase.text.lower().split()), Counter())[frozenset(p.name for p in group)] += 1
        for noun in (*language.nouns.values(), language.default):
            seen.setdefault((noun.word,), Counter())[frozenset({HEAD})] += 1
        for (words, names), count in counts.items():
            seen.setdefault(words, Counter())[names] += count
        usual = {words: uses.most_common(1)[0][0] for words, uses in seen.items()}
        blank = cls({}, language)
        nouns = {word for words, names in usual.items() if names == {HEAD} for word in words}
        inner = {tuple(dropwhile(blank.is_function_word, words)): names for words, names in usual.items()}
        # "next to the green desk" is a place, "green desk" is none
        inner = {words: names for words, names in inner.items() if HEAD in names or nouns.isdisjoint(words)}
        # A whole phrase takes precedence over parts of others.
        lexicon = {**inner, **usual}
        return cls(
            {words: names for words, names in lexicon.items() if not all(map(blank.is_function_word, words))}, language
        )

    def add_language_words(self, noun: Words, worded: Iterable[tuple[Phrase, frozenset[Property]]]) -> Chunker:
        """Return the chunker with the language's words for properties unseen in training."""
        of_language = {tuple(phrase.text.lower().split()): frozenset(p.name for p in group) for phrase, group in worded}
        new = {words: names for words, names in of_language.items() if words not in self.phrases and len(words) > 1}
        new |= {noun: frozenset({HEAD})} if noun not in self.phrases else {}
        return Chunker({**self.phrases, **new}, self.language) if new else self

    def is_function_word(self, word: str) -> bool:
        """Return whether a word only begins or joins phrases."""
        language = self.language
        return word in language.openers or word in language.determiners or word in (language.conjunction, PAUSE)

    def cut(self, words: Sequence[str]) -> tuple[str, list[Chunk]]:
        """Return the determiner of the whole, if any, and the chunks.

        Function words that open none are dropped.
        """
        rest = tuple(words)
        determiner = rest[0] if rest[0] in self.language.determiners else ""
        while rest and rest[0] in self.language.determiners:
            rest = rest[1:]
        chunks: list[Chunk] = []
        lead: list[str] = []
        while rest:
            size = self._find_longest(rest)
            if size == 0 and self.is_function_word(rest[0]):
                lead.append(rest[0])
            else:
                chunk = rest[: size or 1]
                generic = frozenset({HEAD}) if chunk[0] in self.language.generic_nouns else frozenset()
                chunks.append(Chunk(tuple(lead), chunk, self.phrases.get(chunk, generic)))
                lead = []
            rest = rest[size or 1 :]
        return determiner, chunks

    def _find_longest(self, words: Words) -> int:
        return next((n for n in range(min(LONGEST, len(words)), 0, -1) if words[:n] in self.phrases), 0)
