"""Interprets the words of a description as a meaning, by the phrases of a language and those that people used (their
annotation).

The reader goes from left to right, and the longest phrase wins. It uses the words and the scene, never the chosen
properties or the target. Of several interpretations of a phrase ("left") those that are true of an entity come first,
then the most frequent one; undecided ones are joined by "or". Words that it cannot interpret are returned beside the
meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from referee.meaning import EVERYTHING, Meaning, amount, conjunction, partners
from referee.realisation.annotation import UNSAYABLE, normalise, read_examples
from referee.realisation.language import Language, Phrase, choose_gender_form
from referee.realisation.organisers import BETTER_WORDS, CONVERTER_WORDS
from referee.realisation.wording import (
    BETWEEN,
    HEADS,
    NAMED,
    Wording,
    adapt_language,
    format_amount,
    get_axis,
    get_superlative_pattern,
    name_amount,
)
from referee.records import Property, Scene, Trial

Words = tuple[str, ...]
LONGEST = 8
FEW = 10
_OTHER_END = ("",)
"""Relation of a phrase that may or may not be a landmark."""
_SUBJECT = ("that",)
"""Relation of a phrase whose verb follows it: "that the man is holding"."""
_COUNTED = -1
"""Placeholder of a number that other words give ("the two largest")."""


class WordsRead(NamedTuple):
    """The meaning of some words, and the words that were not understood."""

    meaning: Meaning = EVERYTHING
    unread: Words = ()


class _Phrase(NamedTuple):
    """A noun phrase that is being read.

    Its conjuncts, how many things it is of, and the relation by which an outer one has it as landmark: from the other
    end with `is_inverse`, instead of the outer one's last conjunct with `is_either`.
    """

    conjuncts: list[Meaning]
    relations: tuple[str, ...]
    number: list[int]
    is_denied: bool = False
    is_either: bool = False
    is_inverse: bool = False


class ReadBack:
    """A lexicon from phrases to their interpretations.

    Learned from annotated descriptions, and the language's own for the values of a scene.
    """

    def __init__(self, language: Language, trials: Iterable[Trial] = ()) -> None:
        self.language = language
        self.learned: dict[Words, Counter[Meaning]] = {}
        for example in read_examples(trials):
            for piece in example.pieces:
                expressed = [tuple(p) for p in sorted(piece.properties) if p.value not in UNSAYABLE]
                if expressed:
                    self.learned.setdefault(piece.words[:LONGEST], Counter())[conjunction(expressed)] += 1
        self._forms_of: dict[tuple[Property, tuple[Phrase, ...] | None], list[Words]] = {}
        words = language.clauses
        verbs = (
            () if words is None else (*words.be, *words.have, *(words.lack or ()), words.that, *(words.located or ()))
        )
        heads = (language.default.word, language.several(language.default).word, language.patterns.get("called", ""))
        closed = {w for text in (*verbs, *heads) for w in normalise(re.sub(r"\{\w*:([^|}]*)[^}]*\}", r"\1", text))}
        self._closed = (
            closed
            | language.determiners
            | {*language.articles.values()}
            | language.openers
            | {"", *language.merging, language.partitive}
        )
        self.ends = {language.conjunction, *(() if words is None else (words.that, words.either))}
        """Words that a landmark cannot begin with: a relation before them has no landmark after it."""
        which = "" if words is None else words.which
        self.relatives = {form.rpartition(" ")[2] for form in re.findall(r":([^|}]+)", which)}
        """Relative pronouns of inverse relations (in welchem, no qual)."""
        self.pronouns = () if words is None else (*words.it, *(pronoun for _, pronoun in words.it_of))
        self._denials = (
            {language.lacking}
            | ({words.no, *re.findall(r":([^|}]+)", words.no_thing)} if words is not None else set())
            | ({"no"} if language.code == "en" else set())
        )

    def read(self, text: str, scene: Scene) -> WordsRead:
        """Return the meaning of a description in a scene, and the words that were not understood."""
        return _Reader(self, scene).read(normalise(self._join_parts(text)))

    def _join_parts(self, text: str) -> str:
        """Return a list of noun phrases with "and" in place of commas.

        A comma before a relative clause (der Stuhl, der rot ist) stays.
        """
        language = self.language
        articles = "|".join(sorted({re.escape(a) for a in language.articles.values() if a}))
        if language.clauses is None or not articles:
            return text
        verbs = "|".join((*language.clauses.be, *language.clauses.have, *(language.clauses.located or ())))
        ends = rf"(?:,|$|\b{language.conjunction}\b)"
        listed = rf",\s+(?=(?:{articles})\s)(?!(?:(?!{ends}).)*\b(?:{verbs})\s*{ends})(?=.*\b{language.conjunction}\s+(?:{articles})\s)"
        return re.sub(listed, f" {language.conjunction} ", text, flags=re.IGNORECASE)

    def lexicon(self, scene: Scene) -> dict[Words, Counter[Meaning]]:
        """Return the phrases of the language for all properties of a scene's entities."""
        language = adapt_language(self.language, scene)
        table: dict[Words, Counter[Meaning]] = {}
        values: dict[str, list[str]] = {}
        denials: dict[Words, Counter[Meaning]] = {}
        wording = Wording(language, scene)
        for prop in sorted(scene.extensions):
            if (prop.name, "") not in scene.extensions:
                values.setdefault(prop.name, []).append(prop.value)
                heard = wording.make_heard_meaning([prop])
                own = normalise(language.words_of(prop)) if heard != tuple(prop) else ()
                for words in self._list_property_words(prop, language):
                    # The words of a value may be true of other values, too.
                    form = heard if words == own else tuple(prop)
                    table.setdefault(words, Counter())[form] += 0
                for words, frame in self._list_frames(prop, language):
                    (denials if frame[0] == "not" else table).setdefault(words, Counter())[frame] += 0
        table = denials | table
        if "x" not in values and any(e.position is not None for e in scene.entities):
            values |= {axis: ["0"] for axis in ("x", "y") if f"{axis}-dimension" not in values}
        for name, listed in values.items():
            if any(re.match(r"[-+]?\d", value) for value in listed):
                for text, form in _list_comparisons(language, name, listed):
                    for spelling in self._list_forms(text):
                        table.setdefault(normalise(spelling), Counter())[form] += 0
        return table

    def _list_frames(self, prop: Property, language: Language) -> Iterator[tuple[Words, Meaning]]:
        """Yield the words of a property in the frames for any words, with their denials."""
        if (
            prop in language.nouns
            or prop.name in HEADS
            or frozenset([prop]) in language.phrases
            or language.clauses is None
        ):
            return
        form: Meaning = tuple(prop)
        for phrase in (language.describe_unknown(prop), language.say_plainly(prop)):
            words = normalise(phrase.text)
            if words[:1] == (language.having,):
                yield words, form
                yield words[1:], form
                if language.clauses.verb_last:
                    yield (language.clauses.no, *words[1:]), ("not", form)
            elif words[:1] == (language.possessive,):
                verb = next(i for i, word in enumerate(words) if i > 1 and word in language.clauses.be)
                yield words, form
                yield (*words[: verb + 1], language.clauses.no, *words[verb + 1 :]), ("not", form)
            elif verbs := language.verbs.get(words[0]):
                yield from (((verb, *words[1:]), form) for verb in verbs)
            elif words[:1] == (language.lacking,):
                # What is not without a lid has one.
                yield words[1:], ("not", form)

    def _list_forms(self, text: str) -> list[str]:
        """Return a phrase in every gender that it has forms for, and in the plural if adjectives agree in number."""
        genders = dict.fromkeys(re.findall(r"[{|](\w*):", text)) or {"": None}
        forms = [choose_gender_form(text, gender) for gender in genders]
        endings = self.language.plural_endings
        for form in tuple(forms) if endings else ():
            first, _, rest = form.partition(" ")
            end = max((e for e in endings if first.endswith(e)), key=len, default="")
            forms.append(f"{first[: len(first) - len(end)]}{endings.get(end, '')} {rest}".strip())
        return forms

    def _list_property_words(self, prop: Property, language: Language) -> list[Words]:
        """Return the language's phrases for a property, with and without the opening words."""
        key = (prop, language.phrases.get(frozenset([prop])))
        if key not in self._forms_of:
            is_noun = prop.name in HEADS or prop in language.nouns
            noun = language.noun([prop if prop in language.nouns else Property("type", prop.value)])
            texts = [noun.word, language.several(noun).word] if is_noun else []
            if prop.value not in UNSAYABLE:
                texts += [p.text for p in language.word([prop])]
                texts += [prop.value] if prop.name in NAMED else []
                grades = language.grades.get(prop.name)
                texts += [format_amount(grades, prop, language)] if grades is not None else []
            # The converter of the challenges has words of its own for some places.
            texts += [
                form for words in (CONVERTER_WORDS, BETTER_WORDS) if (form := words.get(prop.name, {}).get(prop.value))
            ]
            whole = [normalise(language.polish(form)) for text in texts for form in self._list_forms(text)]
            closed = language.openers | language.determiners
            bare = [w[next((i for i, x in enumerate(w) if x not in closed), len(w)) :] for w in whole]
            # A negative opener ("without a beard") does not apply to the words after it.
            denied = [w[:1] == (language.lacking,) or bool({"no", *self._denials} & {*w}) for w in whole]
            self._forms_of[key] = [w for w in (*whole, *(b for b, d in zip(bare, denied, strict=True) if not d)) if w]
        return self._forms_of[key]


