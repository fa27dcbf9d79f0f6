"""The command line: one module per command, imported only when that command is asked for.

`referee --help` and `referee list` answer from plain tables, so they start about as fast as Python itself. Commands speak with one voice, that of the
functions at the end: results to standard output, notes to standard error, as much or as little as --quiet and --verbose say; no colours in pipes, and
none where NO_COLOR is set.
"""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from referee import __version__
from referee.errors import MissingExtra, RefereeError, UnknownName, name_missing_extra

if TYPE_CHECKING:
    from rich.console import Console

# The exit code of a program stopped by Ctrl-C: 128 plus the signal's number.
STOPPED = 130


class StoppedWork(Exception):
    """The user stopped the work with Ctrl-C; the message reports unfinished work."""


QUIET, VERBOSE = "--quiet", "--verbose"
# A pipe has no width; COLUMNS gives one where it is set.
PIPED = 160

_chosen: set[str] = set()

Commands = dict[str, tuple[str, str]]
"""A command's name: the module it is in, and a line about it."""

# The module of a command that the package referee-lab brings is named by its entry point.
LAB = ""
ENTRY_POINTS = "referee.commands"

# Modules by name: importing them all would make `referee --help` wait for every library.
COMMANDS: Commands = {
    "evaluate": (
        "referee.cli.evaluate",
        "recognise any file of outputs or answers, score it, and report the findings",
    ),
    "compare": (
        "referee.cli.compare",
        "systems on the same items: differences, intervals, tests, ranks; a check for CI",
    ),
    "score": ("referee.cli.score", "measure the outputs of one or more systems against a corpus"),
    "task": (
        "referee.cli.task",
        "a shared task: blind items, sealed references, checks, scores, ranks and a page of results",
    ),
    "run": ("referee.cli.run", "train and run named systems on a corpus, and store their outputs"),
    "listen": (
        "referee.cli.listen",
        "let a simulated hearer answer the descriptions of a run, and measure its answers",
    ),
    "report": (
        "referee.cli.report",
        "make one page from run folders: scores, items, methods; tables and figures for a paper",
    ),
    "view": (
        "referee.cli.view",
        "browse a run, also while it grows, or try scenes, speakers and hearers, in the browser",
    ),
    "describe": ("referee.cli.describe", "describe one object of a scene now, and explain why"),
    "court": (
        "referee.cli.court",
        "test measures against hearers' answers: which measures can be trusted",
    ),
    "passport": (
        "referee.cli.passport",
        "test whether a simulated hearer may replace people, on human answers",
    ),
    "audit": ("referee.cli.audit", "recompute printed tables and list what does not follow (no data needed)"),
    "replicate": ("referee.cli.replicate", "run a challenge's systems again and compare with the printed scores"),
    "draw": ("referee.cli.draw", "draw a scene, a trial of a corpus, or a contact sheet, as SVG or PNG"),
    "import": (
        "referee.cli.import_answers",
        "turn answers from inspect_ai, lm-eval, lmms-eval, clembench or a table into a run",
    ),
    "export-task": ("referee.cli.export_task", "export a corpus as an inspect_ai task and a dataset folder"),
    "ground": (
        "referee.cli.ground",
        "boxes and points: infer the convention of the numbers, list suspect labels",
    ),
    "judge": ("referee.cli.judge", "let a model rate descriptions, and compare its ratings with people's"),
    "card": (
        "referee.cli.card",
        "the card of a speaker: success, words, redundancy, attributes, refusals, stability, cost",
    ),
    "power": ("referee.cli.power", "compute whether a planned study would detect a difference of a given size"),
    "list": ("referee.cli.names", "list metrics, corpora, systems, hearers or protocols by name"),
    "corpora": ("referee.cli.corpora", "list the corpora, their size, language and folders"),
    "corpus": ("referee.cli.corpus", "one corpus: card, export, add, splits, synthetic data"),
    "signature": ("referee.cli.signature", "explain a signature part by part"),
    "docs": ("referee.cli.docs", "print a page of the documentation"),
    "study": (LAB, "human experiments in the browser: make a study, serve it, store every answer"),
    "dialogue": (LAB, "dialogues in one open form: check them, turn every reference into an item"),
    "tangram": (LAB, "situated reference: demonstratives, resolution, task performance, repeated games"),
    "play": (LAB, "play a repeated reference game between any speaker and hearer, beside people's curves"),
}

