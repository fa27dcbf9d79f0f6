"""A linear model with crossed random intercepts, fitted by penalised least squares and REML (Bates, Mächler, Bolker &
Walker 2015).

Let every grouping's intercepts have `ratio` times the variance of the residuals. Given the ratios, all other parameters
have a closed form, so the search runs over one number per grouping, and the data enter by cross-products that are
formed once. lme4 searches over ratios of standard deviations, where the slope at 0 is always 0; with ratios of
variances the slope decides whether 0 is the optimum. A variance of exactly 0 is an estimate, not a failure: the
grouping has no effect beyond the residuals.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log, pi, sqrt

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import IntArray

# Upper bound of v in the search, so that m·ratio stays below 1e8: beyond that the residuals are rounding, not data.
LARGEST = log(1e8)
# Relative to a column's length, the minimal residual after the columns before it; double precision has about 1e-16.
COLLINEAR = 1e-9
# A slope of the criterion in log units that counts as none; lme4 warns at 2e-3 of its scaled gradient.
STILL = 1e-3
# Of a logarithm of a variance, for second differences.
NUDGE = 1e-2


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossedFit:
    """Fixed effects with covariance, standard deviations by grouping and residual, and convergence.

    `moves` is the derivative of the covariance with respect to the logarithm of each non-zero variance, `uncertainty`
    the covariance of those logarithms; Satterthwaite's degrees of freedom use both (`compute_satterthwaite_df`).
    """

    coefficients: FloatArray
    covariance: FloatArray
    sds: dict[str, float]
    residual: float
    log_likelihood: float
    converged: bool
    message: str
    moves: FloatArray
    uncertainty: FloatArray


def compute_satterthwaite_df(
    weights: FloatArray, covariance: FloatArray, moves: FloatArray, uncertainty: FloatArray
) -> float | None:
    """Return Satterthwaite's degrees of freedom of a weighted sum of effects: 2·v² / var(v).

    v is its variance (Giesbrecht & Burns 1985).
    """
    variance = float(weights @ covariance @ weights)
    slope = np.einsum("i,kij,j->k", weights, moves, weights)
    spread = float(slope @ uncertainty @ slope)
    return 2 * variance**2 / spread if spread > 0 and variance > 0 else None


@dataclass(frozen=True, slots=True)
class _Profile:
    """The results at given ratios.

    REML criterion and slope; fixed effects of the basis, their inverse information, the residual variance.
    """

    criterion: float
    slope: FloatArray
    effects: FloatArray
    inverse: FloatArray
    variance: float


class _Products:
    """Cross-products of the random intercepts' columns Z, an orthonormal basis X of the fixed effects, and y without its least squares fit."""

    def __init__(self, y: FloatArray, design: FloatArray, groups: Sequence[IntArray]) -> None:
        self.n, p = design.shape
        self.df = self.n - p
        # With an orthonormal basis X'X is the identity, and badly scaled columns (an intercept beside counts) cost no digits.
        basis, self.turn = np.linalg.qr(design)
        self.plain: FloatArray = basis.T @ y
        # The least squares fit is taken off first: y'y less nearly the same number would cost the digits that the residual variance needs.
        rest = y - basis @ self.plain
        self.sizes = [int(g.max()) + 1 for g in groups]
        self.starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        columns = [start + group for start, group in zip(self.starts, groups, strict=True)]
        q = sum(self.sizes)
        # Z is 0/1 with one 1 a grouping: Z'Z is a table of counts and Z itself need never be made.
        pairs = [np.bincount(a * q + b, minlength=q * q) for a in columns for b in columns]
        self.zz: FloatArray = np.sum(pairs, axis=0, dtype=float).reshape(q, q)
        self.zx = np.column_stack([sum(np.bincount(c, x, q) for c in columns) for x in basis.T])
        self.zy = sum(np.bincount(c, rest, q) for c in columns)
        self.yy = float(rest @ rest)

    def compute_profile(self, ratios: FloatArray) -> _Profile:
        """Evaluate the REML criterion, its slope and the fixed effects at these variance ratios."""
        from scipy.linalg import solve_triangular

        scale = np.sqrt(np.repeat(ratios, self.sizes))
        q, p = self.zx.shape
        # Scaled by the standard deviations and with 1 on the diagonal this stays positive definite when a ratio is exactly 0.
        root = np.linalg.cholesky(self.zz * np.outer(scale, scale) + np.eye(q))
        reduced = solve_triangular(root, scale[:, None] * np.column_stack([self.zz, self.zx, self.zy]), lower=True)
        random, fixed, response = reduced[:, :q], reduced[:, q : q + p], reduced[:, -1]
        information = np.eye(p) - fixed.T @ fixed  # X'V⁻¹X
        inverse = np.linalg.inv(information)
        xy = -fixed.T @ response  # X'V⁻¹y
        effects = inverse @ xy
        # Rounding may take a sum of squares of nothing below 0; its logarithm follows.
        squares = max(self.yy - float(response @ response) - float(xy @ effects), np.finfo(float).tiny)
        zx = self.zx - random.T @ fixed  # Z'V⁻¹X
        pull = self.zy - random.T @ response - zx @ effects
        # Slope of the criterion in a ratio: the trace of Z'PZ over its levels, minus the fit of y at their intercepts.
        leverage = np.diag(self.zz) - (random**2).sum(axis=0) - ((zx @ inverse) * zx).sum(axis=1)
        slope = np.add.reduceat(leverage - self.df * pull**2 / squares, self.starts)
        # The determinant of the turn makes the criterion lme4's own: without it log likelihoods differ by a constant of the design.
        log_dets = np.log(np.diag(root)).sum() + np.log(np.abs(np.diag(self.turn))).sum()
        variance = squares / self.df
        criterion = 2 * log_dets + np.linalg.slogdet(information)[1] + self.df * (1 + log(2 * pi * variance))
        return _Profile(float(criterion), slope, effects, inverse, variance)


