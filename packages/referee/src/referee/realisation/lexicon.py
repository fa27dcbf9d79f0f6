"""The words that a language knows for certain.

An attribute or a value that is not among them gets a frame that is grammatical whatever the words are.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path

UNITS: dict[str, dict[str, str]] = tomllib.loads(Path(__file__).with_name("units.toml").read_text("utf-8"))
"""Endings of names that are units, and the names before which ambiguous ones are."""
_PARTICIPLE = re.compile(
    r"(?!\w*eed$|(?:\w*r)?bed$|s[hl]ed$|hundred$|kindred$|hatred$|infrared$|moped$|biped$)\w{2,}ed"
)
_ADJECTIVE = re.compile(r"\w{2,}(?:[a-z]able|ible|[a-z]ful|less|[a-z]ous|-?proof|-(?:free|like|shaped|sided|coloured))")
_PARTICLES = frozenset({"up", "down", "out", "off", "in", "on", "over", "back", "away", "together", "apart", "shut"})
_PLURAL_MODIFIERS = frozenset({"sports", "sales", "goods", "glasses", "clothes", "arms", "savings", "news"})
_PREFIX = re.compile(
    r"(?:half|well|very|quite|partly|partially|fully|slightly|mostly|nearly|almost|\w{2,}ly)[ -](?=\w)"
)


@dataclass(frozen=True, kw_only=True)
class Lexicon:
    """Known words by their kind.

    Args:
        adjectives: words that stand before a noun and behind "is".
        participles: irregular participles (built).
        nouns: countable nouns, in the singular.
        function_words: auxiliaries and prepositions, which no noun has in its midst ("of" is none of them).
        declined: nouns, each with its gender and perhaps its plural; they are among the nouns, too.
        masses: nouns without an article (hair).
        plural_only: nouns without a singular.
        plurals: irregular plurals.
        singulars: singular nouns that look like a plural.
        verbs: verbs in the third person, which look like plurals (holds).
        predicative: adjectives that do not stand before their noun (ajar).
        gerunds: verbs as they follow a noun (holding).
        kinds: attributes whose values are names of kinds.
        qualities: attributes whose values, if they are adjectives, are those of the whole thing.
        adverbs: times and places without a preposition.
        directions: adverbs that follow a verb (looking up).
    """

    adjectives: frozenset[str] = frozenset()
    participles: frozenset[str] = frozenset()
    nouns: frozenset[str] = frozenset()
    function_words: frozenset[str] = frozenset()
    declined: frozenset[str] = frozenset()
    masses: frozenset[str] = frozenset()
    plural_only: frozenset[str] = frozenset()
    plurals: frozenset[str] = frozenset()
    singulars: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    predicative: frozenset[str] = frozenset()
    gerunds: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    qualities: frozenset[str] = frozenset()
    adverbs: frozenset[str] = frozenset()
    directions: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"Lexicon({sum(len(getattr(self, f.name)) for f in fields(self))} words)"

    @classmethod
    def read(cls, language: str) -> Lexicon:
        """Return the lexicon of a language from its file beside this module."""
        tables = tomllib.loads(Path(__file__).with_name(f"{language}.toml").read_text("utf-8"))
        words = {kind: frozenset(" ".join(text.split()).split(", ")) for kind, text in tables.items()}
        declined = {entry.split()[0].lower() for entry in words.get("declined", ())}
        return cls(**words | {"nouns": words.get("nouns", frozenset()) | declined})

    def is_participle(self, word: str) -> bool:
        """Return whether a word is a participle, and no noun that ends as one does."""
        return word in self.participles or (_PARTICIPLE.fullmatch(word) is not None and not self.is_noun(word))

    def is_adjective(self, words: str) -> bool:
        """Return whether words are certainly an adjective or a participle, alone or behind an adverb."""
        if words in self.adjectives | self.predicative or self.is_participle(words):
            return True
        first, _, rest = words.partition(" ")
        if rest in _PARTICLES and self.is_participle(first):
            return True
        if opening := _PREFIX.match(words):
            return self.is_adjective(words[opening.end() :])
        return _ADJECTIVE.fullmatch(words) is not None and not self.is_noun(words)

    def is_noun(self, word: str) -> bool:
        """Return whether a word is a known noun in the singular, or without one."""
        return word in self.nouns or word in self.masses or word in self.plural_only

    def is_plural(self, name: str) -> bool:
        """Return whether the head of a name is, or looks like, a plural."""
        last = name.partition(" of ")[0].rpartition(" ")[2]
        looks_plural = len(last) > 3 and last.endswith("s") and not last.endswith(("ss", "us", "is", "ics"))
        return last in self.plurals | self.plural_only or (looks_plural and last not in self.singulars | self.masses)

    def is_uncounted(self, name: str) -> bool:
        """Return whether a noun takes no indefinite article: hair, glasses, stripes."""
        last = name.rpartition(" ")[2]
        return self.is_plural(name) or bool({name, last} & self.masses)

    def can_be_noun(self, name: str) -> bool:
        """Return whether the name of an attribute can be the subject of a clause ("whose battery level is high")."""
        words = name.split()
        last, before = words[-1], words[:-1]
        if not name.replace(" ", "").replace("-", "").isalpha() or words[0] in self.verbs | self.adverbs:
            return False
        # "Bears fruit" and "struck by lightning" are no nouns; "years of experience" is one.
        is_clause = any(word in self.function_words | _PARTICLES for word in words)
        is_clause = is_clause or any(
            self.is_plural(w) for w in before if "of" not in words and w not in _PLURAL_MODIFIERS
        )
        is_clause = is_clause or last == "of" or last == "like"
        if is_clause or self.is_noun(last) or last in self.qualities | self.kinds:
            return not is_clause
        return not (last in self.adverbs | self.gerunds or self.is_adjective(last) or last.endswith(("ly", "ing")))
