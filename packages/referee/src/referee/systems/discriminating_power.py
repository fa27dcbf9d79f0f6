"""Attributes ranked by how much they discriminate and how much people like them, in the mix of two teams of 2007.

Cambridge (Siddharthan & Copestake 2004, 2007: CAM) adds preference to a quotient of contrast and similarity; Tokyo (Spanger, Kurosawa &
Tokunaga 2007, 2008: TITCH) multiplies the number of distractors ruled out with the frequency of mention. Both say the type first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, Self

from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast, get_contrast
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.reasons import Note, Reasoned

RING = 4
"""Weight of a match or a contrast in the innermost focus ring; a closed domain has only this ring."""


@dataclass(eq=False, repr=False)
class ContrastQuotient(Reasoned):
    """CAM: attributes by discriminating quotient plus preference, one after the other until no distractor is left.

    The quotient of an attribute is 4 per distractor that differs in it, minus 4 per distractor that does not.
    Preference is `liked` (points per attribute), or learned with `scale`: `scale` times the highest possible quotient
    times the share of descriptions that mention the attribute. With `updated` the quotients are recomputed after every
    choice, over the remaining distractors, and attributes that exclude none are skipped.
    """

    liked: Mapping[str, float] | None = None
    scale: float | None = None
    updated: bool = False

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count mentions, if preference is learned."""
        if self.scale is not None:
            self.frequencies_: GroupedFrequencies = count_by_group(trials, ("domain",))
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return attributes by quotient and preference until the target is distinguished."""
        preference = self._compute_preferences(contrast, view)
        chosen, left = _start_with_type(contrast, note)
        options = [p for p in contrast.properties if p not in chosen]
        # Over the whole scene, whatever the type has ruled out: the algorithm of 2004 sorts once.
        ranked = sorted(options, key=lambda p: -(_compute_quotient(contrast, p, contrast.distractors) + preference[p]))
        while left and ranked:
            if self.updated:
                ranked = [p for p in ranked if left & contrast.ruled_out(p)]
                ranked.sort(key=lambda p: -(_compute_quotient(contrast, p, left) + preference[p]))
            if not ranked:
                break
            best = ranked.pop(0)
            chosen.append(best)
            left &= contrast.extensions[best]
            if note:
                note(best, "the highest discriminating quotient, preference included")
        return tuple(chosen)

    def _compute_preferences(self, contrast: Contrast, view: SpeakerView) -> dict[Property, float]:
        """Return the preference of every property."""
        if self.scale is None:
            liked = self.liked or {}
            return {p: liked.get(str(p), liked.get(p.name, 0.0)) for p in contrast.properties}
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        seen = self.frequencies_.of(view)
        highest = RING * contrast.distractors.bit_count() * self.scale
        return {p: highest * (seen.share(p.name) or 0.0) for p in contrast.properties}


def _compute_quotient(contrast: Contrast, prop: Property, left: int) -> int:
    differ = (left & contrast.ruled_out(prop)).bit_count()
    return RING * (2 * differ - left.bit_count())


class WeightedPower(Reasoned):
    """TITCH: attributes by the number of distractors they exclude in the whole scene times a learned weight.

    `weight` "absolute" is the share of descriptions that mention the attribute; "relative" counts only descriptions
    where it would have excluded a distractor. `plus` "redundancy" adds one attribute more than needed; "dependency"
    multiplies, after each choice, the score of each attribute by the ratio of observed to expected co-mentions with the
    chosen one.
    """

    def __init__(
        self,
        weight: Literal["absolute", "relative"] = "absolute",
        plus: Literal["none", "redundancy", "dependency"] = "none",
    ) -> None:
        self.weight = weight
        self.plus = plus

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count mentions, opportunities to mention, and co-mentions, per domain."""
        trials = list(trials)
        self.frequencies_: GroupedFrequencies = count_by_group(trials, ("domain",))
        self.chances_: Counter[tuple[str | None, str]] = Counter()
        self.together_: Counter[tuple[str | None, frozenset[str]]] = Counter()
        for trial in trials:
            contrast = get_contrast(trial.for_speaker())
            telling = {p.name for p in contrast.properties if contrast.ruled_out(p)}
            for mentioned in (r.properties for r in trial.references if r.properties is not None):
                self.chances_.update((trial.domain, name) for name in telling)
                pairs = combinations(sorted({p.name for p in mentioned}), 2)
                self.together_.update((trial.domain, frozenset(pair)) for pair in pairs)
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return attributes by score until the target is distinguished."""
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        chosen, left = _start_with_type(contrast, note)
        scores = {p: self._score(contrast, p, view) for p in contrast.properties if p not in chosen}
        extra = self.plus == "redundancy"
        while scores and (left or extra):
            # The extra one comes once no distractor is left, and only then.
            extra = extra and bool(left)
            best = max(scores, key=scores.__getitem__)
            del scores[best]
            chosen.append(best)
            if note:
                note(
                    best,
                    "the most discriminating and most mentioned"
                    if left
                    else "one attribute too many, as the entry adds it",
                )
            left &= contrast.extensions[best]
            if self.plus == "dependency":
                scores = {p: score * self._compute_dependency(p.name, best.name, view) for p, score in scores.items()}
        return tuple(chosen)

    def _score(self, contrast: Contrast, prop: Property, view: SpeakerView) -> float:
        """Return the score of a property."""
        seen = self.frequencies_.of(view)
        mentions = seen.mentions.get(prop.name, 0)
        chances = seen.descriptions if self.weight == "absolute" else self.chances_[view.domain, prop.name]
        return contrast.ruled_out(prop).bit_count() * (mentions / chances if chances else 0.0)

    def _compute_dependency(self, name: str, mentioned: str, view: SpeakerView) -> float:
        """Return P(a, b) / (P(a) P(b)), or 1 if one of the two was never mentioned."""
        seen = self.frequencies_.of(view)
        alone = seen.mentions.get(name, 0) * seen.mentions.get(mentioned, 0)
        return self.together_[view.domain, frozenset((name, mentioned))] * seen.descriptions / alone if alone else 1.0


def _start_with_type(contrast: Contrast, note: Note | None) -> tuple[list[Property], int]:
    """Return the description that has only the type, and the distractors that remain."""
    chosen = [] if contrast.head is None else [contrast.head]
    if note and chosen:
        note(chosen[0], "the type comes first")
    return chosen, contrast.remaining(chosen)
