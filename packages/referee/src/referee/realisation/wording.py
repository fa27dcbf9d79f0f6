"""Noun phrases for the objects of a scene.

Plurals, numbers as "larger" and "leftmost", landmarks, relative clauses for "or" and "not".

A description is worded from its meaning (`referee.meaning`), piece by piece. Each piece has the meaning of its words
(`Worded.meaning`), which may be weaker than the chosen piece: "on the left" is also true of objects on the far left. A
piece that the language has no words for is left out and reported (`Worded.dropped`). Number words and plurals come from
tables of the language: an inflection package would be much slower.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import permutations
from operator import and_
from typing import NamedTuple

from referee.meaning import (
    EVERYTHING,
    OPERATORS,
    SIDES,
    Meaning,
    amount,
    conjunction,
    conjuncts,
    flatten,
    has_several_units,
    is_contextual,
    is_meaning,
    parts_of,
    related,
)
from referee.realisation.annotation import UNSAYABLE
from referee.realisation.language import (
    AFTER,
    BEFORE,
    NONE,
    Grades,
    Language,
    Noun,
    Phrase,
    choose_gender_form,
    split_name,
)
from referee.records import LANDMARK, LANDMARKS, Entity, Property, Scene, SpeakerView

POSITION = "position"
QUOTES = ('"', "„", "“", "”")
BETWEEN = "between"
HEADS = ("type", "basic", "kind", "category", "superordinate")
"""Attributes that become the noun, the most specific first."""
SUBKINDS = ("kind", "category")
NAMED = ("name",)
NUMBERED_PLACES = ("row", "column", "col")
_AMOUNT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([a-zA-Z°%/²³]*)")
_ROW, _NAME = 30, -5
_SALIENCE = "salience"
_GRID = {"x-dimension": 5, "y-dimension": 3}
_COORDINATES = ("x", "y", "x-position", "y-position")
_WIDEST = 20
"""The most columns or rows that are counted; larger numbers are coordinates."""
_UNIT = re.compile(r"[mcdk]?m|in(?:ch|ches)?|f(?:ee|oo)?t|yd|mi(?:les)?|(?:metre|meter|day|week|month|year)s?")
"""Units of lengths and times, after which a dimension is said: "30 cm long", "2 years old", but not "3 MB large"."""
_RANKS = frozenset({"least", "most", "nth"})


class Worded(NamedTuple):
    """A phrase with its expressed and unexpressed properties, and the meaning of its words.

    `added` are properties that were not chosen, without which the phrase would be true of other objects ("the two
    smallest mice").
    """

    text: str
    expressed: tuple[Property, ...]
    added: tuple[Property, ...] = ()
    dropped: tuple[Property, ...] = ()
    meaning: Meaning = EVERYTHING


class Expressed(NamedTuple):
    """Words with their position, their properties, and their meaning."""

    phrase: Phrase
    properties: frozenset[Property]
    meaning: Meaning


class _Link(NamedTuple):
    """Relations to one landmark (or, with ``inv``, of it), its description, and its id if known."""

    operator: str
    names: tuple[str, ...]
    landmark: _Content
    anchor: str | None
    properties: tuple[Property, ...] = ()


class _Content(NamedTuple):
    """A description in components: pairs, landmarks, superlatives and ordinals, and relative clauses.

    With `is_shared` it describes landmarks of several targets, which may be of different types.
    """

    pairs: tuple[Property, ...]
    links: tuple[_Link, ...] = ()
    ranks: tuple[Meaning, ...] = ()
    clauses: tuple[Meaning, ...] = ()
    is_shared: bool = False

    def ends_openly(self) -> bool:
        """Return whether words that follow could belong to a landmark or a relative clause."""
        return bool(self.links or self.clauses)

    def form(self) -> Meaning:
        """Return the content as a form."""
        links = [(link.operator, name, link.landmark.form()) for link in self.links for name in link.names or ("*",)]
        return conjunction([*map(tuple, self.pairs), *links, *self.clauses, *self.ranks])


def language_of(view: SpeakerView) -> Language:
    """Return the language of a trial, or English if there are no words for it."""
    if view.language == "pt":
        from referee.realisation.portuguese import PORTUGUESE

        return PORTUGUESE
    if view.language == "de":
        from referee.realisation.german import GERMAN

        return GERMAN
    from referee.realisation.english import ENGLISH

    return ENGLISH


class Wording:
    """The words of a language for the things of one scene."""

    def __init__(self, language: Language, scene: Scene) -> None:
        self.language, self.scene = adapt_language(language, scene), scene

    def phrase(self, ids: Sequence[str], content: Sequence[Property] | Meaning, where: bool = True) -> Worded:
        """Return a noun phrase, or several joined by "and" for a meaning in parts.

        Args:
            ids: the targets.
            content: a meaning, or a list of properties.
            where: whether an amount or a position is added if the words are true of others too.
        """
        if not is_meaning(content):
            return self._make_distinguishing_phrase(ids, len(ids), self._split_property_list(content), where)
        form = tuple(content)
        if form[0] != "parts":
            return self._make_distinguishing_phrase(ids, len(ids), self._split_content(form, ids), where)
        worded, heard, endings = [], [], []
        for number, part in parts_of(form):
            members = self._find_members(part, ids)
            count = len(members) if number == "all" else int(number or 1)
            content = self._split_content(part, members)
            piece = self._make_distinguishing_phrase(members, count, content, where, is_counted=number != "all")
            worded.append(piece)
            heard.append((number, piece.meaning))
            endings.append(content.ends_openly())
        # A part that ends in a landmark comes last: in "the cup near the plate and the bowl", the bowl may be a landmark too.
        ordered = [w.text for _, w in sorted(zip(endings, worded, strict=True), key=lambda pair: pair[0])]
        return Worded(
            self.language.enumerate(ordered),
            tuple(dict.fromkeys(p for w in worded for p in w.expressed)),
            tuple(dict.fromkeys(p for w in worded for p in w.added)),
            tuple(dict.fromkeys(p for w in worded for p in w.dropped)),
            ("parts", *heard),
        )

    def make_form(self, properties: Sequence[Property]) -> Meaning:
        """Return the form of a list of properties, in which relations name their landmarks by id."""
        return self._split_property_list(properties).form()

    def _find_members(self, part: Meaning, ids: Sequence[str]) -> list[str]:
        """Return the targets that satisfy a part; if none does, all entities that satisfy it."""
        mask = self.scene.denotation(part)
        meant = mask & self.scene.mask(self._select_ids_in_scene(ids))
        return [e.id for e in self.scene.members(meant or mask)]

    def _make_distinguishing_phrase(
        self, ids: Sequence[str], number: int, content: _Content, where: bool, is_counted: bool = True
    ) -> Worded:
        """Return a noun phrase, with a sharper comparison or a position if its words are true of others too."""
        worded = self._make_noun_phrase(ids, number, content, is_counted=is_counted)
        targets = self.scene.mask(self._select_ids_in_scene(ids))
        if self.scene.denotation(worded.meaning) == targets or not where:
            return worded
        ranked = self._make_noun_phrase(ids, number, content, is_counted=is_counted, is_ranked=True)
        if self.scene.denotation(ranked.meaning) == targets:
            return ranked
        extra = self._find_distinguishing_rank(ids, worded.meaning)
        if extra is None:
            return worded
        placed = self._make_noun_phrase(ids, number, content, (extra,), is_counted=is_counted)
        return placed._replace(added=tuple(extra.properties))

    # -- content ---------------------------------------------------------------------------------------------------------------

    def _split_content(self, form: Meaning, ids: Sequence[str]) -> _Content:
        """Return the components of a form."""
        pairs: list[Property] = []
        links: list[_Link] = []
        ranks: list[Meaning] = []
        clauses: list[Meaning] = []
        for piece in (p for part in conjuncts(form) for p in conjuncts(_push_negation(part))):
            operator = piece[0]
            if operator in ("rel", "inv"):
                links.append(self._link(piece, ids))
            elif operator in _RANKS:
                ranks.append(piece)
            elif operator in OPERATORS:
                clauses.append(piece)
            elif (operator, "") in self.scene.extensions:
                links.append(self._link(("rel", operator, EVERYTHING), ids, piece[1]))
            else:
                pairs.append(Property(*piece))
        return _Content(tuple(dict.fromkeys(pairs)), tuple(_merge(links)), tuple(ranks), tuple(clauses))

    def _link(self, form: Meaning, ids: Sequence[str], anchor: str | None = None) -> _Link:
        """Return a relation of a meaning with its landmark."""
        operator, name, landmark = form
        if anchor is None:
            target = self.scene.mask(self._select_ids_in_scene(ids[:1]))
            near = related(self.scene, name, target, operator == "rel") & self.scene.denotation(landmark)
            anchor = next((e.id for e in self.scene.members(near)), None)
        return _Link(
            operator, (name,), self._split_content(landmark, [] if anchor is None else [anchor]), anchor, flatten(form)
        )

    def _split_property_list(self, properties: Sequence[Property]) -> _Content:
        """Return a list of properties in components; properties of landmarks are assigned by their ids."""
        pairs, relations, of_landmarks = self._sort_properties(properties)
        links = [
            _Link("rel", tuple(r.name for r in tied), self._split_property_list(list(bare)), tied[0].value if tied else None,
                  (*tied, *bare.values()))
            for tied, bare in self._group_by_landmark(relations, of_landmarks)
        ]  # fmt: skip
        denied = [p for p in pairs if p.name.startswith("not.") and p not in self.scene.extensions]
        clauses = [("not", (p.name.removeprefix("not."), p.value)) for p in denied]
        return _Content(tuple(p for p in pairs if p not in denied), tuple(links), (), tuple(clauses))

    def _sort_properties(self, properties: Sequence[Property]) -> tuple[list[Property], list[Property], list[Property]]:
        """Return the properties of the object, its relations, and the properties of landmarks."""
        of_object, relations, of_landmarks = [], [], []
        for prop in dict.fromkeys(properties):
            if LANDMARKS.match(prop.name):
                of_landmarks.append(prop)
            elif (prop.name in self.language.relations and not self._is_attribute(prop)) or Property(
                prop.name, ""
            ) in self.scene.extensions:
                relations.append(prop)
            else:
                of_object.append(prop)
        return of_object, relations, of_landmarks

    def _is_attribute(self, prop: Property) -> bool:
        return any(prop in e.attributes for e in self.scene.entities)

    def _group_by_landmark(
        self, relations: Sequence[Property], of_landmarks: Sequence[Property]
    ) -> Iterator[tuple[list[Property], dict[Property, Property]]]:
        """Return, landmark by landmark, the relations to it, and its properties, without and with prefix."""
        landmarks: dict[str, list[Property]] = {}
        for relation in relations:
            landmarks.setdefault(relation.value, []).append(relation)
        ids = {e.id for e in self.scene.entities}
        left = list(of_landmarks)
        for landmark, tied in landmarks.items():
            chosen = [p for p in left if self._is_said_of(p, landmark)] if landmark in ids else left
            left = [p for p in left if p not in chosen]
            yield tied, {_drop_prefix(p): p for p in chosen}
        if left and not relations:
            # A landmark's property without a relation describes another object that is present.
            yield [], {_drop_prefix(p): p for p in left}

    def _is_said_of(self, prop: Property, landmark: str) -> bool:
        """Return whether a property of a landmark can belong to this one."""
        bare = _drop_prefix(prop)
        if LANDMARKS.match(bare.name):
            beyond = {r.entity for r in self.scene.entity(landmark).relations} & {e.id for e in self.scene.entities}
            return any(self._is_said_of(bare, other) for other in beyond)
        return self.scene.entity(landmark).has(bare)

    # -- a noun phrase ---------------------------------------------------------------------------------------------------------

    def _make_noun_phrase(
        self,
        ids: Sequence[str],
        number: int,
        content: _Content,
        extra: Sequence[Expressed] = (),
        oblique: bool = False,
        is_counted: bool = True,
        is_ranked: bool = False,
        has_clause: bool = False,
    ) -> Worded:
        """Return one noun phrase.

        With `is_ranked`, values with equal words are expressed by their rank; with `has_clause`, its landmarks are said
        in a relative clause.
        """
        language = self.language
        pairs = [p for p in content.pairs if p.value not in UNSAYABLE]
        noun = self._choose_noun(pairs, number, self._are_people(ids))
        if oblique:
            # German men in -e have an ending, too: dem Jungen.
            is_weak = noun.gender == "m" and noun.word.endswith("e") and not noun.word.endswith(("ee", "Käse"))
            has_ending = is_weak or (number > 1 and not noun.word.endswith(("n", "s")))
            ending = language.oblique_plural if has_ending else ""
            noun = noun._replace(word=noun.word + ending, gender=language.oblique_of.get(noun.gender, noun.gender))
        head = [p for p in pairs if self._is_head(p)]
        # A noun hides the kinds above it; a second type, or a second noun, is not expressed by the first.
        hidden = [p for p in head if not self._is_expressed_by_noun(p, head)]
        others = [p for p in pairs if p not in head]
        that, clauses = self._make_clauses(content.clauses, number, noun, ids)
        heard_content = content._replace(clauses=conjuncts(clauses.meaning))
        pieces = [
            *self._express_numbers(others, ids, head, is_ranked),
            *self._express_ranks(heard_content, ids, number),
        ]
        names = [
            Expressed(Phrase(AFTER, _NAME, self._name_words(p, noun)), frozenset([p]), tuple(p))
            for p in pairs
            if p.name in NAMED and p.value.lower() not in NONE
        ]
        # What is called like a relation and is none of the scene is an attribute.
        names += [
            Expressed(language.describe_unknown(p), frozenset([p]), tuple(p))
            for p in others
            if p.name in language.relations
        ]
        special = {p for piece in (*pieces, *names) for p in piece.properties}
        plain = [
            Expressed(phrase, expressed, self.make_heard_meaning(expressed))
            for phrase, expressed in language.list_phrases([p for p in others if p not in special])
        ]
        phrases = sorted([*plain, *pieces, *names, *extra], key=lambda e: (e.phrase.place, e.phrase.rank))
        numeral = [language.numbers.get(number, str(number))] if number > 1 and is_counted and language.numbers else []
        said_before = [e.phrase.text for e in phrases if e.phrase.place == BEFORE and e.phrase.text]
        before = [*numeral, *(self._agree_in_number(text, noun, number) for text in said_before)]
        after = [self._agree_in_number(e.phrase.text, noun, number) for e in phrases if e.phrase.place == AFTER]
        beside, links = self._describe_landmarks(ids, number, content, noun)
        alone = len(before) == len(numeral) == 1 and noun.word == language.several(language.default).word
        alone = alone and (language.numbers_alone or bool(that and not after and not beside))
        has_frame = any(map(language.is_frame, after))
        if has_frame and that:
            that = f" {language.conjunction}{that}"
        text = language.put_together(before, noun._replace(word="") if alone else noun, after)
        expressed = [*head, *(p for e in phrases for p in sorted(e.properties)), *links.expressed, *clauses.expressed]
        order = {p: i for i, p in enumerate(content.pairs)}
        dropped = [
            *hidden,
            *(p for p in others if not any(p in e.properties for e in phrases)),
            *(p for rank in content.ranks if not any(e.meaning == rank for e in pieces) for p in flatten(rank)),
            *links.dropped,
            *clauses.dropped,
        ]
        heard = [*(self.make_heard_meaning([p]) for p in head if p not in hidden), *(e.meaning for e in phrases)]
        return Worded(
            language.polish(text + self._join_clauses(that, beside, number, noun, has_clause, has_frame)),
            tuple(
                sorted(dict.fromkeys(p for p in expressed if p not in dropped), key=lambda p: order.get(p, len(order)))
            ),
            dropped=tuple(dict.fromkeys(dropped)),
            meaning=conjunction([*heard, *conjuncts(links.meaning), *conjuncts(clauses.meaning)]),
        )

    def _join_clauses(self, that: str, beside: str, number: int, noun: Noun, has_clause: bool, has_frame: bool) -> str:
        """Return relative clauses and landmarks in one string.

        Landmarks beside a clause are said in a clause too: in "the cup near the plate that is not red", the plate would
        not be red.
        """
        words = self.language.clauses
        beside = beside if not beside or beside.startswith(",") else f" {beside.rstrip()}"
        if words is None or not (that or has_clause or has_frame) or not beside.startswith(" "):
            return that + beside
        beside, conjunction = beside.strip(), self.language.conjunction
        comma = re.match(",?", words.that)
        joint = f"{that} {conjunction}" if that or has_frame else comma[0] if comma else ""
        opening = choose_gender_form(words.that, noun.gender).lstrip(", ")
        first, _, rest = beside.partition(" ")
        if first == opening or f" {choose_gender_form(words.which, noun.gender)} " in beside:
            return f"{joint if that else ''} {beside}"
        if first == self.language.having:
            return f"{joint} {opening} {words.have[number > 1]} {rest}"
        verb = (words.located or words.be)[number > 1]
        if not words.verb_last:
            return f"{joint} {opening} {verb} {beside}"
        # Where the pronoun looks like an article, it is not repeated.
        return f"{joint} {'' if that else f'{opening} '}{beside}{',' * (', ' in beside)} {verb}"

    def _is_head(self, prop: Property) -> bool:
        """Return whether a noun says a property; a kind of some things of a type is an adjective ("the bowler hat")."""
        if prop.name not in SUBKINDS:
            return prop.name in HEADS or prop in self.language.nouns
        inside, types = self.scene.extension(prop), (p for p in self.scene.extensions if p.name == HEADS[0])
        return not any(self.scene.extension(p) & inside and self.scene.extension(p) & ~inside for p in types)

    def _is_expressed_by_noun(self, prop: Property, head: Sequence[Property]) -> bool:
        """Return whether the noun of a phrase expresses this property: it is the noun, or a kind that the noun's entities all have."""
        kinds = [p for name in HEADS for p in head if p.name == name and p.value not in UNSAYABLE]
        nouns = [p for p in head if p in self.language.nouns]
        noun = (nouns or kinds or [prop])[0]
        return noun == prop or not self.scene.extension(noun) & ~self.scene.extension(prop)

    def make_heard_meaning(self, properties: Iterable[Property]) -> Meaning:
        """Return the meaning of the words of some properties: each may be any value of its attribute with the same
        words, or that they cover.
        """
        forms: list[Meaning] = []
        for prop in sorted(properties):
            values = self._list_values_in_same_words(prop)
            forms.append(tuple(prop) if len(values) < 2 else ("or", *values))
        return conjunction(forms)

    def _list_values_in_same_words(self, prop: Property) -> list[Meaning]:
        """Return the values with the same words as a property's."""
        language = self.language
        words = language.words_of(prop)
        covered = {words, *language.covers.get(words, ())}
        alike = (
            p
            for p in self.scene.extensions
            if p.name == prop.name
            and (
                language.words_of(p) in covered
                or (language.is_covered(prop.value, p.value) and not words.endswith(QUOTES))
                or _is_same_amount(prop.value, p.value)
            )
        )
        return [tuple(p) for p in dict.fromkeys([prop, *alike])]

    def _select_ids_in_scene(self, ids: Sequence[str]) -> list[str]:
        """Return the ids that the scene has: a landmark's property may name one that it lacks."""
        present = {e.id for e in self.scene.entities} if ids else ()
        return [i for i in ids if i in present]

    def _are_people(self, ids: Sequence[str]) -> bool:
        """Return whether these are people whose type is not recorded: they have a gender."""
        entities = [self.scene.entity(i) for i in self._select_ids_in_scene(ids)]
        return bool(entities) and all(e.value("gender") is not None and e.value(HEADS[0]) is None for e in entities)

    def _choose_noun(self, properties: Sequence[Property], number: int, are_people: bool = False) -> Noun:
        """Return the noun for some properties, inflected for number."""
        language = self.language
        # The most telling of its kinds is the noun.
        kinds = [
            p for name in HEADS for p in properties if p.name == name and self._is_head(p) and p.value not in UNSAYABLE
        ]
        nouns = [p for p in properties if p in language.nouns]
        people = [Property(HEADS[0], "person")] if are_people else []
        noun = language.noun([*nouns, *([Property(HEADS[0], kinds[0].value)] if kinds else people)])
        if number < 2:
            return noun
        several = language.several(noun)
        return several._replace(gender=language.plural_of.get(noun.gender, noun.gender))

    def _agree_in_number(self, text: str, noun: Noun, number: int) -> str:
        """Return a phrase that agrees with a plural noun if the language's adjectives have number."""
        words, endings = self.language.clauses, self.language.plural_endings
        if words is not None and number > 1 and text.startswith(f"{words.that} {words.be[0]} ") and not endings:
            return text.replace(words.be[0], words.be[1], 1)
        first, _, rest = text.partition(" ")
        if first in self.language.degrees:
            return f"{first} {self._agree_in_number(rest, noun, number)}"
        if (
            number < 2
            or not endings
            or first in self.language.openers | self.language.invariable
            or self.language.inflections.get(first[-4:]) == first[-4:]
            or noun.gender not in self.language.plural_of.values()
        ):
            return text
        single = next((g for g, p in self.language.plural_of.items() if p == noun.gender), "")
        whole = choose_gender_form(first, single)
        end = max((e for e in endings if whole.endswith(e)), key=len)
        return f"{whole[: len(whole) - len(end)]}{endings[end]} {rest}".strip()

    # -- landmarks -------------------------------------------------------------------------------------------------------------

    def _describe_landmarks(self, ids: Sequence[str], number: int, outer: _Content, noun: Noun) -> tuple[str, Worded]:
        """Return every relation with a noun phrase for its landmark, and the meaning of these phrases."""
        links = outer.links
        language = self.language
        phrases: dict[str, list[str]] = {}
        inverse: list[str] = []
        expressed, dropped, heard = list[Property](), list[Property](), list[Meaning]()
        # A landmark with a landmark or clause of its own comes last: what follows could be said of it.
        for link in sorted(links, key=lambda link: link.landmark.ends_openly()):
            content = self._add_landmark_head(link, ids)
            names = link.names or (None,)
            how = language.enumerate([self._express_relation(name) for name in link.names]) or language.having
            oblique, has_clause = link.operator == "rel", self._is_ambiguous(outer, link)
            worded = self._make_noun_phrase([link.anchor or ""], 1, content, oblique=oblique, has_clause=has_clause)
            if (
                language.something
                and content.form() == EVERYTHING
                and link.anchor in self._select_ids_in_scene([link.anchor or ""])
            ):
                worded = Worded(language.something, ())
            if link.operator == "inv":
                sides = self._find_other_side(link.anchor, ids) if BETWEEN in link.names else []
                other = (
                    self._make_noun_phrase(sides, 1, self._describe_kind(sides[0], content), oblique=True).text
                    if sides
                    else ""
                )
                texts = [
                    language.say_inverse(
                        self._express_relation(name), worded.text, noun, number, other if name == BETWEEN else ""
                    )
                    for name in link.names
                    if other or name != BETWEEN
                ] or [""]
                if not all(texts):
                    dropped += link.properties
                    continue
                inverse += [text for text in texts if text]
            else:
                text = self._make_indefinite(ids, link, worded) if len(ids) > 1 else worded.text
                phrases.setdefault(how, []).extend(self._add_second_landmark(ids, link, content, links, text))
            expressed += [p for p in link.properties if _drop_prefix(p) not in worded.dropped]
            implied = [p for p in content.pairs if p not in link.landmark.pairs]
            expressed += [Property(LANDMARK + p.name, p.value) for p in implied]
            dropped += [Property(LANDMARK + p.name, p.value) for p in worded.dropped]
            heard += [(link.operator, name or "*", worded.meaning) for name in names]
        texts = [
            text
            for how, of in phrases.items()
            # "Between a and b" has two landmarks; with another relation, "a and b" could be two parts of the description.
            for text in (
                [f"{how} {language.enumerate(of)}"]
                if how == self._express_relation(BETWEEN)
                else [f"{how} {landmark}" for landmark in dict.fromkeys(of)]
            )
        ]
        clauses = [text for text in inverse if text.startswith(",")]
        texts += [text for text in inverse if text not in clauses]
        joined = f" {language.conjunction} ".join(texts)
        return joined + "".join(clauses), Worded(
            "", tuple(expressed), dropped=tuple(dropped), meaning=conjunction(heard)
        )

    def _make_indefinite(self, ids: Sequence[str], link: _Link, worded: Worded) -> str:
        """Return the words of a landmark of several targets; with "a" if these have one each: "the two cups on a tray"."""
        language, targets = self.language, self._select_ids_in_scene(ids)
        fitting = self.scene.denotation(worded.meaning)
        near = [related(self.scene, name, self.scene.mask([i]), True) & fitting for i in targets for name in link.names]
        opening, _, rest = worded.text.partition(" ")
        is_common = not near or reduce(and_, near) != 0 or any(map(is_contextual, conjuncts(worded.meaning)))
        if is_common or not language.indefinite or opening not in language.articles.values():
            return worded.text
        return language.polish(f"{language.indefinite} {rest}")

    def _is_ambiguous(self, outer: _Content, link: _Link) -> bool:
        """Return whether landmarks of a landmark would be true of other objects as landmarks of the whole: "the cup near the plate on the table"."""
        inner = link.landmark
        if link.operator == "inv" or not inner.links:
            return False
        raised = outer._replace(links=(link._replace(landmark=inner._replace(links=())), *inner.links)).form()
        return self.scene.denotation(raised) not in (0, self.scene.denotation(outer.form()))

    def _add_landmark_head(self, link: _Link, ids: Sequence[str]) -> _Content:
        """Return a landmark's description with a head, if the landmarks of all targets share it."""
        content = link.landmark
        if content.is_shared or len(ids) > 1:
            further = (x._replace(landmark=x.landmark._replace(is_shared=True)) for x in content.links)
            content = content._replace(links=tuple(further))
        if (
            content.is_shared
            or link.anchor not in {e.id for e in self.scene.entities}
            or any(p.name in HEADS for p in content.pairs)
        ):
            return content
        types = [p for p in self.scene.entity(link.anchor or "").attributes if p.name == HEADS[0]]
        if types and len(ids) > 1:
            form = conjunction([*conjuncts(content.form()), tuple(types[0])])
            fitting = self.scene.denotation(conjunction([(link.operator, name, form) for name in link.names or ("*",)]))
            types = [] if self.scene.mask(self._select_ids_in_scene(ids)) & ~fitting else types
        return content._replace(pairs=(*content.pairs, *types))

    def _add_second_landmark(
        self, ids: Sequence[str], link: _Link, content: _Content, links: Sequence[_Link], text: str
    ) -> list[str]:
        """Return the landmark; for *between* also the other one, if only one was chosen and the scene has just one other."""
        between = [x for x in links if BETWEEN in x.names]
        present = self._select_ids_in_scene(ids)
        if link.names != (BETWEEN,) or len(between) != 1 or not present:
            return [text]
        others = self._find_other_side(present[0], [link.anchor or ""])
        if not others:
            return [text]
        kind = self._describe_kind(others[0], content)
        other = self._make_noun_phrase(others, 1, kind, oblique=True).text
        if other != text:
            return [text, other]
        return [self._make_noun_phrase([link.anchor or "", *others], 2, kind, oblique=True).text]

    def _find_other_side(self, entity: str | None, sides: Sequence[str]) -> list[str]:
        """Return the first object, other than the given sides, that an entity is between."""
        between = [
            r.entity
            for i in self._select_ids_in_scene([entity or ""])
            for r in self.scene.entity(i).relations
            if r.name == BETWEEN
        ]
        return [i for i in self._select_ids_in_scene(between) if i not in sides][:1]

    def _describe_kind(self, entity: str, content: _Content) -> _Content:
        """Return the type and name of an entity, and the attributes that some content has."""
        names = {HEADS[0], *NAMED, *(p.name for p in content.pairs)}
        return _Content(tuple(p for p in self.scene.entity(entity).attributes if p.name in names))

    def _express_relation(self, name: str) -> str:
        return self.language.relation(name)

    def _name_words(self, prop: Property, noun: Noun) -> str:
        """Return the words for a name: after its noun ("the child Tom"), or by its pattern; after "one" with a verb."""
        language = self.language
        pattern = language.patterns.get(prop.name, "{}")
        is_bare = pattern == "{}" and noun.word in (language.default.word, language.several(language.default).word)
        return (language.patterns.get("called", pattern) if is_bare else pattern).replace("{}", prop.value)

    # -- numbers ---------------------------------------------------------------------------------------------------------------

    def _express_numbers(
        self,
        properties: Sequence[Property],
        ids: Sequence[str],
        head: Sequence[Property],
        is_ranked: bool,
        are_ranked: bool = True,
    ) -> list[Expressed]:
        """Return numbers as comparatives, superlatives and ordinals among the objects that fit the rest of the description."""
        language = self.language
        numbers = [
            p
            for p in properties
            if p.name in language.grades
            and _AMOUNT.fullmatch(p.value)
            and (frozenset([p]) not in language.phrases or (is_ranked and len(self._list_values_in_same_words(p)) > 1))
        ]
        plain = [p for p in (*head, *properties) if p not in numbers]
        targets = self.scene.mask(self._select_ids_in_scene(ids))
        left = self.scene.denotation(plain) | targets
        result: list[Expressed] = []
        for prop in numbers:
            grades = language.grades[prop.name]
            values = self._list_amounts(prop.name, self.scene.members(left))
            # Rows and columns that are chosen by their numbers are said so.
            is_named = prop.name in NUMBERED_PLACES or not are_ranked
            words, form = ("", EVERYTHING) if is_named else _grade(grades, language, values, ids, prop.name)
            if not words:
                words, form = format_amount(grades, prop, language), self.make_heard_meaning([prop])
            # "10 years old" is "10-year-old" before its noun.
            words = re.sub(r"^(\d+) (year|month|week|day)s? old$", r"\1-\2-old", words)
            behind = (
                words.startswith(f"{language.having} ") or _is_after_noun(words, grades) or language.adjectives == AFTER
            )
            place = AFTER if behind else BEFORE
            rank = (
                language.unnamed_rank if words.startswith(f"{language.having} ") and not language.indefinite else _ROW
            )
            phrase = Phrase(place, rank if place == AFTER else -2, words)
            result.append(Expressed(phrase, frozenset([prop]), form))
            left &= self.scene.denotation([prop]) | targets
        if not are_ranked or all(e.meaning[0] not in _RANKS for e in result):
            return result
        heard = self.scene.denotation(
            conjunction([*(self.make_heard_meaning([p]) for p in plain), *(e.meaning for e in result)])
        )
        if targets & ~heard & self.scene.denotation(plain):
            # A rank is heard among what all other words are true of, as those of later numbers.
            return self._express_numbers(properties, ids, head, is_ranked, are_ranked=False)
        return result

    def _express_ranks(self, content: _Content, ids: Sequence[str], number: int) -> list[Expressed]:
        """Return superlatives and ordinals of the content, as far as the language has words for them."""
        language, result = self.language, list[Expressed]()
        other = content._replace(ranks=()).form()
        rest, targets = self.scene.denotation(other), self.scene.mask(self._select_ids_in_scene(ids))

        def is_clear(rank: Meaning) -> bool:
            """Return whether a rank beside those before it is true of the targets, in whatever order a hearer applies them."""
            orders = permutations([*(e.meaning for e in result), rank])
            heard = {self.scene.denotation(conjunction([other, *order])) for order in orders}
            return len(heard) == 1 and not targets & rest & ~heard.pop()

        for rank in content.ranks:
            if rank[1] == _SALIENCE and number == rank[2]:
                # "The dog" is the most salient one.
                result.append(Expressed(Phrase(BEFORE, 0, ""), frozenset(flatten(rank)), rank))
                continue
            grades = language.grades.get(rank[1])
            words = _rank_words(rank, grades, language, number, rest.bit_count())
            if not words or (len(content.ranks) > 1 and not is_clear(rank)):
                continue
            behind = grades is None or _is_after_noun(words, grades) or language.adjectives == AFTER
            place = AFTER if behind else BEFORE
            phrase = Phrase(place, _ROW if place == AFTER else -2, words)
            result.append(Expressed(phrase, frozenset(flatten(rank)), rank))
        return result

    def _list_amounts(self, name: str, entities: Iterable[Entity]) -> dict[str, float | None]:
        """Return the number of each entity, in one unit."""
        is_mixed = has_several_units(self.scene, name)
        return {e.id: amount(e.value(name), is_mixed) for e in entities}

    def _find_distinguishing_rank(self, ids: Sequence[str], heard: Meaning) -> Expressed | None:
        """Return a rank by amount or position if the words are true of other objects too."""
        mask, left = self.scene.mask(self._select_ids_in_scene(ids)), self.scene.denotation(heard)
        among = list(self.scene.members(left | mask))
        if left == mask or mask & ~left:
            return None
        amounts = {n: self._list_amounts(n, among) for n in self.language.grades}
        places = {n: {e.id: _get_coordinate(e, axis) for e in among} for axis, n in enumerate(("x", "y"))}
        for name, values in [*amounts.items(), *places.items()]:
            grades = self.language.grades.get(name)
            words, form = _grade(grades, self.language, values, ids, name) if grades else ("", EVERYTHING)
            # A rank that ties, or that comes from positions beside an attribute of the name, would mean something else.
            if grades and words and self.scene.denotation(conjunction([heard, form])) == mask:
                place = AFTER if _is_after_noun(words, grades) or self.language.adjectives == AFTER else BEFORE
                called = name if values is amounts.get(name) else POSITION
                phrase = Phrase(place, _ROW if place == AFTER else -2, words)
                return Expressed(phrase, frozenset([Property(called, words)]), form)
        return None

    # -- relative clauses ------------------------------------------------------------------------------------------------------

    def _make_clauses(
        self, forms: Sequence[Meaning], number: int, noun: Noun, ids: Sequence[str]
    ) -> tuple[str, Worded]:
        """Return denials, disjunctions and comparisons as relative clauses."""
        words = self.language.clauses
        texts, expressed, dropped, heard = list[str](), list[Property](), list[Property](), list[Meaning]()
        targets = self.scene.mask(self._select_ids_in_scene(ids))
        for form in forms:
            text = None if words is None else self._make_clause(form, number > 1, noun, ids)
            clause = self._make_heard_clause(form)
            # "Not blue" would be false of what is dark blue.
            is_lie = targets & self.scene.denotation(form) & ~self.scene.denotation(clause)
            if text is None or is_lie:
                dropped += flatten(form)
                continue
            texts.append(text)
            expressed += flatten(form)
            heard.append(clause)
        if words is None or not texts:
            return "", Worded("", (), dropped=tuple(dropped))
        opening = choose_gender_form(words.that, noun.gender)
        texts = [self._open_clause(text, "" if i and words.verb_last else opening) for i, text in enumerate(texts)]
        that = f" {self.language.conjunction} ".join(texts)
        that = that if that.startswith(",") else f" {that}"
        return that, Worded("", tuple(expressed), dropped=tuple(dropped), meaning=conjunction(heard))

    def _open_clause(self, text: str, opening: str) -> str:
        """Return a clause with its relative pronoun; the frame "whose jaw is square" has one of its own."""
        return text if self._is_frame(text) else f"{opening} {text}".strip()

    def _is_frame(self, text: str) -> bool:
        """Return whether words open with the pronoun of the frame for unknown words ("whose")."""
        return bool(self.language.possessive) and text.startswith(f"{self.language.possessive} ")

    def _make_heard_clause(self, form: Meaning) -> Meaning:
        """Return the meaning of a clause in words that several values share.

        A column or row by its number is exact.
        """
        if form[0] in ("and", "or", "not"):
            return (form[0], *map(self._make_heard_clause, form[1:]))
        grades = self.language.grades.get(form[0])
        is_exact = form[0] in OPERATORS or (grades is not None and grades.at and form[1].isdecimal())
        return form if is_exact else self.make_heard_meaning([Property(*form)])

    def _make_clause(self, form: Meaning, many: bool, noun: Noun, ids: Sequence[str]) -> str | None:
        """Return a relative clause, such as "is red or has a beard"; a repeated verb is omitted."""
        words = self.language.clauses
        predicates = [self._predicate(part, many, noun, ids) for part in (form[1:] if form[0] == "or" else (form,))]
        if words is None or None in predicates:
            return None
        texts: list[str] = []
        before = ""
        opening = choose_gender_form(words.that, noun.gender)
        for verb, rest in (p for p in predicates if p is not None):
            if words.verb_last:
                texts.append(f"{rest} {verb}")
            elif verb == before:
                texts.append(rest)
            else:
                is_new = self._is_frame(before) and not self._is_frame(verb)
                texts.append(f"{opening} {verb} {rest}" if is_new else f"{verb} {rest}")
            before = verb
        return f" {words.either} ".join(texts)

    def _predicate(self, form: Meaning, many: bool, noun: Noun, ids: Sequence[str]) -> tuple[str, str] | None:
        """Return the verb (with its "not") and its complement; None if the language has no words for it."""
        words = self.language.clauses
        if words is None:
            return None
        is_denied, piece = (True, form[1]) if form[0] == "not" else (False, form)
        if piece[0] == "and":
            parts = [self._predicate(part, many, noun, ids) for part in piece[1:]]
            verbs = {p[0] for p in parts if p is not None}
            if None in parts or len(verbs) != 1:
                return None
            return verbs.pop(), f" {self.language.conjunction} ".join(p[1] for p in parts if p is not None)
        if piece[0] not in OPERATORS and (piece[0], "") not in self.scene.extensions:
            return self._predicate_of(Property(*piece), is_denied, many, noun)
        if piece[0] in ("<", ">") and piece[1] not in self.language.grades:
            pattern = get_superlative_pattern(self.language, piece[0], piece[1])
            verb = (words.lack or words.have)[many] if is_denied else words.have[many]
            return (verb, pattern.format(name_amount(self.language, piece[1]), f"{piece[2]:g}")) if pattern else None
        rest = self._make_complement(piece, many, noun, ids)
        is_place = piece[0] == "rel" or piece[0] not in OPERATORS
        verb = ((is_place and words.located) or words.be)[many]
        return None if rest is None else self._deny(verb, rest) if is_denied else (verb, rest)

    def _make_complement(self, form: Meaning, many: bool, noun: Noun, ids: Sequence[str]) -> str | None:
        """Return the complement of "is": a comparison, a superlative, or a landmark."""
        language, operator = self.language, form[0]
        if operator in ("<", ">"):
            grades = language.grades.get(form[1])
            if grades is None or not language.than or not (grades.less if operator == "<" else grades.more):
                return None
            if grades.at:
                # Places are compared where they are columns and rows; coordinates would be numbers that a hearer cannot see.
                places = _list_values(self.scene)
                is_place = form[1] in places and float(form[2]).is_integer() and _is_grid(places, form[1])
                pattern = language.extremes.get(f"{operator} {get_axis(form[1])}", "") if is_place else ""
                return pattern.format(f"{form[2]:g}") or None
            word = choose_gender_form(
                grades.less if operator == "<" else grades.more, language.predicative or noun.gender
            )
            return f"{word} {language.than} {form[2]:g}"
        if operator in _RANKS:
            grades = language.grades.get(form[1])
            word = _rank_words(form, grades, language, 2 if many else 1, 3)
            return (
                f"{language.articles[noun.gender]} {choose_gender_form(word, noun.gender)}" if word and grades else None
            )
        if operator not in ("rel", "or"):
            form = ("rel", operator, EVERYTHING)
        if form[0] != "rel":
            return None
        link = self._link(form, ids)
        if link.anchor is None and form[2] == EVERYTHING:
            if not language.anything:
                return None
            return f"{self._express_relation(form[1])} {language.anything}"
        how = self._express_relation(form[1])
        if how == language.having:
            return None
        worded = self._make_noun_phrase([link.anchor or ""], 1, self._add_landmark_head(link, ids), oblique=True)
        return None if worded.dropped else f"{how} {worded.text}"

    def _predicate_of(self, prop: Property, is_denied: bool, many: bool, noun: Noun) -> tuple[str, str] | None:
        """Return verb and complement of a property; None without words."""
        words, language = self.language.clauses, self.language
        if words is None:
            return None
        verb = words.be[many]
        if self._is_head(prop):
            named = self._choose_noun([prop], 2 if many else 1)
            kind = named.word
            if is_denied and words.no_thing:
                return verb, f"{choose_gender_form(words.no_thing, named.gender)} {kind}"
            rest = kind if many or not language.indefinite else language.polish(f"{language.indefinite} {kind}")
        else:
            has_phrase = frozenset([prop]) in language.phrases or not _AMOUNT.fullmatch(prop.value)
            grades = None if has_phrase else language.grades.get(prop.name)
            if has_phrase and len(self._list_values_in_same_words(prop)) > 1:
                exact = language.grades.get(prop.name)
                grades = exact if exact is not None and exact.at and prop.value.isdecimal() else None
            phrases = [language.describe_unknown(prop)] if prop.name in language.relations else language.word([prop])
            is_part = words.verb_last and phrases and frozenset([prop]) not in language.phrases
            if is_part or (is_denied and phrases and self._is_double_denial(prop, phrases[0].text)):
                phrases = [language.say_plainly(prop)]
            plain = " ".join(p.text for p in phrases) or prop.value
            if prop.name in NAMED and prop.name not in language.patterns:
                plain = language.patterns.get("called", "{}").replace("{}", prop.value)
            agreed = self._agree_in_number(plain, noun, 2 if many else 1)
            rest = choose_gender_form(
                format_amount(grades, prop, language) if grades else agreed, language.predicative or noun.gender
            )
            opening, _, thing = rest.partition(" ")
            if opening == words.that:
                return self._deny(verb, thing.partition(" ")[2]) if is_denied else (verb, thing.partition(" ")[2])
            if opening == language.possessive and (frame := re.match(rf"(.*? (?:{'|'.join(words.be)})) (.*)", rest)):
                return f"{frame[1]} {words.no}" if is_denied else frame[1], frame[2]
            if opening == language.lacking and is_denied and self._has_everywhere(prop.name):
                return words.have[many], thing
            if forms := language.verbs.get(opening):
                lacking = (words.lack or ("", ""))[many]
                return (f"{lacking.rpartition(' ')[0]} {forms[1]}" if is_denied else forms[many]), thing
            is_definite = thing.partition(" ")[0] in language.articles.values() or thing[:1] in QUOTES
            is_amount = bool(
                {*thing.split()[:1]} & {"few", "many", *language.numbers.values(), language.singular_numeral}
            )
            is_amount = is_amount or bool(re.search(r"\d", prop.value))
            if opening == language.having and is_denied and not is_definite and not is_amount:
                return (words.located or words.be)[many], f"{language.lacking} {thing}"
            if opening == language.having and is_denied:
                lacking = (words.lack or words.have)[many]
                return lacking, f"{words.no} {thing}" if words.verb_last else thing
            if opening == language.having:
                verb, rest = words.have[many], thing
            is_place = opening in language.places_open or opening == language.lacking
            verb = words.located[many] if words.located and is_place else verb
        return self._deny(verb, rest) if is_denied else (verb, rest)

    def _is_double_denial(self, prop: Property, text: str) -> bool:
        """Return whether words for what a thing is not, or has not, would be denied once more."""
        words = self.language.clauses
        language = self.language
        is_denial = words is not None and f" {words.no} " in text and text.startswith(f"{words.that} ")
        is_denial = is_denial or text.startswith((f"{language.having} no ", language.negation or "\n"))
        return is_denial and frozenset([prop]) not in language.phrases

    def _has_everywhere(self, name: str) -> bool:
        """Return whether all entities have an attribute, so that what is not without a thing has it."""
        return all(e.value(name) is not None for e in self.scene.entities)

    def _deny(self, verb: str, rest: str) -> tuple[str, str]:
        """Return a verb and its complement, negated."""
        words = self.language.clauses
        if words is None or words.verb_last:
            return verb, f"{words.no if words else ''} {rest}".strip()
        return (f"{words.no} {verb}" if self.language.adjectives == AFTER else f"{verb} {words.no}"), rest


def adapt_language(language: Language, scene: Scene) -> Language:
    """Return the language with the words that a scene needs.

    - Where others have more, 0 and 1 are numbers: "with one floor", "in row 1"; elsewhere they are no and yes.
    - The words for columns and rows of a grid ("on the far left") are for a grid of five by three.
    """
    phrases: dict[frozenset[Property], tuple[Phrase, ...]] = {}
    values = _list_values(scene)
    for name, texts in values.items():
        numbers = {v for v in texts if v.isdecimal()}
        if "0" in texts and any(re.fullmatch(r"[A-Z]{1,2}", v) for v in texts):
            # A code, such as a blood type, and not a no.
            phrases[frozenset([Property(name, "0")])] = (
                Phrase(AFTER, language.unnamed_rank, f"{language.having} {split_name(name)} 0"),
            )
        elif texts & {"0", "1"} and any(int(v) > 1 for v in numbers) and name not in language.grades:
            for prop in (Property(name, v) for v in texts & {"0", "1"}):
                phrases.setdefault(frozenset([prop]), (language.say_number(prop),))
    beyond = {
        name
        for name, size in _GRID.items()
        if not values.get(name, set()) <= {*map(str, range(1, size + 1)), *UNSAYABLE}
    }
    # Pixels are coordinates: "with an x of 640", and not "in column 640".
    coordinates = {
        name: language.grades[name]._replace(at=language.measured(name, "0").replace("0", "{}"))
        for name in values
        if name[:1] in ("x", "y") and name in language.grades and not _is_grid(values, name)
    }
    if not phrases and not beyond and not coordinates:
        return language
    listed = {group: words for group, words in language.phrases.items() if not any(p.name in beyond for p in group)}
    return replace(language, phrases={**phrases, **listed}, grades={**language.grades, **coordinates})


def _list_values(scene: Scene) -> dict[str, set[str]]:
    """Return the values of each attribute of a scene."""
    values: dict[str, set[str]] = {}
    for prop in scene.extensions:
        values.setdefault(prop.name, set()).add(prop.value)
    return values


def _is_grid(values: Mapping[str, Iterable[str]], name: str) -> bool:
    """Return whether an attribute's numbers count columns or rows: x and y do where both are small."""
    names = _COORDINATES if name in _COORDINATES else (name,)
    return all(v.isdecimal() and int(v) <= _WIDEST for n in names for v in values.get(n, ()))


def _push_negation(form: Meaning, is_denied: bool = False) -> Meaning:
    """Return a form in which only atoms and relations are denied (De Morgan)."""
    operator = form[0]
    if operator == "not":
        return _push_negation(form[1], not is_denied)
    if operator in ("and", "or"):
        swapped = {"and": "or", "or": "and"}[operator] if is_denied else operator
        return (swapped, *(_push_negation(part, is_denied) for part in form[1:]))
    return ("not", form) if is_denied else form


def _merge(links: Sequence[_Link]) -> Iterator[_Link]:
    """Yield links with relations to the same landmark joined."""
    merged: dict[tuple[object, ...], _Link] = {}
    for link in links:
        key = (link.operator, link.anchor, link.landmark) if link.anchor and link.operator == "rel" else (len(merged),)
        first = merged.get(key)
        merged[key] = (
            link
            if first is None
            else first._replace(names=(*first.names, *link.names), properties=(*first.properties, *link.properties))
        )
    yield from merged.values()


def _get_coordinate(entity: Entity, axis: int) -> float | None:
    return entity.position[axis] if entity.position is not None and len(entity.position) > axis else None


def _drop_prefix(prop: Property) -> Property:
    """Return a landmark's property without the prefix."""
    match = LANDMARKS.match(prop.name)
    return prop if match is None else Property(prop.name[match.end() :], prop.value)


def _is_same_amount(value: str, other: str) -> bool:
    """Return whether two values are one number, in one unit or once without a unit."""
    first, second = _AMOUNT.fullmatch(value), _AMOUNT.fullmatch(other)
    if first is None or second is None or float(first[1]) != float(second[1]):
        return False
    return first[2] == second[2] or not (first[2] and second[2])


def _grade(
    grades: Grades, language: Language, values: Mapping[str, float | None], ids: Sequence[str], name: str
) -> tuple[str, Meaning]:
    """Return the rank of some objects among others by an amount, in words and as a form.

    No words without a rank of their own.
    """
    amounts = [v for i in ids if (v := values.get(i)) is not None]
    others = [v for i, v in values.items() if i not in ids and v is not None]
    if len(amounts) < len(ids) or not others or None in values.values():
        return "", EVERYTHING
    two = len(amounts) == len(others) == 1
    if min(amounts) > max(others):
        return (grades.more if two else grades.most), ("most", name, len(amounts))
    if max(amounts) < min(others):
        return (grades.less if two else grades.least), ("least", name, len(amounts))
    if len(amounts) > 1 or amounts[0] in others:
        return "", EVERYTHING
    above, below = sum(v > amounts[0] for v in others) + 1, sum(v < amounts[0] for v in others) + 1
    rank, pattern, side = (above, grades.between, "right") if above <= below else (below, grades.between_low, "left")
    if rank not in language.ordinals or not pattern:
        return "", EVERYTHING
    return pattern.replace("{}", language.ordinals[rank], 1), ("nth", name, rank, side)


def _rank_words(rank: Meaning, grades: Grades | None, language: Language, number: int, candidates: int) -> str:
    """Return the words of a superlative or an ordinal.

    None where the language has no words for it, or the number does not agree.
    """
    operator, name, k = rank[:3]
    if grades is None or (operator == "nth" and k > 1 and not grades.between):
        if operator == "nth":
            operator, is_one = ("most" if SIDES[rank[3]] < 0 else "least"), number == 1
            ordinal = language.ordinals.get(k, "") if is_one else ""
            pattern = get_superlative_pattern(language, f"nth {operator}" if k > 1 else operator, name)
            return (
                pattern.format(name_amount(language, name), ordinal)
                if pattern and is_one and (ordinal or k == 1)
                else ""
            )
        pattern = get_superlative_pattern(language, operator, name)
        return pattern.format(name_amount(language, name)) if pattern and k == number else ""
    if operator == "nth":
        is_high = SIDES[rank[3]] < 0
        if number > 1:
            return ""
        if k > 1:
            pattern = grades.between if is_high else grades.between_low
            return pattern.replace("{}", language.ordinals[k], 1) if pattern and k in language.ordinals else ""
        operator = "most" if is_high else "least"
    if k != number:
        return ""
    two = candidates == 2 and number == 1
    return (grades.more if two else grades.most) if operator == "most" else (grades.less if two else grades.least)


def get_axis(name: str) -> str:
    """Return whether an attribute of places counts columns (x) or rows (y)."""
    return "x" if name[0] in "xc" else "y"


def get_superlative_pattern(language: Language, operator: str, name: str) -> str:
    """Return the pattern of a superlative or comparison of an attribute without grades, for amounts or for counts."""
    words, is_counted = split_name(name), bool(language.indefinite) and language.lexicon.is_plural(split_name(name))
    several = language.extremes.get(f"{operator} of several", "") if is_counted else ""
    return language.extremes.get(f"{operator} {words}") or several or language.extremes.get(operator, "")


def name_amount(language: Language, name: str) -> str:
    """Return the name of an amount behind "the highest"; one that may be no noun is quoted."""
    words = language.split_unit(split_name(name))[0] if language.indefinite else name
    if words in language.numbered:
        return f"{words} number"
    is_sure = language.lexicon.can_be_noun(words) or (" " not in words and language.lexicon.is_plural(words))
    return words if is_sure or not language.possessive else f'"{words}"'


def format_amount(grades: Grades, prop: Property, language: Language) -> str:
    """Return an amount without a rank, with its unit if any."""
    number, _, unit = prop.value.partition(" ")
    if match := _AMOUNT.fullmatch(prop.value):
        number, unit = match[1], match[2]
    if grades.dimension and _UNIT.fullmatch(unit):
        return f"{number} {unit} {grades.dimension}"
    if grades.at and prop.value.isdecimal():
        return grades.at.format(prop.value)
    return language.measured(grades.called or prop.name, prop.value)


def _is_after_noun(words: str, grades: Grades) -> bool:
    """Return whether words of position follow the noun.

    "second from the left", but not "second largest" or "30 cm tall".
    """
    return bool(grades.at) and " " in words and words not in (grades.most, grades.least)
