"""PRO, probabilistic referential overspecification.

A minimal description, then perhaps further properties (van Gompel, van Deemter, Gatt, Snoeren & Krahmer 2019).

Each attribute has a preference π between 0 and 1, each group of speakers an eagerness ε. First a property that is
sufficient alone is drawn, by preference; if there is none, a useful one is drawn and the process repeats (an extension
for scenes beyond the original experiments). Then every other property is added, independently, with probability ε·π.
The type is always mentioned and restricts the scene first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Self

import numpy as np

from referee.contracts import FloatArray
from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.contrast import TYPE, Contrast, get_contrast
from referee.selection.frequencies import Group, check_groups, get_learned, group_trials
from referee.selection.reasons import Note, Reasoned

MOST_OPTIONS = 16
"""Most properties besides the type for which all subsets are listed."""
UNSEEN = 0.01
"""Preference of an attribute that no speaker mentioned, used if nothing else singles out the target."""

Distribution = tuple[tuple[frozenset[Property], float], ...]
Core = frozenset[Property]


@dataclass(eq=False, repr=False)
class Overspecification(Reasoned):
    """Gives probabilities of property sets.

    `select` returns the most probable one, or a random one by `seed` and the trial's id.

    `preferences` (π per attribute) and `eagerness` (ε) are learned by maximum likelihood, per group of trials named by
    `by`, unless both are given. The model excludes sets that do not identify the target, and sets of jointly sufficient
    properties where one would have been sufficient; `left_out_` counts such references. π and ε are known up to a
    common factor, chosen so that the largest π is 1. A target without a distinguishing description gets all useful
    properties, and perhaps more. An unmentioned attribute is drawn only if all others leave a distractor; of more than
    16 properties only the most preferred and the necessary ones are considered.
    """

    preferences: Mapping[str, float] | None = None
    eagerness: float | None = None
    by: tuple[str, ...] = ("domain",)
    seed: int | None = None

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Maximum likelihood per group."""
        if self.preferences is not None and self.eagerness is not None:
            return self
        self.fitted_: dict[Group, tuple[dict[str, float], float]] = {}
        self.left_out_ = 0
        for key, members in group_trials(trials, self.by).items():
            likelihood = _Likelihood(members)
            self.fitted_[key] = likelihood.maximise()
            self.left_out_ += likelihood.left_out
        return self

    def check_training(self, train: Sequence[Trial], test: Sequence[Trial]) -> None:
        """Raise InputError for a trial whose group has no training data."""
        if self.preferences is None or self.eagerness is None:
            check_groups(train, test, self.by)

    def distribution(self, view: SpeakerView) -> Distribution:
        """Return every possible set of properties with its probability, the most probable first."""
        contrast = get_contrast(view)
        options, chances = self._compute_probabilities(contrast, view)
        sets = [frozenset([] if contrast.head is None else [contrast.head])]
        for prop in options:
            sets += [mentioned | {prop} for mentioned in sets]
        numbers = chances.tolist()
        return tuple([(sets[place], numbers[place]) for place in _order_by_probability(chances)])

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the most probable set of properties, or a random one."""
        options, chances = self._compute_probabilities(contrast, view)
        if self.seed is None:
            place = int(chances.argmax())
        else:
            places = _order_by_probability(chances)
            place = Random(f"{self.seed} {view.id}").choices(places, chances[places].tolist())[0]
        mentioned = {contrast.head, *(p for i, p in enumerate(options) if place >> i & 1)}
        chosen = tuple(p for p in contrast.properties if p in mentioned)
        if note:
            for prop in chosen:
                note(prop, f"part of a description with probability {chances[place]:.3f}")
        return chosen

    def _compute_probabilities(self, contrast: Contrast, view: SpeakerView) -> tuple[list[Property], FloatArray]:
        """Return the properties other than the type, and the probability of every subset.

        Bit i of a subset's index stands for property i.
        """
        weights, eagerness = self._get_parameters(view)
        options = _limit_options(contrast, _list_options(contrast), weights)
        weights = _add_unseen(contrast, options, weights)
        # All sets of options: TUNA's people have eleven beside the type, hence two thousand sets.
        chances = np.zeros(1 << len(options))
        for core, chance in _compute_cores(contrast, options, [weights.get(p.name, 0.0) for p in options]).items():
            chances[core] = chance
        for i, prop in enumerate(options):
            # Bit i of a place says whether option i is said; who has not said it yet adds it with probability ε·π.
            more = eagerness * weights.get(prop.name, 0.0)
            by_option = chances.reshape(-1, 2, 1 << i)
            added = by_option[:, 0] * more
            by_option[:, 0] -= added
            by_option[:, 1] += added
        return options, chances

    def _get_parameters(self, view: SpeakerView) -> tuple[Mapping[str, float], float]:
        """Return preferences and eagerness, given or learned."""
        if self.preferences is not None and self.eagerness is not None:
            return self.preferences, self.eagerness
        if not hasattr(self, "fitted_"):
            raise NotTrained(self)
        return get_learned(view, self.by, self.fitted_)


def _order_by_probability(chances: FloatArray) -> list[int]:
    """Return the indices of possible sets, the most probable first."""
    order = np.argsort(-chances, kind="stable")
    places: list[int] = order[chances[order] != 0].tolist()
    return places


def _list_options(contrast: Contrast) -> list[Property]:
    return [p for p in contrast.properties if p.name != TYPE]


def _limit_options(contrast: Contrast, options: list[Property], weights: Mapping[str, float]) -> list[Property]:
    """Return the properties for sets; of too many only the most preferred and the necessary ones."""
    if len(options) <= MOST_OPTIONS:
        return options
    liked = sorted(options, key=lambda p: -weights.get(p.name, 0.0))
    preferred = liked[: MOST_OPTIONS - 6]
    for prop in liked[len(preferred) :]:
        if len(preferred) < MOST_OPTIONS and contrast.remaining(preferred) & ~contrast.extensions[prop]:
            preferred.append(prop)
    return [p for p in options if p in preferred]


def _add_unseen(contrast: Contrast, options: Sequence[Property], weights: Mapping[str, float]) -> Mapping[str, float]:
    """Return the weights, with unseen attributes added where they are needed.

    They are needed if all that speakers were seen to prefer leaves a distractor.
    """
    start = [] if contrast.head is None else [contrast.head]
    liked = [p for p in options if weights.get(p.name, 0.0) > 0]
    left = contrast.remaining([*start, *liked])
    if not any(left & ~contrast.extensions[p] for p in options if p not in liked):
        return weights
    return {**weights, **{p.name: UNSEEN for p in options if p not in liked}}


def _list_drawable(contrast: Contrast, options: Sequence[Property], left: int) -> list[Property]:
    """Return the properties that may be drawn next: those sufficient alone, or else the useful ones."""
    alone = [p for p in options if not left & contrast.extensions[p]]
    return alone or [p for p in options if left & ~contrast.extensions[p]]


def _compute_cores(contrast: Contrast, options: Sequence[Property], weights: Sequence[float]) -> dict[int, float]:
    """Return the sets drawn in the first step (bit i for option i), with their probabilities."""
    keeps = [contrast.extensions[p] for p in options]
    liked = [i for i, weight in enumerate(weights) if weight > 0]
    start = contrast.distractors if contrast.head is None else contrast.distractors & contrast.extensions[contrast.head]
    level: dict[int, tuple[float, int]] = {0: (1.0, start)}
    cores: dict[int, float] = {}
    while level:
        following: dict[int, tuple[float, int]] = {}
        for core, (chance, left) in level.items():
            able = [i for i in liked if not left & keeps[i]] if left else []
            able = able or [i for i in liked if left & ~keeps[i]]
            if not able:
                cores[core] = chance
                continue
            total = sum([weights[i] for i in able])
            for i in able:
                grown = core | 1 << i
                before = following[grown][0] if grown in following else 0.0
                following[grown] = (before + chance * weights[i] / total, left & keeps[i])
        level = following
    return cores


class _Likelihood:
    """The probability of human descriptions as a function of π and ε.

    All ways to draw a core inside each description, laid out as tables.
    """

    def __init__(self, trials: Sequence[Trial]) -> None:
        self.names = list(
            dict.fromkeys(p.name for t in trials for p in t.scene.entity(t.targets[0]).attributes if p.name != TYPE)
        )
        self.steps: list[tuple[int, int, int, int, FloatArray]] = []
        self.ends: list[tuple[int, int, FloatArray, FloatArray]] = []
        self.starts: list[int] = []
        self.states = self.used = self.left_out = 0
        for trial in trials:
            for reference in trial.references:
                if reference.properties is not None:
                    self._tabulate(get_contrast(trial.for_speaker()), frozenset(reference.properties))

    def _tabulate(self, contrast: Contrast, description: frozenset[Property]) -> None:
        """Store the states (cores so far) of one description, the steps between them, and complete cores."""
        options = _list_options(contrast)
        inside = description & set(options)
        head = contrast.head
        level: dict[Core, int] = {frozenset(): self._take_state_number()}
        self.starts.append(level[frozenset()])
        ends, depth = len(self.ends), 0
        while level:
            following: dict[Core, int] = {}
            for core, state in level.items():
                left = contrast.remaining([*core, head] if head else core)
                if not left:
                    self.ends.append(
                        (
                            self.used,
                            state,
                            self._count_attributes(inside - core),
                            self._count_attributes(set(options) - inside),
                        )
                    )
                    continue
                able = _list_drawable(contrast, options, left)
                for p in able:
                    if p in inside:
                        place = following.setdefault(core | {p}, -1)
                        if place < 0:
                            place = following[core | {p}] = self._take_state_number()
                        self.steps.append((depth, state, place, self.names.index(p.name), self._count_attributes(able)))
            level, depth = following, depth + 1
        possible = len(self.ends) > ends
        self.used += possible
        self.left_out += not possible

    def _take_state_number(self) -> int:
        self.states += 1
        return self.states - 1

    def _count_attributes(self, properties: Iterable[Property]) -> FloatArray:
        """Return the counts of attributes in a description."""
        row = np.zeros(len(self.names))
        for p in properties:
            row[self.names.index(p.name)] += 1
        return row

    def maximise(self) -> tuple[dict[str, float], float]:
        """Return π per attribute, scaled to a maximum of 1, and ε."""
        from scipy.optimize import minimize

        if not self.used or not self.names:
            return dict.fromkeys(self.names, 1.0), 0.0
        order = sorted(range(len(self.steps)), key=lambda i: self.steps[i][0])
        depths = np.array([self.steps[i][0] for i in order], dtype=int)
        sources, targets, drawn = (np.array([self.steps[i][c] for i in order], dtype=int) for c in (1, 2, 3))
        able = np.array([self.steps[i][4] for i in order]).reshape(-1, len(self.names))
        trials, ends = (np.array([end[c] for end in self.ends], dtype=int) for c in (0, 1))
        extra, absent = (np.array([end[c] for end in self.ends]) for c in (2, 3))

        def compute_surprise(parameters: FloatArray) -> float:
            """Return the negative log likelihood of the descriptions under the parameters."""
            # The logistic function keeps both between 0 and 1, as chances have to be.
            weights, eager = 1 / (1 + np.exp(-parameters[:-1])), 1 / (1 + np.exp(-parameters[-1]))
            reached = np.zeros(self.states)
            reached[self.starts] = 1.0
            # All draws of all descriptions at once; the loop below is over depth alone, of which there are few.
            share = weights[drawn] / (able @ weights)
            for depth in range(depths.max(initial=-1) + 1):
                now = depths == depth
                np.add.at(reached, targets[now], reached[sources[now]] * share[now])
            more = eager * weights
            # log1p keeps the digits of properties that are hardly ever added.
            likelihood = reached[ends] * np.exp(extra @ np.log(more) + absent @ np.log1p(-more))
            summed = np.zeros(self.used)
            np.add.at(summed, trials, likelihood)
            return float(-np.log(summed).sum())

        start = np.zeros(len(self.names) + 1)
        # On the logit scale: an attribute that is always said has its maximum at infinity, and e^8 to 1 is as good as always.
        optimum = minimize(compute_surprise, start, method="L-BFGS-B", bounds=[(-8.0, 8.0)] * len(start))
        weights, eager = 1 / (1 + np.exp(-optimum.x[:-1])), 1 / (1 + np.exp(-optimum.x[-1]))
        # π and ε are known only up to a common factor; the largest π is made 1.
        scale = float(weights.max())
        return {n: float(w) / scale for n, w in zip(self.names, weights, strict=True)}, float(eager) * scale
