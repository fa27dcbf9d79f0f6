"""Power by simulation.

How often a planned identification study would detect a difference of a given size (after Westfall et al. 2014).

A study is simulated in repeated Latin squares with random effects of participants and items; one system differs from
all others by the effect. Within a group of participants all items are seen, and systems are balanced over both, so the
model with participants, items and systems has closed-form sums of squares: its tests are those of the mixed model with
crossed random intercepts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from referee.contracts import FloatArray
from referee.engines.calls import Call, call_all
from referee.engines.local import LocalEngine
from referee.engines.pieces import Engine
from referee.errors import InputError
from referee.statistics.frames import IntArray, make_frame
from referee.statistics.homogeneous_subsets import find_studentised_range
from referee.statistics.latin_square import repeated_latin_squares

if TYPE_CHECKING:
    import polars as pl

# Simulations at a time: large enough for the matrix products, small enough to report progress and stay within memory.
BLOCK = 50
HERE = LocalEngine()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedStudy:
    """A planned study: its sizes, the effect to be detected, and the variation of people and items.

        For measure "error", base and effect are rates at the typical participant and item (0.10 and +0.05), and the spreads of participants and items
    are on the logit scale. For "time", effect is a proportion (0.10 = ten per cent slower) and the three spreads are on the log scale. The default
    spreads of times together give the spread printed for the identification times of 2008 (about 700 ms around 1,800 ms).
    """

    systems: int
    items: int
    participants: int
    effect: float
    measure: str = "error"
    base: float = 0.10
    participant_sd: float | None = None
    item_sd: float | None = None
    residual_sd: float = 0.30

    @property
    def spreads(self) -> tuple[float, float]:
        """Standard deviations of participants and items, with the defaults of the measure."""
        participant, item = (0.20, 0.10) if self.measure == "time" else (0.50, 0.50)
        return (
            participant if self.participant_sd is None else self.participant_sd,
            item if self.item_sd is None else self.item_sd,
        )

    @property
    def groups(self) -> int:
        """The number of groups of participants: a group has as many participants as there are systems."""
        return self.participants // self.systems


def simulate_power(
    study: PlannedStudy,
    *,
    simulations: int = 1000,
    alpha: float = 0.05,
    seed: int = 1,
    engine: Engine = HERE,
    shard: int = 1,
    progress: Callable[[int], None] = lambda done: None,
) -> pl.DataFrame:
    """Return the proportion of simulated studies that detect the effect, with its 95% Wilson interval.

    One row for each analysis.

    all systems: the omnibus F test; one planned pair: the different system against one other, without correction; the
    pair among all: the same pair by Tukey's criterion over all systems. Simulations are made in blocks with independent
    seeds; `engine` does them, `shard` blocks at a time, which does not affect results. `progress` receives the number
    of finished simulations.
    """
    _check_study(study, simulations)
    layout = _assign_systems(study, seed)
    starts = range(0, simulations, BLOCK)
    sizes = [min(BLOCK, simulations - start) for start in starts]
    calls: list[Call] = [
        (_simulate_block, (study, layout, start, size, alpha, seed)) for start, size in zip(starts, sizes, strict=True)
    ]
    done = 0

    def advance(blocks: int) -> None:
        """Report the number of finished simulations."""
        nonlocal done
        done = min(simulations, done + blocks * BLOCK)
        progress(done)

    hits = np.sum(call_all(engine, calls, shard, advance), axis=0)
    names = ("all systems", "one planned pair", "the pair among all")
    columns = ("analysis", "power", "low", "high", "simulations", "trials", "alpha")
    rows = [
        (name, hit / simulations, *compute_wilson_interval(int(hit), simulations), simulations, layout.size, alpha)
        for name, hit in zip(names, hits.tolist(), strict=True)
    ]
    return make_frame(columns, rows)


def _simulate_block(
    study: PlannedStudy, layout: IntArray, start: int, number: int, alpha: float, seed: int
) -> FloatArray:
    """Simulate `number` studies and count, for each of the three analyses, those that detect the effect."""
    rng = np.random.default_rng([seed, start])
    return _count_significant(_simulate_outcomes(study, layout, number, rng), layout, study.systems, alpha)


def simulate_responses(study: PlannedStudy, *, seed: int = 1) -> pl.DataFrame:
    """Return one simulated study as a tidy frame: participant, item, system, outcome.

    The outcome is an error (0/1) or a time in log units.
    """
    _check_study(study, 1)
    layout = _assign_systems(study, seed)
    values = _simulate_outcomes(study, layout, 1, np.random.default_rng(seed))[0]
    group, row, column = (axis.ravel() for axis in np.indices(layout.shape))
    participant = group * study.systems + row
    item = group * layout.shape[2] + column
    rows = zip(participant.tolist(), item.tolist(), layout.ravel().tolist(), values.ravel().tolist(), strict=True)
    return make_frame(("participant", "item", "system", study.measure), rows)


def _check_study(study: PlannedStudy, simulations: int) -> None:
    """Raise InputError for impossible parameters of a study."""
    if study.measure not in ("error", "time"):
        raise InputError(f"the measure {study.measure!r} is unknown", remedy="use 'error' or 'time'")
    if study.measure == "error" and not (0 < study.base < 1 and 0 < study.base + study.effect < 1):
        raise InputError("error rates must stay between 0 and 1", remedy="change --base or --effect")
    if study.measure == "time" and study.effect <= -1:
        raise InputError(
            f"the effect on times is {study.effect}, but times cannot become 0 or negative",
            remedy="give an effect above -1",
        )
    if simulations < 1:
        raise InputError(f"the number of simulations is {simulations}", remedy="use at least one simulation")


def _assign_systems(study: PlannedStudy, seed: int) -> IntArray:
    """Return the system of every trial: group x participant of the group x item of the group."""
    design = repeated_latin_squares(study.systems, study.items, study.participants, seed).sort("participant", "item")
    systems: IntArray = design["system"].to_numpy().reshape(study.groups, study.systems, study.items // study.groups)
    return systems


def _simulate_outcomes(study: PlannedStudy, layout: IntArray, number: int, rng: np.random.Generator) -> FloatArray:
    """Return simulated outcomes: one array with the shape of the layout for every study."""
    groups, people, items = layout.shape
    participant_sd, item_sd = study.spreads
    shift = participant_sd * rng.standard_normal((number, groups, people, 1))
    shift = shift + item_sd * rng.standard_normal((number, groups, 1, items))
    shift = shift + np.where(layout == 0, _scale_effect(study), 0.0)
    noise = (
        rng.standard_normal((number, *layout.shape)) if study.measure == "time" else rng.random((number, *layout.shape))
    )
    if study.measure == "time":
        return shift + study.residual_sd * noise
    return (noise < 1 / (1 + np.exp(-(shift + _compute_logit(study.base))))).astype(float)


def _scale_effect(study: PlannedStudy) -> float:
    """Return the effect on the scale of the model (log time or log odds)."""
    return (
        log(1 + study.effect)
        if study.measure == "time"
        else _compute_logit(study.base + study.effect) - _compute_logit(study.base)
    )


def _compute_logit(rate: float) -> float:
    """Return the log odds of a rate."""
    return log(rate / (1 - rate))


def _count_significant(y: FloatArray, layout: IntArray, k: int, alpha: float) -> FloatArray:
    """Return for each of the three tests the number of significant simulations."""
    from scipy.special import fdtri, stdtrit

    groups, people, items = layout.shape
    flat, each = y.reshape(len(y), -1), layout.size // k
    means = flat @ np.eye(k)[layout.ravel()] / each
    between = each * ((means - means.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    # Double centring takes participants and items off exactly, because everyone in a group sees every item of it.
    rest = y - y.mean(axis=3, keepdims=True) - y.mean(axis=2, keepdims=True) + y.mean(axis=(2, 3), keepdims=True)
    # Systems are within the interaction of participants and items, from which their freedom is taken.
    df = groups * (people - 1) * (items - 1) - (k - 1)
    error = np.maximum((rest**2).sum(axis=(1, 2, 3)) - between, 0.0) / df
    gap = np.abs(means[:, 0] - means[:, 1])
    reach = np.sqrt(error / each)
    return np.array(
        [
            (between > (k - 1) * error * fdtri(k - 1, df, 1 - alpha)).sum(),
            (gap > float(stdtrit(df, 1 - alpha / 2)) * sqrt(2) * reach).sum(),
            (gap > find_studentised_range(k, df, alpha) * reach).sum(),
        ],
        dtype=float,
    )


def compute_wilson_interval(hits: int, trials: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a proportion."""
    from scipy.stats import binomtest

    bounds = binomtest(hits, trials).proportion_ci(method="wilson")
    return float(bounds.low), float(bounds.high)
