"""Options and arguments that several commands share, each declared once, and the layout of help pages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from referee.catalogue import check_choice
from referee.cli.help_page import WIDEST, format_examples, wrap_words

FORMS = ("text", "json")
REFERENCES = "--references"


METAVARS = {"int": "N", "int range": "N", "float": "X", "float range": "X", "path": "PATH", "str": "TEXT", "bool": ""}
"""How the type of an option is written on help pages."""


class _ExamplesFirst(TyperCommand):
    """A command whose help page has its examples before its options.

    `--references` takes all files that follow it.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse arguments, repeating --references for several files."""
        if any(REFERENCES in param.opts and getattr(param, "multiple", False) for param in self.params):
            args = _repeat_option(args, REFERENCES)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write help with the examples before the options."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        if self.epilog:
            formatter.write(f"\n{_fit_epilog(self.epilog, formatter.width)}\n")
        self.format_options(ctx, formatter)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options in columns."""
        records = [(param, param.get_help_record(ctx)) for param in self.get_params(ctx)]
        for title, kind in (("Arguments", "argument"), ("Options", "option")):
            rows = [_simplify_record(r) for param, r in records if r is not None and param.param_type_name == kind]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=26)


def _repeat_option(arguments: list[str], name: str) -> list[str]:
    """Return arguments in which an option with several values is repeated for each of them.

    >>> _repeat_option(["hyp.txt", "--references", "a", "b", "-f", "json"], "--references")
    ['hyp.txt', '--references', 'a', '--references', 'b', '-f', 'json']
    """
    repeated: list[str] = []
    is_inside = False
    for argument in arguments:
        is_value = not argument.startswith("-") or argument == "-"
        if is_inside and is_value:
            repeated += [name, argument]
        elif argument != name:
            repeated.append(argument)
        is_inside = argument == name or (is_inside and is_value)
    return repeated if arguments[-1:] != [name] else [*repeated, name]


def _simplify_record(record: tuple[str, str]) -> tuple[str, str]:
    """Return the line of an option with `N`, `TEXT` or `PATH` as its type, and its limits in words."""
    name, about = record
    name = re.sub(
        r"<(?:list\[)?([a-zA-Z ]+)\]?>", lambda match: METAVARS.get(match[1].lower(), match[1].upper()), name
    ).rstrip()
    about = re.sub(r"([\d.]+)<=x<=([\d.]+)(?=\])", r"\1 to \2", about)
    about = re.sub(r"x>=([\d.]+)(?=[\];])", r"at least \1", about)
    return name, re.sub(r"x<=([\d.]+)(?=\])", r"at most \1", about)


def _fit_epilog(epilog: str, width: int) -> str:
    """Return the examples and notes of a help page, wrapped to its width."""
    lines = epilog.strip().splitlines()
    commands = [line for line in lines if line.startswith("  ")]
    notes = [line for line in lines[1:] if line and not line.startswith("  ")]
    return "\n".join(
        ["Examples:", *format_examples(commands, width), *(["", *wrap_words(" ".join(notes), width)] if notes else [])]
    )


class _Group(TyperGroup):
    """A group of commands whose help page has their descriptions in full."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands with their first help lines."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [(name, (command.help or "").partition("\n\n")[0]) for name, command in commands if command is not None]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


class _App(typer.Typer):
    def command(self, *arguments: Any, cls: type[TyperCommand] | None = None, **settings: Any) -> Any:
        return super().command(*arguments, cls=cls or _ExamplesFirst, **settings)


def make_app(**settings: Any) -> typer.Typer:
    """Return an application whose help pages begin with examples; `settings` are typer's."""
    context = {"max_content_width": WIDEST}
    return _App(add_completion=False, rich_markup_mode=None, context_settings=context, cls=_Group, **settings)


def examples(text: str) -> str:
    """Return the examples of a help page under their heading, with the notes that follow them."""
    lines = [line for line in text.splitlines() if line.strip()]
    commands = [line for line in lines if line.startswith(" ")]
    notes = [line for line in lines if not line.startswith(" ")]
    return "\n".join(["Examples:", *commands, *([""] if notes else []), *notes])


def check_form(form: str) -> None:
    """Raise InputError unless --format is text or json."""
    check_choice("--format", form, FORMS)


Data = Annotated[Path | None, typer.Option(help="Folder of corpora (default: REFEREE_DATA).")]
Reading = Annotated[str | None, typer.Option(help="TUNA: raw, true or challenge.")]
TextOrJson = Annotated[str, typer.Option("--format", "-f", help="text or json")]
TableOrJson = Annotated[str, typer.Option("--format", "-f", help="table or json")]
Seed = Annotated[int, typer.Option(help="Seed of all randomness.")]
SeedOfOrder = Annotated[int, typer.Option(help="Seed of all randomness, the order of entities included.")]
EngineName = Annotated[
    str, typer.Option("--engine", help="Where the work is done: local or ray (`referee docs clusters`).")
]
Address = Annotated[str | None, typer.Option(help="A Ray cluster: HOST:6379 or ray://HOST:10001.")]
OneJob = Annotated[
    int | None,
    typer.Option("--jobs", help="Processes (default: 1; on Ray, as many as there is room for).", min=1),
]
OverwriteRun = Annotated[bool, typer.Option("--overwrite", help="Replace an existing run folder.")]
Confidence = Annotated[float, typer.Option(help="Coverage of the intervals.", min=0.5, max=0.999)]

RunFolder = Annotated[Path, typer.Argument(help="A run folder (referee run … --out RUN).")]
RunToWrite = Annotated[Path, typer.Option(help="The run folder to write.")]
SomeCorpus = Annotated[str, typer.Option("--corpus", "-c", help="A corpus by name, or a JSONL file of trials.")]
Passport = Annotated[Path | None, typer.Option(help="File of the hearer's card (referee passport … --out CARD.json).")]
