"""Content selection as classification.

Whole patterns by a decision tree that knows the speaker, or attribute by attribute with support vectors.

The tree is that of Viethen & Dale (2010), the machines those of Ferreira & Paraboni (2014), both after their outlines.
Their features compare the target with the other entities: how many share each of its properties, and its relations.
Descriptions of landmarks are learned in the same way. Needs scikit-learn.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from referee.errors import NotTrained, naming_extra
from referee.records import LANDMARKS, Property, Scene, SpeakerView, Trial
from referee.selection.contrast import TYPE, Contrast, get_contrast
from referee.selection.reasons import Note, Reasoned

Pattern = tuple[str, ...]
RELATION = "relation:"
"""Prefix of a relation's name in a pattern: its value is a landmark, not a property."""


class _Features:
    """Numbers about a target beside the others; attributes that were not met in training are left out."""

    def __init__(self, trials: Sequence[Trial]) -> None:
        views = [t.for_speaker() for t in trials]
        self.names = sorted({p.name for v in views for p in get_contrast(v).properties})
        self.values = sorted({p for v in views for p in get_contrast(v).properties})
        self.relations = sorted({r.name for v in views for r in v.scene.entity(v.targets[0]).relations})
        self.conditions = sorted({t.condition or "" for t in trials})

    def of(self, view: SpeakerView) -> list[float]:
        """Return the features of a view: shared properties and relations by attribute."""
        contrast = get_contrast(view)
        others = max(1, contrast.distractors.bit_count())
        row: list[float] = []
        for name in self.names:
            props = contrast.by_name.get(name, ())
            shared = [(contrast.distractors & contrast.extensions[p]).bit_count() / others for p in props]
            row += [
                min(shared, default=-1.0),
                float(any(contrast.distractors & ~contrast.extensions[p] for p in props)),
            ]
        row += [float(p in contrast.properties) for p in self.values]
        row += [float(len(contrast.scene.entities)), float(_get_landmark(contrast.scene, view.targets[0]) is not None)]
        tied = {r.name for r in view.scene.entity(view.targets[0]).relations}
        row += [float(name in tied) for name in self.relations]
        return row + [float((view.condition or "") == c) for c in self.conditions]


class _Habits:
    """The rates at which each speaker mentions each attribute.

    Features by which a tree uses the speaker with few descriptions of each.

    The printed trees split by speaker into as many branches as there are speakers, which a binary tree cannot.
    """

    def __init__(self, speakers: Sequence[str | None], patterns: Sequence[Pattern]) -> None:
        self.names = sorted(set().union(*patterns))
        self.all = Counter(name for pattern in patterns for name in pattern)
        self.pattern_count = len(patterns)
        self.habits: dict[str, Counter[str]] = {}
        self.times = Counter(s for s in speakers if s)
        for speaker, pattern in zip(speakers, patterns, strict=True):
            if speaker:
                self.habits.setdefault(speaker, Counter()).update(pattern)

    def of(self, speaker: str | None, without: Pattern | None = None) -> list[float]:
        """Return a speaker's shares of attributes, shrunk slightly towards those of all speakers.

        `without` leaves out one description.
        """
        of_speaker, times = self.habits.get(speaker or "", Counter()), self.times[speaker or ""]
        excluded = set(without or ()) if times else set()
        times -= without is not None and times > 0
        usual = {name: self.all[name] / max(1, self.pattern_count) for name in self.names}
        return [(of_speaker[name] - (name in excluded) + usual[name]) / (times + 1) for name in self.names]


def _get_landmark(scene: Scene, entity: str) -> str | None:
    """Return the id of the entity that the target's first relation leads to, or None."""
    return next((r.entity for r in scene.entity(entity).relations), None)


def _get_pattern(properties: Iterable[Property], scene: Scene) -> Pattern:
    """Return the attribute names of a description, with relations marked."""
    names = {f"{RELATION}{p.name}" if Property(p.name, "") in scene.extensions else p.name for p in properties}
    return tuple(sorted(names))


def _iterate_patterns(trials: Iterable[Trial]) -> Iterator[tuple[Trial, Pattern]]:
    """Yield every description with properties, as its trial and its pattern."""
    for trial in trials:
        for reference in trial.references:
            if reference.properties is not None:
                yield trial, _get_pattern(reference.properties, trial.scene)


def _fill_pattern(pattern: Iterable[str], contrast: Contrast, view: SpeakerView) -> tuple[Property, ...]:
    """Return the properties of this target and its landmark that a pattern names.

    Names without a value are left out.
    """
    target = view.scene.entity(view.targets[0])
    names = set(pattern)
    tied = [r for r in target.relations if f"{RELATION}{r.name}" in names][:1]
    chosen = [p for p in contrast.properties if p.name in names]
    chosen += [Property(r.name, r.entity) for r in tied]
    landmark = tied[0].entity if tied else None
    if landmark is not None:
        beside = view.scene.entity(landmark)
        chosen += [
            Property(f"landmark.{p.name}", p.value)
            for p in beside.attributes
            if any(LANDMARKS.sub("", name, count=1) == p.name for name in names if LANDMARKS.match(name))
        ]
    return tuple(chosen)


