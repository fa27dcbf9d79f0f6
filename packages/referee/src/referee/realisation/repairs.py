"""Corrects strings of several sources into one noun phrase.

A head, phrases that may precede it, phrases that must follow it, without repetition.

The published realisers join phrases of different descriptions, and some results are not English ("the in the middle
guy", "glasses white beard"), or empty. None of the papers describes a correction, so this step is ours, and an option
of every entry. A correct string stays unchanged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from referee.contracts import Realiser
from referee.realisation.annotation import HEAD, UNSAYABLE, Example, read_examples
from referee.realisation.chunks import PAUSE, Chunk, Chunker
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.realisation.phrases import Words
from referee.records import Property, SpeakerView, Trial

ADJECTIVES = frozenset({"colour", "size", "age"})
AXES = frozenset({"x-dimension", "y-dimension"})


class Mended:
    """A realiser whose strings are corrected.

    Correct ones are unchanged, and empty ones are replaced by the language's plain words.
    """

    def __init__(self, realiser: Realiser, language: Language = ENGLISH) -> None:
        self.realiser = realiser
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the realiser, and learn from the same trials which words make a phrase and which are nouns."""
        trials = list(trials)
        self.realiser.fit(trials)
        self.mender_ = Mender.learn(read_examples(trials), self.language)
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the corrected string."""
        text = self.realiser.realise(properties, view)
        # Realisers that learn nothing may be asked untrained.
        mender: Mender = getattr(self, "mender_", None) or Mender.learn([], self.language)
        return mender.correct_text(text, properties)


@dataclass(frozen=True)
class Mender:
    """The correction rules with their data: phrases for chunking and the usual noun of a type."""

    language: Language
    chunker: Chunker
    nouns: Mapping[Property, Words]

    @classmethod
    def learn(cls, examples: Iterable[Example], language: Language) -> Self:
        """Learn phrases and nouns from examples."""
        counts: Counter[tuple[Words, frozenset[str]]] = Counter()
        nouns: dict[Property, Counter[Words]] = {}
        for piece in (p for example in examples for p in example.pieces if p.properties):
            counts[piece.words, piece.names] += 1
            if piece.names == {HEAD}:
                nouns.setdefault(next(iter(piece.properties)), Counter())[piece.words] += 1
        usual = {kind: min(uses, key=lambda w: (-uses[w], w)) for kind, uses in nouns.items()}
        return cls(language, Chunker.learn(counts, language), usual)

    def correct_text(self, text: str, properties: Sequence[Property]) -> str:
        """Return the text as one noun phrase; a text that already is one stays unchanged."""
        tokens = re.findall(r"\w+(?:['’-]\w+)*|[,;:.()/]", text.lower())
        words = [word if re.match(r"\w", word) else PAUSE for word in tokens]
        if all(word == PAUSE for word in words):
            return self.language.say(properties)
        determiner, chunks = self.chunker.add_language_words(
            self._choose_noun(properties), self.language.list_phrases(properties)
        ).cut(words)
        chunks = self._drop_repeated_attributes([self._drop_double_openers(c) for c in chunks])
        # People leave the noun out, too (in 8 % of TUNA's descriptions), so mending costs a little edit distance.
        if not any(HEAD in c.names for c in chunks):
            determiner, chunks = self._add_noun(determiner, chunks, properties)
        spoken = [w for c in self._order_chunks(chunks) for w in (*c.lead, *c.words) if w != PAUSE]
        mended = self.language.polish(drop_repeated_words(" ".join([determiner, *spoken]).strip()))
        # Word by word, so that correct strings keep case and punctuation.
        return text if mended.split() == [w for w in words if w != PAUSE] else mended

    def _add_noun(
        self, determiner: str, chunks: Sequence[Chunk], properties: Sequence[Property]
    ) -> tuple[str, list[Chunk]]:
        """Return the phrase with a noun after the adjectives.

        The article of "a beard" stays with the beard, and the noun gets its own.
        """
        place = next((i for i, c in enumerate(chunks) if self._is_after_noun(c) or self._is_region(c)), len(chunks))
        before, after = list(chunks[:place]), list(chunks[place:])
        if determiner and after and not before and self._is_part(after[0]) and not after[0].lead:
            after[0] = after[0]._replace(words=(determiner, *after[0].words))
        after = [c._replace(lead=self.language.inside) if self._is_region(c) and not c.lead else c for c in after]
        noun = Chunk((), self._choose_noun(properties), frozenset({HEAD}))
        return self.language.articles[self.language.default.gender], [*before, noun, *after]

    def _order_chunks(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return adjectives, noun, and after it phrases with openers and parts."""
        head = next(i for i, c in enumerate(chunks) if HEAD in c.names)
        before, noun, after = chunks[:head], chunks[head], chunks[head + 1 :]
        if any(self.language.partitive in c.lead and c.names <= ADJECTIVES | {HEAD} for c in (*before, noun)):
            return list(chunks)  # "the front of a grey desk"
        back = [c for c in after if self._is_misplaced_adjective(c)]
        moved = self._move_after_noun(before)
        after = [self._drop_clause_verb(c) for c in moved] + [c for c in after if c not in back]
        before = [c for c in before if not any(c is m for m in moved)]
        # Colour stands next to the noun, size and age before it.
        early, late = ([c for c in back if (c.names == {"colour"}) is last] for last in (False, True))
        return [
            *(c._replace(lead=()) for c in early),
            *before,
            *(c._replace(lead=()) for c in late),
            noun,
            *self._join_after_noun(after),
        ]

    def _move_after_noun(self, before: Sequence[Chunk]) -> list[Chunk]:
        """Return the phrases that must follow the noun, with the words that belong to them.

        "facing the left" includes "hand side".
        """
        chunks_so_far: list[Chunk] = []
        about: frozenset[str] | None = None
        for chunk in before:
            if self._is_after_noun(chunk):
                about = chunk.names
            elif about is None or chunk.lead or not chunk.names <= about:
                about = None
            if about is not None:
                chunks_so_far.append(chunk)
        return chunks_so_far

    def _drop_clause_verb(self, chunk: Chunk) -> Chunk:
        """Return a clause after the noun without its verb: "man facing left" for "is facing left man"."""
        bare = chunk.strip_punctuation()
        verb = bare.lead[:1] == (self.language.copula,) and bare.lead[1:2] and bare.lead[1] in self.language.openers
        return bare._replace(lead=bare.lead[1:]) if verb else bare

    def _is_misplaced_adjective(self, chunk: Chunk) -> bool:
        """Return whether a plain adjective follows the noun: "chair small", "chair on the left and is small"."""
        loose = set(chunk.lead) <= {self.language.conjunction, self.language.copula}
        return loose and bool(chunk.names) and chunk.names <= ADJECTIVES and len(chunk.words) == 1

    def _choose_noun(self, properties: Sequence[Property]) -> Words:
        """Return the usual noun for the type; without one, the language's generic noun."""
        types = [p for p in properties if p.name == HEAD and p.value not in UNSAYABLE]
        return self.nouns.get(types[0], (self.language.noun(types).word,)) if types else (self.language.default.word,)

    def _is_opened(self, chunk: Chunk) -> bool:
        """Return whether a chunk begins with an opener or contains "of"."""
        return self.language.partitive in chunk.words or any(
            w in self.language.prepositions for w in (*chunk.lead, chunk.words[0])
        )

    def _is_region(self, chunk: Chunk) -> bool:
        return chunk.words[-1] in self.language.regions

    def _is_part(self, chunk: Chunk) -> bool:
        """Return whether a chunk is a part, not an adjective: "white beard", not "bearded"."""
        return HEAD not in chunk.names and chunk.words[-1] in self.language.things

    def _is_after_noun(self, chunk: Chunk) -> bool:
        return self._is_opened(chunk) or self._is_part(chunk)

    def _drop_double_openers(self, chunk: Chunk) -> Chunk:
        """Return one opener for each phrase: of "on an at the bottom" and "the at the top" only the last is kept."""
        words_so_far: list[str] = []
        inside = next((i for i, w in enumerate(chunk.words) if not self.chunker.is_function_word(w)), len(chunk.words))
        opening = [*chunk.lead, *chunk.words[:inside]]
        anew = next((i for i, w in enumerate(opening[:-1]) if w in self.language.resumptive), None)
        if anew is not None:
            opening = opening[anew + 2 :]  # "he is facing the front" is said of the one before
        for word in opening:
            opens = word in self.language.prepositions or word == self.language.conjunction
            if (
                words_so_far
                and words_so_far[-1] in self.language.determiners
                and (opens or word in self.language.determiners)
            ):
                words_so_far.pop()
                if opens and words_so_far and words_so_far[-1] in self.language.prepositions:
                    words_so_far.pop()
            elif words_so_far and words_so_far[-1] in self.language.places_open and word in self.language.places_open:
                words_so_far.pop()
            words_so_far.append(word)
        return Chunk(tuple(words_so_far), self._drop_dangling_of(chunk.words[inside:]), chunk.names)

    def _drop_dangling_of(self, words: Words) -> Words:
        """Return the words without an "of" that nothing follows, or only a noun without an article ("in the middle of
        couch").
        """
        if len(words) > 2 and words[-2] == self.language.partitive and HEAD in self.chunker.phrases.get(words[-1:], ()):
            return words[:-2]
        return words[:-1] if len(words) > 1 and words[-1] == self.language.partitive else words

    def _drop_repeated_attributes(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return chunks without repeated attributes: "red chair at the top red", "right of right"."""
        loose = {self.language.conjunction, self.language.partitive, PAUSE}
        unique: list[Chunk] = []
        for i, chunk in enumerate(chunks):
            repeated = [c for c in unique if c.names == chunk.names]
            if chunk.names <= AXES:
                again = any(c.words == chunk.words for c in repeated)
            elif HEAD in chunk.names:  # "the red one" after "left of" has a right to its noun
                same = any(c.words == chunk.words for c in repeated)
                again = bool(repeated) and (same or bool(chunk.lead)) and set(chunk.lead) <= loose
                again = again and HEAD not in unique[-1].names
            else:
                again = bool(repeated) and set(chunk.lead) <= loose
            ends = i + 1 == len(chunks) or bool(chunks[i + 1].names or chunks[i + 1].lead)
            if not (again and ends and chunk.names and chunk.names <= ADJECTIVES | AXES | {HEAD}):
                unique.append(chunk)
        return unique

    def _join_after_noun(self, chunks: Sequence[Chunk]) -> list[Chunk]:
        """Return the phrases after the noun: bare parts get "with" or "and", nested positions "of"."""
        joined: list[Chunk] = []
        for chunk in chunks:
            last = joined[-1] if joined else None
            if self._is_part(chunk) and not chunk.lead:
                listed = last is not None and self._is_part(last) and last.lead[:1] in self._listing
                chunk = chunk._replace(lead=(self.language.conjunction if listed else self.language.having,))
            elif last and self._repeats_position(last, chunk):
                opening = last.lead or chunk.lead
                joined[-1] = last._replace(lead=opening)
                article = tuple(w for w in chunk.lead if w in self.language.determiners)
                chunk = chunk._replace(lead=(self.language.partitive, *article))
            joined.append(chunk)
        return joined

    @property
    def _listing(self) -> tuple[Words, Words]:
        """Return the words that introduce a list, and those that join its parts."""
        return (self.language.having,), (self.language.conjunction,)

    def _repeats_position(self, inner: Chunk, outer: Chunk) -> bool:
        """Return whether the second position repeats the first one's words and adds to them.

        "in the middle in the middle row".
        """
        places = self.language.places_open
        return (
            bool(self.language.partitive)
            and any(w in places for w in outer.lead)
            and (not inner.lead or any(w in places for w in inner.lead))
            and len(inner.words) < len(outer.words)
            and set(inner.words) <= set(outer.words)
        )


def drop_repeated_words(text: str) -> str:
    """Return the text without immediate repetitions of the same words, the longest first."""
    words = text.split()
    for size in range(min(6, len(words) // 2), 0, -1):
        place = 0
        while place + 2 * size <= len(words):
            if words[place : place + size] == words[place + size : place + 2 * size]:
                del words[place : place + size]
            else:
                place += 1
    return " ".join(words)
