"""A language as an object: nouns with gender, a phrase and a position for each property, and rules to combine them.

The frame (article, phrases before the noun, noun, phrases after it) is that of the attribute-to-word converter of the
REG challenges (Belz & Gatt 2007); differences between languages are data, so a new language needs no new code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from referee.realisation.annotation import UNSAYABLE
from referee.records import LANDMARKS, Property

BEFORE, AFTER = 0, 1
_ADJECTIVE = re.compile(
    r"(?:[a-z]{3}ed|[a-z]{3}ing|able|ible|ful|less|ous|ive|ic|ish|[a-z]{3}al|[a-z]{3}ant|[a-z]{3}(?<!m)ent|[a-z]{3}ly|some|ular|lit"
    r"|proof|free|like)$"
)
_PARTICIPLE = re.compile(r"(?!\w*eed$|(?:\w*r)?bed$|s[hl]ed$)\w{2,}ed")
_CODE = re.compile(r"[A-Z]{1,2}|[a-z]|X+[SL]|0")
_YEAR = re.compile(r"[12]\d{3}")
_DEMONYM = re.compile(r"(?:ish|ese|[iec]an|French|Dutch|German|Danish|Greek|Czech|Thai|Swiss|Welsh|Iraqi|Pakistani)$")
# By letters and by the usual exceptions of sounds: an hour, an 8, an n, a unit, a one.
_VOWEL = re.compile(
    r"(?!uni(?!n|m)|us[eiu]|eu|one\b|once\b|(?-i:U[A-Z]))[aeiou]|(?-i:LED|SUV|[FHLMNRSX][B-DF-HJ-NP-TV-XZ]+[A-Z]?\b)|hour|honest|heir|8|1[18]\b|[fhlmnrsx]\b",
    re.IGNORECASE,
)
_ADVERB = re.compile(r"(?!only|early|friendly|lonely|ugly)[a-z]{2,}ly")
_TIMES = frozenset({"until", "till", "since", "before", "after"})
_HYPHENATED = frozenset({"half", "well", "wide"})
_BY_HAND = frozenset({"made", "held", "crafted", "woven", "painted", "drawn", "written", "knitted"})
# fmt: off
_PRONOUNS = frozenset({
    "here", "there", "outside", "inside", "today", "tomorrow", "yesterday", "now", "everywhere", "nowhere", "nobody", "nothing", "everybody",
    "somebody", "someone", "everyone", "something", "anything", "itself", "himself", "herself", "themselves",
})
# fmt: on
_SHADE = re.compile(r"(?:light|dark|pale|bright|deep|medium)[ _-]+(?=\w)", re.IGNORECASE)
_POSITIONS = frozenset({"upper", "lower", "left", "right", "top", "bottom", "middle", "front", "back", "first", "last"})
# fmt: off
_SHORT_PREPOSITIONS = frozenset({
    "for", "on", "in", "out", "under", "at", "off", "up", "down", "over", "apart", "against", "behind", "beside", "between", "into", "onto", "through",
    "across", "along", "around", "beneath", "underneath", "inside", "as",
})
# fmt: on
NONE = frozenset(
    {"none", "nothing", "absent", "missing", "nenhum", "nenhuma", "nada", "kein", "keine", "keins", "nichts"}
)
_YES, _NO = frozenset({"1", "yes", "true", "ja", "sim"}), frozenset({"0", "no", "false", "nein", "não"})
# fmt: off
_DIRECTIONS = frozenset({
    "left", "right", "up", "down", "away", "back", "ahead", "forward", "forwards", "backward", "backwards", "sideways", "off", "north", "south",
    "east", "west", "home", "straight",
})
# fmt: on
_TRUTH = frozenset({"1", "true", "0", "false"})
_FRACTION = re.compile(r"\d+(?:\.\d+)? ?%|0?\.\d+")
_UNIT_NAME = re.compile(
    r"(\w+)_([mck]?m|[mk]?g|m?l|px|s|min|h|(?:year|month|week|day|hour|minute|second|litre|degree|euro)s|percent)"
)
_CLOCK = re.compile(r"\d?\d:\d\d.*")
_DENIED = re.compile(r"un(?!i|der)(\w+)")


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
    attributes before the noun, and `parts` that a thing may have (`uncounted`: without an article; `plural_only`: without a singular).

    `negation` stands before an adjective that does not hold. With `numbers_alone` a number needs no "ones" behind it
    ("the two with a handle"). `plurals` has nouns, and endings of nouns, with those for several things ("" is the
    rule); a language without any uses the same noun.

    `qualities` are attributes whose values are adjectives of the whole thing; a value of any other one is said of what
    the attribute names ("with blue eyes"). `patterns` word the values of an attribute behind the noun ("owned by {}");
    `numbered` has the preposition of attributes whose numbers are names; `states` are attributes that are adjectives
    themselves (open: ajar), `participles` those that do not end regularly (built), `amounts_of_state` words that limit
    them (half-full); values of `actions` are verbs (posture: sitting), those of
    `origins` places or adjectives of places, those of `slots` things (weapon: bow); `idioms` have no article behind a
    preposition (on sale); `ability` is the verb "can"; `statives` are verbs
    without a progressive form (owning: owns); `antonyms` are adjectives with their denial; `aliases` are names that the language itself has
    for attributes (Farbe: colour).

    `covers` has words that are true of more than one value: "on the left" of what is "on the far left", too. `than`
    compares with a number, `extremes` words superlatives of attributes without `grades`, `anything` and `something` are
    indefinite landmarks. `verb_forms` makes the form of a verb that follows a noun (holds: holding), `verbs` has the
    forms that some of these have in a clause (containing: contains, contain). `genders` and
    `inflections` are endings of nouns with their gender, and of adjectives with their forms, for values that are
    written in the language itself.

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
    uncounted: frozenset[str] = frozenset()
    plural_only: frozenset[str] = frozenset()
    parts: frozenset[str] = frozenset()
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
    qualities: frozenset[str] = frozenset()
    patterns: Mapping[str, str] = field(default_factory=dict)
    numbered: Mapping[str, str] = field(default_factory=dict)
    states: frozenset[str] = frozenset()
    participles: frozenset[str] = frozenset()
    amounts_of_state: frozenset[str] = frozenset()
    actions: frozenset[str] = frozenset()
    idioms: frozenset[str] = frozenset()
    slots: frozenset[str] = frozenset()
    ability: str = ""
    statives: Mapping[str, str] = field(default_factory=dict)
    origins: frozenset[str] = frozenset()
    antonyms: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
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
        endings = [end for end in self.genders if word.endswith(end)]
        gender = self.genders[max(endings, key=len)] if endings else self.default.gender
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
        endings = [end for end in self.plurals if noun.word.endswith(end)]
        if not endings:
            return noun
        end = max(endings, key=len)
        head, partitive, of = noun.word.partition(f" {self.partitive} ")
        if self.partitive and partitive and partitive not in end:
            return noun._replace(word=f"{self.several(Noun(head)).word}{partitive}{of}")
        plural = self.plurals[end]
        if self.partitive and plural.endswith(f" {self.partitive} {end}"):
            # The plural of safety goggles is "pairs of safety goggles".
            return noun._replace(word=plural.removesuffix(end) + noun.word)
        return noun._replace(word=noun.word[: len(noun.word) - len(end)] + plural)

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
        worded += [(self.describe_unknown(p), frozenset([unworded[p]])) for p in left]
        return sorted(worded, key=lambda item: (item[0], sorted(item[1])))

    def _capitalise_noun(self, noun: str) -> str:
        return noun.title() if self.capital_nouns else noun

    def _canonicalise(self, prop: Property) -> Property:
        """Return a property under the name of its attribute in the tables of the language.

        A number of plays is no playing, and nobody works as retired.
        """
        name = self.aliases.get(prop.name.lower(), prop.name)
        is_count = name.endswith("ing") and prop.name.endswith("s") and prop.value.isdecimal()
        is_other = name.endswith(" as") and (
            prop.value in NONE or (self.is_state(prop.value) and not prop.value.endswith(("ant", "ent")))
        )
        return prop if is_other or (is_count and 1 < int(prop.value) < 1000) else Property(name, prop.value)

    def describe_unknown(self, prop: Property) -> Phrase:
        """Return words for a property without a phrase: its value as an adjective, or its name for yes-no values.

        Features (``hasStripe:1``, ``fringe:yes``, ``sleeves:long``, ``wheels:3``) get "with", states (``hot:1``) are
        adjectives. A value of a name with several words (``batteryLevel:high``) is no adjective of the whole object.
        """
        name = split_name(re.sub(r"^(?:has|is)(?=[A-Z_.-])", "", prop.name))
        if (unit := _UNIT_NAME.fullmatch(prop.name)) and re.fullmatch(r"\d+(?:\.\d+)?", prop.value):
            words = self.measured(split_name(unit[1]), f"{prop.value} {unit[2]}")
            return Phrase(AFTER, self.unnamed_rank, words)
        value = prop.value.lower()
        if pattern := self._get_pattern(prop):
            is_none = value in NONE or value == "empty"
            words = prop.value if '"' in pattern else _format_value_words(prop.value)
            words = self._express_lack(name) if is_none and self.lacking else pattern.format(words)
            return Phrase(AFTER, self.unnamed_rank, words)
        if value in ("on", "off") and (name in self.states - self.parts or _PARTICIPLE.fullmatch(name)):
            value = "yes" if value == "on" else "no"
        if value in _YES | _NO:
            return self._say_answer(prop.name, self.aliases.get(name, name), value in _YES, value in _TRUTH)
        if name in self.states and _FRACTION.fullmatch(value):
            return Phrase(self.adjectives, self.ranks.get("state", self.unnamed_rank), f"{prop.value} {name}")
        if prop.name in self.relations and value not in NONE:
            # An attribute that is called like a relation names a thing: "in a box".
            return Phrase(
                AFTER,
                self.unnamed_rank,
                f"{self.relations[prop.name]} {self._make_object(_format_value_words(prop.value))}",
            )
        if self.verb_forms is not None and (phrase := self._say_action(name, prop.value)):
            return phrase
        if value in NONE:
            return Phrase(AFTER, self._had_rank, self._express_lack(self._find_bearer(name)))
        if name in self.states and prop.value in _PRONOUNS:
            return Phrase(AFTER, self.participle_rank, f"{name} {value}")
        if name in self.states - self.parts and not re.search(r"\d", value):
            return Phrase(self.adjectives, self.ranks.get("state", self.unnamed_rank), _format_value_words(prop.value))
        # A bare number is no adjective: "with size 3".
        if re.search(r"\d", prop.value):
            return Phrase(AFTER, self.unnamed_rank, self.counted(prop) or self.measured(name, prop.value))
        is_name = not self.qualities and prop.value[:1].isupper() and name not in self.aliases.values()
        if name not in self.ranks and (is_name or _CODE.fullmatch(prop.value)):
            name = self.grades[name].called or name if name in self.grades else self._capitalise_noun(name)
            opening = (self._is_quality(name) and self.partitive) or self.having
            return Phrase(AFTER, self.unnamed_rank, f"{self.numbered.get(name, f'{opening} {name}')} {prop.value}")
        if name in self.numbered and (
            name in self.grades or {*split_name(value).split()} <= _POSITIONS | {*self.ordinals.values()}
        ):
            opening, article = self.numbered[name].partition(" ")[0], self.articles[self.default.gender]
            return Phrase(AFTER, self.unnamed_rank, f"{opening} {article} {_format_value_words(prop.value)} {name}")
        if had := self._had_so(prop.name, name, _format_value_words(prop.value)):
            # "The printer out of paper with a fast processor"
            return Phrase(AFTER, self.unnamed_rank - (not had.startswith(self.having)), had)
        # "Red with dots" follows its noun.
        is_long = bool(set(prop.value.split()[1:]) & self.openers) and bool(self.qualities)
        place = AFTER if is_long else self.adjectives
        return Phrase(place, self.ranks.get(prop.name, self.unnamed_rank), self._make_adjective(prop))

    @property
    def _had_rank(self) -> int:
        """The rank of parts, which follow all adjectives."""
        return self.participle_rank if self.adjectives == AFTER else self.unnamed_rank

    def _get_pattern(self, prop: Property) -> str:
        """Return the pattern of an attribute; none for an adjective of a place ("Spanish") where the pattern takes its name."""
        pattern = self.patterns.get(prop.name) or self.patterns.get(split_name(prop.name), "")
        is_adjective = prop.name in self.origins and (not prop.value[:1].isupper() or _DEMONYM.search(prop.value))
        return "" if is_adjective else pattern

    def _express_lack(self, name: str) -> str:
        """Return words for a part that is lacking."""
        thing = name if not self.indefinite or self._is_uncounted(name) else f"{self.indefinite} {name}"
        return f"{self.lacking} {self._capitalise_noun(thing)}"

    def _say_answer(self, attribute: str, name: str, is_yes: bool, is_truth: bool) -> Phrase:
        """Return words for a yes-no attribute: a part that is had or lacking, or an adjective."""
        first, _, rest = name.partition(" ")
        denial = self.clauses.no if self.clauses is not None else self.negation.strip(" -")
        if rest and self.clauses is not None and first == self.ability:
            ability = first if is_yes else f"{first}{denial}"
            return Phrase(AFTER, self.participle_rank, f"{self.clauses.that} {ability} {rest}")
        if rest and (words := self._find_action_words(first, rest)):
            return Phrase(AFTER, self.unnamed_rank, words if is_yes else f"{denial} {words}")
        if (_PARTICIPLE.fullmatch(first) or first in self.participles) and rest.partition(" ")[0] in self.openers:
            # "struck by lightning", "born in captivity"
            return Phrase(AFTER, self.participle_rank, name if is_yes else f"{denial} {name}")
        if self._is_part(first) and self.is_state(rest) and rest not in _BY_HAND | self.parts:
            # "hand raised": a raised hand
            name = f"{rest} {first}"
        if self.is_state(rest) and self.states and (first.endswith("s") or first in self.irregular_plurals):
            return Phrase(AFTER, self._had_rank, f"{self.having} {'' if is_yes else 'no '}{name}")
        if self._had(attribute, name, is_truth):
            lacking = self._express_lack(name)
            words = f"{self.having} {lacking.removeprefix(f'{self.lacking} ')}" if is_yes else lacking
            return Phrase(AFTER, self._had_rank, words)
        rank = self.ranks.get("quality", self.unnamed_rank)
        if not is_yes and name in self.antonyms:
            return Phrase(self.adjectives, rank, self.antonyms[name])
        if not is_yes and (positive := _DENIED.fullmatch(name)) and self.is_state(positive[1]):
            return Phrase(self.adjectives, rank, positive[1])
        if not is_yes and self.clauses is not None and (name.startswith("non ") or (rest and self.states)):
            return Phrase(AFTER, self.participle_rank, f"{self.clauses.that} {self.clauses.be[0]} {denial} {name}")
        return Phrase(self.adjectives, rank, name if is_yes else f"{self.negation}{name}")

    def _find_action_words(self, first: str, rest: str) -> str:
        """Return the words of an answer that is a place or an action ("on a ladder", "holding a ball"); empty if it is none."""
        if first in self.openers | _SHORT_PREPOSITIONS:
            is_bare = " " in rest or rest in self.idioms or first not in _SHORT_PREPOSITIONS
            return f"{first} {rest if is_bare else self._make_object(rest)}"
        if rest in _SHORT_PREPOSITIONS:
            is_part = self._is_part(first)
            return (
                f"{self.having} {self.articles[self.default.gender]} {first} {rest}" if is_part else f"{first} {rest}"
            )
        if first in self.aliases:
            return f"{self.aliases[first]} {rest}"
        is_verb = first in self.aliases.values() or (first.endswith("ing") and self._is_uncounted(rest))
        return f"{first} {self._make_object(rest)}" if is_verb else ""

    def _say_action(self, name: str, value: str) -> Phrase | None:
        """Return words for an attribute that is a verb in the form that follows a noun; None if it is none.

        "holding a ball", "played by Ann", "planted in 1950", "half-eaten".
        """
        name = re.sub(r"^missing (?:part|piece|item)s?$", "missing", name)
        first, _, rest = name.partition(" ")
        thing, is_none = _format_value_words(value), value.lower() in NONE
        year = "in " if _YEAR.fullmatch(value) else "at " if _CLOCK.fullmatch(value) else ""
        is_participle = bool(_PARTICIPLE.fullmatch(first)) or first in self.participles
        is_verb = first.endswith("ing") and first not in self.parts
        is_limited = thing in self.amounts_of_state or thing.startswith("not ") or _ADVERB.fullmatch(thing)
        if rest and (is_participle or is_verb or self.is_state(first)):
            # "played by", "made of", "open until"; "half burned down"
            if is_limited:
                return Phrase(AFTER, self.participle_rank, f"{thing} {name}")
            is_bare = rest in _TIMES or rest == self.partitive or thing in self.idioms
            words = "nothing" if is_none else thing if is_bare else self._make_object(thing)
            is_linked = rest in _SHORT_PREPOSITIONS | self.openers | _TIMES
            return Phrase(AFTER, self.participle_rank, f"{name} {words}") if is_linked else None
        if is_verb:
            words = "nothing" if is_none else year + thing if year else self._make_object(thing)
            return Phrase(AFTER, self.participle_rank, f"{name} {words}")
        if name in self.openers - self.determiners | _SHORT_PREPOSITIONS and not is_none:
            return Phrase(AFTER, self.unnamed_rank, f"{name} {year}{thing if year else self._make_object(thing)}")
        if name in self.actions and thing.partition(" ")[0].endswith("ing"):
            return Phrase(AFTER, self.participle_rank, thing)
        if name in self.actions and self.is_state(thing):
            return Phrase(self.adjectives, self.ranks.get("state", self.unnamed_rank), thing)
        if is_limited and not rest and not self._is_part(name) and (is_participle or self.is_state(name)):
            joint = "-" if thing in _HYPHENATED else " "
            place = AFTER if thing.startswith("not ") else self.adjectives
            return Phrase(place, self.ranks.get("state", self.unnamed_rank), f"{thing}{joint}{name}")
        if rest or not is_participle or is_none or self._is_quality(name):
            return None
        if thing.rpartition(" ")[2] in self.parts - self.states - _DIRECTIONS:
            return Phrase(AFTER, self.unnamed_rank, f"{self.having} {self._make_object(f'{name} {thing}')}")
        is_place = " " in thing and self._is_adverbial(thing)
        return (
            Phrase(AFTER, self.participle_rank, f"{name} {year}{thing}")
            if is_place or name not in self.states
            else None
        )

    def _make_object(self, thing: str) -> str:
        """Return the object of a verb, with an article if it is a countable thing."""
        is_bare = (
            self._is_adverbial(thing)
            or self._is_uncounted(thing)
            or bool(re.match(r"(?:an?|the|no|nothing|both) |\d", thing))
        )
        is_bare = is_bare or thing.partition(" ")[0] in {*self.numbers.values(), self.singular_numeral}
        is_bare = is_bare or thing[:1].isupper() or thing in _PRONOUNS or thing in self.states - self.parts
        return thing if is_bare or not self.indefinite else f"{self.indefinite} {thing}"

    def _is_adverbial(self, words: str) -> bool:
        """Return whether words behind a verb are a direction, a manner or a place and not a thing ("looking left")."""
        first = words.partition(" ")[0].lower()
        is_manner = first == words and words.endswith(("ly", "wise", "ward", "wards"))
        return first in _DIRECTIONS | self.openers | _SHORT_PREPOSITIONS or is_manner

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
        return word.removesuffix(end) + self.inflections.get(end, "") if end else word

    def _is_quality(self, name: str) -> bool:
        """Return whether an attribute is a quality or an amount, and not a part."""
        return name in self.grades or name in self.ranks or name in self.qualities or name == "type"

    def counted(self, prop: Property) -> str:
        """Return a number of parts ("with 3 dots", "without wheels").

        Empty if the attribute is no part, or the value no integer.
        """
        name = re.sub(r"^(?:has|number of|number|num|count of) | count$", "", split_name(prop.name))
        named = name != split_name(prop.name)
        name, of, whole = name.partition(f" {self.partitive} ")
        last = name.rpartition(" ")[2]
        is_plural = (last.endswith("s") and not last.endswith(("ss", "us"))) or last in self.irregular_plurals
        is_plural = is_plural and name not in self.grades
        if not (self.indefinite and prop.value.isdecimal() and (named or last in self.parts or is_plural)):
            return ""
        single = self._find_singular(name) if is_plural and last not in self.plural_only else name
        many = name if is_plural or name.endswith("s") else self.several(Noun(name)).word
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
        """Return a number with the name of its attribute.

        "with a speed of 50 km/h", "in row 2"; a code is none ("with species s1").
        """
        if unit := re.fullmatch(
            r"(?!1 )(.*\d )(inch|metre|meter|day|week|month|year|hour|minute|second|litre|watt|volt)", value
        ):
            value = f"{unit[1]}{self.several(Noun(unit[2])).word}"
        if name in self.numbered and re.fullmatch(r"\w+", value):
            return f"{self.numbered[name]} {value}"
        if self.states and re.search(r" (?:number|no|id|code|nr)$", name):
            return f"{self.having} {name} {value}"
        if self.states and (name in self.states or _PARTICIPLE.fullmatch(name)):
            if re.search(r"[^\W\d]{3}", value):
                return f"{name} {value}"
            name = name if _YEAR.fullmatch(value) else f"{name} count"
        if self.indefinite and self.partitive and re.match(r"(?:[a-z]+ )?[-+$£€]?\d", value):
            return f"{self.having} {self.indefinite} {name} {self.partitive} {value}"
        return f"{self.having} {name} {value}"

    def _had_so(self, attribute: str, name: str, value: str) -> str:
        """Return a phrase of a part with its value, or of a value that is a thing or a place itself.

        "with long sleeves", "with a high battery level", "with tattoos on the arm"; empty if the value is a quality of
        the whole object.
        """
        if not self.indefinite:
            return ""
        thing = self._find_bearer(name)
        if thing != name and thing not in self.parts and (many := self.several(Noun(thing)).word) in self.parts:
            thing = many
        is_quality = attribute in self.ranks or (
            " " not in name and (self._is_quality(name) if self.qualities else name not in self.parts)
        )
        if name == "shade":
            # A torn shade is no quality of its lamp; a half full amount is one of the whole.
            is_quality = bool(_SHADE.match(f"{value} x")) or frozenset([Property("colour", value)]) in self.phrases
        first, _, rest = value.partition(" ")
        is_quality = is_quality or (
            name.endswith("ness") and self.is_state(value.rpartition("-")[2]) and value not in ("high", "low")
        )
        is_quality = is_quality or (name == "amount" and value.rpartition(" ")[2] in self.states)
        article = "" if self._is_uncounted(thing) else f"{self.indefinite} "
        if rest and first in self.openers | _SHORT_PREPOSITIONS:
            return value if is_quality else f"{self.having} {article}{thing} {value}"
        if rest and first in self.determiners:
            return f"{self.having} {value} as {thing}" if self.qualities else ""
        if is_quality:
            return self.aliases.get(value, "") if value in ("on", "off") else ""
        if " " in name and thing != name and thing.rpartition(" ")[2] not in self.parts | self.uncounted:
            thing = name
        if value[:1].isupper() and " " in name and self.is_state(name.partition(" ")[0]):
            return f"{self.having} {value} as {self.articles[self.default.gender]} {name}"
        if rest and first.endswith("ing") and self._is_uncounted(thing) and first not in self.parts:
            return f"{self.having} {thing} {value}"
        if value in ("on", "off", "up", "down", "out", "backwards", "sideways"):
            return f"{self.having} {self.articles[self.default.gender]} {thing} {value}"
        if value == "many" or value in self.numbers.values() or value == self.singular_numeral:
            last = thing.rpartition(" ")[2]
            is_one = value == self.singular_numeral or last.endswith("s")
            return f"{self.having} {value} {thing if is_one else self.several(Noun(thing)).word}"
        # Things that are had as something else: "with pears as fruit".
        if (
            self.qualities
            and re.fullmatch(r"[a-z ]*[a-z]{2}(?<![sui])(?<!canva|.atla)(?<!ward)s", value)
            and not self._is_uncounted(value[:-1])
        ):
            return f"{self.having} {value} as {thing}"
        # What is had in a slot is said alone: "with a full beard" as facial hair.
        head = value.rpartition(" ")[2]
        if rest and first in _POSITIONS and self._is_part(rest) and self.qualities:
            return f"{self.having} {article}{thing} on {self.articles[self.default.gender]} {value}"
        if (name in self.slots or (rest and head in self.parts)) and head not in self.states | _DIRECTIONS:
            had = f"{self.having} {'' if self._is_uncounted(head) else f'{self.indefinite} '}{value}"
            return had if name in self.slots else f"{had} as {thing}"
        article = "" if self._is_uncounted(thing) else f"{self.indefinite} "
        return f"{self.having} {article}{value}{'' if value.endswith(thing) else f' {thing}'}"

    def _is_part(self, name: str) -> bool:
        """Return whether the last word of a name is a part, or several of them are."""
        last = name.rpartition(" ")[2]
        return last in self.parts or self.several(Noun(last)).word in self.parts

    def _find_bearer(self, name: str) -> str:
        """Return the bearer of an attribute's colour, length or style: the hat for "hat colour"."""
        return re.sub(
            r" (?:colou?r|length|style|shape|type|kind|material)$|^(?:colou?r|type|kind) of (?:the )?", "", name
        )

    def _had(self, attribute: str, name: str, is_truth: bool) -> bool:
        """Return whether a yes-no attribute is a part and not a state, by its name, if the language can decide
        (``lid``, ``ripe``).
        """
        if re.match(r"has(?=[A-Z_.-])|has$", attribute):
            return True
        if self.states:
            return name not in self.states and (self._is_part(name) or not self.is_state(name))
        # Without a list of adjectives, "yes" marks parts and "true" marks states.
        return name.rpartition(" ")[2] in self.parts or not is_truth

    @cached_property
    def irregular_plurals(self) -> frozenset[str]:
        """The plurals of single nouns that the language lists and that differ from these."""
        return frozenset(many for one, many in self.plurals.items() if len(one) > 2 and many != one)

    def is_state(self, name: str) -> bool:
        """Return whether a name, or its last word, is an adjective or a participle."""
        last = name.rpartition(" ")[2]
        is_listed = bool({name, last} & (self.states | self.participles)) or name.startswith("non ")
        return is_listed or _PARTICIPLE.fullmatch(last) is not None or _ADJECTIVE.search(last) is not None

    def _is_uncounted(self, name: str) -> bool:
        """Return whether a noun takes no indefinite article: hair, glasses, stripes."""
        last = name.rpartition(" ")[2]
        is_plural = (last.endswith("s") and not last.endswith(("ss", "us", "lens"))) or last in self.irregular_plurals
        return is_plural or bool({name, last} & self.uncounted)

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
            elif (groups and opening == self.lacking and self._allows_lacking(groups[-1][0])) or (
                groups and self._is_action(opening) and self._needs_and_before_action(groups[-1][0], opening)
            ):
                groups.append([f"{self.conjunction} {opening}", rest])
            else:
                groups.append([opening, rest] if opening in self.merging else [phrase])
        return [" ".join([g[0], self.enumerate(g[1:])]) if len(g) > 1 else g[0] for g in groups]

    def _is_action(self, group: str) -> bool:
        """Return whether a group of phrases opens with a verb in the form that follows a noun ("holding a ball")."""
        opening = group.removeprefix(f"{self.conjunction} ").partition(" ")[0]
        is_verb = (
            (opening.endswith("ing") and opening != "facing")
            or _PARTICIPLE.fullmatch(opening) is not None
            or opening in self.participles
        )
        return self.verb_forms is not None and is_verb

    def _needs_and_before_action(self, group: str, action: str) -> bool:
        """Return whether "and" must precede an action, as in "with a hat and holding a ball", so that the hat does not hold it."""
        opening = group.removeprefix(f"{self.conjunction} ").partition(" ")[0]
        return self._is_action(group) or (opening in (self.having, self.lacking) and action not in self.merging)

    def _allows_lacking(self, group: str) -> bool:
        """Return whether "and without" follows a group of phrases: one that is had, or another one that is lacking."""
        opening = group.removeprefix(f"{self.conjunction} ").partition(" ")[0]
        return opening == self.lacking or (opening == self.having and bool(self.indefinite))

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
    return re.sub(r"[\W_]+", " ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)).strip().lower() or name.strip()


def _format_value_words(value: str, keeps_case: bool = True) -> str:
    """Return a value as words; capital letters (of a name) and hyphens are kept."""
    if re.search(r"\w[.:/@&+]\w|\d[,-]\d", value):
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
