"""Comma-separated tables, packed or not, with every mistake reported as file and line.

And the lists that some tables keep in a cell.
"""

from __future__ import annotations

import ast
import csv
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from referee.corpora.reading.lines import WrongShape, open_binary
from referee.corpora.reading.packed import REMEDY, add_location
from referee.errors import MalformedInput

Thing = TypeVar("Thing")
MISSING = frozenset({"", "NA", "nan"})


def read_csv(path: Path, make: Callable[[dict[str, str]], Thing], loose_end: bool = False) -> Iterator[Thing]:
    """Yield the result of `make` for every row, given as a dict of cells by column.

    A table with a `loose_end` has unquoted commas in its last column.
    """
    for line, row in _read_rows(path, loose_end):
        with add_location(path, line):
            thing = make(row)
        yield thing


def _read_rows(path: Path, loose_end: bool) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield each row with the number of the line in which it ends, because a quoted cell may span lines."""
    # Strict, since a quote that is never closed would otherwise swallow all lines after it.
    reader = csv.reader(_read_lines(path), strict=True)
    try:
        names = next(reader, [])
        for cells in reader:
            if loose_end and len(cells) > len(names) > 0:
                cells[len(names) - 1 :] = [",".join(cells[len(names) - 1 :])]
            if len(cells) != len(names):
                problem = f"{len(cells)} cells under {len(names)} column names"
                raise MalformedInput(problem, where=path, line=reader.line_num, remedy=REMEDY)
            yield reader.line_num, dict(zip(names, cells, strict=True))
    except (csv.Error, EOFError, OSError, zlib.error) as error:
        problem = f"reading failed here ({error})"
        raise MalformedInput(problem, where=path, line=reader.line_num, remedy=REMEDY) from None


def _read_lines(path: Path) -> Iterator[str]:
    """Yield lines with their ends, each decoded separately so that an error can name its line."""
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                # The byte order mark of spreadsheet programs would become part of the first column's name.
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of this line is not UTF-8"
                raise MalformedInput(problem, where=path, line=number, remedy="save the file as UTF-8") from None


def get_text(row: dict[str, str], column: str) -> str | None:
    """Return the text of a cell; None if it is empty or NA, nan."""
    text = row[column].strip()
    return None if text in MISSING else text


def parse_number(row: dict[str, str], column: str) -> float | None:
    """Return the number in a cell; None if it is empty or not a number."""
    text = get_text(row, column)
    number = None if text is None else float(text)
    # float() takes "inf" and "1e999", which no column means.
    if number is not None and abs(number) == float("inf"):
        raise WrongShape(f"{text} in column {column!r} is not a number", REMEDY)
    return number


def parse_list(text: str) -> list[Any]:
    """Return the list in a cell that has a Python list as text, such as ``['a', 'b']``."""
    try:
        # Literals only: nothing in a cell is ever run.
        values = ast.literal_eval(text)
    # The last two are raised by Python's parser for deep nesting.
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise WrongShape(f"{text!r:.60} is not a list", REMEDY) from None
    if not isinstance(values, list):
        raise WrongShape(f"{text!r:.60} is not a list", REMEDY)
    return values
