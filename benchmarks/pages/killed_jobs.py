"""One job on every engine, and the same job while workers, machines and the command itself are killed: is it the same file, byte for byte?

    python benchmarks/pages/killed_jobs.py                                20,000 items; engines and sizes of pieces, then 50 kills (about 20 minutes)
    python benchmarks/pages/killed_jobs.py --items 1000 --kills 5 --no-ray     in small, with processes of this machine alone

A speaker that takes its time describes the targets of invented scenes (`referee run`). First it runs with one process and with two, on Ray with two
workers, and on a Ray of two nodes, in pieces of 50, 200 and 1,000: one checksum. Then it runs while whatever comes by lot is killed with signal 9: a worker, a
node (another one joins), the head of the cluster, the command. A command that is killed is given again, with another engine and another size of pieces. In the
end every item must be there once, and the checksum must be the same. Ends with 1 where it is not.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from referee.corpora.jsonl import trial_to_json, write_json_line
from referee.records import Entity, Property, Scene, Trial

SHARDS = (50, 200, 1000)
PROGRESS = 0.75  # of the kills come when something has been done since the one before
LOTS = {"worker": 30, "command": 12, "node": 6, "head": 2}
SPEAKER = '''
import os, time
from random import Random
from referee.records import Description, Property

class Unhurried:
    """Draws what it says by seed and trial, and takes its time."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def fit(self, trials):
        self.learned = sum(1 for _ in trials)
        return self

    def describe(self, view):
        time.sleep(float(os.environ.get("UNHURRIED_MS", "0")) / 1000)
        kind = view.scene.entity(view.targets[0]).value("type")
        lot = Random(f"{self.seed}|{view.id}").randrange(10**6)
        return Description(properties=(Property("type", kind),), text=f"the {kind} {lot}, after {self.learned}")
