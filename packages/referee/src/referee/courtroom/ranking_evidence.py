"""Ranking of measures by agreement with hearers.

The meta-evaluation of the WMT metrics tasks (`pairwise`), on success item by item.

One matrix of systems by items has the share of correct answers, another one a measure's scores, oriented so that higher
is better. Items without either for some system are left out. Measures without a significant difference share a rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.pairwise import (
    Difference,
    compare_soft_accuracy,
    compare_tied_accuracy,
    compute_accuracy_with_ties,
    compute_pairwise_p,
    compute_soft_pairwise_accuracy,
    draw_signs,
    rank_clusters,
)
from referee.jobs.progress import ProgressCallback, iterate_silently

NEEDS_ITEMS = "needs items"
NO_ITEMS = "no items that all systems share"
CONSTANT = "does not vary"
LEVEL = 0.05
SHUFFLES = 100
Compare = Callable[..., Difference]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingEvidence:
    """How well one measure orders pairs of systems by one hearer's success.

    Ranks begin with 1 and are shared by measures that a permutation test does not distinguish. `soft_chance` and
    `chance` are the values of an uninformative measure. Accuracies are None if `reason` is given.
    """

    automatic: str
    hearer: str
    systems: int
    items: int
    soft_accuracy: float | None = None
    soft_chance: float | None = None
    soft_rank: int | None = None
    tied_accuracy: float | None = None
    threshold: float | None = None
    chance: float | None = None
    chance_high: float | None = None
    tied_rank: int | None = None
    reason: str = ""


def rank_measures(
    hearer: str,
    human: FloatArray,
    measures: Mapping[str, FloatArray],
    permutations: int = 200,
    seed: int = 1,
    progress: ProgressCallback = iterate_silently,
) -> list[RankingEvidence]:
    """Rank all measures by agreement with one hearer's success (systems by items, NaN without answers).

    Measures are oriented so that higher is better. Only items with values of every measure and the hearer are used, so
    that measures are compared on the same items.
    """
    reasons = {name: _explain_unrankable(human, matrix) for name, matrix in measures.items()}
    rankable = {name: matrix for name, matrix in measures.items() if not reasons[name]}
    complete = np.all([np.isfinite(m).all(axis=0) for m in (human, *rankable.values())], axis=0)
    systems, items = len(human), int(complete.sum())
    if not items or not rankable:
        return [_make_unranked(n, hearer, systems, reasons[n] or NO_ITEMS) for n in measures]
    human, rankable = human[:, complete], {name: matrix[:, complete] for name, matrix in rankable.items()}
    soft = {name: compute_soft_pairwise_accuracy(human, matrix) for name, matrix in rankable.items()}
    tied = {name: compute_accuracy_with_ties(human, matrix, shuffles=SHUFFLES) for name, matrix in rankable.items()}
    tied_values = {name: accuracy.accuracy for name, accuracy in tied.items()}
    soft_ranks = _rank_by_accuracy(human, rankable, soft, compare_soft_accuracy, permutations, seed, progress)
    tied_ranks = _rank_by_accuracy(human, rankable, tied_values, compare_tied_accuracy, permutations, seed, progress)
    by_chance = expect_soft_accuracy(human)
    ranked = {
        name: RankingEvidence(
            automatic=name,
            hearer=hearer,
            systems=systems,
            items=items,
            soft_accuracy=soft[name],
            soft_chance=by_chance,
            soft_rank=soft_ranks[name],
            tied_accuracy=accuracy.accuracy,
            threshold=accuracy.threshold,
            chance=accuracy.chance,
            chance_high=accuracy.chance_high,
            tied_rank=tied_ranks[name],
        )
        for name, accuracy in tied.items()
    }
    return [ranked.get(name) or _make_unranked(name, hearer, systems, reasons[name]) for name in measures]


def _make_unranked(name: str, hearer: str, systems: int, reason: str) -> RankingEvidence:
    """Return the evidence of a measure that cannot be ranked, with the reason."""
    return RankingEvidence(automatic=name, hearer=hearer, systems=systems, items=0, reason=reason)


def _explain_unrankable(human: FloatArray, matrix: FloatArray) -> str:
    """Return why a measure cannot be ranked: no common items, or constant scores; empty if it can.

    One that never varies ties all systems, which is no knowledge, but is paid for where hearers tie them, too.
    """
    complete = np.isfinite(human).all(axis=0) & np.isfinite(matrix).all(axis=0)
    if len(human) < 2 or not complete.any():
        return NO_ITEMS
    scores = matrix[:, complete]
    return CONSTANT if float(np.ptp(scores)) <= 1e-12 * float(np.abs(scores).max()) else ""


def expect_soft_accuracy(human: FloatArray) -> float:
    """Return the expected soft pairwise accuracy of an uninformative measure.

    Its p values are uniform, and their mean distance from p is p² - p + 1/2.
    """
    p = compute_pairwise_p(human, draw_signs(human.shape[1]))
    return float(1 - (p * p - p + 0.5).mean())


class _Lazily(dict[tuple[str, str], float]):
    """p values of pairs of measures, found when they are asked for.

    Ranks need few of all pairs, and each costs a thousand permutations.
    """

    def __init__(self, find: Callable[[str, str], float]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, pair: tuple[str, str]) -> float:
        self[pair] = self.find(*pair)
        return self[pair]


def _rank_by_accuracy(
    human: FloatArray,
    measures: Mapping[str, FloatArray],
    values: Mapping[str, float],
    compare: Compare,
    permutations: int,
    seed: int,
    progress: ProgressCallback,
) -> dict[str, int]:
    """Return the ranks of measures by one kind of accuracy."""

    def find(better: str, worse: str) -> float:
        return compare(human, measures[better], measures[worse], permutations, seed).p

    return rank_clusters(values, _Lazily(find), LEVEL, progress)


def make_matrix(rows: Sequence[str], items: Sequence[str], values: Mapping[tuple[str, str], float]) -> FloatArray:
    """Return values by row and item as a matrix, NaN where there is none."""
    return np.array([[values.get((row, item), np.nan) for item in items] for row in rows]).reshape(
        len(rows), len(items)
    )