_HELP = """Referee judges referring expressions: which description lets a hearer find the object, and which measure can be trusted.

Usage: referee COMMAND [OPTIONS]

First steps:
  referee score --demo    score two toy systems on a generated corpus
  referee score --help    explain a command, with examples
  referee list            list the names of metrics, corpora, systems, hearers
  referee docs            list the pages of the documentation

Commands:
{commands}

Options:
{options}

Referee looks for corpora in the folder named by REFEREE_DATA or --data; `--corpus synthetic` needs no data."""

_OPTIONS = {
    "--version": "print the version",
    "--help": "print this page",
    "--quiet": "with any command: print results, warnings and errors only",
    "--verbose": "with any command: also print the time that it took, and the traceback of an error",
    "--install-completion SHELL": "complete commands and options after Tab in bash, zsh or fish (--show-completion prints the script)",
}


def _print_help(text: str, commands: Commands) -> None:
    """Print a page of help with a list of commands, as wide as the terminal."""
    from referee.cli.help_page import find_help_width, fit_page, list_entries

    width = find_help_width()
    listed = {
        "commands": list_entries({name: about for name, (_, about) in commands.items()}, width),
        "options": list_entries(_OPTIONS, width),
    }
    # Lists are wrapped in their columns already.
    print("\n".join(listed.get(line.strip("{}"), fit_page(line, width)) for line in text.splitlines()))


def _wants_help(args: list[str]) -> bool:
    return not args or args[0] in ("--help", "-h", "help")


def main(argv: list[str] | None = None) -> int:
    """Run one command; input errors end with exit code 2 and a message with a remedy."""
    # A command keeps what it reads: repeated searches for reference cycles among millions of records take a fifth of
    # its time.
    gc.set_threshold(20_000, 50, 100)
    if argv is None and "_REFEREE_COMPLETE" in os.environ:
        return int(import_module("referee.cli.completion").answer_request())
    args = take_verbosity(sys.argv[1:] if argv is None else argv)
    try:
        if _wants_help(args):
            _print_help(_HELP, installed_commands())
            return 0
        if args[0] == "--version":
            print(f"referee {__version__}")
            return 0
        if args[0] in ("--show-completion", "--install-completion"):
            return int(import_module("referee.cli.completion").run(args))
        began = time.monotonic()
        commands = COMMANDS if args[0] in COMMANDS else installed_commands()
        code = run_command(args[0], args[1:], commands)
        if is_verbose():
            print(f"referee {__version__} {args[0]}: {time.monotonic() - began:.1f} s", file=sys.stderr)
        return code
    # The message names the missing extra and how to install it.
    except ModuleNotFoundError as error:
        print(f"referee: {name_missing_extra(error)}", file=sys.stderr)
        return 2
    except RefereeError as error:
        if is_verbose():
            import traceback

            traceback.print_exception(error)
        print(f"referee: {error}", file=sys.stderr)
        return 2
    except UnicodeEncodeError as error:
        print(
            f"referee: a character cannot be printed here ({error.reason})\n  → set PYTHONIOENCODING=utf-8",
            file=sys.stderr,
        )
        return 2
    except BrokenPipeError:
        # `| head` has closed the pipe; Python would complain once more when it empties its buffer at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    # After BrokenPipeError, which is one as well.
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        print(f"referee: {place}{error.strerror or error}\n  → {_find_remedy(error)}", file=sys.stderr)
        return 2
    except StoppedWork as stop:
        print(f"referee: stopped; {stop}", file=sys.stderr)
        return STOPPED
    except KeyboardInterrupt:
        print("referee: stopped", file=sys.stderr)
        return STOPPED


def _find_remedy(error: OSError) -> str:
    """Return the sentence that tells the user how to mend an error of the operating system."""
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "free some space on the disk"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "check the permissions of the file and its folder"
    if error.errno in (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG):
        return "check the path"
    return "check the file, its folder and the disk; --verbose prints the traceback"


