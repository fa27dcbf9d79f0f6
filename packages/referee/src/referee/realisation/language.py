"""A language as an object: nouns with gender, a phrase and a position for each property, and rules to combine them.

The frame (article, phrases before the noun, noun, phrases after it) is that of the attribute-to-word converter of the
REG challenges (Belz & Gatt 2007); differences between languages are data, so a new language needs no new code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from referee.realisation.annotation import UNSAYABLE
from referee.realisation.lexicon import UNITS, Lexicon
from referee.records import LANDMARKS, Property

BEFORE, AFTER = 0, 1
_YEAR = re.compile(r"[12]\d{3}")
# By letters and by the usual exceptions of sounds: an hour, an 8, an n, a unit, a one.
_VOWEL = re.compile(
    r"(?!uni(?!n|m)|us[eiu]|eu|one\b|once\b|(?-i:U[A-Z]))[aeiou]|(?-i:LED|SUV|[FHLMNRSX][B-DF-HJ-NP-TV-XZ]+[A-Z]?\b)|hour|honest|heir|8|1[18]\b|[fhlmnrsx]\b",
    re.IGNORECASE,
)
_SHADE = re.compile(r"(?:light|dark|pale|bright|deep|medium)[ _-]+(?=\w)", re.IGNORECASE)
NONE = frozenset(
    {
        "none",
        "nothing",
        "absent",
        "missing",
        "nenhum",
        "nenhuma",
        "nada",
        "kein",
        "keine",
        "keins",
        "keiner",
        "keinen",
        "nichts",
    }
)
_TRUTH = frozenset({"0", "1", "true", "false"})
_YES, _NO = frozenset({"1", "yes", "true", "ja", "sim"}), frozenset({"0", "no", "false", "nein", "não"})
_NUMBER = re.compile(r"[-+]?[$£€]?\d[\d.,/:]*(?:(?: ?[%°]| ?[a-zA-Z°²³µ]{1,4}|k[mg]/h| [a-z]+)(?:/[a-z0-9²³]+)?)?")
"""An amount: a number, with its unit if any."""
_NAME_ADJECTIVES = frozenset({"brand", "make", "manufacturer", "nationality"})
_SIDES = frozenset({"left", "right", "front", "back", "rear"})
_COMPOUNDS = frozenset({"kind", "category"})
"""Attributes whose values form a compound with the noun (the bowler hat)."""
_COLOURS = frozenset({"colour", "color", "hue"})
_DEMONYM = re.compile(r"(?:ish|ese|[iec]an|French|Dutch|German|Danish|Greek|Czech|Thai|Swiss|Welsh|Iraqi|Pakistani)$")
_DENIED = re.compile(r"un(?!i|der)(\w+)")
_QUANTITY_UNITS = (" g", " kg", " t", " ml", " cl", " l", " litres", " GB", " MB")
FRAME_RANK = 90


class Noun(NamedTuple):
    """The head of a description; `gender` is a key of the language's articles."""

    word: str
    gender: str = ""


class Phrase(NamedTuple):
    """Words with their position: before or after the noun, and their rank there."""

    place: int
    rank: int
    text: str


class Grades(NamedTuple):
    """The words for more and less of an attribute, for two objects and for several, and for ranks between ("second from
    the left"; {} is the ordinal).

    `dimension` follows a number with its unit ("30 cm tall"), `called` is the language's name of the attribute, `at`
    words a position without a rank ("in column 3").
    """

    more: str
    most: str
    less: str
    least: str
    between: str = ""
    between_low: str = ""
    dimension: str = ""
    called: str = ""
    at: str = ""


class Clauses(NamedTuple):
    """The words of a relative clause; with `verb_last` the verb ends it.

    `lack` denies "has", if that needs other words than `no`. `inverse` words a relation from its other end, with
    {thing}, {relation}, {be}, {which} and {it} ("with {thing} {relation} {it}": the hat with the rabbit in it);
    `inverse_verb` does so for verbs ("that {thing} {be} {relation}": the dog that the man is holding). `which` and `it`
    are the pronouns, by gender and for one and several things, `it_of` those of nouns that have another one (him);
    `located` is "is" of a place, where that is another verb, `no_thing` denies a noun, where `no` does not.
    """

    that: str
    be: tuple[str, str]
    have: tuple[str, str]
    no: str
    either: str
    verb_last: bool = False
    lack: tuple[str, str] | None = None
    inverse: str = ""
    inverse_verb: str = ""
    which: str = ""
    it: tuple[str, str] = ("", "")
    it_of: tuple[tuple[str, str], ...] = ()
    located: tuple[str, str] | None = None
    no_thing: str = ""


