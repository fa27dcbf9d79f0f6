"""Chance-corrected agreement of raters.

Krippendorff's alpha with missing ratings, Cohen's and Fleiss' kappa (Krippendorff 2004).

alpha = 1 - D_observed / D_expected over the coincidence matrix of values; only items with at least two ratings count. Where every
rating is the same there is no disagreement to expect: the coefficient is None, not 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.errors import InputError
from referee.statistics.frames import IntArray

Rating = str | float | int | bool | None
Ratings = Sequence[Sequence[Rating]]
LEVELS = ("nominal", "ordinal", "interval")
NORMAL_95 = 1.959963984540054  # the quantile of the normal distribution for 95% on two sides


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """A coefficient with its 95% interval (bootstrap over items, or None), items and ratings used."""

    value: float | None
    low: float | None
    high: float | None
    items: int
    ratings: int


def krippendorff_alpha(ratings: Ratings, *, level: str = "nominal", resamples: int = 1000, seed: int = 1) -> Agreement:
    """Compute Krippendorff's alpha from one list of ratings per item (None for a missing rating).

    `level` is the level of measurement.

    nominal: same or not; ordinal: by the ranks between two values (in sorted order); interval: by the squared
    difference.
    """
    if level not in LEVELS:
        raise InputError(
            f"'level' is {level!r}, which is no level of measurement", remedy=f"use one of {', '.join(LEVELS)}"
        )
    used = [present for item in ratings if len(present := [r for r in item if not _is_missing(r)]) > 1]
    values = _list_values(used, level)
    counts = _count_ratings(used, values)
    scale = np.array([float(v) for v in values]) if level == "interval" else None  # type: ignore[arg-type]
    value, total = _compute_alpha(counts, np.ones(len(used)), level, scale), sum(map(len, used))
    if value is None or not resamples:
        return Agreement(value=value, low=None, high=None, items=len(used), ratings=total)
    # A resample in which all items have one value has no alpha; leaving it out follows the definition.
    alphas = [
        a
        for w in _draw_item_counts(len(used), resamples, seed)
        if (a := _compute_alpha(counts, w, level, scale)) is not None
    ]
    low, high = np.quantile(alphas, [0.025, 0.975])
    if (counts.max(axis=1) == counts.sum(axis=1)).all():
        # All resamples of items without a difference are without one, which a handful of items cannot support.
        shares = counts.sum(axis=0) / counts.sum()
        low = _bound_perfect_agreement(float(shares @ shares), len(used))
    return Agreement(value=value, low=float(low), high=float(high), items=len(used), ratings=total)


def cohen_kappa(a: Sequence[Rating], b: Sequence[Rating], *, weights: str | None = None) -> Agreement:
    """Compute Cohen's kappa of two raters with its large-sample interval.

    `weights` is None, linear or quadratic, over sorted values.
    """
    if len(a) != len(b):
        raise InputError(
            f"the first rater has {len(a)} ratings and the second {len(b)}",
            remedy="give both raters' ratings of the same items",
        )
    if weights not in (None, "linear", "quadratic"):
        raise InputError(f"'weights' is {weights!r}, which is unknown", remedy="use 'linear', 'quadratic' or None")
    pairs = [(x, y) for x, y in zip(a, b, strict=True) if not (_is_missing(x) or _is_missing(y))]
    values = _list_values(pairs, "ordinal" if weights else "nominal")
    place = {v: i for i, v in enumerate(values)}
    table = np.zeros((len(values), len(values)))
    for x, y in pairs:
        table[place[x], place[y]] += 1
    if len(values) < 2 or _is_chance_agreement_total(table):
        return Agreement(value=None, low=None, high=None, items=len(pairs), ratings=2 * len(pairs))
    value, deviation = _compute_cohen(table / table.sum(), len(pairs), weights)
    low, high = max(value - NORMAL_95 * deviation, -1.0), min(value + NORMAL_95 * deviation, 1.0)
    if np.trace(table) == len(pairs):
        # Without a single difference the large-sample interval is a point, which a handful of items cannot support.
        shares = table.sum(axis=0) / table.sum()
        value, low = 1.0, _bound_perfect_agreement(float(shares @ shares), len(pairs))
    return Agreement(value=value, low=low, high=high, items=len(pairs), ratings=2 * len(pairs))


def _bound_perfect_agreement(chance: float, n: int) -> float:
    """Return the lower limit of a coefficient when the raters agree on all n items.

    It is the agreement beyond chance at the lower end of Wilson's interval for n of n items.
    """
    agreed = 1 / (1 + NORMAL_95**2 / n)
    return (agreed - chance) / (1 - chance)


def fleiss_kappa(ratings: Ratings, *, resamples: int = 1000, seed: int = 1) -> Agreement:
    """Compute Fleiss' kappa of any fixed number of raters per item, without missing ratings."""
    sizes = {len(item) for item in ratings}
    if len(sizes) > 1 or any(_is_missing(r) for item in ratings for r in item):
        raise InputError(
            "items have different numbers of ratings", remedy="use krippendorff_alpha, which accepts missing ratings"
        )
    table = _count_ratings(ratings, _list_values(ratings, "nominal"))
    value, count = _compute_fleiss(table), int(table.sum())
    if value is None or not resamples:
        return Agreement(value=value, low=None, high=None, items=len(ratings), ratings=count)
    drawn = _draw_item_counts(len(ratings), resamples, seed)
    kappas = [k for w in drawn if (k := _compute_fleiss(np.repeat(table, w, axis=0))) is not None]
    low, high = np.quantile(kappas, [0.025, 0.975])
    return Agreement(value=value, low=float(low), high=float(high), items=len(ratings), ratings=count)


