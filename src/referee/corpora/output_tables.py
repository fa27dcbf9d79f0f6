"""Outputs that somebody keeps as a table: CSV, TSV or Parquet files, and rows of data frames, with the columns that lines of JSON have as fields.

An empty cell means "not given". Where a cell can only hold text, properties are JSON (``[["colour", "red"]]``) or ``colour:red; type:chair``.
"""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.corpora.reading.lines import WrongShape, open_binary
from referee.errors import InputError, MalformedInput

if TYPE_CHECKING:
    import polars as pl

__all__ = ["ENDINGS", "PAIRS", "given", "parquet_as_lines", "read_parquet", "read_table_rows"]

ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
PAIRS = 'write [["colour", "red"], ["type", "chair"]], or colour:red; type:chair'
LISTS = ("properties", "distribution", "spans")


def read_table_rows(path: str | Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Rows with their lines (in Parquet: their numbers from 1); what is broken is an error that names both."""
    if str(path).lower().endswith(".parquet"):
        return enumerate(read_parquet(Path(path)).iter_rows(named=True), 1)
    return _separated(Path(path))


def given(row: Mapping[str, Any]) -> dict[str, Any]:
    """The cells of a row that hold something; lists that were written as text are read, numbers become names."""
    known = {name: value for name, value in row.items() if not _is_missing(value)}
    for name in ("trial", "system", "speaker"):
        if isinstance(known.get(name), int):
            known[name] = str(known[name])
    return {name: _listed(name, value) if name in LISTS else value for name, value in known.items()}


def _is_missing(value: Any) -> bool:
    # Data frames fill cells that were not given with None, or with NaN, which does not equal itself.
    return value is None or (isinstance(value, float) and value != value)


def _listed(name: str, value: Any) -> Any:
    if isinstance(value, str):
        return _from_text(name, value.strip())
    found = value.tolist() if hasattr(value, "tolist") else value
    # Parquet keeps pairs as records where their parts have names.
    if (
        isinstance(found, list)
        and found
        and all(isinstance(p, Mapping) and p.keys() == {"name", "value"} for p in found)
    ):
        return [[p["name"], p["value"]] for p in found]
    return found


def _from_text(name: str, text: str) -> Any:
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise WrongShape(f"the cell {name!r} is no JSON: {text[:40]}", PAIRS) from None
    if name != "properties":
        raise WrongShape(
            f"the cell {name!r} should be a list as JSON, not {text[:40]!r}", "write […] as in a line of JSON"
        )
    pairs = [part.partition(":") for part in text.split(";") if part.strip()]
    if any(not colon or not key.strip() or not value.strip() for key, colon, value in pairs):
        raise WrongShape(f"the cell 'properties' cannot be read: {text[:40]!r}", PAIRS)
    return [[key.strip(), value.strip()] for key, _, value in pairs]


def _separated(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = _lines(path)
    head = next(lines, "")
    # Strict, since a quote that is never closed would otherwise swallow all lines after it.
    reader = csv.reader(chain([head], lines), strict=True, delimiter=_delimiter(path, head))
    try:
        names = [name.strip() for name in next(reader, [])]
        if len(set(names)) < len(names):
            raise MalformedInput("two columns have the same name", where=path, line=1, remedy="name each column once")
        for cells in reader:
            if not any(cells):
                continue
            if len(cells) != len(names):
                problem = f"{len(cells)} cells under {len(names)} column names"
                raise MalformedInput(problem, where=path, line=reader.line_num, remedy="quote cells that hold a comma")
            # An empty cell is a cell that was not filled in.
            yield reader.line_num, {name: cell or None for name, cell in zip(names, cells, strict=True)}
    except (csv.Error, EOFError, OSError, zlib.error) as error:
        problem = f"cannot be read on ({error})"
        raise MalformedInput(
            problem, where=path, line=reader.line_num, remedy="save the table again, as UTF-8"
        ) from None


def _delimiter(path: Path, head: str) -> str:
    """Spreadsheets of many countries write semicolons into their CSV, where commas belong to numbers."""
    if ".tsv" in path.name.lower():
        return "\t"
    return next((sign for sign in (",", ";", "\t") if sign in head), ",")


def _lines(path: Path) -> Iterator[str]:
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of this line is not UTF-8"
                raise MalformedInput(problem, where=path, line=number, remedy="save the file as UTF-8") from None
            # The csv module of Python 3.11 and later reads it as any other character, which no table means.
            if "\0" in text:
                raise MalformedInput("there is a zero byte in it", where=path, line=number, remedy="save it as UTF-8")
            yield text


def parquet_as_lines(path: Path, lines: Path) -> bool:
    """The same outputs as lines of JSON, written without holding them all; False, and nothing written, where the table has other columns than plain ones."""
    import polars as pl

    text, pairs = (pl.String, pl.Null), (pl.List(pl.List(pl.String)), pl.Null)
    plain = {"trial": (pl.String,), "system": text, "text": text, "properties": pairs}
    try:
        table = pl.scan_parquet(path)
        if any(kind not in plain.get(name, ()) for name, kind in table.collect_schema().items()):
            return False
        table.sink_ndjson(lines)
    except (OSError, pl.exceptions.PolarsError):
        return False
    return True


def read_parquet(path: Path) -> pl.DataFrame:
    """A whole table; a file that is none is an error that says so."""
    import polars as pl

    open_binary(path).close()  # says in the usual words what is wrong with the file itself
    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.ComputeError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        raise MalformedInput(f"this is no Parquet file ({reason})", where=path, remedy="write it again") from None
    except BaseException as error:  # a panic of the library is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise MalformedInput("this is no usable Parquet file", where=path, remedy="write it again") from None
    if not frame.columns:
        raise InputError("the table has no columns", where=path, remedy="name them: trial, system, text, properties")
    return frame
