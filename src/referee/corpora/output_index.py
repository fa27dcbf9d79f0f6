"""Where in a large file of outputs each answer stands: twenty bytes are kept of an answer, and it is read when its trial comes by.

An index knows answers by the hash of their trial's id, and whoever reads one looks whether it is the right one: two ids with one hash look like a trial that is
answered twice. Whatever is not plain is ValueError, as everywhere where large files are read (`referee.corpora.passing_lines`).
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from msgspec.json import Decoder

from referee.corpora.passing_lines import pages_between
from referee.corpora.plain_lines import NotPlain, OutputLines, decoded_page, line_ends
from referee.records import Description

__all__ = ["IndexPart", "OutputIndex", "index_part"]

IntArray = npt.NDArray[np.int64]
ShortArray = npt.NDArray[np.int32]
# Of a larger file what was read is let go; it stays with the system, but is no memory of ours.
IN_MEMORY = 1 << 28


class _NamedAnswer(Struct, gc=False):
    trial: str
    system: str | None = None


class IndexPart(NamedTuple):
    """Some lines of a file of outputs: the hash of the trial, where the line begins, how long it is, and whose."""

    trials: IntArray
    starts: IntArray
    lengths: ShortArray
    owners: ShortArray
    systems: tuple[str, ...]


def hashes_of(names: Iterable[str], number: int) -> IntArray:
    """Numbers that stand for names, in this process and its copies alone."""
    return np.fromiter(map(hash, names), np.int64, number)


def index_part(path: Path, own: str, start: int, end: int) -> Iterator[IndexPart]:
    """A part of a file, a page at a time; `own` is the system of lines that name none."""
    decoder = Decoder(_NamedAnswer)
    for page in pages_between(path, start, end):
        rows = decoded_page(decoder, page)
        edges = start + np.append(0, line_ends(page) + 1)
        numbers: dict[str, int] = {}
        owners = [numbers.setdefault(row.system or own, len(numbers)) for row in rows]
        trials = hashes_of((row.trial for row in rows), len(rows))
        lengths = np.diff(edges).astype(np.int32)
        yield IndexPart(trials, edges[:-1], lengths, np.array(owners, np.int32), tuple(numbers))
        start = int(edges[-1])


@dataclass(frozen=True, slots=True)
class _Answered:
    """The answers of one system, sorted by the hash of their trial."""

    trials: IntArray
    starts: IntArray
    lengths: ShortArray

    @classmethod
    def of(cls, columns: tuple[list[IntArray], list[IntArray], list[ShortArray]]) -> _Answered:
        """From the parts of each column, which are let go on the way: they are as large as all that is kept."""
        trials = _joined(columns[0])
        order = np.argsort(trials)
        trials = trials[order]
        if (trials[1:] == trials[:-1]).any():
            raise NotPlain("a trial is answered twice")
        return cls(trials, _joined(columns[1])[order], _joined(columns[2])[order])

    def find(self, trials: IntArray) -> IntArray:
        """At which place the answer to each trial stands."""
        # Asked in their order, neighbours are found near each other: a quarter of the time where there are millions.
        order = np.argsort(trials)
        places = np.empty_like(order)
        places[order] = np.minimum(np.searchsorted(self.trials, trials[order]), len(self.trials) - 1)
        if not (self.trials[places] == trials).all():
            raise NotPlain("a trial is not answered")
        return places


def _joined(parts: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    joined = np.concatenate(parts)
    parts.clear()
    return joined


class OutputIndex:
    """The answers of all systems in one file."""

    def __init__(self, path: Path, own: str, parts: Iterable[IndexPart]) -> None:
        with path.open("rb") as file:
            self._content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        columns: dict[str, tuple[list[IntArray], list[IntArray], list[ShortArray]]] = {}
        for part in parts:
            for number, system in enumerate(part.systems):
                mine = slice(None) if len(part.systems) == 1 else part.owners == number
                trials, starts, lengths = columns.setdefault(system, ([], [], []))
                trials.append(part.trials[mine])
                starts.append(part.starts[mine])
                lengths.append(part.lengths[mine])
        self._answered = {system: _Answered.of(found) for system, found in columns.items()}
        self._lines = OutputLines(own, str(path))

    @property
    def systems(self) -> list[str]:
        """In the order in which they come in the file."""
        return list(self._answered)

    def number(self, system: str) -> int:
        """How many trials a system answers."""
        return len(self._answered[system].trials)

    def places(self, system: str, ids: Sequence[str]) -> IntArray:
        """Numbers of a system's answers to some trials, each of which it answers: no two answers have one number, and none is too large."""
        return self._answered[system].find(hashes_of(ids, len(ids)))

    def said(self, system: str, ids: Sequence[str], places: IntArray) -> list[Description]:
        """What a system says of some trials."""
        answered = self._answered[system]
        starts = answered.starts[places]
        ends = starts + answered.lengths[places]
        # Answers that stand one after the other are taken in one piece.
        breaks = np.flatnonzero(starts[1:] != ends[:-1])
        begin, stop = np.append(0, breaks + 1), np.append(breaks, len(starts) - 1)
        pieces = zip(starts[begin].tolist(), ends[stop].tolist(), strict=True)
        page = b"".join([self._between(a, b) for a, b in pieces])
        if len(self._content) > IN_MEMORY:
            self._content.madvise(mmap.MADV_DONTNEED)
        trials, systems, said = self._lines.columns(page)
        if trials != list(ids) or systems != {system}:
            raise NotPlain("two names look alike")
        return said

    def _between(self, start: int, end: int) -> bytes:
        # The last line of a file may lack its end.
        return self._content[start:end] + b"\n" * (end > len(self._content))
