"""Lines of JSON from files: plain or gzipped, UTF-8, with every mistake reported as file, line and remedy."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

from referee.errors import InputError, MalformedInput

__all__ = ["WrongShape", "expect", "open_binary", "optional", "parse_object", "read_lines"]


class WrongShape(Exception):
    """A value is not of the documented form; whoever knows file and line turns it into `MalformedInput`."""

    def __init__(self, problem: str, remedy: str = "see docs/corpora.md for the form") -> None:
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


def read_lines(path: str | Path) -> Iterator[tuple[int, str]]:
    """Numbered lines that are not blank; bytes that are not UTF-8 and broken archives are errors."""
    with open_binary(path) as file:
        number = 0
        try:
            for number, raw in enumerate(file, 1):
                text = raw.decode("utf-8-sig" if number == 1 else "utf-8").strip()
                if text:
                    yield number, text
        except UnicodeDecodeError as error:
            raise MalformedInput(
                f"byte {error.start + 1} of this line is not UTF-8",
                where=path,
                line=number,
                remedy="save the file as UTF-8",
            ) from None
        except (EOFError, gzip.BadGzipFile, OSError) as error:
            raise MalformedInput(
                f"cannot be read on ({error})", where=path, line=number + 1, remedy="copy the file again"
            ) from None


def _refuse(constant: str) -> Any:
    raise WrongShape(f"{constant} is not a value", "leave the field out where there is no value")


def parse_object(text: str) -> dict[str, Any]:
    """One JSON object; NaN and infinities are refused."""
    try:
        data = json.loads(text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise WrongShape(f"not JSON at column {error.colno}: {error.msg}", "one complete JSON object a line") from None
    except RecursionError:
        raise WrongShape("nested too deeply", "one flat JSON object a line") from None
    if not isinstance(data, dict):
        raise WrongShape(f"expected an object, found {type(data).__name__}", "write one {…} a line")
    return data


_NAMES = {str: "text", list: "a list", dict: "an object", int: "a number", float: "a number", bool: "true or false"}


def expect(data: Any, key: str, kind: type) -> Any:
    """The value of a field that must be there and of a kind."""
    if not isinstance(data, Mapping):
        raise WrongShape(f"expected an object with {key!r}, found {type(data).__name__}")
    if key not in data:
        raise WrongShape(f"the field {key!r} is missing")
    return _checked(data[key], key, kind)


def optional(data: Any, key: str, kind: type) -> Any:
    """The value of a field that may be absent or null."""
    if not isinstance(data, Mapping):
        raise WrongShape(f"expected an object, found {type(data).__name__}")
    value = data.get(key)
    return None if value is None else _checked(value, key, kind)


def _checked(value: Any, key: str, kind: type) -> Any:
    if not isinstance(value, kind):
        raise WrongShape(f"the field {key!r} should be {_NAMES[kind]}, not {value!r:.40}")
    return value
