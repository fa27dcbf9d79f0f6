"""Intervals and paired tests for trials that depend on each other.

Scenes that recur, speakers with several trials, games of many rounds.

A measure's statistics are added up by cluster, and clusters are the sampling unit. One factor: the value is recomputed
without each cluster in turn, and its variance is CR2 with Satterthwaite's degrees of freedom (Bell & McCaffrey 2002;
Pustejovsky & Tipton 2018). For means this is exact; corpus-level measures use the same formula on their values without
each cluster. Paired tests swap whole clusters between two systems, all 2^k ways if there are few. Two crossed factors:
the variances of both, minus that of single cells (Cameron, Gelbach & Miller 2011), with the smaller degrees of freedom
of the two: an interval about *new* scenes described by *new* speakers. Where clusters are skewed, Student's interval
ends too early on the side of the long tail; there it is extended by the Edgeworth expansion of t (Hall 1983).
Proportions of 0/1 answers have Wilson's interval at their effective size (Korn & Graubard 1998), with a design effect
that is shrunk towards a typical one, so that an additional error never narrows the interval.

`benchmarks/interval_coverage.py` simulates coverage and type I error.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isnan, nan, sqrt
from typing import Any, NamedTuple, Protocol, cast

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.statistics.rounding import TIE, Steady, is_rounding

Finish = Callable[[FloatArray, FloatArray], FloatArray]
IntArray = npt.NDArray[np.int64]
Limits = tuple[float | None, float | None]

FEW = 40
"""Below this number of clusters a warning is given: t intervals hold, but an outlying cluster has much weight."""
TESTABLE = 6
"""With fewer clusters than this a difference has an interval and no p value."""
UNSURE, SKEWED_COVERAGE = 13, ".91"
"""With fewer clusters of one factor, 95 % intervals of exponential values cover less than .92 in simulations."""
EQUAL, CARRIERS, UNEVEN_CARRIERS = 0.6, 15, 21
"""Where more values than this are equal, and the others lie in effectively fewer clusters, 95 % intervals often cover less than .92.

The first limit is for clusters of one size, the second for very unequal ones."""
# Proportions: a typical intraclass correlation of 0/1 answers (divided among crossed factors), and the effective errors that it counts for.
TYPICAL_CORRELATION, TYPICAL_WEIGHT = 0.2, 20.0
# The variance over clusters is never below this quantile of its distribution under independence.
_LEAST = 0.05
EXACT_UP_TO = 14
BLOCKS = 5000
"""Most clusters that are swapped singly; more are pooled at random into this number of blocks, which bounds the cost."""
_SLICE = 1024
# Which trials a measure misses: patterns whose order is kept.
PATTERNS = 2
# Of more clusters than this the sums are not kept; so many are left out in turn, taken together.
_MANY, _AT_ONCE = 1 << 20, 1 << 16
# Trials whose rows are read together.
_READ_AT_ONCE = 1 << 14


@dataclass(frozen=True, slots=True)
class Sample:
    """Statistics of items as sums and counts per resampling unit: `sums` (units, width), `counts` (units)."""

    sums: FloatArray
    counts: FloatArray

    @classmethod
    def of(cls, rows: FloatArray) -> Sample:
        """Return the sample of a table of statistics, one row per item; rows with NaN are absent."""
        rows = np.asarray(rows, dtype=float)
        # One sum finds a NaN in any column: a row is there as a whole or not at all.
        present = np.isfinite(rows.sum(axis=1))
        return cls(np.where(present[:, None], rows, 0.0), present.astype(float))

    def pool(self, seed: int, blocks: int = BLOCKS) -> Sample:
        """Return the units in an order that depends on their content alone.

        More than `blocks` are pooled by a seeded shuffle.
        """
        # Sums of the same numbers in another order differ in their last bits only, which single precision drops.
        order = np.lexsort((*self.sums.T.astype(np.float32), self.counts))
        if len(order) <= blocks:
            return Sample(self.sums[order], self.counts[order])
        # Shuffled, because neighbours in this order resemble each other and would make the blocks unlike.
        order = np.random.default_rng(seed).permutation(order)
        edges = np.linspace(0, len(order), blocks, endpoint=False).astype(np.int64)
        return Sample(np.add.reduceat(self.sums[order], edges, axis=0), np.add.reduceat(self.counts[order], edges))

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Return the sums of rows and counts over all clusters."""
        return self.sums.sum(axis=0), np.asarray(self.counts.sum())

    def block(self, first: int) -> FloatArray:
        """Return the sums of the units from `first` on, at most 65,536."""
        return self.sums[first : first + _AT_ONCE]


