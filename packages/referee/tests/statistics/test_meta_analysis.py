"""Random-effects summaries against R's metafor, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import chdtri

from referee.statistics.meta_analysis import find_between_variances, leave_one_out, pool

# Colditz et al. 1994: tuberculosis (yes, no) with and without vaccination in 13 trials.
VACCINATION = [
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761), (180, 1361, 372, 1079),
    (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600), (186, 50448, 141, 27197), (5, 2493, 3, 2338),
    (27, 16886, 29, 17825),
]  # fmt: skip
RISKS = np.array([np.log(a / (a + b) / (c / (c + d))) for a, b, c, d in VACCINATION])
VARIANCES = np.array([1 / a - 1 / (a + b) + 1 / c - 1 / (c + d) for a, b, c, d in VACCINATION])
EFFECTS = [0.71, 0.58, 0.61, 0.53, 0.53, 0.52, 0.60, 0.63, 0.58]
ERRORS = [0.038, 0.005, 0.023, 0.018, 0.020, 0.026, 0.013, 0.015, 0.051]


def test_variance_between_experiments_and_its_limits_are_those_of_metafor() -> None:
    """Viechtbauer 2010 (J. Stat. Software 36(3)) prints the limits .1197 and 1.1115; `rma(method="PM")` the estimate .3181 with mean -.715."""
    levels = np.array([12.0, chdtri(12, 0.025), chdtri(12, 0.975)])
    assert find_between_variances(RISKS, VARIANCES, levels) == pytest.approx([0.3181, 0.1197, 1.1115], abs=5e-5)
    assert pool(RISKS, np.sqrt(VARIANCES)).effect == pytest.approx(-0.7150, abs=5e-5)


def test_p_and_interval_of_the_mean_agree() -> None:
    edge = pool(EFFECTS, ERRORS).low or 0.0
    assert pool(EFFECTS, ERRORS, null=edge).p == pytest.approx(0.05, abs=1e-6)


def test_effects_without_spread_are_as_sure_as_their_sum() -> None:
    found = pool([0.6] * 4, [0.02] * 4)
    assert found.heterogeneity == 0
    assert (found.new_low, found.new_high) == pytest.approx((0.6 - 1.96 * 0.01, 0.6 + 1.96 * 0.01), abs=1e-4)


def test_a_new_estimate_is_less_certain_than_a_new_experiment() -> None:
    true, estimated = pool(EFFECTS, ERRORS), pool(EFFECTS, ERRORS, new_error=0.05)
    assert estimated.new_low < true.new_low < true.low  # type: ignore[operator]
    assert pool(EFFECTS, ERRORS, new_error=5.0, limits=(0.0, 1.0)).new_low == 0.0


def test_two_experiments_have_a_mean_and_no_intervals() -> None:
    found = pool([0.6, 0.8], [0.1, 0.1])
    assert (found.effect, found.low, found.new_low) == (pytest.approx(0.7), None, None)
    assert pool([], []).effect is None


def test_each_experiment_is_left_out_in_turn() -> None:
    without = leave_one_out(EFFECTS, ERRORS)
    assert len(without) == 9
    assert without[0].effect == pool(EFFECTS[1:], ERRORS[1:]).effect


@pytest.mark.parametrize("spread", [0.0, 0.02, 0.1])
def test_predictions_hold_for_new_experiments(spread: float) -> None:
    """Five experiments of unequal sizes: of 300 new true effects about 95 % lie inside (three standard errors are allowed)."""
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(300):
        errors = 0.02 * np.exp(0.8 * rng.normal(size=5))
        found = pool(0.6 + rng.normal(0, spread, 5) + rng.normal(0, errors), errors)
        inside += (found.new_low or 0.0) <= 0.6 + rng.normal(0, spread) <= (found.new_high or 0.0)
    assert inside >= 300 * 0.95 - 3 * (300 * 0.95 * 0.05) ** 0.5
