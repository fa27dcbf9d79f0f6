"""A printed number is an interval: the text of a table cell, and every value that would be rounded to it.

Cells are stored as text, because `0.50` and `0.5` have different precision. Statistics programs often drop trailing
zeros; a table that declares this (`zeros = "dropped"`) gives every cell the most decimals of its column.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from functools import cached_property
from math import ceil, floor
from pathlib import Path

from referee.errors import MalformedInput

EMPTY = {"", "-", "–", "—", "_", "na", "n/a", "nan", "none", "null"}


@dataclass(frozen=True, slots=True)
class CellPlace:
    """The place of a cell: the table as the paper names it, its row and column, and the name of the table in
    `paper.toml`.

    Papers may give several lists of facts one name ("text"), so only the last identifies the file.
    """

    table: str
    row: str
    column: str
    id: str = ""

    def __str__(self) -> str:
        return f"{self.table}, {self.row}, {self.column}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A printed number: its text, its value, and the half-width of its rounding interval (`half`)."""

    text: str
    value: float
    half: float
    place: CellPlace
    stars: int = 0

    @property
    def low(self) -> float:
        return self.value - self.half

    @property
    def high(self) -> float:
        return self.value + self.half

    def replace_value(self, value: float, half: float | None = None) -> Number:
        """Return the same cell with another value."""
        return replace(self, value=value, half=self.half if half is None else half)


def count_decimals(text: str) -> int:
    """Return the number of digits after the point; raises ValueError if the text is no number."""
    try:
        exponent = Decimal(text).as_tuple().exponent
    except InvalidOperation:
        raise ValueError(text) from None
    if not isinstance(exponent, int):
        raise ValueError(text)
    return max(0, -exponent)


def _compute_half_width(digits: int) -> float:
    # Through decimals, for half a unit of the last digit has no exact binary form to compute it from.
    return float(Decimal(5).scaleb(-digits - 1))


def normalise_digits(text: str) -> str:
    """Return the digits of a cell as Python reads them; empty if there are none."""
    plain = _split_stars(text.strip())[0]
    try:
        count_decimals(plain)
    except ValueError:
        return ""
    return plain


def compute_half_width(number: Number) -> float:
    """Return the half-width of the rounding interval of the printed digits, even if the number is a whole count out of
    n.
    """
    plain = normalise_digits(number.text)
    return (
        max(number.half, _compute_half_width(count_decimals(plain)))
        if plain and float(plain) != number.value
        else number.half
    )


def snap(low: float, high: float, n: int, scale: float) -> int | None:
    """Return the one whole count k with k/n·scale between two bounds.

    None when there is no such count, or more than one.
    """
    slack = 1e-9 * scale
    first, last = ceil((low - slack) * n / scale), floor((high + slack) * n / scale)
    return first if first == last else None


@dataclass(frozen=True, kw_only=True)
class PrintedTable:
    """One printed table: rows in order, each with a label, and cells as text."""

    id: str
    name: str
    path: Path
    columns: tuple[str, ...]
    labels: tuple[str, ...]
    cells: tuple[Mapping[str, str], ...]
    lines: tuple[int, ...]
    zeros: str = "printed"
    exact: tuple[str, ...] = ()
    digits: Mapping[str, int] | None = None
    shares: Mapping[str, int] | None = None
    scale: float = 1.0

    @cached_property
    def _rows(self) -> dict[str, int]:
        """Return the index of every row label."""
        return {label: i for i, label in enumerate(self.labels)}

    def text(self, row: str, column: str) -> str:
        """Return a cell as printed; a row or column that is not there is a mistake in the description."""
        self.require(column)
        if row not in self._rows:
            raise MalformedInput(
                f"no row is labelled {row!r}", where=self.path, remedy=f"rows: {_join_names(self.labels)}"
            )
        return self.cells[self._rows[row]][column].strip()

    def require(self, *columns: str) -> None:
        """Raise MalformedInput for a column that the table lacks."""
        for column in columns:
            if column not in self.columns:
                raise MalformedInput(
                    f"no column is called {column!r}",
                    where=self.path,
                    line=1,
                    remedy=f"columns: {_join_names(self.columns)}",
                )

    def place(self, row: str, column: str) -> CellPlace:
        return CellPlace(self.name, row, column, self.id)

    def number(self, row: str, column: str) -> Number | None:
        """Return a cell as an interval; None if it is empty.

        A share of a known number of items equals k/n: if only one k rounds to the printed text, that is the number.
        """
        number, n = self.get_interval(row, column), (self.shares or {}).get(column)
        if number is None or n is None:
            return number
        k = snap(number.low, number.high, n, self.scale)
        return number if k is None else number.replace_value(self.scale * k / n, 0.0)

    def get_interval(self, row: str, column: str) -> Number | None:
        """Return the cell as an interval even if it is a whole count."""
        if (row, column) not in self._numbers:
            self._numbers[row, column] = self._read_number(row, column)
        return self._numbers[row, column]

    @cached_property
    def _numbers(self) -> dict[tuple[str, str], Number | None]:
        """Return the numbers of cells that have been parsed, by row and column."""
        return {}

    def _read_number(self, row: str, column: str) -> Number | None:
        """Return a cell as a number; None if it is empty. Raises MalformedInput for other text."""
        text = self.text(row, column)
        if text.lower() in EMPTY:
            return None
        plain, marks = _split_stars(text)
        try:
            digits, value = count_decimals(plain), float(plain)
        except ValueError:
            raise MalformedInput(
                f"{text!r} in column {column!r} is not a number",
                where=self.path,
                line=self.lines[self._rows[row]],
                remedy="write digits with a point (stars may follow), or leave the cell empty",
            ) from None
        half = 0.0 if column in self.exact else _compute_half_width(self._count_column_decimals(column, digits))
        return Number(text=text, value=value, half=half, place=self.place(row, column), stars=marks)

    def _count_column_decimals(self, column: str, digits: int) -> int:
        """Return the number of decimals of a cell, by the table's options."""
        stated = (self.digits or {}).get(column)
        if stated is not None:
            return stated
        return max(digits, self._most_decimals[column]) if self.zeros == "dropped" else digits

    @cached_property
    def _most_decimals(self) -> dict[str, int]:
        """The most digits behind the point that any number of a column shows."""
        return {c: max((_count_shown_decimals(row[c]) for row in self.cells), default=0) for c in self.columns}

    def column(self, column: str, without: Sequence[str] = ()) -> Iterator[tuple[str, Number | None]]:
        """Label and number of every row that is not left out."""
        self.require(column)
        return ((label, self.number(label, column)) for label in self.labels if label not in without)


