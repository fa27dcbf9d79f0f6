"""Work divided into pieces: the input of an engine, and its results.

An engine decides only where a piece is done. A task's randomness depends only on seed and item, so results do not
depend on the number of workers, the size of pieces, or interruptions.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import FunctionType, MappingProxyType
from typing import Any, Protocol, runtime_checkable

Say = Callable[[str], None]  # gets notes about the work: a worker that died, a cluster that is ready


@dataclass(frozen=True, slots=True)
class Needs:
    """The processors and graphics cards that a worker needs."""

    cpus: float = 1
    gpus: float = 0


@dataclass(frozen=True, slots=True)
class WorkPiece:
    """Some items of one group; a worker that is prepared for a group gets the group's next piece."""

    group: str
    items: tuple[Any, ...]

    def split_in_halves(self) -> tuple[WorkPiece, WorkPiece]:
        middle = len(self.items) // 2
        return WorkPiece(self.group, self.items[:middle]), WorkPiece(self.group, self.items[middle:])

    def __str__(self) -> str:
        first, last = self.items[0], self.items[-1]
        return f"{self.group}, item {first}" if first == last else f"{self.group}, items {first} to {last}"


@runtime_checkable
class ReadsFiles(Protocol):
    """An item that a worker reads from files."""

    @property
    def files(self) -> Iterable[str]:
        """Their paths or addresses."""
        ...

    def carried(self) -> Any:
        """Return the same work with the content of its files, for a machine that cannot read them."""
        ...


def list_files(piece: WorkPiece) -> set[str]:
    """Return the files that the items of a piece are read from."""
    return {path for item in piece.items if isinstance(item, ReadsFiles) for path in item.files}


def carry_piece(piece: WorkPiece) -> WorkPiece:
    """Return the same work with the content of its files, for a machine that cannot read them."""
    items = (item.carried() if isinstance(item, ReadsFiles) else item for item in piece.items)
    return WorkPiece(piece.group, tuple(items))


class Task(Protocol):
    """The function applied to pieces; it is pickled for other processes and machines, so it must be small."""

    @property
    def inputs(self) -> Mapping[str, Path]:
        """Return files that every worker reads, by name.

        An engine sends them to machines that cannot read them.
        """
        ...

    @property
    def needs(self) -> Needs:
        """Return the resources of a worker."""
        ...

    def begin(self, inputs: Mapping[str, Path]) -> Any:
        """Prepare a worker once: read corpora, load models."""
        ...

    def do(self, begun: Any, piece: WorkPiece) -> Any:
        """Return the result of a piece; it must not depend on where and when it is made."""
        ...


@dataclass(frozen=True, slots=True)
class Done:
    """A piece and its result."""

    piece: WorkPiece
    result: Any


@dataclass(frozen=True, slots=True)
class Failed:
    """An item that ended its worker at every attempt, and how."""

    piece: WorkPiece
    why: str


class Engine(Protocol):
    """Works through pieces in any order."""

    def work(self, task: Task, pieces: Iterable[WorkPiece]) -> Iterator[Done | Failed]:
        """Yield results as they arrive. An exception of the task ends the work; a worker that dies does not."""
        ...


def print_to_stderr(line: str) -> None:
    """Print a line to standard error."""
    print(f"referee: {line}", file=sys.stderr)


def cut_group(group: str, items: Sequence[Any], shard: int) -> list[WorkPiece]:
    """Return a group's items as pieces of at most `shard`.

    >>> [len(piece.items) for piece in cut_group("a", ["1", "2", "3"], 2)]
    [2, 1]
    """
    return [WorkPiece(group, tuple(items[at : at + shard])) for at in range(0, len(items), shard)]


# -- as bytes for other processes ------------------------------------------------------------------------------------------


class DefinedInScript(Exception):
    """An object is defined in the running script or notebook, which no other process can import."""


def _read_only(items: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    return MappingProxyType(items)


class _Pickler(pickle.Pickler):
    """A pickler that also handles read-only mappings, which records hold."""

    def reducer_override(self, thing: Any) -> Any:
        """Return a reduction for read-only mappings. Raises DefinedInScript for objects of the running script."""
        if isinstance(thing, MappingProxyType):
            return (_read_only, (dict(thing),))
        # By name: the other process would have to run the script again to find it.
        if isinstance(thing, (type, FunctionType)) and thing.__module__ == "__main__":
            raise DefinedInScript(thing.__qualname__)
        return NotImplemented


def pickle_object(thing: object) -> bytes:
    """Return an object as bytes for another process.

    Raises:
        DefinedInScript: where a class or function of the running script is in it.
    """
    file = BytesIO()
    _Pickler(file, pickle.HIGHEST_PROTOCOL).dump(thing)
    return file.getvalue()
