"""Work over the parts of a large file by copies of this process, one a core: a copy knows all that was read before, and nothing has to be sent to it.

Only where a system can make such copies safely (Linux), and only for work that may be given up: whatever goes wrong in a copy is `GivenUp` here, and whoever
asked does the work again in one process, where an error is told with its file and line.
"""

from __future__ import annotations

import os
import pickle
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from signal import SIGKILL
from typing import Any, BinaryIO, TypeVar

__all__ = ["GivenUp", "cut", "in_copies"]

PART = 32 << 20
_MORE, _DONE, _FAILED = b"+", b".", b"!"
Part = TypeVar("Part")


class GivenUp(Exception):
    """A copy met something that has to be seen by one process alone."""


def cut(path: Path, size: int = PART) -> list[tuple[int, int]]:
    """Where the parts of a file begin and end; each ends with a line."""
    end = path.stat().st_size
    edges = [0]
    with path.open("rb") as file:
        while edges[-1] < end:
            file.seek(min(edges[-1] + size, end))
            file.readline()
            edges.append(file.tell())
    return list(pairwise(edges))


def in_copies(do: Callable[[Part], Iterable[Any]], parts: Sequence[Part], copies: int) -> Iterator[Any]:
    """What `do` gives for every part, in order."""
    made: list[tuple[int, BinaryIO]] = []
    try:
        for place in range(copies):
            made.append(_copy(do, parts[place::copies]))
        for place in range(len(parts)):
            file = made[place % copies][1]
            while (sign := file.read(1)) == _MORE:
                yield pickle.load(file)
            if sign != _DONE:
                raise GivenUp
    finally:
        for number, file in made:
            file.close()
            os.kill(number, SIGKILL)
            os.waitpid(number, 0)


def _copy(do: Callable[[Part], Iterable[Any]], parts: Sequence[Part]) -> tuple[int, BinaryIO]:
    """A copy of this process that works through some parts, and what it writes."""
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Threads of this process (a clock on the screen, a pool that waits) are not in the copy, which needs none of them.
        warnings.simplefilter("ignore", DeprecationWarning)
        number = os.fork()
    if number:
        os.close(writing)
        return number, os.fdopen(reading, "rb", 1 << 20)
    # From here on this is the copy: it must not go on with the work of the whole.
    try:
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
