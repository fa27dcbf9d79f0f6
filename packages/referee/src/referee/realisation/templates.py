"""Templates from annotated strings.

Each marked stretch becomes a slot, the rest stays (ATT-Template and -TemplateS of 2008, GRAPH of 2009).

Di Fabbrizio, Stent & Bangalore (2008) fill all templates in all ways and let a language model rank; Brugman, Theune, Krahmer & Viethen (2009) take the
most frequent template of an attribute combination and the most frequent phrase for each value in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Literal, Self

from referee.errors import NotTrained
from referee.realisation.annotation import UNSAYABLE, Example, Properties, choose_model, group_by_domain, read_examples
from referee.realisation.cheapest_string import Option, find_cheapest_string, make_slot_order
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.realisation.organisers import BETTER_WORDS, FixedWords
from referee.realisation.permutation import RankedPhrases, Resources
from referee.realisation.phrases import PhraseBook, Words
from referee.records import Property, SpeakerView, Trial

Slot = frozenset[str]
Template = tuple[str | Slot, ...]
"""Literal words, and slots: names of attributes whose values are put into words there."""

Names = frozenset[str]


def make_template(example: Example) -> Template:
    """Return a description with its marked spans emptied."""
    parts: list[str | Slot] = []
    for piece in example.pieces:
        parts += [piece.names] if piece.properties else piece.words
    return tuple(parts)


def list_attributes(template: Template) -> Names:
    """Return the attributes that a template expresses."""
    return frozenset(name for part in template if isinstance(part, frozenset) for name in part)


def is_opened(template: Template, place: int, language: Language) -> bool:
    """Return whether an article or a preposition precedes a slot, so that no further preposition fits ("on the …
    side").
    """
    last = template[place - 1] if place else ""
    return isinstance(last, str) and (last in language.determiners or last in language.prepositions)


class RankedTemplates(RankedPhrases):
    """ATT-Template: all templates of the input's attributes, filled in all ways; the language model picks.

    `personal` keeps to the speaker's own templates and phrases where the speaker is known (ATT-TemplateS). Where no template has just the input's
    attributes the answer is the empty string (`miss` "silent", as submitted), or templates with more attributes lose their spare slots ("superset", the
    later version).
    """

    def __init__(
        self,
        personal: bool = False,
        miss: Literal["silent", "superset"] = "silent",
        balance: Mapping[str, float] | None = None,
        options: int = 12,
        language: Language = ENGLISH,
    ) -> None:
        super().__init__(balance, options, language)
        self.personal = personal
        self.miss = miss

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Learn templates, phrases and the language model, per domain and (where `personal`) per speaker."""
        examples = read_examples(trials)
        groups = group_by_domain(examples)
        self.resources_ = {domain: Resources.learn(examples) for domain, examples in groups.items()}
        self.templates_ = {domain: Counter(map(make_template, examples)) for domain, examples in groups.items()}
        by_speaker: dict[tuple[str | None, str | None], list[Example]] = {}
        for example in examples if self.personal else ():
            by_speaker.setdefault((example.domain, example.speaker), []).append(example)
        self.by_speaker_ = {
            speaker: (Counter(map(make_template, examples)), PhraseBook(examples))
            for speaker, examples in by_speaker.items()
        }
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the best string of the fitting templates."""
        book = self.learned(view).book
        content = [p for p in properties if p.value not in UNSAYABLE]
        personal = self.by_speaker_.get((view.domain, view.speaker))
        if personal:
            text = self._choose_best(content, personal[0], (personal[1], book), view)
            if text:
                return text
        return self._choose_best(content, choose_model(self.templates_, view.domain), (book,), view)

    def _choose_best(
        self, content: Sequence[Property], templates: Counter[Template], books: Sequence[PhraseBook], view: SpeakerView
    ) -> str:
        """Return the best string of some templates; empty without one."""
        model = self.learned(view).model
        fitting = self._select_templates(frozenset(p.name for p in content), templates)
        total = sum(fitting.values())
        strings = []
        for template, count in fitting.items():
            # The template's own probability as a slot without words: one search weighs it beside the phrases.
            by_speaker: Option = ((), -log(count / total))
            slots = [[by_speaker], *(self._fill(i, template, content, books) for i in range(len(template)))]
            filled = find_cheapest_string(slots, make_slot_order(len(slots)), model, self.weight(view))
            strings += [(filled[1], filled[0])] if filled else []
        return " ".join(min(strings)[1]) if strings else ""

    def _select_templates(self, names: Names, templates: Counter[Template]) -> Counter[Template]:
        """Return the templates for the attributes, or larger ones."""
        exact = Counter({t: n for t, n in templates.items() if list_attributes(t) == names})
        # Silent on 44 of TUNA's 741 trials; the paper reports 4 of 148.
        if exact or self.miss == "silent":
            return exact
        larger = [t for t in templates if list_attributes(t) > names]
        # Those with the fewest spare slots lose least.
        least = min((len(list_attributes(t)) for t in larger), default=0)
        reduced: Counter[Template] = Counter()
        for template in larger:
            if len(list_attributes(template)) == least:
                reduced[_drop_slots(template, list_attributes(template) - names)] += templates[template]
        return Counter({t: n for t, n in reduced.items() if list_attributes(t) == names})

    def _fill(
        self, place: int, template: Template, content: Sequence[Property], books: Sequence[PhraseBook]
    ) -> list[Option]:
        """Return the phrases for one slot."""
        part = template[place]
        if isinstance(part, str):
            return [((part,), 0.0)]
        slot_content = frozenset(p for p in content if p.name in part)
        for book in books:
            if options := book.options(slot_content, self.options):
                bare = [o for o in options if o[0][0] not in self.language.prepositions]
                return bare if bare and is_opened(template, place, self.language) else options
        return self.use_plain_words(slot_content)


def _drop_slots(template: Template, spare: Names) -> Template:
    """Return a template without the slots for spare attributes; mixed slots keep the wanted part."""
    parts = [part if isinstance(part, str) else part - spare for part in template]
    return tuple(part for part in parts if part)


class MajorityTemplates:
    """GRAPH 2009: per attribute combination the most frequent order of slots and words, after "the".

    Each slot gets the most frequent phrase for its values in this template, else anywhere. Without a template the
    converter's words are used, with "man" for "person".
    """

    def __init__(self, language: Language = ENGLISH) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Find the majority template of every attribute combination, and the phrases in it."""
        groups = group_by_domain(read_examples(trials))
        self.books_ = {domain: PhraseBook(examples) for domain, examples in groups.items()}
        self.templates_ = {domain: self._find_majority_templates(examples) for domain, examples in groups.items()}
        return self

    def _find_majority_templates(self, examples: Sequence[Example]) -> dict[Names, tuple[Template, PhraseBook]]:
        """Return, for every combination, its template and a phrase book of the descriptions that use it.

        Articles in front do not count.
        """
        users: dict[Names, dict[Template, list[Example]]] = {}
        for example in examples:
            template = self._drop_article(make_template(example))
            users.setdefault(list_attributes(template), {}).setdefault(template, []).append(example)
        # Of equally frequent templates the shorter one.
        best = {
            names: max(users_of_template, key=lambda t: (len(users_of_template[t]), -len(t)))
            for names, users_of_template in users.items()
        }
        return {names: (template, PhraseBook(users[names][template])) for names, template in best.items() if names}

    def _drop_article(self, template: Template) -> Template:
        return template[1:] if template and template[0] in self.language.determiners else template

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the string of the most frequent template."""
        if not hasattr(self, "templates_"):
            raise NotTrained(self)
        content = [p for p in properties if p.value not in UNSAYABLE]
        majority = choose_model(self.templates_, view.domain).get(frozenset(p.name for p in content))
        if majority is None:
            return FixedWords(BETTER_WORDS).realise(properties, view)
        template, local = majority
        everywhere = choose_model(self.books_, view.domain)
        template = ("the", *template)
        words = [self._fill(i, template, content, (local, everywhere)) for i in range(len(template))]
        return self.language.polish(" ".join(words))

    def _fill(self, place: int, template: Template, content: Sequence[Property], books: Sequence[PhraseBook]) -> str:
        """Return the phrase for one slot."""
        part = template[place]
        if isinstance(part, str):
            return part
        slot_content = frozenset(p for p in content if p.name in part)
        phrases = [words for book in books if (words := book.choose_modal(slot_content))]
        if phrases and is_opened(template, place, self.language):
            # Stable: only phrases that would double a preposition step back.
            phrases.sort(key=lambda words: words[0] in self.language.prepositions)
        return " ".join(phrases[0] if phrases else self._combine_single_phrases(slot_content, books[-1]))

    def _combine_single_phrases(self, slot_content: Properties, book: PhraseBook) -> Words:
        """Return words for values never expressed together: each as it is expressed alone, or in the language's words."""
        words: list[str] = []
        for prop in sorted(slot_content):
            modal = book.choose_modal(frozenset([prop]))
            plain = [p.text for p in self.language.word([prop])] or [self.language.noun([prop]).word]
            words += modal or " ".join(plain).split()
        return tuple(words)
