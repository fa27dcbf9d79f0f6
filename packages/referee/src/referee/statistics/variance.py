"""Analysis of variance as in the TUNA challenges (Gatt et al. 2008): SYSTEM x ENTITY TYPE, type III, raw or from print.

With cell means m_sd and counts n_sd the effects are drop-one-term differences of a weighted least-squares fit on the
cell means in sum-to-zero coding (textbook formulas when balanced). The error needs only the standard deviations: those
within cells, or, as printed in the challenge papers, one per system over both domains, from which the spread between
its domains is subtracted: SSE = Σ_s (n_s - 1)·SD_s² - Σ_s Σ_d n_sd (m_sd - m_s)².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import complete_rows, encode, make_frame
from referee.statistics.rounding import is_rounding

if TYPE_CHECKING:
    import polars as pl

Table = npt.ArrayLike


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """One line of an analysis of variance. F, p and effect sizes are None when the error variance is zero.

    partial eta² = SS / (SS + SSE); partial omega² = df (F - 1) / (df (F - 1) + N), not below 0;
    low and high bound partial eta² with 90% confidence (non-central F), the level that agrees with F tests at .05.
    """

    term: str
    ss: float
    df: int
    ms: float
    f: float | None = None
    p: float | None = None
    eta2_partial: float | None = None
    omega2_partial: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Anova:
    """The effects, and the error that tests built on them (Tukey) need. n counts observations."""

    effects: tuple[Effect, ...]
    error_ss: float
    error_df: int
    n: int

    @property
    def error_ms(self) -> float:
        """The mean square of the error."""
        return self.error_ss / self.error_df

    def effect(self, term: str) -> Effect:
        """Return the effect of a term; raise InputError for an unknown term."""
        effect = next((e for e in self.effects if e.term == term), None)
        if effect is None:
            raise InputError(
                f"the analysis has no effect {term!r}", remedy=f"use one of {', '.join(e.term for e in self.effects)}"
            )
        return effect

    def frame(self) -> pl.DataFrame:
        """Return one row per effect and one for the error."""
        names = ("term", "ss", "df", "ms", "f", "p", "eta2_partial", "omega2_partial", "low", "high", "n")
        rows = [(*(getattr(e, name) for name in names[:-1]), self.n) for e in self.effects]
        error = ("error", self.error_ss, self.error_df, self.error_ms, *(None,) * 6, self.n)
        return make_frame(names, [*rows, error])


def two_way(frame: pl.DataFrame, *, value: str, system: str, domain: str) -> Anova:
    """Analyse system x domain from raw rows; rows without a value are left out."""
    rows = complete_rows(frame, value, system, domain)
    (systems, s), (domains, d) = encode(rows[system]), encode(rows[domain])
    shape = (len(systems), len(domains))
    means, counts, within = _summarise_cells(rows[value].to_numpy(), s * shape[1] + d, shape[0] * shape[1])
    return _analyse_two_factors(means.reshape(shape), counts.reshape(shape), within, (system, domain))


def two_way_from_summaries(
    means: Table, counts: Table, sds: Table, *, terms: tuple[str, str] = ("system", "domain")
) -> Anova:
    """Return the two-way analysis from printed means (systems x domains) and counts.

    Counts have the same shape, or are one number for all cells.

    sds is either one standard deviation per system over all its items (a flat list, as papers print it) or one per cell.
    """
    m = np.asarray(means, dtype=float)
    if m.ndim != 2:
        raise InputError("cell means must be a table of systems x domains", remedy="give one list of means per system")
    n = np.broadcast_to(np.asarray(counts, dtype=float), m.shape)
    sd = np.asarray(sds, dtype=float)
    if (sd < 0).any():
        raise InputError("'sds' has a standard deviation below 0", remedy="check the standard deviations")
    if sd.shape == m.shape:
        within = float(((n - 1) * sd**2).sum())
    elif sd.shape == (len(m),):
        between = (n * (m - _average_rows(m, n)[:, None]) ** 2).sum()
        within = float(((n.sum(axis=1) - 1) * sd**2).sum() - between)
    else:
        raise InputError(
            f"'sds' has the shape {sd.shape} and 'means' {m.shape}",
            remedy="give one standard deviation per system, or one per cell",
        )
    if np.isnan(within):
        raise InputError("a mean, count or standard deviation is missing", remedy="leave out unprinted values")
    if within < 0:
        raise InputError("the means differ more than the standard deviations allow", remedy="check the printed numbers")
    return _analyse_two_factors(m, n, within, terms)


def one_way(frame: pl.DataFrame, *, value: str, system: str) -> Anova:
    """Analyse the effect of the system alone, from raw rows."""
    rows = complete_rows(frame, value, system)
    systems, codes = encode(rows[system])
    means, counts, within = _summarise_cells(rows[value].to_numpy(), codes, len(systems))
    return _analyse_one_factor(means, counts, within, system)


def one_way_from_summaries(means: Table, counts: Table, sds: Table, *, term: str = "system") -> Anova:
    """Analyse the effect of the system from one mean, count and standard deviation per system."""
    m = np.atleast_1d(np.asarray(means, dtype=float))
    n, sd = (np.broadcast_to(np.asarray(v, dtype=float), m.shape) for v in (counts, sds))
    within = float(((n - 1) * sd**2).sum())
    if np.isnan(within + m.sum()):
        raise InputError("a mean, count or standard deviation is missing", remedy="leave out unprinted values")
    return _analyse_one_factor(m, n, within, term)


def _summarise_cells(
    values: FloatArray, codes: npt.NDArray[np.int64], cells: int
) -> tuple[FloatArray, FloatArray, float]:
    """Return mean and count of every cell, and the sum of squares within cells."""
    counts = np.bincount(codes, minlength=cells).astype(float)
    sums = np.bincount(codes, weights=values, minlength=cells)
    means = np.divide(sums, counts, out=np.full(cells, np.nan), where=counts > 0)
    return means, counts, _sum_squares(values - means[codes], values)


def _sum_squares(rest: FloatArray, values: FloatArray) -> float:
    """Return the sum of squares of residuals; 0 if it is only rounding error."""
    largest = float(np.abs(values).max()) if len(values) else 0.0
    squares = float((rest**2).sum())
    return 0.0 if is_rounding(squares**0.5, largest * len(values) ** 0.5) else squares


def _average_rows(means: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the mean of each row of cell means, weighted by their counts."""
    weighted: FloatArray = (means * counts).sum(axis=1) / counts.sum(axis=1)
    return weighted


