"""Homogeneous subsets of systems and compact letters.

Tukey's homogeneous subsets as SPSS prints them (TUNA), and letters for unequal groups (Piepho 2004).

SPSS takes one critical range for all pairs, HSD = q(alpha; k, df)·sqrt(MSE / n_h) with n_h the harmonic mean of the
group sizes, and marks the maximal runs of sorted means no longer than it. With pairwise ranges (Tukey-Kramer) ties
need not form runs: `compact_letters` then finds letters such that two systems share one exactly when they do not differ.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import isnan, sqrt
from string import ascii_lowercase, ascii_uppercase
from typing import TYPE_CHECKING

from referee.errors import InputError
from referee.statistics.frames import make_frame
from referee.statistics.studentised_range import find_critical_value

if TYPE_CHECKING:
    import polars as pl

Counts = Mapping[str, float] | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsets:
    """Systems by their means with the letters of their subsets.

    No shared letter means a significant difference.

    q is the critical value of the studentised range, hsd the critical difference, n the harmonic mean size of a group.
    """

    systems: tuple[str, ...]
    means: tuple[float, ...]
    letters: tuple[str, ...]
    q: float
    hsd: float
    n: float
    alpha: float

    def letters_of(self, system: str) -> str:
        """Return the letters of a system."""
        return self.letters[self.systems.index(system)]

    def frame(self) -> pl.DataFrame:
        """Return one row per system: rank, system, mean, letters."""
        rows = zip(range(1, len(self.systems) + 1), self.systems, self.means, self.letters, strict=True)
        return make_frame(("rank", "system", "mean", "letters"), rows)


@lru_cache(maxsize=4096)
def find_studentised_range(k: int, df: float, alpha: float = 0.05) -> float:
    """Return the critical value q(alpha; k, df) of the studentised range, cached."""
    return find_critical_value(k, df, alpha)


@lru_cache(maxsize=65536)
def _compute_tukey_p(q: float, k: int, df: float) -> float:
    """Return the p value of a studentised range q of k means."""
    from scipy.stats import studentized_range

    return float(studentized_range.sf(q, k, df))


def homogeneous_subsets(
    means: Mapping[str, float],
    *,
    error_ms: float,
    error_df: float,
    counts: Counts,
    alpha: float = 0.05,
    descending: bool = False,
) -> Subsets:
    """Return SPSS-style subsets from system means and the error of their model.

    Letters start at the smallest mean (or largest).
    """
    sizes = _check_sizes(means, counts, error_ms)
    # SPSS takes the harmonic mean of the sizes even where groups are very unequal.
    n = len(sizes) / sum(1 / size for size in sizes.values())
    q = find_studentised_range(len(means), error_df, alpha)
    hsd = q * sqrt(error_ms / n)
    order = sorted(means, key=lambda s: -means[s] if descending else means[s])
    runs = _find_maximal_runs([means[s] for s in order], hsd)
    letters = tuple(
        "".join(_name_subset(i) for i, (a, b) in enumerate(runs) if a <= at <= b) for at in range(len(order))
    )
    ordered_means = tuple(means[s] for s in order)
    return Subsets(systems=tuple(order), means=ordered_means, letters=letters, q=q, hsd=hsd, n=n, alpha=alpha)


def tukey_kramer(
    means: Mapping[str, float], *, error_ms: float, error_df: float, counts: Counts, alpha: float = 0.05, p: bool = True
) -> pl.DataFrame:
    """Return every pair's difference, simultaneous interval, d = difference / sqrt(MSE), and p.

    p is slow; `p=False` leaves it out.
    """
    sizes = _check_sizes(means, counts, error_ms)
    k, critical = len(means), find_studentised_range(len(means), error_df, alpha)
    rows = []
    for a, b in combinations(means, 2):
        # Half, because the studentised range is in units of the error of one mean, not of a difference.
        error = sqrt(error_ms / 2 * (1 / sizes[a] + 1 / sizes[b]))
        gap = means[a] - means[b]
        value = _compute_tukey_p(abs(gap) / error, k, error_df) if p else None
        reach = critical * error
        rows.append(
            (a, b, gap, gap - reach, gap + reach, gap / sqrt(error_ms), abs(gap) > reach, value, sizes[a], sizes[b])
        )
    return make_frame(("system_a", "system_b", "difference", "low", "high", "d", "differ", "p", "n_a", "n_b"), rows)


def tukey_letters(
    means: Mapping[str, float], *, error_ms: float, error_df: float, counts: Counts, alpha: float = 0.05
) -> dict[str, str]:
    """Return a compact letter display of Tukey-Kramer comparisons; A has the smallest mean."""
    pairs = tukey_kramer(means, error_ms=error_ms, error_df=error_df, counts=counts, alpha=alpha, p=False)
    differ = [(a, b) for a, b, differs in pairs.select("system_a", "system_b", "differ").iter_rows() if differs]
    return compact_letters(sorted(means, key=lambda s: means[s]), differ)


def compact_letters(systems: Sequence[str], differ: Collection[tuple[str, str]]) -> dict[str, str]:
    """Return letters such that two systems share one exactly when they are not in `differ`.

    Insert and absorb, then sweep (Piepho 2004).
    """
    unknown = {s for pair in differ for s in pair} - set(systems)
    if unknown:
        raise InputError(
            f"'differ' names systems that are not in 'systems': {', '.join(sorted(unknown))}",
            remedy="use only names of 'systems'",
        )
    columns: list[frozenset[str]] = [frozenset(systems)]
    for a, b in differ:
        split = [c for c in columns if a in c and b in c]
        columns = _drop_contained_columns(
            [c for c in columns if c not in split] + [c - {s} for c in split for s in (a, b)]
        )
    columns = _drop_redundant_columns(columns)
    place = {s: i for i, s in enumerate(systems)}
    columns.sort(key=lambda c: sorted(place[s] for s in c))
    return {s: "".join(_name_subset(i) for i, c in enumerate(columns) if s in c) for s in systems}


def _drop_contained_columns(columns: list[frozenset[str]]) -> list[frozenset[str]]:
    """Return the sets that are no part of another one, each once."""
    unique = list(dict.fromkeys(columns))
    return [c for c in unique if not any(c < other for other in unique)]


def _drop_redundant_columns(columns: list[frozenset[str]]) -> list[frozenset[str]]:
    """Return the sets without those whose pairs of members all occur together in another set."""
    remaining = list(columns)
    # Short columns are removed first, so that few long ones remain.
    for column in sorted(columns, key=len):
        others = [c for c in remaining if c != column]
        alone = len(column) == 1 and not any(column <= c for c in others)
        if not alone and all(any(a in c and b in c for c in others) for a, b in combinations(column, 2)):
            remaining = others
    return remaining


def _check_sizes(means: Mapping[str, float], counts: Counts, error_ms: float) -> dict[str, float]:
    """Return the size of every group; raise InputError if there is nothing to compare."""
    if len(means) < 2:
        raise InputError("'means' has fewer than two systems", remedy="give at least two systems")
    if not error_ms > 0:
        raise InputError(
            f"the error variance 'error_ms' is {error_ms}, but must be above 0", remedy="check the standard deviations"
        )
    sizes = {s: float(counts.get(s, 0) if isinstance(counts, Mapping) else counts) for s in means}
    empty = [s for s, n in sizes.items() if n < 1 or isnan(means[s])]
    if empty:
        raise InputError(f"these systems have no observations: {', '.join(empty)}", remedy="leave these systems out")
    return sizes


def _find_maximal_runs(means: Sequence[float], hsd: float) -> list[tuple[int, int]]:
    """Return runs (first, last) of sorted means within the critical range that are in no longer run."""
    runs: list[tuple[int, int]] = []
    for start, mean in enumerate(means):
        last = max(j for j in range(start, len(means)) if abs(means[j] - mean) <= hsd)
        # A run that ends where the one before it ends lies within it.
        if not runs or last > runs[-1][1]:
            runs.append((start, last))
    return runs


def _name_subset(index: int) -> str:
    """Return the name of a subset by its index: A to Z, then a to z, then numbers in brackets."""
    alphabet = ascii_uppercase + ascii_lowercase
    return alphabet[index] if index < len(alphabet) else f"({index + 1})"
