"""Agreement of a measure with hearers on the order of pairs of systems.

The meta-evaluation of the WMT metrics tasks since 2024.

*Soft pairwise accuracy* (Thompson, Mathur, Deutsch & Khayrallah 2024) compares one-sided p values of paired permutation
tests, so a pair that people do not distinguish counts little. *Pairwise accuracy with ties* (Deutsch, Foster & Freitag
2023) lets a measure call pairs equal within a threshold that maximises its accuracy; the accuracy of an uninformative
measure under the same choice is reported beside it. Two measures are compared by swapping their standardised scores of
every system and item (PERM-BOTH; Deutsch, Dror & Roth 2021), or their verdicts on pairs; measures without a significant
difference share a rank. All equal google-research/mt-metrics-eval (commit 68a481a) to the last permutation; see
`tests/courtroom/test_pairwise.py`.

Scores are matrices of systems by items. Items without a score of some system are left out; higher is better on both
sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.jobs.progress import ProgressCallback, iterate_silently

BoolArray = npt.NDArray[np.bool_]
PERMUTATIONS, SEED = 1000, 4
"""As in the WMT tasks, whose program fixes the seed: human and measure are permuted by the same signs."""
TIE = 1e-9
NEEDS = "give scores of at least two systems, and at least one item with scores of all systems"


def draw_signs(items: int, permutations: int = PERMUTATIONS, seed: int = SEED) -> FloatArray:
    """Return random rows of +1 and -1, drawn as mt-metrics-eval draws them so that results agree to the digit."""
    drawn = np.random.default_rng(seed).random(size=(permutations, items), dtype=np.float32)
    signs: FloatArray = np.rint(drawn).astype(float) * 2.0 - 1.0
    return signs


def compute_pairwise_p(scores: FloatArray, signs: FloatArray) -> FloatArray:
    """Return one-sided p values that the first system of each pair is better (`numpy.triu_indices` order)."""
    return _compute_p_values(_compute_surplus(scores, signs), _compute_tolerance(scores))


def _compute_surplus(scores: FloatArray, signs: FloatArray) -> FloatArray:
    """Return permuted less observed score sums, by system and permutation.

    System i beats j by chance alone where its surplus is at least that of j.
    """
    more: FloatArray = scores @ signs.T - scores.sum(axis=-1)[..., None]
    return more


def _compute_tolerance(scores: FloatArray) -> float:
    """Return the tolerance within which two sums of scores count as equal."""
    return 1e-12 * float(np.abs(scores).sum(axis=-1).max())


def _compute_p_values(surplus: FloatArray, slack: float) -> FloatArray:
    """Return, for every pair of systems, the proportion of permutations that are as extreme as the observation.

    One system against all later ones at a time keeps the memory small and the rows contiguous.
    """
    systems, permutations = surplus.shape[-2:]
    raised = surplus + slack
    beaten = [
        np.count_nonzero(raised[..., i : i + 1, :] >= surplus[..., i + 1 :, :], axis=-1) for i in range(systems - 1)
    ]
    shares: FloatArray = np.concatenate(beaten, axis=-1) / permutations
    return shares


def compute_soft_pairwise_accuracy(
    human: FloatArray, measure: FloatArray, permutations: int = PERMUTATIONS, seed: int = SEED
) -> float:
    """Return 1 - the mean difference of the two p values over all pairs of systems.

    1 is agreement on every pair and its certainty; .5 is the value of an uninformative measure.
    """
    human, measure = _select_complete_items(human, measure)
    signs = draw_signs(human.shape[1], permutations, seed)
    return float(1 - np.abs(compute_pairwise_p(human, signs) - compute_pairwise_p(measure, signs)).mean())


def _select_complete_items(*matrices: FloatArray) -> list[FloatArray]:
    """Return the matrices with only the items for which every matrix has every system."""
    arrays = [np.asarray(m, dtype=float) for m in matrices]
    if len({a.shape for a in arrays}) != 1 or arrays[0].ndim != 2:
        raise InputError("scores must be matrices of the same systems and items", remedy=NEEDS)
    complete = np.all([np.isfinite(a).all(axis=0) for a in arrays], axis=0)
    if arrays[0].shape[0] < 2 or not complete.any():
        raise InputError("there are no pairs of systems to compare", remedy=NEEDS)
    return [a[:, complete] for a in arrays]


# -- ties ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TiedAccuracy:
    """Accuracy over pairs of systems within items, with the threshold for ties.

    The measure calls two scores equal below the threshold. `chance` is the mean accuracy of uninformative measures with
    the same optimisation, and its 95 % quantile.
    """

    accuracy: float
    threshold: float
    chance: float | None
    chance_high: float | None
    pairs: int


def compute_accuracy_with_ties(
    human: FloatArray, measure: FloatArray, shuffles: int = 200, seed: int = SEED
) -> TiedAccuracy:
    """Return the proportion of pairs that both sides order alike or tie, at the measure's best threshold.

    It is averaged over items. Chance: the measure's scores are permuted among the systems of every item, and
    the threshold is chosen again.
    """
    human, measure = _select_complete_items(human, measure)
    accuracy, threshold = _find_best_threshold(_order_pairs(human), _subtract_pairs(measure))
    dealt = _permute_accuracies(human, measure, shuffles, seed)
    return TiedAccuracy(
        accuracy=accuracy,
        threshold=threshold,
        chance=float(np.mean(dealt)) if dealt else None,
        chance_high=float(np.quantile(dealt, 0.95)) if dealt else None,
        pairs=_subtract_pairs(measure).size,
    )


def _permute_accuracies(human: FloatArray, measure: FloatArray, shuffles: int, seed: int) -> list[float]:
    """Return the accuracies with ties of randomly permuted scores.

    An item's gaps are those of its two scores, so one sort serves all permutations.
    """
    systems, items = measure.shape
    first, second = np.triu_indices(systems, 1)
    people = np.sign(human[first] - human[second])
    tied = people == 0
    sizes, ranks = np.unique(np.abs(measure[first] - measure[second]), return_inverse=True)
    place = np.zeros((systems, systems, items), dtype=np.intp)
    place[first, second] = place[second, first] = ranks.reshape(len(first), items)
    holders, each = np.repeat(np.arange(systems)[:, None], items, axis=1), np.arange(items)
    rng, accuracies = np.random.default_rng(seed), []
    for _ in range(shuffles):
        dealt = rng.permuted(holders, axis=0)
        scores = measure[dealt, each]
        right = people == np.sign(scores[first] - scores[second])
        gains = np.subtract(tied, right, dtype=np.int8).ravel()
        steps = np.bincount(place[dealt[first], dealt[second], each].ravel(), gains, len(sizes))
        best = max(0, int(np.cumsum(steps).max()))
        accuracies.append(float((int(right.sum()) + best) / right.size))
    return accuracies


def _subtract_pairs(scores: FloatArray) -> FloatArray:
    """Return the score differences of all pairs of systems, one row per item."""
    first, second = np.triu_indices(len(scores), 1)
    gaps: FloatArray = (scores[first] - scores[second]).T
    return gaps


def _order_pairs(scores: FloatArray) -> FloatArray:
    """Return the sign of each pair's score difference, one row per item."""
    signs: FloatArray = np.sign(_subtract_pairs(scores))
    return signs


