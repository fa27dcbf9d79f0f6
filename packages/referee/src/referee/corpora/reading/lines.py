"""Lines of JSON from files: plain or gzipped, UTF-8, with every mistake reported as file, line and remedy."""

from __future__ import annotations

import gzip
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeVar

from referee.errors import InputError, MalformedInput
from referee.files import open_to_read

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
Record = TypeVar("Record")


class WrongShape(Exception):
    """A value does not have the documented form; the reader adds file and line and raises MalformedInput.

    Callers that know file and line convert it to `MalformedInput`, with a remedy if it has none.
    """

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.remedy = remedy


class LineRange(NamedTuple):
    """Some lines of a file, one after the other: the bytes that they take, and the number of the first."""

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class FileLines:
    """Some lines of a file, which can be read like a file.

    With `contents` it is read where the file cannot be seen.
    """

    path: str
    ranges: tuple[LineRange, ...]
    contents: tuple[bytes, ...] | None = None

    @classmethod
    def of(cls, path: str, lines: Iterable[LineRange]) -> FileLines:
        """Return lines in any order; adjacent ones are read together."""
        ranges: list[LineRange] = []
        for line in sorted(lines):
            if ranges and ranges[-1].end == line.start:
                ranges[-1] = LineRange(ranges[-1].start, line.end, ranges[-1].line)
            else:
                ranges.append(line)
        return cls(path, tuple(ranges))

    def __str__(self) -> str:
        return self.path

    def read(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of the first line and the bytes of each range."""
        if self.contents is not None:
            yield from zip((r.line for r in self.ranges), self.contents, strict=True)
            return
        with open_binary(self.path) as file:
            for start, end, line in self.ranges:
                file.seek(start)
                yield line, file.read(end - start)

    def carried(self) -> FileLines:
        """Return the lines with their content, for a machine without access to the file."""
        return FileLines(self.path, self.ranges, tuple(content for _, content in self.read()))


def open_binary(path: str | Path) -> BinaryIO:
    """Return a file opened for reading (gzip by extension, ``-`` for standard input).

    Raises InputError with the reason if it cannot be.
    """
    if str(path) == "-":
        return sys.stdin.buffer
    try:
        file = open_to_read(path)
        if not str(path).endswith(".gz"):
            return file
        unpacked = gzip.GzipFile(fileobj=file)
        unpacked.myfileobj = file  # type: ignore[assignment]  # closed with it
        return unpacked  # type: ignore[return-value]
    except FileNotFoundError:
        raise InputError("there is no such file", where=path, remedy="check the name") from None
    except IsADirectoryError:
        raise InputError("this is a directory, not a file", where=path, remedy="name a file inside it") from None
    except PermissionError:
        raise InputError("no permission to read", where=path, remedy="check the file's permissions") from None


def _raise(error: InputError) -> None:
    raise error


def read_lines(
    path: str | Path | FileLines, on_problem: Callable[[InputError], None] = _raise
) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file that are not blank, with their numbers; errors go to `on_problem` if it is given.

    Bytes that are not UTF-8 go to `on_problem`, broken archives are errors.
    """
    return read_records(path, decode_text, "save the file as UTF-8", on_problem)


def read_records(
    path: str | Path | FileLines,
    decode: Callable[[bytes], Record],
    remedy: str,
    on_problem: Callable[[InputError], None] = _raise,
) -> Iterator[tuple[int, Record]]:
    """Yield the number and the result of `decode` for every line that is not blank.

    If `decode` raises `WrongShape`, the error goes to `on_problem` with file and line; `remedy` is for errors without
    one.
    """
    for number, raw in iterate_lines(path):
        try:
            record = decode(raw)
        except WrongShape as wrong:
            on_problem(MalformedInput(str(wrong), where=path, line=number, remedy=wrong.remedy or remedy))
        else:
            yield number, record


def iterate_lines(path: str | Path | FileLines) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers. Raises MalformedInput for a damaged archive."""
    if isinstance(path, FileLines):
        for first, content in path.read():
            yield from _skip_blank(BytesIO(content), first)
        return
    number = 0
    with open_binary(path) as file:
        try:
            for number, line in _skip_blank(file, 1):
                yield number, line
        except (EOFError, OSError, zlib.error) as error:
            problem = f"reading failed here ({error})"
            raise MalformedInput(problem, where=path, line=number + 1, remedy="copy the file again") from None


def _skip_blank(lines: Iterable[bytes], first: int) -> Iterator[tuple[int, bytes]]:
    """Yield the number and the bytes of every line that is not blank."""
    for number, raw in enumerate(lines, first):
        # A byte order mark can only stand at the beginning of the file.
        line = (raw.removeprefix(BYTE_ORDER_MARK) if number == 1 else raw).strip()
        if line:
            yield number, line


def decode_text(raw: bytes) -> str:
    """Return a line as text without surrounding blanks. Raises WrongShape unless it is UTF-8."""
    try:
        return raw.decode().strip()
    except UnicodeDecodeError as error:
        raise WrongShape(f"byte {error.start + 1} of this line is not UTF-8", "save the file as UTF-8") from None


def _refuse_constant(constant: str) -> Any:
    """Raise WrongShape for NaN or Infinity, which Python's JSON reader would accept."""
    raise WrongShape(f"{constant} is not a value", "leave the field out where there is no value")


_LARGE = re.compile(r"\d[eE]\+?\d{3}|\d{308}")


def _check_float(digits: str) -> float:
    number = float(digits)
    return number if isfinite(number) else _refuse_constant(digits)


def _refuse_doubled_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a dict of pairs, as a hook of Python's JSON decoder.

    Raises WrongShape for repeated keys, of which one would be lost silently.
    """
    parsed = dict(pairs)
    if len(parsed) < len(pairs):
        seen: set[str] = set()
        doubled = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise WrongShape(f"the field {doubled!r} occurs twice in one object", "write it once, several values as a list")
    return parsed


def parse_object(written: str | bytes) -> dict[str, Any]:
    """Return one JSON object. Raises WrongShape for NaN, infinities and repeated keys."""
    text = decode_text(written) if isinstance(written, bytes) else written
    try:
        # Python's decoder takes NaN and Infinity, which JSON does not have.
        data = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_refuse_doubled_keys)
        # JSON has no infinity, to which Python parses 1e999; only texts with large exponents are checked.
        if _LARGE.search(text):
            json.loads(text, parse_float=_check_float)
    except json.JSONDecodeError as error:
        raise WrongShape(f"not JSON at column {error.colno}: {error.msg}", "one complete JSON object a line") from None
    # Python refuses to convert whole numbers of more than 4,300 digits.
    except ValueError as error:
        raise WrongShape(f"not a usable number: {error}", "write long numbers as text") from None
    except RecursionError:
        raise WrongShape("nested too deeply", "one flat JSON object a line") from None
    if not isinstance(data, dict):
        raise WrongShape(f"expected an object, found {type(data).__name__}", "write one {…} a line")
    # Searched in the text, so that ordinary lines need no second pass.
    if "\\ud" in text.lower():
        _check_surrogates(data)
    return data


def _check_surrogates(data: dict[str, Any]) -> None:
    """Raise WrongShape for a lone surrogate, which JSON can hold but which cannot be printed or saved."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise WrongShape("half a character (a lone surrogate)", "write the character itself, in UTF-8") from None


def is_finite(value: Any) -> bool:
    """Return whether a value is a finite number: no text, no boolean, not infinite."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    # Of whole numbers that no float can hold.
    except OverflowError:
        return False


# A dict is known at once; to ask whether something is a Mapping takes ten times as long, and every field of every record is asked.
_OBJECTS = (dict, Mapping)
_NAMES = {str: "text", list: "a list", dict: "an object", int: "a number", float: "a number", bool: "true or false"}


def get_field(data: Any, key: str, kind: type) -> Any:
    """Return the value of a required field. Raises WrongShape if it is missing or of another type."""
    if not isinstance(data, _OBJECTS):
        raise WrongShape(f"expected an object with {key!r}, found {type(data).__name__}")
    if key not in data:
        raise WrongShape(f"the field {key!r} is missing")
    return _check_type(data[key], key, kind)


def get_optional_field(data: Any, key: str, kind: type) -> Any:
    """Return the value of a field, None if it is absent or null. Raises WrongShape for another type."""
    if not isinstance(data, _OBJECTS):
        raise WrongShape(f"expected an object, found {type(data).__name__}")
    value = data.get(key)
    return None if value is None else _check_type(value, key, kind)


def _check_type(value: Any, key: str, kind: type) -> Any:
    """Return the value. Raises WrongShape for another type."""
    if not isinstance(value, kind):
        raise WrongShape(f"the field {key!r} should be {_NAMES[kind]}, not {value!r:.40}")
    return value


# -- natural order ---------------------------------------------------------------------------------------------------------


def make_natural_sort_key(name: str) -> tuple[tuple[int, int | str], ...]:
    """Return a sort key that compares the numbers inside names as numbers."""
    # Eighteen digits at most, because Python refuses to convert very long numbers.
    parts = re.split(r"([0-9]{1,18})", name)
    # Tagged, since numbers and text cannot be compared with each other.
    return tuple((0, int(p)) if p.isascii() and p.isdecimal() else (1, p) for p in parts if p)