@dataclass(frozen=True, kw_only=True)
class Language:
    """The data that a realiser needs about a language.

    `phrases` words properties, alone or several at once (the largest group wins). A form such as ``vermelh{m:o|f:a}``
    follows the gender of the noun. Neighbours that open with the same word of `merging` share it: "with a beard and
    glasses". `openers` can open a phrase behind the noun; a phrase without one gets `having` or, where a property is
    denied, `lacking`. `contractions` join two words into one (Portuguese de + a = da), `before_vowels` changes a word
    before a vowel (English a, an).

    For words that look at a scene (`referee.realisation.wording`): `numbers` and `ordinals` in words, `grades` of
    attributes whose values are numbers, `clauses` for "or" and "not", the `indefinite` article, `plural_endings` of
    adjectives (behind words of `degrees`, too: mais baratos; `invariable` words have none), the genders that plural and
    oblique noun phrases have (`plural_of`, `oblique_of`: keys of `articles`), the one of an adjective behind a verb
    (`predicative`), the ending of several things in an oblique case (`oblique_plural`: den Würfeln), `ranks` of
    attributes before the noun. `lexicon` has the words that the language knows for certain, `possessive` opens the
    frame for others ("whose jaw is square"), and `attribution` is the frame for names that may be no nouns,
    `naming` that for types of unknown gender ("das Objekt vom Typ …"). `prefixes` open names of yes-no attributes
    (hasLid), `participle` is the pattern of regular participles, `inflection` their ending, and `strong` has the endings
    of an adjective without an article ("mit langem Griff"), by gender.

    `negation` stands before an adjective that does not hold. With `numbers_alone` a number needs no "ones" behind it
    ("the two with a handle"). `plurals` has nouns, and endings of nouns, with those for several things ("" is the
    rule); a language without any uses the same noun.

    `patterns` word the values of an attribute behind the noun ("owned by {}"); `numbered` has the preposition of
    attributes whose numbers are names; `statives` are verbs without a progressive form (owning: owns); `antonyms` are
    adjectives with their denial; `aliases` are names that the language itself has for attributes (Farbe: colour).

    `covers` has words that are true of more than one value: "on the left" of what is "on the far left", too. `than`
    compares with a number, `extremes` words superlatives of attributes without `grades`, `anything` and `something` are
    indefinite landmarks. `verb_forms` makes the form of a verb that follows a noun (holds: holding), `verbs` has the
    forms that some of these have in a clause (containing: contains, contain). `genders` and
    `inflections` are endings of nouns with their gender, and of adjectives with their forms, for values that are
    written in the language itself. `abbreviations` are written out in names (cols: columns).

    For mending broken strings: `prepositions` are the openers that cannot stand between an article and its noun, those
    of `places_open` cannot follow each other, `partitive` puts one place within another, `inside` opens a bare one of
    the `regions` (a row, a corner), `things` are had and not adjectives, `generic_nouns` can be the head of any
    description, `resumptive` words (he, it) begin a sentence anew, and the `copula` ends the noun phrase.
    """

    code: str
    articles: Mapping[str, str]
    default: Noun
    nouns: Mapping[Property, Noun]
    phrases: Mapping[frozenset[Property], tuple[Phrase, ...]]
    relations: Mapping[str, str] = field(default_factory=dict)
    merging: tuple[str, ...] = ()
    conjunction: str = ""
    having: str = ""
    lacking: str = ""
    openers: frozenset[str] = frozenset()
    determiners: frozenset[str] = frozenset()
    contractions: Mapping[tuple[str, str], str] = field(default_factory=dict)
    before_vowels: Mapping[str, str] = field(default_factory=dict)
    prepositions: frozenset[str] = frozenset()
    places_open: frozenset[str] = frozenset()
    partitive: str = ""
    inside: tuple[str, ...] = ()
    regions: frozenset[str] = frozenset()
    resumptive: frozenset[str] = frozenset()
    copula: str = ""
    things: frozenset[str] = frozenset()
    generic_nouns: frozenset[str] = frozenset()
    lexicon: Lexicon = field(default_factory=Lexicon)
    possessive: str = ""
    attribution: str = "{}: {}"
    answers: tuple[str, str] = ("yes", "no")
    naming: str = ""
    prefixes: str = "has|is"
    participle: str = ""
    inflection: str = ""
    strong: Mapping[str, str] = field(default_factory=dict)
    negation: str = ""
    plurals: Mapping[str, str] = field(default_factory=dict)
    adjectives: int = BEFORE
    unnamed_rank: int = 50
    numbers: Mapping[int, str] = field(default_factory=dict)
    numbers_alone: bool = False
    singular_numeral: str = ""
    degrees: frozenset[str] = frozenset()
    invariable: frozenset[str] = frozenset()
    predicative: str = ""
    oblique_plural: str = ""
    grades: Mapping[str, Grades] = field(default_factory=dict)
    ordinals: Mapping[int, str] = field(default_factory=dict)
    clauses: Clauses | None = None
    indefinite: str = ""
    plural_endings: Mapping[str, str] = field(default_factory=dict)
    plural_of: Mapping[str, str] = field(default_factory=dict)
    oblique_of: Mapping[str, str] = field(default_factory=dict)
    ranks: Mapping[str, int] = field(default_factory=dict)
    patterns: Mapping[str, str] = field(default_factory=dict)
    numbered: Mapping[str, str] = field(default_factory=dict)
    statives: Mapping[str, str] = field(default_factory=dict)
    antonyms: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    abbreviations: Mapping[str, str] = field(default_factory=lambda: {"ph": "pH"})
    capital_nouns: bool = False
    participle_rank: int = 70
    covers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    than: str = ""
    extremes: Mapping[str, str] = field(default_factory=dict)
    anything: str = ""
    something: str = ""
    verb_forms: Callable[[str], str] | None = None
    verbs: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    genders: Mapping[str, str] = field(default_factory=dict)
    inflections: Mapping[str, str] = field(default_factory=dict)
    _words: dict[Property, str] = field(default_factory=dict, init=False, repr=False, compare=False)

    def __str__(self) -> str:
        return self.code

    def noun(self, properties: Iterable[Property]) -> Noun:
        """Return the noun for the type; an unknown type is its own noun."""
        mentioned = list(properties)
        nouns = [self.nouns[p] for p in mentioned if p in self.nouns]
        unknown = [self._make_unknown_noun(p.value) for p in mentioned if p.name == "type" and p.value not in UNSAYABLE]
        return (nouns + unknown + [self.default])[0]

    def _make_unknown_noun(self, value: str) -> Noun:
        """Return the noun for a type that the language lacks: the type itself, with its gender if it is written in the
        language.
        """
        word = split_name(value)
        same = [noun for noun in self.nouns.values() if noun.word.lower() == word]
        endings = [end for end in self.genders if word.endswith(end) and not (self.capital_nouns and value.islower())]
        gender = self.genders[max(endings, key=len)] if endings else self.default.gender
        if self.naming and not (same or endings):
            return self.default._replace(word=f"{self.default.word} {self.naming.format(_format_value(value))}")
        return same[0] if same else Noun(self._capitalise_noun(_format_value_words(value, keeps_case=False)), gender)

    def words_of(self, prop: Property) -> str:
        """Return the words for one property; a hearer cannot distinguish properties with the same words."""
        if prop not in self._words:
            is_noun = prop.name == "type" or prop in self.nouns
            phrases = [] if is_noun else [p.text for p in self.word([prop])]
            self._words[prop] = self.noun([prop]).word if is_noun else " ".join(phrases) or str(prop)
        return self._words[prop]

    def is_covered(self, value: str, other: str) -> bool:
        """Return whether words for a value are true of another value, too: a long beard is a beard, and light blue is blue."""
        if value.lower() in _YES - {"1"}:
            return not re.search(r"\d", other) and other.lower() not in _NO | NONE
        return bool(_SHADE.match(other)) and _SHADE.sub("", other) == value

    def relation(self, name: str) -> str:
        """Return the words for a relation: a preposition, or a verb in the form that follows a noun."""
        if name in self.relations:
            return self.relations[name]
        words = split_name(name).removeprefix("is ").removeprefix("to the ")
        if (written := words.replace(" ", "-")) in self.relations:
            return self.relations[written]
        return self.verb_forms(words) if self.verb_forms is not None else words

    def say_inverse(self, relation: str, thing: str, noun: Noun, number: int, other: str = "") -> str:
        """Return a relation from its other end, after the noun.

        "with the rabbit in it", "with the rabbit between it and the hat"; empty if the language has no words for it.
        """
        words = self.clauses
        if words is None:
            return ""
        is_verb = relation.partition(" ")[0].endswith("ing") or relation == self.having
        pattern = words.inverse_verb if is_verb and words.inverse_verb else words.inverse
        if relation == self.having and words.inverse_verb:
            # A possession is worded "the beard that the man has".
            pattern, relation = pattern.replace("{be} {relation}", words.have[0]), ""
        verb, _, rest = relation.partition(" ")
        if verb in self.statives:
            pattern, relation = pattern.replace("{be} {relation}", f"{self.statives[verb]} {rest}".strip()), ""
        be = (words.located or words.be)[0]
        it = words.it[1] if number > 1 else dict(words.it_of).get(noun.word, words.it[0])
        joint = f" {self.conjunction} {other}" if other else ""
        which = choose_gender_form(words.which, noun.gender) + joint
        return pattern.format(thing=thing, relation=relation, be=be, which=which, it=it + joint)

    def several(self, noun: Noun) -> Noun:
        """Return the noun for more than one object; the longest ending that the language has determines it."""
        # An ending that opens with a blank is a whole word: "pão", and not "tampão".
        endings = [end for end in self.plurals if f" {noun.word}".endswith(end)]
        end = max(endings, key=len, default="")
        head, naming, kind = noun.word.partition(" " + (self.naming.partition("{")[0] or "\n"))
        if naming:
            return noun._replace(word=self.several(Noun(head)).word + naming + kind)
        if not endings or (len(end) < 3 and self.lexicon.is_plural(noun.word) and self._is_known_noun(noun.word)):
            return noun
        head, partitive, of = noun.word.partition(f" {self.partitive} ")
        if self.partitive and partitive and partitive not in end:
            return noun._replace(word=f"{self.several(Noun(head)).word}{partitive}{of}")
        plural = self.plurals[end]
        if self.partitive and plural.endswith(f" {self.partitive} {end}"):
            # The plural of safety goggles is "pairs of safety goggles".
            return noun._replace(word=plural.removesuffix(end) + noun.word)
        return noun._replace(word=(f" {noun.word}".removesuffix(end) + plural).strip())

    def word(self, properties: Sequence[Property]) -> list[Phrase]:
        """Return phrases for all properties except the noun's, in order, without relations (which need a landmark) and
        values without words.
        """
        return [phrase for phrase, _ in self.list_phrases(properties)]

    def list_phrases(self, properties: Sequence[Property]) -> list[tuple[Phrase, frozenset[Property]]]:
        """Return the phrases of `word`, each with its properties."""
        silent = {"type", *self.relations}
        sayable = [p for p in dict.fromkeys(properties) if p.name not in silent and p.value not in UNSAYABLE]
        unworded = {self._canonicalise(p): p for p in sayable if p not in self.nouns}
        left = list(unworded)
        fitting = [group for group in self.phrases if group <= unworded.keys()]
        worded: list[tuple[Phrase, frozenset[Property]]] = []
        # Sorted within a size, since sets have another order in every process.
        for group in sorted(fitting, key=lambda g: (-len(g), sorted(g))):
            if all(p in left for p in group):
                expressed = frozenset(unworded[p] for p in group)
                worded += [(phrase, expressed) for phrase in self.phrases[group]]
                left = [p for p in left if p not in group]
        worded += [(self.describe_unknown(unworded[p]), frozenset([unworded[p]])) for p in left]
        return sorted(worded, key=lambda item: (item[0], sorted(item[1])))

    def _capitalise_noun(self, noun: str) -> str:
        return noun.title() if self.capital_nouns else noun

    def _canonicalise(self, prop: Property) -> Property:
        """Return a property under the name of its attribute in the tables of the language.

        A number of plays is no playing.
        """
        name = self.aliases.get(prop.name.lower(), prop.name)
        is_count = name.endswith("ing") and prop.name.endswith("s") and prop.value.isdecimal()
        return prop if is_count and 1 < int(prop.value) < 1000 else Property(name, prop.value)

    def describe_unknown(self, prop: Property) -> Phrase:
        """Return words for a property without a phrase.

        Words that the lexicon knows for certain are put as usual ("with a red lid", "holding a ball"); all others get
        a frame that is grammatical whatever they are.
        """
        name = self._split_attribute(self._canonicalise(prop).name)
        frames = (
            self._say_unit,
            self._say_pattern,
            self._say_answer,
            self._say_lack,
            self._say_action,
            self._say_amount,
            self._say_quality,
            self._say_part,
        )
        value = prop.value.strip() if re.search(r"\d", prop.value) else _format_value_words(prop.value)
        phrases = (frame(prop, name, value) for frame in frames)
        return next((phrase for phrase in phrases if phrase is not None), None) or self.say_plainly(prop)

    def _split_attribute(self, name: str) -> str:
        """Return the name of an attribute as words, without "has" and "is"."""
        words = split_name(re.sub(rf"^(?:{self.prefixes})(?=[A-Z_. -])", "", name)).split()
        return " ".join(self.abbreviations.get(word, word) for word in words)

    def say_plainly(self, prop: Property, is_number: bool = False) -> Phrase:
        """Return a property in a frame for any words: "whose jaw is square", 'with "tolls: avoid"'.

        With `is_number` a 0 is no "no", and the name of a part no amount.
        """
        name, value = self._split_attribute(prop.name), _format_value_words(prop.value)
        value = prop.value.strip() if re.search(r"\d", value) else value
        answer = self.answers[value.lower() in _NO] if value.lower() in _YES | _NO and not is_number else ""
        # "Reclines" may be a verb, "eyelids" are known.
        is_sure = self.lexicon.can_be_noun(name) and (not self.lexicon.is_plural(name) or self._is_known_noun(name))
        is_other = answer or (is_number and name in self.lexicon.nouns) or not is_sure
        if is_other or not self.possessive or self.clauses is None:
            name = _format_value(prop.name) if self.capital_nouns else name
            return Phrase(AFTER, self.unnamed_rank, self.attribution.format(name, answer or _format_value(prop.value)))
        is_kind = name.rpartition(" ")[2] in self.lexicon.kinds and re.fullmatch(r"[a-z -]+", value)
        is_known = is_kind or _NUMBER.fullmatch(value) or self.lexicon.is_adjective(value)
        is_known = is_known or value.rpartition(" ")[2] in self.lexicon.masses
        said = value if is_known and value not in NONE else f'"{_format_value(prop.value)}"'
        verb = self.clauses.be[self.lexicon.is_plural(name)]
        return Phrase(AFTER, FRAME_RANK, f"{self.possessive} {name} {verb} {said}")

    @property
    def _had_rank(self) -> int:
        """The rank of parts, which follow all adjectives."""
        return self.participle_rank if self.adjectives == AFTER else self.unnamed_rank

    def _say_pattern(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return the words of an attribute that the language has a pattern for ("owned by Ann", "in row 2")."""
        if value.lower() in NONE:
            return None
        pattern = self.patterns.get(prop.name) or self.patterns.get(name, "")
        if pattern.startswith("from") and (_DEMONYM.search(value) or re.fullmatch(r"(?![12]\d{3}$)\d+", value)):
            return None
        opening = pattern.partition(" ")[0]
        is_action = opening in self.lexicon.gerunds or self.lexicon.is_participle(opening)
        rank = self.participle_rank if is_action else self.unnamed_rank - self.adjectives
        if '"' in pattern and not self._is_adjective(value):
            return Phrase(AFTER, rank, pattern.format(prop.value))
        if not self.indefinite and any(map(self._is_adjective, value.split())):
            return None
        if pattern and (thing := self._make_object(value)):
            return Phrase(AFTER, rank, pattern.format(thing))
        if name in self.numbered and re.fullmatch(r"\d+|[A-Z]\d*", value):
            return Phrase(AFTER, self.unnamed_rank, f"{self.numbered[name]} {value}")
        if self.possessive and re.fullmatch(r"[A-Za-z]{1,3}-?\d[\w.]*", value) and self.lexicon.can_be_noun(name):
            return Phrase(AFTER, self.unnamed_rank, f"{self.having} {name} {value}")
        return None

    def _say_unit(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return the words of a number whose unit ends the name of its attribute (length_km)."""
        quantity, unit = self.split_unit(name)
        if not (unit and re.fullmatch(r"-?\d+(?:\.\d+)?", value)):
            return None
        called = _format_value(prop.name).rpartition(" ")[0] if self.capital_nouns else quantity
        words = self.measured(called or quantity, f"{value}{'' if unit in '%°' else ' '}{unit}")
        return Phrase(AFTER, self.unnamed_rank, words) if words else None

    def split_unit(self, name: str) -> tuple[str, str]:
        """Return the name of an amount without the unit that ends it, and this unit; an empty one if it has none."""
        quantity, _, suffix = name.rpartition(" ")
        unit, names = UNITS["units"].get(suffix, ""), UNITS["quantities"].get(suffix, quantity).split()
        is_amount = f" {unit}" in _QUANTITY_UNITS and quantity in self.lexicon.masses
        return (quantity, unit) if unit and (is_amount or {*quantity.split()[-1:]} & {*names}) else (name, "")

    def _say_answer(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return the words of a yes-no attribute: a part that is had or lacking, or an adjective; None if it may be either."""
        if value.lower() not in _YES | _NO or self.clauses is None:
            return None
        is_yes, denial = value.lower() in _YES, self.clauses.no
        name = self.aliases.get(name, name)
        is_had = re.match(r"(?:has|hat|tem)(?=[A-Z_. -])", prop.name) is not None
        is_thing = (is_had and self.lexicon.can_be_noun(name)) or self._is_part(name)
        is_state = self._is_adjective(name) or name in self.aliases.values()
        if is_thing and (is_had or not is_state):
            if not is_yes:
                return Phrase(AFTER, self._had_rank, self._express_lack(name))
            article = "" if self.lexicon.is_uncounted(name) or not self.indefinite else f"{self.indefinite} "
            return Phrase(AFTER, self._had_rank, f"{self.having} {article}{self._capitalise_noun(name)}")
        if is_thing or not is_state or (not is_yes and self.adjectives == AFTER and name.endswith("ndo")):
            return None
        if (" " in name or name in self.lexicon.predicative) and self.indefinite:
            clause = f"{self.clauses.that} {self.clauses.be[0]} {'' if is_yes else f'{denial} '}{name}"
            return Phrase(AFTER, self.participle_rank, clause)
        if not is_yes and (positive := _DENIED.fullmatch(name)) and self._is_adjective(positive[1]):
            name, is_yes = positive[1], True
        if not is_yes and name in self.antonyms:
            name, is_yes = self.antonyms[name], True
        rank = self.ranks.get("quality", self.unnamed_rank - self.adjectives)
        adjective = self._make_adjective(Property(prop.name, name))
        return Phrase(self.adjectives, rank, adjective if is_yes else f"{self.negation}{adjective}")

    def _say_lack(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return the words of something that is lacking ("without a lid")."""
        is_sure = self.lexicon.can_be_noun(name) if self.indefinite else name.isalpha()
        return Phrase(AFTER, self._had_rank, self._express_lack(name)) if value.lower() in NONE and is_sure else None

    def _express_lack(self, name: str) -> str:
        """Return words for a part that is lacking; "no" goes before any noun, an article only before countable ones."""
        if not self.indefinite:
            return f"{self.lacking} {self._capitalise_noun(name)}"
        if not self._is_part(name):
            return f"{self.having} no {name}"
        return f"{self.lacking} {'' if self.lexicon.is_uncounted(name) else f'{self.indefinite} '}{name}"

    def _say_action(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return the words of an attribute that is a verb as it follows a noun ("holding a ball", "built in 1975")."""
        first, _, rest = name.partition(" ")
        is_action = first in self.lexicon.gerunds or (self.lexicon.is_participle(first) and bool(self.indefinite))
        if not is_action or (rest and rest not in self.openers):
            return None
        is_passive = not rest and first not in self.lexicon.gerunds
        year = "in " if _YEAR.fullmatch(value) else "at " if re.match(r"\d?\d:\d\d", value) else ""
        thing = (
            "nothing"
            if value in NONE and not rest
            else f"{year}{value}"
            if year and not rest
            else self._make_object(value)
        )
        # "Watered yesterday" and "planted in 1990", but not "cracked a corner" or "attacked by 2".
        if is_passive and not (year or value in self.lexicon.adverbs or first in {"made", "painted"}):
            return None
        # A material has no article, and a word with one may be another thing ("a straw").
        is_material = re.fullmatch(r"\w+ (?:out )?of|made from", name) is not None
        if not thing or (value.isdecimal() and not year) or (is_material and thing != value):
            return None
        return Phrase(AFTER, self.participle_rank, f"{name} {thing}")

    def _make_object(self, thing: str) -> str:
        """Return the object of a verb or preposition, with an article if it is a countable thing; empty if that is unknown."""
        first, _, last = thing.rpartition(" ")
        is_bare = thing[:1].isupper() or thing[:1].isdigit() or thing in self.lexicon.adverbs | self.lexicon.directions
        is_bare = is_bare or not self.indefinite
        if is_bare or re.match(r"(?:an?|the|no|his|her|its) \w", thing):
            return thing
        is_sure = self._is_known_noun(last) and all(
            self._is_adjective(w) or self.lexicon.is_noun(w) for w in first.split()
        )
        if not is_sure:
            return ""
        return thing if self.lexicon.is_uncounted(thing) else f"{self.indefinite} {thing}"

    def _say_amount(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return the words of a number; 0 and 1 are an answer where no other attribute of the scene says more."""
        return None if value in _TRUTH or not _NUMBER.fullmatch(value) else self.say_number(prop)

    def say_number(self, prop: Property) -> Phrase:
        """Return the words of a number: "with three dots", "with a weight of 3 kg"."""
        name, value = self._split_attribute(prop.name), prop.value.strip()
        if phrase := self._say_unit(prop, name, value):
            return phrase
        is_clock = value.endswith((" am", " pm"))
        if not self.indefinite:
            is_measure = bool(self.partitive) and name.isalpha() and re.fullmatch(r"\d[\d.,]* [^\W\d]+", value)
            is_count = (
                bool(self.partitive) and name.isalpha() and name.endswith("s") and value.isdecimal() and int(value) > 1
            )
            words = f"{self.having} {name} {self.partitive} {value}" if is_measure else ""
            words = f"{self.having} {value} {name}" if is_count else words
            return Phrase(AFTER, self.unnamed_rank, words) if words else self.say_plainly(prop, is_number=True)
        words = self.counted(prop) or ("" if is_clock or name in self.lexicon.nouns else self.measured(name, value))
        rank = FRAME_RANK if self.possessive and words.startswith(self.possessive) else self.unnamed_rank
        return Phrase(AFTER, rank, words) if words else self.say_plainly(prop, is_number=True)

    def _say_quality(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return a value as an adjective of the whole thing, if it is one."""
        if name not in self.lexicon.qualities and (name not in self.ranks or name == "shade"):
            return None
        is_name = name in _NAME_ADJECTIVES and prop.value[:1].isupper()
        is_compound = name in _COMPOUNDS and re.fullmatch(r"[a-z]+(?:[ -][a-z]+)?", value)
        is_material = name == "material" and value in self.lexicon.masses
        is_colour = name in _COLOURS and re.fullmatch(r"[a-z]+(?:[ -][a-z]+)?", value) and value not in NONE
        if value in self.lexicon.predicative and self.clauses is not None:
            return Phrase(AFTER, self.participle_rank, f"{self.clauses.that} {self.clauses.be[0]} {value}")
        if not (
            self._is_adjective(value) or (self.indefinite and (is_name or is_compound or is_material or is_colour))
        ):
            return None
        rank = self.ranks.get(prop.name, self.unnamed_rank - self.adjectives)
        return Phrase(self.adjectives, rank, self._make_adjective(prop))

    def _say_part(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return a part with its quality ("with long sleeves", "with a steel ferrule")."""
        name = re.sub(r"(?<=^hair|^skin) (?:colou?r|length)$", "", name)
        name = re.sub(r"^(eye|lip|eyebrow|shoe) colou?r$", r"\1s", name)
        if (
            self.indefinite
            and value in ("many", "few")
            and self.lexicon.is_plural(name)
            and self.lexicon.can_be_noun(name)
        ):
            return Phrase(AFTER, self.unnamed_rank, f"{self.having} {value} {name}")
        if not self.indefinite:
            return self._say_inflected_part(prop, name, value)
        # "Leaves" are parts if they are dry, "faces" a verb if it is left.
        is_part = self._is_part(name) or (self._is_known_noun(name) and " " not in name and value not in _SIDES)
        if not is_part or " of " in name or name in self.lexicon.qualities:
            return None
        if value in ("on", "off"):
            return Phrase(AFTER, self._had_rank, f"{self.having} {self.articles[self.default.gender]} {name} {value}")
        is_material = value in self.lexicon.masses and name not in self.lexicon.masses
        is_name = re.fullmatch(r"[A-Z]{2,}", value) and not self.lexicon.is_plural(name)
        if value in self.lexicon.predicative or not (is_material or is_name or self._is_adjective(value)):
            return None
        article = "" if self.lexicon.is_uncounted(name) else f"{self.indefinite} "
        return Phrase(AFTER, self.unnamed_rank, f"{self.having} {article}{value} {name}")

    def _say_inflected_part(self, prop: Property, name: str, value: str) -> Phrase | None:
        """Return a part with its quality, where adjectives agree with it: "mit langem Griff", "com mangas compridas"."""
        if name in self.lexicon.qualities or not (value.islower() and self._is_adjective(value)):
            return None
        if self.adjectives == AFTER:
            ends = [next((e for e in ("os", "as", "o", "a") if word.endswith(e)), "") for word in (name, value)]
            is_agreeing = ends[0] == ends[1] != "" and name in self.lexicon.nouns
            return Phrase(AFTER, self.unnamed_rank, f"{self.having} {name} {value}") if is_agreeing else None
        for noun in self.nouns.values():
            many = self.several(noun).word
            if name in (noun.word.lower(), many.lower()) and noun.gender in self.strong:
                if many == noun.word:
                    return None
                is_plural = name == many.lower()
                gender = self.plural_of[noun.gender] if is_plural else noun.gender
                thing = many + ("" if many.endswith(("n", "s")) else self.oblique_plural) if is_plural else noun.word
                adjective = self._make_adjective(prop)
                if "{" in adjective:
                    adjective = choose_gender_form(adjective, noun.gender).removesuffix("e") + self.strong[gender]
                return Phrase(AFTER, self.unnamed_rank, f"{self.having} {adjective} {thing}")
        return None

    def _is_adjective(self, words: str) -> bool:
        """Return whether words are an adjective: a known one, or by its ending in a language that inflects them."""
        if self.indefinite:
            return self.lexicon.is_adjective(words)
        is_regular = bool(self.participle) and re.fullmatch(self.participle, words) is not None
        is_listed = words in self.lexicon.adjectives or (not self.participle and words.isalpha())
        return is_listed or is_regular or (self.capital_nouns and any(words.endswith(e) for e in self.inflections))

    def _is_known_noun(self, words: str) -> bool:
        """Return whether the last of some words is a known noun, in the singular or the plural."""
        last = words.rpartition(" ")[2]
        if self.lexicon.is_noun(last) or last in self.lexicon.plurals:
            return True
        return self.lexicon.is_plural(last) and self._find_singular(last) in self.lexicon.nouns

    def _is_part(self, name: str) -> bool:
        """Return whether the name of an attribute is certainly a noun."""
        return self.lexicon.can_be_noun(name) and self._is_known_noun(name)

    def _make_adjective(self, prop: Property) -> str:
        """Return a value as an adjective; one from the language's tables is inflected."""
        word = _format_value_words(prop.value)
        for group, phrases in self.phrases.items():
            if len(group) == 1 and len(phrases) == 1 and next(iter(group)).name == prop.name:
                text = phrases[0].text
                forms = {choose_gender_form(text, gender) for gender in (*self.articles, self.predicative)}
                if "{" in text and word in forms:
                    return text
        end = max((end for end in self.inflections if word.endswith(end)), key=len, default="")
        return word.removesuffix(end) + self.inflections.get(end, "") if end else word + self.inflection

    def counted(self, prop: Property) -> str:
        """Return a number of parts ("with 3 dots", "without wheels").

        Empty if the attribute is no part, or the value no integer.
        """
        full_name = self._split_attribute(prop.name)
        name = re.sub(r"^(?:has|number of|number|num|count of) | count$", "", full_name)
        named = name != full_name
        name, of, whole = name.partition(f" {self.partitive} ")
        is_plural = self.lexicon.is_plural(name) and name not in self.grades
        is_sure = self.lexicon.can_be_noun(name) or self._find_singular(name) in self.lexicon.nouns
        is_count = prop.value.isdecimal() and (named or is_plural) and is_sure
        if not (self.indefinite and is_count):
            return ""
        single = self._find_singular(name) if is_plural else name
        many = name if is_plural else self.several(Noun(name)).word
        thing = single if int(prop.value) == 1 else many
        number = int(prop.value)
        words = (
            self.singular_numeral if number == 1 and self.singular_numeral else self.numbers.get(number, str(number))
        )
        return f"{self.lacking} {many}{of}{whole}" if number == 0 else f"{self.having} {words} {thing}{of}{whole}"

    def _find_singular(self, name: str) -> str:
        """Return the singular of a plural: an irregular one, or the shortest word with that plural; else the name."""
        head, blank, last = name.rpartition(" ")
        irregular = [f"{head}{blank}{one}" for one, many in self.plurals.items() if many == last and len(one) > 2]
        regular = ((name[:-n] + y) for n, y in ((3, "y"), (2, ""), (1, "")) if name.endswith("s"))
        return next((word for word in (*irregular, *regular) if self.several(Noun(word)).word == name), name)

    def measured(self, name: str, value: str) -> str:
        """Return a number with the name of its attribute ("with a speed of 50 km/h", "in row 2"); empty if that may be no English."""
        if unit := re.fullmatch(
            r"(?!1 )(.*\d )(inch|metre|meter|day|week|month|year|hour|minute|second|litre|watt|volt)", value
        ):
            value = f"{unit[1]}{self.several(Noun(unit[2])).word}"
        if name in self.numbered and re.fullmatch(r"\w+", value):
            return f"{self.numbered[name]} {value}"
        if not self.indefinite:
            joint = f" {self.partitive}" if self.partitive and not value.isdecimal() else ""
            is_bare = value.isdecimal() or self.partitive
            return f"{self.having} {name}{joint} {value}" if is_bare else self.attribution.format(name, value)
        if re.search(r" (?:number|no|id|code|nr)$", name):
            return f"{self.having} {re.sub(' n[or]$', ' number', name)} {value}"
        if not self.lexicon.can_be_noun(name):
            return ""
        if name in self.lexicon.masses and value.endswith(_QUANTITY_UNITS):
            return f"{self.having} {value} {self.partitive} {name}"
        if not self.lexicon.is_plural(name):
            return f"{self.having} {self.indefinite} {name} {self.partitive} {value}"
        return f"{self.possessive} number {self.partitive} {name} is {value}"

    def put_together(self, before: Iterable[str], noun: Noun, after: Iterable[str], article: str | None = None) -> str:
        """Return one noun phrase; `article` replaces the language's own, and an empty one omits it."""
        opening = self.articles[noun.gender] if article is None else article
        words = " ".join([opening, *before, noun.word, *self.merge(after)])
        return self.polish(choose_gender_form(words, noun.gender))

    def merge(self, phrases: Iterable[str]) -> list[str]:
        """Return neighbours with the same opening word joined.

        "with a beard", "with glasses" becomes "with a beard and glasses".
        """
        groups: list[list[str]] = []
        # What is in the middle of its row and of its column is "in the middle".
        for phrase in dict.fromkeys(phrases):
            opening, _, rest = phrase.partition(" ")
            if groups and opening in self.merging and groups[-1][0] == opening:
                groups[-1].append(rest)
            elif groups and (
                (opening == self.lacking and self._allows_lacking(groups[-1]))
                or (self._is_action(opening) and self._needs_and_before_action(groups[-1], opening))
                or self.is_frame(phrase)
            ):
                groups.append([f"{self.conjunction} {opening}", rest])
            else:
                groups.append([opening, rest] if opening in self.merging else [phrase])
        return [" ".join([g[0], self.enumerate(g[1:])]) if len(g) > 1 else g[0] for g in groups]

    def is_frame(self, text: str) -> bool:
        """Return whether words are a relative clause of their own ("whose jaw is square")."""
        pronouns = {self.possessive, self.clauses.that if self.clauses is not None else ""} - {""}
        return text.partition(" ")[0] in pronouns

    def _is_action(self, group: str) -> bool:
        """Return whether a group of phrases opens with a verb in the form that follows a noun ("holding a ball")."""
        opening = group.removeprefix(f"{self.conjunction} ").partition(" ")[0]
        is_verb = (opening in self.lexicon.gerunds and opening != "facing") or self.lexicon.is_participle(opening)
        return self.verb_forms is not None and is_verb

    def _needs_and_before_action(self, group: Sequence[str], action: str) -> bool:
        """Return whether "and" must precede an action, as in "with a hat and holding a ball", so that the hat does not hold it.

        Hair and glasses wear nothing.
        """
        opening = group[0].removeprefix(f"{self.conjunction} ").partition(" ")[0]
        is_clear = action in self.merging and all(text.rpartition(" ")[2] in self.things for text in group[1:])
        return self._is_action(group[0]) or (opening in (self.having, self.lacking) and not is_clear)

    def _allows_lacking(self, group: Sequence[str]) -> bool:
        """Return whether "and without" follows a group of phrases: one that is had, or another one that is lacking."""
        opening = group[0].removeprefix(f"{self.conjunction} ").partition(" ")[0]
        is_clear = self.adjectives == BEFORE or not group[-1][-1:].isalnum()
        return opening == self.lacking or (opening == self.having and is_clear)

    def enumerate(self, items: Sequence[str]) -> str:
        """Return items joined as in "a", "a and b", "a, b and c"."""
        if len(items) < 2:
            return "".join(items)
        return f"{', '.join(items[:-1])} {self.conjunction} {items[-1]}"

    def polish(self, text: str) -> str:
        """Return a text with contractions, fitting articles, single spaces, and without doubled words."""
        words: list[str] = []
        for word in text.split():
            last = words[-1] if words else ""
            if (last, word) in self.contractions:
                words[-1] = self.contractions[last, word]
            elif last != word:
                if last in self.before_vowels and _VOWEL.match(word):
                    words[-1] = self.before_vowels[last]
                words.append(word)
        return " ".join(words)

    def say(self, properties: Sequence[Property], many: bool = False) -> str:
        """Return a description in the plainest words, of one object or of `many`.

        Landmarks follow, each a noun phrase behind its relation.
        """
        of_object, landmarks = _split(properties)
        relations = [p for p in of_object if p.name in self.relations]
        phrases = self.word([p for p in of_object if p.name not in self.relations])
        text = self.put_together(
            [p.text for p in phrases if p.place == BEFORE],
            self.several(self.noun(of_object)) if many else self.noun(of_object),
            [p.text for p in phrases if p.place == AFTER],
        )
        for i, landmark in enumerate(landmarks):
            relation = self.relations[relations[i].name] if i < len(relations) else self.having
            text = self.polish(f"{text} {relation} {self.say(landmark)}")
        return text


def _split(properties: Sequence[Property]) -> tuple[list[Property], list[list[Property]]]:
    """Return own properties, and those of each landmark without its prefix."""
    of_object: list[Property] = []
    landmarks: dict[str, list[Property]] = {}
    for prop in properties:
        prefix = LANDMARKS.match(prop.name)
        if prefix:
            landmarks.setdefault(prefix[0], []).append(Property(prop.name[prefix.end() :], prop.value))
        else:
            of_object.append(prop)
    return of_object, list(landmarks.values())


def split_name(name: str) -> str:
    """Return a name of an attribute or value as words: ``hairColour`` is "hair colour", ``x-dimension`` "x dimension"."""
    return (
        re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z]{2})(?=[A-Z])|(?<=[a-z])(?=[A-Z][a-z])", " ", name)).strip().lower()
        or name.strip()
    )


def _format_value(value: str) -> str:
    """Return a value as written, with blanks for underscores and between the words of camelCase."""
    return (
        re.sub(r"(?<=[a-z]{2})(?=[A-Z][a-z])|_+", " ", value).strip()
        if re.fullmatch(r"[\w ]+", value)
        else value.strip()
    )


def _format_value_words(value: str, keeps_case: bool = True) -> str:
    """Return a value as words; capital letters (of a name) and hyphens are kept."""
    if re.search(r"\w[.:/@&+]\w|\d[,-]\d|\d[A-Z]|\w [A-Z]+(?: |$)", value):
        return value.strip()
    if keeps_case and re.fullmatch(r"[^\W\d_a-z]\w*(?: (?:[^\W\d_a-z]\w*|of|the|de|da|do|von|van))*", value.strip()):
        return value.strip()
    return "-".join(map(split_name, value.split("-"))) if re.search(r"\w-\w", value) else split_name(value)


def choose_gender_form(text: str, gender: str) -> str:
    """Return the form for a gender from a pattern such as ``vermelh{m:o|f:a}``; the first form if the gender has none."""

    def choose_form(forms: re.Match[str]) -> str:
        table = dict(f.split(":", 1) for f in forms[1].split("|"))
        return table.get(gender, next(iter(table.values())))

    return re.sub(r"\{(\w*:[^{}|]*(?:\|\w*:[^{}|]*)*)\}", choose_form, text)
