"""Evaluates a simulated hearer against human answers: discrimination, agreement, calibration, times and position bias.

One row is one description that a person answered. The hearer's probability of the target is compared with the person's
success (area under the curve of Hanley & McNeil 1982; calibration as in Guo et al. 2017), its choice with the person's
choice (Cohen 1960). Intervals and tests are over sampling units (games, participants …), not over single answers.
Undefined values are None, not 0.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.hearers.passports.areas import DIGITS, Area, Bounds, Truths, measure_area
from referee.statistics.correlation import spearman
from referee.statistics.dependent_trials import Clusters, Spread, average_rows, spread
from referee.statistics.frames import IntArray

LAPSE = 0.01
BINS = 10
SHARE = (0.0, 1.0)
LIMIT = 0.025  # of a one-sided p: the level of a two-sided 95 % interval


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerColumns:
    """Answered descriptions as columns, one row per human answer.

    `target` and `taken` are the hearer's probabilities of the target and of the person's choice (NaN if that was no
    entity), `top` that of its first choice among the entities. `choices` and `human_choices` are positions in a random
    view, or outcomes; `shown` the hearer's choices by the positions that it was actually shown. `delay` is the hearer's
    uncertainty or predicted time, `times` people's times (NaN: unknown). `questions` numbers descriptions from 0,
    `games` and `conditions` those of the trials (-1: none); `clusters` are the sampling units.
    """

    target: FloatArray
    taken: FloatArray
    top: FloatArray
    delay: FloatArray
    times: FloatArray
    right: Truths
    human_right: Truths
    choices: tuple[str, ...]
    human_choices: tuple[str, ...]
    shown: tuple[str, ...]
    sizes: IntArray
    questions: IntArray
    games: IntArray
    conditions: IntArray
    clusters: Clusters

    def rows(self, selected: Truths) -> AnswerColumns:
        """Return some of the rows."""
        return AnswerColumns(**{field.name: _pick(getattr(self, field.name), selected) for field in fields(self)})


def _pick(column: Any, selected: Truths) -> Any:
    """Return the selected rows of a column."""
    if isinstance(column, Clusters):
        return column.part(selected)
    return tuple(column[i] for i in np.flatnonzero(selected)) if isinstance(column, tuple) else column[selected]


class Bin(NamedTuple):
    """Descriptions with a probability of the target between two bounds.

    How many, the mean probability, the share that people found.
    """

    low: float
    high: float
    n: int
    predicted: float
    observed: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """The reliability curve (empty bins left out) and the mean gap between promise and outcome, weighted by n."""

    error: float | None
    curve: tuple[Bin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PositionBias:
    """How far choices are from even over the places of a view (half the sum of absolute differences), with a chi-square test by cluster.

    `rates` has one list of shares for every size of scene.
    """

    value: float | None
    p: float | None
    n: int
    rates: dict[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AboveChance:
    """Test of the probability of the target against chance.

    Mean difference, t over clusters, one-sided p, and the kind of clusters.
    """

    difference: float
    t: float | None
    df: float
    p: float | None
    n: int
    over: str

    @property
    def holds(self) -> bool:
        """Return whether the test is significant; without variance, whether the difference is positive."""
        return self.difference > 0 if self.p is None else self.p < LIMIT


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """The numbers of a passport; `intervals` are 95 % intervals over the sampling units."""

    n: int
    accuracy: float
    expected_accuracy: float
    human_accuracy: float
    chance: float
    above_chance: AboveChance
    auc: float | None
    within_condition: Area
    within_game: Area
    kappa: float | None
    success_kappa: float | None
    calibration: Calibration
    success_calibration_error: float | None
    time_correlation: float | None
    time_n: int
    position: PositionBias
    position_shown: PositionBias
    log_likelihood: float | None
    chance_log_likelihood: float | None
    ruled_out: int
    intervals: dict[str, Bounds | None]


def calibrate(probabilities: FloatArray, success: Truths, bins: int = BINS) -> Calibration:
    """Return the calibration in equal bins from 0 to 1, each open below and closed above (the first closed on both sides)."""
    edges = np.linspace(0, 1, bins + 1)
    place = np.searchsorted(edges[1:-1], np.round(probabilities, DIGITS))
    curve = []
    for i in range(bins):
        inside = place == i
        if inside.any():
            observed, predicted = float(success[inside].mean()), float(probabilities[inside].mean())
            curve.append(Bin(float(edges[i]), float(edges[i + 1]), int(inside.sum()), predicted, observed))
    n = sum(b.n for b in curve)
    error = sum(b.n * abs(b.predicted - b.observed) for b in curve) / n if n else None
    return Calibration(error=error, curve=tuple(curve))


def compute_choice_kappa(a: Sequence[str | bool], b: Sequence[str | bool]) -> float | None:
    """Return Cohen's kappa; 0 if one side always chooses the same, None if both do."""
    values, codes = np.unique([*map(str, a), *map(str, b)], return_inverse=True)
    first, second = codes[: len(a)], codes[len(a) :]
    shares = [np.bincount(side, minlength=len(values)) / len(a) for side in (first, second)]
    expected = float(shares[0] @ shares[1])
    return (float((first == second).mean()) - expected) / (1 - expected) if expected < 1 else None


