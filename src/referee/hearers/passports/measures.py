"""May a simulated hearer stand in for people: discrimination, agreement, calibration, times and position bias against human answers.

One row is one description that a person answered. The hearer's probability of the target is held against whether the person found it (area under the
curve of Hanley & McNeil 1982; calibration as in Guo et al. 2017), its choice against the person's choice (Cohen 1960). What is not defined is None, not 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.correlation import spearman
from referee.statistics.frames import IntArray
from referee.statistics.resampling import interval, resample_counts
from referee.statistics.rounding import Steady, levels

__all__ = [
    "LAPSE",
    "AnswerColumns",
    "Bin",
    "Calibration",
    "Measures",
    "PositionBias",
    "area_under_curve",
    "calibrate",
    "choice_kappa",
    "log_likelihoods",
    "measure",
    "position_bias",
]

Truths = npt.NDArray[np.bool_]
LAPSE = 0.01
BINS = 10
# Shares of belief next to the edge of a bin are taken to lie on it: a fit leaves noise of about 1e-13 in them.
DIGITS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerColumns:
    """Answered descriptions as columns, one row an answer of a person.

    `target` and `taken` are the hearer's probabilities of the target and of what the person chose (NaN where that was no entity), `top` that of its first
    choice among the entities. `choices` and `human_choices` are places in the hearer's view, or outcomes. `delay` is what the hearer says about time (its
    uncertainty, or a predicted time), `times` what people took (NaN: unknown). `questions` and `units` number descriptions and games from 0.
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
    sizes: IntArray
    questions: IntArray
    units: IntArray

    def rows(self, kept: Truths) -> AnswerColumns:
        """Some of the rows."""
        places = np.flatnonzero(kept)
        return AnswerColumns(**{field.name: _pick(getattr(self, field.name), places) for field in fields(self)})


def _pick(column: Any, places: IntArray) -> Any:
    return tuple(column[i] for i in places) if isinstance(column, tuple) else column[places]


