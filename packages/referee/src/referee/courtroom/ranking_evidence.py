"""Which measure ranks systems as hearers do? The meta-evaluation of the WMT metrics tasks (`pairwise`), on success item by item.

A matrix of systems by items holds the share of answers that found the referent, another one what a measure gave, turned so that more is better. Items that lack
either for any system are left out. Measures that cannot be told apart share a rank.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.pairwise import (
    Difference,
    accuracy_with_ties,
    compare_soft_accuracy,
    compare_tied_accuracy,
    draw_signs,
    pairwise_p,
    rank_clusters,
    soft_pairwise_accuracy,
)
from referee.jobs.progress import ProgressCallback, without_progress

__all__ = ["NEEDS_ITEMS", "RankingEvidence", "as_matrix", "rank_measures", "soft_chance"]

NEEDS_ITEMS = "needs items"
NO_ITEMS = "no items that all systems share"
CONSTANT = "does not vary"
LEVEL = 0.05
SHUFFLES = 100
Compare = Callable[..., Difference]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingEvidence:
    """How one measure orders pairs of systems, against one hearer's success; ranks begin with 1 and are shared by measures that a permutation test does not
    tell apart. `soft_chance` and `chance` are what a measure without any information gets. Accuracies are None where `reason` says why."""

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
    progress: ProgressCallback = without_progress,
) -> list[RankingEvidence]:
    """All measures against one hearer's success (systems by items, NaN where nobody answered); measures are turned so that more is better.

    Only items that every measure and the hearer have are used, so that measures are compared on the same ones.
    """
    reasons = {name: _why_not(human, matrix) for name, matrix in measures.items()}
    rankable = {name: matrix for name, matrix in measures.items() if not reasons[name]}
    complete = np.all([np.isfinite(m).all(axis=0) for m in (human, *rankable.values())], axis=0)
    systems, items = len(human), int(complete.sum())
    if not items or not rankable:
        return [_unranked(n, hearer, systems, reasons[n] or NO_ITEMS) for n in measures]
    human, rankable = human[:, complete], {name: matrix[:, complete] for name, matrix in rankable.items()}
    soft = {name: soft_pairwise_accuracy(human, matrix) for name, matrix in rankable.items()}
    tied = {name: accuracy_with_ties(human, matrix, shuffles=SHUFFLES) for name, matrix in rankable.items()}
    tied_values = {name: accuracy.accuracy for name, accuracy in tied.items()}
    soft_ranks = _ranks(human, rankable, soft, compare_soft_accuracy, permutations, seed, progress)
    tied_ranks = _ranks(human, rankable, tied_values, compare_tied_accuracy, permutations, seed, progress)
    by_chance = soft_chance(human)
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
    return [ranked.get(name) or _unranked(name, hearer, systems, reasons[name]) for name in measures]


def _unranked(name: str, hearer: str, systems: int, reason: str) -> RankingEvidence:
    return RankingEvidence(automatic=name, hearer=hearer, systems=systems, items=0, reason=reason)


def _why_not(human: FloatArray, matrix: FloatArray) -> str:
    """Why a measure cannot be ranked. One that never varies ties all systems, which is no knowledge, but is paid for where hearers tie them, too."""
    complete = np.isfinite(human).all(axis=0) & np.isfinite(matrix).all(axis=0)
    if len(human) < 2 or not complete.any():
        return NO_ITEMS
    scores = matrix[:, complete]
    return CONSTANT if float(np.ptp(scores)) <= 1e-12 * float(np.abs(scores).max()) else ""


def soft_chance(human: FloatArray) -> float:
    """The soft pairwise accuracy to expect of a measure that knows nothing: its p values are uniform, and the mean distance of p from those is p² - p + 1/2."""
    p = pairwise_p(human, draw_signs(human.shape[1]))
    return float(1 - (p * p - p + 0.5).mean())


class _Lazily(dict[tuple[str, str], float]):
    """p values of pairs of measures, found when they are asked for: ranks need few of all pairs, and each costs a thousand permutations."""

    def __init__(self, find: Callable[[str, str], float]) -> None:
        super().__init__()
        self.find = find

    def __missing__(self, pair: tuple[str, str]) -> float:
        self[pair] = self.find(*pair)
        return self[pair]


def _ranks(
    human: FloatArray,
    measures: Mapping[str, FloatArray],
    values: Mapping[str, float],
    compare: Compare,
    permutations: int,
    seed: int,
    progress: ProgressCallback,
) -> dict[str, int]:
    def find(better: str, worse: str) -> float:
        return compare(human, measures[better], measures[worse], permutations, seed).p

    return rank_clusters(values, _Lazily(find), LEVEL, progress)


def as_matrix(rows: Sequence[str], items: Sequence[str], values: Mapping[tuple[str, str], float]) -> FloatArray:
    """Values by row and item as a matrix, NaN where there is none."""
    return np.array([[values.get((row, item), np.nan) for item in items] for row in rows]).reshape(
        len(rows), len(items)
    )
