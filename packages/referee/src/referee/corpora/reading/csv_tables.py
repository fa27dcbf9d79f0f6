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
from referee.corpora.reading.packed import REMEDY, located
from referee.errors import MalformedInput

Thing = TypeVar("Thing")
MISSING = frozenset({"", "NA", "nan"})


def read_csv(path: Path, make: Callable[[dict[str, str]], Thing], loose_end: bool = False) -> Iterator[Thing]:
    """Yield the result of `make` for every row, given as a dict of cells by column.

    A table with a `loose_end` has unquoted commas in its last column.
    """
    for line, row in _rows(path, loose_end):
        with located(path, line):
            thing = make(row)
        yield thing


def _rows(path: Path, loose_end: bool) -> Iterator[tuple[int, dict[str, str]]]:
    """Rows with the number of the line each ends in: a quoted cell may go over several lines."""
    # Strict, since a quote that is never closed would otherwise swallow all lines after it.
    reader = csv.reader(_lines(path), strict=True)
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


def _lines(path: Path) -> Iterator[str]:
    """Yield the lines with their ends, decoded one by one, so that invalid UTF-8 is reported with its line."""
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                # The byte order mark of spreadsheet programs would become part of the first column's name.
                yield raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of this line is not UTF-8"
                raise MalformedInput(problem, where=path, line=number, remedy="save the file as UTF-8") from None


def worded(row: dict[str, str], column: str) -> str | None:
    """Return the text of a cell; None if it is empty or NA, nan."""
    text = row[column].strip()
    return None if text in MISSING else text


def as_number(row: dict[str, str], column: str) -> float | None:
    """The number in a cell, if there is one."""
    text = worded(row, column)
    number = None if text is None else float(text)
    # float() takes "inf" and "1e999", which no column means.
    if number is not None and abs(number) == float("inf"):
        raise WrongShape(f"{text} in column {column!r} is not a number", REMEDY)
    return number


def as_list(text: str) -> list[Any]:
    """A list written into a cell as Python writes it: ``['a', 'b']``."""
    try:
        # Literals only: nothing in a cell is ever run.
        values = ast.literal_eval(text)
    # The last two are raised by Python's parser for deep nesting.
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise WrongShape(f"{text!r:.60} is not a list", REMEDY) from None
    if not isinstance(values, list):
        raise WrongShape(f"{text!r:.60} is not a list", REMEDY)
    return values
