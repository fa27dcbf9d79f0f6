"""Work with one line of JSON as the result of each item.

Finished lines are stored, so that work can resume.

The folder is named by a `digest` of all settings that affect results, so other settings use another one. The size of
pieces may change between runs, because lines are stored by item.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from referee.engines.pieces import Done, Engine, Task, WorkPiece, cut_group
from referee.files import make_folder, write_bytes
from referee.signature import digest


def format_lines(lines: Sequence[str]) -> bytes:
    """Return the result of a piece: a line of JSON for every item, in order.

    >>> format_lines(["1", "2"])
    b'1\\n2\\n'
    """
    return "".join(f"{line}\n" for line in lines).encode()


@dataclass(slots=True)
class StoredWork:
    """Finished lines by item, and items that failed with the reason.

    With `folder` None, no lines are stored.
    """

    folder: Path | None
    lines: dict[str, str] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)

    def do(
        self,
        engine: Engine,
        task: Task,
        groups: Mapping[str, Sequence[str]],
        shard: int,
        advance: Callable[[Sequence[str]], None] = lambda items: None,
    ) -> None:
        """Do everything that is not finished.

        `groups` are the items of each group, and `advance` gets finished items.
        """
        for items_done, lines in self._iterate_stored_lines():
            self._add_chunk(items_done, lines)
        if self.lines:
            advance([item for items in groups.values() for item in items if item in self.lines])
        left = {name: [i for i in items if i not in self.lines] for name, items in groups.items()}
        for outcome in engine.work(task, [p for name, items in left.items() for p in cut_group(name, items, shard)]):
            piece = outcome.piece
            if isinstance(outcome, Done):
                self._store_piece(piece, outcome.result)
                self._add_chunk(piece.items, outcome.result)
            else:
                self.failures |= dict.fromkeys(piece.items, outcome.why)
            advance(piece.items)

    def forget(self) -> None:
        """Remove the stored lines after their result is written elsewhere."""
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _add_chunk(self, items: Sequence[str], result: bytes) -> None:
        """Add the lines of a finished chunk to the stored ones, by item."""
        # Not `splitlines`, which also cuts at separators that a text may hold.
        lines = result.decode().split("\n")[:-1]
        self.lines |= dict(zip(items, lines, strict=True))

    def _store_piece(self, piece: WorkPiece, result: bytes) -> None:
        """Store the lines of a finished piece."""
        if self.folder is None:
            return
        make_folder(self.folder)
        head = json.dumps(piece.items, ensure_ascii=False, separators=(",", ":")).encode()
        # By content: the same piece is the same file.
        write_bytes(self.folder / f"{digest(head.decode())[:24]}.jsonl", [head, b"\n", result])

    def _iterate_stored_lines(self) -> Iterator[tuple[list[str], bytes]]:
        """Yield the items and lines of stored pieces."""
        for path in sorted(self.folder.glob("*.jsonl")) if self.folder is not None else ():
            head, _, result = path.read_bytes().partition(b"\n")
            yield json.loads(head), result
