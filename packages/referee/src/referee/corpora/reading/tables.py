"""Tables of any usual kind as rows.

CSV, TSV, Excel, Parquet, JSON, JSON Lines, data frames, data sets and lists of rows.
"""

from __future__ import annotations

import codecs
import csv
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO, Any, Protocol, runtime_checkable

from referee.corpora.reading.lines import open_binary
from referee.corpora.reading.parquet_rows import is_parquet, read_columns, read_rows
from referee.errors import InputError, MalformedInput, naming_extra

SEPARATED = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
SHEETS = (".xlsx", ".xls", ".xlsb", ".ods")
TABLE_ENDINGS = (*SEPARATED, *SHEETS, ".parquet", ".json", ".jsonl", ".ndjson", ".jsonl.gz", ".json.gz")
_SAVE = "save the table again, as UTF-8"


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a table, the names of its columns, and the file line of each row."""

    source: str
    columns: tuple[str, ...]
    rows: Sequence[Mapping[str, Any]]
    lines: Sequence[int]

    @classmethod
    def of(cls, source: str, rows: Sequence[Mapping[str, Any]], lines: Sequence[int] | None = None) -> Table:
        """Return a table from its rows; columns in the order in which they first occur."""
        columns = dict.fromkeys(str(name) for row in rows for name in row)
        return cls(source, tuple(columns), rows, range(1, len(rows) + 1) if lines is None else lines)

    def column(self, name: str) -> list[Any]:
        """Return the cells of a column, None where a row does not have it."""
        return [None if is_missing(cell := row.get(name)) else cell for row in self.rows]

    def make_error(self, problem: str, remedy: str, line: int | None = None) -> InputError:
        """Return the error for a table, or for one of its lines."""
        if line is None:
            return InputError(problem, where=self.source, remedy=remedy)
        return MalformedInput(problem, where=self.source, line=line, remedy=remedy)

    def lengthen(self, groups: Mapping[str, Mapping[str, str]], label: str | None = None) -> Table:
        """Return a table with a row per group of columns: the group's columns under their fields, its name under `label`."""
        used = {column for columns in groups.values() for column in columns}
        rows: list[Mapping[str, Any]] = []
        for row in self.rows:
            rest = {k: v for k, v in row.items() if k not in used}
            for name, columns in groups.items():
                fields = {field: row.get(column) for column, field in columns.items()}
                rows.append({**rest, **({} if label is None else {label: name}), **fields})
        return Table.of(self.source, rows, [line for line in self.lines for _ in groups])


def is_missing(value: Any) -> bool:
    """Return whether a cell is empty: None, or the NaN that data frames use."""
    return value is None or (isinstance(value, float) and value != value)


def read_table(path: str | Path, sheet: str | None = None) -> Table:
    """Return the table in a file, by its extension; `sheet` selects one of several tables in a workbook.

    Raises:
        InputError: if the extension is unknown, or the file has no rows or several tables.
    """
    name = str(path).lower()
    if name.endswith(SEPARATED):
        numbered = list(read_separated(Path(path)))
    elif name.endswith(SHEETS):
        numbered = _read_workbook(path, sheet)
    elif is_parquet(path):
        numbered = list(read_rows(path))
    elif name.endswith((".json", ".json.gz")):
        numbered = list(enumerate(_list_rows(read_json(path), path), 1))
    elif name.endswith((".jsonl", ".ndjson", ".jsonl.gz", ".txt")):
        numbered = list(_read_json_lines(Path(path)))
    else:
        raise InputError("this is not a table", where=path, remedy=f"endings of tables: {', '.join(TABLE_ENDINGS)}")
    if not numbered:
        raise InputError("the table has no rows", where=path, remedy="name a file with a header and at least one row")
    return Table.of(str(path), [row for _, row in numbered], [line for line, _ in numbered])


def read_column_names(path: str | Path, sheet: str | None = None) -> set[str]:
    """Return the names of a table's columns; of CSV, TSV and Parquet the rows are not read."""
    name = str(path).lower()
    if name.endswith(SEPARATED):
        return set(next(read_separated(Path(path)), (0, {}))[1])
    return read_columns(path) if is_parquet(path) else set(read_table(path, sheet).columns)


