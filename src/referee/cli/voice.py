"""How commands speak: results to standard output, notes to standard error, as much or as little as --quiet and --verbose say.

Colours are rich's: none in pipes, none where NO_COLOR is set.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["detailed", "is_quiet", "is_verbose", "is_watched", "listen_for", "page_width", "results", "told", "warned"]

QUIET, VERBOSE = "--quiet", "--verbose"
# In a pipe nobody says how wide the page is; COLUMNS does where it is set.
PIPED = 160

_chosen: set[str] = set()


def listen_for(args: list[str]) -> list[str]:
    """The arguments without --quiet and --verbose, which every command takes, wherever they stand (after ``--`` they are names)."""
    end = args.index("--") if "--" in args else len(args)
    _chosen.clear()
    _chosen.update(a for a in args[:end] if a in (QUIET, VERBOSE))
    return [a for a in args[:end] if a not in _chosen] + args[end:]


def is_quiet() -> bool:
    return QUIET in _chosen


def is_verbose() -> bool:
    return VERBOSE in _chosen


def is_watched() -> bool:
    """Whether anybody can see a bar: importing what draws it would only cost time otherwise."""
    return sys.stderr.isatty() and not is_quiet()


def results() -> Console:
    """Where results are printed: as wide as the terminal, or as COLUMNS says."""
    from rich.console import Console

    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console = Console(highlight=False, width=PIPED)
    return console


def page_width() -> int | None:
    """How wide a page of text may be; None in a pipe, where nobody says it."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        from shutil import get_terminal_size

        return get_terminal_size().columns
    return None


def told(text: str, style: str = "") -> None:
    """A note for whoever sits in front of the screen; --quiet leaves it out."""
    if not is_quiet():
        _say(text, style)


def warned(text: str) -> None:
    """Something that may change what a result means: said in any case."""
    _say(text, "yellow")


def detailed(text: str) -> None:
    """What only --verbose says."""
    if is_verbose():
        _say(text, "dim")


def _say(text: str, style: str) -> None:
    if not sys.stderr.isatty():
        print(text, file=sys.stderr)
        return
    from rich.console import Console

    Console(stderr=True).print(text, style=style, highlight=False, markup=False, soft_wrap=True)
