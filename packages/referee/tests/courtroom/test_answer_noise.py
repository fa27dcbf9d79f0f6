"""Noise of hearers' means: spread and reliability against what the numbers were made with."""

from __future__ import annotations

import numpy as np
import pytest

from referee.courtroom.answer_noise import Panel, draw_means, find_ceilings, step_up
from referee.courtroom.noise_of_r import estimate_noise
from referee.metrics.hearing import MEASURES, OVER_RESPONSES, Hearing
from referee.statistics.dependent_trials import Clusters

TIME = list(OVER_RESPONSES).index("identification_ms")


def panel(times: np.ndarray) -> Panel:
    """Systems by participants by items: everybody answers everything."""
    systems, people, items = times.shape
    who, what = (part.ravel() for part in np.meshgrid(np.arange(people), np.arange(items), indexing="ij"))
    hearings = {}
    for s in range(systems):
        values = np.zeros((people * items, len(OVER_RESPONSES)))
        values[:, TIME] = times[s].ravel()
        hearings[f"s{s}"] = Hearing(participants=who, items=what, values=values)
    clusters = Clusters(("participant", "item"), (who, what))
    return Panel(hearings=hearings, clusters=dict.fromkeys(hearings, clusters))


def alone(systems: int) -> list[list[int]]:
    return [[i] for i in range(systems)]


def test_drawn_means_have_the_spread_of_people_and_of_items() -> None:
    """Times are a person's own plus an item's own: the variance of a mean of n of each is (s² + t²) / n, up to n - 1 for n."""
    rng = np.random.default_rng(1)
    people, items = rng.normal(0, 30, 25), rng.normal(0, 40, 25)
    times = (1000 + people[:, None] + items[None])[None]
    drawn = draw_means(panel(times), 2000, seed=1)[:, 0, MEASURES.index("identification_ms")]
    assert drawn.mean() == pytest.approx(times.mean(), abs=1)
    assert drawn.var() == pytest.approx((people.var() + items.var()) / 25, rel=0.1)


def test_reliability_is_what_the_numbers_were_made_with() -> None:
    """System variance 1, noise of each answer 16 over 8 x 4 answers: the mean has noise .5, so reliability is 1 / 1.5 and the ceiling its root."""
    rng = np.random.default_rng(2)
    times = rng.normal(0, 1, 120)[:, None, None] + rng.normal(0, 4, (120, 8, 4))
    found = find_ceilings(panel(times), ["identification_ms"], alone(120), seed=1)["identification_ms"]
    assert found.reliability == pytest.approx(1 / 1.5, abs=0.1)
    assert found.ceiling == pytest.approx((1 / 1.5) ** 0.5, abs=0.07)
    assert found.n == 120


def test_the_ceiling_is_that_of_the_factor_whose_halves_agree_least() -> None:
    """Systems differ on every item in a way of their own, and people agree on it: halves of the people agree, halves of the items do not."""
    rng = np.random.default_rng(3)
    times = np.repeat(rng.normal(0, 5, (60, 1, 6)), 10, axis=1) + rng.normal(0, 0.1, (60, 10, 6))
    assert find_ceilings(panel(times), ["identification_ms"], alone(60), seed=1)["identification_ms"].by == "items"


def test_two_systems_have_no_reliability_and_halves_are_stepped_up() -> None:
    times = np.random.default_rng(4).normal(size=(2, 4, 4))
    found = find_ceilings(panel(times), ["identification_ms"], alone(2), seed=1)["identification_ms"]
    assert (found.reliability, found.ceiling, found.n) == (None, None, 2)
    assert step_up(0.5) == pytest.approx(2 / 3)  # Spearman-Brown by hand: 2 · .5 / 1.5
    assert step_up(-0.2) == -0.2


def test_noise_widens_the_interval_of_r() -> None:
    """Without noise it is Fisher's: tanh(atanh r ± 1.96 / sqrt(n - 3))."""
    x = np.arange(12.0)
    y = x + np.random.default_rng(5).normal(0, 3, 12)
    r = float(np.corrcoef(x, y)[0, 1])
    still = estimate_noise(x, y, np.repeat(y[:, None], 50, axis=1))
    assert still is not None
    assert (still.low, still.high) == (pytest.approx(r), pytest.approx(r))
    assert still.interval_low == pytest.approx(np.tanh(np.arctanh(r) - 1.959964 / 3), abs=1e-6)
    shaken = estimate_noise(x, y, y[:, None] + np.random.default_rng(6).normal(0, 3, (12, 500)))
    assert shaken is not None
    assert shaken.interval_low is not None
    assert still.interval_low is not None
    assert shaken.interval_low < still.interval_low
    assert shaken.low < r
    assert estimate_noise(x[:3], y[:3], np.ones((3, 5))) is None