def fit_crossed(
    y: FloatArray, design: FloatArray, groups: Mapping[str, IntArray], *, columns: Sequence[str]
) -> CrossedFit:
    """Fit y on a design matrix (its columns named) with one random intercept per level of every grouping."""
    _check_groups(groups, len(y))
    _check_design(design, columns, len(groups))
    products = _Products(y, design, list(groups.values()))
    # Squares: in double precision an exact fit leaves a residual of 1e-10 of the values.
    if products.yy <= 1e-20 * float(y @ y):
        raise InputError(
            "the fixed effects explain the values exactly, so no variance is left",
            remedy="check that the column of values holds measurements",
        )
    ratios, message = _minimise_criterion(products)
    best = products.compute_profile(ratios)
    back = np.linalg.inv(products.turn)
    moves, uncertainty = _differentiate_covariance(products, ratios, back)
    sds = [sqrt(ratio * best.variance) for ratio in ratios.tolist()]
    return CrossedFit(
        coefficients=back @ (products.plain + best.effects),
        covariance=best.variance * back @ best.inverse @ back.T,
        sds=dict(zip(groups, sds, strict=True)),
        residual=sqrt(best.variance),
        log_likelihood=-best.criterion / 2,
        converged=not message,
        message=message,
        moves=moves,
        uncertainty=uncertainty,
    )


