"""The response cache.

Every question to a model and its raw answer as JSON lines, so that a run can resume and be replayed offline.

The index in memory has the file offset of each line, not the call.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from referee.errors import CannotWrite, MalformedInput
from referee.models.cost import Cost

# Flags of responses that tell how a model answered.
ASKED_AGAIN = "asked again"
FLAGS = ("unparsable", "refused", "cut off", ASKED_AGAIN)


class Call(NamedTuple):
    """A question by its key, the raw answer, and its cost; `failure` is the reason for a missing answer.

    `question` has the endpoint and the sample number beside the request, with pictures by hash. `asker` is the system
    or hearer that paid for it, `adapted` names parameters that the server refused and that were omitted, `logprobs` are
    the tokens of the answer with the most probable alternatives. `pictures` are the pictures as sent: hash, width, height,
    and resizing rule (no part of the key).
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
    pictures: tuple[Any, ...] = ()


def convert_call_to_json(call: Call) -> dict[str, Any]:
    """Return a call as JSON; only questions with pictures have the field `pictures`."""
    return {name: value for name, value in call._asdict().items() if value or name != "pictures"}


class _Location(NamedTuple):
    """The file of a call, by its number, and the byte where its line begins."""

    file: int
    start: int


class ResponseCache:
    """The calls of a folder: those of all its files can be looked up.

    New ones are appended to this object's own file.

    `costs` has each asker's cost, over all calls of the folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Several threads of one process ask and add; other processes have files of their own.
        self._lock = threading.Lock()
        self._files: list[Path] = []
        self._answered: dict[str, _Location] = {}
        self._failed: dict[str, _Location] = {}
        self._output: IO[bytes] | None = None
        self._output_number = self._output_size = 0
        self.costs: dict[str, Cost] = {}
        for file, start, call in _iterate_located_calls(folder):
            self._index_call(call, _Location(self._number_file(file), start))

    def find(self, key: str, failed: bool = False, earlier: bool = False) -> Call | None:
        """Return the call with this key if it was answered; with `failed`, also one that was not.

        With `earlier`, none that this object stored.
        """
        location = self._answered.get(key) or (self._failed.get(key) if failed else None)
        if location is None or (earlier and self._output is not None and location.file == self._output_number):
            return None
        return self._read_call(location)

    def _read_call(self, location: _Location) -> Call:
        """Return a call from its location."""
        with self._files[location.file].open("rb") as file:
            file.seek(location.start)
            return _parse_call(file.readline())

    def add(self, call: Call) -> None:
        """Store a call; it has left this process when the method returns."""
        line = f"{json.dumps(convert_call_to_json(call), ensure_ascii=False)}\n".encode("utf-8", "surrogatepass")
        with self._lock:
            try:
                (self._output or self._open_output()).write(line)
            except OSError as error:
                raise CannotWrite(
                    f"answers cannot be stored ({error.strerror})", where=self.folder, remedy="free some space"
                ) from None
            self._index_call(call, _Location(self._output_number, self._output_size))
            self._output_size += len(line)

    def _index_call(self, call: Call, location: _Location) -> None:
        """Add a call to the index; answered ones take precedence over failed ones."""
        # Of several calls for one question the first answered one counts, and an answered one before a failed one.
        (self._answered if call.failure is None else self._failed).setdefault(call.key, location)
        # Every call was paid for, whichever of them is read in the end.
        self.costs.setdefault(call.asker, Cost()).add(call.prompt_tokens, call.completion_tokens, call.cost)

    def _number_file(self, path: Path) -> int:
        """Return the number of a file in the index."""
        if not self._files or self._files[-1] != path:
            self._files.append(path)
        return len(self._files) - 1

    def _open_output(self) -> IO[bytes]:
        """Create a new file: after a crash the last line of another may lack its end."""
        number = 0
        while self._output is None:
            number += 1
            try:
                # Creating it claims it: of two processes that try the same number, one fails and counts on.
                path = self.folder / f"calls-{number}.jsonl"
                self._output = path.open("xb", buffering=0)
                self._output_number, self._output_size = self._number_file(path), 0
            except FileExistsError:
                continue
        return self._output

    def iterate_calls(self) -> Iterator[Call]:
        """Yield the valid call of every question, by key, in any order of caching."""
        locations = self._failed | self._answered
        return (self._read_call(locations[key]) for key in sorted(locations))

    def close(self) -> None:
        """Close the file; a call that is added later opens another."""
        with self._lock:
            if self._output is not None:
                self._output.close()
                self._output = None

    def __del__(self) -> None:
        if getattr(self, "_output", None) is not None:
            self.close()


def sum_cost_by_asker(folder: Path) -> dict[str, Cost]:
    """Return each asker's cost, over all calls of a folder."""
    costs: dict[str, Cost] = {}
    for call in read_calls(folder):
        costs.setdefault(call.asker, Cost()).add(call.prompt_tokens, call.completion_tokens, call.cost)
    return costs


def read_calls(folder: Path) -> Iterator[Call]:
    """Yield the calls of all files in a folder, or of one file.

    A last line that a crash cut off is left out.
    """
    return (call for _, _, call in _iterate_located_calls(folder))


def _iterate_located_calls(folder: Path) -> Iterator[tuple[Path, int, Call]]:
    """Yield the calls of all files with their positions."""
    for path in [folder] if folder.is_file() else sorted(folder.glob("*.jsonl")):
        start = 0
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                if line.strip():
                    try:
                        call = _parse_call(line)
                    except (ValueError, TypeError):
                        # Only a line that was cut off lacks its line break, and it is the last.
                        if line.endswith(b"\n"):
                            raise MalformedInput(
                                "this line is not a call of a response cache",
                                where=path,
                                line=number,
                                remedy="remove the line; the question is asked again",
                            ) from None
                        break
                    yield path, start, call
                start += len(line)


def _parse_call(line: bytes) -> Call:
    """Return a call from its line."""
    # Replaced, since a crash may have cut a character in half.
    fields = json.loads(line.decode("utf-8", "replace"))
    fields["adapted"] = tuple(fields.get("adapted", ()))
    fields["logprobs"] = tuple(fields.get("logprobs", ()))
    # Earlier releases cached answers that the endpoint had called errors.
    if fields.get("finish") == "error" and fields.get("failure") is None:
        fields["failure"] = "the endpoint reported an error while it generated the answer"
    return Call(**fields)
