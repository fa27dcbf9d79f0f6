"""Statistics of one shared task (14 systems x 112 items, 2 domains) beside scipy, statsmodels and pingouin: at least as fast is the promise.

Run with ``python benchmarks/inference.py [--repeats N]``. Both sides start from the data frame of their own kind and must agree on the value
printed. Quantiles that we remember between calls are forgotten before every timing.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from itertools import combinations
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pingouin as pg
import polars as pl
import statsmodels.formula.api as smf
from rich.console import Console
from rich.table import Table
from scikit_posthocs import compact_letter_display, posthoc_tukey
from scipy import stats
from statsmodels.stats.anova import anova_lm

from referee.statistics.comparisons import compare_systems
from referee.statistics.homogeneous_subsets import find_studentised_range, tukey_letters
from referee.statistics.ranks import kruskal_wallis_frame
from referee.statistics.variance import one_way, two_way

SYSTEMS = [f"system-{i:02d}" for i in range(14)]


def make_task(seed: int = 1) -> dict[str, list[Any]]:
    """Scores like Dice: some systems alike, some clearly worse."""
    rng = np.random.default_rng(seed)
    rows = [
        (system, f"item-{i}", "furniture" if i < 56 else "people", float(rng.normal(0.8 - 0.04 * (s // 3), 0.15)))
        for s, system in enumerate(SYSTEMS)
        for i in range(112)
    ]
    return dict(zip(("system", "item", "domain", "value"), map(list, zip(*rows, strict=True)), strict=True))


def our_letters(frame: pl.DataFrame) -> dict[str, str]:
    find_studentised_range.cache_clear()
    model = one_way(frame, value="value", system="system")
    means = dict(frame.group_by("system").agg(pl.col("value").mean()).iter_rows())
    return tukey_letters(means, error_ms=model.error_ms, error_df=model.error_df, counts=112)


def their_letters(frame: pd.DataFrame) -> dict[str, str]:
    p = posthoc_tukey(frame, val_col="value", group_col="system")
    return {s: str(v).replace(" ", "") for s, v in dict(compact_letter_display(p)).items()}


def ties(letters: dict[str, str]) -> float:
    """How many pairs share a letter: equal for equal displays, whatever the letters are called."""
    return sum(bool(set(letters[a]) & set(letters[b])) for a, b in combinations(SYSTEMS, 2))


def their_t_tests(frame: pd.DataFrame) -> float:
    wide = frame.pivot(index="item", columns="system", values="value")
    return min(float(stats.ttest_rel(wide[a], wide[b]).pvalue) for a, b in combinations(SYSTEMS, 2))


def comparisons(
    ours: pl.DataFrame, theirs: pd.DataFrame
) -> list[tuple[str, str, Callable[[], float], Callable[[], float]]]:
    """What is timed: name, whose, ours, theirs."""

    def anova() -> float:
        return float(two_way(ours, value="value", system="system", domain="domain").effects[0].f or 0)

    def h() -> float:
        return float(kruskal_wallis_frame(ours, value="value", system="system").h or 0)

    def statsmodels_anova() -> float:
        fit = smf.ols("value ~ C(system, Sum) * C(domain, Sum)", theirs).fit()
        return float(anova_lm(fit, typ=3).loc["C(system, Sum)", "F"])

    def pingouin_anova() -> float:
        return float(pg.anova(theirs, dv="value", between=["system", "domain"], ss_type=3)["F"].iloc[0])

    return [
        ("two-way ANOVA, type III", "statsmodels", anova, statsmodels_anova),
        ("two-way ANOVA, type III", "pingouin", anova, pingouin_anova),
        ("Kruskal-Wallis", "pingouin", h, lambda: float(pg.kruskal(theirs, dv="value", between="system")["H"].iloc[0])),
        (
            "Kruskal-Wallis",
            "scipy",
            h,
            lambda: float(stats.kruskal(*(g["value"] for _, g in theirs.groupby("system"))).statistic),
        ),
        ("Tukey letters", "scikit-posthocs", lambda: ties(our_letters(ours)), lambda: ties(their_letters(theirs))),
        (
            "91 paired t-tests (ours with d and Holm)",
            "scipy",
            lambda: float(compare_systems(ours, value="value", system="system", item="item")["p"].min()),  # type: ignore[arg-type]
            lambda: their_t_tests(theirs),
        ),
        (
            "91 paired t-tests with d and Holm",
            "pingouin",
            lambda: float(compare_systems(ours, value="value", system="system", item="item")["p"].min()),  # type: ignore[arg-type]
            lambda: float(
                pg.pairwise_tests(theirs, dv="value", within="system", subject="item", padjust="holm", effsize="cohen")[
                    "p_unc"
                ].min()
            ),
        ),
    ]


def timed(action: Callable[[], float], repeats: int) -> tuple[float, float]:
    """The value, and the median of processor time in milliseconds after one call to warm up."""
    value, spans = action(), []
    for _ in range(repeats):
        start = time.process_time()
        action()
        spans.append(time.process_time() - start)
    return value, 1000 * median(spans)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    warnings.simplefilter("ignore")
    task = make_task()
    table = Table("what", "ours ms", "theirs ms", "theirs", "ratio", "same value")
    for what, whose, ours, theirs in comparisons(pl.DataFrame(task), pd.DataFrame(task)):
        (a, fast), (b, slow) = timed(ours, repeats), timed(theirs, max(2, repeats // 2))
        same = "yes" if np.isclose(a, b, rtol=1e-8) else f"NO: {a} against {b}"
        table.add_row(what, f"{fast:.2f}", f"{slow:.2f}", whose, f"{slow / fast:.1f}", same)
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