def _is_missing(rating: Rating) -> bool:
    """Return whether a rating is None or NaN."""
    return rating is None or (isinstance(rating, float) and np.isnan(rating))


def _list_values(items: Sequence[Sequence[Rating]], level: str) -> list[Rating]:
    """List the distinct ratings; sorted where the level of measurement has an order."""
    distinct = {r for item in items for r in item}
    try:
        if level == "interval":
            return sorted(distinct, key=lambda r: float(r))  # type: ignore[arg-type]
        return sorted(distinct, key=(lambda r: r) if level == "ordinal" else repr)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the ratings cannot be ordered ({error})", remedy="give numbers, or use level='nominal'"
        ) from None


def _count_ratings(items: Sequence[Sequence[Rating]], values: list[Rating]) -> FloatArray:
    """Count how often every item (row) got every value (column)."""
    place = {v: i for i, v in enumerate(values)}
    counts = np.zeros((len(items), len(values)))
    for row, item in zip(counts, items, strict=True):
        np.add.at(row, [place[r] for r in item], 1)
    return counts


def _compute_alpha(
    counts: FloatArray, weights: FloatArray | IntArray, level: str, scale: FloatArray | None
) -> float | None:
    """Compute Krippendorff's alpha with weighted items; None with fewer than two distinct values.

    Pairs within an item of m ratings weigh 1 / (m - 1), so every rating weighs one.
    """
    margin = weights @ counts
    if (margin > 0).sum() < 2:
        return None
    distance = _make_distances(margin, level, scale)
    # A rating has distance 0 from itself, so pairs with itself need not be removed.
    within = ((counts @ distance) * counts).sum(axis=1) / (counts.sum(axis=1) - 1)
    expected = float(margin @ distance @ margin) / float(margin.sum() - 1)
    return 1 - float(weights @ within) / expected


def _make_distances(margin: FloatArray, level: str, numbers: FloatArray | None) -> FloatArray:
    """Return the matrix of distances between values at a level of measurement."""
    if level == "nominal":
        return 1 - np.eye(len(margin))
    # Krippendorff's ordinal distance is that of mid-ranks: all ratings below, and half of those at the value.
    scale = np.cumsum(margin) - margin / 2 if numbers is None else numbers
    squared: FloatArray = (scale[:, None] - scale[None, :]) ** 2
    return squared


def _is_chance_agreement_total(table: FloatArray) -> bool:
    """Return whether both raters used a single value throughout, so that chance alone gives full agreement."""
    share = table / table.sum()
    # Sums of thirds and sevenths miss 1 by rounding.
    return bool(np.isclose((share.sum(axis=0) * share.sum(axis=1)).sum(), 1))


def _compute_cohen(share: FloatArray, pairs: int, weights: str | None) -> tuple[float, float]:
    """Return kappa and its large-sample standard deviation (Fleiss, Cohen & Everitt 1969)."""
    agreement = _make_agreement_weights(len(share), weights)
    rows, columns = share.sum(axis=1), share.sum(axis=0)
    observed, expected = float((agreement * share).sum()), float((agreement * np.outer(rows, columns)).sum())
    kappa = (observed - expected) / (1 - expected)
    by_row, by_column = agreement @ columns, rows @ agreement
    spread = (share * (agreement - (by_row[:, None] + by_column) * (1 - kappa)) ** 2).sum()
    variance = float(spread - (kappa - expected * (1 - kappa)) ** 2) / ((1 - expected) ** 2 * pairs)
    return kappa, max(
        variance, 0.0
    ) ** 0.5  # full agreement has no spread, and rounding may leave a little less than none


def _make_agreement_weights(values: int, weights: str | None) -> FloatArray:
    """Return the credit for each pair of values: 1 on the diagonal, less the further apart they are."""
    if weights is None:
        return np.eye(values)
    steps = np.abs(np.subtract.outer(np.arange(values), np.arange(values))) / (values - 1)
    agreement: FloatArray = 1 - (steps if weights == "linear" else steps**2)
    return agreement


def _compute_fleiss(table: FloatArray) -> float | None:
    """Compute kappa from counts with one row per item and equally many ratings in each row (Fleiss 1971)."""
    if not table.size or (table.sum(axis=0) > 0).sum() < 2 or table[0].sum() < 2:
        return None
    raters = float(table[0].sum())
    within = ((table * table).sum(axis=1) - raters) / (raters * (raters - 1))
    expected = float(((table.sum(axis=0) / table.sum()) ** 2).sum())
    return (float(within.mean()) - expected) / (1 - expected)


def _draw_item_counts(items: int, resamples: int, seed: int) -> IntArray:
    """Return how often every item is drawn in every bootstrap resample."""
    rng = np.random.default_rng(seed)
    return rng.multinomial(items, np.full(items, 1 / items), size=resamples)
