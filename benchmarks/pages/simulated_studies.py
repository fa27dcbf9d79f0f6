"""Simulated studies behind docs/statistics.md: ``python benchmarks/pages/simulated_studies.py [odds] [differences]``.

Do the intervals of the logistic mixed model and of clustered differences hold the truth as often as they say, with few participants?
"""

from __future__ import annotations

import sys

import numpy as np
import polars as pl

from referee.statistics.clusters import cluster_differences
from referee.statistics.mixed import mixed_correctness

ODDS, PEOPLE, ITEMS = 1.25, 0.5, 0.7


def study(systems: int, items: int, participants: int, seed: int) -> tuple[pl.DataFrame, np.random.Generator]:
    """Every participant sees every item once, systems in Latin squares."""
    rng = np.random.default_rng(seed)
    person, item = (codes.ravel() for codes in np.meshgrid(range(participants), range(items), indexing="ij"))
    system = (person + item) % systems
    return pl.DataFrame({"system": [f"s{s}" for s in system], "participant": person, "item": item}), rng


def odds(runs: int = 120) -> None:
    found = []
    for seed in range(runs):
        frame, rng = study(4, 96, 12, seed)
        level = 1.0 + rng.normal(0, PEOPLE, 12)[frame["participant"]] + rng.normal(0, ITEMS, 96)[frame["item"]]
        level = level + ODDS * (frame["system"] == "s1").to_numpy()
        right = (rng.random(len(frame)) < 1 / (1 + np.exp(-level))).astype(float)
        model = mixed_correctness(frame.with_columns(correct=pl.Series(right)), correct="correct", baseline="s0")
        effect = next(e for e in model.effects if e.system == "s1")
        found.append((effect.estimate, effect.error, effect.low <= np.exp(ODDS) <= effect.high))
    estimates, errors, held = (np.array(column, dtype=float) for column in zip(*found, strict=True))
    print(f"{runs} studies of 4 systems, 96 items, 12 participants; true log odds ratio {ODDS}")
    print(
        f"mean estimate {estimates.mean():.2f}, mean error {errors.mean():.3f}, spread of estimates {estimates.std(ddof=1):.3f}"
    )
    print(f"the 95 % interval held the truth in {100 * held.mean():.0f} %")


def differences(runs: int = 1000) -> None:
    for name, taste in (("without individual tastes", 0.0), ("with strong ones", 1.0)):
        held = []
        for seed in range(runs):
            frame, rng = study(4, 48, 12, seed)
            value = (
                rng.normal(0, 1, len(frame))
                + rng.normal(0, 1, 12)[frame["participant"]]
                + rng.normal(0, 1, 48)[frame["item"]]
            )
            mine = frame["system"].str.slice(1).cast(pl.Int64).to_numpy()
            value = value + rng.normal(0, taste or 1e-12, (12, 4))[frame["participant"], mine] + 0.5 * (mine == 1)
            table = cluster_differences(frame.with_columns(value=pl.Series(value)), value="value", system="system")
            row = table.filter((pl.col("system_a") == "s0") & (pl.col("system_b") == "s1")).row(0, named=True)
            held.append(row["low"] <= -0.5 <= row["high"])
        print(
            f"{runs} studies of 4 systems, 48 items, 12 participants, {name}: the 95 % interval held the truth in {100 * np.mean(held):.0f} %"
        )


PARTS = {"odds": odds, "differences": differences}

if __name__ == "__main__":
    for wanted in sys.argv[1:] or PARTS:
        PARTS[wanted]()
