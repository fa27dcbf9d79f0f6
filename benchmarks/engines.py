"""What cutting a job into pieces costs: engines beside the same loop in one bare process a worker.

    python benchmarks/engines.py             two workers, 10 pieces of 200 items each, items of 5 ms (about three minutes)
    python benchmarks/engines.py --no-ray    without Ray

Items that sleep leave the processors to others, so that their ratio holds on a busy machine too; items that burn processor time are compared by wall clock and
by the processor time of all processes. The time of an engine is that of its workers, on average, from the first item of each to its last, with all the waiting
for pieces between them; in it is not what comes before and after: starting processes, or Ray (told in a line of its own), and at the end the wait for
whoever has the last piece (one piece at most). `within` holds it against the loops in its own pieces instead, which ran at the very same time: the fairer ratio
on a machine that is busier in one minute than in the next.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from statistics import mean, median

sys.path.insert(0, str(Path(__file__).parent / "pages"))

from killed_jobs import below

from referee.engines.local import LocalEngine
from referee.engines.on_ray import RayEngine
from referee.engines.pieces import Engine, Needs, WorkPiece
from referee.engines.stored_work import StoredWork, format_lines

WORKERS, ITEM_S, SHARD = 2, 0.005, 200
ROUNDS = 4_000  # of the hash that a burning item makes; set to what takes 5 ms here


def sleeping(rounds: int) -> None:
    time.sleep(ITEM_S)


def burning(rounds: int) -> None:
    content = b"referee"
    for _ in range(rounds):
        content = blake2b(content).digest()


def nothing(rounds: int) -> None:
    pass


def calibrated() -> int:
    """Rounds of the hash that take as long as an item."""
    best = min(_seconds(lambda: burning(ROUNDS)) for _ in range(20))
    return round(ROUNDS * ITEM_S / best)


def _seconds(do: Callable[[], object]) -> float:
    began = time.process_time()
    do()
    return time.process_time() - began


@dataclass(frozen=True)
class Timed:
    """A task that says when each piece began, on the clock that all processes of a machine share, and with which processor time of its own."""

    kind: str
    rounds: int = 0
    needs: Needs = field(default_factory=Needs)

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {}

    def begin(self, inputs: Mapping[str, Path]) -> Callable[[int], None]:
        return {"sleeping": sleeping, "burning": burning, "nothing": nothing}[self.kind]

    def do(self, begun: Callable[[int], None], piece: WorkPiece) -> bytes:
        at = time.monotonic()
        for _ in piece.items:
            begun(self.rounds)
        return format_lines([json.dumps([os.getpid(), at, time.monotonic()])] * len(piece.items))


def processor_seconds() -> float:
    """Of this process and all below it."""
    tick = os.sysconf("SC_CLK_TCK")
    total = 0.0
    for pid in (os.getpid(), *below(os.getpid())):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += (int(fields[11]) + int(fields[12])) / tick
    return total


def by_engine(engine: Engine, task: Timed, pieces: int) -> tuple[float, float, float]:
    """Seconds from a worker's first item to its last, on average; processor seconds after all have begun; and those seconds beside the ones within pieces."""
    items = [str(n) for n in range(pieces * SHARD)]
    used: list[float] = []
    left = [pieces]

    def look(done: Sequence[str]) -> None:
        left[0] -= 1
        # Where the first results come every worker has started: what comes before is start-up.
        if left[0] in (pieces - WORKERS, 0):
            used.append(processor_seconds())

    with tempfile.TemporaryDirectory(prefix="referee-") as place:
        work = StoredWork(Path(place, "kept"))
        work.do(engine, task, {"items": items}, SHARD, look)
    spans: dict[int, list[float]] = {}
    within = 0.0
    for worker, began, ended in map(json.loads, set(work.lines.values())):
        spans[worker] = [*spans.get(worker, ()), began, ended]
        within += ended - began
    lasted = [max(times) - min(times) for times in spans.values()]
    return mean(lasted), (used[1] - used[0]) * pieces / (pieces - WORKERS), sum(lasted) / within


