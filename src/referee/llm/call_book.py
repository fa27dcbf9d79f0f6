"""Every question put to a model and its raw answer, kept as lines of JSON, so that a run can go on after a break and be replayed without a network.

Only the place of each line is held in memory, so a book of a hundred thousand calls costs a few megabytes.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring
from pathlib import Path
from typing import IO, Any, NamedTuple

from referee.errors import CannotWrite, MalformedInput
from referee.llm.call_index import CallIndex, number_of
from referee.llm.spending import Spending

__all__ = ["Call", "CallBook", "as_json", "gather_calls", "read_calls", "spending_of"]


class Call(NamedTuple):
    """A question by its key, the raw answer, and what it took; `failure` says why there is no answer.

    `question` has the endpoint and the number of the sample beside what was sent, and pictures by their hash. `asker` is the system or hearer that paid for it,
    `adapted` names parameters that the server refused and that were left out, `logprobs` are the tokens of the answer with the likeliest others.
    """

    key: str
    question: Mapping[str, Any]
    content: str | None
    refusal: str | None = None
    reasoning: str | None = None
    finish: str | None = None
    model: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    tries: int = 1
    failure: str | None = None
    asker: str = ""
    adapted: tuple[str, ...] = ()
    logprobs: tuple[Any, ...] = ()


_FIELDS = tuple(f'"{name}": ' for name in Call._fields)
_JSON = json.JSONEncoder(ensure_ascii=False).encode


def _written(value: Any) -> str:
    """A field as JSON; most are nothing, a number or a text, and the encoder takes three times as long over them."""
    kind = type(value)
    return (
        "null"
        if value is None
        else encode_basestring(value)
        if kind is str
        else str(value)
        if kind is int
        else _JSON(value)
    )


def as_json(call: Call) -> dict[str, Any]:
    """A call as JSON."""
    return call._asdict()


class _Place(NamedTuple):
    """Where a call stands: in which file, from which byte, and whether it was answered."""

    file: int
    start: int
    answered: bool

    def packed(self) -> int:
        """As one number of 63 bits: a quarter of a million files of 16 terabytes each."""
        return ((self.file << 44 | self.start) << 1) | self.answered


def _unpacked(number: int) -> _Place:
    answered, rest = number & 1, number >> 1
    return _Place(rest >> 44, rest & (1 << 44) - 1, bool(answered))


class CallBook:
    """Calls of a folder: those of all its files can be looked up, new ones go into a file of its own, each line complete before the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Several threads of one process ask and add; other processes have files of their own.
        self._lock = threading.Lock()
        self._files: list[Path] = []
        self._places = CallIndex()
        self._own: IO[bytes] | None = None
        self._own_number = self._own_size = 0
        self.spent: dict[str, Spending] = {}
        for file, start, call in _located_calls(folder):
            self._note(call, _Place(self._number(file), start, call.failure is None))

    def find(self, key: str, failed: bool = False) -> Call | None:
        """A call that was answered; with `failed` also one that was not."""
        number = self._places.get(number_of(key))
        if number is None or not (number & 1 or failed):
            return None
        call = self._read(_unpacked(number))
        return call if call.key == key else None

    def _read(self, place: _Place) -> Call:
        with self._files[place.file].open("rb") as file:
            file.seek(place.start)
            return _call(file.readline())

    def add(self, call: Call, question: str = "") -> None:
        """Keep a call; `question` is its question as JSON, where somebody has written it already."""
        parts = [f"{name}{_written(value)}" for name, value in zip(_FIELDS, call, strict=True)]
        if question:
            parts[1] = f"{_FIELDS[1]}{question}"
        text = f"{{{', '.join(parts)}}}\n"
        line = text.encode("utf-8", "surrogatepass")
        with self._lock:
            try:
                # Unbuffered: whatever was answered has left this process before the next question is put.
                (self._own or self._own_file()).write(line)
            except OSError as error:
                raise CannotWrite(
                    f"answers cannot be kept ({error.strerror})", where=self.folder, remedy="free some space"
                ) from None
            self._note(call, _Place(self._own_number, self._own_size, call.failure is None))
            self._own_size += len(line)

    def _note(self, call: Call, place: _Place) -> None:
        key = number_of(call.key)
        known = self._places.get(key)
        # Of several calls for one question an answered one counts before a failed one.
        if known is None or not known & 1:
            self._places.put(key, place.packed())
        # Every call is one that somebody paid for, whichever of them is read in the end.
        if call.asker not in self.spent:
            self.spent[call.asker] = Spending()
        self.spent[call.asker].add(call.prompt_tokens, call.completion_tokens, call.cost)

    def _number(self, path: Path) -> int:
        if not self._files or self._files[-1] != path:
            self._files.append(path)
        return len(self._files) - 1

    def _own_file(self) -> IO[bytes]:
        """A file that nobody wrote into before: after a crash another's last line may lack its end."""
        number = 0
        while self._own is None:
            number += 1
            try:
                # Making it is also claiming it: of two processes that try the same number, one fails and counts on.
                path = self.folder / f"calls-{number}.jsonl"
                self._own = path.open("xb", buffering=0)
                self._own_number, self._own_size = self._number(path), 0
            except FileExistsError:
                continue
        return self._own

    def sorted_calls(self) -> Iterator[Call]:
        """The call that counts for every question, by key: the same book in whatever order it was filled."""
        return (self._read(_unpacked(number)) for _, number in self._places.items())

    def close(self) -> None:
        """Let go of the file; another object goes on with one of its own."""
        with self._lock:
            if self._own is not None:
                self._own.close()
                self._own = None

    def __del__(self) -> None:
        if getattr(self, "_own", None) is not None:
            self.close()


def gather_calls(folder: Path) -> dict[str, Call]:
    """The calls of a folder by key; of several to one question an answered one counts before a failed one."""
    found: dict[str, Call] = {}
    for call in read_calls(folder):
        if call.key not in found or found[call.key].failure is not None:
            found[call.key] = call
    return found


def spending_of(folder: Path) -> dict[str, Spending]:
    """What each asker paid, over all calls of a folder."""
    spent: dict[str, Spending] = {}
    for call in read_calls(folder):
        spent.setdefault(call.asker, Spending()).add(call.prompt_tokens, call.completion_tokens, call.cost)
    return spent


def read_calls(folder: Path) -> Iterator[Call]:
    """The calls of all files in a folder, or of one file; a last line that was cut off by a crash is left out."""
    return (call for _, _, call in _located_calls(folder))


def _located_calls(folder: Path) -> Iterator[tuple[Path, int, Call]]:
    for path in [folder] if folder.is_file() else sorted(folder.glob("*.jsonl")):
        start = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        call = _call(line)
                    except (ValueError, TypeError):
                        # Only what was cut off lacks its line break, and it is the last.
                        if line.endswith(b"\n"):
                            raise MalformedInput(
                                "this is not a kept call",
                                where=path,
                                line=number,
                                remedy="remove the line; it is asked again",
                            ) from None
                        break
                    yield path, start, call
                start += len(line)


def _call(line: bytes) -> Call:
    # Replaced, since a crash may have cut a character in half.
    data = json.loads(line.decode("utf-8", "replace"))
    data["adapted"] = tuple(data.get("adapted", ()))
    data["logprobs"] = tuple(data.get("logprobs", ()))
    return Call(**data)
