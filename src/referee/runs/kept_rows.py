"""Statistics of all trials, by system and metric: in memory, or where they are many in a file, from which those of one metric are taken at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Any
from weakref import finalize

import numpy as np
import numpy.typing as npt

from referee.contracts import FloatArray

__all__ = ["KeptRows"]

Key = tuple[str, str]
# So many numbers of eight bytes are kept in memory.
IN_MEMORY = 30_000_000
# Trials of which some are marked are read so many at a time.
AT_ONCE = 1 << 16


@dataclass(frozen=True, slots=True)
class RowsInFile:
    """Rows of numbers one after the other in an open file, from some byte on; whoever has them has the `table` they are of, with which its file is closed."""

    table: KeptRows
    file: int
    start: int
    shape: tuple[int, int]

    def __getitem__(self, some: slice | npt.NDArray[np.bool_]) -> FloatArray:
        """Those from one trial to another, or those of the trials that are marked."""
        if isinstance(some, slice):
            first, last, _ = some.indices(self.shape[0])
            return self._read(first, last)
        places = range(0, self.shape[0], AT_ONCE)
        return np.concatenate([self[place : place + AT_ONCE][some[place : place + AT_ONCE]] for place in places])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> FloatArray:
        return self._read(0, self.shape[0]).astype(dtype or float, copy=False)

    def __len__(self) -> int:
        return self.shape[0]

    def _read(self, first: int, last: int) -> FloatArray:
        found = np.empty((last - first, self.shape[1]))
        rest, place = memoryview(found.data).cast("B"), self.start + 8 * self.shape[1] * first
        while rest:
            # By place and not by a pointer, which copies of this process would share.
            done = os.preadv(self.file, [rest], place)
            if not done:
                raise EOFError("not all rows are there")
            rest, place = rest[done:], place + done
        return found


class KeptRows(Mapping[Key, Any]):
    """A table of known size: how many numbers each metric has for a trial (`widths`), and how many trials there are.

    >>> rows = KeptRows({("mine", "set/dice"): 1}, trials=3)
    >>> rows.fill(("mine", "set/dice"), 1, np.array([[0.5], [1.0]]))
    >>> rows["mine", "set/dice"][1:].tolist()
    [[0.5], [1.0]]
    """

    def __init__(self, widths: Mapping[Key, int], trials: int) -> None:
        self._widths, self._trials = dict(widths), trials
        self._arrays: dict[Key, FloatArray] = {}
        self._starts: dict[Key, int] = {}
        if trials * sum(widths.values()) <= IN_MEMORY:
            self._arrays = {key: np.empty((trials, width)) for key, width in widths.items()}
            return
        # Without a name: it is gone with the process.
        self._file = TemporaryFile(prefix="referee-", buffering=0)  # noqa: SIM115 (it lives as long as the table)
        finalize(self, self._file.close)
        end = 0
        for key, width in widths.items():
            self._starts[key] = end
            end += 8 * width * trials

    def fill(self, key: Key, first: int, rows: FloatArray) -> None:
        """Rows of one metric, from the trial with this number on."""
        if self._arrays:
            self._arrays[key][first : first + len(rows)] = rows
            return
        rest = memoryview(np.ascontiguousarray(rows, dtype=float).tobytes())
        place = self._starts[key] + 8 * self._widths[key] * first
        while rest:
            done = os.pwrite(self._file.fileno(), rest, place)
            rest, place = rest[done:], place + done

    def __getitem__(self, key: Key) -> Any:
        """The rows of a metric: an array, or what reads them when it is asked for some."""
        if self._arrays:
            return self._arrays[key]
        return RowsInFile(self, self._file.fileno(), self._starts[key], (self._trials, self._widths[key]))

    def __iter__(self) -> Iterator[Key]:
        return iter(self._widths)

    def __len__(self) -> int:
        return len(self._widths)