def read_separated(path: Path, loose_end: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of a CSV or TSV file with their line numbers; an empty cell is None.

    A table with a `loose_end` has unquoted delimiters in its last column.
    """
    # A line may end with a carriage return alone.
    lines = (part for line in decode_lines(path) for part in re.split(r"(?<=\r)(?!\n)", line) if part)
    reader = csv.reader(())
    try:
        head = next(lines, "")
        # Excel writes and reads this line, which names the delimiter.
        stated = re.fullmatch(r'"?sep=(.)"?\s*', head)
        delimiter = stated[1] if stated else _guess_delimiter(path, head)
        # Strict, since a quote that is never closed would otherwise swallow all lines after it.
        reader = csv.reader(lines if stated else chain([head], lines), strict=True, delimiter=delimiter)
        names = _name_columns([name.strip() for name in next(reader, [])], path, 1)
        for cells in reader:
            line = reader.line_num + bool(stated)
            if not any(cell.strip() for cell in cells):
                continue
            if loose_end and len(cells) > len(names) > 0:
                cells[len(names) - 1 :] = [delimiter.join(cells[len(names) - 1 :])]
            if len(cells) != len(names):
                problem = f"{len(cells)} cells under {len(names)} column names"
                raise MalformedInput(problem, where=path, line=line, remedy="quote cells that hold a comma")
            yield line, {name: cell or None for name, cell in zip(names, cells, strict=True)}
    except (csv.Error, EOFError, OSError, zlib.error) as error:
        problem = f"the table cannot be read further ({error})"
        raise MalformedInput(problem, where=path, line=reader.line_num, remedy=_SAVE) from None


def _guess_delimiter(path: Path, head: str) -> str:
    """Return the delimiter of a table, which is a semicolon in the CSV files of many countries."""
    if ".tsv" in path.name.lower():
        return "\t"
    bare = re.sub(r'"[^"]*"', "", head)
    return max((",", ";", "\t", "|"), key=bare.count)


def decode_lines(path: Path) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their ends; MalformedInput names the line of a wrong byte."""
    with open_binary(path) as file:
        for number, raw in enumerate(_decode_utf8(file), 1):
            try:
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of this line is not UTF-8"
                raise MalformedInput(problem, where=path, line=number, remedy="save the file as UTF-8") from None
            # The csv module of Python 3.11 and later reads it as any other character, which no table means.
            if "\0" in text:
                raise MalformedInput("there is a zero byte in it", where=path, line=number, remedy="save it as UTF-8")
            yield text


def _decode_utf8(file: IO[bytes]) -> Iterable[bytes]:
    """Return the lines of a file in UTF-8.

    UTF-16 with a byte order mark ("Unicode text" of spreadsheets) is converted.
    """
    first = file.readline()
    if not first.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return chain([first] if first else [], file)
    return (first + file.read()).decode("utf-16", errors="replace").encode().splitlines(keepends=True)


def _read_workbook(path: str | Path, sheet: str | None) -> list[tuple[int, dict[str, Any]]]:
    """Return the rows of the one sheet with a table.

    Sheets with equal columns are joined, with a column for the sheet's name.
    """
    tables = read_sheets(path)
    if sheet is not None and sheet not in tables:
        raise InputError(f"no sheet {sheet!r} holds a table", where=path, remedy=f"sheets are {', '.join(tables)}")
    chosen = tables if sheet is None else {sheet: tables[sheet]}
    if len({tuple(rows[0][1]) for rows in chosen.values()}) > 1:
        choices = " or ".join(f"--map sheet={name}" for name in chosen)
        raise InputError("several sheets hold a table", where=path, remedy=f"choose one: {choices}")
    if len(chosen) < 2:
        return [row for rows in chosen.values() for row in rows]
    return [(line, {**row, "sheet": name}) for name, rows in chosen.items() for line, row in rows]


def read_sheets(path: str | Path) -> dict[str, list[tuple[int, dict[str, Any]]]]:
    """Return the rows of each sheet that holds a table, by its name, with their numbers; all cells are text.

    Raises:
        MalformedInput: if the file is no workbook, or two columns have the same name.
    """
    import polars as pl

    with naming_extra():
        import fastexcel  # noqa: F401 (the engine of polars)
    open_binary(str(path)).close()
    try:
        # All cells as text, as in CSV: a column of ids or answers may begin with numbers.
        sheets = pl.read_excel(
            str(path),
            engine="calamine",
            sheet_id=0,
            has_header=False,
            infer_schema_length=0,
            raise_if_empty=False,
            drop_empty_rows=False,
            drop_empty_cols=False,
        )
    except Exception as error:
        raise MalformedInput(
            f"this is not a workbook ({str(error).splitlines()[0]})", where=path, remedy="save it as CSV"
        ) from None
    return {name: rows for name, frame in sheets.items() if (rows := _parse_sheet(frame.rows(), path))}


def _parse_sheet(cells: Sequence[Sequence[Any]], path: str | Path) -> list[tuple[int, dict[str, Any]]]:
    """Return the rows under the header of a sheet, which is the first row that is at least half as full as the fullest."""
    filled = [sum(cell not in (None, "") for cell in row) for row in cells]
    least = max(2, max(filled, default=0) / 2)
    head = next((i for i, count in enumerate(filled) if count >= least), None)
    if head is None or not any(filled[head + 1 :]):
        return []
    used = [i for i in range(len(cells[head])) if any(row[i] not in (None, "") for row in cells[head:])]
    names = _name_columns([str(cells[head][i] or "").strip() for i in used], path, head + 1)
    return [
        (number, dict(zip(names, (row[i] for i in used), strict=True)))
        for number, row in enumerate(cells[head + 1 :], head + 2)
        if filled[number - 1]
    ]


def _name_columns(names: Sequence[str], path: str | Path, line: int) -> list[str]:
    """Return the names of columns; one without a name is called by its number. Raises MalformedInput for equal names."""
    named = [name or f"column {number}" for number, name in enumerate(names, 1)]
    if len(set(named)) < len(named):
        raise MalformedInput("two columns have the same name", where=path, line=line, remedy="name each column once")
    return named


def read_json(path: str | Path) -> Any:
    """Return the value of a JSON file; NaN and Infinity are read."""
    try:
        with open_binary(str(path)) as file:
            return json.loads(file.read().decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise MalformedInput(f"this cannot be read as JSON ({error})", where=path, remedy="name a whole file") from None


def _read_json_lines(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file, one per line; a list on a line (as in JATOS files) gives its objects."""
    for number, line in enumerate(decode_lines(path), 1):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise MalformedInput(
                f"this line is not JSON ({error})", where=path, line=number, remedy="one object a line"
            ) from None
        for row in value if isinstance(value, list) else [value]:
            if not isinstance(row, dict):
                raise MalformedInput("this is not an object", where=path, line=number, remedy="one JSON object a line")
            yield number, row


def _list_rows(value: Any, path: str | Path) -> list[dict[str, Any]]:
    """Return the rows of a JSON value."""
    rows = _list_texts(value) or _find_rows(value)
    if rows is None:
        raise InputError("this JSON holds no table", where=path, remedy="write a list of objects, one per row")
    return rows


def _find_rows(value: Any) -> list[dict[str, Any]] | None:
    """Return rows from a list of objects, columns, lists by system, objects by id, or the one part that has such; None
    for other values.
    """
    if _are_lists(value):
        value = [row for part in value for row in part]
    if isinstance(value, list) and all(isinstance(row, dict) for row in value):
        return value
    if not isinstance(value, dict):
        return None
    # As data frames write with orient="split".
    if isinstance(value.get("columns"), list) and _are_lists(value.get("data")):
        return [dict(zip(value["columns"], cells, strict=True)) for cells in value["data"]]
    if columns := _transpose_columns(value):
        return columns
    lists: dict[str, list[dict[str, Any]]] = {name: part for name, part in value.items() if _are_objects(part)}
    # As COCO writes captions and their pictures.
    if len(lists) > 1 and "annotations" in lists:
        return lists["annotations"]
    if len(lists) == 1:
        return next(iter(lists.values()))
    if lists:
        keys = {frozenset(row) for part in lists.values() for row in part}
        # The names of such lists are systems, unless the rows name one.
        is_alike = len(keys) == 1 and not {"system", "model"} & {name.lower() for name in next(iter(keys))}
        return [{**row, "system": name} for name, part in lists.items() for row in part] if is_alike else None
    objects = [part for part in value.values() if isinstance(part, dict)]
    if len(objects) > 1 and len(objects) == len(value) and len({frozenset(part) for part in objects}) == 1:
        return [{"id": name, **part} for name, part in value.items()]
    parts = [rows for part in objects if (rows := _find_rows(part))]
    return parts[0] if len(parts) == 1 else None


def _list_texts(value: Any) -> list[dict[str, Any]]:
    """Return rows from an object of texts by id, or of lists of texts by number; none from other values."""
    parts = list(value.values()) if isinstance(value, dict) else []
    if len(parts) > 1 and all(isinstance(part, str) for part in parts):
        return [{"id": name, "text": part} for name, part in value.items()]
    are_lists = all(isinstance(part, list) and all(isinstance(text, str) for text in part) for part in parts)
    if parts and are_lists and all(map(str.isdigit, value)):
        return [{"id": name, "references": part} for name, part in value.items()]
    return []


def _are_lists(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(row, list) for row in part)


def _are_objects(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(row, dict) for row in part)


def _transpose_columns(value: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of an object whose values are columns; none if it is no such object."""
    parts = list(value.values())
    if not parts or not parts[0]:
        return []
    if all(isinstance(part, dict) for part in parts):
        is_indexed = len({tuple(part) for part in parts}) == 1 and all(key.isdigit() for key in parts[0])
        return [{name: column[key] for name, column in value.items()} for key in parts[0]] if is_indexed else []
    if not all(isinstance(part, list) for part in parts) or len({len(part) for part in parts}) > 1:
        return []
    holds_objects = any(isinstance(cell, dict) for part in parts for cell in part)
    return [] if holds_objects else [dict(zip(value, cells, strict=True)) for cells in zip(*parts, strict=True)]


@runtime_checkable
class PolarsFrame(Protocol):
    """A polars data frame, recognised by its methods, so that polars need not be imported."""

    def to_dicts(self) -> list[dict[str, Any]]: ...


@runtime_checkable
class PandasFrame(Protocol):
    """A pandas data frame, recognised by its methods."""

    index: Any

    def iterrows(self) -> Iterable[Any]: ...
    def reset_index(self) -> PandasFrame: ...
    def to_dict(self, orient: str) -> list[dict[str, Any]]: ...


@runtime_checkable
class DataSet(Protocol):
    """A Hugging Face data set, recognised by its methods."""

    def to_list(self) -> list[dict[str, Any]]: ...
    @property
    def column_names(self) -> list[str]: ...


@runtime_checkable
class LazyFrame(Protocol):
    """A lazy polars data frame, recognised by its methods."""

    def collect(self) -> PolarsFrame: ...
    def collect_schema(self) -> Any: ...


def convert_to_rows(outputs: Any) -> Any:
    """Return the rows of a data frame or data set, or the values of a series or array; other objects are returned unchanged."""
    if isinstance(outputs, LazyFrame):
        return outputs.collect().to_dicts()
    if getattr(outputs, "ndim", None) == 1 and hasattr(outputs, "tolist"):
        return outputs.tolist()
    if type(outputs).__name__ == "Series" and hasattr(outputs, "to_list"):
        return outputs.to_list()
    if isinstance(outputs, PolarsFrame):
        return outputs.to_dicts()
    if isinstance(outputs, PandasFrame):
        names = list(outputs.index.names)
        # An index with names holds columns.
        return (outputs.reset_index() if any(name is not None for name in names) else outputs).to_dict("records")
    return outputs.to_list() if isinstance(outputs, DataSet) and isinstance(outputs.column_names, list) else outputs


def make_table(rows: Any, source: str = "rows") -> Table:
    """Return a table from rows in memory: a data frame, a data set, or a list of dictionaries.

    Raises:
        InputError: for anything else.
    """
    rows = convert_to_rows(rows)
    rows = list(rows) if isinstance(rows, Iterable) and not isinstance(rows, (str, bytes, Mapping)) else None
    if not rows or not all(isinstance(row, Mapping) for row in rows):
        raise InputError(
            "these are not rows of a table",
            where=source,
            remedy="give a data frame or a list of dictionaries, at least one",
        )
    return Table.of(source, rows, range(len(rows)))