def _differentiate_covariance(
    products: _Products, ratios: FloatArray, back: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return how the covariance of the fixed effects changes with the logarithm of each variance.

    The second array is the covariance of those logarithms. Variances of 0 are held at 0.
    """
    free = [i for i, ratio in enumerate(ratios.tolist()) if ratio > 0]
    best = products.compute_profile(ratios).variance

    def at(step: FloatArray) -> tuple[float, FloatArray]:
        """Return the deviance and the covariance of the fixed effects at changed variances."""
        moved = ratios.copy()
        # Variances are ratio times residual variance: moving the last moves all of them alike.
        moved[free] = moved[free] * np.exp(step[:-1])
        profile, variance = products.compute_profile(moved), best * float(np.exp(step[-1]))
        squares = products.df * profile.variance
        log_determinants = profile.criterion - products.df * (1 + log(2 * pi * profile.variance))
        return log_determinants + products.df * log(
            2 * pi * variance
        ) + squares / variance, variance * back @ profile.inverse @ back.T

    k = len(free) + 1
    nudges = np.eye(k) * NUDGE
    middle = at(np.zeros(k))[0]
    ahead, behind = [at(n) for n in nudges], [at(-n) for n in nudges]
    hessian = np.empty((k, k))
    for i in range(k):
        hessian[i, i] = (ahead[i][0] - 2 * middle + behind[i][0]) / NUDGE**2
        for j in range(i):
            both, neither = at(nudges[i] + nudges[j])[0], at(-nudges[i] - nudges[j])[0]
            single = ahead[i][0] + ahead[j][0] + behind[i][0] + behind[j][0]
            hessian[i, j] = hessian[j, i] = (both + neither - single + 2 * middle) / (2 * NUDGE**2)
    moves = np.array([(a[1] - b[1]) / (2 * NUDGE) for a, b in zip(ahead, behind, strict=True)])
    # Twice, because the criterion is minus twice the log likelihood. A flat direction says nothing about degrees of freedom.
    uncertainty: FloatArray = 2 * np.linalg.pinv(hessian, hermitian=True).astype(float)
    return moves.astype(float), uncertainty


def _minimise_criterion(products: _Products) -> tuple[FloatArray, str]:
    """Return the variance ratios with the smallest REML criterion, and a message if the search failed.

    The search is over v = log(1 + m·ratio), with m rows per level: proportional to the ratio near 0 and to its
    logarithm for large values, so its scale is uniform.
    """
    from scipy.optimize import minimize

    rows = products.n / np.array(products.sizes)

    def criterion(v: FloatArray) -> tuple[float, FloatArray]:
        profile = products.compute_profile(np.expm1(v) / rows)
        return profile.criterion, profile.slope * np.exp(v) / rows

    bounds = [(0.0, LARGEST)] * len(rows)
    options = {"ftol": 1e-14, "gtol": 1e-8, "maxiter": 500}
    # In the middle of the scale: 0 and large ratios are then both a few steps away.
    optimum = minimize(criterion, np.ones(len(rows)), jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    v: FloatArray = np.asarray(optimum.x)
    if (v >= LARGEST).any():
        raise InputError(
            "the random effects explain the values almost exactly, so no variance is left",
            remedy="check that the column of values holds measurements",
        )
    slope = criterion(v)[1]
    still = np.where(v > 0, np.abs(slope), -slope) < STILL  # at 0 the criterion may rise
    return np.expm1(v) / rows, "" if still.all() else f"the search ended early ({optimum.message})"


def _check_groups(groups: Mapping[str, IntArray], n: int) -> None:
    """Raise InputError for groupings with too few or too many levels."""
    levels = {name: len(np.unique(codes)) for name, codes in groups.items()}
    for name, count in levels.items():
        if count < 2:
            raise InputError(
                f"the grouping {name!r} has fewer than two levels",
                remedy="give at least two levels, or leave this random effect out",
            )
        # A level a row makes the random intercept and the residual the same thing: only their sum is known.
        if count >= n:
            raise InputError(
                f"the grouping {name!r} has one level for each row, so its effect cannot be separated from the residuals",
                remedy="leave this random effect out",
            )
    for (a, codes_a), (b, codes_b) in combinations(groups.items(), 2):
        # As many pairs of levels as levels: each level of one goes with one level of the other.
        if len(np.unique(np.stack([codes_a, codes_b]), axis=1).T) == levels[a] == levels[b]:
            raise InputError(
                f"the groupings {a!r} and {b!r} divide the rows identically", remedy="leave one of them out"
            )


def _check_design(design: FloatArray, columns: Sequence[str], groupings: int) -> None:
    """Raise InputError for a design with too few rows or collinear columns."""
    n, p = design.shape
    if n <= p + groupings:
        raise InputError(
            f"{n} rows are too few for {p} fixed effects and {groupings} groupings", remedy="give more rows"
        )
    residual_lengths = np.abs(np.diag(np.linalg.qr(design)[1]))
    for name, new, length in zip(columns, residual_lengths, np.linalg.norm(design, axis=0), strict=True):
        if new <= COLLINEAR * length:
            raise InputError(
                f"the column {name!r} is a linear combination of the columns before it", remedy="leave this column out"
            )