class Rows(Protocol):
    """Rows that are read when they are asked for, some trials at a time (`np.asarray` has all of them)."""

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and columns."""
        ...

    def __getitem__(self, some: slice, /) -> FloatArray: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray: ...


@dataclass(frozen=True)
class _Units:
    """The clusters of a factor, or the cells of two.

    The number of each trial's, and how many trials each has. Without `codes` each trial is one.
    """

    codes: IntArray | None
    counts: FloatArray

    @classmethod
    def of(cls, codes: IntArray) -> _Units:
        """Return the clusters with these numbers; without codes if every trial is its own cluster."""
        counts = np.bincount(codes)
        return cls.alone(len(codes)) if len(counts) == len(codes) else cls(codes, counts.astype(float))

    @classmethod
    def alone(cls, trials: int) -> _Units:
        """Return as many clusters as trials, with one trial each."""
        return cls(None, np.broadcast_to(1.0, trials))

    @cached_property
    def order(self) -> npt.NDArray[np.int32]:
        """Return an order of trials by cluster, as 32-bit integers to save memory."""
        return np.argsort(cast("IntArray", self.codes), kind="stable").astype(np.int32)

    @cached_property
    def edges(self) -> IntArray:
        """The index at which each cluster begins in `order`, and the end."""
        return np.append(0, np.cumsum(self.counts)).astype(np.int64)

    def sum_rows(self, rows: FloatArray | Rows, first: int, last: int) -> FloatArray:
        """Return the sums of rows by cluster, for the clusters `first` to `last`."""
        if self.codes is None:
            return rows[first:last]
        rows, edges = np.asarray(rows), self.edges[first : last + 1]
        trials = self.order[edges[0] : edges[-1]]
        sums = np.empty((len(edges) - 1, rows.shape[1]))
        # Column by column: of rows in another order no second copy is made.
        for column in range(rows.shape[1]):
            sums[:, column] = np.add.reduceat(rows[:, column][trials], edges[:-1] - edges[0])
        return sums


@dataclass(frozen=True, slots=True)
class _ManyClusters:
    """As `Sample`, for clusters so many that their sums are made when they are asked for, and let go."""

    rows: FloatArray | Rows
    units: _Units

    @property
    def counts(self) -> FloatArray:
        return self.units.counts

    def block(self, first: int) -> FloatArray:
        """Return the sums of the clusters from `first` on, at most 65,536."""
        return self.units.sum_rows(self.rows, first, min(first + _AT_ONCE, len(self.counts)))

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Return the sums of rows and counts over all clusters."""
        blocks = (self.block(first).sum(axis=0) for first in range(0, len(self.counts), _AT_ONCE))
        return sum(blocks, np.zeros(self.rows.shape[1])), np.asarray(self.counts.sum())


def _renumber(codes: IntArray) -> IntArray:
    """Return the same clusters numbered from 0 without gaps."""
    if not len(codes) or codes.min() < 0 or codes.max() > 4 * len(codes):
        return np.unique(codes, return_inverse=True)[1].astype(np.int64)
    is_used = np.bincount(codes) > 0
    return codes if is_used.all() else (np.cumsum(is_used) - 1)[codes]


def _cross_factors(first: IntArray, second: IntArray) -> _Units:
    """Return the cells of two crossed factors that have trials."""
    crossed = first * (int(second.max(initial=0)) + 1) + second
    # Sorted in its place to see whether any is there twice; mostly none is, and nothing has to be numbered.
    by_number = np.sort(crossed)
    if (by_number[1:] != by_number[:-1]).all():
        return _Units.alone(len(crossed))
    del by_number
    return _Units.of(_renumber(crossed))


