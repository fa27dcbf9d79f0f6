"""Random-effects meta-analysis.

One effect in several experiments, its mean, its spread, and the prediction for a new experiment.

Variance between experiments: the estimate of Paule & Mandel (1982), as in R's metafor (`method="PM"`). Intervals do not
rest on that one value. They average over the confidence distribution of the variance, which is that of the generalised
Q statistic (Viechtbauer 2007; Nagashima, Noma & Furukawa 2019): with few experiments an interval at one estimate, such
as Hartung and Knapp's, covers a new experiment too seldom (`benchmarks/pooled_coverage.py`). With a stated size the
sampling error of the new estimate is added.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from referee.contracts import FloatArray

LEAST = 3
"""Fewest experiments for a prediction interval: two hardly determine their spread."""
_QUANTILES = 200
"""Variances that represent the confidence distribution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pooled:
    """The pooled effect of several experiments.

    The mean with its interval, the prediction interval of a new experiment, and the spread between experiments (None: too few
    experiments).


    `heterogeneity` is the standard deviation between experiments (tau), `n` the number of experiments.
    """

    n: int
    effect: float | None = None
    low: float | None = None
    high: float | None = None
    new_low: float | None = None
    new_high: float | None = None
    heterogeneity: float | None = None
    p: float | None = None


def standard_error(low: float, high: float, confidence: float = 0.95) -> float:
    """Return the standard error behind a symmetric interval of a large sample."""
    from scipy.special import ndtri

    return float((high - low) / (2 * ndtri((1 + confidence) / 2)))


def pool(
    effects: Iterable[float],
    errors: Iterable[float],
    *,
    new_error: float = 0.0,
    null: float = 0.0,
    limits: tuple[float, float] | None = None,
    confidence: float = 0.95,
) -> Pooled:
    """Pool the effects of several experiments into a mean with its interval and a prediction interval.

    Args:
        effects: one a experiment.
        errors: their standard errors.
        new_error: the standard error of the estimate that is predicted; 0 predicts the true effect of a new experiment.
        null: the effect that p is about.
        limits: the range of the effect, to which intervals are cut.
        confidence: of both intervals.
    """
    y, se = np.array(list(effects), dtype=float), np.array(list(errors), dtype=float)
    if len(y) < LEAST:
        return Pooled(n=len(y), effect=float(y.mean()) if len(y) else None)
    from scipy.special import chdtri, ndtr

    variances, df = np.maximum(se**2, 1e-12), len(y) - 1
    tau2 = float(find_between_variances(y, variances, np.array([df]))[0])
    weights = 1 / (variances + tau2)
    levels = chdtri(df, (np.arange(_QUANTILES) + 0.5) / _QUANTILES)
    spreads = find_between_variances(y, variances, levels)
    means, of_means = _compute_weighted_means(y, variances, spreads)

    def bounds(extra: FloatArray | float) -> tuple[float, float]:
        """Return the interval of the mixture, cut to the limits."""
        low, high = (
            _find_mixture_quantile(means, np.sqrt(of_means + extra), q)
            for q in ((1 - confidence) / 2, (1 + confidence) / 2)
        )
        return (low, high) if limits is None else (max(low, limits[0]), min(high, limits[1]))

    low, high = bounds(0.0)
    new_low, new_high = bounds(spreads + new_error**2)
    below = float(ndtr((null - means) / np.sqrt(of_means)).mean())
    return Pooled(
        n=len(y),
        effect=float(weights @ y / weights.sum()),
        low=low,
        high=high,
        new_low=new_low,
        new_high=new_high,
        heterogeneity=sqrt(tau2),
        p=2 * min(below, 1 - below),
    )


def find_between_variances(y: FloatArray, variances: FloatArray, levels: FloatArray) -> FloatArray:
    """Return the between-experiment variances at which the generalised Q statistic has these levels.

    A variance is 0 where the statistic stays below its level.

    The level k - 1 gives the estimate of Paule & Mandel; quantiles of chi-square with k - 1 degrees of freedom give its
    confidence limits (Viechtbauer 2007).
    """
    low, high = np.zeros(len(levels)), np.full(len(levels), max(float(np.ptp(y)) ** 2, 1e-12))

    def q(tau2: FloatArray) -> FloatArray:
        """Return Cochran's Q of every replicate for a variance between studies."""
        weights = 1 / (variances + tau2[:, None])
        means = weights @ y / weights.sum(axis=1)
        return np.asarray((weights * (y - means[:, None]) ** 2).sum(axis=1))

    while (above := q(high) > levels).any():
        high[above] *= 4
    high[q(low) <= levels] = 0.0
    for _ in range(60):
        middle = (low + high) / 2
        above = q(middle) > levels
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return high


def _compute_weighted_means(y: FloatArray, variances: FloatArray, spreads: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the weighted mean of the effects and its variance for each variance between experiments."""
    weights = 1 / (variances + spreads[:, None])
    return weights @ y / weights.sum(axis=1), 1 / weights.sum(axis=1)


def _find_mixture_quantile(means: FloatArray, errors: FloatArray, proportion: float) -> float:
    """Return a quantile of an equal mixture of normal distributions."""
    from scipy.special import ndtr, ndtri

    ends = means + errors * ndtri(proportion)
    low, high = float(ends.min()), float(ends.max())
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if ndtr((middle - means) / errors).mean() > proportion else (middle, high)
    return (low + high) / 2


def leave_one_out(effects: Sequence[float], errors: Sequence[float], **options: float) -> list[Pooled]:
    """Pool the effects without each experiment in turn."""
    rest = [[i for i in range(len(effects)) if i != out] for out in range(len(effects))]
    return [pool([effects[i] for i in keep], [errors[i] for i in keep], **options) for keep in rest]  # type: ignore[arg-type]
