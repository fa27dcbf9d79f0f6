"""Templates from annotated strings: each marked stretch becomes a slot, the rest stays (ATT-Template and -TemplateS of 2008, GRAPH of 2009).

Di Fabbrizio, Stent & Bangalore (2008) fill all templates in all ways and let a language model rank; Brugman, Theune, Krahmer & Viethen (2009) take the
most frequent template of an attribute combination and the most frequent phrase for each value in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from math import log
from typing import Literal, Self

from referee.errors import NotTrained
from referee.realisation.annotation import UNSAYABLE, Example, Properties, by_domain, choose, read_examples
from referee.realisation.cheapest_string import Option, cheapest, in_order
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.realisation.organisers import BETTER_WORDS, FixedWords
from referee.realisation.permutation import RankedPhrases, Resources
from referee.realisation.phrases import PhraseBook, Words
from referee.records import Property, SpeakerView, Trial

__all__ = ["MajorityTemplates", "RankedTemplates", "Slot", "Template", "template_of"]

Slot = frozenset[str]
Template = tuple[str | Slot, ...]
"""Words as they are, and slots: the names of the attributes whose values are to be worded there."""

Names = frozenset[str]


def template_of(example: Example) -> Template:
    """A description with its marked stretches emptied."""
    parts: list[str | Slot] = []
    for piece in example.pieces:
        parts += [piece.names] if piece.properties else piece.words
    return tuple(parts)


def names_of(template: Template) -> Names:
    """The attributes a template words."""
    return frozenset(name for part in template if isinstance(part, frozenset) for name in part)


def opened(template: Template, place: int, language: Language) -> bool:
    """Whether an article or a preposition stands before a slot, so that no further preposition fits ("on the … side")."""
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
        groups = by_domain(examples)
        self.resources_ = {domain: Resources.learn(found) for domain, found in groups.items()}
        self.templates_ = {domain: Counter(map(template_of, found)) for domain, found in groups.items()}
        own: dict[tuple[str | None, str | None], list[Example]] = {}
        for example in examples if self.personal else ():
            own.setdefault((example.domain, example.speaker), []).append(example)
        self.own_ = {who: (Counter(map(template_of, found)), PhraseBook(found)) for who, found in own.items()}
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        book = self.learned(view).book
        said = [p for p in properties if p.value not in UNSAYABLE]
        personal = self.own_.get((view.domain, view.speaker))
        if personal:
            text = self._best(said, personal[0], (personal[1], book), view)
            if text:
                return text
        return self._best(said, choose(self.templates_, view.domain), (book,), view)

    def _best(
        self, said: Sequence[Property], templates: Counter[Template], books: Sequence[PhraseBook], view: SpeakerView
    ) -> str:
        model = self.learned(view).model
        fitting = self._fitting(frozenset(p.name for p in said), templates)
        total = sum(fitting.values())
        found = []
        for template, count in fitting.items():
            # The template's own probability as a slot without words: one search weighs it beside the phrases.
            own: Option = ((), -log(count / total))
            slots = [[own], *(self._fill(i, template, said, books) for i in range(len(template)))]
            filled = cheapest(slots, in_order(len(slots)), model, self.weight(view))
            found += [(filled[1], filled[0])] if filled else []
        return " ".join(min(found)[1]) if found else ""

    def _fitting(self, names: Names, templates: Counter[Template]) -> Counter[Template]:
        exact = Counter({t: n for t, n in templates.items() if names_of(t) == names})
        # Silent on 44 of TUNA's 741 trials; in print on 4 of 148.
        if exact or self.miss == "silent":
            return exact
        larger = [t for t in templates if names_of(t) > names]
        # Those with the fewest spare slots lose least.
        least = min((len(names_of(t)) for t in larger), default=0)
        reduced: Counter[Template] = Counter()
        for template in larger:
            if len(names_of(template)) == least:
                reduced[_without(template, names_of(template) - names)] += templates[template]
        return Counter({t: n for t, n in reduced.items() if names_of(t) == names})

    def _fill(
        self, place: int, template: Template, said: Sequence[Property], books: Sequence[PhraseBook]
    ) -> list[Option]:
        part = template[place]
        if isinstance(part, str):
            return [((part,), 0.0)]
        wanted = frozenset(p for p in said if p.name in part)
        for book in books:
            if options := book.options(wanted, self.options):
                bare = [o for o in options if o[0][0] not in self.language.prepositions]
                return bare if bare and opened(template, place, self.language) else options
        return self.in_plain_words(wanted)


def _without(template: Template, spare: Names) -> Template:
    """A template less the slots that hold nothing but spare attributes; a slot that mixes both keeps what is wanted."""
    parts = [part if isinstance(part, str) else part - spare for part in template]
    return tuple(part for part in parts if part)


class MajorityTemplates:
    """GRAPH 2009: per attribute combination the most frequent order of slots and words, said after "the"; each slot gets the
    phrase that is most frequent for its values in this template, else anywhere. Without a template the converter's words are used, with "man" for "person".
    """

    def __init__(self, language: Language = ENGLISH) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Find the majority template of every attribute combination, and the phrases in it."""
        groups = by_domain(read_examples(trials))
        self.books_ = {domain: PhraseBook(found) for domain, found in groups.items()}
        self.templates_ = {domain: self._majorities(found) for domain, found in groups.items()}
        return self

    def _majorities(self, examples: Sequence[Example]) -> dict[Names, tuple[Template, PhraseBook]]:
        """For every combination its template and a phrase book of the descriptions that have it; articles in front do not count."""
        users: dict[Names, dict[Template, list[Example]]] = {}
        for example in examples:
            template = self._without_article(template_of(example))
            users.setdefault(names_of(template), {}).setdefault(template, []).append(example)
        # Of equally frequent templates the shorter one.
        best = {names: max(found, key=lambda t: (len(found[t]), -len(t))) for names, found in users.items()}
        return {names: (template, PhraseBook(users[names][template])) for names, template in best.items() if names}

    def _without_article(self, template: Template) -> Template:
        return template[1:] if template and template[0] in self.language.determiners else template

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        if not hasattr(self, "templates_"):
            raise NotTrained(self)
        said = [p for p in properties if p.value not in UNSAYABLE]
        found = choose(self.templates_, view.domain).get(frozenset(p.name for p in said))
        if found is None:
            return FixedWords(BETTER_WORDS).realise(properties, view)
        template, local = found
        everywhere = choose(self.books_, view.domain)
        template = ("the", *template)
        words = [self._fill(i, template, said, (local, everywhere)) for i in range(len(template))]
        return self.language.polish(" ".join(words))

    def _fill(self, place: int, template: Template, said: Sequence[Property], books: Sequence[PhraseBook]) -> str:
        part = template[place]
        if isinstance(part, str):
            return part
        wanted = frozenset(p for p in said if p.name in part)
        phrases = [words for book in books if (words := book.modal(wanted))]
        if phrases and opened(template, place, self.language):
            # Stable: only phrases that would double a preposition step back.
            phrases.sort(key=lambda words: words[0] in self.language.prepositions)
        return " ".join(phrases[0] if phrases else self._piecemeal(wanted, books[-1]))

    def _piecemeal(self, wanted: Properties, book: PhraseBook) -> Words:
        """Values that were never worded together: each as it is worded alone, or as the language has it."""
        words: list[str] = []
        for prop in sorted(wanted):
            modal = book.modal(frozenset([prop]))
            plain = [p.text for p in self.language.word([prop])] or [self.language.noun([prop]).word]
            words += modal or " ".join(plain).split()
        return tuple(words)
