"""`referee score` end to end on 10,000 to 1,000,000 outputs: seconds, growth exponent and peak memory (under 2 GiB is the promise)."""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

PANEL = "set,scene,string/exact,string/edit,string/bleu.4,string/nist,string/rouge-2,string/rouge-su4"


def write_outputs(n: int, path: Path) -> None:
    """A system that says what the person said about the trial before."""
    from referee.corpora.jsonl import json_line
    from referee.corpora.outputs import output_to_json
    from referee.corpora.synthetic.corpus import generate

    with path.open("w", encoding="utf-8") as file:
        for trial in generate(n):
            file.write(json_line(output_to_json(trial.id, "copy", trial.references[0])) + "\n")


def score_once(n: int, path: Path) -> None:
    """Read, measure, resample; print seconds and peak memory as JSON."""
    from referee.corpora.synthetic.corpus import generate
    from referee.runs.open import open_outputs
    from referee.runs.score import Settings, metric_names, score_trials

    start = time.perf_counter()
    settings = Settings(metrics=metric_names(PANEL.split(",")), resamples=1000)
    table = score_trials(open_outputs(path), partial(generate, n), settings)
    rows = table.scores()
    assert all(row["n"] for row in rows if row["metric"] != "scene/deficit")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
    print(json.dumps({"seconds": time.perf_counter() - start, "gib": peak}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        score_once(int(arguments.one[0]), Path(arguments.one[1]))
        return
    table = Table("outputs", "seconds", "outputs/s", "peak GiB", title=f"referee score, panel: {PANEL}")
    points = []
    with tempfile.TemporaryDirectory() as folder:
        for n in arguments.sizes:
            path = Path(folder) / f"{n}.jsonl"
            write_outputs(n, path)
            done = subprocess.run(
                [sys.executable, __file__, "--one", str(n), str(path)], capture_output=True, text=True, check=True
            )
            found = json.loads(done.stdout)
            points.append((n, found["seconds"]))
            table.add_row(f"{n:,}", f"{found['seconds']:.1f}", f"{n / found['seconds']:,.0f}", f"{found['gib']:.2f}")
    Console().print(table)
    if len(points) > 1:
        (a, s), (b, t) = points[0], points[-1]
        Console().print(f"growth exponent from {a:,} to {b:,}: {math.log(t / s) / math.log(b / a):.2f}")


if __name__ == "__main__":
    main()
