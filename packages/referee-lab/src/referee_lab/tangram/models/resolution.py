"""Resolves references.

A ranking support vector machine over the pieces, also used as a simulated overhearer (Iida, Kobayashi & Tokunaga
2010).

Each pair of the referent and another piece becomes the difference of their 22 features; a linear machine with c = 1.0
separates these. There is one model for pronouns and one for other forms, or one for all. Scores become probabilities
with a sharpness that maximises the likelihood of the training data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import NotTrained, naming_extra
from referee.jobs.progress import ProgressCallback
from referee_lab.tangram.models.candidates import (
    ACTION_NAMES,
    CANDIDATE_NAMES,
    DISCOURSE_NAMES,
    OPERATION_NAMES,
    compute_candidate_features,
)
from referee_lab.tangram.models.demonstratives import fold_places
from referee_lab.tangram.models.history import Situation

FEATURE_SETS: Mapping[str, tuple[str, ...]] = {
    "discourse": DISCOURSE_NAMES,
    "+ action history": (*DISCOURSE_NAMES, *ACTION_NAMES),
    "+ current operation": (*DISCOURSE_NAMES, *OPERATION_NAMES),
    "+ both": CANDIDATE_NAMES,
}
# Iida, Kobayashi & Tokunaga 2010, table 3: 2,035 expressions, 1,018 pronouns.
PUBLISHED_ACCURACY: Mapping[str, Mapping[str, float]] = {
    "separate models": dict(zip(FEATURE_SETS, (0.664, 0.790, 0.685, 0.780), strict=True)),
    "pronouns": dict(zip(FEATURE_SETS, (0.648, 0.886, 0.692, 0.875), strict=True)),
    "others": dict(zip(FEATURE_SETS, (0.680, 0.694, 0.678, 0.684), strict=True)),
    "one model": dict(zip(FEATURE_SETS, (0.664, 0.749, 0.650, 0.743), strict=True)),
}
C = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Accuracy:
    """Share of expressions whose referent is ranked first; k pieces that tie for rank 1 count 1/k each."""

    model: str
    features: str
    value: float | None
    n: int


class ReferenceResolver:
    """Ranks the pieces for an expression; `fit` on situations first."""

    def __init__(self, features: Sequence[str] = CANDIDATE_NAMES, separate: bool = True) -> None:
        self.features = tuple(features)
        self.separate = separate

    def fit(self, situations: Sequence[Situation]) -> ReferenceResolver:
        """Train the ranking machine and the sharpness of its probabilities."""
        rows = [self._make_feature_rows(s) for s in situations]
        places = [_get_target_rank(s) for s in situations]
        self.weights_: dict[bool, FloatArray] = {}
        for pronoun in (True, False):
            chosen = [i for i, s in enumerate(situations) if not self.separate or s.pronoun == pronoun]
            self.weights_[pronoun] = _fit_weights(rows, places, chosen, len(self.features))
        scores = [r @ self.weights_[s.pronoun] for r, s in zip(rows, situations, strict=True)]
        self.sharpness_ = _fit_sharpness(scores, places)
        return self

    def scores(self, situation: Situation, *, text: str | None = None, pronoun: bool | None = None) -> FloatArray:
        """Return one score per piece, in the order of the situation's pieces.

        For `text` in place of the expression, if given.
        """
        if not hasattr(self, "weights_"):
            raise NotTrained(self)
        kind = situation.pronoun if pronoun is None else pronoun
        values: FloatArray = self._make_feature_rows(situation, text=text, pronoun=pronoun) @ self.weights_[kind]
        return values

    def probabilities(
        self, situation: Situation, *, text: str | None = None, pronoun: bool | None = None
    ) -> tuple[tuple[str, float], ...]:
        """Return the probabilities of the pieces for an overhearer."""
        scores = self.sharpness_ * self.scores(situation, text=text, pronoun=pronoun)
        # Minus the highest score, so that no exponential overflows.
        shares = np.exp(scores - scores.max())
        return tuple(zip(situation.standings, map(float, shares / shares.sum()), strict=True))

    def _make_feature_rows(self, situation: Situation, **swap: Any) -> FloatArray:
        features = [compute_candidate_features(situation, piece, **swap) for piece in situation.standings]
        return np.array([[row[name] for name in self.features] for row in features])


def learn_ranking(rows: Sequence[FloatArray], places: Sequence[int]) -> FloatArray:
    """Return the weights of the pairwise machine from a table of candidates per choice and the index of the right one."""
    with naming_extra():
        from sklearn.svm import LinearSVC

    gaps = np.concatenate([row[place] - np.delete(row, place, axis=0) for row, place in zip(rows, places, strict=True)])
    # Both ways round: two classes of equal size, and by symmetry no intercept.
    both = np.concatenate([gaps, -gaps])
    sides = np.repeat([1, -1], len(gaps))
    machine = LinearSVC(C=C, fit_intercept=False, dual=False).fit(both, sides)
    weights: FloatArray = machine.coef_[0]
    return weights


def _fit_weights(rows: Sequence[FloatArray], places: Sequence[int], chosen: Sequence[int], width: int) -> FloatArray:
    """Return weights from some of the choices; zeros if there are none."""
    return learn_ranking([rows[i] for i in chosen], [places[i] for i in chosen]) if chosen else np.zeros(width)


def _get_target_rank(situation: Situation) -> int:
    """Return the position of the target in the ranking of a situation."""
    return list(situation.standings).index(situation.target)


def _fit_sharpness(scores: Sequence[FloatArray], places: Sequence[int]) -> float:
    """Return the factor on scores that gives the referents the highest probability."""
    from scipy.optimize import minimize_scalar
    from scipy.special import logsumexp

    width = max(map(len, scores))
    # Dialogues differ in their number of candidates; minus infinity adds nothing to a sum of exponentials.
    table = np.array([np.pad(s, (0, width - len(s)), constant_values=-np.inf) for s in scores])
    taken = table[np.arange(len(table)), places]

    def compute_loss(log_factor: float) -> float:
        factor = np.exp(log_factor)
        return float((logsumexp(factor * table, axis=1) - factor * taken).sum())

    return float(np.exp(minimize_scalar(compute_loss, bounds=(-5.0, 5.0), method="bounded").x))


# -- how well it does ----------------------------------------------------------------------------------------------------------


def evaluate_resolvers(
    situations: Sequence[Situation],
    *,
    folds: int = 10,
    by: str = "instance",
    seed: int = 1,
    train: Sequence[Situation] = (),
    watch: ProgressCallback | None = None,
) -> list[Accuracy]:
    """Return the accuracy of separate models, their pronouns and others, and one joint model, for every feature set.

    With `train` the weights are learned there, and all situations are tested; otherwise they are tested fold by fold.
    """
    fold = fold_places(situations, folds, by, seed) if not train else np.zeros(len(situations), dtype=np.int64)
    # A fold that is never left out.
    fold = np.concatenate([np.full(len(train), -1, dtype=np.int64), fold])
    situations = [*train, *situations]
    is_tested = fold >= 0
    pronoun = np.array([s.pronoun for s in situations], dtype=bool)
    everything = np.ones(len(situations), dtype=bool)
    whole = ReferenceResolver()
    rows, places = [whole._make_feature_rows(s) for s in situations], [_get_target_rank(s) for s in situations]
    accuracies = []
    sets = list(FEATURE_SETS.items())
    for name, features in sets if watch is None else watch(sets, "sets of features"):
        columns = [CANDIDATE_NAMES.index(f) for f in features]
        part = [row[:, columns] for row in rows]
        apart = np.where(
            pronoun,
            _cross_validate_hits(part, places, fold, pronoun),
            _cross_validate_hits(part, places, fold, ~pronoun),
        )
        together = _cross_validate_hits(part, places, fold, everything)
        lines = (("separate models", apart, everything), ("pronouns", apart, pronoun))
        for model, hits, mask in (*lines, ("others", apart, ~pronoun), ("one model", together, everything)):
            tested = mask & is_tested
            value = float(hits[tested].mean()) if tested.any() else None
            accuracies.append(Accuracy(model=model, features=name, value=value, n=int(tested.sum())))
    return accuracies


def _cross_validate_hits(
    rows: Sequence[FloatArray], places: Sequence[int], fold: npt.NDArray[np.int64], mask: npt.NDArray[np.bool_]
) -> FloatArray:
    """Return the hits on the masked instances of every fold, with weights from the other folds."""
    hits = np.zeros(len(rows))
    for left_out in range(int(fold.max()) + 1):
        train = np.flatnonzero(mask & (fold != left_out)).tolist()
        weights = _fit_weights(rows, places, train, rows[0].shape[1])
        for i in np.flatnonzero(mask & (fold == left_out)).tolist():
            scores = rows[i] @ weights
            # Yes/no features tie often, and their weights are added in different orders.
            first = np.isclose(scores, scores.max())
            hits[i] = first[places[i]] / first.sum()
    return hits
