"""The conditional logit: learning to choose among the entities of a scene (McFadden 1974).

The score of an entity is linear in the weights, and exponentials turn a scene's scores into probabilities, so the
penalised likelihood has one maximum. L-BFGS starts from zero: without random initialisation, the same data give the
same listener.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.hearers.word_features import Lesson

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Places = npt.NDArray[np.int64]


def find_scene_starts(sizes: Iterable[int]) -> Places:
    """Return the index at which each scene begins among all entities in a row, and the end of the last one."""
    return np.fromiter(accumulate(sizes, initial=0), dtype=np.int64)


def make_target_distribution(lessons: Iterable[Lesson]) -> FloatArray:
    """Return the target distribution over the entities of all scenes in a row: uniform over each scene's targets."""
    rows = [
        float(place in lesson.meant) / len(set(lesson.meant))
        for lesson in lessons
        for place in range(len(lesson.scene.entities))
    ]
    return np.array(rows)


def make_summing_matrix(starts: Places) -> csr_array:
    """Return a matrix with one row per scene and one column per entity that sums rows of entities, weighted by `data`,
    within scenes.

    An entity's column is in `indices`. A scene's first entity comes last, in numpy's order of summation, so that digits
    equal those of `reduceat`.
    """
    from scipy.sparse import csr_array

    order = np.arange(1, starts[-1] + 1)
    order[starts[1:] - 1] = starts[:-1]
    return csr_array((np.ones(len(order)), order, starts), shape=(len(starts) - 1, len(order)))


def normalise_within_scenes(scores: FloatArray, starts: Places) -> FloatArray:
    """Convert scores of all entities in a row to probabilities within each scene; every scene has an entity."""
    shares: FloatArray = np.exp(_compute_log_probabilities(scores, starts))
    return shares


def _compute_log_probabilities(scores: FloatArray, starts: Places) -> FloatArray:
    """Return the log probabilities of entities within scenes from their scores."""
    sizes = np.diff(starts)
    # The highest score of a scene becomes 0: no exponential overflows, and one at least is 1.
    lowered = scores - np.repeat(np.maximum.reduceat(scores, starts[:-1]), sizes)
    logs: FloatArray = lowered - np.repeat(np.log(np.add.reduceat(np.exp(lowered), starts[:-1])), sizes)
    return logs


def learn(
    score: Callable[[FloatArray], FloatArray],
    blame: Callable[[FloatArray], FloatArray],
    size: int,
    starts: Places,
    goal: FloatArray,
    penalty: float,
    iterations: int,
) -> FloatArray:
    """Return the weights that make the goal most probable, with the penalty ``penalty/2 · |weights|²``.

    `score` turns weights into the scores of all entities in a row; `blame` is its transpose, from entities back to weights.
    """
    from scipy.optimize import minimize

    def compute_loss(weights: FloatArray) -> tuple[float, FloatArray]:
        """Return the penalised negative log likelihood of the weights, and its gradient."""
        logs = _compute_log_probabilities(score(weights), starts)
        value = -float(goal @ logs) + penalty / 2 * float(weights @ weights)
        return value, blame(np.exp(logs) - goal) + penalty * weights

    optimum = minimize(compute_loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": iterations})
    weights: FloatArray = optimum.x
    return weights