class CodedLabels:
    """The labels of trials as integers, added in parts; a trial without a label has its own number."""

    def __init__(self) -> None:
        self._numbers: dict[str | int, int] = {}
        self._codes = array("q")
        self.unnamed = 0

    @classmethod
    def of(cls, labels: Iterable[str | None] | CodedLabels) -> CodedLabels:
        """Return labels as coded labels; coded labels are returned as they are."""
        if isinstance(labels, CodedLabels):
            return labels
        made = cls()
        made.add(list(labels))
        return made

    def add(self, labels: Sequence[str | None]) -> None:
        """Add the labels of further trials."""
        numbers, first = self._numbers, len(self._codes)
        self._codes.extend(
            [numbers.setdefault(i if x is None else x, len(numbers)) for i, x in enumerate(labels, first)]
        )
        self.unnamed += labels.count(None)

    def __len__(self) -> int:
        return len(self._codes)

    @property
    def named(self) -> int:
        """How many different labels there are."""
        return len(self._numbers) - self.unnamed

    @property
    def codes(self) -> IntArray:
        """The code of every trial."""
        return np.frombuffer(self._codes, np.int64) if self._codes else np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class Clusters:
    """The cluster of every trial, by no factor, one factor, or two crossed factors.

    -1 is a trial of no known cluster.
    """

    names: tuple[str, ...] = ()
    codes: tuple[IntArray, ...] = ()
    _units_by_mask: dict[bytes, list[_Units]] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def of(cls, labels: Mapping[str, Sequence[str | None] | CodedLabels]) -> Clusters:
        """Return clusters from labels; a trial without a label is a cluster by itself."""
        return cls(tuple(labels), tuple(CodedLabels.of(column).codes for column in labels.values()))

    def part(self, mask: npt.NDArray[np.bool_] | None) -> Clusters:
        """Return the clusters of some of the trials."""
        return self if mask is None else Clusters(self.names, tuple(codes[mask] for codes in self.codes))

    def units(self, present: npt.NDArray[np.bool_]) -> list[_Units]:
        """Return the clusters of each factor among the present trials, and the cells of two factors.

        Cached, because most measures miss the same trials.
        """
        key = np.packbits(present).tobytes()
        if key not in self._units_by_mask:
            codes = [_renumber(c if present.all() else c[present]) for c in self.codes]
            if len(self._units_by_mask) == PATTERNS:
                del self._units_by_mask[next(iter(self._units_by_mask))]
            self._units_by_mask[key] = [_Units.of(c) for c in codes] + (
                [_cross_factors(*codes)] if len(codes) == 2 else []
            )
        return self._units_by_mask[key]

    def sizes(self, present: npt.NDArray[np.bool_] | None = None) -> tuple[int, ...]:
        """Return the number of clusters of each factor (among the trials that are present)."""
        return tuple(len(np.unique(c if present is None else c[present])) for c in self.codes)


class Spread(NamedTuple):
    """A value with standard error, interval, degrees of freedom, and numbers of clusters and trials.

    NaN where the variance is not known.
    """

    value: float
    error: float
    low: float
    high: float
    df: float
    sizes: tuple[int, ...]
    n: int


class Gap(NamedTuple):
    """The difference of a system from a baseline on common trials, with interval and p by t and swaps."""

    difference: float
    error: float
    low: float
    high: float
    p_t: float
    p_swaps: float
    n: int
    df: float
    sizes: tuple[int, ...]
    exact: bool

    @property
    def p(self) -> float:
        """The two-sided p value by t, or by swaps if clusters do not vary; NaN below `TESTABLE` clusters."""
        # Without spread the swaps decide, and of fewer than 2^5 of them none is significant.
        if min(self.sizes) < TESTABLE and self.error != 0:
            return nan
        return self.p_swaps if isnan(self.p_t) else self.p_t


