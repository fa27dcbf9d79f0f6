"""Lines of JSON from files: plain or gzipped, UTF-8, with every mistake reported as file, line and remedy."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from referee.errors import InputError, MalformedInput, near

__all__ = [
    "PlainReader",
    "WrongShape",
    "as_finite",
    "as_names",
    "expect",
    "is_finite",
    "only_known",
    "open_binary",
    "optional",
    "parse_object",
    "read_lines",
    "read_records",
]

BLOCK = 500
# Smaller files are read before msgspec is loaded.
LARGE = 1 << 20
Record = TypeVar("Record")
PlainReader = Callable[[list[bytes], int], Sequence[Record] | None]


class WrongShape(Exception):
    """A value is not of the documented form; whoever knows file and line turns it into `MalformedInput`, with a remedy where there is none yet."""

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__(problem)
        self.remedy = remedy


def open_binary(path: str | Path) -> BinaryIO:
    """A file opened for reading (gzip by its ending, ``-`` for standard input), or an error that says why not."""
    if str(path) == "-":
        return sys.stdin.buffer
    try:
        return gzip.open(path) if str(path).endswith(".gz") else Path(path).open("rb")  # type: ignore[return-value]
    except FileNotFoundError:
        raise InputError("there is no such file", where=path, remedy="check the name") from None
    except IsADirectoryError:
        raise InputError("this is a directory, not a file", where=path, remedy="name a file inside it") from None
    except PermissionError:
        raise InputError("no permission to read", where=path, remedy="check the file's permissions") from None


def _raise(error: InputError) -> None:
    raise error


def read_lines(path: str | Path, on_problem: Callable[[InputError], None] = _raise) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not blank; bytes that are not UTF-8 go to `on_problem`, broken archives are errors."""
    for first, block in _blocks(path):
        for number, raw in enumerate(block, first):
            if text := _text(raw, number, path, on_problem):
                yield number, text


def read_records(
    path: str | Path,
    plain: Callable[[], PlainReader[Record]],
    carefully: Callable[[str, int], Record | None],
    on_problem: Callable[[InputError], None] = _raise,
) -> Iterator[Record]:
    """What stands in the lines of a file: many at a time where all are plain, and one by one, read with care, where one is not.

    `plain` makes a reader for large files; it is given lines and the number of the first, and answers with one record a line, or None. `carefully` is given
    the text of a line and its number, and answers with None for a line to be passed over.
    """
    plainly = plain() if _is_large(path) and find_spec("msgspec") is not None else _never
    for first, block in _blocks(path):
        made = plainly(block, first)
        if made is not None:
            yield from made
            continue
        for number, raw in enumerate(block, first):
            alone = plainly([raw], number)
            if alone is not None:
                yield alone[0]
            elif text := _text(raw, number, path, on_problem):
                record = carefully(text, number)
                if record is not None:
                    yield record


def _is_large(path: str | Path) -> bool:
    # Nobody knows how much comes from standard input.
    return str(path) == "-" or (Path(path).is_file() and Path(path).stat().st_size >= LARGE)


def _never(lines: list[bytes], first: int) -> None:
    """Where nothing is read at once."""


def _blocks(path: str | Path) -> Iterator[tuple[int, list[bytes]]]:
    """Some hundred lines at a time, as they stand in the file, with the number of the first; broken archives are errors."""
    with open_binary(path) as file:
        number = 1
        block: list[bytes] = []
        try:
            for raw in file:
                block.append(raw)
                if len(block) == BLOCK:
                    yield number, block
                    number, block = number + BLOCK, []
        except (EOFError, gzip.BadGzipFile, OSError) as error:
            # What came before the break is read first: an error in it is nearer to the cause.
            if block:
                yield number, block
            raise MalformedInput(
                f"cannot be read on ({error})", where=path, line=number + len(block), remedy="copy the file again"
            ) from None
        if block:
            yield number, block


