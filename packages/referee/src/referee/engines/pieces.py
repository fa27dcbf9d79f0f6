"""Work cut into pieces: what a job hands to an engine, and what it gets back.

An engine decides where a piece is worked on and nothing else. A task draws no lots but by seed and item, so neither the number of workers nor the size of the
pieces nor a break changes what comes out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

__all__ = [
    "Done",
    "Engine",
    "Failed",
    "Needs",
    "ReadsFiles",
    "Say",
    "Task",
    "WorkPiece",
    "carried",
    "cut",
    "files_of",
    "to_stderr",
]

Say = Callable[[str], None]  # told of what happens on the way: a worker that died, a cluster that is ready


@dataclass(frozen=True, slots=True)
class Needs:
    """What a worker must have: processors, and graphics cards for those that load a model."""

    cpus: float = 1
    gpus: float = 0


@dataclass(frozen=True, slots=True)
class WorkPiece:
    """Some items of one group. A worker that is prepared for a group (has trained its system) gets the group's next piece."""

    group: str
    items: tuple[Any, ...]

    def halves(self) -> tuple[WorkPiece, WorkPiece]:
        middle = len(self.items) // 2
        return WorkPiece(self.group, self.items[:middle]), WorkPiece(self.group, self.items[middle:])

    def __str__(self) -> str:
        first, last = self.items[0], self.items[-1]
        return f"{self.group}, item {first}" if first == last else f"{self.group}, items {first} to {last}"


@runtime_checkable
class ReadsFiles(Protocol):
    """An item that is read from files by whoever works on it."""

    @property
    def files(self) -> Iterable[str]:
        """Their paths or addresses."""
        ...

    def carried(self) -> Any:
        """The same item with what it reads there, for a machine that does not see them."""
        ...


def files_of(piece: WorkPiece) -> set[str]:
    """The files that the items of a piece are read from."""
    return {path for item in piece.items if isinstance(item, ReadsFiles) for path in item.files}


def carried(piece: WorkPiece) -> WorkPiece:
    """A piece that can be worked on without seeing any file."""
    items = (item.carried() if isinstance(item, ReadsFiles) else item for item in piece.items)
    return WorkPiece(piece.group, tuple(items))


class Task(Protocol):
    """What is done with a piece. It travels to other processes and machines, so it is small and can be pickled."""

    @property
    def inputs(self) -> Mapping[str, Path]:
        """Files that every worker reads, by name: an engine brings them to machines that do not see them."""
        ...

    @property
    def needs(self) -> Needs:
        """What a worker must have."""
        ...

    def begin(self, inputs: Mapping[str, Path]) -> Any:
        """Whatever is prepared once in a worker: corpora read, models loaded."""
        ...

    def do(self, begun: Any, piece: WorkPiece) -> Any:
        """The result of a piece, the same wherever and whenever it is made."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """A piece and its result."""

    piece: WorkPiece
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """A single item that ended its worker whenever it was tried, and how."""

    piece: WorkPiece
    why: str


class Engine(Protocol):
    """Works through pieces in any order."""

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        """Results as they come. A fault that the task raises ends the work; a worker that dies does not."""
        ...


def to_stderr(line: str) -> None:
    """A line for whoever sits in front of the screen."""
    print(f"referee: {line}", file=sys.stderr)


def cut(group: str, items: Sequence[Any], shard: int) -> list[WorkPiece]:
    """A group's items as pieces of at most `shard`.

    >>> [len(piece.items) for piece in cut("a", ["1", "2", "3"], 2)]
    [2, 1]
    """
    return [WorkPiece(group, tuple(items[at : at + shard])) for at in range(0, len(items), shard)]
