"""The measures of a score as work for an engine: an item is a chunk of trials with what every system said of them.

Chunks wait as files until all are read; what comes back is one row of additive statistics an item and metric, as it would be made here.
"""

from __future__ import annotations

import json
import pickle
from base64 import b64decode, b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from referee.contracts import Batch, FloatArray
from referee.engines.kept import KeptWork, as_lines
from referee.engines.packed import pickled
from referee.engines.pieces import Engine, Needs, WorkPiece
from referee.errors import InputError
from referee.runs.score import Measured, measure

__all__ = ["MeasuredElsewhere"]

Metrics = Mapping[tuple[str, str], Any]


@dataclass(frozen=True, slots=True)
class _Measuring:
    metrics: Metrics
    inputs: Mapping[str, Path]

    @property
    def needs(self) -> Needs:
        return Needs()

    def begin(self, inputs: Mapping[str, Path]) -> dict[str, bytes]:
        # Read now: on another machine the files are gone when this is done.
        return {name: path.read_bytes() for name, path in inputs.items()} if _is_elsewhere(inputs, self.inputs) else {}

    def do(self, begun: dict[str, bytes], piece: WorkPiece) -> bytes:
        return as_lines([self._line(begun.get(item) or self.inputs[item].read_bytes()) for item in piece.items])

    def _line(self, content: bytes) -> str:
        failed: dict[str, str] = {}
        batches: dict[str, Batch] = pickle.loads(content)
        rows = measure(self.metrics, batches, failed)
        written = {"\t".join(key): [*found.shape, b64encode(found.tobytes()).decode()] for key, found in rows.items()}
        return json.dumps({"rows": written, "failed": failed})


def _is_elsewhere(inputs: Mapping[str, Path], ours: Mapping[str, Path]) -> bool:
    return any(path != ours[name] for name, path in inputs.items())


@dataclass(slots=True)
class MeasuredElsewhere:
    """Chunks that are measured where the engine likes; `folder` is a place for them until then."""

    metrics: Metrics
    engine: Engine
    folder: Path
    files: dict[str, Path] = field(default_factory=dict)

    def add(self, batches: Mapping[str, Batch]) -> None:
        name = f"{len(self.files):08}"
        self.files[name] = self.folder / name
        # Trials and references are the same objects for all systems, and are written once.
        self.files[name].write_bytes(pickled(dict(batches)))

    def finish(self) -> Measured:
        work = KeptWork(None)
        work.do(self.engine, _Measuring(self.metrics, self.files), {"measures": list(self.files)}, 1)
        if work.failures:
            raise InputError(
                f"a part could not be measured: {next(iter(work.failures.values()))}",
                remedy="try a smaller --shard or fewer --jobs",
            )
        found = Measured(self.metrics)
        for name in self.files:
            line = json.loads(work.lines[name])
            found.failed = line["failed"] | found.failed
            for key, (n, width, rows) in line["rows"].items():
                system, metric = key.split("\t")
                numbers: FloatArray = np.frombuffer(b64decode(rows)).reshape(n, width)
                found.parts[system, metric].append(numbers)
        return found
