"""Are the numbers on the pages those that the commands beside them give? (`make docs-numbers`)

Two things on a page are checked (the marks are those of `page_marks`). A fenced block that begins with ``$ COMMAND`` shows what that command prints: every
line of it must be printed, in this order (``…`` stands for lines left out). And between ``<!-- numbers: COMMAND -->`` and ``<!-- /numbers -->`` every number
must be one that COMMAND prints, rounded as it stands on the page. Commands run in the root of the checkout with this Python's `referee`. What is not run
is named; of what is marked (timed) only the program is looked for.

    python tests/docs_numbers.py [PAGE …] [--slow] [--keep FOLDER]

PAGE is a name such as score.md; --slow also runs what is marked (slow); --keep keeps what commands print in a folder, and reads from there what it holds.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

from page_marks import PAGES, ROOT, Claim, claims

NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.?\d+(?:[eE][-+]?\d+)?)(?![\w])")
INTERVAL = re.compile(rf"({NUMBER.pattern})(?:\\\*)? \[({NUMBER.pattern}), ({NUMBER.pattern})\]")
YEAR = re.compile(r"(?:19|20)\d\d")
PROGRAM = re.compile(r"\b(?:python|pytest) (?:-\S+ )*([\w./-]+\.py)")


class Commands:
    """What commands print, each run once; kept in a folder, if there is one."""

    def __init__(self, kept: Path | None = None) -> None:
        self._printed: dict[str, str] = {}
        self._kept = kept

    def printed(self, command: str) -> str:
        if command not in self._printed:
            self._printed[command] = self._from_folder(command)
        return self._printed[command]

    def _from_folder(self, command: str) -> str:
        if self._kept is None:
            return run(command)
        file = self._kept / f"{hashlib.sha256(command.encode()).hexdigest()[:16]}.txt"
        if not file.exists():
            self._kept.mkdir(parents=True, exist_ok=True)
            file.write_text(run(command), encoding="utf-8")
        return file.read_text("utf-8")


def run(command: str) -> str:
    """What a command prints; `referee` and `python` are those of this environment."""
    here = str(Path(sys.executable).parent)
    env = {
        **os.environ,
        "PATH": f"{here}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "OPENBLAS_NUM_THREADS": "1",
    }
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    # 1 is what a command says that found something, and what Python says of a program that broke.
    if done.returncode not in (0, 1) or "Traceback (most recent call last)" in done.stderr:
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def wrong_lines(said: str, printed: str) -> list[str]:
    """Lines of a block that the command does not print, or not in this order."""
    rest = iter([" ".join(line.split()) for line in printed.splitlines()])
    shown = [" ".join(line.split()) for line in said.splitlines()]
    return [line for line in shown if line and line != "…" and line not in rest]


def wrong_numbers(said: str, printed: str) -> list[str]:
    """Numbers of a region that nothing printed rounds to, and intervals whose bounds are not printed side by side after their value; years do not count."""
    known = [_value(text) for text in NUMBER.findall(printed)]
    # Per cents may be printed as shares.
    shares = [100 * value for value in known if abs(value) <= 1]
    wrong = []
    for found in NUMBER.finditer(said):
        text, per_cent = found[0], said[found.end() :].lstrip().startswith("%")
        if not YEAR.fullmatch(text) and not any(_read_rounds(v, text) for v in (*known, *(shares if per_cent else ()))):
            wrong.append(text)
    return wrong + [found[0] for found in INTERVAL.finditer(said) if not _is_interval(known, *found.groups())]


def _is_interval(known: list[float], value: str, low: str, high: str) -> bool:
    """Whether two neighbours round to the bounds, and one of the few numbers before them to the value."""
    return any(
        _read_rounds(one, low)
        and _read_rounds(other, high)
        and any(_read_rounds(v, value) for v in known[max(0, i - 4) : i])
        for i, (one, other) in enumerate(pairwise(known))
    )


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def _read_rounds(value: float, text: str) -> bool:
    """Whether a value is printed as this text with its number of decimals; signs count only where the page has one."""
    decimals = len(text.partition(".")[2])
    wanted, slack = _value(text), 0.5 * 10.0**-decimals * (1 + 1e-9)
    return abs(value - wanted) <= slack or (text[0] not in "+-−" and abs(abs(value) - wanted) <= slack)


def missing_program(command: str) -> list[str]:
    """The programs of a command that this checkout does not have."""
    return [f"no program {name}" for name in PROGRAM.findall(command) if not (ROOT / name).exists()]


def why_skipped(claim: Claim, slow: bool) -> str:
    if claim.timed:
        return "timed: not compared"
    if claim.slow and not slow:
        return "slow"
    return "needs REFEREE_DATA" if claim.data and not os.environ.get("REFEREE_DATA") else ""


def wrong_in(claim: Claim, commands: Commands) -> list[str]:
    """What a claim says and its command does not."""
    try:
        printed = commands.printed(claim.command)
    except RuntimeError as error:
        return [str(error)]
    return (wrong_lines if claim.exact else wrong_numbers)(claim.said, printed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="names of pages (default: all)")
    parser.add_argument("--slow", action="store_true", help="also what is marked (slow)")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="keep what commands print, and do not run them again"
    )
    options = parser.parse_args()
    names = {Path(name).name for name in options.pages}
    if unknown := names - {page.name for page in PAGES}:
        parser.error(f"no page is called {min(unknown)}")
    pages = [page for page in PAGES if not names or page.name in names]
    found = [claim for page in pages for claim in claims(page.name, page.read_text("utf-8"))]
    failed, skipped, commands = 0, 0, Commands(options.keep)
    for claim in found:
        wrong, why = missing_program(claim.command), why_skipped(claim, options.slow)
        if not wrong and not why:
            wrong = wrong_in(claim, commands)
        failed += bool(wrong)
        skipped += bool(why and not wrong)
        word = "WRONG" if wrong else "skipped" if why else "ok"
        print(f"{word:<8} {claim.page}: {claim.command}{f' ({why})' if why else ''}", flush=True)
        for text in wrong[:12]:
            print(f"         {text}")
    print(f"{len(found)} claims: {len(found) - failed - skipped} hold, {skipped} were skipped, {failed} are wrong")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
