"""Predicts demonstrative pronouns.

A linear support vector machine on features of the situation, with baselines (Spanger et al. 2013, section 4).

The parameter c is SVM-light's default, one over the mean squared length of the instances. The published scheme is
tenfold cross-validation over instances; by pair, no speaker is in both training and test, which is the honest variant.
Confusions are summed over folds. Intervals of F leave out one pair at a time (`statistics.dependent_trials`): the
sampling units are pairs, not references, and there are few of them. Models are not retrained without the pair, so the
interval is about new pairs for these models.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError, naming_extra
from referee.jobs.progress import report_progress
from referee.statistics.dependent_trials import Clusters, Gap, compare_clustered, spread
from referee_lab.tangram.models.history import CATEGORIES, Situation, encode_target

IntArray = npt.NDArray[np.int64]

RECENT, ALWAYS, CURSOR, ALL = "most recently mentioned", "always a pronoun", "cursor over target", "all features"
WEIGHTS = ("equal", "balanced")
# With fewer pairs a difference has an interval and no star: t with so few degrees of freedom rests on one or two pairs.
FEWEST_PAIRS = 6
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
        """Return the confusion of predictions with use."""
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
        return _compute_share(self.tp, self.tp + self.fp)

    @property
    def recall(self) -> float | None:
        return _compute_share(self.tp, self.tp + self.fn)

    @property
    def f(self) -> float | None:
        return _compute_share(2 * self.tp, 2 * self.tp + self.fp + self.fn)

    @property
    def accuracy(self) -> float | None:
        return _compute_share(self.tp + self.tn, self.n)


def _compute_share(part: int, whole: int) -> float | None:
    """Return a part as a proportion of the whole; None if the whole is 0."""
    return part / whole if whole else None


# Printed or derived from print: the classifier (P, R from P and F, F), always-DP on 548 of 1,242, the cursor alone on 452 + 155 of 1,241.
PUBLISHED: Mapping[str, tuple[float, float, float]] = {
    ALL: (0.664, 0.811, 0.730),
    ALWAYS: (0.441, 1.0, 0.612),
    CURSOR: (0.745, 0.825, 0.783),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierRow:
    """One classifier and its performance.

    `low` and `high` are the interval of F for new pairs (None with one pair, or if F is undefined).

    `never` names the classes that it never predicted although they occur; `gap` is the difference of its F from the
    model with all features.
    """

    name: str
    confusion: Confusion
    learned: bool
    low: float | None = None
    high: float | None = None
    gap: Gap | None = None

    @property
    def never(self) -> tuple[str, ...]:
        """The classes that occur but were never predicted."""
        c = self.confusion
        missing = (("pronoun", c.tp + c.fp, c.tp + c.fn), ("other", c.tn + c.fn, c.tn + c.fp))
        return tuple(name for name, suggested, occurring in missing if occurring and not suggested)


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
        """Return TP, FN, FP or TN of a situation under the model with all features."""
        used, suggested = self.situations[place].pronoun, self.decisions[place] > 0
        return ("TP" if suggested else "FN") if used else ("FP" if suggested else "TN")

    def find_false_positives(self, n: int = 10) -> list[tuple[float, Situation]]:
        """Return the most confident false positives: the speaker used another form."""
        wrong = [
            (self.decisions[i], self.situations[i]) for i in range(len(self.situations)) if self.category(i) == "FP"
        ]
        return sorted(wrong, key=lambda pair: (-pair[0], pair[1].id))[:n]


def make_feature_matrix(situations: Sequence[Situation], categories: Sequence[str] = CATEGORIES) -> FloatArray:
    """Return one row of features for every situation."""
    return np.array([list(encode_target(s, categories).values()) for s in situations], dtype=np.float64)


def classify(
    situations: Sequence[Situation],
    *,
    folds: int = 10,
    by: str = "instance",
    seed: int = 1,
    weights: str = "equal",
    threshold: float = 0.0,
) -> Classification:
    """Evaluate baselines, the model with all features, and the model without each category."""
    used = _find_pronouns(situations)
    places = fold_places(situations, folds, by, seed)

    def decide(rows: FloatArray) -> FloatArray:
        """Return the cross-validated decision values of the rows."""
        return _compute_decisions(rows, used, places, weights)

    return _predict_by_folds(situations, used, decide, int(places.max()) + 1, by, threshold)


def classify_new(
    train: Sequence[Situation], test: Sequence[Situation], *, weights: str = "equal", threshold: float = 0.0
) -> Classification:
    """Return the same rows for dialogues from another source than the training data."""
    learned, used = _find_pronouns(train), np.array([s.pronoun for s in test], dtype=bool)
    if not len(used):
        raise InputError("nothing to test on", remedy="give dialogues with references to one piece")
    both = [*train, *test]

    def decide(rows: FloatArray) -> FloatArray:
        """Return the decision values of the new rows from a classifier of the training rows."""
        seen, new = rows[: len(train)], rows[len(train) :]
        decisions: FloatArray = _make_classifier(seen, weights).fit(seen, learned).decision_function(new)
        return decisions

    return _predict_by_folds(test, used, decide, 0, "source", threshold, both)


def _find_pronouns(situations: Sequence[Situation]) -> npt.NDArray[np.bool_]:
    """Return which references are pronouns. Raises InputError if all or none are."""
    used = np.array([s.pronoun for s in situations], dtype=bool)
    if used.all() or not used.any():
        raise InputError(
            f"{int(used.sum())} of {len(used)} references are pronouns: there is nothing to tell apart",
            remedy="give dialogues with pronouns and other references (attribute dpr)",
        )
    return used


def _predict_by_folds(
    situations: Sequence[Situation],
    used: npt.NDArray[np.bool_],
    decide: Callable[[FloatArray], FloatArray],
    folds: int,
    by: str,
    threshold: float,
    rows_of: Sequence[Situation] | None = None,
) -> Classification:
    """Return the cross-validated predictions of a classifier."""
    models = {ALL: CATEGORIES, **{f"without {c}": tuple(d for d in CATEGORIES if d != c) for c in CATEGORIES}}
    fitted = report_progress(models.items(), "models")
    values = {
        name: decide(make_feature_matrix(rows_of or situations, categories)) - threshold for name, categories in fitted
    }
    suggested = {name: np.array([rule(s) for s in situations], dtype=bool) for name, rule in BASELINES.items()}
    suggested |= {name: decisions > 0 for name, decisions in values.items()}
    pairs = np.array([s.pair for s in situations])
    pointed = np.array([s.has_pointer for s in situations], dtype=bool)
    rows = []
    for name in report_progress(suggested, "intervals over pairs"):
        # The cursor says something only where it was recorded.
        chosen = pointed if name == CURSOR else np.ones(len(used), dtype=bool)
        if chosen.any():
            columns = (used[chosen], suggested[name][chosen], suggested[ALL][chosen])
            clusters = Clusters.of({"pair": pairs[chosen].tolist()})
            rows.append(_make_classifier_row(name, *columns, clusters, name in models))
        else:
            rows.append(ClassifierRow(name=name, confusion=Confusion(tp=0, fn=0, fp=0, tn=0), learned=False))
    return Classification(
        rows=tuple(rows),
        situations=tuple(situations),
        decisions=tuple(map(float, values[ALL])),
        folds=folds,
        by=by,
    )


def _make_classifier_row(
    name: str,
    used: npt.NDArray[np.bool_],
    suggested: npt.NDArray[np.bool_],
    model: npt.NDArray[np.bool_],
    pairs: Clusters,
    learned: bool,
) -> ClassifierRow:
    """Return the row of a classifier with its confusion and intervals."""
    counts = _count_hits(used, suggested)
    estimate = spread(counts, _compute_f, pairs, limits=(0.0, 1.0))
    gap = None if name == ALL else compare_clustered(counts, _count_hits(used, model), _compute_f, pairs)
    # A rule that never hits has the same F without any pair: that is no sign of certainty.
    low, high = (None if isnan(v) or estimate.error == 0 else v for v in (estimate.low, estimate.high))
    confusion = Confusion.of(used, suggested)
    return ClassifierRow(name=name, confusion=confusion, learned=learned, low=low, high=high, gap=gap)


def _count_hits(used: npt.NDArray[np.bool_], suggested: npt.NDArray[np.bool_]) -> FloatArray:
    """Return the hits and the terms of F's denominator: pronouns used and pronouns predicted."""
    return np.column_stack([used & suggested, used, suggested]).astype(float)