def bare(wire: multiprocessing.connection.Connection, task: Timed, pieces: int) -> None:
    do = task.begin({})
    wire.send("ready")
    wire.recv()
    began = time.monotonic()
    used = time.process_time()
    for _ in range(pieces * SHARD):
        do(task.rounds)
    wire.send((time.monotonic() - began, time.process_time() - used))


def by_loops(task: Timed, pieces: int) -> tuple[float, float]:
    """The same items in one process a worker that does nothing else: seconds of the slowest, and processor seconds of all."""
    context = multiprocessing.get_context("spawn")
    wires = []
    for _ in range(WORKERS):
        ours, theirs = context.Pipe()
        context.Process(target=bare, args=(theirs, task, pieces // WORKERS), daemon=True).start()
        wires.append(ours)
    for wire in wires:
        wire.recv()
    for wire in wires:
        wire.send("go")
    times = [wire.recv() for wire in wires]
    return max(wall for wall, _ in times), sum(used for _, used in times)


def quietly(line: str) -> None:
    """What Ray says when it is ready is the same every time."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--no-ray", action="store_true")
    parser.add_argument("--pieces", type=int, default=20, help="in all, of 200 items")
    parser.add_argument("--items", nargs="+", choices=("sleeping", "burning"), default=("sleeping", "burning"))
    parser.add_argument("--repeats", type=int, default=3)
    chosen = parser.parse_args()
    # The package's folder of benchmarks has to be found by the workers of Ray.
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(Path(__file__).parent), os.environ.get("PYTHONPATH")]))
    engines: dict[str, Engine] = {"local": LocalEngine(WORKERS)}
    if not chosen.no_ray and find_spec("ray") is not None:
        engines["ray"] = RayEngine(jobs=WORKERS, say=quietly)
        began = time.monotonic()
        list(RayEngine(jobs=WORKERS).work(Timed("nothing"), [WorkPiece("items", ("0",))]))
        print(
            f"Ray's start-up and end, with one piece whose items cost nothing: {time.monotonic() - began:.1f} s, once a job"
        )
    rounds = calibrated()
    print(
        f"{WORKERS} workers, {chosen.pieces} pieces of {SHARD} items, items of {1000 * ITEM_S:g} ms; median of {chosen.repeats}"
    )
    print(f"{'items':<10}{'engine':<8}{'bare s':>8}{'engine s':>10}{'ratio':>8}{'within':>8}{'processor ratio':>17}")
    for kind in chosen.items:
        task = Timed(kind, rounds)
        for name, engine in engines.items():
            # In turn, so that whatever else the machine does falls on both.
            pairs = [
                (by_loops(task, chosen.pieces), by_engine(engine, task, chosen.pieces)) for _ in range(chosen.repeats)
            ]
            wall = median(ours[0] / theirs[0] for theirs, ours in pairs)
            used = f"{median(ours[1] / theirs[1] for theirs, ours in pairs):>17.3f}" if kind == "burning" else ""
            shown = median(theirs[0] for theirs, _ in pairs), median(ours[0] for _, ours in pairs)
            inner = median(ours[2] for _, ours in pairs)
            print(f"{kind:<10}{name:<8}{shown[0]:>8.2f}{shown[1]:>10.2f}{wall:>8.3f}{inner:>8.3f}{used}", flush=True)
    for name, engine in engines.items():
        seconds, *_ = by_engine(engine, Timed("nothing"), 500)  # of both workers, side by side
        print(
            f"pieces whose items cost nothing: {500 / seconds:,.0f} a second ({name}), {1000 * seconds / 500:.1f} ms each"
        )
    return 0


if __name__ == "__main__":
    # Under the name by which workers find it.
    import engines

    sys.exit(engines.main())