def _find_best_threshold(human: FloatArray, gaps: FloatArray) -> tuple[float, float]:
    """Return the highest accuracy over all thresholds, and the smallest threshold that reaches it.

    Every pair has the same weight, because every item has the same systems. Raising the threshold past a pair's gap
    makes it a tie, which is correct where people tied: one sort by gap and a running sum of gains give the accuracy at
    every threshold.
    """
    sizes = np.abs(gaps).ravel()
    tied = human.ravel() == 0
    right = human.ravel() == np.sign(gaps).ravel()
    order = np.argsort(sizes, kind="stable")
    gained = np.cumsum(tied[order].astype(np.int64) - right[order].astype(np.int64))
    ends = np.flatnonzero(np.append(np.diff(sizes[order]) > 0, True))
    # counts are whole numbers, so the first of equal accuracies is found without any rounding
    hits = np.concatenate([[0], gained[ends]])
    thresholds = np.concatenate([[0.0], sizes[order][ends]])
    best = int(np.argmax(hits))
    return float((int(right.sum()) + int(hits[best])) / len(sizes)), float(thresholds[best])


# -- two measures --------------------------------------------------------------------------------------------------------------


class Difference(NamedTuple):
    """How much better the first measure agrees with hearers than the second, and the one-sided p of that."""

    delta: float
    p: float


