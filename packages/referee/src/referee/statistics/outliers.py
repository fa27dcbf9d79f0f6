"""Preparation of response times: time-outs dropped, and, as an option, outliers replaced by the mean (Ratcliff 1993).

The challenges replaced times outside mean ± 2 SD by the overall mean. That shrinks the variance and makes tests
anti-conservative: it serves to repeat a printed analysis and is never the default.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import as_numbers


@dataclass(frozen=True, slots=True, kw_only=True)
class Cleaned:
    """Times after cleaning (NaN for missing), the bounds, and the numbers changed and in total."""

    values: FloatArray
    touched: int
    n: int
    low: float | None
    high: float | None


def drop_timeouts(times_ms: Iterable[float | None], *, limit_ms: float = 15_000) -> Cleaned:
    """Make times at or above the limit missing; the default is the 15 seconds of the challenges."""
    values = as_numbers(times_ms, "times").copy()
    late = values >= limit_ms
    n = int((~np.isnan(values)).sum())
    values[late] = np.nan
    return Cleaned(values=values, touched=int(late.sum()), n=n, low=None, high=limit_ms)


def replace_outliers(times_ms: Iterable[float | None], *, sds: float = 2.0) -> Cleaned:
    """Replace times further than `sds` standard deviations from the mean by the mean; missing ones stay."""
    if sds <= 0:
        raise InputError(
            f"'sds' is {sds}, but must be above 0", remedy="give the number of standard deviations to keep, such as 2"
        )
    values = as_numbers(times_ms, "times").copy()
    times = values[~np.isnan(values)]
    if len(times) < 2:
        return Cleaned(values=values, touched=0, n=len(times), low=None, high=None)
    # Over all conditions together, as the challenges did it.
    mean, reach = float(times.mean()), sds * float(times.std(ddof=1))
    outside = np.abs(values - mean) > reach
    values[outside] = mean
    return Cleaned(values=values, touched=int(outside.sum()), n=len(times), low=mean - reach, high=mean + reach)