def average_rows(totals: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the mean of rows; NaN, not 0, without counted rows."""
    means: FloatArray = np.divide(totals[..., 0], counts, out=np.full(np.shape(counts), np.nan), where=counts > 0)
    return means


def spread(
    rows: FloatArray | Rows,
    finish: Finish,
    clusters: Clusters,
    confidence: float = 0.95,
    limits: Limits = (None, None),
) -> Spread:
    """Return value and interval of one measure from the statistics of its trials, one row each.

    A row of NaN is not measured.

    `limits` are the lowest and highest value that the measure can take. If both are set, and a plain average has only
    these two values, the interval is Wilson's at the effective sample size.
    """
    if isinstance(rows, np.ndarray):
        rows = np.asarray(rows, dtype=float)
    present = _find_measured_trials(rows)
    n = int(present.sum())
    if not n:
        return Spread(nan, nan, nan, nan, 0, clusters.sizes(present), 0)
    parts = _sum_by_cluster(rows, present, clusters)
    totals, counts = parts[0].totals()
    value = float(finish(totals, counts))
    without = [_evaluate_without_each_cluster(finish, part, totals, counts) for part in parts]
    counts_by_part = [part.counts for part in parts]
    variance, df, sizes = _compute_variance(without, value, counts_by_part)
    if clusters.codes:
        variance = _raise_to_item_variance(variance, df, rows, present, finish, value)
    error = sqrt(variance) if variance == variance else nan
    proportion = _compute_proportion(rows, present, value, limits)
    if proportion is not None:
        size = _estimate_effective_size(proportion, n, variance, limits, counts_by_part, df, clusters)
        low, high = _compute_wilson_interval(proportion, size, confidence, limits)
    else:
        third = _combine_third_moments(without, value, counts_by_part)
        low, high = make_interval(value, variance, df, confidence, limits, third)
    # Rounding can put a bound on the wrong side of a value that does not vary.
    return Spread(value, error, min(low, value), max(high, value), df, sizes, n)


def has_few_carriers(values: FloatArray, clusters: Clusters, limits: Limits = (None, None)) -> bool:
    """Return whether most values are equal, and the others lie in few clusters of every factor.

    Their effective number is (Σm)² / Σm², with m the number of other values in each cluster; the more unequal the
    clusters, the more are needed. Proportions, which have only the two `limits` as values, have intervals of their own.

    >>> has_few_carriers(np.array([0.0, 0.0, 0.0, 1.0]), Clusters())
    True
    """
    present = values[~np.isnan(values)]
    if not len(present) or np.isin(present, [x for x in limits if x is not None]).all():
        return False
    # The value of most is the median.
    others = (present != np.median(present)).astype(float)
    if not 0 < others.sum() < (1 - EQUAL) * len(present):
        return False
    for units in clusters.units(~np.isnan(values))[:2] or [_Units.alone(len(present))]:
        carriers = others if units.codes is None else np.bincount(units.codes, others)
        evenness = degrees_of_freedom(units.counts) / max(len(units.counts) - 1, 1)
        needed = UNEVEN_CARRIERS - evenness * (UNEVEN_CARRIERS - CARRIERS)
        if carriers.sum() ** 2 >= needed * (carriers**2).sum():
            return False
    return True


def compare_clustered(
    rows: FloatArray,
    base: FloatArray,
    finish: Finish,
    clusters: Clusters,
    resamples: int = 1000,
    confidence: float = 0.95,
    seed: int = 1,
) -> Gap | None:
    """Compare two systems on the trials that both have; None if they have no trial in common."""
    both = np.column_stack([np.asarray(rows, dtype=float), np.asarray(base, dtype=float)])
    present = np.isfinite(both.sum(axis=1))
    n, width = int(present.sum()), np.shape(rows)[1]
    if not n:
        return None

    def gap(totals: FloatArray, counts: FloatArray) -> FloatArray:
        values: FloatArray = finish(totals[..., :width], counts) - finish(totals[..., width:], counts)
        return values

    parts = _sum_by_cluster(both, present, clusters)
    totals, counts = parts[0].totals()
    size = max(abs(float(finish(totals[:width], counts))), abs(float(finish(totals[width:], counts))))
    difference = float(gap(totals, counts))
    if is_rounding(difference, size):
        difference = 0.0
    without = [_evaluate_without_each_cluster(gap, part, totals, counts) for part in parts]
    variance, df, sizes = _compute_variance(without, difference, [part.counts for part in parts], size)
    if clusters.codes:
        variance = _raise_to_item_variance(variance, df, both, present, gap, difference, size)
    low, high = _make_student_interval(difference, variance, df, confidence)
    p_swaps, exact = (
        (nan, False)
        if len(sizes) == 2
        else _test_by_swaps(_make_sample(parts[0]), gap, width, difference, resamples, seed)
    )
    error = sqrt(variance) if variance == variance else nan
    return Gap(difference, error, low, high, _compute_p(difference, variance, df), p_swaps, n, df, sizes, exact)


# -- sums by cluster -----------------------------------------------------------------------------------------------------------


def _find_measured_trials(rows: FloatArray | Rows) -> npt.NDArray[np.bool_]:
    """Return a mask of the trials that were measured: those without NaN in any column."""
    is_present = np.empty(rows.shape[0], bool)
    for first in range(0, len(is_present), _READ_AT_ONCE):
        is_present[first : first + _READ_AT_ONCE] = np.isfinite(rows[first : first + _READ_AT_ONCE].sum(axis=1))
    return is_present


def _sum_by_cluster(
    rows: FloatArray | Rows, present: npt.NDArray[np.bool_], clusters: Clusters
) -> list[Sample | _ManyClusters]:
    """Return sums by cluster of each factor and their cells; of single trials without factors."""
    if not clusters.codes:
        return [_drop_unmeasured(Sample.of(np.asarray(rows)))]
    if len(clusters.codes) > 2:
        raise ValueError("'clusters' has more than two factors; variances are defined for at most two crossed factors")
    measured = rows if present.all() else np.asarray(rows)[present]
    units = clusters.units(present)
    few = [u for u in units if u.codes is not None and len(u.counts) <= _MANY]
    summed = {id(u): Sample(sums, u.counts) for u, sums in zip(few, _sum_groupings(measured, few), strict=True)}
    return [summed.get(id(u)) or _ManyClusters(measured, u) for u in units]


def _sum_groupings(rows: FloatArray | Rows, groupings: Sequence[_Units]) -> list[FloatArray]:
    """Return the sums of all clusters of several groupings, in one reading of the rows."""
    trials, width = rows.shape
    sums = [np.zeros((len(units.counts), width)) for units in groupings]
    # Some trials after others: sums of sums are nearer to the truth than one long one. More at once where clusters are many, for each time all are added.
    step = max([_READ_AT_ONCE, *(len(units.counts) for units in groupings)])
    for first in range(0, trials if groupings else 0, step):
        some = rows[first : first + step]
        for column in range(width):
            values = np.ascontiguousarray(some[:, column])
            for units, totals in zip(groupings, sums, strict=True):
                codes = cast("IntArray", units.codes)[first : first + step]
                totals[:, column] += np.bincount(codes, values, len(totals))
    return sums


def _make_sample(part: Sample | _ManyClusters) -> Sample:
    """Return a part with all its sums in memory."""
    return (
        part if isinstance(part, Sample) else Sample(part.units.sum_rows(part.rows, 0, len(part.counts)), part.counts)
    )


def _drop_unmeasured(sample: Sample) -> Sample:
    """Return the sample without unmeasured units, which would count as clusters without adding information."""
    some = sample.counts > 0
    return sample if some.all() else Sample(sample.sums[some], sample.counts[some])


# -- variances -----------------------------------------------------------------------------------------------------------------


def _evaluate_without_each_cluster(
    finish: Finish, part: Sample | _ManyClusters, totals: FloatArray, counts: FloatArray
) -> FloatArray:
    """Return the value without each of the clusters in turn, from the sums of all."""
    values = np.empty(len(part.counts))
    # Some at a time, since each step of a measure's formula makes arrays of this size.
    for first in range(0, len(values), _AT_ONCE):
        some = slice(first, first + _AT_ONCE)
        values[some] = finish(totals - part.block(first), counts - part.counts[some])
    return values


def _compute_variance(
    without: Sequence[FloatArray], value: float, counts: Sequence[FloatArray] | None = None, size: float = 0.0
) -> tuple[float, float, tuple[int, ...]]:
    """Return the CR2 variance, its degrees of freedom and the numbers of clusters.

    It is computed from the values without each cluster of one factor, or of two factors and their cells.
    """
    sizes = tuple(len(v) for v in without[:2])
    counts = [np.ones(len(v)) for v in without] if counts is None else counts
    parts = [compute_jackknife(v, value, size, c) for v, c in zip(without, counts, strict=True)]
    df = min(degrees_of_freedom(c) for c in counts[:2])
    if len(parts) == 1:
        return parts[0], df, sizes
    # the cells' variance is in both of the others and counted once too often; where the difference falls below either of them (which sampling
    # error can do when one factor hardly matters), that one is the honest answer
    crossed = max(parts[0] + parts[1] - parts[2], parts[0], parts[1])
    return crossed, df, sizes


def jackknife_variance(
    without: Sequence[FloatArray], value: float, counts: Sequence[FloatArray] | None = None
) -> tuple[float, float]:
    """Return the CR2 variance and its degrees of freedom from the values without each cluster.

    `without` holds one array for one factor, three for two crossed factors (each factor, and their cells).
    """
    variance, df, _ = _compute_variance(without, value, counts)
    return variance, df


def cross_codes(codes: list[IntArray]) -> list[IntArray]:
    """Return the clusters of one factor, or of two and their cells, numbered from 0 without gaps."""
    factors = [np.unique(c, return_inverse=True)[1].astype(np.int64) for c in codes]
    if len(factors) == 2:
        cells = factors[0] * (int(factors[1].max()) + 1) + factors[1]
        factors.append(np.unique(cells, return_inverse=True)[1].astype(np.int64))
    return factors


def compute_jackknife(without: FloatArray, value: float, size: float = 0.0, counts: FloatArray | None = None) -> float:
    """Compute the CR2 variance from the values without each cluster.

    NaN with one cluster, or if the value without one is missing.

    A cluster with the proportion f of all trials (`counts`; equal by default) contributes (1 - f) times its squared
    distance. For a mean this is the CR2 variance of Bell & McCaffrey (2002); clusters of one size give (G - 1) / G
    times the sum of squares.
    """
    clusters = len(without)
    if clusters < 2 or np.isnan(without).any():
        return nan
    away = _subtract_value(without, value, size)
    return float((np.square(away, out=away) * (1 - _compute_proportions(counts, clusters))).sum())


def degrees_of_freedom(counts: FloatArray) -> float:
    """Return Satterthwaite's degrees of freedom of the CR2 variance of a mean over such clusters.

    Pustejovsky & Tipton (2018); G - 1 for equal sizes.

    >>> degrees_of_freedom(np.array([4.0, 4.0, 4.0]))
    2.0
    """
    if len(counts) < 2:
        return 0.0
    f = _compute_proportions(counts, len(counts))
    squares = f * f / (1 - f)
    crossed = float(squares.sum()) ** 2 - float((squares * squares).sum())
    # Rounded, so that equal clusters have a whole number.
    return round(1 / (float((f * f).sum()) + crossed), 9)


def _compute_proportions(counts: FloatArray | None, clusters: int) -> FloatArray:
    """Return the proportion of all trials that each cluster has."""
    if counts is None:
        return np.full(clusters, 1 / clusters)
    proportions: FloatArray = counts / counts.sum()
    return proportions


def _raise_to_item_variance(
    variance: float,
    df: float,
    rows: FloatArray | Rows,
    present: npt.NDArray[np.bool_],
    finish: Finish,
    value: float,
    size: float = 0.0,
) -> float:
    """Return the variance over clusters, raised to the least that independent items would give by chance.

    Cluster means that agree by chance would otherwise give an interval of no width although items differ.
    """
    from scipy.special import chdtri

    # With many clusters chance does not bring the variance near 0.
    if isnan(variance) or (df >= FEW and variance > 0):
        return variance
    items = Sample.of(np.asarray(rows)[present])
    if len(items.counts) < 2:
        return variance
    totals, counts = items.totals()
    of_items = compute_jackknife(
        _evaluate_without_each_cluster(finish, items, totals, counts), value, size, items.counts
    )
    if isnan(of_items):
        return variance
    return max(variance, of_items * float(chdtri(df, 1 - _LEAST)) / df)


def _compute_third_moment(without: FloatArray, value: float, counts: FloatArray) -> float:
    """Return the third central moment of a value from the values without each cluster.

    0 with fewer than three clusters.

    Leaving out a cluster moves a mean by the cluster's distance from it; for clusters of one size this is the unbiased
    third moment of a mean.
    """
    clusters = len(without)
    if clusters < 3 or np.isnan(without).any():
        return 0.0
    pull = _subtract_value(without, value)
    pull *= _compute_proportions(counts, clusters) - 1
    pull -= pull.mean()
    cubes = np.square(pull)
    cubes *= pull
    return float(clusters**2 / ((clusters - 1) * (clusters - 2)) * cubes.sum())


def _combine_third_moments(without: Sequence[FloatArray], value: float, counts: Sequence[FloatArray]) -> float:
    """Return the third moment over one factor, or over two factors less that of their cells."""
    parts = [_compute_third_moment(v, value, c) for v, c in zip(without, counts, strict=True)]
    return parts[0] if len(parts) == 1 else parts[0] + parts[1] - parts[2]


def _subtract_value(without: FloatArray, value: float, size: float = 0.0) -> FloatArray:
    """Return the change of the value without each cluster; changes by rounding alone are 0.

    Relative to the value, because leaving out one of equal clusters changes it by rounding alone.
    """
    away: FloatArray = without - value
    rounding = TIE * max(abs(value), size, float(without.max()), -float(without.min()))
    away[(away <= rounding) & (away >= -rounding)] = 0.0
    return away


# -- intervals and tests -------------------------------------------------------------------------------------------------------


def jackknife_interval(
    without: Sequence[FloatArray],
    value: float,
    confidence: float = 0.95,
    limits: Limits = (None, None),
    counts: Sequence[FloatArray] | None = None,
) -> tuple[float, float]:
    """Return Student's interval from the values without each cluster; NaN if the variance is unknown.

    `without` is of one factor, or of two and their cells.

    `counts` are the numbers of trials of the clusters; without them clusters count as equal.
    """
    variance, df, _ = _compute_variance(without, value, counts)
    return make_interval(value, variance, df, confidence, limits)


def make_interval(
    value: float,
    variance: float,
    df: float,
    confidence: float = 0.95,
    limits: Limits = (None, None),
    third: float = 0.0,
) -> tuple[float, float]:
    """Return Student's interval, longer on the side of the long tail, within the measure's range.

    NaN if the variance is not known.
    """
    low, high = _make_student_interval(value, variance, df, confidence)
    if third and variance > 0 and df > 0:
        # Only ever longer: the skewness of few clusters is too uncertain to take something away.
        longer = _extend_tail(variance, third, df, confidence)
        low, high = (low, high + longer) if longer > 0 else (low + longer, high)
    return _clip_interval(low, high, limits)


def _extend_tail(variance: float, third: float, df: float, confidence: float) -> float:
    """Return the length that is added to an interval on the side of the long tail.

    It is s (1 + 2 t²) / 6 standard errors, with s the skewness of the value (Hall 1983, Annals of Statistics
    11).
    """
    t = _find_t_quantile(df, confidence)
    return third / variance * (1 + 2 * t * t) / 6


def _make_student_interval(value: float, variance: float, df: float, confidence: float) -> tuple[float, float]:
    """Return Student's interval; NaN without a variance."""
    if isnan(variance) or df <= 0:
        return nan, nan
    reach = _find_t_quantile(df, confidence) * sqrt(variance)
    return value - reach, value + reach


def _find_t_quantile(df: float, confidence: float) -> float:
    """Return the t quantile of a two-sided confidence level."""
    from scipy.special import stdtrit

    return float(stdtrit(df, (1 + confidence) / 2))


def _find_z_quantile(confidence: float) -> float:
    """Return the normal quantile of a two-sided confidence level."""
    from scipy.special import ndtri

    return float(ndtri((1 + confidence) / 2))


def _compute_p(difference: float, variance: float, df: float) -> float:
    """Return the two-sided p of a difference by t; 1 for no difference, NaN if the spread is unknown.

    1 without any difference, NaN if the spread is unknown, or zero beside a difference (t is undefined there).
    """
    from scipy.special import stdtr

    if difference == 0 and variance == 0:
        return 1.0
    if isnan(variance) or df <= 0 or variance == 0:
        return nan
    return 2 * float(stdtr(df, -abs(difference) / sqrt(variance)))


def _clip_interval(low: float, high: float, limits: Limits) -> tuple[float, float]:
    """Return an interval cut at the limits of the measure."""
    bottom, top = limits
    return (low if bottom is None else max(low, bottom), high if top is None else min(high, top))


def _compute_proportion(
    rows: FloatArray | Rows, present: npt.NDArray[np.bool_], value: float, limits: Limits
) -> float | None:
    """Return the proportion of the higher of two possible answers; None for other measures.

    None where the measure is no plain average of two values.
    """
    bottom, top = limits
    if bottom is None or top is None:
        return None
    # Measures of places have a second column, which counts the answers.
    answers = np.asarray(rows)[present, 0]
    if not np.isin(answers, (bottom, top)).all() or abs(answers.mean() - value) > TIE * (top - bottom):
        return None
    return float((answers == top).mean())


class _Size(NamedTuple):
    """The effective number of independent answers; `df` is None if it equals the number of trials."""

    answers: float
    df: float | None


def _estimate_effective_size(
    proportion: float,
    n: int,
    variance: float,
    limits: Limits,
    counts: Sequence[FloatArray],
    df: float,
    clusters: Clusters,
) -> _Size:
    """Return the sample size divided by the design effect.

    The design effect is the ratio of the clustered variance to that of independent answers.
    """
    if not clusters.codes:
        return _Size(float(n) if n > 1 else nan, None)
    bottom, top = limits
    if isnan(variance) or bottom is None or top is None:
        return _Size(nan, 0)
    factors = counts[:2]
    cluster_sizes = [float((c * c).sum() / c.sum()) for c in factors]
    typical = 1 + TYPICAL_CORRELATION / len(factors) * sum(size - 1 for size in cluster_sizes)
    rarer = min(proportion, 1 - proportion) * n
    independent = proportion * (1 - proportion) * (top - bottom) ** 2 / n
    estimate = max(variance / independent, 1.0) if independent > 0 else 1.0
    weight = TYPICAL_WEIGHT * typical
    design_effect = (weight * typical + rarer * estimate) / (weight + rarer)
    return _Size(n / design_effect, df)


def _compute_wilson_interval(share: float, size: _Size, confidence: float, limits: Limits) -> tuple[float, float]:
    """Return Wilson's interval (1927) of a proportion, on the scale of the measure.

    With clusters the quantile is that of t instead of z.
    """
    n, df = size
    if isnan(n) or (df is not None and df <= 0):
        return nan, nan
    z = _find_z_quantile(confidence) if df is None else _find_t_quantile(df, confidence)
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(share * (1 - share) / n + z * z / (4 * n**2))
    bottom, top = limits
    scale = (top or 0.0) - (bottom or 0.0)
    return (bottom or 0.0) + scale * max(centre - half, 0.0), (bottom or 0.0) + scale * min(centre + half, 1.0)


def _test_by_swaps(
    part: Sample, gap: Finish, width: int, difference: float, resamples: int, seed: int
) -> tuple[float, bool]:
    """Return the proportion of swaps of whole clusters between two systems that differ at least as much.

    Every swap is tried where there are few clusters.
    """
    part = part.pool(seed)
    clusters = len(part.counts)
    exact = clusters <= EXACT_UP_TO
    if clusters < 2 or (not exact and resamples < 1):
        return nan, exact
    totals, counts = part.totals()
    moved = np.hstack([part.sums[:, width:] - part.sums[:, :width], part.sums[:, :width] - part.sums[:, width:]])
    steady, bound = Steady(moved, clusters), abs(difference) * (1 - TIE)
    far, tried = 0, 0
    for chosen in _choose_swaps(clusters, exact, resamples, seed):
        swapped = totals + steady.weigh(chosen)
        values = np.abs(gap(swapped, np.broadcast_to(counts, len(swapped))))
        far += int(np.count_nonzero(values >= bound))
        tried += len(chosen)
    return (far / tried if exact else (1 + far) / (1 + tried)), exact


def _choose_swaps(clusters: int, exact: bool, resamples: int, seed: int) -> Iterable[FloatArray]:
    """Yield which clusters are swapped, in slices: every subset, or random ones."""
    if exact:
        for start in range(0, 2**clusters, _SLICE):
            numbers = np.arange(start, min(start + _SLICE, 2**clusters))
            yield ((numbers[:, None] >> np.arange(clusters)) & 1).astype(float)
        return
    rng = np.random.default_rng([seed, 1])
    for start in range(0, resamples, _SLICE):
        size = min(_SLICE, resamples - start)
        yield rng.integers(2, size=(size, clusters), dtype=np.int8).astype(float)
