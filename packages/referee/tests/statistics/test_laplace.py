"""The logistic mixed model against lme4 and its own gradient."""

from __future__ import annotations

import numpy as np
import pytest

from referee.statistics.laplace import _Deviance, fit_logistic

# Lesnoff et al. 2004, contagious bovine pleuropneumonia: herds, cases, animals; periods count from 1 within a herd
HERDS = [4, 3, 4, 4, 4, 4, 4, 1, 4, 4, 4, 4, 4, 4, 4]
CASES = [
    2, 3, 4, 0, 3, 1, 1, 8, 2, 0, 2, 2, 0, 2, 0, 5, 0, 0, 1, 3, 0, 0, 1, 8, 1, 3, 0, 12, 2, 0, 0, 0, 1, 1, 0, 2, 0, 5, 3, 1,
    2, 1, 0, 0, 1, 2, 0, 0, 11, 0, 0, 0, 1, 1, 1, 0,
]  # fmt: skip
ANIMALS = [
    14, 12, 9, 5, 22, 18, 21, 22, 16, 16, 20, 10, 10, 9, 6, 18, 25, 24, 4, 17, 17, 18, 20, 16, 10, 9, 5, 34, 9, 6, 8, 6, 22,
    22, 18, 22, 25, 27, 22, 22, 10, 8, 6, 5, 21, 24, 19, 23, 19, 2, 3, 2, 19, 15, 15, 15,
]  # fmt: skip


def cattle() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    herd = np.repeat(np.arange(15), HERDS)
    period = np.concatenate([np.arange(n) for n in HERDS])
    y = np.concatenate([[1.0] * c + [0.0] * (n - c) for c, n in zip(CASES, ANIMALS, strict=True)])
    design = np.eye(4)[np.repeat(period, ANIMALS)]
    design[:, 0] = 1
    return y, design, np.repeat(herd, ANIMALS)


def test_the_textbook_example_of_lme4_is_reproduced() -> None:
    """glmer(cbind(cases, animals - cases) ~ period + (1 | herd), binomial), lme4 with nAGQ = 1: estimates and Hessian errors."""
    y, design, herd = cattle()
    found = fit_logistic(y, design, [herd])
    assert found.converged, found.message
    assert found.coefficients.tolist() == pytest.approx([-1.398532, -0.992316, -1.128664, -1.580316], abs=5e-5)
    assert np.sqrt(np.diag(found.covariance)).tolist() == pytest.approx(
        [0.232473, 0.306641, 0.326637, 0.427437], abs=5e-5
    )
    assert found.sds[0] == pytest.approx(0.642270, abs=5e-5)


def test_the_gradient_is_the_slope_of_the_deviance_with_crossed_effects() -> None:
    y, design, herd = cattle()
    other = np.random.default_rng(0).integers(0, 7, len(y))
    deviance = _Deviance(y, design, [herd, other])
    at = np.array([0.6, 0.3, -1.3, -0.9, -1.0, -1.5])
    gradient = deviance(at)[1]
    steps = np.eye(6) * 1e-5
    numeric = [(deviance(at + s)[0] - deviance(at - s)[0]) / 2e-5 for s in steps]
    assert gradient.tolist() == pytest.approx(numeric, abs=1e-5)


def test_without_any_clustering_it_is_an_ordinary_logistic_regression() -> None:
    import statsmodels.api as sm

    rng = np.random.default_rng(12)
    x = rng.normal(size=400)
    design = np.column_stack([np.ones(400), x])
    y = (rng.random(400) < 1 / (1 + np.exp(-(0.3 + 0.8 * x)))).astype(float)
    # every level appears once as 0 and once as 1 at most, arranged so that levels agree less than chance
    order = np.argsort(y - 1 / (1 + np.exp(-(0.3 + 0.8 * x))))
    group = np.empty(400, dtype=np.int64)
    group[order] = np.tile(np.arange(20), 20)
    found = fit_logistic(y, design, [group])
    plain = sm.Logit(y, design).fit(disp=0)
    assert found.sds[0] == pytest.approx(0, abs=1e-3)
    assert found.coefficients.tolist() == pytest.approx(plain.params.tolist(), abs=1e-4)
    assert np.sqrt(np.diag(found.covariance)).tolist() == pytest.approx(plain.bse.tolist(), rel=1e-3)
