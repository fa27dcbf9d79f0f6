"""Base rates of the court's findings.

How often the rules give each finding in a table of this shape without any association.

The rows of hearer measures are permuted among the families, `TABLES` times, and the same rules judge each permuted
table. A finding that is as frequent by chance is no evidence. Noise of the answers is left out here, which can only
raise the base rates of positive findings.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.agreement import agree, agree_permuted
from referee.courtroom.multiplicity import (
    Chances,
    Table,
    compute_p_values,
    compute_strengths,
    permute_randomly,
    rank_table,
)
from referee.courtroom.rules import FEWEST, WORDS, TriedPair, decide
from referee.courtroom.sheet import SystemScores, average_families, list_signs
from referee.jobs.progress import ProgressCallback, iterate_silently
from referee.statistics.frames import IntArray

TABLES = 300
POWER_TABLES = 200
WordRates = dict[tuple[str, str], dict[str, float]]
AT_ONCE = 50
"""Simulated tables that are computed together."""
NULL = 1000
"""Permutations for the p values of the simulated tables; the tables themselves are the first ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Power:
    """How often the rules would say "predicts" (and every other finding) of a true correlation in a table of this shape."""

    correlation: float
    systems: int
    families: int
    measures: int
    hearers: int
    predicts: float
    shares: dict[str, float]
    tables: int

    @property
    def sentence(self) -> str:
        """The power as an English sentence."""
        return (
            f"A true correlation of {self.correlation:.2g} over {self.systems} systems ({self.families} families) would be called *predicts* in "
            f"{self.predicts:.0%} of such tables."
        )


def describe_base_rates(
    sheet: SystemScores, seed: int = 1, tables: int = TABLES, progress: ProgressCallback = iterate_silently
) -> WordRates:
    """Return, for every pair of measures, the base rate of each finding (only positive rates)."""
    alone = sheet.without_people()
    table, signs = average_families(alone), list_signs(alone)
    counts = _compute_finding_rates(table, signs, seed, tables, progress)
    return {
        (a, h): {word: float(counts[k, i, j]) for k, word in enumerate(WORDS) if counts[k, i, j]}
        for i, a in enumerate(alone.automatic)
        for j, h in enumerate(alone.hearer)
    }


def estimate_power(
    sheet: SystemScores, correlation: float = 0.9, seed: int = 1, tables: int = POWER_TABLES
) -> Power | None:
    """Estimate how often a table of this shape would show a true correlation of one measure.

    Tables are drawn from the normal distribution: one automatic measure correlates with one hearer measure, and
    all others are independent. Returns None if the table is too small.
    """
    alone = sheet.without_people()
    x, y = average_families(alone)
    units, automatic, hearers = len(x), x.shape[1], y.shape[1]
    if units < FEWEST or not automatic or not hearers:
        return None
    rng = np.random.default_rng(seed)
    signs = np.ones((automatic, hearers), dtype=np.int64)
    orders = permute_randomly(units, NULL, seed)
    counts = np.zeros(len(WORDS))
    for _ in range(tables):
        drawn = rng.normal(size=(units, automatic)), rng.normal(size=(units, hearers))
        drawn[0][:, 0] = correlation * drawn[1][:, 0] + np.sqrt(1 - correlation**2) * drawn[0][:, 0]
        linear, rank = (_compute_p_values(kind, orders, signs.shape) for kind in (drawn, rank_table(drawn)))
        word = decide(TriedPair(agree(*drawn), linear, rank, signs, np.zeros(signs.shape, dtype=bool)))[0, 0]
        counts[word] += 1
    shares = {word: float(share) for word, share in zip(WORDS, counts / tables, strict=True) if share}
    return Power(
        correlation=correlation,
        systems=len(alone.systems),
        families=units,
        measures=automatic,
        hearers=hearers,
        predicts=shares.get(WORDS[0], 0.0),
        shares=shares,
        tables=tables,
    )


def _compute_p_values(table: Table, orders: IntArray, shape: tuple[int, ...]) -> Chances:
    """Return the p values of every pair of a table, single and adjusted, by random permutations."""
    observed = compute_strengths(table, np.arange(len(table[0]))[None])[0]
    chances = compute_p_values(observed, np.vstack([observed[None], compute_strengths(table, orders)]))
    return Chances(*(p.reshape(shape) for p in chances))


def _compute_finding_rates(
    table: Table, signs: IntArray, seed: int, tables: int, progress: ProgressCallback
) -> FloatArray:
    """Return the proportion of permuted tables with each finding, by automatic and hearer measure."""
    shape = signs.shape
    orders = permute_randomly(len(table[0]), max(NULL, tables), seed)
    nulls = [compute_strengths(kind, orders) for kind in (table, rank_table(table))]
    counts = np.zeros((len(WORDS), *shape))
    for start in progress(range(tables), "tables that chance makes"):
        # Reported one by one to the progress callback, computed in batches.
        if start % AT_ONCE:
            continue
        some = orders[start : min(start + AT_ONCE, tables)]
        linear, rank = (_collect_p_values(null[start : start + len(some)], null, shape) for null in nulls)
        wide = np.tile(signs, len(some))
        words = decide(
            TriedPair(agree_permuted(*table, some), linear, rank, wide, np.zeros(wide.shape, dtype=bool))
        ).reshape(shape[0], len(some), shape[1])
        counts += (words == np.arange(len(WORDS))[:, None, None, None]).sum(axis=2)
    return counts / tables


def _collect_p_values(observed: FloatArray, null: FloatArray, shape: tuple[int, ...]) -> Chances:
    """Return the p values of several permuted tables side by side (automatic by hearer measures)."""
    chances = [compute_p_values(table_strengths, null) for table_strengths in observed]
    return Chances(*(np.hstack([p.reshape(shape) for p in parts]) for parts in zip(*chances, strict=True)))
