"""What words say: a description read back into properties, by the phrases of a language and those that people used (their annotation).

The longest phrase wins. Where one can mean several things ("left") it is taken as charitably as possible: for what was to be said, then for what is true of the
target, then for what people mean by it most.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from referee.realisation.annotation import UNSAYABLE, normalise, read_examples
from referee.realisation.language import Language, spelt
from referee.realisation.organisers import BETTER_WORDS, CONVERTER_WORDS
from referee.records import Entity, Property, Scene, Trial

__all__ = ["ReadBack"]

Words = tuple[str, ...]
Reading = frozenset[Property]
LONGEST = 8


class ReadBack:
    """A lexicon from phrases to what they may express: learned from annotated descriptions, and the language's own for the values of a scene."""

    def __init__(self, language: Language, trials: Iterable[Trial] = ()) -> None:
        self.language = language
        self.learned: dict[Words, Counter[Reading]] = {}
        for example in read_examples(trials):
            for piece in example.pieces:
                expressed = frozenset(p for p in piece.properties if p.value not in UNSAYABLE)
                if expressed:
                    self.learned.setdefault(piece.words[:LONGEST], Counter())[expressed] += 1
        self._forms_of: dict[Property, list[Words]] = {}

    def read(
        self, text: str, chosen: Sequence[Property], scene: Scene, targets: Sequence[Entity]
    ) -> tuple[Property, ...]:
        """The properties that the words express, in their order."""
        words = normalise(text)
        lexicon = self._lexicon({*chosen, *(p for e in scene.entities for p in e.attributes)})
        properties: list[Property] = []
        place = 0
        while place < len(words):
            for size in range(min(LONGEST, len(words) - place), 0, -1):
                phrase = words[place : place + size]
                readings = {**self.learned.get(phrase, {}), **lexicon.get(phrase, {})}
                if readings:
                    properties += sorted(_charitable(readings, set(chosen), targets))
                    place += size
                    break
            else:
                place += 1
        return tuple(dict.fromkeys(properties))

    def _lexicon(self, properties: Iterable[Property]) -> dict[Words, Counter[Reading]]:
        table: dict[Words, Counter[Reading]] = {}
        for prop in sorted(properties):
            for words in self._worded(prop):
                table.setdefault(words, Counter())[frozenset([prop])] += 0
        return table

    def _forms(self, text: str) -> list[str]:
        """A phrase in every gender that it has forms for, and for several things where adjectives follow the number."""
        genders = dict.fromkeys(re.findall(r"[{|](\w*):", text)) or {"": None}
        forms = [spelt(text, gender) for gender in genders]
        endings = self.language.plural_endings
        for form in tuple(forms) if endings else ():
            first, _, rest = form.partition(" ")
            end = max((e for e in endings if first.endswith(e)), key=len, default="")
            forms.append(f"{first[: len(first) - len(end)]}{endings.get(end, '')} {rest}".strip())
        return forms

    def _worded(self, prop: Property) -> list[Words]:
        """The language's phrase for a property, with and without the words that open it."""
        if prop not in self._forms_of:
            nouns = [self.language.noun([prop]).word] if prop.name == "type" or prop in self.language.nouns else []
            several = [self.language.several(self.language.noun([prop])).word] if nouns else []
            texts = (
                [*nouns, *several, *(p.text for p in self.language.word([prop]))] if prop.value not in UNSAYABLE else []
            )
            # The converter of the challenges has words of its own for some places.
            texts += [
                form for words in (CONVERTER_WORDS, BETTER_WORDS) if (form := words.get(prop.name, {}).get(prop.value))
            ]
            whole = [normalise(form) for text in texts for form in self._forms(text)]
            closed = self.language.openers | self.language.determiners
            bare = [w[next((i for i, x in enumerate(w) if x not in closed), len(w)) :] for w in whole]
            # What is denied by its opening ("without a beard") is not said by what follows it.
            denied = [w[:1] == (self.language.lacking,) or "no" in w for w in whole]
            self._forms_of[prop] = [w for w in (*whole, *(b for b, d in zip(bare, denied, strict=True) if not d)) if w]
        return self._forms_of[prop]


def _charitable(readings: dict[Reading, int], chosen: set[Property], targets: Sequence[Entity]) -> Reading:
    def worth(reading: Reading) -> tuple[bool, int, bool, int, list[Property]]:
        true = all(t.has(p) for p in reading for t in targets)
        return (reading <= chosen, len(reading & chosen), true, readings[reading], sorted(reading, reverse=True))

    return max(readings, key=worth)
