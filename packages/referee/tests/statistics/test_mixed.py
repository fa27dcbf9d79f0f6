"""Mixed models against exact formulas for balanced designs and against known simulated worlds."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from referee.errors import InputError
from referee.statistics.mixed import fit_fullest_model, mixed_correctness, mixed_times
from referee.statistics.power import PlannedStudy, simulate_responses

STUDY = PlannedStudy(systems=4, items=48, participants=24, effect=0.5, measure="time", participant_sd=0.4, item_sd=0.3)


def times(seed: int = 1) -> pl.DataFrame:
    return simulate_responses(STUDY, seed=seed).with_columns((pl.col("time") + 7).exp().alias("ms"))


def residual_of_fixed_blocks(frame: pl.DataFrame) -> float:
    """The residual SD of log times with systems, participants and items all as fixed effects."""
    y = np.log(frame["ms"].to_numpy())
    blocks = frame.select(pl.col("system", "participant", "item").cast(pl.String)).to_dummies().to_numpy().astype(float)
    weights, _, rank, _ = np.linalg.lstsq(blocks, y, rcond=None)
    return float(np.sqrt(((y - blocks @ weights) ** 2).sum() / (len(y) - rank)))


def test_effects_in_a_balanced_design_are_differences_of_means() -> None:
    """48 answers a system, each participant and item equally often in all: participants and items drop out of a difference."""
    frame = times()
    means = dict(frame.group_by("system").agg(pl.col("ms").log().mean()).iter_rows())
    found = mixed_times(frame, time="ms", baseline="0")
    assert found.converged, found.message
    assert found.effects[0].system == "1"
    assert found.effects[0].estimate == pytest.approx(means[1] - means[0], rel=1e-9)
    assert found.effects[0].error == pytest.approx(found.sds["residual"] * np.sqrt(2 / 48), rel=1e-9)
    assert found.effects[0].ratio == pytest.approx(np.exp(means[1] - means[0]), rel=1e-9)
    assert found.sds["residual"] == pytest.approx(residual_of_fixed_blocks(frame), rel=1e-3)
    assert (found.n, found.participants, found.items, found.df) == (192, 24, 48, 3)


def test_the_spread_of_participants_and_items_is_found() -> None:
    found = mixed_times(times(), time="ms")
    assert found.sds["participant"] == pytest.approx(0.4, abs=0.15)
    assert found.sds["item"] == pytest.approx(0.3, abs=0.12)
    assert found.sds["residual"] == pytest.approx(0.3, abs=0.05)


def test_slopes_widen_the_intervals_when_people_differ_in_what_suits_them() -> None:
    frame = times()
    rng = np.random.default_rng(3)
    taste = rng.normal(0, 0.5, (24, 4))
    shift = [taste[p, s] for p, s in frame.select("participant", "system").iter_rows()]
    frame = frame.with_columns((pl.col("ms") * pl.Series(np.exp(shift))).alias("ms"))
    plain, sloped = mixed_times(frame, time="ms"), mixed_times(frame, time="ms", slopes=True)
    assert sloped.sds["participant x system"] == pytest.approx(0.5, abs=0.2)
    assert (sloped.effects[0].error or 0) > 1.2 * (plain.effects[0].error or 1)


def test_the_omnibus_test_sees_a_system_that_is_slower() -> None:
    found = mixed_times(times(), time="ms", baseline="0")
    assert found.p is not None
    assert found.p < 0.001
    assert all(e.ratio < 1 and (e.high or 2) < 1 for e in found.effects)


def test_correctness_finds_the_odds_of_a_simulated_world() -> None:
    study = PlannedStudy(systems=4, items=96, participants=12, effect=0.3, base=0.3, participant_sd=0.8, item_sd=0.6)
    found = mixed_correctness(simulate_responses(study, seed=2), correct="error", baseline="0")
    assert found.converged, found.message
    # the baseline errs at 0.6 against 0.3 of the others: log odds differ by 1.25, known to about 0.27 here
    assert np.mean([e.estimate for e in found.effects]) == pytest.approx(-1.25, abs=0.6)
    assert found.p is not None
    assert found.p < 0.001
    assert found.frame()["n"].to_list() == [384] * 3
    assert found.sds["participant"] == pytest.approx(0.8, abs=0.4)


def test_a_system_that_never_errs_is_named_rather_than_fitted() -> None:
    frame = pl.DataFrame(
        {
            "participant": [1, 1, 2, 2] * 2,
            "item": [1, 2, 1, 2] * 2,
            "system": ["good"] * 4 + ["fair"] * 4,
            "correct": [1, 1, 1, 1, 1, 0, 0, 1],
        }
    )
    with pytest.raises(InputError, match="all outcomes of good"):
        mixed_correctness(frame, correct="correct")


def test_bad_outcomes_times_and_baselines_are_refused() -> None:
    frame = times()
    with pytest.raises(InputError, match="not above 0"):
        mixed_times(frame.with_columns(pl.lit(0.0).alias("ms")), time="ms")
    with pytest.raises(InputError, match="other than 0 and 1"):
        mixed_correctness(frame, correct="ms")
    with pytest.raises(InputError, match="'x' has no rows"):
        mixed_times(frame, time="ms", baseline="x")
    with pytest.raises(InputError, match="fewer than two systems"):
        mixed_times(frame.filter(pl.col("system") == 1), time="ms")
    with pytest.raises(InputError, match="fewer than two participants"):
        mixed_times(frame.filter(pl.col("participant") == 1), time="ms")


def test_a_random_effect_without_variance_is_named_and_no_failure() -> None:
    study = PlannedStudy(systems=2, items=24, participants=12, effect=0, measure="time", participant_sd=0, item_sd=0)
    worlds = (simulate_responses(study, seed=seed).with_columns(pl.col("time").exp().alias("ms")) for seed in range(4))
    found = [mixed_times(world, time="ms") for world in worlds]
    assert all(m.converged for m in found)
    assert any(m.singular for m in found)
    assert all(m.singular == tuple(kind for kind in ("participant", "item") if not m.sds[kind]) for m in found)


def test_slopes_need_more_than_one_answer_to_a_system() -> None:
    once = times().group_by("participant", "system", maintain_order=True).first()
    with pytest.raises(InputError, match="'participant x system'"):
        mixed_times(once, time="ms", slopes=True)


def crossed(systems: int, people: int = 8, items: int = 6, seed: int = 5) -> pl.DataFrame:
    """Everybody answers every item in every system; people differ in what suits them."""
    rng = np.random.default_rng(seed)
    pace, hard, taste = rng.normal(0, 0.3, people), rng.normal(0, 0.2, items), rng.normal(0, 0.4, (people, systems))
    rows = [
        (p, i, str(s), float(np.exp(7 + pace[p] + hard[i] + taste[p, s] + 0.1 * s + rng.normal(0, 0.3))))
        for p in range(people)
        for i in range(items)
        for s in range(systems)
    ]
    return pl.DataFrame(rows, schema=["participant", "item", "system", "ms"], orient="row")


def test_slopes_in_a_balanced_design_are_the_paired_t_test() -> None:
    """With slopes by participant the error of a balanced contrast is that of people's own differences: Student's paired t with n - 1 degrees of freedom."""
    from scipy.stats import ttest_rel

    frame = crossed(2)
    own = frame.group_by("participant", "system").agg(pl.col("ms").log().mean()).sort("participant", "system")
    one, two = (own.filter(pl.col("system") == s)["ms"].to_numpy() for s in "01")
    by_hand = ttest_rel(two, one)
    found = mixed_times(frame, time="ms", slopes=("participant",)).effects[0]
    assert found.z == pytest.approx(by_hand.statistic, rel=1e-4)
    assert found.df == pytest.approx(7, rel=1e-2)
    assert found.p == pytest.approx(by_hand.pvalue, rel=1e-2)


def test_the_omnibus_test_of_three_systems_is_that_of_repeated_measures() -> None:
    """F(2, 14) of an analysis of variance with repeated measures over the means of eight people (by hand: MS of systems over MS of people x systems)."""
    frame = crossed(3)
    means = frame.group_by("participant", "system").agg(pl.col("ms").log().mean()).sort("participant", "system")
    table = means["ms"].to_numpy().reshape(8, 3)
    effect = 8 * ((table.mean(axis=0) - table.mean()) ** 2).sum() / 2
    rest = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
    by_hand = effect / ((rest**2).sum() / 14)
    found = mixed_times(frame, time="ms", slopes=("participant",))
    assert (found.chi2 or 0) / found.df == pytest.approx(by_hand, rel=1e-3)
    assert found.error_df == pytest.approx(14, rel=2e-2)


def test_slopes_are_simplified_by_the_stated_rule() -> None:
    def fit(frame: pl.DataFrame):  # type: ignore[no-untyped-def]
        return fit_fullest_model(lambda slopes: mixed_times(frame, time="ms", slopes=slopes), frame)

    # Everybody meets each system six times, every item eight times: both are asked for.
    full = fit(crossed(2))
    assert "participant x system" in full.sds
    assert all("no variance" in said for said in full.simplified)
    # In a Latin square of 24 people and 48 items an item meets a system once.
    latin = fit(times())
    assert any(said.startswith("slopes by item left out (1.0 answers") for said in latin.simplified)
    # Nobody has a taste of their own: the slopes go, and the rule says so.
    same = crossed(2).with_columns(pl.col("ms") * 0 + 1000 + pl.col("item") * 10 + pl.int_range(pl.len()) % 7)
    assert "participant x system" not in fit(same).sds


def test_correctness_with_slopes_tests_by_t_with_few_people() -> None:
    rng = np.random.default_rng(2)
    frame = crossed(2).with_columns(right=pl.Series((rng.random(96) < 0.7).astype(float)))
    found = mixed_correctness(frame, correct="right", slopes=("participant",))
    assert found.effects[0].df == 7
    plain = mixed_correctness(frame, correct="right")
    assert plain.effects[0].df is None