class _Reader:
    """The reading of one description: noun phrases within noun phrases, the outermost first."""

    def __init__(self, lexicon: ReadBack, scene: Scene) -> None:
        self.lexicon, self.language, self.scene = lexicon, lexicon.language, scene
        self.table = lexicon.lexicon(scene)
        self.relations = {
            words: name
            for name in partners(scene)
            if name != "*"
            for words in self._list_contractions(normalise(self.language.relation(name)))
        }
        self.longest = max((LONGEST, *map(len, self.table)))
        self.numbers = {form: n for n, word in self.language.numbers.items() for form in lexicon._list_forms(word)}
        self.parts: list[tuple[list[int], Meaning]] = []
        self.open: list[_Phrase] = [_Phrase([], (), [])]
        self.unread: list[str] = []
        self.clause_depths: set[int] = set()
        self.is_denied = self.is_either = False

    def _list_contractions(self, relation: Words) -> list[Words]:
        """Return the words of a relation, also joined with an article that follows them (bei dem: beim)."""
        joined = self.language.contractions.items()
        return [relation, *((*relation[:-1], short) for (first, _), short in joined if relation[-1:] == (first,))]

    def read(self, words: Words) -> WordsRead:
        """Return the meaning of words, with the unread ones."""
        place = 0
        while place < len(words):
            place += self._step(words[place:], words[:place])
        self._close(0)
        if len(self.parts) == 1:
            number, form = self.parts[0]
            return WordsRead(_set_counts(form, number), tuple(self.unread))
        parts = [(number[0] if number else 1, _set_counts(form, number)) for number, form in self.parts]
        return WordsRead(("parts", *parts), tuple(self.unread))

    def _step(self, words: Words, before: Words) -> int:
        """Read the phrase at the head of some words; returns how many words it has."""
        language, top = self.language, self.open[-1]
        if (compared := self._parse_comparison(words)) is not None:
            self._add(compared)
            return 2 + len(self.language.than.split())
        if self.is_either and (size := self._read_other_value(words)):
            return size
        for size in range(min(self.longest, len(words)), 0, -1):
            phrase = words[:size]
            if phrase in self.relations and not (size == 1 and phrase in self.table):
                return self._relate(self.relations[phrase], size, before, words[size : size + 2])
            readings = self._find_readings(phrase)
            if readings:
                self._add(self._choose_reading(readings))
                return size
        word = words[0]
        has_article_next = bool(words[1:2]) and words[1] in language.articles.values()
        has = () if language.clauses is None else language.clauses.have
        if word in (language.having, *has) and has_article_next:
            # "with the rabbit in it", or "with the lowest price"; behind "and" of the outermost thing.
            if before[-1:] == (language.conjunction,):
                self._close(1)
            self.open.append(_Phrase([], _OTHER_END, [], False, self.is_either))
            self.is_either = False
        elif language.clauses is not None and word == language.clauses.that and has_article_next:
            self.open.append(_Phrase([], _SUBJECT, []))
        elif language.clauses is not None and word == language.clauses.that:
            self.clause_depths.add(len(self.open))
        elif word == language.conjunction:
            self._join(words[1:])
        elif language.clauses is not None and word == language.clauses.either:
            self.is_either = True
        elif word in self.lexicon._denials:
            self.is_denied = not self.is_denied
        elif word in self.numbers and not top.number:
            top.number.append(self.numbers[word])
        elif word not in self.lexicon._closed:
            self.unread.append(word)
        return 1

    def _read_other_value(self, words: Words) -> int:
        """Read another value of the last attribute ("whose jaw is square or round"); returns how many words it has."""
        before = self.open[-1].conjuncts[-1:]
        form = before[0] if before else EVERYTHING
        while form[0] in ("or", "not"):
            form = form[-1]
        for prop in self.scene.extensions:
            value = normalise(prop.value)
            is_whole = any(words[:n] in self.table for n in range(len(value) + 1, min(self.longest, len(words)) + 1))
            if value and prop.name == form[0] and words[: len(value)] == value and not is_whole:
                self.is_denied = before[0][0] == "not"
                self._add(tuple(prop))
                return len(value)
        return 0

    def _parse_comparison(self, words: Words) -> Meaning | None:
        """Return the interpretations of a comparison such as "larger than 20"."""
        than = normalise(self.language.than)
        number = words[1 + len(than) : 2 + len(than)]
        if not number or words[1 : 1 + len(than)] != than or not re.fullmatch(r"\d+(?:\.\d+)?", number[0]):
            return None
        for name, grades in self.language.grades.items():
            for text, operator in ((grades.more, ">"), (grades.less, "<")):
                if any(p.name == name for p in self.scene.extensions) and words[0] in self.lexicon._list_forms(text):
                    return operator, name, float(number[0])
        return None

    def _find_readings(self, phrase: Words) -> dict[Meaning, int]:
        """Return the interpretations of a phrase with their frequency.

        A value that shares its words with other values is read as any of them (`or`).
        """
        readings = dict.fromkeys(self.table.get(phrase, ()), 0)
        alternatives = {value: form for form in readings if form[0] == "or" for value in form[1:]}
        learned = self.lexicon.learned.get(phrase, Counter[Meaning]())
        # A few uses do not decide between readings that the language has.
        is_decisive = len(readings) < 2 or learned.total() >= FEW
        for form, count in learned.items():
            meant = alternatives.get(form, form)
            readings[meant] = readings.get(meant, 0) + (count if is_decisive or meant not in readings else 0)
        return readings

    def _choose_reading(self, readings: dict[Meaning, int]) -> Meaning:
        """Return the most frequent interpretation that is true of an entity, or the disjunction of tied ones.

        All of those that remain undecided.
        """
        exists = {form: self._exists(form) for form in readings}
        best = max((exists[form], count) for form, count in readings.items())
        alike = [form for form, count in readings.items() if (exists[form], count) == best]
        return alike[0] if len(alike) == 1 else ("or", *sorted(alike, key=repr))

    def _exists(self, form: Meaning) -> bool:
        """Return whether a form denotes an entity of the scene; superlatives and ordinals always pass."""
        return form[0] in ("least", "most", "nth") or self.scene.denotation(form) > 0

    def _add(self, form: Meaning) -> None:
        """Add a conjunct to the current noun phrase."""
        conjuncts = self.open[-1].conjuncts
        said = ("not", form) if self.is_denied else form
        if self.is_either and conjuncts:
            said = _add_alternative(conjuncts.pop(), said)
        conjuncts.append(said)
        self.is_denied = self.is_either = False

    def _relate(self, name: str, size: int, before: Words, after: Words) -> int:
        """Open a landmark for a relation: of the last object, or after "and" of the outermost one.

        With "it" after the relation, the object that "with" opened was the landmark; at the end, the one that "that"
        opened ("that the man is holding").
        """
        words = self.language.clauses
        is_last = not after or after[0] in self.lexicon.ends
        if words is not None and (is_last or after[0] in self.lexicon.pronouns):
            opening = _SUBJECT if is_last else _OTHER_END
            depth = max((i for i, p in enumerate(self.open) if p.relations == opening), default=0)
            if depth:
                self._close(depth + 1)
                landmark = self.open.pop()
                self._add(("inv", name, _set_counts(conjunction(dict.fromkeys(landmark.conjuncts)), landmark.number)))
                return size if is_last else size + 1
        if self.is_either and self.clause_depths:
            self._close(max(self.clause_depths))
        elif before[-1:] == (self.language.conjunction,):
            self._close(1)
        relative = next((i for i, word in enumerate(after, 1) if word in self.lexicon.relatives), 0)
        self.open.append(_Phrase([], (name,), [], self.is_denied, self.is_either, bool(relative)))
        self.is_denied = self.is_either = False
        return size + relative

    def _join(self, rest: Words) -> None:
        """ "and": before an article another landmark of the same relation (between), or another part."""
        following = rest[0] if rest else ""
        if self.language.clauses is not None and following == self.language.clauses.that and self.clause_depths:
            # "and that" goes on with the innermost thing that has a clause.
            self._close(max(self.clause_depths))
        is_had = any((self.language.having, *rest[:size]) in self.table for size in range(2, self.longest))
        if following not in self.language.articles.values() or is_had:
            return
        if len(self.open) > 1 and self.open[-1].relations == (BETWEEN,):
            sides = sum(c[:2] == ("rel", BETWEEN) for c in self.open[-2].conjuncts)
            self._close(len(self.open) - 1)
            if not sides:
                self.open.append(_Phrase([], (BETWEEN,), []))
                return
        self._close(0)
        self.open.append(_Phrase([], (), []))

    def _close(self, depth: int) -> None:
        """End the noun phrases beyond a depth.

        A landmark becomes a relation of its object, the outermost a part.
        """
        while len(self.open) > depth:
            self.clause_depths.discard(len(self.open))
            phrase = self.open.pop()
            form = conjunction(dict.fromkeys(phrase.conjuncts))
            if phrase.relations in (_OTHER_END, _SUBJECT):
                outer = self.open[-1].conjuncts
                if phrase.is_either and outer and phrase.conjuncts:
                    outer.append(_add_alternative(outer.pop(), form))
                else:
                    outer.extend(phrase.conjuncts)
                continue
            if not phrase.relations:
                self.parts.append((phrase.number, form))
                continue
            operator = "inv" if phrase.is_inverse else "rel"
            links: list[Meaning] = [(operator, name, _set_counts(form, phrase.number)) for name in phrase.relations]
            links = [("not", link) if phrase.is_denied else link for link in links]
            conjuncts = self.open[-1].conjuncts
            if phrase.is_either and conjuncts:
                links = [_add_alternative(conjuncts.pop(), conjunction(links))]
            conjuncts.extend(links)


