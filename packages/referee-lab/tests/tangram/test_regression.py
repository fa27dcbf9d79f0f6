"""Clustered regression against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest

from referee.errors import InputError
from referee.statistics.clustered_regression import regress


def test_estimates_errors_and_intervals_are_those_of_statsmodels() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), 9)
    x, z = rng.normal(size=108), rng.normal(size=108)
    y = 1 - 0.5 * x + rng.normal(size=12)[groups] + rng.normal(size=108)
    fit = sm.OLS(y, sm.add_constant(np.column_stack([x, z]))).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    found = regress({"x": x.tolist(), "z": z.tolist()}, y.tolist(), groups.tolist())
    assert [s.estimate for s in found] == pytest.approx(fit.params)
    assert [s.error for s in found] == pytest.approx(fit.bse)
    assert [s.p for s in found] == pytest.approx(fit.pvalues)
    assert [(s.low, s.high) for s in found] == [pytest.approx(row) for row in fit.conf_int()]
    assert {(s.n, s.clusters) for s in found} == {(108, 12)}


def test_a_column_that_does_not_vary_is_refused() -> None:
    with pytest.raises(InputError, match="does not vary"):
        regress({"x": [1, 1, 1, 1]}, [1, 2, 3, 4], ["a", "a", "b", "b"])