@dataclass(eq=False, repr=False)
class PatternTree(Reasoned):
    """One tree over whole patterns of attributes.

    With `speakers` a second one for known speakers, with their rates as features.

    `leaf` is the minimal number of descriptions in a leaf.
    """

    speakers: bool = True
    leaf: int = 5
    seed: int = 0

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Grow the trees."""
        annotated = [t for t in trials if any(r.properties is not None for r in t.references)]
        examples = list(_iterate_patterns(annotated))
        self.features_ = _Features(annotated)
        self.patterns_ = list(dict.fromkeys(pattern for _, pattern in examples))
        rows = [self.features_.of(t.for_speaker()) for t, _ in examples]
        classes = [self.patterns_.index(pattern) for _, pattern in examples]
        self.tree_ = self._grow_tree(rows, classes)
        self.habits_ = _Habits([t.speaker for t, _ in examples], [p for _, p in examples]) if self.speakers else None
        if self.habits_:
            habits = [self.habits_.of(t.speaker, pattern) for t, pattern in examples]
            self.knowing_ = self._grow_tree([[*row, *habit] for row, habit in zip(rows, habits, strict=True)], classes)
        return self

    def _grow_tree(self, rows: Sequence[Sequence[float]], classes: Sequence[int]) -> Any:
        """Return a decision tree grown on patterns; None without descriptions."""
        with naming_extra():
            from sklearn.tree import DecisionTreeClassifier
        tree = DecisionTreeClassifier(min_samples_leaf=self.leaf, random_state=self.seed)
        with warnings.catch_warnings():
            # Few descriptions have nearly as many patterns, which scikit-learn takes for measurements.
            warnings.simplefilter("ignore", UserWarning)
            return tree.fit(rows, classes) if rows else None

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties of the predicted pattern."""
        if getattr(self, "tree_", None) is None:
            raise NotTrained(self)
        tree, row = self.tree_, self.features_.of(view)
        if self.habits_ and self.habits_.times[view.speaker or ""]:
            tree, row = self.knowing_, row + self.habits_.of(view.speaker)
        chosen = _fill_pattern(self.patterns_[int(tree.predict([row])[0])], contrast, view)
        for prop in chosen if note else ():
            note(prop, "in the pattern that the decision tree predicts for this target")  # type: ignore[misc]
        return chosen


@dataclass(eq=False, repr=False)
class SupportVectors(Reasoned):
    """One support vector machine per attribute (and per attribute of the landmark) that predicts its mention.
    `strength` is C of the machine.

    Features are standardised, because a radial kernel depends on distances.
    """

    strength: float = 1.0
    seed: int = 0

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Train the machines; an attribute that is always or never mentioned needs none."""
        annotated = [t for t in trials if any(r.properties is not None for r in t.references)]
        self.features_ = _Features(annotated)
        examples = list(_iterate_patterns(annotated))
        rows, patterns = [self.features_.of(t.for_speaker()) for t, _ in examples], [pattern for _, pattern in examples]
        names = sorted(set().union(*patterns))
        mentions = {name: [name in pattern for pattern in patterns] for name in names}
        self.always_ = {name for name in names if all(mentions[name])}
        self.machines_ = _Machines(rows, {n: v for n, v in mentions.items() if not all(v)}, self.strength, self.seed)
        return self

    def choose(self, contrast: Contrast, view: SpeakerView, note: Note | None = None) -> tuple[Property, ...]:
        """Return the properties whose machines predict a mention."""
        if not hasattr(self, "machines_") or not (self.always_ or self.machines_.names):
            raise NotTrained(self)
        mentioned = self.always_ | self.machines_.say_yes(self.features_.of(view))
        chosen = _fill_pattern(mentioned, contrast, view) or tuple(p for p in contrast.properties if p.name == TYPE)
        for prop in chosen if note else ():
            note(prop, "its classifier predicts that people mention it here")  # type: ignore[misc]
        return chosen


class _Machines:
    """Support vector machines over the same rows.

    The rows are scaled once, and how near a new one is to each of them is worked out once for all machines.
    """

    def __init__(
        self, rows: Sequence[Sequence[float]], answers: Mapping[str, Sequence[bool]], strength: float, seed: int
    ) -> None:
        self.names = list(answers)
        if not answers:
            return
        with naming_extra():
            from sklearn.preprocessing import StandardScaler
            from sklearn.svm import SVC
        self.scaler = StandardScaler()
        self.rows = self.scaler.fit_transform(rows)
        spread = float(self.rows.var())
        # Scikit-learn's value "scale".
        self.gamma = 1.0 / (self.rows.shape[1] * spread) if spread else 1.0
        self.weights, self.shifts = np.zeros((len(answers), len(rows))), np.zeros(len(answers))
        for i, chosen in enumerate(answers.values()):
            machine = SVC(C=strength, gamma=self.gamma, random_state=seed).fit(self.rows, chosen)
            self.weights[i, machine.support_] = machine.dual_coef_[0]
            self.shifts[i] = machine.intercept_[0]

    def say_yes(self, row: Sequence[float]) -> set[str]:
        """Return the names whose machine predicts a mention for a row."""
        if not self.names:
            return set()
        apart = self.rows - self.scaler.transform([row])
        near = np.exp(-self.gamma * np.einsum("ij,ij->i", apart, apart))
        return {name for name, side in zip(self.names, self.weights @ near + self.shifts, strict=True) if side > 0}
