"""Ranking by hearers: agreement with people on the order of systems, games or speakers, and on its certainty.

Spearman's rho between mean probability of the target and people's success, and soft pairwise accuracy (Thompson et al.
2024): 1 - the mean difference of two one-sided p values that one of a pair is better, for people and for the hearer.
Systems answer the same trials and are compared on these; games and speakers have different trials, whose labels are
permuted. Both permutation distributions are approximated by a normal with their exact mean and variance, which is
accurate for ten or more answers and fast enough for a thousand games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np

from referee.contracts import FloatArray
from referee.hearers.passports.areas import Bounds
from referee.statistics.correlation import spearman
from referee.statistics.dependent_trials import Clusters, jackknife_interval
from referee.statistics.frames import IntArray

LEAST = 10
"""Fewest answers of a unit that is ranked: with fewer, its mean is too uncertain."""
FEWEST = 3
SHUFFLES = 200
Pairs = FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """Answers as columns for ranking.

    The unit of each (None: no unit), its item, people's success and the hearer's probability of the target.

    `over` is the kind of units; units with common items (`paired`) are compared on these.
    """

    over: str
    paired: bool
    units: Sequence[str | None]
    items: IntArray
    human: FloatArray
    hearer: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class RankAgreement:
    """Agreement over units of at least `least` answers.

    Intervals are over the sampling units, `spa_chance` is the value for units in random order.
    """

    over: str
    units: int
    least: int
    n: int
    spearman: float | None
    spearman_interval: Bounds | None
    spa: float
    spa_interval: Bounds | None
    spa_chance: float | None
    intervals_over: str


def rank(answers: Ranked, clusters: Clusters, shuffles: int = SHUFFLES, seed: int = 1) -> RankAgreement | None:
    """Rank agreement; None where fewer than three units have enough answers."""
    names = sorted(name for name, n in _count(answers.units).items() if n >= LEAST)
    if len(names) < FEWEST:
        return None
    numbers = {name: i for i, name in enumerate(names)}
    codes = np.array([-1 if u is None else numbers.get(u, -1) for u in answers.units], dtype=np.int64)
    table = _UnitTable(codes, answers, len(names))
    value, soft = table.rho(), table.soft()
    if answers.paired:
        without, over = _leave_clusters_out(table, clusters), " x ".join(f"{n}s" for n in clusters.names[:1])
    else:
        without, over = _leave_units_out(table), answers.over
    return RankAgreement(
        over=answers.over,
        units=len(names),
        least=LEAST,
        n=int((codes >= 0).sum()),
        spearman=value,
        spearman_interval=None if value is None or without is None else _compute_bounds(without[0], value, -1.0),
        spa=soft,
        spa_interval=None if without is None else _compute_bounds(without[1], soft, 0.0),
        spa_chance=_estimate_chance_accuracy(table.human, table.hearer, min(shuffles, SHUFFLES), seed),
        intervals_over=over,
    )


def _count(units: Sequence[str | None]) -> dict[str, int]:
    """Return the number of answers of each unit."""
    counts: dict[str, int] = {}
    for unit in units:
        if unit is not None:
            counts[unit] = counts.get(unit, 0) + 1
    return counts


def _compute_bounds(without: FloatArray, value: float, bottom: float) -> Bounds | None:
    """Return the interval from leave-one-out values; None if leaving a unit out leaves no correlation."""
    low, high = jackknife_interval([without], value, limits=(bottom, 1.0))
    return None if isnan(low) else (low, high)


class _UnitTable:
    """Means of units and the two matrices of p values, for people and for the hearer."""

    def __init__(self, codes: IntArray, answers: Ranked, units: int) -> None:
        self.codes, self.answers, self.units = codes, answers, units
        in_unit = codes >= 0
        self.means = [
            _average_units(column[in_unit], codes[in_unit], units) for column in (answers.human, answers.hearer)
        ]
        if answers.paired:
            items = np.unique(answers.items[in_unit], return_inverse=True)[1].astype(np.int64)
            self.human, self.hearer = (
                compare_units_on_items(_average_by_item(column[in_unit], codes[in_unit], items, units))
                for column in (answers.human, answers.hearer)
            )
        else:
            self.human, self.hearer = (
                compare_units_apart(column[in_unit], codes[in_unit], units)
                for column in (answers.human, answers.hearer)
            )

    def rho(self) -> float | None:
        has_mean = ~np.isnan(self.means[0])
        return spearman(self.means[0][has_mean], self.means[1][has_mean]).r

    def soft(self) -> float:
        above = np.triu_indices(self.units, 1)
        return float(1 - np.abs(self.human - self.hearer)[above].mean())


def _average_units(values: FloatArray, codes: IntArray, units: int) -> FloatArray:
    """Return the mean of each unit."""
    counts = np.bincount(codes, minlength=units)
    means: FloatArray = np.divide(
        np.bincount(codes, values, units), counts, out=np.full(units, np.nan), where=counts > 0
    )
    return means


def _leave_units_out(table: _UnitTable) -> tuple[FloatArray, FloatArray]:
    """Return rho and soft accuracy without each unit in turn."""
    human, hearer = table.means
    rhos = [spearman(np.delete(human, i), np.delete(hearer, i)).r for i in range(table.units)]
    gaps = np.abs(table.human - table.hearer)
    np.fill_diagonal(gaps, 0.0)
    left = (table.units - 1) * (table.units - 2) / 2
    softs: FloatArray = 1 - (gaps.sum() / 2 - gaps.sum(axis=1)) / left
    return np.array([np.nan if r is None else r for r in rhos]), softs


def _leave_clusters_out(table: _UnitTable, clusters: Clusters) -> tuple[FloatArray, FloatArray] | None:
    """Return rho and soft accuracy without each cluster of answers, for systems that all clusters answered."""
    if not clusters.codes:
        return None
    rhos, softs = [], []
    for cluster in np.unique(clusters.codes[0]):
        part = _UnitTable(np.where(clusters.codes[0] == cluster, -1, table.codes), table.answers, table.units)
        rho = part.rho()
        rhos.append(np.nan if rho is None else rho)
        softs.append(part.soft())
    return np.array(rhos), np.array(softs)


def compare_units_apart(values: FloatArray, codes: IntArray, units: int) -> Pairs:
    """Return the one-sided p, for every pair of units with different items, that the first is better, by permuting
    labels of items.
    """
    n = np.bincount(codes, minlength=units).astype(float)
    sums, squares = np.bincount(codes, values, units), np.bincount(codes, values**2, units)
    means = sums / n
    both = n[:, None] + n[None, :]
    spread = squares[:, None] + squares[None, :] - (sums[:, None] + sums[None, :]) ** 2 / both
    variance = np.maximum(spread, 0.0) / (both - 1) * (1 / n[:, None] + 1 / n[None, :])
    return _compute_upper_tail(means[:, None] - means[None, :], variance)


def compare_units_on_items(scores: FloatArray) -> Pairs:
    """Return the one-sided p for units with the same items (rows: units), by flipping the signs of differences by item."""
    gaps = scores[:, None, :] - scores[None, :, :]
    return _compute_upper_tail(np.nansum(gaps, axis=2), np.nansum(gaps**2, axis=2))


def _compute_upper_tail(difference: FloatArray, variance: FloatArray) -> Pairs:
    """Return the normal upper tail of a difference; .5 without variance."""
    from scipy.special import ndtr

    flat = variance <= 1e-12
    z = np.divide(difference, np.sqrt(np.maximum(variance, 0.0)), out=np.zeros_like(difference), where=~flat)
    p: Pairs = ndtr(-z)
    return p


def _average_by_item(values: FloatArray, codes: IntArray, items: IntArray, units: int) -> FloatArray:
    """Return means by unit and item."""
    size = int(items.max()) + 1
    means = _average_units(values, codes * size + items, units * size)
    return means.reshape(units, size)


def _estimate_chance_accuracy(human: Pairs, hearer: Pairs, shuffles: int, seed: int) -> float | None:
    """Return the soft accuracy of the hearer's p values with units in random order.

    It exceeds .5 if people distinguish few pairs.
    """
    if shuffles < 1:
        return None
    rng, above = np.random.default_rng([seed, 3]), np.triu_indices(len(human), 1)
    drawn = []
    for _ in range(shuffles):
        order = rng.permutation(len(human))
        drawn.append(1 - np.abs(human - hearer[np.ix_(order, order)])[above].mean())
    return float(np.mean(drawn))
