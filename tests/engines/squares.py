"""A task that a test can watch: each item is a number, and its result the square; some items are deadly or faulty."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from referee.engines.pieces import Needs, WorkPiece


@dataclass(frozen=True)
class Squares:
    offset: Path
    diary: Path | None = None
    deadly: frozenset[str] = frozenset()
    once: Path | None = None  # while this file is there, the first worker to see it removes it and dies
    faulty: str = ""
    hungry: str = ""  # this item needs more memory than there is
    needs: Needs = field(default_factory=Needs)

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {"offset": self.offset}

    def begin(self, inputs: Mapping[str, Path]) -> int:
        return int(inputs["offset"].read_text())

    def do(self, begun: int, piece: WorkPiece) -> bytes:
        for item in piece.items:
            if self.diary is not None:
                with self.diary.open("a") as file:
                    file.write(f"{os.getpid()} {item}\n")
            if item in self.deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            if item == self.hungry:
                raise MemoryError
            if item == self.faulty:
                raise ValueError(f"cannot square {item}")
            if self.once is not None and self.once.exists():
                self.once.unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return "".join(f"{int(item) ** 2 + begun}\n" for item in piece.items).encode()