def measure_position_bias(places: IntArray, sizes: IntArray, clusters: Clusters | None = None) -> PositionBias:
    """Return a test of whether all positions are chosen equally often.

    Scenes of different sizes are tested apart and their chi-squares added.

    The chi-square of each size is divided by its design effect (Rao & Scott 1981, first order), and the sum is referred to F with the clusters' degrees of
    freedom (Thomas & Rao 1987).
    """
    from scipy.special import chdtrc, fdtrc

    n, gap, chi_square, freedom, count = len(places), 0.0, 0.0, 0, 0
    rates: dict[int, tuple[float, ...]] = {}
    for size in np.unique(sizes):
        of_size = sizes == size
        counts = np.bincount(places[of_size], minlength=size).astype(float)
        expected = counts.sum() / size
        rates[int(size)] = tuple(float(c) for c in counts / counts.sum())
        gap += float(np.abs(counts - expected).sum()) / 2
        effect, groups = _compute_design_effect(
            places[of_size], int(size), None if clusters is None else clusters.part(of_size)
        )
        chi_square += float(((counts - expected) ** 2).sum() / expected) / effect
        freedom, count = freedom + int(size) - 1, max(count, groups)
    if not freedom:
        return PositionBias(value=None, p=None, n=n, rates=rates)
    p = fdtrc(freedom, freedom * (count - 1), chi_square / freedom) if count > 1 else chdtrc(freedom, chi_square)
    return PositionBias(value=gap / n, p=float(p), n=n, rates=rates)


def _compute_design_effect(places: IntArray, size: int, clusters: Clusters | None) -> tuple[float, int]:
    """Return the ratio of the variance of the proportions to that of independent choices, at least 1.

    And the number of clusters.
    """
    if clusters is None or not clusters.codes or size < 2:
        return 1.0, 0
    chosen = [(places == place).astype(float) for place in range(size)]
    clustered = sum(spread(choices[:, None], average_rows, clusters).error ** 2 for choices in chosen)
    alone = sum(float(choices.mean() * (1 - choices.mean())) for choices in chosen) / len(places)
    effect = clustered / alone if alone else 1.0
    return (1.0, 0) if isnan(effect) else (max(1.0, effect), min(clusters.sizes()))


def log_likelihoods(taken: FloatArray, sizes: IntArray) -> FloatArray:
    """Return log probabilities of people's choices for a hearer that guesses one time in a hundred (`LAPSE`).

    Without guesses, one choice that the hearer excluded would give the whole corpus probability 0.
    """
    logs: FloatArray = np.log((1 - LAPSE) * taken + LAPSE / sizes)
    return logs


def set_against_chance(t: AnswerColumns) -> AboveChance:
    """Test whether the mean belief in the target is above that of equal chances, by t over clusters."""
    from scipy.special import stdtr

    excess = spread((t.target - 1 / t.sizes)[:, None], average_rows, t.clusters)
    usable = not isnan(excess.error) and excess.error > 0 and excess.df > 0
    score = excess.value / excess.error if usable else None
    return AboveChance(
        difference=excess.value,
        t=score,
        df=excess.df,
        p=None if score is None else float(stdtr(excess.df, -score)),
        n=len(t.target),
        over=describe_units(t.clusters, len(t.target)),
    )


def describe_units(clusters: Clusters, n: int) -> str:
    """Describe the sampling units with their numbers."""
    if not clusters.codes:
        return f"{n:,} answers"
    return " x ".join(f"{size:,} {name}s" for name, size in zip(clusters.names, clusters.sizes(), strict=True))