def _split_stars(text: str) -> tuple[str, int]:
    """Return the number of a cell as Python reads it, and the number of stars that follow it."""
    plain = text.rstrip("*")
    # Typeset tables have the minus sign, not the hyphen.
    return plain.strip().replace("−", "-").removesuffix("%"), len(text) - len(plain)


def _count_shown_decimals(text: str) -> int:
    """Return the number of decimals of a text; 0 if it is no number."""
    try:
        return count_decimals(_split_stars(text.strip())[0])
    except ValueError:
        return 0


def _join_names(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (" …" if len(names) > 12 else "")


def read_table(path: Path, *, id: str, name: str, key: Sequence[str], **options: object) -> PrintedTable:
    """Return a CSV file with a header; `key` names the columns that label a row (joined by a blank)."""
    header, rows, lines = _read_csv(path)
    for column in key:
        if column not in header:
            raise MalformedInput(
                f"no column is called {column!r}", where=path, line=1, remedy=f"columns: {_join_names(header)}"
            )
    labels: list[str] = []
    for row, line in zip(rows, lines, strict=True):
        label = " ".join(row[c].strip() for c in key if row[c].strip())
        if label in labels:
            raise MalformedInput(
                f"a second row is labelled {label!r}", where=path, line=line, remedy="name more columns under `key`"
            )
        labels.append(label)
    return PrintedTable(
        id=id,
        name=name,
        path=path,
        columns=tuple(header),
        labels=tuple(labels),
        cells=tuple(rows),
        lines=tuple(lines),
        **options,  # type: ignore[arg-type]
    )


def _read_csv(path: Path) -> tuple[list[str], list[dict[str, str]], list[int]]:
    """Return the header, rows and line numbers of a CSV file. Raises MalformedInput if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise MalformedInput("not UTF-8 text", where=path, remedy="save the file as UTF-8") from error
    except OSError as error:
        raise MalformedInput(f"cannot be read ({error.strerror})", where=path, remedy="check the file name") from error
    reader = csv.reader(text.splitlines(), strict=True)
    rows: list[dict[str, str]] = []
    lines: list[int] = []
    header: list[str] = []
    try:
        for fields in reader:
            if not header:
                header = [f.strip() for f in fields]
                _check_header(header, path, reader.line_num)
            elif any(f.strip() for f in fields):
                if len(fields) != len(header):
                    raise MalformedInput(
                        f"{len(fields)} cells under {len(header)} columns",
                        where=path,
                        line=reader.line_num,
                        remedy="give every row as many cells as the header has (empty ones count)",
                    )
                rows.append(dict(zip(header, fields, strict=True)))
                lines.append(reader.line_num)
    except csv.Error as error:
        raise MalformedInput(
            f"broken CSV ({error})", where=path, line=reader.line_num, remedy="close the quotation marks"
        ) from error
    if not rows:
        raise MalformedInput("no rows", where=path, remedy="write a header line and at least one row")
    return header, rows, lines


def _check_header(header: list[str], path: Path, line: int) -> None:
    """Raise MalformedInput for repeated or empty column names."""
    twice = next((c for c in header if header.count(c) > 1), None)
    if twice is not None:
        raise MalformedInput(
            f"two columns are called {twice!r}", where=path, line=line, remedy="give every column a different name"
        )
