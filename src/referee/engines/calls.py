"""Calls of plain functions as work for an engine: what each gives back, in their order."""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.engines.kept import KeptWork, as_lines
from referee.engines.packed import pickled
from referee.engines.pieces import Engine, Needs, WorkPiece
from referee.errors import InputError

__all__ = ["Call", "call_all"]

Call = tuple[Callable[..., Any], tuple[Any, ...]]
CALLS = "calls"


@dataclass(frozen=True, slots=True)
class _Calling:
    file: Path

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {CALLS: self.file}

    @property
    def needs(self) -> Needs:
        return Needs()

    def begin(self, inputs: Mapping[str, Path]) -> Sequence[Call]:
        calls: Sequence[Call] = pickle.loads(inputs[CALLS].read_bytes())
        return calls

    def do(self, begun: Sequence[Call], piece: WorkPiece) -> bytes:
        chosen = (begun[int(item)] for item in piece.items)
        return as_lines([b64encode(pickled(function(*given))).decode() for function, given in chosen])


def call_all(
    engine: Engine, calls: Sequence[Call], shard: int = 1, advance: Callable[[int], None] = lambda n: None
) -> list[Any]:
    """What the calls give back. Functions are found by their names in the other process; what several are given is sent once.

    Raises:
        InputError: where a call ended its process whenever it was tried.
    """
    work = KeptWork(None)
    names = [str(number) for number in range(len(calls))]
    with TemporaryDirectory(prefix="referee-") as place:
        file = Path(place, CALLS)
        file.write_bytes(pickled(list(calls)))
        work.do(engine, _Calling(file), {"calls": names}, shard, lambda items: advance(len(items)))
    if work.failures:
        item, why = next(iter(work.failures.items()))
        raise InputError(f"part {item} of the work could not be done: {why}", remedy="use fewer --jobs")
    return [pickle.loads(b64decode(work.lines[name])) for name in names]