def _check_cells(means: FloatArray, counts: FloatArray) -> None:
    """Raise InputError for a factor with one level, or an empty cell."""
    if min(means.shape) < 2:
        raise InputError("a factor has only one level", remedy="compare at least two systems (and two domains)")
    if (counts < 1).any() or np.isnan(means).any():
        raise InputError("a cell has no observations", remedy="leave out the systems or domains that were not measured")


def _analyse_two_factors(means: FloatArray, counts: FloatArray, within: float, terms: tuple[str, str]) -> Anova:
    """Return the analysis of variance with two factors."""
    _check_cells(means, counts)
    k, d = means.shape
    error_df = round(float(counts.sum())) - k * d
    a, b = _make_contrasts(k, d)
    both = np.einsum("ip,iq->ipq", a, b).reshape(k * d, -1)
    intercept = np.ones((k * d, 1))
    weights, y = np.sqrt(counts.ravel()), means.ravel()
    parts = {terms[0]: ([intercept, b, both], k - 1), terms[1]: ([intercept, a, both], d - 1)}
    parts[f"{terms[0]} x {terms[1]}"] = ([intercept, a, b], (k - 1) * (d - 1))
    sums = [(term, _compute_residual(np.hstack(columns), y, weights), df) for term, (columns, df) in parts.items()]
    return _make_table(sums, within, error_df, round(float(counts.sum())))


def _make_contrasts(k: int, d: int) -> tuple[FloatArray, FloatArray]:
    """Return the sum-to-zero columns of both factors, one row per cell."""
    a, b = (np.vstack([np.eye(levels - 1), -np.ones(levels - 1)]) for levels in (k, d))
    return np.repeat(a, d, axis=0), np.tile(b, (k, 1))


def _compute_residual(design: FloatArray, y: FloatArray, weights: FloatArray) -> float:
    """Return the weighted residual sum of squares of a design without one term.

    It is that of the dropped term, because the full model fits cell means exactly.
    """
    x, z = design * weights[:, None], y * weights
    return _sum_squares(z - x @ np.linalg.solve(x.T @ x, x.T @ z), z)


def _analyse_one_factor(means: FloatArray, counts: FloatArray, within: float, term: str) -> Anova:
    """Return the analysis of variance with one factor."""
    _check_cells(means[:, None].repeat(2, axis=1), counts)
    n = round(float(counts.sum()))
    away = means - (means * counts).sum() / counts.sum()
    between = _sum_squares(np.sqrt(counts) * away, np.sqrt(counts) * means)
    return _make_table([(term, between, len(means) - 1)], within, n - len(means), n)


def _make_table(sums: list[tuple[str, float, int]], error_ss: float, error_df: int, n: int) -> Anova:
    """Return the table of effects. Raises InputError without error degrees of freedom."""
    if error_df < 1:
        raise InputError(
            f"{n} observations leave no degrees of freedom for the error",
            remedy="give more than one observation per cell",
        )
    effects = tuple(_make_effect(term, ss, df, error_ss, error_df, n) for term, ss, df in sums)
    return Anova(effects=effects, error_ss=error_ss, error_df=error_df, n=n)


def _make_effect(term: str, ss: float, df: int, error_ss: float, error_df: int, n: int) -> Effect:
    """Return one effect with F, p and effect size."""
    from scipy.special import fdtrc, ncfdtrinc

    if error_ss == 0:
        return Effect(term=term, ss=ss, df=df, ms=ss / df)
    f = (ss / df) / (error_ss / error_df)
    # 90 %, as is usual for proportions of variance: they cannot be negative, so one tail alone decides against 0.
    low, high = (float(ncfdtrinc(df, error_df, level, f)) for level in (0.95, 0.05))
    # F is about 1 where there is no effect; below it there is nothing to estimate.
    excess = max(df * (f - 1), 0.0)
    return Effect(
        term=term,
        ss=ss,
        df=df,
        ms=ss / df,
        f=f,
        p=float(fdtrc(df, error_df, f)),
        eta2_partial=ss / (ss + error_ss),
        omega2_partial=excess / (excess + n),
        low=low / (low + n),
        high=high / (high + n),
    )
