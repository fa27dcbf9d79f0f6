"""A case retrieval net.

The nearest remembered description, cut and filled to fit (Hervás & Gervás 2009, NIL-UCM-ValuesCBR and -EvoCBR).

Similarity between values is graded: places by distance on the grid, orientations by turn (back is nearer
to right than to front). The authors' own weights are not printed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Self

from referee.errors import NotTrained
from referee.realisation.annotation import Example, Properties, choose_model, group_by_domain, read_examples
from referee.realisation.branches import Branch, cut, join
from referee.realisation.common_phrases import CommonPhrases, Wordings
from referee.realisation.english import ENGLISH
from referee.realisation.language import AFTER, BEFORE, Language
from referee.realisation.phrases import PhraseBook
from referee.realisation.templates import make_template
from referee.records import Property, SpeakerView, Trial

# The longest way on each axis of the grid.
_GRID = {"x-dimension": 4, "y-dimension": 2}
_OPPOSITE = ({"front", "back"}, {"left", "right"})


def compare_values(first: Property, second: Property) -> float:
    """Return the similarity of two values of an attribute: 1 if equal, less with distance."""
    if first.name != second.name:
        return 0.0
    if first.value == second.value:
        return 1.0
    # Places may be "unknown".
    if first.name in _GRID and first.value.isdigit() and second.value.isdigit():
        return 1 - abs(int(first.value) - int(second.value)) / _GRID[first.name]
    if first.name == "orientation":
        return 0.0 if {first.value, second.value} in _OPPOSITE else 0.5
    return 0.0


class CaseNet:
    """The most similar case as a template.

    Parts for other attributes are dropped, values replaced, and properties that the case lacks are lost.

    Cases with the same attributes come first, then supersets, then overlapping sets, then subsets; among equals, the
    one with the most typical structure, then wording. A query without a common attribute is worded by `CommonPhrases`.
    """

    def __init__(self, language: Language = ENGLISH) -> None:
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Remember every description with its annotation."""
        trials = list(trials)
        # Without annotation there are no parts to keep.
        self.cases_ = group_by_domain([e for e in read_examples(trials) if any(piece.properties for piece in e.pieces)])
        self.templates_ = Counter(make_template(case) for case in self.cases_[None])
        self.rules_ = CommonPhrases(self.language).fit(trials)
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of the most similar case, adapted."""
        if not hasattr(self, "cases_"):
            raise NotTrained(self)
        content = frozenset(properties)
        names = frozenset(p.name for p in properties)
        cases = [case for case in choose_model(self.cases_, view.domain) if case.names & names]
        if not cases:
            return self.rules_.realise(properties, view)
        book = choose_model(self.rules_.wordings_, view.domain).book
        ranks = {id(case): _rank(case, content, names) for case in cases}
        best = min(ranks.values())
        equals = [case for case in cases if ranks[id(case)] == best]
        nearest = max(equals, key=lambda case: (self.templates_[make_template(case)], _average_frequency(case, book)))
        return self._adapt(nearest, content, view)

    def _adapt(self, case: Example, content: Properties, view: SpeakerView) -> str:
        """Return a case's words with the wanted values."""
        wordings = choose_model(self.rules_.wordings_, view.domain)
        determiner, head, branches = cut(case, self.language)
        filled = [new for branch in branches for new in self._fill(branch, content, wordings)]
        noun = (
            wordings.head(sorted(content), self.language)
            if head and not _has_noun_type(case, content)
            else " ".join(head)
        )
        before = [b for b in filled if b.side == BEFORE]
        return join(determiner, before, noun, [b for b in filled if b.side == AFTER], self.language)

    def _fill(self, branch: Branch, content: Properties, wordings: Wordings) -> list[Branch]:
        """Return the branch unchanged, with other values, or nothing."""
        values = frozenset(p for p in content if p.name in branch.names)
        if branch.properties <= content or not values:
            return [branch] if values else []
        same_side = [b for b in wordings.rank_phrases(values) if b.side == branch.side]
        return (same_side or wordings.choose_branches(sorted(values), self.language))[:1]


def _has_noun_type(case: Example, content: Properties) -> bool:
    """Return whether the case's noun can stay: its type is the wanted one, or none is wanted."""
    types = {p for p in content if p.name == "type"}
    return not types or types <= case.properties


def _rank(case: Example, content: Properties, names: frozenset[str]) -> tuple[int, float, int]:
    """Return the group of a case, then falling activation of the net, then few spare attributes."""
    missing, spare = names - case.names, case.names - names
    group = 0 if not missing and not spare else 1 if not missing else 2 if spare else 3
    # As in a case retrieval net: activation flows in from every wanted pair.
    activation = sum(max((compare_values(p, q) for q in case.properties), default=0.0) for p in content)
    return group, -activation, len(spare)


def _average_frequency(case: Example, book: PhraseBook) -> float:
    """Return the mean proportion of the case's phrases among all phrases for the same properties."""
    shares = [
        counts[piece.words] / sum(counts.values())
        for piece in case.pieces
        if (counts := book.counts.get(piece.properties))
    ]
    return sum(shares) / len(shares)