def measure(evidence: AnswerColumns, *, intervals: bool = True) -> Measures:
    """Return all measures of a passport. Raises an error without any rows."""
    t = evidence
    if not len(t.target):
        raise InputError("there are no human answers to compare with", remedy="name data with human responses")
    logs = log_likelihoods(t.taken, t.sizes)
    has_likelihood = ~np.isnan(logs)
    timed = spearman(t.delay, t.times)
    clusters = t.clusters if intervals else None
    area = measure_area(t.target, t.human_right, clusters)
    return Measures(
        n=len(t.target),
        accuracy=float(t.right.mean()),
        expected_accuracy=float(t.target.mean()),
        human_accuracy=float(t.human_right.mean()),
        chance=float((1 / t.sizes).mean()),
        above_chance=set_against_chance(t),
        auc=area.value,
        within_condition=measure_area(t.target, t.human_right, clusters, t.conditions),
        within_game=measure_area(t.target, t.human_right, clusters, t.games),
        kappa=compute_choice_kappa(t.choices, t.human_choices),
        success_kappa=compute_choice_kappa(t.right.tolist(), t.human_right.tolist()),
        calibration=calibrate(t.target, t.human_right),
        success_calibration_error=calibrate(t.top, t.right).error,
        time_correlation=timed.r,
        time_n=timed.n,
        position=_test_question_bias(t, t.choices),
        position_shown=_test_question_bias(t, t.shown),
        log_likelihood=float(logs[has_likelihood].mean()) if has_likelihood.any() else None,
        chance_log_likelihood=float(-np.log(t.sizes[has_likelihood]).mean()) if has_likelihood.any() else None,
        ruled_out=int((t.taken[has_likelihood] == 0).sum()),
        intervals=_compute_intervals(t, logs, area) if intervals else {},
    )


def _test_question_bias(t: AnswerColumns, choices: Sequence[str]) -> PositionBias:
    """Return the position bias over questions: each counts once, however many people answered it."""
    asked_first = np.sort(np.unique(t.questions, return_index=True)[1]).tolist()
    pointed = np.zeros(len(choices), dtype=bool)
    pointed[[i for i in asked_first if choices[i].isdigit()]] = True
    places = np.array([int(choice) for choice, counts in zip(choices, pointed, strict=True) if counts], dtype=np.int64)
    return measure_position_bias(places, t.sizes[pointed], t.clusters.part(pointed))


def _compute_intervals(t: AnswerColumns, logs: FloatArray, area: Area) -> dict[str, Bounds | None]:
    """Return 95 % intervals over clusters; none for a single cluster."""
    intervals: dict[str, Bounds | None] = {
        name: get_bounds(spread(column.astype(float)[:, None], average_rows, t.clusters, limits=limits))
        for name, column, limits in (
            ("accuracy", t.right, SHARE),
            ("expected_accuracy", t.target, SHARE),
            ("human_accuracy", t.human_right, SHARE),
            ("log_likelihood", logs, (None, 0.0)),
        )
    }
    return {**intervals, "auc": area.interval, "kappa": _compute_kappa_bounds(t)}


def get_bounds(estimate: Spread) -> Bounds | None:
    """Return the bounds of an interval; None without one."""
    return None if isnan(estimate.low) or isnan(estimate.high) else (estimate.low, estimate.high)


def _compute_kappa_bounds(t: AnswerColumns) -> Bounds | None:
    """Return the interval of kappa by leaving out whole clusters.

    Kappa is a function of sums (agreements and choices).
    """
    values, codes = np.unique([*t.choices, *t.human_choices], return_inverse=True)
    width, n = len(values), len(t.choices)
    eye = np.eye(width)
    first, second = eye[codes[:n]], eye[codes[n:]]
    rows = np.column_stack([(first * second).sum(axis=1), first, second])
    return get_bounds(spread(rows, _finish_kappa(width), t.clusters, limits=(-1.0, 1.0)))


def _finish_kappa(width: int) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Return the function that computes kappa from sums."""

    def finish(totals: FloatArray, counts: FloatArray) -> FloatArray:
        """Return Cohen's kappa from sums of agreement and of marginal counts; NaN if chance agreement is 1."""
        agreed = totals[..., 0] / counts
        expected = (totals[..., 1 : 1 + width] * totals[..., 1 + width :]).sum(axis=-1) / counts**2
        kappas: FloatArray = np.divide(
            agreed - expected, 1 - expected, out=np.full(np.shape(agreed), np.nan), where=expected < 1 - 1e-12
        )
        return kappas

    return finish