def _compute_f(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """Return F from total counts; NaN where undefined."""
    whole = totals[..., 1] + totals[..., 2]
    f: FloatArray = np.divide(2 * totals[..., 0], whole, out=np.full(np.shape(whole), np.nan), where=whole > 0)
    return f


def fold_places(situations: Sequence[Situation], folds: int, by: str, seed: int) -> IntArray:
    """Return the fold of every situation: shuffled instances, or whole pairs (one fold each, at most)."""
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


def _compute_decisions(features: FloatArray, used: npt.NDArray[np.bool_], places: IntArray, weights: str) -> FloatArray:
    """Return the decision value of every instance from a model that has not seen its fold."""
    decisions = np.empty(len(used))
    for fold in range(int(places.max()) + 1):
        test = places == fold
        if used[~test].all() or not used[~test].any():
            # Nothing to tell apart in training: whatever all of it does is the guess.
            decisions[test] = 1.0 if used[~test].all() else -1.0
            continue
        machine = _make_classifier(features[~test], weights).fit(features[~test], used[~test])
        decisions[test] = machine.decision_function(features[test])
    return decisions


def train_classifier(features: FloatArray, used: npt.NDArray[np.bool_]) -> Any:
    """Return the support vector machine, trained; its decision value is above 0 where it suggests a pronoun."""
    return _make_classifier(features, "equal").fit(features, used)


def _make_classifier(features: FloatArray, weights: str) -> Any:
    """Return a linear support vector machine with SVM-light's default c."""
    if weights not in WEIGHTS:
        raise InputError(f"class weights {weights!r} are not known", remedy=f"one of {', '.join(WEIGHTS)}")
    with naming_extra():
        from sklearn.svm import SVC

    lengths = float((features**2).sum(axis=1).mean())
    # Unlike LinearSVC, SVC leaves the intercept out of the penalty, as SVM-light does.
    balance = "balanced" if weights == "balanced" else None
    return SVC(kernel="linear", C=1 / lengths if lengths else 1.0, class_weight=balance)
