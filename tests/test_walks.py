"""One `score` is open → batch → rows → table → print: five modules that a person can follow, and no job beside them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WALKS = Path(__file__).resolve().parent.parent / "benchmarks" / "walks.py"
STEPS = ["referee.jobs.open", "referee.jobs.score", "referee.jobs.rows", "referee.jobs.batches"]
# `score` calls the five; `folder` is asked whether the outputs are a run, `watching` shows progress.
JOBS = {*STEPS, "referee.jobs.score_table", "referee.jobs.folder", "referee.jobs.progress"}


def test_one_score_goes_through_five_modules() -> None:
    """In a process of its own: what other tests have computed and stored would shorten the walk."""
    walk = subprocess.run([sys.executable, str(WALKS), "score"], capture_output=True, text=True, check=True)
    first, *lines = walk.stdout.splitlines()
    entered = [line.split()[-1] for line in lines]
    assert first == f"score: {len(entered)} modules"
    assert [module for module in entered if module in STEPS] == STEPS
    assert {module for module in entered if module.startswith("referee.jobs.")} == JOBS
    assert (entered[0], entered[-1]) == ("referee.cli", "referee.show.reports.score_tables")
