"""The effect of the noise of hearers' answers on a coefficient over systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.agreement import correlate_complete_units
from referee.statistics.correlation import pearson

FEWEST = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerNoise:
    """r when other people answer about other items (95 % of draws), and an interval of r that has this beside the drawing of systems."""

    low: float
    high: float
    interval_low: float | None
    interval_high: float | None
    draws: int


def estimate_noise(x: FloatArray, y: FloatArray, drawn: FloatArray) -> AnswerNoise | None:
    """Return percentiles of r over resampled answers (units by resamples), and Fisher's interval that adds the spread
    of the resamples to that of sampling systems.

    The spread of z is half of the range of its middle 68 %, because resamples in which all systems lie on a line have
    no finite z. Both parts contain some of the same noise, so the interval is rather too wide.
    """
    complete = ~(np.isnan(x) | np.isnan(y))
    n, (x, y, drawn) = int(complete.sum()), (x[complete], y[complete], drawn[complete])
    whole = pearson(x, y).r
    if n < FEWEST or whole is None:
        return None
    seen = ~np.isnan(drawn)[:, None, :]
    r = correlate_complete_units(x[:, None, None], np.nan_to_num(drawn)[:, None, :], seen)[0]
    defined = r[~np.isnan(r)]
    if len(defined) < 2:
        return None
    low, early, late, high = np.quantile(defined, [0.025, 0.16, 0.84, 0.975])
    spread = float(_transform_r(late) - _transform_r(early)) / 2
    reach = 1.959964 * (1 / (n - 3) + spread**2) ** 0.5
    bounds = np.tanh([_transform_r(whole) - reach, _transform_r(whole) + reach])
    return AnswerNoise(
        low=float(low),
        high=float(high),
        interval_low=float(bounds[0]),
        interval_high=float(bounds[1]),
        draws=len(defined),
    )


def _transform_r(r: float) -> float:
    """Return atanh of r (Fisher's z), kept finite at -1 and 1."""
    return float(np.arctanh(np.clip(r, -1 + 1e-9, 1 - 1e-9)))
