"""Descriptions as speakers worded them before.

Case-based realisation with small edits (DIT-CBSR; Kelleher & Mac Namee 2008).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from referee.errors import NotTrained
from referee.realisation.annotation import (
    HEAD,
    UNSAYABLE,
    Example,
    Properties,
    choose_model,
    get_target_key,
    group_by_domain,
    read_examples,
)
from referee.realisation.common_phrases import CommonPhrases
from referee.realisation.english import ENGLISH
from referee.realisation.language import Language
from referee.records import Property, SpeakerView, Trial


class CaseBase:
    """A case with the same set is quoted; one with the same attributes is quoted with other values put in.

    Else `CommonPhrases` speaks.
    """

    def __init__(self, language: Language = ENGLISH) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Remember every description with its set, its target and its annotation."""
        trials = list(trials)
        self.cases_ = group_by_domain(read_examples(trials))
        self.rules_ = CommonPhrases(self.language).fit(trials)
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of a case with equal properties, or an edited one."""
        if not hasattr(self, "cases_"):
            raise NotTrained(self)
        content = frozenset(properties)
        cases = choose_model(self.cases_, view.domain)
        target = get_target_key(view)
        perfect = [case for case in cases if case.properties == content]
        if perfect:
            return _quote(_select_same_target(perfect, target))
        names = frozenset(p.name for p in properties)
        partial = [case for case in cases if case.names == names]
        if not partial:
            return self.rules_.realise(properties, view)
        most = max(len(case.properties & content) for case in partial)
        near = [case for case in partial if len(case.properties & content) == most]
        # The shortest, as the paper has it for partial matches.
        return self._edit(min(_select_same_target(near, target), key=lambda c: len(c.words)), content, view)

    def _edit(self, case: Example, content: Properties, view: SpeakerView) -> str:
        """Return the case's words, with the most common fitting phrase for wanted values that differ."""
        book = choose_model(self.rules_.wordings_, view.domain).book
        words: list[str] = []
        for piece in case.pieces:
            values = frozenset(p for p in content if p.name in piece.names)
            stays = not values or piece.properties <= content
            words += (
                piece.words
                if stays
                else book.fitting(values, piece.words, self.language.openers) or self._add_plain_words(values)
            )
        return self.language.polish(" ".join(words))

    def _add_plain_words(self, values: Properties) -> list[str]:
        """Return the language's own words for values unseen in training: a plate must not become the chair of the case."""
        phrases = [p.text for p in self.language.word(sorted(values))]
        nouns = [self.language.noun([p]).word for p in sorted(values) if p.name == HEAD and p.value not in UNSAYABLE]
        return " ".join([*phrases, *nouns]).split()


def _select_same_target(cases: list[Example], target: str) -> list[Example]:
    """Return the cases with the same picture, or all if there are none."""
    return [case for case in cases if case.target == target] or cases


def _quote(cases: Sequence[Example]) -> str:
    """Return the most frequent string, if one is repeated (ignoring case and punctuation), else the shortest; word for
    word.
    """
    counts = Counter(case.words for case in cases)
    repeated, often = counts.most_common(1)[0]
    chosen = repeated if often > 1 else min(counts, key=len)
    return next(" ".join(case.text.split()) for case in cases if case.words == chosen)
