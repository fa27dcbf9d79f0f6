"""Area under the curve and rank correlation inside conditions, with intervals and tests over whole clusters (games, contexts, games x readers).

Only answers of one condition are compared with each other; conditions are put together by their pairs (area) or answers (correlation), so that a measure
which merely knows hard conditions from easy ones has .5 and 0 here. Intervals leave out one cluster at a time, with ranks made anew, and read the
spread as Student's t (`referee.statistics.dependent_trials`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from referee.contracts import FloatArray
from referee.statistics.dependent_trials import compute_jackknife, degrees_of_freedom, make_interval
from referee.statistics.frames import IntArray
from referee.statistics.rounding import number_levels

BLOCKS = 400
"""More cells of game and reader than this are pooled at random into as many blocks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """A value with its 95 % interval and the two-sided p that it is the null value; None where that cannot be known."""

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int
    clusters: tuple[int, ...] = ()


class Statistic(Protocol):
    null: float
    limits: tuple[float, float]

    def value(self, without: IntArray | None = None) -> float: ...


class Area:
    """The chance that of two answers of a condition, one right and one wrong, the right one has the higher score; ties count half."""

    null = 0.5
    limits = (0.0, 1.0)

    def __init__(self, scores: FloatArray, right: FloatArray, strata: IntArray) -> None:
        self.right = right
        self.codes, self.starts, _ = _places(scores, strata)
        self.wins = np.bincount(self.codes, right)
        self.losses = np.bincount(self.codes, 1 - right)

    def value(self, without: IntArray | None = None) -> float:
        wins, losses = self.wins, self.losses
        if without is not None:
            codes, right, size = self.codes[without], self.right[without], len(wins)
            wins = wins - np.bincount(codes, right, size)
            losses = losses - np.bincount(codes, 1 - right, size)
        won, lost = np.add.reduceat(wins, self.starts), np.add.reduceat(losses, self.starts)
        before = np.repeat(np.cumsum(lost) - lost, np.diff([*self.starts, len(wins)]))
        beaten = np.cumsum(losses) - losses / 2 - before
        pairs = float((won * lost).sum())
        return float((wins * beaten).sum()) / pairs if pairs else np.nan


class Correlation:
    """Spearman's rho inside conditions: ranks are made in each condition, as shares of its answers, and correlated over all."""

    null = 0.0
    limits = (-1.0, 1.0)

    def __init__(self, scores: FloatArray, values: FloatArray, strata: IntArray) -> None:
        self.columns = [_places(column, strata) for column in (scores, values)]

    def value(self, without: IntArray | None = None) -> float:
        first, second = (_ranks(*column, without) for column in self.columns)
        spread = float((first * first).sum()) * float((second * second).sum())
        return float((first * second).sum()) / spread**0.5 if spread > 1e-12 else np.nan


def _places(column: FloatArray, strata: IntArray) -> tuple[IntArray, IntArray, IntArray]:
    """The place of every value among the distinct values, condition after condition; where each condition starts; the condition of each place."""
    found = number_levels(column)
    _, codes = np.unique(strata * (int(found.max()) + 1) + found, return_inverse=True)
    owner = np.zeros(int(codes.max()) + 1, dtype=np.int64)
    owner[codes] = strata
    return codes.astype(np.int64), np.flatnonzero(np.diff(owner, prepend=-1)), owner


def _ranks(codes: IntArray, starts: IntArray, owner: IntArray, without: IntArray | None) -> FloatArray:
    """Mid-ranks in each condition as shares from -.5 to .5; 0 for what is left out."""
    counts = np.bincount(codes).astype(float)
    if without is not None:
        counts -= np.bincount(codes[without], minlength=len(counts))
    totals = np.add.reduceat(counts, starts)
    sizes = np.diff([*starts, len(counts)])
    before, total = np.repeat(np.cumsum(totals) - totals, sizes), np.repeat(totals, sizes)
    middle = np.divide(np.cumsum(counts) - counts / 2 - before, total, out=np.full(len(counts), 0.5), where=total > 0)
    ranks: FloatArray = (middle - 0.5)[codes]
    if without is not None:
        ranks[without] = 0.0
    return ranks


