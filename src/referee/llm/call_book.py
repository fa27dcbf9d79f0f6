"""Every question put to a model and its raw answer, kept as lines of JSON, so that a run can go on after a break and be replayed without a network."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from referee.errors import CannotWrite, MalformedInput
from referee.signature import digest

__all__ = ["Call", "CallBook", "gather_calls", "keep_reply", "key_of", "read_calls"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A question by its key, the raw answer, and what it took; `failure` says why there is no answer."""

    key: str
    question: Mapping[str, Any]
    content: str | None
    refusal: str | None = None
    finish: str | None = None
    model: str | None = None
    prompt_tokens: int = 0
    completion_tokens: int = 0
    tries: int = 1
    failure: str | None = None


def key_of(question: Mapping[str, Any]) -> str:
    """Equal questions have equal keys; where they were sent plays no part."""
    return digest(json.dumps(question, sort_keys=True, ensure_ascii=False))


def keep_reply(data: Mapping[str, Any], question: Mapping[str, Any], key: str, tries: int) -> Call:
    """A chat completion as a call to keep; what the endpoint left out is absent, not an error."""
    # The endpoint's reply had these when it was accepted (`client._understood`).
    choice, usage = data["choices"][0], data.get("usage")
    message = choice["message"]
    usage = usage if isinstance(usage, Mapping) else {}
    return Call(
        key=key,
        question=question,
        content=_text(message.get("content")),
        refusal=_text(message.get("refusal")),
        finish=_text(choice.get("finish_reason")),
        model=_text(data.get("model")),
        prompt_tokens=_number(usage.get("prompt_tokens")),
        completion_tokens=_number(usage.get("completion_tokens")),
        tries=tries,
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


class CallBook:
    """Calls of a folder: those of all its files can be looked up, new ones go into a file of its own, each line complete before the next."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # Several threads of one process ask and add; other processes have files of their own.
        self._lock = threading.Lock()
        self._known = gather_calls(folder)
        self._file: Path | None = None

    def find(self, key: str, failed: bool = False) -> Call | None:
        """A call that was answered; with `failed` also one that was not."""
        call = self._known.get(key)
        return call if call is None or failed or call.failure is None else None

    def add(self, call: Call) -> None:
        line = json.dumps(asdict(call), ensure_ascii=False)
        with self._lock:
            self._known[call.key] = call
            try:
                # Opened and closed for each line: whatever was answered has left this process before the next question
                # is put.
                with self._own_file().open("a", encoding="utf-8") as file:
                    file.write(f"{line}\n")
            except OSError as error:
                raise CannotWrite(
                    f"answers cannot be kept ({error.strerror})", where=self.folder, remedy="free some space"
                ) from None

    def _own_file(self) -> Path:
        """A file that nobody wrote into before: after a crash another's last line may lack its end."""
        number = 0
        while self._file is None:
            number += 1
            path = self.folder / f"calls-{number}.jsonl"
            try:
                # Making it is also claiming it: of two processes that try the same number, one fails and counts on.
                path.touch(exist_ok=False)
                self._file = path
            except FileExistsError:
                continue
        return self._file


def gather_calls(folder: Path) -> dict[str, Call]:
    """The calls of a folder by key; of several to one question an answered one counts before a failed one."""
    found: dict[str, Call] = {}
    for call in read_calls(folder):
        if call.key not in found or found[call.key].failure is not None:
            found[call.key] = call
    return found


def read_calls(folder: Path) -> Iterator[Call]:
    """The calls of all files in a folder; a last line that was cut off by a crash is left out."""
    for path in sorted(folder.glob("*.jsonl")):
        # Replaced, since a crash may have cut a character in half; and not `splitlines`, which would also cut at
        # separators that JSON leaves unescaped.
        lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                yield Call(**json.loads(line))
            except (ValueError, TypeError):
                # A whole line ends in a line break, after which there is at least an empty one: only what was cut off
                # is the last.
                if number < len(lines):
                    raise MalformedInput(
                        "this is not a kept call", where=path, line=number, remedy="remove the line; it is asked again"
                    ) from None