def _text(raw: bytes, number: int, path: str | Path, on_problem: Callable[[InputError], None] = _raise) -> str | None:
    """The text of a line without the blanks around it; None where it is not UTF-8, of which `on_problem` is told."""
    try:
        # A byte order mark can only stand at the beginning of the file.
        return raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
    except UnicodeDecodeError as error:
        problem = f"byte {error.start + 1} of this line is not UTF-8"
        on_problem(MalformedInput(problem, where=path, line=number, remedy="save the file as UTF-8"))
        return None


def _refuse(constant: str) -> Any:
    raise WrongShape(f"{constant} is not a value", "leave the field out where there is no value")


def parse_object(text: str) -> dict[str, Any]:
    """One JSON object; NaN and infinities are refused."""
    try:
        # Python's reader takes NaN and Infinity, which JSON does not have.
        data = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise WrongShape(f"not JSON at column {error.colno}: {error.msg}", "one complete JSON object a line") from None
    # Python refuses to convert whole numbers of more than 4,300 digits.
    except ValueError as error:
        raise WrongShape(f"not a usable number: {error}", "write long numbers as text") from None
    except RecursionError:
        raise WrongShape("nested too deeply", "one flat JSON object a line") from None
    if not isinstance(data, dict):
        raise WrongShape(f"expected an object, found {type(data).__name__}", "write one {…} a line")
    # Looked for in the text, so that ordinary lines pay for no second walk.
    if "\\ud" in text.lower():
        _check_surrogates(data)
    return data


def _check_surrogates(data: dict[str, Any]) -> None:
    """Half a character (a lone surrogate) can be written in JSON, but never be printed or saved."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise WrongShape("half a character (a lone surrogate)", "write the character itself, in UTF-8") from None


@cache
def _set_of(fields: tuple[str, ...]) -> frozenset[str]:
    return frozenset(fields)


def only_known(data: Mapping[str, Any], fields: tuple[str, ...], of: str, rest: str = "") -> None:
    """A field that nobody reads is refused, with the name that was likely meant: what is misspelt must not be lost in silence."""
    # Every record of every file passes here.
    if data.keys() <= _set_of(fields):
        return
    strange = next(name for name in data if name not in fields)
    meant = near(strange, fields, 1, 0.6)
    hint = f"did you mean {meant[0]!r}? " if meant else ""
    raise WrongShape(f"{of} has no field {strange!r}", f"{hint}its fields are {', '.join(fields)}{rest}")


def is_finite(value: Any) -> bool:
    """Whether something is a number that can be reckoned with: no text, no true or false, nothing infinite."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    # Of whole numbers that no float can hold.
    except OverflowError:
        return False


def as_finite(value: Any, name: str) -> float | None:
    """A number, or None where nothing is given."""
    if value is not None and not is_finite(value):
        raise WrongShape(f"the field {name!r} should be a number, not {value!r:.40}")
    return value  # type: ignore[no-any-return]


def as_names(value: Any, name: str) -> tuple[str, ...]:
    """A list of texts; a single text would fall apart into its letters."""
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(x, str) for x in value):
        raise WrongShape(f"the field {name!r} should be a list of texts, not {value!r:.40}", f'write "{name}": ["…"]')
    return tuple(value)


# A dict is known at once; to ask whether something is a Mapping takes ten times as long, and every field of every record is asked.
_OBJECTS = (dict, Mapping)
_NAMES = {str: "text", list: "a list", dict: "an object", int: "a number", float: "a number", bool: "true or false"}


def expect(data: Any, key: str, kind: type) -> Any:
    """The value of a field that must be there and of a kind."""
    if not isinstance(data, _OBJECTS):
        raise WrongShape(f"expected an object with {key!r}, found {type(data).__name__}")
    if key not in data:
        raise WrongShape(f"the field {key!r} is missing")
    return _checked(data[key], key, kind)


def optional(data: Any, key: str, kind: type) -> Any:
    """The value of a field that may be absent or null."""
    if not isinstance(data, _OBJECTS):
        raise WrongShape(f"expected an object, found {type(data).__name__}")
    value = data.get(key)
    return None if value is None else _checked(value, key, kind)


def _checked(value: Any, key: str, kind: type) -> Any:
    if not isinstance(value, kind):
        raise WrongShape(f"the field {key!r} should be {_NAMES[kind]}, not {value!r:.40}")
    return value
