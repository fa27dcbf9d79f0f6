"""How long `referee run` takes: the fourteen TUNA-AS systems, five folds, on TUNA (or, without it, on the shipped corpus), by number of processes."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from referee.engines.local import LocalEngine
from referee.jobs.folds import RunPlan
from referee.jobs.open import open_corpus
from referee.jobs.run import run
from referee.jobs.speak import parse_systems


def main() -> None:
    corpus = ("tuna", "challenge") if os.environ.get("REFEREE_DATA") else ("synthetic", None)
    opened = open_corpus(corpus[0], reading=corpus[1])
    systems = parse_systems(["tuna2008-as"])
    trials = sum(1 for _ in opened.trials())
    table = Table(
        "processes", "seconds", "descriptions a second", title=f"{len(systems)} systems, 5 folds, {trials} trials"
    )
    for jobs in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            start = time.perf_counter()
            run(RunPlan(systems=systems), opened, Path(folder) / "run", engine=LocalEngine(jobs))
            taken = time.perf_counter() - start
        table.add_row(str(jobs), f"{taken:.1f}", f"{len(systems) * trials / taken:,.0f}")
    Console().print(table)


if __name__ == "__main__":
    main()