'''


def install(folder: Path) -> None:
    """The speaker, as another package would bring it."""
    info = folder / "unhurried-1.0.dist-info"
    info.mkdir()
    (folder / "unhurried.py").write_text(SPEAKER, "utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: unhurried\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[referee.systems]\nslow/unhurried = unhurried:Unhurried\n", "utf-8")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])


def write_corpus(path: Path, items: int) -> None:
    """Small scenes by twenty speakers: it is not reading that is tried here."""
    lot = Random(1)
    kinds = ("chair", "desk", "fan", "sofa")
    scenes = [
        Scene(entities=tuple(Entity(id=str(n), attributes=(Property("type", lot.choice(kinds)),)) for n in (1, 2)))
        for _ in range(50)
    ]
    trials = (Trial(id=f"t{n}", scene=lot.choice(scenes), targets=("1",), speaker=f"s{n % 20}") for n in range(items))
    path.write_text("".join(write_json_line(trial_to_json(trial)) + "\n" for trial in trials), "utf-8")


# -- processes -----------------------------------------------------------------------------------------------------------------


def parents() -> dict[int, tuple[int, str]]:
    """Every process with its parent and its command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if stat[0] != "Z":
                found[int(entry.name)] = (int(stat[1]), line)
    return found


def below(root: int) -> dict[int, str]:
    """All that a process has begun, and what those have."""
    every = parents()
    found: dict[int, str] = {}
    front = {root}
    while front:
        front = {pid for pid, (parent, _) in every.items() if parent in front}
        found |= {pid: every[pid][1] for pid in front}
    return found


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


class TwoNodes:
    """A Ray cluster of two nodes on this machine, each a raylet of its own with one processor."""

    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        # Ray gives a machine up after a quarter of a minute without a sign of life; here after some seconds.
        quick = {
            "health_check_initial_delay_ms": 1000,
            "health_check_period_ms": 1000,
            "health_check_failure_threshold": 3,
        }
        head = {"num_cpus": 1, "include_dashboard": False, "_system_config": quick}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.second = self.cluster.add_node(num_cpus=1)
        self.address = self.cluster.address

    def raylets(self) -> list[int]:
        return [
            info.process.pid for node in (self.cluster.head_node, self.second) for info in node.all_processes["raylet"]
        ]

    def workers(self) -> list[int]:
        return [pid for r in self.raylets() for pid, line in below(r).items() if line.startswith("ray::RayWorker")]

    def lose_node(self) -> int:
        """The second node is gone at once, with all that runs on it; another one joins."""
        pid = self.second.all_processes["raylet"][0].process.pid
        for one in [pid, *below(pid)]:
            kill(one)
        self.cluster.remove_node(self.second, allow_graceful=False)
        self.second = self.cluster.add_node(num_cpus=1, wait=False)
        return int(pid)

    def lose_all(self) -> int:
        """The head goes, and with it the cluster."""
        pid = self.cluster.head_node.all_processes["gcs_server"][0].process.pid
        kill(pid)
        for raylet in self.raylets():
            for one in [raylet, *below(raylet)]:
                kill(one)
        self.close()
        return int(pid)

    def close(self) -> None:
        self.cluster.shutdown()


# -- one job -------------------------------------------------------------------------------------------------------------------


@dataclass
class Job:
    """The command, as often as it takes."""

    corpus: Path
    out: Path
    pace_ms: float = 0.0
    log: Path = field(init=False)

    def __post_init__(self) -> None:
        self.log = self.out.with_suffix(".log")

    def begin(self, way: tuple[str, ...], shard: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "referee", "run", "--corpus", str(self.corpus), "--systems", "slow/unhurried"]
        command += ["--folds", "2", "--seed", "3", "--out", str(self.out), "--shard", str(shard), "--quiet", *way]
        with self.log.open("ab") as log:
            env = {**os.environ, "UNHURRIED_MS": str(self.pace_ms)}
            return subprocess.Popen(command, stdout=log, stderr=log, env=env)

    @property
    def done(self) -> int:
        """Items that are on the disk."""
        parts = self.out.with_name(f".{self.out.name}.unfinished") / "parts"
        heads = (path.read_text("utf-8").partition("\n")[0] for path in parts.glob("*.jsonl"))
        return sum(len(json.loads(head)["trials"]) for head in heads)

    def checksum(self) -> str:
        return hashlib.sha256((self.out / "outputs.jsonl").read_bytes()).hexdigest()[:16]

    def items(self) -> Counter[str]:
        with (self.out / "outputs.jsonl").open() as lines:
            return Counter(json.loads(line)["trial"] for line in lines)

    def problems(self, items: int, checksums: set[str]) -> list[str]:
        """What is wrong with a finished job."""
        found = self.items()
        wrong = {
            f"{items - len(found):,} MISSING": len(found) != items,
            f"{found.total() - len(found):,} TWICE": found.total() != len(found),
            "SOME FAILED": (self.out / "failures.jsonl").exists(),
            f"ANOTHER CHECKSUM ({self.checksum()})": {self.checksum()} != checksums,
        }
        return [name for name, is_so in wrong.items() if is_so]


def on_every_engine(folder: Path, corpus: Path, with_ray: bool, only_one: bool) -> set[str]:
    """The checksums of one job on every engine."""
    found = set()
    print(f"{'engine':<28}{'piece':>7}{'seconds':>9}  checksum of outputs.jsonl")

    def run(name: str, way: tuple[str, ...], shard: int) -> None:
        job = Job(corpus, folder / f"{name.replace(' ', '-')}-{shard}")
        began = time.monotonic()
        if job.begin(way, shard).wait() != 0:
            sys.exit(f"the job failed:\n{job.log.read_text()[-3000:]}")
        found.add(job.checksum())
        print(f"{name:<28}{shard:>7,}{time.monotonic() - began:>9.1f}  {job.checksum()}", flush=True)

    run("local, 1 process", ("--jobs", "1"), SHARDS[0])
    if only_one:
        return found
    for shard in SHARDS:
        if shard != SHARDS[0]:
            run("local, 1 process", ("--jobs", "1"), shard)
        run("local, 2 processes", ("--jobs", "2"), shard)
        if with_ray:
            run("Ray, 2 workers", ("--engine", "ray", "--jobs", "2"), shard)
    if with_ray:
        cluster = TwoNodes()
        for shard in SHARDS:
            run("Ray, 2 nodes", ("--engine", "ray", "--address", cluster.address), shard)
        cluster.close()
    return found


class Killing:
    """One job after another until enough has been killed."""

    def __init__(
        self, folder: Path, corpus: Path, pace_ms: float, engines: Sequence[str], seed: int, kinds: Sequence[str] = ()
    ) -> None:
        self.folder, self.corpus, self.pace_ms, self.engines = folder, corpus, pace_ms, engines
        self.rng = Random(seed)
        self.kinds = [*kinds]  # what is killed first; then it goes by lot
        self.cluster: TwoNodes | None = None
        self.killed: Counter[str] = Counter()
        self.begun = 0
        self.without_head = False
        self.seen = 0

    def jobs(self, kills: int) -> Iterator[Job]:
        print(f"\n{'':>3} {'killed':<8}{'engine':<8}{'piece':>6}{'process':>9}{'items done':>12}  then")
        while self.killed.total() < kills:
            job = Job(self.corpus, self.folder / f"killed-{self.begun}", self.pace_ms)
            self.begun += 1
            self.seen = 0
            self._bring_through(job, kills)
            yield job
        if self.cluster is not None:
            self.cluster.close()

    def _bring_through(self, job: Job, kills: int) -> None:
        """The same command again and again until it ends by itself."""
        while True:
            engine, shard = self.rng.choice(self.engines), self.rng.choice(SHARDS)
            self.without_head = False
            command = job.begin(self._way(engine), shard)
            while command.poll() is None and self.killed.total() < kills:
                self._wait_for_person(command, self.rng.uniform(0.5, 4))
                if self.rng.random() < PROGRESS:
                    self._wait_for_more(job, command)
                if command.poll() is None:
                    self._kill(job, command, engine, shard)
            # A kill may come when all is written.
            if command.wait() == 0 or (job.out / "manifest.json").exists():
                return
            if command.returncode != -signal.SIGKILL and not self.without_head:
                sys.exit(f"the job failed:\n{job.log.read_text()[-3000:]}")

    def _way(self, engine: str) -> tuple[str, ...]:
        if engine == "local":
            return ("--jobs", "2")
        self.cluster = self.cluster or TwoNodes()
        return ("--engine", "ray", "--address", self.cluster.address)

    def _wait_for_person(self, command: subprocess.Popen[bytes], seconds: float) -> None:
        until = time.monotonic() + seconds
        while command.poll() is None and time.monotonic() < until:
            time.sleep(0.05)

    def _wait_for_more(self, job: Job, command: subprocess.Popen[bytes]) -> None:
        """Until something has been done since the last time: who kills only beginners tries nothing."""
        until = time.monotonic() + 60
        while job.done <= self.seen and command.poll() is None and time.monotonic() < until:
            time.sleep(0.2)
        self.seen = job.done

    def _workers(self, command: subprocess.Popen[bytes], engine: str) -> list[int]:
        if engine == "ray":
            return self.cluster.workers() if self.cluster is not None else []
        return [pid for pid, line in below(command.pid).items() if "spawn_main" in line]

    def _choose(self, engine: str) -> str:
        if self.kinds:
            return self.kinds.pop(0)
        names = list(LOTS) if engine == "ray" else ["worker", "command"]
        return self.rng.choices(names, [LOTS[name] for name in names])[0]

    def _kill(self, job: Job, command: subprocess.Popen[bytes], engine: str, shard: int) -> None:
        what = self._choose(engine)
        done = job.done
        if what == "worker":
            while not (workers := self._workers(command, engine)) and command.poll() is None:
                time.sleep(0.05)  # none has begun yet
            if not workers:
                return
            pid, then = self.rng.choice(workers), "replaced"
            kill(pid)
        elif what == "node":
            assert self.cluster is not None
            pid, then = self.cluster.lose_node(), "another one joins"
        elif what == "head":
            assert self.cluster is not None
            pid, then = self.cluster.lose_all(), "a new cluster, the same command again"
            self.cluster, self.without_head = None, True
            self._wait_for_person(command, 90)
            command.kill()
        else:
            pid, then = command.pid, "the same command again"
            command.kill()
        if what in ("head", "command"):
            command.wait()
        self.killed[what] += 1
        print(f"{self.killed.total():>3} {what:<8}{engine:<8}{shard:>6,}{pid:>9}{done:>12,}  {then}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument(
        "--pace", type=float, default=8.0, metavar="MS", help="what an item takes while things are killed"
    )
    parser.add_argument("--seed", type=int, default=1, help="of what is killed, and when")
    parser.add_argument(
        "--only-kills", action="store_true", help="held against one undisturbed process, not every engine"
    )
    parser.add_argument("--no-ray", action="store_true", help="processes of this machine alone")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="referee-kills-") as place:
        folder = Path(place)
        package = folder / "package"
        package.mkdir()
        install(package)
        corpus = folder / "corpus.jsonl"
        write_corpus(corpus, chosen.items)
        print(f"{chosen.items:,} items")
        checksums = on_every_engine(folder, corpus, not chosen.no_ray, chosen.only_kills)
        print(f"{len(checksums)} checksum for all of them" if len(checksums) == 1 else "THE CHECKSUMS DIFFER")
        sound = len(checksums) == 1
        engines = ("local",) if chosen.no_ray else ("local", "ray")
        killing = Killing(folder, corpus, chosen.pace, engines, chosen.seed)
        for job in killing.jobs(chosen.kills) if chosen.kills else ():
            problems = job.problems(chosen.items, checksums)
            sound &= not problems
            told = "; ".join(problems) or "none missing, none twice, none failed, the same checksum"
            print(f"    finished: {job.items().total():,} items, {told}")
        if chosen.kills:
            print(f"killed: {', '.join(f'{n} x {what}' for what, n in killing.killed.most_common())}")
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
