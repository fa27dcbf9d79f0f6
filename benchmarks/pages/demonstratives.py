"""The table of seeds in docs/demonstratives.md: ``python benchmarks/pages/demonstratives.py``, thirty times `referee tangram classify --synthetic --seed N`."""

from __future__ import annotations

import re
import subprocess
import sys
from statistics import mean

SEEDS = range(101, 131)
RECENT, ALL, WITHOUT, CURSOR = (
    "most recently mentioned",
    "all features",
    "without current operation",
    "cursor over target",
)
ROW = re.compile(rf"^  ({RECENT}|{ALL}|{WITHOUT}|{CURSOR}) +\S+ +\S+ +(\S+)", re.MULTILINE)


def scores(seed: int) -> dict[str, float]:
    """F of every row of the table."""
    command = [sys.executable, "-m", "referee", "tangram", "classify", "--synthetic", "--seed", str(seed)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {name: float(f) for name, f in ROW.findall(printed)}


def main() -> None:
    found = {seed: scores(seed) for seed in SEEDS}
    for name in (ALL, RECENT, WITHOUT, CURSOR):
        print(f"{name}: mean F {mean(f[name] for f in found.values()):.3f}")
    for better, worse in ((ALL, RECENT), (RECENT, WITHOUT), (ALL, CURSOR)):
        gaps = {seed: f[better] - f[worse] for seed, f in found.items()}
        not_for = [seed for seed, gap in gaps.items() if gap <= 0]
        few = f", not for {', '.join(map(str, not_for))}" if 0 < len(not_for) < 10 else ""
        print(
            f"{better} above {worse}: {len(gaps) - len(not_for)} of {len(gaps)}{few}; gap {min(gaps.values()):.3f} to {max(gaps.values()):.3f}"
        )


if __name__ == "__main__":
    main()