def compare_soft_accuracy(
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
    swaps: BoolArray | None = None,
) -> Difference:
    """Compare two measures by PERM-BOTH with soft pairwise accuracy.

    Standardised scores of the two measures are swapped at random for every system and item. `swaps` (permutations,
    systems · items; true: keep) may be given to reproduce other draws.
    """
    human, first, second = _select_complete_items(human, first, second)
    signs = draw_signs(human.shape[1], seed=SEED)
    believed = compute_pairwise_p(human, signs)
    a, b = _standardise(first), _standardise(second)
    slack = _compute_tolerance(np.abs(a) + np.abs(b))
    both = _compute_surplus(a + b, signs)
    observed = _average_soft_agreement(believed, _compute_surplus(a, signs), slack) - _average_soft_agreement(
        believed, _compute_surplus(b, signs), slack
    )
    drawn = _draw_swaps(permutations, a.size, seed) if swaps is None else swaps
    as_far = 0
    for from_first in _split_permutations(drawn, a.shape[0] * len(signs)):
        mixed = _compute_surplus(np.where(from_first.reshape(-1, *a.shape), a, b), signs)
        # a swap moves value from one mixture to the other: the second follows by subtraction
        gaps = _average_soft_agreement(believed, mixed, slack) - _average_soft_agreement(believed, both - mixed, slack)
        as_far += int(np.count_nonzero(gaps >= observed - TIE))
    return Difference(float(observed), as_far / len(drawn))


def _split_permutations(drawn: BoolArray, cells: int) -> Iterator[BoolArray]:
    """Split the permutations into batches that fit into a processor's cache."""
    size = max(1, 400_000 // cells)
    for start in range(0, len(drawn), size):
        yield drawn[start : start + size]


def _average_soft_agreement(believed: FloatArray, surplus: FloatArray, slack: float) -> FloatArray:
    """Return 1 minus the mean distance between two sets of p values of pairs."""
    agreed: FloatArray = 1 - np.abs(believed - _compute_p_values(surplus, slack)).mean(axis=-1)
    return agreed


def _standardise(scores: FloatArray) -> FloatArray:
    """Return scores with mean 0 and standard deviation 1; zeros for a constant measure."""
    spread = float(scores.std())
    away = scores - scores.mean()
    return np.zeros_like(away) if spread <= TIE * float(np.abs(scores).max() or 1.0) else away / spread


@lru_cache(maxsize=2)
def _draw_swaps(permutations: int, size: int, seed: int) -> BoolArray:
    """Return random swaps, cached for all pairs of measures."""
    drawn: BoolArray = (
        np.random.default_rng([seed, 2]).integers(2, size=(permutations, size), dtype=np.int8).astype(bool)
    )
    # Shared by all pairs of measures.
    drawn.flags.writeable = False
    return drawn


def compare_tied_accuracy(
    human: FloatArray,
    first: FloatArray,
    second: FloatArray,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
    swaps: BoolArray | None = None,
) -> Difference:
    """Compare two measures by accuracy with ties, swapping their verdicts on pairs at random.

    A swap reverses the sign of a pair's contribution to the difference, so all permutations are one matrix product.
    `swaps` (permutations, items · pairs; true: keep) may be given to reproduce other draws.
    """
    human, first, second = _select_complete_items(human, first, second)
    people = _order_pairs(human)
    right = [_find_correct_pairs(people, _subtract_pairs(scores)).ravel().astype(float) for scores in (first, second)]
    pull = right[0] - right[1]
    drawn = _draw_swaps(permutations, len(pull), seed) if swaps is None else swaps
    observed = float((pull / len(pull)).sum())
    # Most pairs are right or wrong in both measures and contribute 0; the others contribute ±1, so all sums are
    # integers.
    apart = np.flatnonzero(pull)
    gaps = (2.0 * (drawn[:, apart].astype(float) @ pull[apart]) - pull.sum()) / len(pull)
    return Difference(observed, float((gaps >= observed - TIE).mean()))


def _find_correct_pairs(people: FloatArray, gaps: FloatArray) -> BoolArray:
    """Return which pairs a measure orders correctly at its best threshold."""
    threshold = _find_best_threshold(people, gaps)[1]
    # a gap as large as the threshold is a tie: the threshold is the gap of the last pair that was made one
    called = np.where(np.abs(gaps) <= threshold, 0.0, np.sign(gaps))
    right: BoolArray = called == people
    return right


def rank_clusters(
    values: Mapping[str, float],
    better: Mapping[tuple[str, str], float],
    level: float = 0.05,
    progress: ProgressCallback = iterate_silently,
) -> dict[str, int]:
    """Rank measures so that those without a significant difference share a rank.

    A new rank begins where a measure is significantly worse than some measure of the present rank (as in the
    WMT tasks). `better` maps a pair (better, worse) by value to the p value that the first is better.
    """
    order: Sequence[str] = sorted(values, key=lambda name: (-values[name], name))
    ranks: dict[str, int] = {}
    rank, start = 1, 0
    for i, name in enumerate(progress(order, "measures ranked")):
        if any(better[other, name] <= level for other in order[start:i]):
            rank, start = rank + 1, i
        ranks[name] = rank
    return ranks
