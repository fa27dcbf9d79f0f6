"""How fast synthetic trials are made, and whether memory stays flat: ``python benchmarks/synthetic.py [TRIALS]`` (default 1,000,000)."""

from __future__ import annotations

import resource
import sys
from time import perf_counter

from referee.corpora.synthetic.corpus import generate_trials


def peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(trials: int) -> None:
    sum(1 for _ in generate_trials(1000))
    before, start = peak_mb(), perf_counter()
    made = sum(1 for _ in generate_trials(trials))
    seconds = perf_counter() - start
    print(
        f"{made:,} trials in {seconds:.1f} s: {made / seconds:,.0f} trials/s; peak memory grew by {peak_mb() - before:.1f} MB"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
