"""A bootstrap over shards: what comes back from a shard are sums, never its items, and the digits do not depend on how the items were cut.

A resample gives every cluster (a speaker, a scene, an item) a weight by lot, drawn from the seed, the cluster's name and the number of the resample alone: each
shard draws the weights of its own clusters, and a cluster that lies in two shards has the same weight in both. Weights are Poisson with mean 1, which needs no
knowledge of how many clusters there are elsewhere (Hanley & MacGibbon 2006; Chamandy et al. 2012). Sums are exact: numbers are cut into three parts on
fixed grids whose partial sums all fit into 53 bits, so that neither order nor size of shards shows in the last digit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from math import exp, factorial
from typing import Any

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray
from referee.engines.calls import Call, call_each
from referee.engines.pieces import Engine
from referee.errors import InputError

__all__ = ["LARGEST", "ShardSums", "poisson_weights", "shard_sums", "sum_over"]

LARGEST = 2.0**13  # of a single number; with it grids reach down to 2**-50
STEPS = (2.0**-21, 2.0**-42, 2.0**-63)  # of the grids, as parts of the largest number
MOST = 2.0**32  # items times weight: 21 + 32 bits are what a float holds exactly
SLICE = 512  # clusters at a time, so that their weights need some megabytes only
# A weight is the number of these that a lot of 64 bits reaches: the distribution of a Poisson variable with mean 1.
STAIRS = np.array([int(sum(exp(-1) / factorial(i) for i in range(k + 1)) * 2**64) for k in range(17)], dtype=np.uint64)


def poisson_weights(cluster: str, resamples: int, seed: int) -> npt.NDArray[np.int64]:
    """The weights of a cluster in every resample; those of the first ones stay the same when more are asked for.

    >>> poisson_weights("speaker 3", 8, seed=1).tolist() == poisson_weights("speaker 3", 9, seed=1).tolist()[:8]
    True
    """
    key = int.from_bytes(blake2b(f"{seed}|{cluster}".encode(), digest_size=16).digest(), "little")
    return np.searchsorted(STAIRS, np.random.Philox(key=key).random_raw(resamples), side="right").astype(np.int64)


@dataclass(frozen=True, slots=True)
class ShardSums:
    """Sums of statistics and, in the last column, of items: in row 0 as they are, then under every resample. In three parts, each exact.

    Added to those of another shard they are the sums of both.
    """

    parts: FloatArray
    weight: float
    largest: float = LARGEST

    def __add__(self, other: ShardSums) -> ShardSums:
        if self.largest != other.largest:
            raise ValueError("sums on different grids cannot be added")
        return ShardSums(self.parts + other.parts, _checked(self.weight + other.weight), self.largest)

    def totals(self) -> tuple[FloatArray, FloatArray]:
        """Sums, and how many items are in them, for a metric's `finish`."""
        whole: FloatArray = (self.parts[2] + self.parts[1]) + self.parts[0]
        return whole[:, :-1], whole[:, -1]

    def values(self, finish: Callable[[FloatArray, FloatArray], FloatArray]) -> tuple[float, FloatArray]:
        """The value of a measure, and its values under the resamples."""
        found = finish(*self.totals())
        return float(found[0]), found[1:]


def shard_sums(
    rows: FloatArray, clusters: Sequence[str], resamples: int, seed: int, largest: float = LARGEST
) -> ShardSums:
    """The sums of a shard: `rows` are additive statistics, one row an item, `clusters` what each item belongs to. Rows with NaN count as absent.

    `largest` bounds the statistics and must be the same power of two for all shards.
    """
    rows = np.asarray(rows, dtype=float)
    present = np.isfinite(rows.sum(axis=1))
    if (size := np.abs(rows[present]).max(initial=0.0)) > largest:
        raise InputError(
            f"a statistic is {size:g}, more than {largest:g}", remedy="give a larger power of two as `largest`"
        )
    names, codes = np.unique(np.asarray(clusters, dtype=object)[present].astype(str), return_inverse=True)
    items = np.column_stack([rows[present], np.ones(int(present.sum()))])
    parts = np.zeros((len(STEPS), resamples + 1, items.shape[1]))
    sums = [_by_cluster(part, codes, len(names)) for part in _on_grids(items, largest)]
    most = 1
    for start in range(0, len(names), SLICE):
        own = [str(name) for name in names[start : start + SLICE]]
        weights = np.array([[1, *poisson_weights(name, resamples, seed)] for name in own], dtype=float)
        most = max(most, int(weights.max(initial=1)))
        for part, by_cluster in zip(parts, sums, strict=True):
            part += weights.T @ by_cluster[start : start + SLICE]
    return ShardSums(parts, _checked(float(len(items) * most)), largest)


def _on_grids(items: FloatArray, largest: float) -> list[FloatArray]:
    """Numbers as multiples of coarse, middling and fine steps; what is finer still is rounded away, the same for an item wherever it is."""
    found = []
    rest = items
    for step in STEPS:
        part: FloatArray = np.round(rest / (step * largest)) * (step * largest)
        found.append(part)
        rest = rest - part
    return found


def _by_cluster(part: FloatArray, codes: npt.NDArray[Any], clusters: int) -> FloatArray:
    columns = [np.bincount(codes, weights=column, minlength=clusters) for column in part.T]
    return np.column_stack(columns)


def _checked(weight: float) -> float:
    if weight > MOST:
        raise InputError(f"more than {MOST:,.0f} items cannot be added exactly", remedy="give a smaller `largest`")
    return weight


def sum_over(
    engine: Engine, shards: Sequence[Call], at_once: int = 1, advance: Callable[[int], None] = lambda n: None
) -> ShardSums:
    """The sums of all shards: calls that give `ShardSums`, made where the engine likes and added up as they come; no item travels."""
    total: ShardSums | None = None
    for _, found in call_each(engine, shards, at_once, advance):
        total = found if total is None else total + found
    if total is None:
        raise InputError("there is no shard to add up", remedy="name one at least")
    return total
