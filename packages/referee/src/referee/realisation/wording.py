"""Words that look at the scene: one thing or several, numbers as "larger" and "leftmost", every landmark with its head, "or" and "not" as clauses.

What each phrase expresses is kept beside it, so that what was said can be held against what was chosen (`Worded.said`). Number words and plurals come from
tables of the language: the nouns are those of scenes, and a package for inflection would cost every description more time than the rest of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from referee.realisation.annotation import UNSAYABLE
from referee.realisation.language import AFTER, BEFORE, Grades, Language, Noun, Phrase, plain_words, spelt
from referee.records import LANDMARK, LANDMARKS, Entity, Property, Scene, SpeakerView

__all__ = ["Worded", "Wording", "language_of"]

NOT = "not."
POSITION = "position"
BETWEEN = "between"
HEADS = ("type", "basic", "kind", "category", "superordinate")
"""Attributes that are said as the noun, the most telling first; the others are then true of what the noun says."""
NAMED = ("name", "label")
_AMOUNT = re.compile(r"([-+]?\d+(?:\.\d+)?)\s*([a-zA-Z°%/²³]*)")
_ROW, _NAME = 30, -5

Expressed = tuple[Phrase, frozenset[Property]]


class Worded(NamedTuple):
    """Words, and the properties that they express; `added` are those that nobody chose, without which others would be meant too ("the two smallest mice")."""

    text: str
    said: tuple[Property, ...]
    added: tuple[Property, ...] = ()


def language_of(view: SpeakerView) -> Language:
    """The language of a trial, as far as there are words for it; otherwise English."""
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
        self.language, self.scene = language, scene

    def parts(self, parts: Sequence[tuple[Sequence[str], Sequence[Property]]]) -> Worded:
        """Several targets in parts: "the red chair and the two blue desks"."""
        worded = [self.phrase(ids, properties) for ids, properties in parts]
        return Worded(self.language.enumerate([w.text for w in worded]), tuple(p for w in worded for p in w.said))

    def phrase(self, ids: Sequence[str], properties: Sequence[Property], where: bool = True) -> Worded:
        """One noun phrase for these things; with `where`, where they are is added if nothing else tells them apart."""
        found = self._phrase(ids, properties, ())
        if where and (placed := self._told_apart(ids, found.said)):
            return self._phrase(ids, properties, (placed,))._replace(added=tuple(placed[1]))
        return found

    def formula(self, ids: Sequence[str], clauses: Sequence[Sequence[Any]]) -> Worded:
        """A conjunction of unions of literals: what is plainly true as a noun phrase, the rest as relative clauses."""
        plain = [c[0].property for c in clauses if len(c) == 1 and not c[0].negated]
        rest = [c for c in clauses if len(c) > 1 or c[0].negated]
        main = self._phrase(ids, plain, ())
        said = [Property(NOT + x.property.name, x.property.value) if x.negated else x.property for c in rest for x in c]
        told = [self._clause(clause, len(ids) > 1, self._noun(plain, len(ids))) for clause in rest]
        words = self.language.clauses
        opening = spelt(words.that, self._noun(plain, len(ids)).gender) if words else ""
        joined = f" {self.language.conjunction} {opening.lstrip(', ')} ".join(told)
        that = f"{'' if opening.startswith(',') else ' '}{opening} {joined}" if told else ""
        text, ones = main.text.split(), self.language.several(self.language.default).word
        if told and len(ids) > 1 and len(text) == 3 and text[-1] == ones:
            text = text[:-1]  # "the two that are red": a number needs no "ones" behind it
        return Worded(self.language.polish(" ".join(text) + that), (*main.said, *dict.fromkeys(said)))

    # -- a noun phrase ---------------------------------------------------------------------------------------------------------

    def _phrase(
        self, ids: Sequence[str], properties: Sequence[Property], extra: Sequence[Expressed], oblique: bool = False
    ) -> Worded:
        language = self.language
        own, relations, told = self._sorted(properties)
        noun = self._noun(own, len(ids), self._somebody(ids))
        if oblique:
            ending = language.oblique_plural if len(ids) > 1 and not noun.word.endswith(("n", "s")) else ""
            noun = noun._replace(word=noun.word + ending, gender=language.oblique_of.get(noun.gender, noun.gender))
        head = [p for p in own if p.name in HEADS or p in language.nouns]
        graded = self._graded([p for p in own if p not in head], ids, head)
        names = [(Phrase(AFTER, _NAME, p.value), frozenset([p])) for p in own if p.name in NAMED]
        counted = self._counted([p for p in own if p not in head])
        special = {p for _, expressed in (*graded, *names, *counted) for p in expressed} | set(head)
        phrases = language.phrases_for([p for p in own if p not in special])
        phrases = sorted([*phrases, *graded, *names, *counted, *extra], key=lambda item: (item[0].place, item[0].rank))
        number = [language.numbers.get(len(ids), str(len(ids)))] if len(ids) > 1 and language.numbers else []
        before = [*number, *(self._agreed(p.text, noun, len(ids)) for p, _ in phrases if p.place == BEFORE)]
        after = [self._agreed(p.text, noun, len(ids)) for p, _ in phrases if p.place == AFTER]
        alone = (
            language.numbers_alone and len(before) == len(number) == 1 and noun == language.several(language.default)
        )
        text = language.put_together(before, noun._replace(word="") if alone else noun, after)
        beside, mentioned = self._landmarks(ids, relations, told)
        said = [*head, *(p for _, expressed in phrases for p in sorted(expressed)), *mentioned]
        order = {p: i for i, p in enumerate(properties)}
        ordered = sorted(dict.fromkeys(said), key=lambda p: order.get(p, len(order)))
        return Worded(language.polish(f"{text} {beside}"), tuple(ordered))

    def _known(self, ids: Sequence[str]) -> list[str]:
        """Those that the scene has: what is said of a landmark may name one that it has not."""
        return [i for i in ids if any(e.id == i for e in self.scene.entities)]

    def _somebody(self, ids: Sequence[str]) -> bool:
        """Whether these are people whose type nobody noted: they have a gender."""
        known = [self.scene.entity(i) for i in self._known(ids)]
        return bool(known) and all(e.value("gender") is not None and e.value(HEADS[0]) is None for e in known)

    def _noun(self, own: Sequence[Property], number: int, somebody: bool = False) -> Noun:
        language = self.language
        # The most telling of its kinds is the noun.
        kinds = [p for name in HEADS for p in own if p.name == name and p.value not in UNSAYABLE]
        known = [p for p in own if p in language.nouns]
        people = [Property(HEADS[0], "person")] if somebody else []
        noun = language.noun([*known, *([Property(HEADS[0], kinds[0].value)] if kinds else people)])
        if number < 2:
            return noun
        several = language.several(noun)
        return several._replace(gender=language.plural_of.get(noun.gender, noun.gender))

    def _agreed(self, text: str, noun: Noun, number: int) -> str:
        """A phrase beside a plural noun: in languages whose adjectives follow the number, its first word does."""
        endings = self.language.plural_endings
        first, _, rest = text.partition(" ")
        if first in self.language.degrees:
            return f"{first} {self._agreed(rest, noun, number)}"
        if (
            number < 2
            or not endings
            or first in self.language.openers | self.language.invariable
            or noun.gender not in self.language.plural_of.values()
        ):
            return text
        single = next((g for g, p in self.language.plural_of.items() if p == noun.gender), "")
        whole = spelt(first, single)
        end = max((e for e in endings if whole.endswith(e)), key=len)
        return f"{whole[: len(whole) - len(end)]}{endings[end]} {rest}".strip()

    def _sorted(self, properties: Sequence[Property]) -> tuple[list[Property], list[Property], list[Property]]:
        """Own properties, relations, and what is said of landmarks."""
        own, relations, told = [], [], []
        for prop in dict.fromkeys(properties):
            if LANDMARKS.match(prop.name):
                told.append(prop)
            elif (prop.name in self.language.relations and not self._an_attribute(prop)) or Property(
                prop.name, ""
            ) in self.scene.extensions:
                relations.append(prop)
            elif prop.value not in UNSAYABLE:
                own.append(prop)
        return own, relations, told

    def _an_attribute(self, prop: Property) -> bool:
        return any(prop in e.attributes for e in self.scene.entities)

    # -- landmarks -------------------------------------------------------------------------------------------------------------

    def _landmarks(
        self, ids: Sequence[str], relations: Sequence[Property], told: Sequence[Property]
    ) -> tuple[str, list[Property]]:
        """Every relation with a noun phrase for its landmark, and all that these say."""
        phrases: dict[str, list[str]] = {}
        said: list[Property] = list(relations)
        for tied, mine in self._beside(relations, told):
            worded = self._phrase([tied[0].value if tied else ""], list(mine), (), oblique=True)
            said += [mine.get(p, Property(LANDMARK + p.name, p.value)) for p in worded.said]
            how = self.language.enumerate([self._relation(r.name) for r in tied]) or self.language.having
            sides = [worded.text]
            for other in self._other_side(ids, tied, relations):
                told_of = {HEADS[0], *NAMED, *(p.name for p in mine)}
                kind = [p for p in self.scene.entity(other).attributes if p.name in told_of]
                sides.append(self._phrase([other], kind, (), oblique=True).text)
                if sides[0] == sides[1]:
                    sides = [self._phrase([tied[0].value, other], kind, (), oblique=True).text]
            phrases.setdefault(how, []).extend(sides)
        return f" {self.language.conjunction} ".join(
            f"{how} {self.language.enumerate(of)}" for how, of in phrases.items()
        ), said

    def _other_side(self, ids: Sequence[str], tied: Sequence[Property], relations: Sequence[Property]) -> list[str]:
        """Between what else, where only one side was chosen and the scene has just one other."""
        if (
            [r.name for r in tied] != [BETWEEN]
            or sum(r.name == BETWEEN for r in relations) != 1
            or not self._known(ids)
        ):
            return []
        others = [
            r.entity for r in self.scene.entity(ids[0]).relations if r.name == BETWEEN and r.entity != tied[0].value
        ]
        return others[:1]

    def _beside(
        self, relations: Sequence[Property], told: Sequence[Property]
    ) -> Iterator[tuple[list[Property], dict[Property, Property]]]:
        """Landmark by landmark: the relations to it, and what is said of it, without and with the prefix of a landmark."""
        landmarks: dict[str, list[Property]] = {}
        for relation in relations:
            landmarks.setdefault(relation.value, []).append(relation)
        known = {e.id for e in self.scene.entities}
        left = list(told)
        for landmark, tied in landmarks.items():
            mine = [p for p in left if self._said_of(p, landmark)] if landmark in known else left
            left = [p for p in left if p not in mine]
            bare = {_bare(p): p for p in mine}
            if landmark in known and not any(p.name in HEADS for p in bare):
                # Every landmark has a head, whether somebody chose it or not.
                bare |= {
                    p: Property(LANDMARK + p.name, p.value)
                    for p in self.scene.entity(landmark).attributes
                    if p.name == HEADS[0]
                }
            yield tied, bare
        if left and not relations:
            # What is said of a landmark without a relation is something that is there as well.
            yield [], {_bare(p): p for p in left}

    def denotes(self, properties: Sequence[Property]) -> int:
        """Whom a noun phrase with these properties is true of: each landmark may be any entity that its own phrase is true of."""
        own, relations, told = self._sorted(properties)
        mask = self.scene.denotation(own)
        for tied, mine in self._beside(relations, told):
            anchors, names = {e.id for e in self.scene.members(self.denotes(list(mine)))}, {r.name for r in tied}
            for i, entity in enumerate(self.scene.entities):
                held = {r.name for r in entity.relations if r.entity in anchors}
                if not (held and names <= held):
                    mask &= ~(1 << i)
        return mask

    def _relation(self, name: str) -> str:
        return self.language.relations.get(name, plain_words(name).removeprefix("is "))

    def _said_of(self, prop: Property, landmark: str) -> bool:
        """Whether something said of a landmark can be meant of this one."""
        bare = _bare(prop)
        if LANDMARKS.match(bare.name):
            beyond = {r.entity for r in self.scene.entity(landmark).relations}
            return any(self._said_of(bare, other) for other in beyond)
        return self.scene.entity(landmark).has(bare)

    # -- numbers ---------------------------------------------------------------------------------------------------------------

    def _graded(self, own: Sequence[Property], ids: Sequence[str], head: Sequence[Property]) -> list[Expressed]:
        """Numbers as comparatives, superlatives and ordinals among the things that the rest of the description is true of."""
        language = self.language
        numbers = [
            p
            for p in own
            if p.name in language.grades and _AMOUNT.fullmatch(p.value) and frozenset([p]) not in language.phrases
        ]
        plain = [p for p in (*head, *own) if p not in numbers]
        kept = self.scene.denotation(plain) | self.scene.mask(self._known(ids))
        found: list[Expressed] = []
        for prop in numbers:
            grades = language.grades[prop.name]
            values = {e.id: _amount(e.value(prop.name)) for e in self.scene.members(kept)}
            words = _grade(grades, language, values, ids) or _measured(grades, prop, language)
            behind = words.startswith(f"{language.having} ") or _behind(words, grades) or language.adjectives == AFTER
            place = AFTER if behind else BEFORE
            found.append((Phrase(place, _ROW if place == AFTER else -2, words), frozenset([prop])))
            kept &= self.scene.denotation([prop]) | self.scene.mask(self._known(ids))
        return found

    def _counted(self, own: Sequence[Property]) -> list[Expressed]:
        """None or one of something ("with 1 dot"), where others have more of it: elsewhere 0 and 1 are no and yes."""
        found: list[Expressed] = []
        for prop in own:
            values = {e.value(prop.name) or "" for e in self.scene.entities}
            if prop.value in ("0", "1") and any(v.isdecimal() and int(v) > 1 for v in values):
                words = self.language.counted(prop)
                found += [(Phrase(AFTER, self.language.unnamed_rank, words), frozenset([prop]))] if words else []
        return found

    def _told_apart(self, ids: Sequence[str], said: Sequence[Property]) -> Expressed | None:
        """By an amount, or by where they are, if what was said is true of others too and the scene knows as much of all of them."""
        mask, left = self.scene.mask(ids), self.denotes(said)
        among = list(self.scene.members(left | mask))
        if left == mask or mask & ~left:
            return None
        amounts = {n: {e.id: _amount(e.value(n)) for e in among} for n in self.language.grades}
        places = {n: {e.id: _coordinate(e, axis) for e in among} for axis, n in enumerate(("x", "y"))}
        for name, values in [*amounts.items(), *places.items()]:
            grades = self.language.grades.get(name)
            if grades and (words := _grade(grades, self.language, values, ids)):
                place = AFTER if _behind(words, grades) or self.language.adjectives == AFTER else BEFORE
                called = name if values is amounts.get(name) else POSITION
                return Phrase(place, _ROW if place == AFTER else -2, words), frozenset([Property(called, words)])
        return None

    # -- or, not ---------------------------------------------------------------------------------------------------------------

    def _clause(self, literals: Sequence[Any], many: bool, noun: Noun) -> str:
        """ "is red or has a beard"; a verb that stays the same is said once."""
        words = self.language.clauses
        if words is None:
            return ""
        said = [self._predicate(literal, many, noun) for literal in literals]
        told: list[str] = []
        for i, (verb, rest) in enumerate(said):
            told.append(
                rest
                if i and verb == said[i - 1][0] and not words.verb_last
                else f"{rest} {verb}"
                if words.verb_last
                else f"{verb} {rest}"
            )
        return f" {words.either} ".join(told)

    def _predicate(self, literal: Any, many: bool, noun: Noun) -> tuple[str, str]:
        """The verb (with its "not") and what follows it."""
        words, language, prop = self.language.clauses, self.language, literal.property
        if words is None:
            return "", ""
        verb = words.be[many]
        if prop.name in HEADS or prop in language.nouns:
            kind = self._noun([prop], 2 if many else 1).word
            rest = kind if many or not language.indefinite else language.polish(f"{language.indefinite} {kind}")
        else:
            known = frozenset([prop]) in language.phrases or not _AMOUNT.fullmatch(prop.value)
            grades = None if known else language.grades.get(prop.name)
            plain = " ".join(p.text for p in language.word([prop])) or prop.value
            agreed = self._agreed(plain, noun, 2 if many else 1)
            rest = spelt(_measured(grades, prop, language) if grades else agreed, language.predicative or noun.gender)
            opening, _, thing = rest.partition(" ")
            if opening == language.having and literal.negated and not re.search(r"\d", prop.value):
                return verb, f"{language.lacking} {thing}"
            if opening == language.having and literal.negated:
                return self._lacked(many), f"{words.no} {thing}" if words.verb_last else thing
            if opening == language.having:
                verb, rest = words.have[many], thing
        if not literal.negated:
            return verb, rest
        if words.verb_last:
            return verb, f"{words.no} {rest}"
        return (f"{words.no} {verb}" if language.adjectives == AFTER else f"{verb} {words.no}"), rest

    def _lacked(self, many: bool) -> str:
        """ "do not have": a number is not a thing that one is without."""
        words = self.language.clauses
        if words is None:
            return ""
        return words.lack[many] if words.lack else words.have[many]


def _coordinate(entity: Entity, axis: int) -> float | None:
    return entity.position[axis] if entity.position is not None and len(entity.position) > axis else None


def _bare(prop: Property) -> Property:
    """A landmark's property without the prefix."""
    found = LANDMARKS.match(prop.name)
    return prop if found is None else Property(prop.name[found.end() :], prop.value)


