"""Random-effects meta-analysis.

One effect in several experiments, its mean, its spread, and the prediction for a new experiment.

Variance between experiments: DerSimonian & Laird (1986). Interval of the mean: Hartung & Knapp (2001), t with k - 1
degrees of freedom. Prediction interval of a new experiment: Higgins, Thompson & Spiegelhalter (2009) with the same t;
with a stated size the sampling error of the new estimate is added. R's metafor gives the same numbers
(`rma(method="DL", test="knha")`, `predict`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from referee.contracts import FloatArray

LEAST = 3
"""With fewer experiments there is no prediction: two say hardly anything about their spread."""


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
    """The standard error behind a symmetric interval of a large sample."""
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
    """The summary of effects with their standard errors.

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
    from scipy.special import stdtr, stdtrit

    tau2 = _between(y, se**2)
    weights = 1 / np.maximum(se**2 + tau2, 1e-12)
    mean, df = float(weights @ y / weights.sum()), len(y) - 1
    variance = float(weights @ (y - mean) ** 2 / (df * weights.sum()))
    t = float(stdtrit(df, (1 + confidence) / 2))
    reach, ahead = t * sqrt(variance), t * sqrt(variance + tau2 + new_error**2)

    def cut(value: float) -> float:
        return value if limits is None else min(max(value, limits[0]), limits[1])

    return Pooled(
        n=len(y),
        effect=mean,
        low=cut(mean - reach),
        high=cut(mean + reach),
        new_low=cut(mean - ahead),
        new_high=cut(mean + ahead),
        heterogeneity=sqrt(tau2),
        p=float(2 * stdtr(df, -abs(mean - null) / sqrt(variance))) if variance else None,
    )


def _between(y: FloatArray, variances: FloatArray) -> float:
    """The variance between experiments, by the method of moments."""
    # An effect without error would have a weight without bounds.
    weights = 1 / np.maximum(variances, 1e-12)
    q = float(weights @ (y - weights @ y / weights.sum()) ** 2)
    return max(0.0, (q - (len(y) - 1)) / float(weights.sum() - weights @ weights / weights.sum()))


def leave_one_out(effects: Sequence[float], errors: Sequence[float], **options: float) -> list[Pooled]:
    """The summary without each experiment in turn."""
    rest = [[i for i in range(len(effects)) if i != out] for out in range(len(effects))]
    return [pool([effects[i] for i in keep], [errors[i] for i in keep], **options) for keep in rest]  # type: ignore[arg-type]
