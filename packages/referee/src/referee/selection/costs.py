"""The cost of mentioning a property: uniform, fixed, or learned (Krahmer et al. 2003, 2008; Theune et al. 2011)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Self

from referee.errors import NotTrained
from referee.records import Property, SpeakerView, Trial
from referee.selection.frequencies import Frequencies, GroupedFrequencies, count_by_group
from referee.signature import parameters

Levels = Mapping[str, float]
"""A cost per attribute ("colour") or, more specifically, per pair ("hasBeard:1")."""

FREE_NAIVE: Mapping[str, Levels] = {
    "furniture": {"type": 0, "colour": 0, "size": 1, "orientation": 1, "x-dimension": 2, "y-dimension": 2},
    # Only to have a beard or glasses is free; to have none costs 1 like everything else.
    "people": {"type": 0, "hasBeard:1": 0, "hasGlasses:1": 0, "hasSuit": 2, "hasShirt": 2, "hasTie": 2},
}
"""The three levels of Krahmer, Theune, Viethen & Hendrickx (2008) for the TUNA domains; what is not listed costs 1."""


class Costs:
    """Something with a price per property."""

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Return the costs unchanged, unless a subclass learns them."""
        return self

    def cost(self, prop: Property, view: SpeakerView) -> float:
        raise NotImplementedError(f"{type(self).__name__} must define the cost of a property")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in parameters(self).items())})"


class UnitCosts(Costs):
    """Every property costs 1: the cheapest description is the shortest."""

    def cost(self, prop: Property, view: SpeakerView) -> float:
        return 1.0


class LevelCosts(Costs):
    """Fixed costs per domain; unlisted properties cost `otherwise`.

    The cost of a pair takes precedence over that of its attribute.
    """

    def __init__(self, levels: Mapping[str, Levels] = FREE_NAIVE, otherwise: float = 1.0) -> None:
        self.levels = levels
        self.otherwise = otherwise

    def cost(self, prop: Property, view: SpeakerView) -> float:
        levels = self.levels.get(view.domain or "", {})
        return float(levels.get(str(prop), levels.get(prop.name, self.otherwise)))


class _Learned(Costs):
    """Costs from counts of mentions, per group of trials."""

    by: tuple[str, ...]

    def fit(self, trials: Iterable[Trial]) -> Self:
        self.frequencies_: GroupedFrequencies = count_by_group(trials, self.by)
        return self

    def seen(self, view: SpeakerView) -> Frequencies:
        """Return the counts of a view's group."""
        if not hasattr(self, "frequencies_"):
            raise NotTrained(self)
        return self.frequencies_.of(view)


class FrequencyCosts(_Learned):
    """-log2 of the share of descriptions that mention the attribute, whatever its value; at most `cap`."""

    def __init__(self, cap: float = 10.0, by: tuple[str, ...] = ("domain",)) -> None:
        self.cap = cap
        self.by = by

    def cost(self, prop: Property, view: SpeakerView) -> float:
        """Return the cost of a property, at most `cap`."""
        share = self.seen(view).share(prop.name)
        # Never mentioned would cost infinity, which no search could add up.
        return min(self.cap, -log2(share)) if share else self.cap


@dataclass(eq=False, repr=False)
class StochasticCosts(_Learned):
    """10 · round(-log2 prior, 1), as in the GRAPH systems.

    `free` properties cost 0, and no cost exceeds `cap`.
    """

    free: tuple[str, ...] = ()
    cap: float = 100.0
    by: tuple[str, ...] = ("domain",)

    def cost(self, prop: Property, view: SpeakerView) -> float:
        """Return the cost of a property from its prior."""
        if prop.name in self.free or str(prop) in self.free:
            return 0.0
        prior = self.seen(view).prior(prop)
        # A prior of 0 (hasBeard:0 and its like) would cost infinity; such properties are dear, not impossible.
        return min(self.cap, 10 * round(-log2(prior), 1)) if prior else self.cap


class KMeansCosts(_Learned):
    """Priors fall into `k` clusters.

    The i-th by falling mean costs i - 1, and unseen properties cost 1 (Theune et al. 2011).
    """

    def __init__(self, k: int = 2, by: tuple[str, ...] = ("domain",)) -> None:
        self.k = k
        self.by = by

    def fit(self, trials: Iterable[Trial]) -> Self:
        """Count mentions and cluster the priors."""
        super().fit(trials)
        self.levels_ = {key: self._find_levels(table) for key, table in self.frequencies_.tables.items()}
        return self

    def _find_levels(self, seen: Frequencies) -> dict[Property, float]:
        """Return the cost level of every property."""
        pairs = list(seen.occurred)
        # The exact clustering wants its numbers in order.
        falling = sorted(range(len(pairs)), key=lambda i: -(seen.prior(pairs[i]) or 0.0))
        clusters = find_clusters([seen.prior(pairs[i]) or 0.0 for i in falling], self.k)
        return {pairs[i]: float(level) for i, level in zip(falling, clusters, strict=True)}

    def cost(self, prop: Property, view: SpeakerView) -> float:
        """Return the cost level of a property."""
        if not hasattr(self, "levels_"):
            raise NotTrained(self)
        return self.levels_[self.frequencies_.key(view)].get(prop, 1.0)


def find_clusters(ordered: Sequence[float], k: int) -> list[int]:
    """Return the cluster (from 0) of each of some ordered numbers, by optimal one-dimensional k-means.

    The result is exact, by dynamic programming.
    """
    n = len(ordered)
    # More clusters than different numbers would leave some of them empty.
    k = min(k, len(set(ordered)))
    # best[j]: the least spread of the first j numbers in so many clusters.
    best = [_sum_squares(ordered, 0, j) for j in range(n + 1)]
    cuts: list[list[int]] = []
    # Cubic in the number of pairs, of which a domain has a few dozen.
    for _ in range(1, k):
        choices = [min(range(j + 1), key=lambda i, j=j: best[i] + _sum_squares(ordered, i, j)) for j in range(n + 1)]  # type: ignore[misc]
        best = [best[i] + _sum_squares(ordered, i, j) for j, i in enumerate(choices)]
        cuts.append(choices)
    starts, end = [], n
    for choices in reversed(cuts):
        end = choices[end]
        starts.append(end)
    return [sum(start <= i for start in starts) for i in range(n)]


def _sum_squares(ordered: Sequence[float], start: int, end: int) -> float:
    """Return the sum of squared distances of a range of numbers to its mean."""
    part = ordered[start:end]
    mean = sum(part) / len(part) if part else 0.0
    return sum((x - mean) ** 2 for x in part)
