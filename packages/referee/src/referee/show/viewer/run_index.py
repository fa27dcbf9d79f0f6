"""An index of the items of a run, on disk, extended while the run grows.

A run of a million items is never held in memory: a temporary SQLite file has the byte offsets of trials, outputs and
answers.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from referee.show.viewer.run_files import RunFiles

Place = tuple[str, int]
"""A file and the byte at which a line begins."""
BATCH = 500
TABLES = """
PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32000;
CREATE TABLE trials (n INTEGER PRIMARY KEY, id TEXT, byte INTEGER, domain TEXT, condition TEXT, words TEXT);
CREATE INDEX trials_by_id ON trials (id);
CREATE TABLE lines (trial TEXT, kind TEXT, system TEXT, file TEXT, byte INTEGER, words TEXT);
CREATE INDEX lines_by_trial ON lines (trial);
"""


SAID = "EXISTS (SELECT 1 FROM lines WHERE lines.trial = trials.id AND instr(lines.words, ?) > 0)"


class RunIndex:
    """The index; `read_on` reads new lines, other methods query the lines read so far."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="referee-view-", ignore_cleanup_errors=True)
        self._lock = threading.RLock()
        self._database = sqlite3.connect(Path(self._folder.name) / "index.sqlite", check_same_thread=False)
        self._database.executescript(TABLES)
        self._reached: dict[Path, int] = {}
        self.trials = 0
        self.systems: dict[str, None] = {}

    def close(self) -> None:
        """Close the database and delete its folder."""
        with self._lock:
            self._database.close()
            self._folder.cleanup()

    def read_on(self, files: RunFiles, stopped: Callable[[], bool]) -> None:
        """Read all new lines, a batch of every file in turn, so that the first items are complete soon."""
        sources = [(files.trials, self._add_trial), *((p, self._add_output) for p in files.outputs)]
        sources.append((files.responses, self._add_response))
        readers = [self._read_batches(p, add, files.counted_first and p in files.outputs) for p, add in sources]
        while readers and not stopped():
            readers = [reader for reader in readers if next(reader, None) is not None]
            # Requests for a page go first.
            time.sleep(0.001)

    def _read_batches(
        self, path: Path, add: Callable[[Path, int, dict[str, Any]], None], counted: bool
    ) -> Iterator[int]:
        """Yield the number of lines of each batch of a file."""
        if not path.is_file():
            return
        with path.open("rb") as file:
            file.seek(self._reached.get(path, 0))
            while True:
                taken = self._read_batch(file, path, add, counted)
                if not taken:
                    return
                yield taken

    def _read_batch(
        self, file: Any, path: Path, add: Callable[[Path, int, dict[str, Any]], None], counted: bool
    ) -> int:
        """Read one batch of complete lines; return its size."""
        with self._lock:
            for taken in range(BATCH):
                byte = file.tell()
                line = file.readline()
                # A line that is still being written has no end yet.
                if not line.endswith(b"\n"):
                    return taken
                self._reached[path] = byte + len(line)
                if counted and byte == 0:
                    continue
                if isinstance(data := _parse_line(line), dict):
                    add(path, byte, data)
        return BATCH

    def _add_trial(self, path: Path, byte: int, data: dict[str, Any]) -> None:
        """Index a trial."""
        references = [
            f"{r.get('text') or ''} {_format_pairs(r)}" for r in data.get("references") or () if isinstance(r, dict)
        ]
        labels = [data.get("domain"), data.get("condition"), data.get("speaker")]
        words = "\n".join(map(str, [data.get("id"), *(x for x in labels if x), *references])).lower()
        row = (data.get("id"), byte, data.get("domain"), data.get("condition"), words)
        self._database.execute("INSERT INTO trials (id, byte, domain, condition, words) VALUES (?, ?, ?, ?, ?)", row)
        self.trials += 1

    def _add_output(self, path: Path, byte: int, data: dict[str, Any]) -> None:
        """Index an output."""
        system = str(data.get("system", "outputs"))
        self.systems[system] = None
        row = (
            data.get("trial"),
            "output",
            system,
            str(path),
            byte,
            f"{data.get('text') or ''}\n{_format_pairs(data)}".lower(),
        )
        self._database.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?)", row)

    def _add_response(self, path: Path, byte: int, data: dict[str, Any]) -> None:
        row = (data.get("trial"), "response", "", str(path), byte, "")
        self._database.execute("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?)", row)

    def levels(self, name: str) -> list[str]:
        """Return the domains or conditions read so far."""
        assert name in ("domain", "condition")
        with self._lock:
            rows = self._database.execute(
                f"SELECT DISTINCT {name} FROM trials WHERE {name} IS NOT NULL ORDER BY 1 LIMIT 200"
            )
            return [level for (level,) in rows]

    def fitting(
        self, words: Sequence[str], domain: str, condition: str, limit: int | None = None, offset: int = 0
    ) -> list[str]:
        """Return ids of trials whose labels, references or outputs contain the words."""
        where, values = _build_condition(words, domain, condition)
        values += [-1 if limit is None else limit, offset]
        with self._lock:
            return [
                i
                for (i,) in self._database.execute(f"SELECT id FROM trials{where} ORDER BY n LIMIT ? OFFSET ?", values)
            ]

    def count(self, words: Sequence[str], domain: str, condition: str) -> int:
        """Return the number of trials that match a search."""
        where, values = _build_condition(words, domain, condition)
        with self._lock:
            if not where:
                return self.trials
            return int(self._database.execute(f"SELECT count(*) FROM trials{where}", values).fetchone()[0])

    def places(self, trial: str) -> tuple[int | None, list[tuple[str, str, Place]]]:
        """Return the byte offset of a trial, and (kind, system, location) of its outputs and responses."""
        with self._lock:
            start = self._database.execute("SELECT byte FROM trials WHERE id = ?", (trial,)).fetchone()
            rows = self._database.execute(
                "SELECT kind, system, file, byte FROM lines WHERE trial = ?", (trial,)
            ).fetchall()
        return (None if start is None else start[0]), [
            (kind, system, (file, byte)) for kind, system, file, byte in rows
        ]


def _build_condition(words: Sequence[str], domain: str, condition: str) -> tuple[str, list[Any]]:
    """Return the SQL condition of a search with its values."""
    parts = [f"(instr(words, ?) > 0 OR {SAID})" for _ in words]
    values: list[Any] = [w.lower() for w in words for _ in range(2)]
    for name, value in (("domain", domain), ("condition", condition)):
        if value:
            parts.append(f"{name} = ?")
            values.append(value)
    return (f" WHERE {' AND '.join(parts)}" if parts else ""), values


def _parse_line(line: bytes) -> Any:
    """Return a line as parsed JSON; None if it does not parse."""
    try:
        return json.loads(line)
    except ValueError:
        # Scoring reports such lines; a page shows the readable ones.
        return None


def _format_pairs(reference: dict[str, Any]) -> str:
    return " ".join(":".join(map(str, p)) for p in reference.get("properties") or () if isinstance(p, list))
