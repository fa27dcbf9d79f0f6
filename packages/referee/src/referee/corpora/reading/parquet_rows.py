"""Rows of Parquet tables.

Their systems, and reading of some rows without the others (row groups without any are skipped).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from referee.corpora.reading.lines import FileLines, LineRange, open_binary
from referee.errors import InputError, MalformedInput

if TYPE_CHECKING:
    import polars as pl

SLICE = 20_000
"""Rows converted to dictionaries at a time. Up to this many rows are read and discarded, because skipping them is slower."""


def is_parquet(path: object) -> bool:
    """Return whether a file is a Parquet table, by its name."""
    return str(path).lower().endswith(".parquet")


def read_parquet(path: object, columns: Sequence[str] | None = None, rows: LineRange | None = None) -> pl.DataFrame:
    """Return a table, or some of its columns or rows, as a polars frame.

    Raises:
        InputError: where there is no such file, or no columns in it.
        MalformedInput: where it is no Parquet file.
    """
    import polars as pl

    open_binary(str(path)).close()  # raises the usual error for a damaged file
    try:
        table = pl.scan_parquet(str(path), hive_partitioning=False)
        chosen = table if rows is None else table.slice(rows.start, rows.end - rows.start)
        frame = (chosen if columns is None else chosen.select(columns)).collect()
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = str(error).splitlines()[0] if str(error) else "no reason given"
        raise MalformedInput(f"this is not a Parquet file ({reason})", where=path, remedy="write it again") from None
    except BaseException as error:  # a panic of the library is no Exception
        if type(error).__name__ != "PanicException":
            raise
        raise MalformedInput("this is not a usable Parquet file", where=path, remedy="write it again") from None
    if not frame.columns:
        raise InputError("the table has no columns", where=path, remedy="name them: trial, system, text, properties")
    return frame


def read_columns(path: object) -> set[str]:
    """Return the names of a table's columns."""
    return set(read_parquet(path, rows=LineRange(0, 0, 1)).columns)


def read_rows(part: str | Path | FileLines) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a table, or of a part of it, with their numbers from 1."""
    if not isinstance(part, FileLines):
        yield from enumerate(_list_dicts(read_parquet(part)), 1)
        return
    import polars as pl

    if part.contents is not None:
        frames = map(pl.read_ipc, map(BytesIO, part.contents))
        for place, frame in zip(part.ranges, frames, strict=True):
            yield from enumerate(_list_dicts(frame), place.line)
        return
    for group in _merge_ranges(part.ranges):
        whole = LineRange(group[0].start, group[-1].end, group[0].line)
        frame = read_parquet(part.path, rows=whole)
        for place in group:
            yield from enumerate(_list_dicts(frame[place.start - whole.start : place.end - whole.start]), place.line)


def _list_dicts(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    for some in frame.iter_slices(SLICE):
        yield from some.to_dicts()


def _merge_ranges(ranges: Sequence[LineRange]) -> Iterator[list[LineRange]]:
    """Return ranges that are joined if only few rows lie between them."""
    group: list[LineRange] = []
    for place in ranges:
        if group and place.start - group[-1].end > SLICE:
            yield group
            group = []
        group.append(place)
    if group:
        yield group


def serialise_rows(part: FileLines) -> FileLines:
    """Return a part of a table with its rows as bytes, for a machine that cannot read the file."""
    contents = []
    for place in part.ranges:
        file = BytesIO()
        read_parquet(part.path, rows=place).write_ipc(file)
        contents.append(file.getvalue())
    return FileLines(part.path, part.ranges, tuple(contents))
