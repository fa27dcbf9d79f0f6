"""Four jobs beside an older checkout: processor seconds of each, how many times quicker, and whether what comes out is the same.

``python benchmarks/pages/old_and_new.py --old FOLDER``; the folder is made with ``git worktree add --detach FOLDER COMMIT``, REFEREE_DATA names the corpora.
Seconds are user and system time of the command and all its processes, the least of ``--times`` runs, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

NEW = Path(__file__).resolve().parents[2]
CORPUS = ("--corpus", "tuna", "--reading", "challenge")
Command = Callable[[Path], Sequence[str]]
JOBS: dict[str, tuple[Command, tuple[str, ...]]] = {
    "run --systems classic (TUNA, 5 folds)": (
        lambda place: ("run", "--corpus", "tuna", "--systems", "classic", "--folds", "5", "--out", str(place)),
        ("outputs.jsonl",),
    ),
    "court RUN (14 systems, 2 hearers)": (lambda place: ("court", str(place.parent / "run")), ("stdout",)),
    "report RUN (14 systems, 2 hearers)": (
        lambda place: ("report", str(place.parent / "run"), "--out", str(place)),
        ("index.html",),
    ),
    "passport colour (colors)": (
        lambda place: ("passport", "colour", "--corpus", "colors", "--format", "json"),
        ("stdout",),
    ),
}
TIMES = re.compile(rb"20\d\d-\d\d-\d\d[^\"<,]*")


def called(checkout: Path, arguments: Sequence[str]) -> tuple[bytes, float]:
    """What a command prints, and its processor seconds."""
    # One order of sets in both: some older ones printed ties as they came.
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONHASHSEED": "0"}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from referee.cli import main; sys.exit(main())", *arguments],
        cwd=checkout,
        env=environment,
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{checkout}: referee {' '.join(arguments)}\n{done.stderr.decode()}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def tried(checkout: Path, name: str, place: Path, times: int) -> tuple[list[bytes], float]:
    """The results of a job without the times in them, and the least seconds that it took."""
    command, results = JOBS[name]
    found, seconds = [], []
    for i in range(times):
        out = place / f"{list(JOBS).index(name)}-{checkout.name}-{i}"
        printed, taken = called(checkout, command(out))
        found = [TIMES.sub(b"", printed if r == "stdout" else (out / r).read_bytes()) for r in results]
        # The folder's name stands in what is written.
        found = [text.replace(str(out).encode(), b"").replace(out.name.encode(), b"") for text in found]
        seconds.append(taken)
    return found, min(seconds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--old", type=Path, required=True)
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--only", help="jobs whose names hold this")
    arguments = parser.parse_args()
    old = arguments.old.resolve()
    print("| job | before, s | now, s | times | the same |\n| --- | --: | --: | --: | --- |", flush=True)
    with TemporaryDirectory() as folder:
        place = Path(folder)
        chosen = [name for name in JOBS if not arguments.only or arguments.only in name]
        if any("RUN" in name for name in chosen):
            called(NEW, ("run", *CORPUS, "--systems", "tuna2008-as", "--folds", "5", "--out", str(place / "spoken")))
            called(NEW, ("score", str(place / "spoken"), "--by", "domain,condition", "--out", str(place / "run")))
            for hearer in ("noisy", "literal"):
                called(NEW, ("listen", str(place / "run"), "--hearer", hearer))
        for name in chosen:
            (was, before), (found, now) = (tried(checkout, name, place, arguments.times) for checkout in (old, NEW))
            same = "yes" if was == found else "no"
            print(f"| `{name}` | {before:.1f} | {now:.1f} | {before / now:.1f} | {same} |", flush=True)


if __name__ == "__main__":
    main()
