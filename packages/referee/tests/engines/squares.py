"""A task that a test can watch: each item is a number, and its result the square; some items are deadly or faulty."""

from __future__ import annotations

import contextlib
import os
import signal
import time
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
    node: bool = False  # the diary tells the parent of the process, which is its node on Ray
    pause: float = 0.0
    loads: Path | None = None  # told of every worker that begins, and of the graphics cards that it sees
    needs: Needs = field(default_factory=Needs)

    @property
    def inputs(self) -> Mapping[str, Path]:
        return {"offset": self.offset}

    def begin(self, inputs: Mapping[str, Path]) -> int:
        if self.loads is not None:
            with self.loads.open("a") as file:
                file.write(f"{os.getpid()} {os.environ.get('CUDA_VISIBLE_DEVICES', '')}\n")
        return int(inputs["offset"].read_text())

    def do(self, begun: int, piece: WorkPiece) -> bytes:
        for item in piece.items:
            if self.diary is not None:
                with self.diary.open("a") as file:
                    file.write(f"{os.getppid() if self.node else os.getpid()} {item}\n")
            time.sleep(self.pause)
            if item in self.deadly:
                os.kill(os.getpid(), signal.SIGKILL)
            if item == self.hungry:
                raise MemoryError
            if item == self.faulty:
                raise ValueError(f"cannot square {item}")
            if self.once is not None:
                with contextlib.suppress(FileNotFoundError):
                    self.once.unlink()  # only one of them can
                    os.kill(os.getpid(), signal.SIGKILL)
        return "".join(f"{int(item) ** 2 + begun}\n" for item in piece.items).encode()
