"""Power by simulation against the formula for balanced designs."""

from __future__ import annotations

from math import log

import numpy as np
import polars as pl
import pytest
from scipy import stats

from referee.errors import InputError
from referee.statistics.latin_square import check_latin_squares
from referee.statistics.power import PlannedStudy, simulate_power, simulate_responses

CHALLENGE = {"systems": 12, "items": 120, "participants": 24}


def powers(found: pl.DataFrame) -> dict[str, float]:
    return dict(found.select("analysis", "power").iter_rows())


@pytest.mark.parametrize("measure", ["error", "time"])
def test_without_an_effect_a_test_is_significant_as_often_as_alpha_says(measure: str) -> None:
    found = simulate_power(PlannedStudy(**CHALLENGE, effect=0.0, measure=measure), simulations=2000, seed=3)
    for row in found.head(2).iter_rows(named=True):
        assert row["power"] == pytest.approx(0.05, abs=0.015), row


def test_power_of_times_is_that_of_the_noncentral_t_and_f() -> None:
    """With 120 times a system and residual spread .3 the error of a difference is .3·sqrt(2/120), with 1,311 degrees of freedom."""
    found = powers(simulate_power(PlannedStudy(**CHALLENGE, effect=0.10, measure="time"), simulations=4000, seed=1))
    df = 2 * 11 * 59 - 11
    shift = log(1.1) / (0.3 * (2 / 120) ** 0.5)
    pair = stats.nct.sf(stats.t.ppf(0.975, df), df, shift) + stats.nct.cdf(-stats.t.ppf(0.975, df), df, shift)
    assert found["one planned pair"] == pytest.approx(pair, abs=0.025)
    noncentrality = 120 * log(1.1) ** 2 * (1 - 1 / 12) / 0.3**2
    everything = stats.ncf.sf(stats.f.ppf(0.95, 11, df), 11, df, noncentrality)
    assert found["all systems"] == pytest.approx(everything, abs=0.025)
    assert found["the pair among all"] < found["one planned pair"]


def test_more_people_and_larger_effects_are_found_more_often() -> None:
    small, large, many = (
        powers(simulate_power(study, simulations=300))["one planned pair"]
        for study in (
            PlannedStudy(**CHALLENGE, effect=0.05),
            PlannedStudy(**CHALLENGE, effect=0.15),
            PlannedStudy(systems=12, items=480, participants=48, effect=0.05),
        )
    )
    assert small < many
    assert small < large


def test_the_spread_of_people_does_not_hide_a_difference_of_times() -> None:
    """Everyone sees every system, so the spread of people and items drops out of the comparison."""
    calm, wild = (
        powers(
            simulate_power(PlannedStudy(**CHALLENGE, effect=0.1, measure="time", participant_sd=sd), simulations=500)
        )
        for sd in (0.0, 2.0)
    )
    assert calm["one planned pair"] == pytest.approx(wild["one planned pair"], abs=0.02)


def test_the_closed_form_test_is_that_of_a_linear_model_with_fixed_blocks() -> None:
    import statsmodels.formula.api as smf
    from statsmodels.stats.anova import anova_lm

    from referee.statistics.power import _assign_systems, _count_significant, _simulate_outcomes

    study = PlannedStudy(systems=3, items=12, participants=3, effect=0.3, measure="time")
    layout = _assign_systems(study, 5)
    y = _simulate_outcomes(study, layout, 1, np.random.default_rng(5))
    frame = simulate_responses(study, seed=5)
    assert frame["time"].to_list() == pytest.approx(y.ravel().tolist())
    data = {c: frame[c].to_list() for c in frame.columns}
    p = float(
        anova_lm(smf.ols("time ~ C(participant) + C(item) + C(system)", data).fit(), typ=1).loc["C(system)", "PR(>F)"]
    )
    # just above its p a level calls the study significant, just below it does not
    assert [_count_significant(y, layout, 3, p * factor)[0] for factor in (1.0001, 0.9999)] == [1, 0]


def test_simulated_studies_are_repeated_latin_squares() -> None:
    frame = simulate_responses(PlannedStudy(**CHALLENGE, effect=0.1), seed=2)
    assert frame.height == 1440
    assert check_latin_squares(frame) == []
    assert set(frame["error"].unique()) == {0.0, 1.0}


def test_the_same_seed_gives_the_same_power_and_progress_is_told() -> None:
    told: list[int] = []
    study = PlannedStudy(systems=3, items=9, participants=3, effect=0.2)
    first = simulate_power(study, simulations=120, seed=4, progress=told.append)
    assert first.equals(simulate_power(study, simulations=120, seed=4))
    assert told == [50, 100, 120]
    assert first["simulations"].to_list() == [120] * 3
    assert all(row["low"] <= row["power"] <= row["high"] for row in first.iter_rows(named=True))


def test_impossible_studies_are_refused() -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        simulate_power(PlannedStudy(**CHALLENGE, effect=0.95))
    with pytest.raises(InputError, match="is unknown"):
        simulate_power(PlannedStudy(**CHALLENGE, effect=0.1, measure="speed"))
    with pytest.raises(InputError, match="effect on times"):
        simulate_power(PlannedStudy(**CHALLENGE, effect=-1.5, measure="time"))
    with pytest.raises(InputError, match="cannot be divided into blocks of 12"):
        simulate_power(PlannedStudy(systems=12, items=100, participants=24, effect=0.1))
    with pytest.raises(InputError, match="simulations is 0"):
        simulate_power(PlannedStudy(**CHALLENGE, effect=0.1), simulations=0)
