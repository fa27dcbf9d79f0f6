"""`referee list`: the names that options take, one line each, without importing their objects."""

from __future__ import annotations

from referee.catalogue import KINDS, Entry, describe_entry, entries
from referee.cli import find_page_width
from referee.cli.help_page import wrap_words
from referee.errors import InputError, UnknownName

_PLURALS = {"metrics": "metric", "corpora": "corpus", "systems": "system", "hearers": "hearer", "protocols": "protocol"}
_HELP = """Usage: referee list [KIND] [--format table|json]

List the names that --metrics, --corpus, --systems, --hearer and --protocol
take, with one line about each. KIND is metrics, corpora, systems, hearers or
protocols; without it, all of them are listed.

Examples:
  referee list metrics
  referee list systems --format json"""
FORMATS = ("table", "json")
NARROWEST = 32
"""Columns that a description needs beside the name; below that it goes onto the next line."""


_SYSTEM_KEY = (
    "Task: AS selects properties, R puts given properties into words, REG does both. Learns: the system must be trained; "
    "`referee run` trains it on the other folds, `referee describe` on --corpus. Evidence: how well the source determines the system."
)


def run(args: list[str]) -> int:
    """Print the names of the kinds that `args` lists."""
    if "--help" in args or "-h" in args:
        print(_HELP)
        return 0
    plurals, form = _parse_arguments(args)
    for plural in plurals:
        if plural not in _PLURALS and plural not in KINDS:
            raise UnknownName("kind of name", plural, _PLURALS, hint=f"one of {', '.join(_PLURALS)}")
    kinds = [_PLURALS.get(plural, plural) for plural in plurals or _PLURALS]
    if form == "json":
        # Imported here, because the table does not need it.
        import json

        rows = [
            {"kind": k, "name": n, "about": describe_entry(k, n), **_format_tags(k, e)}
            for k in kinds
            for n, e in entries(k).items()
        ]
        print(json.dumps({"rows": rows}, ensure_ascii=False, indent=1))
        return 0
    for kind in kinds:
        if not plurals:
            print(f"{kind}:")
        for line in _format_table(kind, entries(kind), find_page_width()):
            print(line)
        if kind == "system":
            for line in wrap_words(_SYSTEM_KEY, find_page_width() or 100, ""):
                print(line)
        if kind == "protocol" and not entries(kind):
            print("No protocols: they come with the package referee-lab. Run pip install 'referee[lab]'.")
    return 0


def _parse_arguments(args: list[str]) -> tuple[list[str], str]:
    """Return the kinds and the format among the arguments.

    By hand, because importing typer takes longer than all of this command.
    """
    words, form = list(args), FORMATS[0]
    for option in ("--format", "-f"):
        if option in words:
            i = words.index(option)
            form = words[i + 1] if i + 1 < len(words) else ""
            del words[i : i + 2]
    if form not in FORMATS:
        raise InputError(f"--format cannot be {form!r}", remedy="--format is one of table, json")
    if unknown := [word for word in words if word.startswith("-")]:
        raise InputError(f"referee list has no option {unknown[0]!r}", remedy="see `referee list --help`")
    return words, form


def _format_tags(kind: str, entry: Entry) -> dict[str, object]:
    """Return facts about a catalogue entry that are shown beside its name, such as year and team of a system."""
    defaults: dict[str, object] = {"evidence": None, "fitted": [], "mended": False} if kind == "system" else {}
    return {**defaults, **entry.tags}


def _format_table(kind: str, table: dict[str, Entry], width: int | None) -> list[str]:
    """Return lines with name, tags and description in columns.

    Where the columns do not fit into `width`, tags and description go below the name.
    """
    tags = list(dict.fromkeys(tag for entry in table.values() for tag in entry.tags))
    # A head only where there is more than one column to distinguish.
    head = [("name", *tags)] if tags else []
    rows = head + [(name, *(_format_cell(entry.tags.get(tag, "")) for tag in tags)) for name, entry in table.items()]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    column = 2 + sum(cell + 2 for cell in widths)
    if width is not None and width - column < NARROWEST:
        return [line for name, entry in table.items() for line in _format_stanza(kind, name, entry, width)]
    descriptions = [*(["about"] if tags else []), *(describe_entry(kind, name) for name in table)]
    lines = []
    for row, description in zip(rows, descriptions, strict=True):
        first = "  " + "".join(f"{cell:<{size + 2}}" for cell, size in zip(row, widths, strict=True))
        lines += [first + description] if width is None else wrap_words(description, width, first, " " * column)
    return lines


def _format_stanza(kind: str, name: str, entry: Entry, width: int) -> list[str]:
    """Return a name, then its tags and description, indented."""
    tags = "; ".join(f"{tag} {_format_cell(value)}" for tag, value in entry.tags.items() if value)
    indent = " " * 6
    return [
        f"  {name}",
        *wrap_words(describe_entry(kind, name), width, indent),
        *(wrap_words(tags, width, indent) if tags else []),
    ]


def _format_cell(value: object) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "; ".join(value) or "–" if isinstance(value, list) else str(value)
