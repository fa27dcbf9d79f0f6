"""What measures and jobs cost for a million, and what a billion outputs would take on 64 machines (docs/scale.md).

    python benchmarks/pages/cost.py measures     every measure of the catalogue, alone, on synthetic descriptions
    python benchmarks/pages/cost.py jobs         every job but score in one process: what an item adds, from two sizes (score: benchmarks/pipeline.py)
    python benchmarks/pages/cost.py schedule     64 machines: a formula, and a simulation of the schedule with slow and lost machines

Seconds are of the processor, so that they hold on a busy machine. `measures` takes about one minute, `jobs` three, `schedule` one.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

MILLION = 1_000_000
CHUNK = 20_000  # trials that `score` has in memory at a time


# -- measures ------------------------------------------------------------------------------------------------------------------


def descriptions(n: int) -> Any:
    """A system that says what the person said about the trial before."""
    from referee.contracts import Batch
    from referee.corpora.synthetic.corpus import generate_trials

    trials = list(islice(generate_trials(n + 1), n + 1))
    return Batch.of([t.references[0] for t in trials[:-1]], trials[1:])


def places(n: int) -> Any:
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from ground_speed import as_records, boxes

    return as_records(boxes(n, 1), boxes(n, 2))


def measure(name: str, given: Any) -> Any:
    from referee import catalogue
    from referee.capabilities import LearnsFirst

    metric = catalogue.configure("metric", name)
    if isinstance(metric, LearnsFirst):
        metric.learn(given)
    metric.statistics(given)
    return metric


def seconds_of(name: str, given: Any) -> tuple[float, int]:
    """Processor seconds for a batch, and how many numbers an item leaves behind."""
    from referee.capabilities import count_statistics

    began = time.process_time()
    metric = measure(name, given)
    return time.process_time() - began, count_statistics(metric)


def peak_of(name: str, given: Any) -> int:
    """The most bytes in use while a batch is measured."""
    tracemalloc.start()
    measure(name, given)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def measures(n: int) -> None:
    from dataclasses import replace

    from referee import catalogue
    from referee.errors import RefereeError

    said, found = descriptions(n), places(n)
    left_out = {}
    print(f"{n:,} outputs; seconds of the processor and numbers kept for a million, memory for a chunk of {CHUNK:,}")
    print(f"{'measure':<26}{'s / million':>12}{'kept MB / million':>19}{'peak MB / chunk':>17}")
    for name in catalogue.names("metric"):
        if not catalogue.is_shipped("metric", name):
            continue
        whole = found if name.startswith("ground/") else said

        def fresh(size: int, whole: Any = whole) -> Any:
            cut = {part: getattr(whole, part)[:size] for part in ("outputs", "trials", "references", "answers")}
            return replace(whole, **cut, cache={})

        try:
            # Twice, and the quicker one: the first one may compile or load what is needed once.
            times, widths = zip(*(seconds_of(name, fresh(n)) for _ in range(2)), strict=True)
            seconds, width, peak = min(times), widths[0], peak_of(name, fresh(n // 10))
        except (RefereeError, ImportError, TypeError) as error:
            left_out[name] = str(error).splitlines()[0]
            continue
        scaled = peak / (n // 10) * CHUNK / 1e6
        print(f"{name:<26}{seconds / n * MILLION:>12.1f}{8 * width * MILLION / 1e6:>19.0f}{scaled:>17.1f}", flush=True)
    for name, why in left_out.items():
        print(f"{name:<26}not measured: {why}")


# -- jobs ----------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Spent:
    seconds: float
    megabytes: float


def referee(*arguments: object) -> Spent:
    """One command in one process, and what it took."""
    process = subprocess.Popen(
        [sys.executable, "-m", "referee", *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    told = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1):
        sys.exit(f"referee {' '.join(map(str, arguments))}\n{told.decode()[-2000:]}")
    return Spent(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def spoken(folder: Path, n: int) -> Path:
    """The trials of the synthetic corpus, and people who found three of four."""
    from referee.corpora.jsonl import response_to_json, trial_to_json, write_json_line
    from referee.corpora.synthetic.corpus import Synthetic
    from referee.records import Outcome, Response

    place = folder / f"trials-{n}"
    if not place.exists():
        place.mkdir()
        trials = list(islice(Synthetic(speakers=n // 10 + 1, layouts=2).trials(), n))
        answers = (
            Response(
                trial=t.id,
                hearer=t.speaker or "",
                outcome=Outcome.ENTITY,
                entity=t.targets[0] if i % 4 else t.scene.entities[0].id,
                identification_ms=900.0 + i % 700,
            )
            for i, t in enumerate(trials)
        )
        (place / "trials.jsonl").write_text("".join(write_json_line(trial_to_json(t)) + "\n" for t in trials), "utf-8")
        (place / "responses.jsonl").write_text(
            "".join(write_json_line(response_to_json(r)) + "\n" for r in answers), "utf-8"
        )
    return place


SYSTEMS = ("classic/greedy", "classic/incremental")
PANEL = "set/dice,set/masi,scene/unique,string/edit"


def run(folder: Path, n: int) -> tuple[int, Spent]:
    corpus, out = spoken(folder, n // 2) / "trials.jsonl", folder / f"run-{n}"
    command = ("run", "--corpus", corpus, "--systems", ",".join(SYSTEMS), "--folds", 2, "--jobs", 1, "--out", out)
    return n, referee(*command)


def listen(folder: Path, n: int) -> tuple[int, Spent]:
    return n, referee("listen", folder / f"run-{n}", "--hearer", "noisy")


def court(folder: Path, n: int) -> tuple[int, Spent]:
    scored = folder / f"scored-{n}"
    referee("score", folder / f"run-{n}", "--metrics", PANEL, "--out", scored)
    referee("listen", scored, "--hearer", "noisy")
    return n, referee("court", scored, "--resamples", 100, "--permutations", 20)


def passport(folder: Path, n: int) -> tuple[int, Spent]:
    return n, referee("passport", "noisy", "--data", spoken(folder, n), "--no-new", "--resamples", 100)


def power(folder: Path, n: int) -> tuple[int, Spent]:
    planned = ("--systems", 12, "--items", 120, "--participants", 24, "--effect", 0.05)
    return n, referee("power", *planned, "--simulations", n)


def simulate(folder: Path, n: int) -> tuple[int, Spent]:
    study = folder / f"study-{n}"
    referee("study", "demo", study, "--items", 30, "--participants", 6)
    return 30 * n, referee("study", "simulate", study, "--participants", n)


JOBS: dict[str, tuple[Callable[[Path, int], tuple[int, Spent]], str, tuple[int, int]]] = {
    "run": (run, "a description by a classic algorithm", (2_000, 8_000)),
    "listen": (listen, "an answer of the noisy hearer", (2_000, 8_000)),
    "court": (court, "an output of a run with 4 measures, 100 resamples", (2_000, 8_000)),
    "passport": (passport, "a question to the noisy hearer", (1_000, 3_000)),
    "power": (power, "a simulated study of 12 x 120 x 24", (1_000, 6_000)),
    "study simulate": (simulate, "an acknowledged answer", (6, 24)),
}


def jobs(names: Sequence[str]) -> None:
    print("what an item adds, from two sizes; what a command takes before its first item")
    print(f"{'job':<16}{'s / million':>12}{'GB / million':>14}{'fixed s':>9}{'fixed MB':>10}   an item is")
    with tempfile.TemporaryDirectory(prefix="referee-cost-") as place:
        for name in names or JOBS:
            job, what, sizes = JOBS[name]
            (few, first), (many, second) = (job(Path(place), size) for size in sizes)
            each = (second.seconds - first.seconds) / (many - few)
            grows = max(0.0, (second.megabytes - first.megabytes) / (many - few))
            print(
                f"{name:<16}{each * MILLION:>12,.0f}{grows * MILLION / 1024:>14.2f}"
                f"{first.seconds - each * few:>9.1f}{first.megabytes - grows * few:>10.0f}   {what}",
                flush=True,
            )


# -- the schedule --------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """Machines, and what happens to them. Times in seconds."""

    machines: int = 64
    workers: int = 16  # of each
    slow: int = 3  # machines that take three times as long
    lost_every: float = 24 * 3600.0  # a machine, on average
    noticed_after: float = 15.0  # by Ray
    back_after: float = 300.0
    start: float = 30.0  # Ray, workers, imports


def shard_noise(shards: int = 60, items: int = 1000) -> list[float]:
    """How long shards of equal size take beside their median, in processor time measured here: what else a machine does is for `Fleet` to say."""
    from referee import catalogue

    times = []
    for _ in range(shards):
        batch = descriptions(items)
        began = time.process_time()
        catalogue.configure("metric", "string/edit").statistics(batch)
        catalogue.configure("metric", "set/dice").statistics(batch)
        times.append(time.process_time() - began)
    times = times[10:]  # the first ones load and compile
    middle = float(np.median(times))
    return [t / middle for t in times]


def slowness(fleet: Fleet, machine: int) -> float:
    return 3.0 if machine < fleet.slow else 1.0


def predicted(fleet: Fleet, items: float, item_s: float, shard: int, piece_s: float, noise: Sequence[float]) -> float:
    """The formula: all workers busy to the end, or the command busy with handing out; then the last piece of a slow machine."""
    speed = fleet.workers * sum(1 / slowness(fleet, m) for m in range(fleet.machines))
    working = items * item_s * float(np.mean(noise)) / speed
    away = 1 + (fleet.noticed_after + fleet.back_after) / fleet.lost_every
    last = shard * item_s * (3.0 if fleet.slow else 1.0)
    return fleet.start + max(working * away, items / shard * piece_s) + last


def losses(fleet: Fleet, rng: Random) -> Iterator[float]:
    at = 0.0
    while True:
        at += rng.expovariate(1 / fleet.lost_every)
        yield at
        at += fleet.back_after


def simulated(
    fleet: Fleet, items: float, item_s: float, shard: int, piece_s: float, noise: Sequence[float], seed: int = 1
) -> tuple[float, int]:
    """Piece by piece: workers that take the next one when they are free, one command that hands out one after the other, machines that are lost with all that
    they have in hand. Seconds until the last result, and how many pieces were done twice."""
    rng = Random(seed)
    ends = {m: losses(fleet, rng) for m in range(fleet.machines)}
    next_loss = {m: next(ends[m]) for m in ends}
    free = [(fleet.start, m, w) for m in range(fleet.machines) for w in range(fleet.workers)]
    left, again, handed, finished = round(items / shard), 0, fleet.start, 0.0
    waiting: list[float] = []  # pieces of lost machines, by the moment when that is noticed
    while left or waiting:
        at, machine, worker = heappop(free)
        if not left and waiting and waiting[0] > at:
            at = waiting[0]
        begins = max(at, handed)
        while next_loss[machine] + fleet.back_after < begins:  # lost and back while nobody was at work there
            next_loss[machine] = next(ends[machine])
        if next_loss[machine] <= begins:
            heappush(free, (next_loss[machine] + fleet.back_after, machine, worker))
            continue
        if waiting and waiting[0] <= begins:
            heappop(waiting)
        else:
            left -= 1
        handed = begins + piece_s
        ends_at = handed + shard * item_s * rng.choice(noise) * slowness(fleet, machine)
        if next_loss[machine] < ends_at:
            again += 1
            heappush(waiting, next_loss[machine] + fleet.noticed_after)
            heappush(free, (next_loss[machine] + fleet.back_after, machine, worker))
        else:
            finished = max(finished, ends_at)
            heappush(free, (ends_at, machine, worker))
    return finished, again


def schedule(items: float, item_us: float, piece_ms: float) -> None:
    fleet = Fleet()
    noise = shard_noise()
    quantiles = np.quantile(noise, [0.05, 0.5, 0.95, 1.0])
    print(f"{items:,.0f} items of {item_us:g} µs, {piece_ms:g} ms of the command for a piece")
    print(f"shards beside their median, measured: {', '.join(f'{q:.2f}' for q in quantiles)} (5 %, half, 95 %, all)")
    print(f"{fleet}")
    print(f"{'piece':>10}{'pieces':>12}{'formula':>10}{'simulated':>11}{'ratio':>7}{'twice':>7}{'bound by':>10}")
    for shard in (1_000, 10_000, 100_000, 1_000_000):
        said = predicted(fleet, items, item_us / 1e6, shard, piece_ms / 1e3, noise)
        came, again = simulated(fleet, items, item_us / 1e6, shard, piece_ms / 1e3, noise)
        bound = "command" if items / shard * piece_ms / 1e3 > 0.9 * (said - fleet.start) else "workers"
        print(
            f"{shard:>10,}{items / shard:>12,.0f}{said:>8.0f} s{came:>9.0f} s{came / said:>7.2f}{again:>7}{bound:>10}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("measures", "jobs", "schedule"))
    parser.add_argument("names", nargs="*", help="of jobs")
    parser.add_argument("--n", type=int, default=10_000, help="outputs for every measure")
    parser.add_argument("--items", type=float, default=1e9)
    parser.add_argument("--item", type=float, default=100.0, metavar="US", help="what an item takes, in microseconds")
    parser.add_argument("--piece", type=float, default=5.0, metavar="MS", help="what handing out a piece takes")
    chosen = parser.parse_args()
    if chosen.what == "measures":
        measures(chosen.n)
    elif chosen.what == "jobs":
        jobs(chosen.names)
    else:
        schedule(chosen.items, chosen.item, chosen.piece)


if __name__ == "__main__":
    main()