def run_group(args: list[str], commands: Commands, about: str, program: str) -> int:
    """Run one command of a group; without one, print the help text `about` with the list of commands at {commands}."""
    if _wants_help(args):
        _print_help(about, commands)
        return 0
    return run_command(args[0], args[1:], commands, program)


def run_command(command: str, args: list[str], commands: Commands, program: str = "referee") -> int:
    """Import the command's module and call it: a plain `run(args)`, or a typer `app`."""
    if command not in commands:
        raise UnknownName("command", command, commands, hint=f"see `{program} --help`")
    module = import_module(commands[command][0] or import_lab_module(command))
    if hasattr(module, "run"):
        return int(module.run(args) or 0)
    try:
        # Not standalone: typer would print mistakes in its own way and end the process.
        result = module.app(args, prog_name=f"{program} {command}", standalone_mode=False)
    except Exception as error:
        # typer has its own copy of click's usage errors, and older versions have click's: identified by their methods,
        # not by class
        if not hasattr(error, "format_message"):
            raise
        if message := error.format_message():
            print(f"{program} {command}: {message}\n  → see `{program} {command} --help`", file=sys.stderr)
        return 2
    if result == STOPPED:  # typer answers Ctrl-C itself, without a word
        raise KeyboardInterrupt
    return result if isinstance(result, int) else 0


def installed_commands() -> Commands:
    """Return all commands: those of this package, then those of other packages by entry point."""
    from importlib.metadata import entry_points

    others = {
        p.name: (p.value, f"from {p.dist.name if p.dist else 'elsewhere'}") for p in entry_points(group=ENTRY_POINTS)
    }
    return {**COMMANDS, **{name: command for name, command in others.items() if name not in COMMANDS}}


def import_lab_module(command: str) -> str:
    """Return the module behind a command of the laboratory; raise MissingExtra where it is not installed."""
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINTS, name=command):
        return point.value
    raise MissingExtra("referee_lab")


def take_verbosity(args: list[str]) -> list[str]:
    """Record whether --quiet or --verbose is among the arguments, and return the other arguments.

    Every command takes both, in any position; after ``--`` they are names.
    """
    end = args.index("--") if "--" in args else len(args)
    _chosen.clear()
    _chosen.update(a for a in args[:end] if a in (QUIET, VERBOSE))
    return [a for a in args[:end] if a not in _chosen] + args[end:]


def is_quiet() -> bool:
    return QUIET in _chosen


def is_verbose() -> bool:
    return VERBOSE in _chosen


def has_terminal() -> bool:
    """Return whether standard error is a terminal, which may show a progress bar."""
    return sys.stderr.isatty() and not is_quiet()


def make_results_console() -> Console:
    """Return a rich console for standard output, as wide as the terminal or as COLUMNS says."""
    piped = not sys.stdout.isatty() and "COLUMNS" not in os.environ
    return _make_console(width=PIPED if piped else None)


def format_recognised(recognised: Mapping[str, Any]) -> str:
    """Return kind, format and mapping of data as one line."""
    mapping = ", ".join(f"{role} = {column}" for role, column in recognised["mapping"].items())
    return f"recognised: {recognised['kind']}, {recognised['format']}; {mapping}"


def _make_console(**more: Any) -> Console:
    """Return a rich console, without colours if the environment disables them."""
    from rich.console import Console

    # Where colours are not wanted, bold and dim are not either: they are the same control characters to a file.
    return Console(highlight=False, color_system=None if os.environ.get("NO_COLOR") else "auto", **more)


def find_page_width() -> int | None:
    """Return the width of the terminal, or that of COLUMNS; None in a pipe without COLUMNS."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        from shutil import get_terminal_size

        return get_terminal_size().columns
    return None


def print_note(text: str, style: str = "") -> None:
    """Print a note to standard error, unless --quiet is set."""
    if not is_quiet():
        _print_to_stderr(text, style)


def print_warning(text: str) -> None:
    """Print a warning to standard error: a sentence that affects how results may be interpreted."""
    _print_to_stderr(text, "yellow")


def _print_to_stderr(text: str, style: str) -> None:
    """Print text to standard error, styled on a terminal."""
    if not sys.stderr.isatty():
        print(text, file=sys.stderr)
        return
    _make_console(stderr=True).print(text, style=style, markup=False, soft_wrap=True)
