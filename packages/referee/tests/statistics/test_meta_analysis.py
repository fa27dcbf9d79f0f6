"""Random-effects summaries against R's metafor 4.4."""

from __future__ import annotations

import numpy as np
import pytest

from referee.statistics.meta_analysis import leave_one_out, pool, standard_error

# metafor: y <- c(...); se <- (hi - lo) / (2 * qnorm(.975)); r <- rma(yi=y, sei=se, method="DL", test="knha"); predict(r).
BOUNDS = [
    (0.71, 0.64, 0.79),
    (0.58, 0.57, 0.59),
    (0.61, 0.56, 0.65),
    (0.53, 0.50, 0.57),
    (0.53, 0.49, 0.57),
    (0.52, 0.47, 0.57),
    (0.60, 0.57, 0.62),
    (0.63, 0.60, 0.66),
    (0.58, 0.48, 0.68),
]
EFFECTS = [effect for effect, _, _ in BOUNDS]
ERRORS = [standard_error(low, high) for _, low, high in BOUNDS]


def test_summary_and_prediction_are_those_of_metafor() -> None:
    found = pool(EFFECTS, ERRORS, null=0.5)
    expected = (0.583619, 0.5418023, 0.6254358, 0.4947616, 0.6724765, 0.03399944)
    assert (
        found.effect,
        found.low,
        found.high,
        found.new_low,
        found.new_high,
        found.heterogeneity,
    ) == pytest.approx(expected, abs=1e-6)


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


def test_predictions_hold_for_new_experiments() -> None:
    """Ten experiments with true effects of spread .05: of 400 new ones at least nine in ten lie inside."""
    rng = np.random.default_rng(11)
    inside = 0
    for _ in range(400):
        errors = rng.uniform(0.01, 0.05, 10)
        effects = 0.6 + rng.normal(0, 0.05, 10) + rng.normal(0, errors)
        found = pool(effects, errors, new_error=0.03)
        new = 0.6 + rng.normal(0, 0.05) + rng.normal(0, 0.03)
        inside += (found.new_low or 0.0) <= new <= (found.new_high or 0.0)
    assert inside >= 360
