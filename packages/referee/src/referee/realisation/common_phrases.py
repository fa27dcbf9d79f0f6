"""The most common phrase for each value, in the usual order (DIT-RBR; Kelleher & Mac Namee 2008, whose rules are not printed)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

from referee.errors import NotTrained
from referee.realisation.annotation import (
    HEAD,
    UNSAYABLE,
    Example,
    Properties,
    choose_model,
    group_by_domain,
    read_examples,
)
from referee.realisation.branches import Branch, Places, cut_all, join, make_plain_branches
from referee.realisation.english import ENGLISH
from referee.realisation.language import AFTER, BEFORE, Language
from referee.realisation.phrases import PhraseBook, Words
from referee.records import Property, SpeakerView, Trial

AXES = ("y-dimension", "x-dimension")


class Wordings(NamedTuple):
    """The usual wording of a domain: nouns, branches by properties, and their positions."""

    book: PhraseBook
    branches: dict[Properties, Counter[Branch]]
    places: Places
    users: dict[Words, set[str | None]]

    @classmethod
    def learn(cls, examples: Sequence[Example], language: Language) -> Wordings:
        """Learn the usual wording from examples."""
        cuts = cut_all(examples, language)
        branches: dict[Properties, Counter[Branch]] = {}
        users: dict[Words, set[str | None]] = {}
        for example, cuts_of_example in zip(examples, cuts, strict=True):
            for branch in cuts_of_example.branches:
                branches.setdefault(branch.properties, Counter())[branch] += 1
                users.setdefault(branch.words, set()).add(example.speaker)
        return cls(PhraseBook(examples), branches, Places(cuts), users)

    def speakers(self, branch: Branch) -> int:
        """Return the number of people who used a phrase; misspellings have one."""
        return len(self.users.get(branch.words, ()))

    def rank_phrases(self, properties: Properties) -> list[Branch]:
        """Return all phrases for some properties, the most common first; each phrase on its usual side."""
        counts: Counter[Branch] = Counter()
        for branch, count in self.branches.get(properties, Counter()).items():
            counts[branch._replace(side=self.places.side(branch))] += count
        return sorted(counts, key=lambda b: (-counts[b], len(b.words), b.words))

    def head(self, properties: Sequence[Property], language: Language) -> str:
        """Return the most common noun for the type, else the language's."""
        types = [p for p in properties if p.name == HEAD]
        words = self.book.choose_modal(frozenset(types)) if types else None
        return " ".join(words) if words else language.noun(properties).word

    def choose_branches(self, properties: Sequence[Property], language: Language) -> list[Branch]:
        """Return the most common branch for every property but the type, or the language's words if there is none."""
        sayable = [p for p in properties if p.name != HEAD and p.value not in UNSAYABLE]
        groups = self.book.group_properties(sayable)
        phrases = [self.rank_phrases(group)[0] for group in groups if group in self.branches]
        unsaid = [p for group in groups if group not in self.branches for p in group]
        return self._join_row_and_column(phrases + make_plain_branches(unsaid, language), language)

    def _join_row_and_column(self, branches: list[Branch], language: Language) -> list[Branch]:
        """Return branches with row and column together, the row first."""
        axes = {name: b for b in branches for name in AXES if b.names == {name}}
        others = [b for b in branches if b not in axes.values()]
        if len(axes) < 2:
            return others + [self._add_opener(axis, language) for axis in axes.values()]
        row = self._add_opener(axes[AXES[0]], language)
        if row.side == BEFORE and axes[AXES[1]].words[0] in language.openers:
            return [*others, row, axes[AXES[1]]._replace(side=AFTER)]  # "the top man in the middle"
        column = axes[AXES[1]] if row.side == BEFORE else self._add_opener(axes[AXES[1]]._replace(side=AFTER), language)
        return [*others, Branch(row.properties | column.properties, row.words + column.words, row.side)]

    def _add_opener(self, axis: Branch, language: Language) -> Branch:
        """Return a position after the noun with its opening words: "on the left", not "left"."""
        if axis.side == BEFORE or axis.words[0] in language.openers:
            return axis
        behind = [b for b in self.rank_phrases(axis.properties) if b.words[0] in language.openers and b.side == AFTER]
        opened = [b for b in behind if self.speakers(b) > 1]
        return (opened or make_plain_branches(sorted(axis.properties), language) or [axis])[0]


class CommonPhrases:
    """Always returns a string: "the", the most common phrases before the noun, the noun, and those after it."""

    def __init__(self, language: Language = ENGLISH) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count phrases and places, per domain."""
        groups = group_by_domain(read_examples(trials))
        self.wordings_ = {domain: Wordings.learn(examples, self.language) for domain, examples in groups.items()}
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the usual words for the properties."""
        if not hasattr(self, "wordings_"):
            raise NotTrained(self)
        wordings = choose_model(self.wordings_, view.domain)
        noun = self.language.noun(properties)
        before, after = wordings.places.arrange(wordings.choose_branches(properties, self.language))
        head = wordings.head(properties, self.language)
        return join(self.language.articles[noun.gender], before, head, after, self.language, noun.gender)
