"""A logistic model with crossed random intercepts, fitted by the Laplace approximation (Breslow & Clayton 1993; Bates et al. 2015).

With u ~ N(0, I) and eta = X·beta + Z·diag(theta)·u, the deviance of (theta, beta) is -2 log p(y | u*) + u*'u* + log |A| at the mode
u*, where A = diag(theta) Z'WZ diag(theta) + I. The mode comes from Newton steps, the minimum from a bounded quasi-Newton search, the
standard errors from the curvature of the deviance in all parameters.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.statistics.frames import IntArray

# Newton needs a handful of steps; fifty without an end are reported, not trusted.
NEWTON_STEPS = 50
# On the logit scale: odds of e^10 between two ordinary people. A search that gets there has run away.
LARGEST_SD = 10.0
# Central differences of an analytic gradient: the error is of the order of STEP squared, well below the digits printed.
STEP = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class LogisticFit:
    """Fixed effects with covariance, the standard deviation of each random intercept, and convergence."""

    coefficients: FloatArray
    covariance: FloatArray
    sds: tuple[float, ...]
    log_likelihood: float
    converged: bool
    message: str


@dataclass(frozen=True, slots=True)
class _Mode:
    """The mode of the random effects at given parameters, with slope and curvature in u."""

    u: FloatArray
    rest: FloatArray
    weight: FloatArray
    skew: FloatArray
    crossed: FloatArray
    slope: FloatArray
    curvature: FloatArray


class _Deviance:
    """The Laplace deviance of (theta, beta) with its gradient; the last mode is the next starting point."""

    def __init__(self, y: FloatArray, design: FloatArray, groups: Sequence[IntArray]) -> None:
        self.y, self.design = y, design
        self.sizes = [int(g.max()) + 1 for g in groups]
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        self.columns = [start + group for start, group in zip(starts, groups, strict=False)]
        # Kept between calls: the mode moves little from step to step, and few Newton steps are then needed.
        self.u = np.zeros(int(starts[-1]))
        self.stuck = False

    def __call__(self, parameters: FloatArray) -> tuple[float, FloatArray]:
        theta, beta = parameters[: len(self.columns)], parameters[len(self.columns) :]
        scale, fixed = np.repeat(theta, self.sizes), self.design @ beta
        mode = self._find_mode(fixed, scale)
        # From the Cholesky factor, since a determinant of a few hundred effects overflows.
        log_det = 2 * float(np.log(np.diag(np.linalg.cholesky(mode.curvature))).sum())
        return self._compute_penalised_deviance(fixed, scale, mode.u) + log_det, self._compute_gradient(scale, mode)

    def _sum_effects_by_row(self, effects: FloatArray) -> FloatArray:
        """Return Z·effects: the sum of its random effects for every row."""
        total: FloatArray = np.sum([effects[c] for c in self.columns], axis=0)
        return total

    def _sum_rows_by_effect(self, rows: FloatArray) -> FloatArray:
        """Return Z'rows: the sum over the rows of every random effect."""
        total: FloatArray = np.sum([np.bincount(c, rows, len(self.u)) for c in self.columns], axis=0)
        return total

    def _compute_penalised_deviance(self, fixed: FloatArray, scale: FloatArray, u: FloatArray) -> float:
        """Return the deviance at u plus the penalty: -2 log p(y | u) + u'u."""
        eta = fixed + self._sum_effects_by_row(scale * u)
        # log(1 + e^eta) without overflow; the plain formula is infinite from eta = 710 on.
        return float(2 * (np.logaddexp(0, eta) - self.y * eta).sum() + u @ u)

    def _find_mode(self, fixed: FloatArray, scale: FloatArray) -> _Mode:
        """Return the most likely random effects, by Newton steps that are halved while they lead uphill."""
        mode = self._expand_at(fixed, scale, self.u)
        for _ in range(NEWTON_STEPS):
            step: FloatArray = np.linalg.solve(mode.curvature, mode.slope).astype(float)
            gain = float(mode.slope @ step)
            mode = self._expand_at(
                fixed, scale, mode.u + step * self._choose_step_length(fixed, scale, mode.u, step, gain)
            )
            # Newton's decrement: the possible improvement of the deviance is of this order, far below printed
            # precision.
            if gain < 1e-12:
                self.u = mode.u
                return mode
        self.stuck = True
        return mode

    def _choose_step_length(
        self, fixed: FloatArray, scale: FloatArray, u: FloatArray, step: FloatArray, gain: float
    ) -> float:
        """Return the proportion of a Newton step that lowers the penalised deviance.

        Near the mode the whole of it, where rounding hides whether it leads downhill.
        """
        length, before = 1.0, self._compute_penalised_deviance(fixed, scale, u)
        while (
            gain > 1e-6 and length > 1e-6 and self._compute_penalised_deviance(fixed, scale, u + length * step) > before
        ):
            length /= 2
        return length

    def _expand_at(self, fixed: FloatArray, scale: FloatArray, u: FloatArray) -> _Mode:
        """Return slope and curvature of the penalised deviance at u."""
        # Clipped before exp overflows; mu is 0 or 1 to the last digit long before that.
        mu = 1 / (1 + np.exp(-np.clip(fixed + self._sum_effects_by_row(scale * u), -500, 500)))
        rest, weight = self.y - mu, mu * (1 - mu)
        crossed = self._cross_weights(weight)
        slope = scale * self._sum_rows_by_effect(rest) - u
        curvature = crossed * np.outer(scale, scale) + np.eye(len(u))
        return _Mode(u, rest, weight, weight * (1 - 2 * mu), crossed, slope, curvature)

    def _cross_weights(self, weight: FloatArray) -> FloatArray:
        """Return Z'WZ: the weight that every two random effects share."""
        q = len(self.u)
        # All ordered pairs: with two crossed groupings the off-diagonal blocks are not zero.
        pairs = [(a, b) for a in self.columns for b in self.columns]
        total: FloatArray = np.sum([np.bincount(a * q + b, weight, q * q) for a, b in pairs], axis=0).reshape(q, q)
        return total

    def _compute_gradient(self, scale: FloatArray, mode: _Mode) -> FloatArray:
        """Return the slope of the deviance in theta and beta, also through the mode, which depends on both."""
        inverse = np.linalg.inv(mode.curvature)
        scaled = inverse * np.outer(scale, scale)
        # The log-determinant changes through the weights, whose derivative is the skew mu(1-mu)(1-2mu).
        leverage = np.sum([scaled[a, b] for a in self.columns for b in self.columns], axis=0) * mode.skew
        pull = scale * (inverse @ (scale * self._sum_rows_by_effect(leverage)))
        through = leverage - mode.weight * self._sum_effects_by_row(pull)
        beta = self.design.T @ (through - 2 * mode.rest)
        trace = 2 * ((inverse * mode.crossed) @ scale)
        moved = (inverse @ (scale * self._sum_rows_by_effect(leverage))) * self._sum_rows_by_effect(mode.rest)
        per_effect = trace + moved + mode.u * self._sum_rows_by_effect(through - 2 * mode.rest)
        ends = np.cumsum(self.sizes)
        theta = [per_effect[end - size : end].sum() for end, size in zip(ends, self.sizes, strict=True)]
        return np.concatenate([theta, beta])


