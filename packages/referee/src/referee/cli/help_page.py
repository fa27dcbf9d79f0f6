"""Help pages that fit the terminal.

Wrapped text, lists of commands, and examples that can be copied as they are.

It imports only the standard library's terminal size, so that `referee --help` starts as fast as Python itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

WIDEST = 100
CONTINUATION = " " * 6


def find_help_width() -> int:
    """Return the width of help pages: that of the terminal or COLUMNS, at most 100, 80 in a pipe."""
    return min(get_terminal_size().columns, WIDEST)


def wrap_words(text: str, width: int, indent: str = "", hanging: str | None = None) -> list[str]:
    """Break a text into lines no wider than `width`.

    Lines after the first begin with `hanging` (default: `indent`).
    """
    lines, line, is_empty = [], indent, True
    for word in text.split():
        if not is_empty and len(line) + 1 + len(word) > width:
            lines.append(line)
            line, is_empty = indent if hanging is None else hanging, True
        line += word if is_empty else f" {word}"
        is_empty = False
    return [*lines, line]


def print_wrapped(text: str, width: int | None) -> None:
    """Print a text with lines that are too wide broken below their first word, which may be a mark such as `  yes  `."""
    for line in text.split("\n"):
        mark = re.sub(r"^( *(?:\S+ {2,})?).*", r"\1", line)
        is_wide = width is not None and len(line) > width
        print("\n".join(wrap_words(line[len(mark) :], width or 0, mark, " " * len(mark))) if is_wide else line)


def list_entries(entries: Mapping[str, str], width: int) -> str:
    """Return names with their descriptions in two columns, descriptions wrapped in the second."""
    column = max(map(len, entries)) + 4
    return "\n".join(
        line
        for name, about in entries.items()
        for line in wrap_words(about, width, f"  {name:<{column - 2}}", " " * column)
    )


def format_examples(lines: Iterable[str], width: int) -> list[str]:
    """Return example commands, each with its note after a `#`."""
    formatted: list[str] = []
    for line in lines:
        command, _, note = (part.strip() for part in line.strip().partition("   "))
        if note and 2 + len(command) + 4 + len(note) <= width:
            formatted.append(f"  {command}  # {note}")
            continue
        formatted += wrap_words(note, width, "  # ") if note else []
        formatted += _break_command(command, width)
    return formatted


def _break_command(command: str, width: int) -> list[str]:
    """Return a long command broken into lines that a shell reads as one command."""
    lines, line = [], "  "
    for word in _split_outside_quotes(command):
        if line.strip() and len(line) + 1 + len(word) > width - 2:
            lines.append(f"{line} \\")
            line = CONTINUATION
        line += f" {word}" if line.strip() else word
    return [*lines, line]


def _split_outside_quotes(command: str) -> list[str]:
    """Return the words of a command; quoted text, and an option with its value, stay together."""
    words: list[str] = []
    for i, part in enumerate(command.split('"')):
        pieces = [f'"{part}"'] if i % 2 else part.split(" ")
        if words and pieces:
            words[-1] += pieces.pop(0)
        words += pieces
    joined: list[str] = []
    for word in filter(None, words):
        is_value = (
            joined and joined[-1].startswith("-") and " " not in joined[-1] and not word.startswith(("-", "|", ">"))
        )
        if is_value or (joined and joined[-1].endswith(("&&", "|", "referee"))):
            joined[-1] += f" {word}"
        else:
            joined.append(word)
    return joined


def fit_page(text: str, width: int) -> str:
    """Return a page of help with every line that is too wide broken; example commands stay copyable."""
    lines: list[str] = []
    for line in text.splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        if len(line) <= width:
            lines.append(line)
        elif line.startswith("  referee "):
            lines += format_examples([line], width)
        else:
            lines += wrap_words(line, width, indent, f"{indent}  " if indent else "")
    return "\n".join(lines)


# -- tables ----------------------------------------------------------------------------------------------------------------


_GAP = 2


def fit_table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, *, fixed: int = 1, title: str = "", left: int = 1
) -> list[Table]:
    """Return a table as one or more tables no wider than `width`; each repeats the first `fixed` columns.

    The first `left` are flush left.
    """
    from rich.table import Table
    from rich.text import Text

    widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
    first, parts = list(range(fixed)), _split_columns(widths, fixed, width)
    tables = []
    for i, part in enumerate(parts or [[]]):
        table = Table(
            title=title if i == 0 else None, title_justify="left", header_style="bold", box=None, pad_edge=False,
            padding=(0, _GAP, 0, 0),
        )  # fmt: skip
        for column in [*first, *part]:
            table.add_column(heads[column], justify="left" if column < left else "right", overflow="fold")
        for row in rows:
            table.add_row(*(Text(row[column]) for column in [*first, *part]))
        tables.append(table)
    return tables


def _split_columns(widths: Sequence[int], fixed: int, width: int) -> list[list[int]]:
    """Return the columns of each part of a table that is too wide for the terminal."""
    left = width - sum(w + _GAP for w in widths[:fixed])
    parts: list[list[int]] = []
    used = 0
    for column in range(fixed, len(widths)):
        need = widths[column] + _GAP
        if not parts or used + need > left + _GAP:
            parts.append([])
            used = 0
        parts[-1].append(column)
        used += need
    return parts
