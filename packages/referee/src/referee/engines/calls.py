"""Function calls as work for an engine."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from referee.engines.pieces import Engine, Failed, Needs, WorkPiece, cut_group, pickle_object
from referee.errors import InputError

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

    def do(self, begun: Sequence[Call], piece: WorkPiece) -> list[Any]:
        return [function(*arguments) for function, arguments in (begun[number] for number in piece.items)]


def call_all(
    engine: Engine, calls: Sequence[Call], shard: int = 1, advance: Callable[[int], None] = lambda n: None
) -> list[Any]:
    """Return the results of calls, in order.

    Functions are imported by name in the worker; an argument that several calls share is sent once.

    Raises:
        InputError: where a call ended its process whenever it was tried.
    """
    returned: dict[int, Any] = {}
    with TemporaryDirectory(prefix="referee-") as place:
        file = Path(place, CALLS)
        file.write_bytes(pickle_object(list(calls)))
        for outcome in engine.work(_Calling(file), cut_group("calls", range(len(calls)), shard)):
            if isinstance(outcome, Failed):
                raise InputError(
                    f"the work that begins with item {outcome.piece.items[0]} could not be done: {outcome.why}",
                    remedy="use fewer --jobs",
                )
            returned |= zip(outcome.piece.items, outcome.result, strict=True)
            advance(len(outcome.piece.items))
    return [returned[number] for number in range(len(calls))]