def lengths_alike(words: FloatArray) -> IntArray:
    """Lengths that count as the same: up to eight words the very number, beyond that within a fifth of each other."""
    few: IntArray = np.where(words <= 8, words, 100 + np.floor(4 * np.log2(np.maximum(words, 1)))).astype(np.int64)
    return few


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """A value, and its values without each cluster of every factor (of two factors their cells, too), with the sizes of the clusters."""

    value: float
    parts: tuple[tuple[FloatArray, FloatArray], ...]
    df: float
    n: int
    clusters: tuple[int, ...]

    def minus(self, other: LeftOut) -> LeftOut:
        """The difference from another value of the same answers."""
        pairs = zip(self.parts, other.parts, strict=True)
        parts = tuple((mine - theirs, counts) for (mine, counts), (theirs, _) in pairs)
        return replace(self, value=self.value - other.value, parts=parts)

    def tested(self, null: float, limits: tuple[float, float]) -> Tested:
        """Value, interval and p over one factor of clusters, or over two that are crossed (Cameron, Gelbach & Miller 2011)."""
        from scipy.special import stdtr

        if np.isnan(self.value):
            return Tested(value=None, n=self.n, clusters=self.clusters)
        variances = [compute_jackknife(without, self.value, counts=counts) for without, counts in self.parts]
        variance = (
            variances[0] if len(variances) == 1 else max(variances[0] + variances[1] - variances[2], *variances[:2])
        )
        low, high = make_interval(self.value, variance, self.df, 0.95, limits)
        if np.isnan(low) or variance == 0:
            return Tested(value=self.value, n=self.n, clusters=self.clusters)
        p = 2 * float(stdtr(self.df, -abs(self.value - null) / variance**0.5))
        return Tested(value=self.value, low=low, high=high, p=p, n=self.n, clusters=self.clusters)


def tested(statistic: Statistic, factors: Sequence[IntArray], n: int) -> Tested:
    """Value, interval and p over clusters."""
    return leave_out(statistic, factors, n).tested(statistic.null, statistic.limits)


def leave_out(statistic: Statistic, factors: Sequence[IntArray], n: int) -> LeftOut:
    """The value, also without each cluster."""
    value = statistic.value()
    units = list(factors)
    if len(factors) == 2:
        units.append(_blocks(factors[0] * (int(factors[1].max()) + 1) + factors[1]))
    return LeftOut(
        value=value,
        parts=() if np.isnan(value) else tuple(_without_each(statistic, codes) for codes in units),
        df=min(degrees_of_freedom(np.unique(f, return_counts=True)[1]) for f in factors),
        n=n,
        clusters=tuple(len(np.unique(f)) for f in factors),
    )


def _without_each(statistic: Statistic, codes: IntArray) -> tuple[FloatArray, FloatArray]:
    members = list(_members(codes))
    counts = np.array([len(rows) for rows in members], dtype=float)
    return np.array([statistic.value(rows) for rows in members]), counts


def _members(codes: IntArray) -> Iterator[IntArray]:
    """The rows of every cluster."""
    order = np.argsort(codes, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _blocks(cells: IntArray) -> IntArray:
    codes = np.unique(cells, return_inverse=True)[1].astype(np.int64)
    count = int(codes.max()) + 1
    if count <= BLOCKS:
        return codes
    blocks: IntArray = (np.random.default_rng(1).permutation(count) % BLOCKS)[codes]
    return blocks


def numbered(labels: Sequence[Any]) -> IntArray:
    """Labels as numbers, in order of first appearance."""
    numbers: dict[Any, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)


def noise(
    scores: FloatArray, strata: IntArray, games: IntArray, draws: int, seed: int = 1
) -> Iterator[tuple[FloatArray, IntArray]]:
    """Scores that have nothing to do with the answers, yet are as alike inside games as the true ones.

    Games are put in two random orders, one for the scores and one for the answers, and the scores of the one are laid beside the answers of the
    other, condition by condition. Gives the scores, and the rows whose answers they are laid beside.
    """
    rng, count = np.random.default_rng(seed), int(games.max()) + 1
    for _ in range(draws):
        told, heard = (np.lexsort((rng.permutation(count)[games], strata)) for _ in range(2))
        yield scores[told], heard
