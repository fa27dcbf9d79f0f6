"""Work over the parts of a large file by copies of this process, one a core: a copy knows all that was read before, and nothing has to be sent to it.

Only where a system can make such copies safely (Linux), and only for work that may be given up: whatever goes wrong in a copy is `GivenUp` here, and whoever
asked does the work again in one process, where an error is told with its file and line.
"""

from __future__ import annotations

import gc
import os
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from queue import SimpleQueue
from signal import SIGKILL
from threading import Semaphore, Thread
from typing import Any, BinaryIO, TypeVar

__all__ = ["GivenUp", "cut", "in_copies"]

# What a copy may have ready before somebody takes it.
READY = 3
_LOOKED_AT = 1 << 20
_MORE, _DONE, _FAILED = b"+", b".", b"!"
Part = TypeVar("Part")


class GivenUp(Exception):
    """A copy met something that has to be seen by one process alone."""


def cut(path: Path, lines: int) -> list[tuple[int, int]]:
    """Where the parts of a file begin and end, of about as many lines each as wanted; each ends with a line."""
    end = path.stat().st_size
    edges = [0]
    with path.open("rb") as file:
        # By the length of the first lines: to count them all would be to read the file.
        first = file.read(_LOOKED_AT)
        size = max(1, len(first) * lines // max(1, first.count(b"\n")))
        while edges[-1] < end:
            file.seek(min(edges[-1] + size, end))
            file.readline()
            edges.append(file.tell())
    return list(pairwise(edges))


def in_copies(do: Callable[[Part], Iterable[Any]], parts: Sequence[Part], copies: int) -> Iterator[Any]:
    """What `do` gives for every part, in order."""
    made: list[_Copy] = []
    # What is there already is passed over when a copy looks for what nobody needs any more: it would write to it, and have pages of its own.
    gc.freeze()
    try:
        for place in range(min(copies, len(parts))):
            made.append(_copy(do, parts[place::copies]))
        # Only now: a copy is made of a process that does nothing else at that moment.
        for copy in made:
            copy.begin()
        for place in range(len(parts)):
            yield from made[place % copies].of_one_part()
    finally:
        gc.unfreeze()
        for copy in made:
            copy.end()


class _Copy:
    """A copy of this process: what it has ready is taken from it while it goes on."""

    def __init__(self, number: int, file: BinaryIO) -> None:
        self._number, self._file = number, file
        self._ready: SimpleQueue[tuple[bytes, Any]] = SimpleQueue()
        self._room = Semaphore(READY)
        self._reader = Thread(target=self._read, daemon=True)

    def begin(self) -> None:
        self._reader.start()

    def _read(self) -> None:
        # Of what was broken off anything may come, and of none of it must somebody wait for more: who asked does the work again alone.
        with suppress(Exception):
            while (sign := self._file.read(1)) in (_MORE, _DONE):
                found = pickle.load(self._file) if sign == _MORE else None
                self._room.acquire()
                self._ready.put((sign, found))
        self._ready.put((_FAILED, None))

    def of_one_part(self) -> Iterator[Any]:
        while True:
            sign, found = self._ready.get()
            if sign == _FAILED:
                raise GivenUp
            self._room.release()
            if sign == _DONE:
                return
            yield found

    def end(self) -> None:
        """Whatever it is doing, nobody needs it any more."""
        os.kill(self._number, SIGKILL)
        os.waitpid(self._number, 0)
        # Room for all that was ready: the reader meets the end of the pipe and ends as well.
        while self._reader.is_alive():
            self._room.release()
            self._reader.join(0.01)
        self._file.close()


def _copy(do: Callable[[Part], Iterable[Any]], parts: Sequence[Part]) -> _Copy:
    """A copy of this process that works through some parts."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Threads of this process (a clock on the screen, a pool that waits) are not in the copy, which needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            number = os.fork()
        except OSError:  # no memory for another, or too many: this process does the work alone
            os.close(reading)
            os.close(writing)
            raise GivenUp from None
    if number:
        os.close(writing)
        return _Copy(number, os.fdopen(reading, "rb", 1 << 20))
    # From here on this is the copy: it must not go on with the work of the whole.
    try:
        # What it makes goes by itself; to look for circles again and again takes a seventh of its time.
        gc.disable()
        os.close(reading)
        with os.fdopen(writing, "wb", 1 << 20) as file:
            _work(do, parts, file)
    finally:
        os._exit(0)


def _work(do: Callable[[Part], Iterable[Any]], parts: Sequence[Part], file: BinaryIO) -> None:
    try:
        for part in parts:
            for found in do(part):
                file.write(_MORE)
                pickle.dump(found, file, pickle.HIGHEST_PROTOCOL)
            file.write(_DONE)
            file.flush()
    except BaseException:
        # Whatever it was: the one process that does it again will say.
        file.write(_FAILED)
