"""Are the numbers on the pages those that the commands beside them give? (`make docs-numbers`)

Two marks on a page are checked. A fenced block that begins with ``$ COMMAND`` shows what that command prints: every line of it must be printed, in this
order (``…`` stands for lines left out). And between ``<!-- numbers: COMMAND -->`` and ``<!-- /numbers -->`` every number must be one that COMMAND prints,
rounded as it stands on the page. Commands run in the root of the checkout with this Python's `referee`. ``(data)`` before a command says that it needs
corpora, ``(slow)`` that it takes minutes; what is not run is named.

    python tests/docs_numbers.py [PAGE …] [--slow]      pages by name; --slow also runs what is marked (slow)
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md"]
REGION = re.compile(r"<!-- numbers: (.+?) -->\n(.*?)<!-- /numbers -->", re.DOTALL)
BLOCK = re.compile(r"^```\w*\n\$ (.+?)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
NUMBER = re.compile(r"(?<![\w.])[-+−]?(?:\d{1,3}(?:,\d{3})+|\d*)\.?\d+(?![\w])")
SLOW, DATA = "(slow) ", "(data) "


@dataclass(frozen=True)
class Claim:
    """A command with what a page says that it prints."""

    page: str
    command: str
    said: str
    exact: bool
    slow: bool
    data: bool


def claims(page: Path) -> Iterator[Claim]:
    text = page.read_text("utf-8")
    for pattern, exact in ((BLOCK, True), (REGION, False)):
        for command, said in pattern.findall(text):
            bare = command.replace(SLOW, "").replace(DATA, "")
            yield Claim(page.name, bare, said, exact, SLOW in command, DATA in command)


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
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit code {done.returncode}: {done.stderr.strip()[-300:]}")
    return done.stdout


def wrong_lines(said: str, printed: str) -> list[str]:
    """Lines of a block that the command does not print, or not in this order."""
    rest = iter([" ".join(line.split()) for line in printed.splitlines()])
    shown = [" ".join(line.split()) for line in said.splitlines()]
    return [line for line in shown if line and line != "…" and line not in rest]


def wrong_numbers(said: str, printed: str) -> list[str]:
    """Numbers of a region that nothing printed rounds to."""
    known = [_value(text) for text in NUMBER.findall(printed)]
    return [text for text in NUMBER.findall(said) if not any(_rounds(value, text) for value in known)]


def _value(text: str) -> float:
    return float(text.replace(",", "").replace("−", "-"))


def _rounds(value: float, text: str) -> bool:
    """Whether a value is printed as this text with its number of decimals; signs count only where the page has one."""
    decimals = len(text.partition(".")[2])
    wanted, slack = _value(text), 0.5 * 10.0**-decimals * (1 + 1e-9)
    return abs(value - wanted) <= slack or (text[0] not in "+-−" and abs(abs(value) - wanted) <= slack)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="names of pages (default: all)")
    parser.add_argument("--slow", action="store_true", help="also what is marked (slow)")
    options = parser.parse_args()
    found = [c for page in PAGES if not options.pages or page.name in options.pages for c in claims(page)]
    failed, printed = 0, dict[str, str]()
    for claim in found:
        if (claim.slow and not options.slow) or (claim.data and not os.environ.get("REFEREE_DATA")):
            print(f"skipped  {claim.page}: {claim.command} ({'slow' if claim.slow else 'needs REFEREE_DATA'})")
            continue
        try:
            if claim.command not in printed:
                printed[claim.command] = run(claim.command)
            wrong = (wrong_lines if claim.exact else wrong_numbers)(claim.said, printed[claim.command])
        except RuntimeError as error:
            wrong = [str(error)]
        failed += bool(wrong)
        print(f"{'WRONG' if wrong else 'ok':<8} {claim.page}: {claim.command}")
        for text in wrong[:12]:
            print(f"         {text}")
    print(f"{len(found) - failed} of {len(found)} claims hold or were skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
