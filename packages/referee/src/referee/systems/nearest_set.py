"""Selects the distinguishing set nearest to its speaker's earlier descriptions (Bohnet 2007, 2008, 2009.

IS-FBN, IS-FP).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal, Self

import numpy as np
import numpy.typing as npt

from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import Contrast
from referee.selection.frequencies import GroupedFrequencies, count_by_group
from referee.selection.reasons import Note
from referee.systems.brevity_by_example import ListsSets, Masks, find_distinguishing_masks, spell

Match = Literal["names", "pairs", "marks"]
Mark = str | Property
Numbers = npt.NDArray[np.float64]
# Means of at most some thousand shares: noise stays far below this digit, real differences far above.
DIGITS = 12


@dataclass(eq=False, repr=False)
class NearestSet(ListsSets):
    """The distinguishing set with the highest Dice to a set in the speaker's pool.

    `then` lists the rules for ties, in turn.

    `match` selects the comparison: attribute "names", "pairs" with their values, or "marks": names, but pairs for
    yes-no attributes, because a beard and its absence differ. `nearest` uses the "max"imum or the "mean" over the pool.
    The pool has the speaker's training sets of the same domain, and those of the `similar` most similar speakers (mean
    Dice over all pairs of their sets, compared by `likeness`). An unknown speaker is replaced by the one who is most
    similar to all others (with `same_condition`, to those in the condition of the trial). `then` may have "shortest",
    "typical" (highest mean Dice to the other sets that tie), "frequent" (highest sum of attribute counts) and "random"
    (from `seed` and the trial's id); finally the first wins.
    """

    similar: int = 0
    then: tuple[Literal["shortest", "typical", "frequent", "random"], ...] = ("random",)
    match: Match = "marks"
    likeness: Match = "pairs"
    nearest: Literal["max", "mean"] = "max"
    seed: int = 0
    same_condition: bool = False

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Remember every speaker's sets, and how similar speakers are."""
        trials = list(trials)
        self.counts_: GroupedFrequencies = count_by_group(trials, ("domain",))
        self.yes_no_ = _find_binary_attributes(self.counts_.overall.occurred)
        self.sets_: dict[str | None, dict[str, list[frozenset[Property]]]] = {}
        self.conditions_ = {(t.domain, t.speaker or "", t.condition) for t in trials}
        for trial in trials:
            for reference in trial.references:
                if reference.properties is not None:
                    speakers = self.sets_.setdefault(trial.domain, {})
                    speakers.setdefault(trial.speaker or "", []).append(frozenset(reference.properties))
        self.likeness_ = {
            domain: _compute_likeness(
                [
                    [self._select_compared(properties, self.likeness) for properties in sets_of_speaker]
                    for sets_of_speaker in speakers.values()
                ]
            )
            for domain, speakers in self.sets_.items()
        }
        return self

    def _select_compared(self, properties: Iterable[Property], match: Match) -> list[Mark]:
        """Return the part of properties that is compared."""
        if match == "pairs":
            return list(properties)
        return [p if match == "marks" and p.name in self.yes_no_ else p.name for p in properties]

    def pool(self, view: SpeakerView) -> list[frozenset[Property]]:
        """Return the training sets with which a description of this view is compared."""
        if not hasattr(self, "sets_"):
            raise NotTrained(self)
        speakers = self.sets_.get(view.domain, {})
        if not speakers:
            return []
        names, likeness = list(speakers), self.likeness_[view.domain]
        is_in_training = view.speaker in speakers
        me = names.index(view.speaker or "") if is_in_training else self._find_most_typical(view, names, likeness)
        others = sorted((i for i in range(len(names)) if i != me), key=lambda i: -likeness[me, i])
        return [properties for i in (me, *others[: self.similar]) for properties in speakers[names[i]]]

    def _find_most_typical(self, view: SpeakerView, names: Sequence[str], likeness: Numbers) -> int:
        """Return the speaker most similar to the others, of all or of those in the view's condition."""
        alike = range(len(names))
        if self.same_condition:
            alike = [i for i in alike if (view.domain, names[i], view.condition) in self.conditions_] or list(alike)  # type: ignore[assignment]
        places = list(alike)
        means = _average_without_diagonal(likeness[np.ix_(places, places)]).round(DIGITS)
        return places[int(np.nanargmax(means))]

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the distinguishing set nearest to the speaker's pool."""
        masks = find_distinguishing_masks(contrast)
        pool = self.pool(view)
        if pool:
            masks = _select_best(masks, self._compute_nearness(masks, pool, contrast))
        for settle in self.then:
            if len(masks) > 1:
                masks = _select_best(masks, self._score_ties(settle, masks, contrast, view))
        chosen = spell(int(masks[0]), contrast)
        for prop in chosen:
            if note:
                note(prop, f"in the set nearest to {len(pool)} earlier descriptions")
        return chosen

    def _compute_nearness(self, masks: Masks, pool: Sequence[frozenset[Property]], contrast: Contrast) -> Numbers:
        """Return the similarity of each set to the pool."""
        here = self._select_compared(contrast.properties, self.match)
        marks = [frozenset(self._select_compared(properties, self.match)) for properties in pool]
        sets = [
            (sum(1 << i for i, mark in enumerate(here) if mark in properties), len(properties)) for properties in marks
        ]
        # Sets said twice change a mean, but no maximum.
        if self.nearest == "max":
            sets = list(dict.fromkeys(sets))
        similarity = _compute_dice(
            masks, np.array([m for m, _ in sets], dtype=np.uint32), np.array([n for _, n in sets])
        )
        nearest: Numbers = similarity.max(axis=1) if self.nearest == "max" else similarity.mean(axis=1)
        return nearest

    def _score_ties(self, settle: str, masks: Masks, contrast: Contrast, view: SpeakerView) -> Numbers:
        """Return scores of tied sets by one rule, of which the highest wins; the last rule draws one set at random."""
        if settle == "shortest":
            return -np.bitwise_count(masks).astype(float)
        if settle == "typical":
            return _average_without_diagonal(_compute_dice(masks, masks, np.bitwise_count(masks)))
        if settle == "frequent":
            counts = self.counts_.of(view).mentions
            return np.array([float(sum(counts.get(p.name, 0) for p in spell(int(m), contrast))) for m in masks])
        lucky = Random(f"{self.seed} {view.id}").randrange(len(masks))
        drawn: Numbers = (np.arange(len(masks)) == lucky).astype(float)
        return drawn


def _select_best(masks: Masks, standing: Numbers) -> Masks:
    best: Masks = masks[standing >= standing.max() - 1e-9]
    return best


def _compute_dice(masks: Masks, others: Masks, sizes: npt.NDArray[np.integer]) -> Numbers:
    """Return the Dice of each set with each other one.

    `sizes` are those of the others, which may have properties that the target lacks.
    """
    common = np.bitwise_count(masks[:, None] & others[None, :])
    total = np.bitwise_count(masks)[:, None].astype(float) + sizes[None, :]
    dice: Numbers = np.divide(2.0 * common, total, out=np.ones_like(total), where=total > 0)
    return dice


def _average_without_diagonal(similarity: Numbers) -> Numbers:
    """Return the mean of each row without its diagonal."""
    means: Numbers = (similarity.sum(axis=1) - np.diagonal(similarity)) / max(1, len(similarity) - 1)
    return means


def _compute_likeness(speakers: Sequence[Sequence[Sequence[Mark]]]) -> Numbers:
    """Return the mean Dice over all pairs of sets of any two speakers."""
    sets = [properties for sets_of_speaker in speakers for properties in sets_of_speaker]
    column = {mark: i for i, mark in enumerate(dict.fromkeys(mark for properties in sets for mark in properties))}
    has = np.zeros((len(sets), len(column)))
    for row, properties in enumerate(sets):
        has[row, [column[mark] for mark in properties]] = 1.0
    sizes = has.sum(axis=1)
    total = sizes[:, None] + sizes[None, :]
    dice = np.divide(2.0 * has @ has.T, total, out=np.ones_like(total), where=total > 0)
    owner = np.zeros((len(speakers), len(sets)))
    start = 0
    for i, sets_of_speaker in enumerate(speakers):
        owner[i, start : start + len(sets_of_speaker)] = 1.0 / len(sets_of_speaker)
        start += len(sets_of_speaker)
    # Similarity of speakers is symmetric; matrix products leave asymmetric rounding, on which the choice must not
    # depend.
    means: Numbers = (owner @ dice @ owner.T).round(DIGITS)
    return means


def _find_binary_attributes(properties: Iterable[Property]) -> set[str]:
    """Return the attributes that were only seen with the values 0 and 1."""
    values: dict[str, set[str]] = {}
    for prop in properties:
        values.setdefault(prop.name, set()).add(prop.value)
    return {name for name, seen in values.items() if seen <= {"0", "1"}}
