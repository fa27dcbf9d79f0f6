"""The index of a file: the byte range of each trial and output, by which a corpus is divided among workers.

The index parses only ids. A line with an unreadable id is left to the record reader, which reports the error.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
from msgspec import UNSET, DecodeError, Raw, Struct, UnsetType
from msgspec import field as renamed
from msgspec.json import Decoder

from referee.corpora.reading.lines import BYTE_ORDER_MARK, FileLines, LineRange, open_binary
from referee.corpora.reading.parquet_rows import is_parquet, read_columns, read_parquet
from referee.errors import DuplicateTrial
from referee.files import is_address

PACKED = (".gz", ".zip", ".xml", ".csv", ".tsv", ".parquet")


class _TrialId(Struct, gc=False):
    id: str
    after: str | None = None


class _OutputId(Struct, gc=False):
    trial: str
    system: str | None = None
    box: Raw | UnsetType = UNSET
    point: Raw | UnsetType = UNSET
    polygon: Raw | UnsetType = UNSET
    mask: Raw | UnsetType = UNSET
    places: Raw | UnsetType = UNSET
    outcome: Raw | UnsetType = UNSET
    entity: Raw | UnsetType = UNSET
    answer: Raw | UnsetType = UNSET
    form: Raw | UnsetType = UNSET
    convention: Raw | UnsetType = renamed(default=UNSET, name="in")


_PLACES = _OutputId.__struct_encode_fields__[2:]
_place_fields = attrgetter(*_OutputId.__struct_fields__[2:])
_NO_PLACE = (UNSET,) * len(_PLACES)


def is_line_based(path: str | Path) -> bool:
    """Return whether a file can be read from any line on: it is not compressed, no table, and not standard input."""
    text = str(path).lower()
    if text == "-" or text.endswith(PACKED) or not (is_address(path) or Path(path).is_file()):
        return False
    with open_binary(path) as file:
        # The challenges' peer outputs are XML, whatever they are called.
        return not file.read(64).lstrip(BYTE_ORDER_MARK + b" \t\r\n").startswith(b"<")


def has_index(path: str | Path) -> bool:
    """Return whether the outputs of a file can be read by byte range: in line-based files, and Parquet tables of
    descriptions.
    """
    if not is_parquet(path):
        return is_line_based(path)
    columns = read_columns(path)
    return "trial" in columns and columns.isdisjoint(_PLACES)


def _decode_lines(path: str | Path, decoder: Decoder[Any]) -> Iterator[tuple[int, int, int, Any]]:
    """Yield begin and end (in bytes), number and ids of every line that is not blank.

    None for ids that cannot be read.
    """
    end, decode = 0, decoder.decode
    with open_binary(path) as file:
        for number, raw in enumerate(file, 1):
            start, end = end, end + len(raw)
            try:
                yield start, end, number, decode(raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw)
            except (DecodeError, UnicodeDecodeError, RecursionError):
                if raw.strip():
                    yield start, end, number, None


class IndexedOutput(NamedTuple):
    """An output that is not read yet: system, trial and byte range.

    `trial` is None if only the reader can determine it.
    """

    trial: str | None
    system: str | None
    start: int
    end: int
    line: int


def index_outputs(path: str | Path) -> Iterator[IndexedOutput]:
    """Yield the outputs of a file in order.

    Outputs with places, or that cannot be indexed, have no trial and are read at once.
    """
    if is_parquet(path):
        yield from _index_table(path)
        return
    for start, end, line, row in _decode_lines(path, Decoder(_OutputId)):
        if row is None or _place_fields(row) != _NO_PLACE:
            yield IndexedOutput(None, None, start, end, line)
        else:
            yield IndexedOutput(row.trial, row.system, start, end, line)


def _index_table(path: str | Path) -> Iterator[IndexedOutput]:
    """Yield the outputs of a Parquet table, with numbers of rows in place of byte ranges."""
    names = [name for name in ("trial", "system") if name in read_columns(path)]
    frame = read_parquet(path, names)
    columns = [frame[name].to_list() if name in names else [None] * len(frame) for name in ("trial", "system")]
    for number, (trial, system) in enumerate(zip(*columns, strict=True)):
        # Numbers are valid names; other values are left to the reader.
        is_name = type(trial) in (str, int) and type(system) in (str, int, NoneType)
        yield IndexedOutput(
            str(trial) if is_name else None,
            str(system) if is_name and system is not None else None,
            *(number, number + 1, number + 1),
        )


@dataclass(slots=True)
class TrialIndex:
    """The trials of a file: ids, and for each the number and first byte of its line."""

    path: str
    ids: list[str] = field(default_factory=list)
    lines: array[int] = field(default_factory=lambda: array("q"))
    starts: array[int] = field(default_factory=lambda: array("q", [0]))
    # The first trial that this one or a later one takes its history from.
    needed: array[int] = field(default_factory=lambda: array("q"))
    is_readable: bool = True

    @classmethod
    def of(cls, path: str | Path) -> TrialIndex:
        """Index a file. Raises DuplicateTrial if an id occurs twice."""
        index = cls(str(path))
        numbers: dict[str, int] = {}
        for start, end, line, row in _decode_lines(path, Decoder(_TrialId)):
            if row is None:
                index.is_readable = False
                return index
            number = len(index.ids)
            if numbers.setdefault(row.id, number) != number:
                raise DuplicateTrial(
                    f"trial {row.id!r} occurs twice",
                    where=path,
                    line=line,
                    remedy="give every trial a different id",
                )
            index.ids.append(row.id)
            index.lines.append(line)
            index.starts[-1] = start
            index.starts.append(end)
            index.needed.append(number if row.after is None else numbers.get(row.after, number))
        return index

    def ranges(self, size: int) -> Iterator[tuple[FileLines, list[str]]]:
        """Yield line ranges of at least `size` trials, with their ids.

        A range begins where no later trial takes its history from before.
        """
        needed = np.minimum.accumulate(np.frombuffer(self.needed, np.int64)[::-1])[::-1]
        can_begin = np.flatnonzero(needed >= np.arange(len(needed)))
        first = 0
        while first < len(self.ids):
            later = can_begin[np.searchsorted(can_begin, first + size) :]
            last = int(later[0]) if len(later) else len(self.ids)
            place = LineRange(self.starts[first], self.starts[last], self.lines[first])
            yield FileLines(self.path, (place,)), self.ids[first:last]
            first = last