class Bin(NamedTuple):
    """Descriptions with a probability of the target between two bounds: how many, the mean probability, the share that people found."""

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
    """How far choices are from even over the places of a view (half the sum of absolute differences), with a chi-square test.

    `rates` has one list of shares for every size of scene.
    """

    value: float | None
    p: float | None
    n: int
    rates: dict[int, tuple[float, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measures:
    """The numbers of a passport; `intervals` are 95 % and drawn over whole units (games or speakers)."""

    n: int
    accuracy: float
    human_accuracy: float
    chance: float
    target_probability: float
    auc: float | None
    kappa: float | None
    success_kappa: float | None
    calibration: Calibration
    own_calibration_error: float | None
    time_correlation: float | None
    time_n: int
    position: PositionBias
    log_likelihood: float | None
    chance_log_likelihood: float | None
    ruled_out: int
    intervals: dict[str, tuple[float, float] | None]


def area_under_curve(scores: FloatArray, success: Truths) -> float | None:
    """The chance that a success has the higher score than a failure, ties counted half; None without both kinds."""
    return _area(levels(scores), success, np.ones(len(scores)))


def _area(places: IntArray, success: Truths, weights: FloatArray) -> float | None:
    wins = np.bincount(places, weights * success)
    losses = np.bincount(places, weights * ~success)
    total = float(wins.sum() * losses.sum())
    below = np.cumsum(losses) - losses
    return float(wins @ (below + losses / 2)) / total if total else None


def calibrate(probabilities: FloatArray, success: Truths, bins: int = BINS) -> Calibration:
    """Equal bins from 0 to 1, each open below and closed above (the first closed on both sides)."""
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


def choice_kappa(a: Sequence[str | bool], b: Sequence[str | bool]) -> float | None:
    """Cohen's kappa; 0 where one side always chooses the same, None where both do."""
    values, codes = np.unique([*map(str, a), *map(str, b)], return_inverse=True)
    first, second = codes[: len(a)], codes[len(a) :]
    counts = [np.bincount(side, minlength=len(values)) for side in (first, second)]
    expected = int(counts[0] @ counts[1]) / len(a) ** 2  # whole numbers: a kappa that should be 0 is 0
    return (float((first == second).mean()) - expected) / (1 - expected) if expected < 1 else None


def position_bias(places: IntArray, sizes: IntArray) -> PositionBias:
    """Whether places are chosen equally often; scenes of different sizes are tested apart and their chi-squares added."""
    from scipy.special import chdtrc

    n, gap, chi_square, freedom = len(places), 0.0, 0.0, 0
    rates: dict[int, tuple[float, ...]] = {}
    for size in np.unique(sizes):
        counts = np.bincount(places[sizes == size], minlength=size).astype(float)
        expected = counts.sum() / size
        rates[int(size)] = tuple(float(c) for c in counts / counts.sum())
        gap += float(np.abs(counts - expected).sum()) / 2
        chi_square += float(((counts - expected) ** 2).sum() / expected)
        freedom += int(size) - 1
    p = float(chdtrc(freedom, chi_square)) if freedom else None
    return PositionBias(value=gap / n if freedom else None, p=p, n=n, rates=rates)


def log_likelihoods(taken: FloatArray, sizes: IntArray) -> FloatArray:
    """Natural logarithms of the probabilities of what people chose, if the hearer guessed one time in a hundred (`LAPSE`).

    Without that a single choice that the hearer had ruled out would make the whole corpus impossible.
    """
    logs: FloatArray = np.log((1 - LAPSE) * taken + LAPSE / sizes)
    return logs


def measure(evidence: AnswerColumns, *, resamples: int = 500, seed: int = 1) -> Measures:
    """All measures of a passport; no rows at all are an error, for there is nothing to say about."""
    t = evidence
    if not len(t.target):
        raise InputError("there is no answer of a person to compare with", remedy="name data with human responses")
    logs = log_likelihoods(t.taken, t.sizes)
    known = ~np.isnan(logs)
    timed = spearman(t.delay, t.times)
    return Measures(
        n=len(t.target),
        accuracy=float(t.right.mean()),
        human_accuracy=float(t.human_right.mean()),
        chance=float((1 / t.sizes).mean()),
        target_probability=float(t.target.mean()),
        auc=area_under_curve(t.target, t.human_right),
        kappa=choice_kappa(t.choices, t.human_choices),
        success_kappa=choice_kappa(t.right.tolist(), t.human_right.tolist()),
        calibration=calibrate(t.target, t.human_right),
        own_calibration_error=calibrate(t.top, t.right).error,
        time_correlation=timed.r,
        time_n=timed.n,
        position=_positions(t),
        log_likelihood=float(logs[known].mean()) if known.any() else None,
        chance_log_likelihood=float(-np.log(t.sizes[known]).mean()) if known.any() else None,
        ruled_out=int((t.taken[known] == 0).sum()),
        intervals=_intervals(t, logs, resamples, seed),
    )


def _positions(t: AnswerColumns) -> PositionBias:
    """Position bias over questions: the hearer was asked each only once, however many people answered it."""
    _, first = np.unique(t.questions, return_index=True)
    pointed = [i for i in first if t.choices[i].isdigit()]
    places = np.array([int(t.choices[i]) for i in pointed], dtype=np.int64)
    return position_bias(places, t.sizes[pointed] if pointed else np.empty(0, dtype=np.int64))


def _intervals(t: AnswerColumns, logs: FloatArray, resamples: int, seed: int) -> dict[str, tuple[float, float] | None]:
    """Percentile intervals over resamples of units; with a single unit, or without resamples, there are none."""
    names = ("accuracy", "human_accuracy", "auc", "log_likelihood")
    _, units = np.unique(t.units, return_inverse=True)
    count = int(units.max()) + 1
    if count < 2 or resamples < 1:
        return dict.fromkeys(names)
    known, places = ~np.isnan(logs), levels(t.target)
    columns = np.column_stack([t.right, t.human_right, np.where(known, logs, 0.0), known, np.ones(len(known))])
    sums = np.array([np.bincount(units, column, count) for column in columns.T]).T
    steady, drawn = Steady(sums, count), []
    for counts in (row for part in resample_counts(count, resamples, seed) for row in part):
        right, human_right, log, heard, n = (float(x) for x in steady.weigh(counts))
        auc = _area(places, t.human_right, counts[units])
        drawn.append((right / n, human_right / n, np.nan if auc is None else auc, log / heard if heard else np.nan))
    return dict(zip(names, map(interval, np.array(drawn).T), strict=True))
