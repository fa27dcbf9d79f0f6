"""How commands speak: results to standard output, notes to standard error, as much or as little as --quiet and --verbose say.

No colours in pipes, and none where NO_COLOR is set.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # type checkers know the name; importing typing would double the start-up time
if TYPE_CHECKING:
    from typing import Any

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
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return _console(width=PIPED if piped else None)


def _console(**more: Any) -> Console:
    from rich.console import Console

    # Where colours are not wanted, bold and dim are not either: they are the same control characters to a file.
    return Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto", **more)


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
    _console(stderr=True).print(text, style=style, markup=False, soft_wrap=True)
