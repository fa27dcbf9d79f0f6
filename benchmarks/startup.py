"""How long `referee --help` and `referee list` take to start, beside `python -c pass` on the same machine."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

COMMANDS = (("--help",), ("--version",), ("list",), ("list", "metrics"), ("list", "corpora"), ("score", "--help"))


def seconds(command: list[str], times: int = 21) -> float:
    """Median wall time of a command."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        taken.append(time.perf_counter() - start)
    return median(taken)


def main() -> None:
    bare = seconds([sys.executable, "-c", "pass"])
    table = Table("command", "ms", "ratio to python -c pass", title=f"start-up (python -c pass: {bare * 1000:.1f} ms)")
    for arguments in COMMANDS:
        own = seconds([str(Path(sys.executable).with_name("referee")), *arguments])
        table.add_row(f"referee {' '.join(arguments)}", f"{own * 1000:.1f}", f"{own / bare:.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