def _add_alternative(form: Meaning, other: Meaning) -> Meaning:
    """Return a form extended by an alternative."""
    return (*form, other) if form[0] == "or" else ("or", form, other)


def _list_comparisons(language: Language, name: str, values: Sequence[str]) -> Iterator[tuple[str, Meaning]]:
    """Return superlatives, ordinals and comparisons of an attribute, in the words of the language."""
    grades = language.grades.get(name)
    ranks = ("least", "most")
    texts: dict[str, tuple[str, ...]]
    if grades is not None:
        texts = {"least": (grades.less, grades.least), "most": (grades.more, grades.most)}
        between = {"least": grades.between_low, "most": grades.between}
    else:
        texts = {
            rank: (get_superlative_pattern(language, rank, name).format(name_amount(language, name)),) for rank in ranks
        }
        between = {
            rank: get_superlative_pattern(language, f"nth {rank}", name).format(name_amount(language, name), "{}")
            for rank in ranks
        }
    for rank, side in zip(ranks, ("left", "right"), strict=True):
        yield from ((text, (rank, name, _COUNTED)) for text in texts[rank] if text)
        if between[rank]:
            for k, ordinal in language.ordinals.items():
                yield between[rank].replace("{}", ordinal, 1), ("nth", name, k, side)
    for operator in ("<", ">"):
        pattern = language.extremes.get(f"{operator} {get_axis(name)}", "") if grades is not None and grades.at else ""
        pattern = pattern or ("" if grades is not None else get_superlative_pattern(language, operator, name))
        for value in values if pattern else ():
            if (number := amount(value)) is not None:
                yield (
                    pattern.format(*((value,) if grades is not None else (name_amount(language, name), value))),
                    (operator, name, number),
                )


def _set_counts(form: Meaning, number: Sequence[int]) -> Meaning:
    """Return a form whose superlatives select as many objects as the phrase counts."""
    if form[0] in ("least", "most"):
        return (*form[:2], number[0] if number else 1) if form[2] == _COUNTED else form
    if form[0] in ("and", "or", "not"):
        return (form[0], *(_set_counts(part, number) for part in form[1:]))
    return form
