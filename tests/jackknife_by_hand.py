"""The interval of a value from its values without each cluster, written out once more in the plainest way, for tests to hold against."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import mean

from scipy.stats import t


def interval_by_hand(without: Sequence[float], value: float) -> tuple[float, float]:
    """Student's 95 % interval with the jackknife's standard error, and s (1 + 2 t²) / 6 of it more on the side of the long tail (Hall 1983)."""
    clusters = len(without)
    error = sqrt((clusters - 1) / clusters * sum((w - value) ** 2 for w in without))
    pulls = [(clusters - 1) / clusters * (mean(without) - w) for w in without]
    third = clusters**2 / ((clusters - 1) * (clusters - 2)) * sum(pull**3 for pull in pulls)
    reach = float(t.ppf(0.975, clusters - 1))
    longer = third / error**3 * (1 + 2 * reach**2) / 6
    return value - (reach + max(-longer, 0)) * error, value + (reach + max(longer, 0)) * error
