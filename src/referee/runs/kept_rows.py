"""Statistics of all trials, by system and metric: in memory, or where they are many in a file, from which those of one metric are taken at a time."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from tempfile import TemporaryFile
from weakref import finalize

import numpy as np

from referee.contracts import FloatArray

__all__ = ["KeptRows"]

Key = tuple[str, str]
# So many numbers of eight bytes are kept in memory.
IN_MEMORY = 30_000_000


class KeptRows(Mapping[Key, FloatArray]):
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

    def __getitem__(self, key: Key) -> FloatArray:
        if self._arrays:
            return self._arrays[key]
        found = np.empty((self._trials, self._widths[key]))
        rest, place = memoryview(found.data).cast("B"), self._starts[key]
        while rest:
            # By place and not by a pointer, which copies of this process would share.
            done = os.preadv(self._file.fileno(), [rest], place)
            if not done:
                raise EOFError(f"the rows of {key} are not all there")
            rest, place = rest[done:], place + done
        return found

    def __iter__(self) -> Iterator[Key]:
        return iter(self._widths)

    def __len__(self) -> int:
        return len(self._widths)
