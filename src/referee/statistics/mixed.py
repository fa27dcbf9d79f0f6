"""Mixed models with crossed random effects of participants and items, the analysis human data deserve (Baayen et al. 2008).

Times are modelled on the log scale, so an effect is a ratio of times; correctness on the logit scale, so it is an odds ratio. Every
system is compared with one baseline by a Wald z test, and an omnibus Wald test asks whether systems differ at all. A search that fails says
so in `converged` and `message`; a random effect without any variance is no failure, and named in `singular`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.crossed import fit_crossed
from referee.statistics.frames import IntArray, as_rows, complete_rows, encode
from referee.statistics.laplace import fit_logistic

if TYPE_CHECKING:
    import polars as pl

__all__ = ["MixedModel", "SystemEffect", "mixed_correctness", "mixed_times"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemEffect:
    """A system against the baseline on the model's scale, and as a ratio (of times, or of odds) with its interval."""

    system: str
    estimate: float
    error: float | None
    z: float | None
    p: float | None
    ratio: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedModel:
    """Effects against the baseline, the spread of the random effects, the omnibus test, and how the search ended.

    `covariance` is that of the effects, in their order; differences between systems other than the baseline need it.
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

    @property
    def singular(self) -> tuple[str, ...]:
        """The random effects whose variance is estimated as exactly 0: an answer at the edge of what is possible."""
        return tuple(kind for kind, sd in self.sds.items() if sd == 0)

    def frame(self) -> pl.DataFrame:
        """One row per system other than the baseline."""
        names = ("system", "estimate", "error", "z", "p", "ratio", "low", "high")
        rows = [(*(getattr(e, name) for name in names), self.baseline, self.n, self.converged) for e in self.effects]
        return as_rows((*names, "baseline", "n", "converged"), rows)


def mixed_times(
    frame: pl.DataFrame,
    *,
    time: str,
    system: str = "system",
    participant: str = "participant",
    item: str = "item",
    baseline: str | None = None,
    slopes: bool = False,
) -> MixedModel:
    """Log times by system, with random intercepts of participants and items (REML, `crossed`).

    With `slopes`, participants may also differ in how they take to each system (one variance for all systems).
    """
    rows = complete_rows(frame, time, system, participant, item)
    if (rows[time] <= 0).any():
        raise InputError(f"{time} has values that are not above 0", remedy="leave out what is not a time")
    coded = _Coded(rows, system, participant, item, baseline)
    groups = {"participant": coded.participant, "item": coded.item}
    if slopes:
        # An intercept for every person with every system: slopes of one variance, without a new kind of model.
        groups["participant x system"] = coded.participant * len(coded.systems) + coded.system
    fit = fit_crossed(np.log(rows[time].to_numpy()), coded.design(), groups, columns=coded.systems)
    sds = {**fit.sds, "residual": fit.residual}
    outcome = (fit.log_likelihood, fit.converged, fit.message)
    return _model(coded, fit.coefficients[1:], fit.covariance[1:, 1:], sds, outcome)


def mixed_correctness(
    frame: pl.DataFrame,
    *,
    correct: str,
    system: str = "system",
    participant: str = "participant",
    item: str = "item",
    baseline: str | None = None,
) -> MixedModel:
    """0/1 outcomes by system, with random intercepts of participants and items (Laplace approximation, `laplace`)."""
    rows = complete_rows(frame, correct, system, participant, item)
    y = rows[correct].to_numpy()
    if not np.isin(y, (0.0, 1.0)).all():
        raise InputError(f"{correct} has values other than 0 and 1", remedy="give 1 for correct and 0 for wrong")
    coded = _Coded(rows, system, participant, item, baseline)
    _check_separation(y, coded)
    fit = fit_logistic(y, coded.design(), [coded.participant, coded.item])
    sds = dict(zip(("participant", "item"), fit.sds, strict=True))
    outcome = (fit.log_likelihood, fit.converged, fit.message)
    return _model(coded, fit.coefficients[1:], fit.covariance[1:, 1:], sds, outcome)


class _Coded:
    """Systems (the baseline first), participants and items of every row as numbers."""

    def __init__(self, rows: pl.DataFrame, system: str, participant: str, item: str, baseline: str | None) -> None:
        names, codes = encode(rows[system])
        if len(names) < 2:
            raise InputError("fewer than two systems have values", remedy="give rows of at least two systems")
        self.baseline = names[0] if baseline is None else baseline
        if self.baseline not in names:
            raise InputError(
                f"no rows of a system {self.baseline!r}", remedy=f"take one of {', '.join(names)} as baseline"
            )
        self.systems = [self.baseline, *(n for n in names if n != self.baseline)]
        place = np.array([self.systems.index(n) for n in names])
        self.system: IntArray = place[codes]
        participants, self.participant = encode(rows[participant])
        items, self.item = encode(rows[item])
        self.sizes = len(participants), len(items)
        if min(self.sizes) < 2:
            raise InputError("fewer than two participants or items", remedy="random effects need several of each")

    def design(self) -> FloatArray:
        """An intercept and one column per system other than the baseline."""
        return np.column_stack([np.ones(len(self.system)), np.eye(len(self.systems))[self.system][:, 1:]])


def _check_separation(y: FloatArray, coded: _Coded) -> None:
    """A system that is always right (or always wrong) has no finite log odds."""
    # Told before the fit, which would end somewhere on the way to infinity and look converged.
    rates = np.bincount(coded.system, y) / np.bincount(coded.system)
    extreme = [name for name, rate in zip(coded.systems, rates, strict=True) if rate in (0.0, 1.0)]
    if extreme:
        raise InputError(
            f"{', '.join(extreme)}: all outcomes are the same, so the odds have no finite estimate",
            remedy="leave these systems out, or compare rates with cluster_differences",
        )


def _model(
    coded: _Coded,
    estimates: FloatArray,
    covariance: FloatArray,
    sds: dict[str, float],
    outcome: tuple[float, bool, str],
) -> MixedModel:
    chi2, p = _omnibus(estimates, covariance)
    return MixedModel(
        baseline=coded.baseline,
        effects=_effects(coded.systems[1:], estimates, covariance),
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
    )


def _omnibus(estimates: FloatArray, covariance: FloatArray) -> tuple[float | None, float | None]:
    from scipy.special import chdtrc

    if np.isnan(covariance).any():
        return None, None
    # Wald's test of all systems at once; it does not depend on which of them is the baseline.
    chi2 = float(estimates @ np.linalg.solve(covariance, estimates))
    return chi2, float(chdtrc(len(estimates), chi2))


def _effects(systems: Sequence[str], estimates: FloatArray, covariance: FloatArray) -> tuple[SystemEffect, ...]:
    from scipy.special import ndtr, ndtri

    reach = float(ndtri(0.975))
    effects = []
    for system, b, variance in zip(systems, estimates.tolist(), np.diag(covariance).tolist(), strict=True):
        # NaN is not above 0 either: a fit without a covariance has estimates and no tests.
        error = sqrt(variance) if variance > 0 else None
        z = b / error if error else None
        effects.append(
            SystemEffect(
                system=system,
                estimate=b,
                error=error,
                z=z,
                p=None if z is None else 2 * float(ndtr(-abs(z))),
                ratio=exp(b),
                low=exp(b - reach * error) if error else None,
                high=exp(b + reach * error) if error else None,
            )
        )
    return tuple(effects)
