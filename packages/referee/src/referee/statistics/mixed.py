"""Mixed models with crossed random effects of participants and items (Baayen et al. 2008).

Times are modelled on the log scale, so an effect is a ratio of times; correctness on the logit scale, so it is an odds
ratio. Every system is compared with one baseline, and an omnibus test is for any difference between systems: for times
by t and F with Satterthwaite's degrees of freedom, for correctness by Wald's z and χ², or, with slopes, by t with one
degree of freedom less than the number of participants. `converged` and `message` report a failed search; `singular`
names random effects without variance, which are no failure.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.crossed import compute_satterthwaite_df, fit_crossed
from referee.statistics.frames import IntArray, complete_rows, encode, make_frame
from referee.statistics.laplace import fit_logistic

if TYPE_CHECKING:
    import polars as pl

# The minimal mean number of answers per system for slopes: with one answer each no residual would remain.
LEAST_MET = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEffect:
    """The effect of a system against the baseline, and as a ratio (of times or odds) with its interval.

    `df` are the degrees of freedom of its t test; None for z.
    """

    system: str
    estimate: float
    error: float | None
    z: float | None
    p: float | None
    df: float | None
    ratio: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedModel:
    """Effects against the baseline, variances of random effects, the omnibus test, and convergence.

    `covariance` is that of the effects, in their order; differences between systems other than the baseline need it.
    `error_df` are the degrees of freedom of the omnibus F test (χ² / df); None for Wald's χ². `simplified` names the
    requested slopes that were left out, and why.
    """

    baseline: str
    effects: tuple[SystemEffect, ...]
    sds: dict[str, float]
    chi2: float | None
    df: int
    p: float | None
    log_likelihood: float
    n: int
    participants: int
    items: int
    converged: bool
    message: str
    covariance: FloatArray = field(repr=False, compare=False)
    error_df: float | None = None
    simplified: tuple[str, ...] = ()
    satterthwaite: tuple[FloatArray, FloatArray] | None = field(default=None, repr=False, compare=False)
    fixed_df: float | None = None

    def compute_df(self, weights: FloatArray) -> float | None:
        """Return degrees of freedom of a weighted sum of the effects; None for a test by z."""
        return _compute_df(weights, self.covariance, self.satterthwaite, self.fixed_df)

    @property
    def singular(self) -> tuple[str, ...]:
        """The random effects whose variance is estimated as exactly 0, at the boundary."""
        return tuple(kind for kind, sd in self.sds.items() if sd == 0)

    def frame(self) -> pl.DataFrame:
        """Return one row per system other than the baseline."""
        names = ("system", "estimate", "error", "z", "p", "df", "ratio", "low", "high")
        rows = [(*(getattr(e, name) for name in names), self.baseline, self.n, self.converged) for e in self.effects]
        return make_frame((*names, "baseline", "n", "converged"), rows)


def mixed_times(
    frame: pl.DataFrame,
    *,
    time: str,
    system: str = "system",
    participant: str = "participant",
    item: str = "item",
    baseline: str | None = None,
    slopes: bool | Sequence[str] = False,
    logs: bool = True,
) -> MixedModel:
    """Fit log times by system, with random intercepts of participants and items (REML, `crossed`).

    Without `logs`, the values themselves: ratings, and other measures that are no times.

    With `slopes`, participants (and items, where named: `("participant", "item")`) may also differ in their effect of
    each system (one variance for all systems, so slopes need no correlations). `fit_fullest_model` tries both and
    simplifies.
    """
    rows = complete_rows(frame, time, system, participant, item)
    if logs and (rows[time] <= 0).any():
        raise InputError(
            f"the column {time!r} has values that are not above 0", remedy="leave out the rows that have no valid time"
        )
    coded = _Coded(rows, system, participant, item, baseline)
    groups = coded.make_groups(("participant",) if slopes is True else tuple(slopes or ()))
    values = rows[time].to_numpy()
    fit = fit_crossed(np.log(values) if logs else values, coded.make_design(), groups, columns=coded.systems)
    sds = {**fit.sds, "residual": fit.residual}
    outcome = (fit.log_likelihood, fit.converged, fit.message)
    effects = fit.coefficients[1:], fit.covariance[1:, 1:]
    return _make_model(coded, *effects, sds, outcome, satterthwaite=(fit.moves[:, 1:, 1:], fit.uncertainty))


def mixed_correctness(
    frame: pl.DataFrame,
    *,
    correct: str,
    system: str = "system",
    participant: str = "participant",
    item: str = "item",
    baseline: str | None = None,
    slopes: Sequence[str] = (),
) -> MixedModel:
    """Fit 0/1 outcomes by system with random intercepts of participants and items (Laplace).

    `slopes` as in `mixed_times`.
    """
    rows = complete_rows(frame, correct, system, participant, item)
    y = rows[correct].to_numpy()
    if not np.isin(y, (0.0, 1.0)).all():
        raise InputError(
            f"the column {correct!r} has values other than 0 and 1", remedy="give 1 for correct and 0 for wrong"
        )
    coded = _Coded(rows, system, participant, item, baseline)
    _check_separation(y, coded)
    groups = coded.make_groups(slopes)
    fit = fit_logistic(y, coded.make_design(), list(groups.values()))
    sds = dict(zip(groups, fit.sds, strict=True))
    outcome = (fit.log_likelihood, fit.converged, fit.message)
    # Log odds have no Satterthwaite; between-within degrees of freedom hold the level with few people (Li & Redden 2015).
    df = float(coded.sizes[0] - 1) if slopes else None
    return _make_model(coded, fit.coefficients[1:], fit.covariance[1:, 1:], sds, outcome, fixed_df=df)


def fit_fullest_model(
    fit: Callable[[Sequence[str]], MixedModel], frame: pl.DataFrame, system: str = "system"
) -> MixedModel:
    """Fit the model with slopes by participant and item, as far as design and data allow.

    Parameters
    ----------
    fit
        Fits the model with given slopes: ``lambda slopes: mixed_times(frame, time="ms", slopes=slopes)``.
    frame
        The data, with the columns participant, item and `system`.
    system
        The column of the systems.

    Returns
    -------
    MixedModel
        `simplified` names the omissions. The rule: slopes of a grouping are included if it has at least two answers per system on average (otherwise
        they cannot be separated from residuals); if the search fails, or a slope's variance is 0, the slopes of items are dropped first and those of
        participants next.
    """
    left: list[str] = []
    groupings = []
    for name in ("participant", "item"):
        met = len(frame) / max(frame.select(name, system).unique().height, 1)
        if met >= LEAST_MET:
            groupings.append(name)
        else:
            left.append(
                f"slopes by {name} left out ({met:.1f} answers to each system on average; {LEAST_MET:g} are needed)"
            )
    while True:
        try:
            model = fit(tuple(groupings))
        except InputError as error:
            if not groupings:
                raise
            left.append(f"slopes by {groupings[-1]} left out ({error.problem})")
            groupings.pop()
            continue
        nothing = [name for name in reversed(groupings) if model.sds.get(f"{name} x system") == 0]
        failed = [] if model.converged or not groupings else [groupings[-1]]
        if not (failed or nothing):
            return replace(model, simplified=tuple(left))
        gone = (failed or nothing)[0]
        left.append(f"slopes by {gone} left out ({model.message if failed else 'no variance'})")
        groupings.remove(gone)


class _Coded:
    """Systems (the baseline first), participants and items of every row as numbers."""

    def __init__(self, rows: pl.DataFrame, system: str, participant: str, item: str, baseline: str | None) -> None:
        names, codes = encode(rows[system])
        if len(names) < 2:
            raise InputError("fewer than two systems have values", remedy="give rows of at least two systems")
        self.baseline = names[0] if baseline is None else baseline
        if self.baseline not in names:
            raise InputError(
                f"the baseline {self.baseline!r} has no rows", remedy=f"use one of {', '.join(names)} as 'baseline'"
            )
        self.systems = [self.baseline, *(n for n in names if n != self.baseline)]
        place = np.array([self.systems.index(n) for n in names])
        self.system: IntArray = place[codes]
        participants, self.participant = encode(rows[participant])
        items, self.item = encode(rows[item])
        self.sizes = len(participants), len(items)
        if min(self.sizes) < 2:
            raise InputError(
                "the rows have fewer than two participants or items",
                remedy="give several of each; random effects need them",
            )

    def make_groups(self, slopes: Sequence[str]) -> dict[str, IntArray]:
        """Return the groupings of the random effects.

        These are random intercepts of participants and items, and of each of them with every system (slopes
        with one variance).
        """
        groups = {"participant": self.participant, "item": self.item}
        for name in slopes:
            # Numbered without gaps: pairs that never met are no levels.
            pairs = groups[name] * len(self.systems) + self.system
            groups[f"{name} x system"] = np.unique(pairs, return_inverse=True)[1]
        return groups

    def make_design(self) -> FloatArray:
        """Return the design matrix: an intercept and one column per system other than the baseline."""
        return np.column_stack([np.ones(len(self.system)), np.eye(len(self.systems))[self.system][:, 1:]])


def _check_separation(y: FloatArray, coded: _Coded) -> None:
    """Raise InputError if a system is always right or always wrong, because its log odds are infinite."""
    # Raised before the fit, which would diverge and appear converged.
    rates = np.bincount(coded.system, y) / np.bincount(coded.system)
    extreme = [name for name, rate in zip(coded.systems, rates, strict=True) if rate in (0.0, 1.0)]
    if extreme:
        raise InputError(
            f"all outcomes of {', '.join(extreme)} are the same, so the odds have no finite estimate",
            remedy="leave these systems out, or compare rates with cluster_differences",
        )


def _make_model(
    coded: _Coded,
    estimates: FloatArray,
    covariance: FloatArray,
    sds: dict[str, float],
    outcome: tuple[float, bool, str],
    satterthwaite: tuple[FloatArray, FloatArray] | None = None,
    fixed_df: float | None = None,
) -> MixedModel:
    """Return a fitted model from estimates and covariance."""

    def df_of(weights: FloatArray) -> float | None:
        return _compute_df(weights, covariance, satterthwaite, fixed_df)

    chi2, p, error_df = _test_all_effects(estimates, covariance, df_of)
    return MixedModel(
        baseline=coded.baseline,
        effects=_make_effects(coded.systems[1:], estimates, covariance, df_of),
        sds=sds,
        chi2=chi2,
        df=len(estimates),
        p=p,
        log_likelihood=outcome[0],
        n=len(coded.system),
        participants=coded.sizes[0],
        items=coded.sizes[1],
        converged=outcome[1],
        message=outcome[2],
        covariance=covariance,
        error_df=error_df,
        satterthwaite=satterthwaite,
        fixed_df=fixed_df,
    )


def _compute_df(
    weights: FloatArray,
    covariance: FloatArray,
    satterthwaite: tuple[FloatArray, FloatArray] | None,
    fixed: float | None,
) -> float | None:
    """Return the degrees of freedom of a weighted sum of effects, by Satterthwaite or fixed."""
    return fixed if satterthwaite is None else compute_satterthwaite_df(weights, covariance, *satterthwaite)


def compute_two_sided_p(z: float, df: float | None) -> float:
    """Return the two-sided p of a test by t, or by z without degrees of freedom."""
    from scipy.special import ndtr, stdtr

    return 2 * float(ndtr(-abs(z)) if df is None else stdtr(df, -abs(z)))


def find_critical_value(df: float | None) -> float:
    """Return the number of standard errors that a 95 % interval extends to each side."""
    from scipy.special import ndtri, stdtrit

    return float(ndtri(0.975) if df is None else stdtrit(df, 0.975))


def _test_all_effects(
    estimates: FloatArray, covariance: FloatArray, df_of: Callable[[FloatArray], float | None]
) -> tuple[float | None, float | None, float | None]:
    """Return statistic, error degrees of freedom and p of the omnibus test."""
    from scipy.special import chdtrc, fdtrc

    if np.isnan(covariance).any():
        return None, None, None
    # Wald's test of all systems at once; it does not depend on which of them is the baseline.
    chi2 = float(estimates @ np.linalg.solve(covariance, estimates))
    q = len(estimates)
    # Fai & Cornelius (1996): the F test whose mean is that of independent t² along the axes of the covariance.
    dfs = [df for df in map(df_of, np.linalg.eigh(covariance)[1].T) if df is not None]
    means = sum(df / (df - 2) for df in dfs if df > 2)
    if len(dfs) < q or min(dfs) <= 2 or means <= q:
        return chi2, float(chdtrc(q, chi2)), None
    error_df = 2 * means / (means - q)
    return chi2, float(fdtrc(q, error_df, chi2 / q)), error_df


def _make_effects(
    systems: Sequence[str], estimates: FloatArray, covariance: FloatArray, df_of: Callable[[FloatArray], float | None]
) -> tuple[SystemEffect, ...]:
    """Return the effects of all systems with tests and intervals."""
    effects = []
    axes = np.eye(len(systems))
    for system, b, variance, axis in zip(systems, estimates.tolist(), np.diag(covariance).tolist(), axes, strict=True):
        # NaN is not above 0 either: a fit without a covariance has estimates and no tests.
        error = sqrt(variance) if variance > 0 else None
        z = b / error if error else None
        df = df_of(axis) if error else None
        reach = find_critical_value(df)
        effects.append(
            SystemEffect(
                system=system,
                estimate=b,
                error=error,
                z=z,
                p=None if z is None else compute_two_sided_p(z, df),
                df=df,
                ratio=exp(b),
                low=exp(b - reach * error) if error else None,
                high=exp(b + reach * error) if error else None,
            )
        )
    return tuple(effects)
