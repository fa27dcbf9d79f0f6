"""Calls of plain functions as work for an engine: what each gives back."""

from __future__ import annotations

import pickle
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.engines.kept import as_lines
from referee.engines.packed import pickled
from referee.engines.pieces import Engine, Failed, Needs, WorkPiece, cut
from referee.errors import InputError

__all__ = ["Call", "call_all", "call_each"]

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
    """What the calls give back, in their order. Functions are found by their names in the other process; what several are given is sent once.

    Raises:
        InputError: where a call ended its process whenever it was tried.
    """
    found = dict(call_each(engine, calls, shard, advance))
    return [found[number] for number in range(len(calls))]


def call_each(
    engine: Engine, calls: Sequence[Call], shard: int = 1, advance: Callable[[int], None] = lambda n: None
) -> Iterator[tuple[int, Any]]:
    """The same as they come, with the number of the call: for results that are added up, and need not all be kept."""
    with TemporaryDirectory(prefix="referee-") as place:
        file = Path(place, CALLS)
        file.write_bytes(pickled(list(calls)))
        for outcome in engine.work(_Calling(file), cut("calls", [str(number) for number in range(len(calls))], shard)):
            if isinstance(outcome, Failed):
                raise InputError(
                    f"part {outcome.piece.items[0]} of the work could not be done: {outcome.why}",
                    remedy="use fewer --jobs",
                )
            for item, line in zip(outcome.piece.items, outcome.result.split(), strict=True):
                yield int(item), pickle.loads(b64decode(line))
            advance(len(outcome.piece.items))
