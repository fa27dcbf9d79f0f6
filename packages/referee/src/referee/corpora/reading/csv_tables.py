"""Comma-separated tables, packed or not, with every mistake reported as file and line.

And the lists that some tables keep in a cell.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from referee.corpora.reading.lines import WrongShape
from referee.corpora.reading.packed import REMEDY, add_location
from referee.corpora.reading.tables import read_separated

Thing = TypeVar("Thing")
MISSING = frozenset({"", "NA", "nan"})


def read_csv(path: Path, make: Callable[[dict[str, str]], Thing], loose_end: bool = False) -> Iterator[Thing]:
    """Yield the result of `make` for every row, given as a dict of cells by column.

    A table with a `loose_end` has unquoted commas in its last column.
    """
    for line, row in read_separated(path, loose_end):
        with add_location(path, line):
            thing = make({name: cell or "" for name, cell in row.items()})
        yield thing


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