def fit_logistic(y: FloatArray, design: FloatArray, groups: Sequence[IntArray]) -> LogisticFit:
    """Fit 0/1 outcomes on a design matrix with one random intercept per level of every grouping."""
    from scipy.optimize import minimize

    deviance = _Deviance(y, design, groups)
    start = np.concatenate([np.full(len(groups), 0.5), _fit_plain_logistic(y, design)])
    bounds = [(0.0, LARGEST_SD)] * len(groups) + [(None, None)] * design.shape[1]
    # ftol is relative to a deviance of thousands, and coefficients are known to the square root of it only: ask for all there is.
    options = {"ftol": 1e-14, "gtol": 1e-5, "maxiter": 1000}
    optimum = minimize(deviance, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    best = np.asarray(optimum.x)
    covariance = _compute_covariance(deviance, best, len(groups))
    faults = {
        f"the search ended early ({optimum.message})": not optimum.success,
        "the most likely random effects were not found": deviance.stuck,
        "the deviance is not curved upwards at the minimum": covariance is None,
        "a random effect has no finite standard deviation": bool((best[: len(groups)] >= LARGEST_SD).any()),
    }
    unknown = np.full((design.shape[1], design.shape[1]), np.nan)
    return LogisticFit(
        coefficients=best[len(groups) :],
        covariance=unknown if covariance is None else covariance,
        sds=tuple(float(v) for v in best[: len(groups)]),
        log_likelihood=-float(optimum.fun) / 2,
        converged=not any(faults.values()),
        message="; ".join(words for words, holds in faults.items() if holds),
    )


def _fit_plain_logistic(y: FloatArray, design: FloatArray) -> FloatArray:
    """Return logistic coefficients without random effects, as a starting point."""
    beta = np.zeros(design.shape[1])
    # Only a starting point: a fixed number of steps, with eta clipped below, so that separated data do not overflow.
    for _ in range(8):
        mu = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        beta = beta + np.linalg.solve((design * (mu * (1 - mu))[:, None]).T @ design, design.T @ (y - mu))
    return beta


def _compute_covariance(deviance: _Deviance, best: FloatArray, thetas: int) -> FloatArray | None:
    """Return the covariance of the fixed effects, from differences of the gradient; None if not positive.

    A theta at its bound of 0 is held there.
    """
    # At the bound the deviance has no two-sided derivative; the others are computed as if this variance were 0.
    free = [i for i in range(len(best)) if i >= thetas or best[i] > STEP]
    nudges = np.eye(len(best)) * STEP
    slopes = [(deviance(best + nudges[i])[1] - deviance(best - nudges[i])[1])[free] / (2 * STEP) for i in free]
    hessian = (np.array(slopes) + np.array(slopes).T) / 2
    if float(np.linalg.eigvalsh(hessian).min()) <= 0:
        return None
    fixed = [i for i, place in enumerate(free) if place >= thetas]
    # Twice, because the deviance is minus twice the log likelihood.
    covariance: FloatArray = 2 * np.linalg.inv(hessian).astype(float)
    return covariance[np.ix_(fixed, fixed)]
