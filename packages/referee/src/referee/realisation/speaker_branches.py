"""Each speaker's own words, determiner and phrases, hung under a noun and put in order (IS-GT; Bohnet 2008, 2009).

The author's hand-made dependency trees and transducer grammar are not published: branches are cut from the annotated strings, and
their order is the usual one of the corpus.
"""

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
    compute_dice,
    group_by_domain,
    read_examples,
)
from referee.realisation.branches import Branch, Cut, cut, join
from referee.realisation.common_phrases import Wordings
from referee.realisation.english import ENGLISH
from referee.realisation.language import AFTER, BEFORE, Language
from referee.records import Property, SpeakerView, Trial


class SpeakerHabits(NamedTuple):
    """One speaker's habits: descriptions with their parts, the usual determiner, and words for values."""

    cuts: list[tuple[Example, Cut]]
    determiner: str
    wordings: Wordings


class SpeakerBranches:
    """Noun, determiner and simple modifiers in the speaker's words.

    The rest as branches of the speaker's most similar description.

    Branches come from the description with the highest Dice to the input, those with most of the missing properties
    first, then from the next. `modifiers` are attached directly to the noun. An unknown speaker gets the habits of the
    one whose sets are on average most similar to all others'.
    """

    def __init__(self, modifiers: tuple[str, ...] = ("colour", "size", "age"), language: Language = ENGLISH) -> None:
        self.modifiers = modifiers
        self.language = language

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Collect each speaker's habits per domain, and those of all speakers together."""
        groups = group_by_domain(read_examples(trials))
        self.overall_ = {domain: self._collect_habits(examples) for domain, examples in groups.items()}
        self.speakers_: dict[tuple[str | None, str | None], SpeakerHabits] = {}
        self.typical_: dict[str | None, str | None] = {}
        for domain, examples in groups.items():
            by_speaker: dict[str | None, list[Example]] = {}
            for example in examples:
                by_speaker.setdefault(example.speaker, []).append(example)
            self.speakers_.update(
                {(domain, speaker): self._collect_habits(examples) for speaker, examples in by_speaker.items()}
            )
            self.typical_[domain] = _find_most_typical(by_speaker)
        return self

    def _collect_habits(self, examples: Sequence[Example]) -> SpeakerHabits:
        """Return the habits in some examples."""
        cuts = [(example, cut(example, self.language)) for example in examples]
        determiners = Counter(cut_example.determiner for _, cut_example in cuts)
        usual = determiners.most_common(1)[0][0] if determiners else ""
        return SpeakerHabits(cuts, usual, Wordings.learn(examples, self.language))

    def realise(self, properties: Sequence[Property], view: SpeakerView) -> str:
        """Return the words of the properties in the speaker's manner."""
        if not hasattr(self, "overall_"):
            raise NotTrained(self)
        overall = choose_model(self.overall_, view.domain)
        domain = view.domain if view.domain in self.typical_ else None
        habits = self.speakers_.get((domain, view.speaker)) or self.speakers_.get(
            (domain, self.typical_[domain]), overall
        )
        content = [p for p in properties if p.value not in UNSAYABLE]
        missing = {p for p in content if p.name != HEAD}
        branches = self._modify(missing, habits, overall) + self._graft(missing, frozenset(content), habits, overall)
        # Properties for which the speaker has no branch are worded as by most speakers.
        branches += overall.wordings.choose_branches(sorted(missing), self.language)
        before, after = overall.wordings.places.arrange(branches)
        return join(habits.determiner, before, self._choose_head(content, habits, overall), after, self.language)

    def _choose_head(self, content: Sequence[Property], habits: SpeakerHabits, overall: SpeakerHabits) -> str:
        """Return the speaker's noun, that of most speakers, or the language's; empty without a type."""
        types = frozenset(p for p in content if p.name == HEAD)
        words = habits.wordings.book.choose_modal(types) or overall.wordings.book.choose_modal(types)
        return " ".join(words) if words else self.language.noun(types).word if types else ""

    def _modify(self, missing: set[Property], habits: SpeakerHabits, overall: SpeakerHabits) -> list[Branch]:
        """Return plain modifiers before the noun; their properties are no longer missing."""
        branches = []
        for prop in sorted(p for p in missing if p.name in self.modifiers):
            key = frozenset([prop])
            words = habits.wordings.book.choose_modal(key) or overall.wordings.book.choose_modal(key)
            if words:
                branches.append(Branch(key, words, BEFORE if len(words) == 1 else AFTER))
                missing.discard(prop)
        return branches

    def _graft(
        self, missing: set[Property], content: Properties, habits: SpeakerHabits, overall: SpeakerHabits
    ) -> list[Branch]:
        """Return branches of the speaker's descriptions, the most similar first, with values replaced where they
        differ.

        A branch for only a part of a fixed group (a white beard) is skipped.
        """
        grafted: list[Branch] = []
        breaths = [g for g in overall.wordings.book.group_properties(sorted(missing)) if len(g) > 1]
        for _, parts in sorted(habits.cuts, key=lambda pair: -compute_dice(pair[0].properties, content)):
            for branch in sorted(parts.branches, key=lambda b: -len(b.names & {p.name for p in missing})):
                values = frozenset(p for p in missing if p.name in branch.names)
                torn = any(values & breath and not breath <= values for breath in breaths)
                if not values or len(values) < len(branch.names) or torn:
                    continue
                new = branch if branch.properties == values else _choose_branch(values, habits, overall)
                if new is not None:
                    grafted.append(new)
                    missing -= values
        return grafted


def _choose_branch(values: Properties, habits: SpeakerHabits, overall: SpeakerHabits) -> Branch | None:
    ranked = habits.wordings.rank_phrases(values) or overall.wordings.rank_phrases(values)
    return ranked[0] if ranked else None


def _find_most_typical(by_speaker: dict[str | None, list[Example]]) -> str | None:
    """Return the speaker whose sets (of attribute names) are on average most similar to the others'."""

    def compute_similarity(speaker: str | None) -> float:
        """Return the mean Dice of a speaker's attributes with those of all other speakers."""
        others = [e for another, examples in by_speaker.items() if another != speaker for e in examples]
        pairs = [compute_dice(example.names, other.names) for example in by_speaker[speaker] for other in others]
        return sum(pairs) / len(pairs) if pairs else 0.0

    return max(by_speaker, key=compute_similarity, default=None)
