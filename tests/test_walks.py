"""The way of one `score` through the package stays short enough to be followed by a person."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

WALKS = Path(__file__).resolve().parent.parent / "benchmarks" / "walks.py"
MOST = 38


def test_one_score_enters_few_modules() -> None:
    """In a process of its own: what other tests have worked out and kept would shorten the walk."""
    done = subprocess.run([sys.executable, str(WALKS), "score"], capture_output=True, text=True, check=True)
    first, *lines = done.stdout.splitlines()
    entered = [line.split()[-1] for line in lines]
    assert first == f"score: {len(entered)} modules"
    steps = ["referee.jobs.open", "referee.jobs.score", "referee.jobs.rows", "referee.jobs.batches"]
    assert [module for module in entered if module in steps] == steps
    assert entered[0] == "referee.cli"
    assert entered[-1] == "referee.show.reports.score_tables"
    assert len(entered) <= MOST, done.stdout
