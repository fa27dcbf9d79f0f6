"""One option per choice point, the same for the whole corpus, found by search (NIL-UCM-BSC; Gervás, Hervás & León
2008).

The authors' options are not printed. Here they come from the annotation, and are changed one at a time while the mean
edit distance to the training strings falls.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
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
from referee.realisation.branches import Branch, Places, join, make_plain_branches
from referee.realisation.common_phrases import Wordings
from referee.realisation.english import ENGLISH
from referee.realisation.language import AFTER, BEFORE, Language
from referee.records import Property, SpeakerView, Trial

DETERMINER, NO_TYPE = "determiner", "head without a type"
Point = str | Properties
"""A choice point: the determiner, the head where no type is given, or how to word some properties."""

Choice = str | Branch


class ChoiceExample(NamedTuple):
    """An example to try choices on: its choice points and its words."""

    points: tuple[Point, ...]
    words: tuple[str, ...]


@dataclass(eq=False, repr=False)
class FixedChoices:
    """Fixed order (determiner, size, colour or hair, noun, orientation, features, position).

    Learned words, one option per choice point.

    At most `options` wordings are tried per point, for at most `rounds` rounds over all points.
    """

    options: int = 5
    rounds: int = 10
    language: Language = ENGLISH

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Climb, per domain, from the most common options to choices that no single change improves."""
        groups = group_by_domain(read_examples(trials))
        self.ranks_: dict[Properties, int] = {}
        self.wordings_ = {domain: Wordings.learn(examples, self.language) for domain, examples in groups.items()}
        # The overall model serves new domains; search on it pays only if no domain is named.
        self.choices_ = {
            domain: self._climb(examples, self.wordings_[domain])
            for domain, examples in groups.items()
            if domain is not None or len(groups) == 1
        }
        return self

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of the chosen options."""
        if not hasattr(self, "choices_"):
            raise NotTrained(self)
        wordings, choices = choose_model(self.wordings_, view.domain), self.choices_.get(view.domain, {})
        points = self._list_choice_points(properties, wordings)
        return self._say(
            points, {**{p: self._rank_options(p, wordings)[0] for p in points}, **choices}, wordings.places
        )

    def _list_choice_points(self, properties: Sequence[Property], wordings: Wordings) -> tuple[Point, ...]:
        """Return the choice points for some properties."""
        sayable = sorted(p for p in properties if p.value not in UNSAYABLE)
        groups = wordings.book.group_properties(sayable)
        typed = any(p.name == HEAD for p in sayable)
        return (DETERMINER, *([] if typed else [NO_TYPE]), *groups)

    def _rank_options(self, point: Point, wordings: Wordings) -> Sequence[Choice]:
        """Return the options of a choice point, the most common first."""
        if point == DETERMINER:
            # On TUNA the climb ends without an article, as 45 % of its descriptions are.
            return ["the", "a", ""]
        if point == NO_TYPE:
            return [self.language.default.word, ""]
        properties = frozenset(p for p in point if isinstance(p, Property))
        if any(p.name == HEAD for p in properties):
            nouns = [" ".join(words) for words, _ in wordings.book.options(properties, self.options)]
            return nouns or [self.language.noun(properties).word]
        ranked = wordings.rank_phrases(properties)
        # The wording of a single person may be a typing error.
        shared = [b for b in ranked if wordings.speakers(b) > 1]
        branches = shared or ranked[:1] or make_plain_branches(sorted(properties), self.language)
        return branches[: self.options] or [""]

    def _climb(self, examples: Sequence[Example], wordings: Wordings) -> Mapping[Point, Choice]:
        """Return the options that minimise the edit distance to the training strings."""
        plans = [ChoiceExample(self._list_choice_points(sorted(e.properties), wordings), e.words) for e in examples]
        affected: dict[Point, list[ChoiceExample]] = {}
        for plan in plans:
            for point in plan.points:
                affected.setdefault(point, []).append(plan)
        offers = {point: self._rank_options(point, wordings) for point in affected}
        choices = {point: offered[0] for point, offered in offers.items()}
        for _ in range(self.rounds):
            before = dict(choices)
            for point, offered in offers.items():
                # Only descriptions that have this choice point are said anew.
                tried = {
                    o: self._sum_edit_distances(affected[point], {**choices, point: o}, wordings.places)
                    for o in offered
                }
                # Of equals the first, which is the more common one.
                choices[point] = min(tried, key=lambda option: tried[option])
            if choices == before:
                break
        return choices

    def _sum_edit_distances(
        self, plans: Sequence[ChoiceExample], choices: Mapping[Point, Choice], places: Places
    ) -> int:
        """Return the sum of edit distances (substitution costs 2) to the training strings."""
        # Insertions and deletions alone: the distance with substitution 2, as the challenges measured it.
        from rapidfuzz.distance import Indel

        return sum(Indel.distance(self._say(plan.points, choices, places).split(), plan.words) for plan in plans)

    def _say(self, points: Sequence[Point], choices: Mapping[Point, Choice], places: Places) -> str:
        """Return the string of the chosen options."""
        chosen = [choices[point] for point in points[1:]]
        branches = _join_row_and_column([c for c in chosen if isinstance(c, Branch)])
        nouns = [c for c in chosen if isinstance(c, str) and c]
        before, _ = places.arrange(b for b in branches if b.side == BEFORE)
        after = sorted((b for b in branches if b.side == AFTER), key=self._rank)
        return join(str(choices[DETERMINER]), before, " ".join(nouns[:1]), after, self.language)

    def _rank(self, branch: Branch) -> int:
        """Return the rank of a branch after the noun: the language's rank for its properties."""
        if branch.properties not in self.ranks_:
            ranks = [phrase.rank for phrase in self.language.word(sorted(branch.properties))]
            self.ranks_[branch.properties] = min(ranks, default=self.language.unnamed_rank)
        return self.ranks_[branch.properties]


def _join_row_and_column(branches: list[Branch]) -> list[Branch]:
    """Return branches with a one-word column joined to its row: "the top right chair", not "the top chair right"."""
    rows = [b for b in branches if b.names == {"y-dimension"}]
    return [
        b._replace(side=rows[0].side) if rows and b.names == {"x-dimension"} and len(b.words) == 1 else b
        for b in branches
    ]
