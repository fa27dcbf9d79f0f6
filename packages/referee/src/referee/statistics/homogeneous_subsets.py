"""Which systems tie.

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
from referee.statistics.frames import as_rows
from referee.statistics.studentised_range import critical_value

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
        """One row per system: rank, system, mean, letters."""
        rows = zip(range(1, len(self.systems) + 1), self.systems, self.means, self.letters, strict=True)
        return as_rows(("rank", "system", "mean", "letters"), rows)


@lru_cache(maxsize=4096)
def studentised_range(k: int, df: float, alpha: float = 0.05) -> float:
    """The critical value q(alpha; k, df), remembered."""
    return critical_value(k, df, alpha)


@lru_cache(maxsize=65536)
def _tukey_p(q: float, k: int, df: float) -> float:
    """Return the upper tail of the studentised range."""
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
    sizes = _sizes(means, counts, error_ms)
    # SPSS takes the harmonic mean of the sizes even where groups are very unequal.
    n = len(sizes) / sum(1 / size for size in sizes.values())
    q = studentised_range(len(means), error_df, alpha)
    hsd = q * sqrt(error_ms / n)
    order = sorted(means, key=lambda s: -means[s] if descending else means[s])
    runs = _maximal_runs([means[s] for s in order], hsd)
    letters = tuple("".join(_letter(i) for i, (a, b) in enumerate(runs) if a <= at <= b) for at in range(len(order)))
    ordered_means = tuple(means[s] for s in order)
    return Subsets(systems=tuple(order), means=ordered_means, letters=letters, q=q, hsd=hsd, n=n, alpha=alpha)


def tukey_kramer(
    means: Mapping[str, float], *, error_ms: float, error_df: float, counts: Counts, alpha: float = 0.05, p: bool = True
) -> pl.DataFrame:
    """Return every pair's difference, simultaneous interval, d = difference / sqrt(MSE), and p.

    p is slow; `p=False` leaves it out.
    """
    sizes = _sizes(means, counts, error_ms)
    k, critical = len(means), studentised_range(len(means), error_df, alpha)
    rows = []
    for a, b in combinations(means, 2):
        # Half, because the studentised range is in units of the error of one mean, not of a difference.
        error = sqrt(error_ms / 2 * (1 / sizes[a] + 1 / sizes[b]))
        gap = means[a] - means[b]
        value = _tukey_p(abs(gap) / error, k, error_df) if p else None
        reach = critical * error
        rows.append(
            (a, b, gap, gap - reach, gap + reach, gap / sqrt(error_ms), abs(gap) > reach, value, sizes[a], sizes[b])
        )
    return as_rows(("system_a", "system_b", "difference", "low", "high", "d", "differ", "p", "n_a", "n_b"), rows)


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
        raise InputError(f"a difference names {', '.join(sorted(unknown))}", remedy="name only systems of the list")
    columns: list[frozenset[str]] = [frozenset(systems)]
    for a, b in differ:
        split = [c for c in columns if a in c and b in c]
        columns = _absorb([c for c in columns if c not in split] + [c - {s} for c in split for s in (a, b)])
    columns = _sweep(columns)
    place = {s: i for i, s in enumerate(systems)}
    columns.sort(key=lambda c: sorted(place[s] for s in c))
    return {s: "".join(_letter(i) for i, c in enumerate(columns) if s in c) for s in systems}


def _absorb(columns: list[frozenset[str]]) -> list[frozenset[str]]:
    """Columns that are not part of another one, each once."""
    unique = list(dict.fromkeys(columns))
    return [c for c in unique if not any(c < other for other in unique)]


def _sweep(columns: list[frozenset[str]]) -> list[frozenset[str]]:
    """Return columns without those whose pairs of members all occur together in another column."""
    remaining = list(columns)
    # Short columns are removed first, so that few long ones remain.
    for column in sorted(columns, key=len):
        others = [c for c in remaining if c != column]
        alone = len(column) == 1 and not any(column <= c for c in others)
        if not alone and all(any(a in c and b in c for c in others) for a, b in combinations(column, 2)):
            remaining = others
    return remaining


def _sizes(means: Mapping[str, float], counts: Counts, error_ms: float) -> dict[str, float]:
    """The size of every group, after checking that there is something to compare."""
    if len(means) < 2:
        raise InputError("there is only one system", remedy="give at least two systems")
    if not error_ms > 0:
        raise InputError(
            f"an error variance of {error_ms} allows no comparison", remedy="check the standard deviations"
        )
    sizes = {s: float(counts.get(s, 0) if isinstance(counts, Mapping) else counts) for s in means}
    empty = [s for s, n in sizes.items() if n < 1 or isnan(means[s])]
    if empty:
        raise InputError(f"no observations for {', '.join(empty)}", remedy="leave these systems out")
    return sizes


def _maximal_runs(means: Sequence[float], hsd: float) -> list[tuple[int, int]]:
    """Runs (first, last) of sorted means within the critical range that are not part of a longer run."""
    runs: list[tuple[int, int]] = []
    for start, mean in enumerate(means):
        last = max(j for j in range(start, len(means)) if abs(means[j] - mean) <= hsd)
        # A run that ends where the one before it ends lies within it.
        if not runs or last > runs[-1][1]:
            runs.append((start, last))
    return runs


def _letter(index: int) -> str:
    """A to Z, then a to z, then numbers in brackets."""
    alphabet = ascii_uppercase + ascii_lowercase
    return alphabet[index] if index < len(alphabet) else f"({index + 1})"
