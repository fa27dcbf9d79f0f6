"""`referee score` end to end on files of 10,000 to 1,000,000 outputs: wall and processor seconds, growth exponent, peak memory, and the floor of reading.

Corpus and outputs are files, as users have them; every trial brings its own scene (2 kB). "seconds", "processor" and "peak" are of the command as it is, all
its processes together (a page of memory that several share counts once); "reading" and "measures" are processor seconds of the same work in one process,
"intervals" those of the table. The floor is a bare loop of `orjson` over the same lines, with nothing kept; beside it polars, reading them into columns (up
to 100,000). `--parquet` takes the outputs as a Parquet table; with `--systems 50` so many systems share them, each on a fiftieth of the trials.
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

LARGE = 1 << 28
PANEL = "set,scene,string/exact,string/edit,string/bleu.4,string/nist,string/rouge-2,string/rouge-su4"


def write_files(n: int, folder: Path, parquet: bool, systems: int) -> None:
    """A corpus, and systems that say what the person said."""
    from referee.corpora.jsonl import trial_to_json, write_json_line
    from referee.corpora.outputs import output_to_json
    from referee.corpora.synthetic.corpus import generate_trials

    with (folder / "corpus.jsonl").open("w", encoding="utf-8") as corpus, (folder / "outputs.jsonl").open("w") as said:
        for trial in generate_trials(n // systems):
            corpus.write(write_json_line(trial_to_json(trial)) + "\n")
            for number in range(systems):
                said.write(write_json_line(output_to_json(trial.id, f"copy-{number}", trial.references[0])) + "\n")
    if parquet:
        import polars as pl

        pl.read_ndjson(folder / "outputs.jsonl").write_parquet(folder / "outputs.parquet")


def score_once(folder: Path, parquet: bool) -> None:
    """The command as it is; print seconds and peak memory as JSON."""
    from referee.api.score import score

    start = time.perf_counter()
    found = score(str(folder / _name(parquet)), str(folder / "corpus.jsonl"), metrics=PANEL)
    assert all(row["n"] for row in found.rows if row["metric"] != "scene/deficit")
    own, copies = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    processor = sum(used.ru_utime + used.ru_stime for used in (own, copies))
    print(json.dumps({"wall": time.perf_counter() - start, "processor": processor}))


def memory_of(process: int) -> float:
    """GiB of a process and its children, shared pages counted once (Linux)."""
    try:
        mine = Path(f"/proc/{process}/smaps_rollup").read_text()
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:  # it ended meanwhile
        return 0.0
    kib = next((int(line.split()[1]) for line in mine.splitlines() if line.startswith("Pss:")), 0)
    return kib / 2**20 + sum(memory_of(int(child)) for child in children)


def take_apart(folder: Path, parquet: bool) -> None:
    """The same in one process; print where its time goes as JSON."""
    from referee.api.score import score
    from referee.jobs import rows
    from referee.jobs.score_table import ScoreTable

    seconds = {"measures": 0.0, "intervals": 0.0}

    def timed(call: Callable[..., Any], part: str) -> Callable[..., Any]:
        def inside(*given: Any) -> Any:
            before = time.process_time()
            made = call(*given)
            seconds[part] += time.process_time() - before
            return made

        return inside

    rows.measure = timed(rows.measure, "measures")
    ScoreTable.scores = timed(ScoreTable.scores, "intervals")  # type: ignore[method-assign]
    began = time.process_time()
    score(str(folder / _name(parquet)), str(folder / "corpus.jsonl"), metrics=PANEL, jobs=1)
    rest = time.process_time() - began - sum(seconds.values())
    print(json.dumps({"reading": rest, **seconds}))


def _name(parquet: bool) -> str:
    return "outputs.parquet" if parquet else "outputs.jsonl"


def read_barely(folder: Path, parquet: bool) -> None:
    """The floor: the same two files, parsed and let go."""
    import orjson
    import polars as pl

    began = time.process_time()
    for name in ("corpus.jsonl", "outputs.jsonl"):
        with (folder / name).open("rb") as file:
            for line in file:
                orjson.loads(line)
    looped = time.process_time()
    small = (folder / "corpus.jsonl").stat().st_size < LARGE
    for name in ("corpus.jsonl", "outputs.jsonl") if small else ():
        pl.read_ndjson(folder / name)
    polars = time.process_time() - looped if small else float("nan")
    print(json.dumps({"orjson": looped - began, "polars": polars}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--parquet", action="store_true", help="outputs as a Parquet table")
    parser.add_argument("--systems", type=int, default=1, help="systems that the outputs are of")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        what, folder = arguments.one[0], Path(arguments.one[1])
        {"score": score_once, "apart": take_apart, "floor": read_barely}[what](folder, arguments.parquet)
        return
    heads = ("outputs", "seconds", "processor", "reading", "floor", "polars", "measures", "intervals", "peak GiB")
    table = Table(*heads, title=f"referee score, panel: {PANEL}")
    points = []
    for n in arguments.sizes:
        with tempfile.TemporaryDirectory() as folder:
            write_files(n, Path(folder), arguments.parquet, arguments.systems)
            parquet = ["--parquet"] if arguments.parquet else []
            score, apart, floor = (_in_a_process([what, folder], parquet) for what in ("score", "apart", "floor"))
        points.append((n, score["processor"]))
        numbers = (score["wall"], score["processor"], apart["reading"], floor["orjson"], floor["polars"])
        more = (apart["measures"], apart["intervals"])
        table.add_row(f"{n:,}", *(f"{x:.1f}" for x in (*numbers, *more)), f"{score['gib']:.2f}")
    Console().print(table)
    if len(points) > 1:
        (a, s), (b, t) = points[-2], points[-1]
        Console().print(f"growth exponent from {a:,} to {b:,}: {math.log(t / s) / math.log(b / a):.2f}")


def _in_a_process(one: list[str], parquet: list[str]) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", *one, *parquet]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        peak = 0.0
        while running.poll() is None:
            peak = max(peak, memory_of(running.pid))
            time.sleep(0.25)
        said = running.stdout.read() if running.stdout else ""
    if running.returncode:
        raise SystemExit(running.returncode)
    found: dict[str, float] = json.loads(said)
    return found | {"gib": peak}


if __name__ == "__main__":
    main()
