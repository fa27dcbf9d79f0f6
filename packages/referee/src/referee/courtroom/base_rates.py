"""Base rates of the court's findings: how often the rules give each finding in a table of this shape without any
association.

The rows of hearer measures are permuted among the families, `TABLES` times, and the same rules judge each permuted
table. A finding that is as frequent by chance is no evidence. Noise of the answers is left out here, which can only
raise the base rates of positive findings.
"""

from __future__ import annotations

import numpy as np

from referee.contracts import FloatArray
from referee.courtroom.agreement import agree_dealt
from referee.courtroom.multiplicity import Chances, Table, chances_among, deal_randomly, rank_table, strengths
from referee.courtroom.rules import WORDS, TriedPair, decide
from referee.courtroom.sheet import SystemScores, family_table, signs_of
from referee.jobs.progress import ProgressCallback, without_progress
from referee.statistics.frames import IntArray

__all__ = ["TABLES", "word_rates"]

TABLES = 300
WordRates = dict[tuple[str, str], dict[str, float]]
AT_ONCE = 50
"""Tables that are worked out together."""
NULL = 1000
"""Deals that the p values of the tables are found by; the tables themselves are the first of them."""


def word_rates(
    sheet: SystemScores, seed: int = 1, tables: int = TABLES, progress: ProgressCallback = without_progress
) -> WordRates:
    """Return, for every pair of measures, the base rate of each finding (only positive rates)."""
    alone = sheet.without_people()
    table, signs = family_table(alone), signs_of(alone)
    counts = _count_words(table, signs, seed, tables, progress)
    return {
        (a, h): {word: float(counts[k, i, j]) for k, word in enumerate(WORDS) if counts[k, i, j]}
        for i, a in enumerate(alone.automatic)
        for j, h in enumerate(alone.hearer)
    }


def _count_words(table: Table, signs: IntArray, seed: int, tables: int, progress: ProgressCallback) -> FloatArray:
    """Shares of tables by word, automatic and hearer measure."""
    shape = signs.shape
    orders = deal_randomly(len(table[0]), max(NULL, tables), seed)
    nulls = [strengths(kind, orders) for kind in (table, rank_table(table))]
    counts = np.zeros((len(WORDS), *shape))
    for start in progress(range(tables), "tables that chance makes"):
        # Reported one by one to the progress callback, computed in batches.
        if start % AT_ONCE:
            continue
        some = orders[start : min(start + AT_ONCE, tables)]
        linear, rank = (_chances(null[start : start + len(some)], null, shape) for null in nulls)
        wide = np.tile(signs, len(some))
        words = decide(
            TriedPair(agree_dealt(*table, some), linear, rank, wide, np.zeros(wide.shape, dtype=bool))
        ).reshape(shape[0], len(some), shape[1])
        counts += (words == np.arange(len(WORDS))[:, None, None, None]).sum(axis=2)
    return counts / tables


def _chances(observed: FloatArray, null: FloatArray, shape: tuple[int, ...]) -> Chances:
    """Of some tables: automatic measures by hearer measures, table after table."""
    chances = [chances_among(table_strengths, null) for table_strengths in observed]
    return Chances(*(np.hstack([p.reshape(shape) for p in parts]) for parts in zip(*chances, strict=True)))