def _amount(value: str | None) -> float | None:
    found = _AMOUNT.fullmatch(value or "")
    return float(found[1]) if found else None


def _grade(grades: Grades, language: Language, values: Mapping[str, float | None], ids: Sequence[str]) -> str:
    """Where some things stand among others by an amount, in words; nothing where they stand nowhere in particular."""
    mine = [v for i in ids if (v := values.get(i)) is not None]
    others = [v for i, v in values.items() if i not in ids and v is not None]
    if len(mine) < len(ids) or not others or None in values.values():
        return ""
    two = len(mine) == len(others) == 1
    if min(mine) > max(others):
        return grades.more if two else grades.most
    if max(mine) < min(others):
        return grades.less if two else grades.least
    if len(mine) > 1 or mine[0] in others:
        return ""
    above, below = sum(v > mine[0] for v in others) + 1, sum(v < mine[0] for v in others) + 1
    rank, form = (above, grades.between) if above <= below else (below, grades.between_low)
    return form.replace("{}", language.ordinals[rank], 1) if rank in language.ordinals and form else ""


def _measured(grades: Grades, prop: Property, language: Language) -> str:
    """An amount that stands nowhere in particular, with its unit where it has one."""
    number, _, unit = prop.value.partition(" ")
    if found := _AMOUNT.fullmatch(prop.value):
        number, unit = found[1], found[2]
    if unit and grades.dimension:
        return f"{number} {unit} {grades.dimension}"
    if grades.at and prop.value.isdecimal():
        return grades.at.format(prop.value)
    return f"{language.having} {language.amount(grades.called or prop.name, prop.value)}"


def _behind(words: str, grades: Grades) -> bool:
    """Whether words of place stand behind the noun: "second from the left", but not "second largest" or "30 cm tall"."""
    return " " in words and not words.endswith((grades.most, grades.least, grades.dimension or grades.most))
