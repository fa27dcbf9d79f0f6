"""`referee score` end to end on files of 10,000 to 1,000,000 outputs: processor and wall seconds, growth exponent, peak memory, and how far reading is from the floor.

Corpus and outputs are files, as users have them; every trial brings its own scene (about 2 kB). The floor is a bare loop of `orjson` over the same lines, with
nothing kept, and polars reading them into columns. `--parquet` takes the outputs as a Parquet table.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

PANEL = "set,scene,string/exact,string/edit,string/bleu.4,string/nist,string/rouge-2,string/rouge-su4"


def write_files(n: int, folder: Path, parquet: bool) -> None:
    """A corpus, and a system that says what the person said about the trial before in the same scene design."""
    from referee.corpora.jsonl import json_line, trial_to_json
    from referee.corpora.outputs import output_to_json
    from referee.corpora.synthetic.corpus import generate

    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as corpus, (folder / "outputs.jsonl").open("w") as said:
        for trial in generate(n):
            corpus.write(json_line(trial_to_json(trial)) + "\n")
            said.write(json_line(output_to_json(trial.id, "copy", trial.references[0])) + "\n")
    if parquet:
        import polars as pl

        pl.read_ndjson(folder / "outputs.jsonl").write_parquet(folder / "outputs.parquet")


def score_once(folder: Path, parquet: bool) -> None:
    """Read, measure, resample; print where the time went as JSON."""
    import referee.runs.score as scoring
    from referee.runs.open import open_corpus, open_outputs
    from referee.runs.score import Settings, metric_names, score_trials

    start, began = time.perf_counter(), time.process_time()
    spent = {"measures": 0.0}
    add, finish = scoring.Measured.add, scoring.Measured.finish

    def timed(call: Callable[..., Any]) -> Callable[..., Any]:
        def inside(*given: Any) -> Any:
            before = time.process_time()
            found = call(*given)
            spent["measures"] += time.process_time() - before
            return found

        return inside

    scoring.Measured.add, scoring.Measured.finish = timed(add), timed(finish)  # type: ignore[method-assign]
    settings = Settings(metrics=metric_names(PANEL.split(",")), resamples=1000)
    answers = open_outputs(folder / ("outputs.parquet" if parquet else "outputs.jsonl"))
    table = score_trials(answers, open_corpus(str(folder / "corpus.jsonl")).trials, settings)
    measured = time.process_time()
    rows = table.scores()
    assert all(row["n"] for row in rows if row["metric"] != "scene/deficit")
    processor = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 / 1024
    intervals = time.process_time() - measured
    reading = processor - spent["measures"] - intervals
    found = {"wall": time.perf_counter() - start, "processor": processor, "reading": reading, "intervals": intervals}
    print(json.dumps({**found, **spent, "gib": peak}))


def read_barely(folder: Path) -> None:
    """The floor: the same two files, parsed and let go."""
    import orjson
    import polars as pl

    began = time.process_time()
    for name in ("corpus.jsonl", "outputs.jsonl"):
        with (folder / name).open("rb") as file:
            for line in file:
                orjson.loads(line)
    looped = time.process_time()
    for name in ("corpus.jsonl", "outputs.jsonl"):
        pl.read_ndjson(folder / name)
    print(json.dumps({"orjson": looped - began, "polars": time.process_time() - looped}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--parquet", action="store_true", help="outputs as a Parquet table")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        what, folder = arguments.one[0], Path(arguments.one[1])
        read_barely(folder) if what == "floor" else score_once(folder, arguments.parquet)
        return
    heads = ("outputs", "seconds", "processor", "reading", "floor", "polars", "measures", "intervals", "peak GiB")
    table = Table(*heads, title=f"referee score, panel: {PANEL}")
    points = []
    for n in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_files(n, Path(folder), arguments.parquet)
            parquet = ["--parquet"] if arguments.parquet else []
            score, floor = (_in_a_process([what, folder], parquet) for what in ("score", "floor"))
        points.append((n, score["processor"]))
        numbers = (score["wall"], score["processor"], score["reading"], floor["orjson"], floor["polars"])
        more = (score["measures"], score["intervals"])
        table.add_row(f"{n:,}", *(f"{x:.1f}" for x in (*numbers, *more)), f"{score['gib']:.2f}")
    Console().print(table)
    if len(points) > 1:
        (a, s), (b, t) = points[-2], points[-1]
        Console().print(f"growth exponent from {a:,} to {b:,}: {math.log(t / s) / math.log(b / a):.2f}")


def _in_a_process(one: list[str], parquet: list[str]) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", *one, *parquet]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
