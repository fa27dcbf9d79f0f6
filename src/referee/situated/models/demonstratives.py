"""Say *that*, or not? A linear support vector machine learns it from the situation, beside baselines it has to beat (Spanger et al. 2013, section 4).

The parameter c is SVM-light's default, one over the mean squared length of the instances. Tenfold cross-validation over instances is the published
scheme; by pair no speaker is in both training and test, which is the honest variant. Confusions are summed over folds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError, naming_extra
from referee.situated.models.history import CATEGORIES, Situation, target_features

__all__ = [
    "ALL",
    "ALWAYS",
    "BASELINES",
    "CURSOR",
    "PUBLISHED",
    "RECENT",
    "Classification",
    "ClassifierRow",
    "Confusion",
    "classify",
    "fold_places",
    "matrix",
]

IntArray = npt.NDArray[np.int64]

RECENT, ALWAYS, CURSOR, ALL = "most recently mentioned", "always a pronoun", "cursor over target", "all features"
BASELINES: Mapping[str, Callable[[Situation], bool]] = {
    RECENT: lambda s: s.standing.mentioned_last,
    ALWAYS: lambda s: True,
    CURSOR: lambda s: s.standing.cursor_over,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """How often a pronoun was suggested and used (tp), only suggested (fp), only used (fn), neither (tn)."""

    tp: int
    fn: int
    fp: int
    tn: int

    @classmethod
    def of(cls, used: npt.NDArray[np.bool_], suggested: npt.NDArray[np.bool_]) -> Confusion:
        return cls(
            tp=int((used & suggested).sum()),
            fn=int((used & ~suggested).sum()),
            fp=int((~used & suggested).sum()),
            tn=int((~used & ~suggested).sum()),
        )

    @property
    def n(self) -> int:
        return self.tp + self.fn + self.fp + self.tn

    @property
    def precision(self) -> float | None:
        return _share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        return _share(self.tp, self.tp + self.fn)

    @property
    def f(self) -> float | None:
        return _share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float | None:
        return _share(self.tp + self.tn, self.n)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


# Printed or derived from print: the classifier (P, R from P and F, F), always-DP on 548 of 1,242, the cursor alone on 452 + 155 of 1,241.
PUBLISHED: Mapping[str, tuple[float, float, float]] = {
    ALL: (0.664, 0.811, 0.730),
    ALWAYS: (0.441, 1.0, 0.612),
    CURSOR: (0.745, 0.825, 0.783),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierRow:
    """One way of deciding, and how it did."""

    name: str
    confusion: Confusion
    learned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """All rows; for the model with all features also the decision value of every situation (above 0: a pronoun)."""

    rows: tuple[ClassifierRow, ...]
    situations: tuple[Situation, ...]
    decisions: tuple[float, ...]
    folds: int
    by: str

    def row(self, name: str) -> ClassifierRow:
        return next(r for r in self.rows if r.name == name)

    def category(self, place: int) -> str:
        """TP, FN, FP or TN of a situation under the model with all features."""
        used, suggested = self.situations[place].pronoun, self.decisions[place] > 0
        return ("TP" if suggested else "FN") if used else ("FP" if suggested else "TN")

    def of_category(self, category: str) -> list[int]:
        return [i for i in range(len(self.situations)) if self.category(i) == category]

    def worst_false_positives(self, n: int = 10) -> list[tuple[float, Situation]]:
        """Where the model was surest of a pronoun and the speaker said something else."""
        wrong = [(self.decisions[i], self.situations[i]) for i in self.of_category("FP")]
        return sorted(wrong, key=lambda pair: (-pair[0], pair[1].id))[:n]


def matrix(situations: Sequence[Situation], categories: Sequence[str] = CATEGORIES) -> FloatArray:
    """One row of features for every situation."""
    return np.array([list(target_features(s, categories).values()) for s in situations], dtype=np.float64)


def classify(
    situations: Sequence[Situation], *, folds: int = 10, by: str = "instance", seed: int = 1
) -> Classification:
    """Baselines, the model with all features, and the model without each category."""
    used = np.array([s.pronoun for s in situations], dtype=bool)
    if used.all() or not used.any():
        raise InputError(
            f"{int(used.sum())} of {len(used)} references are pronouns: there is nothing to tell apart",
            remedy="give dialogues with pronouns and other references (attribute dpr)",
        )
    places = fold_places(situations, folds, by, seed)
    rows = [
        ClassifierRow(name=name, confusion=Confusion.of(used, np.array([decide(s) for s in situations])), learned=False)
        for name, decide in BASELINES.items()
    ]
    models = {ALL: CATEGORIES, **{f"without {c}": tuple(d for d in CATEGORIES if d != c) for c in CATEGORIES}}
    decisions = {name: _decide(matrix(situations, kept), used, places) for name, kept in models.items()}
    rows += [ClassifierRow(name=n, confusion=Confusion.of(used, d > 0), learned=True) for n, d in decisions.items()]
    return Classification(
        rows=tuple(rows),
        situations=tuple(situations),
        decisions=tuple(map(float, decisions[ALL])),
        folds=int(places.max()) + 1,
        by=by,
    )


def fold_places(situations: Sequence[Situation], folds: int, by: str, seed: int) -> IntArray:
    """The fold of every situation: shuffled instances, or whole pairs (one fold each, at most)."""
    if by == "pair":
        names = list(dict.fromkeys(s.pair for s in situations))
        if len(names) < 2:
            raise InputError(f"only {len(names)} pair: no fold can be left out", remedy="use --by instance")
        order = {name: i % min(folds, len(names)) for i, name in enumerate(names)}
        return np.array([order[s.pair] for s in situations])
    if by != "instance":
        raise InputError(f"folds by {by!r} are not known", remedy="instance or pair")
    if not 2 <= folds <= len(situations):
        raise InputError(f"{len(situations)} references cannot make {folds} folds", remedy="choose fewer folds")
    return np.random.default_rng(seed).permutation(np.arange(len(situations)) % folds)


def _decide(features: FloatArray, used: npt.NDArray[np.bool_], places: IntArray) -> FloatArray:
    """The decision value of every instance from a model that has not seen its fold."""
    decisions = np.empty(len(used))
    for fold in range(int(places.max()) + 1):
        test = places == fold
        if used[~test].all() or not used[~test].any():
            # Nothing to tell apart in training: whatever all of it does is the guess.
            decisions[test] = 1.0 if used[~test].all() else -1.0
            continue
        decisions[test] = _machine(features[~test]).fit(features[~test], used[~test]).decision_function(features[test])
    return decisions


def _machine(features: FloatArray) -> Any:
    with naming_extra():
        from sklearn.svm import SVC

    lengths = float((features**2).sum(axis=1).mean())
    # Unlike LinearSVC, SVC leaves the intercept out of the penalty, as SVM-light does.
    return SVC(kernel="linear", C=1 / lengths if lengths else 1.0)
