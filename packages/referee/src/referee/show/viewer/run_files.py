"""The files of a run, finished or not: the run folder, or the hidden folder that `referee run` fills."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from referee.errors import InputError
from referee.jobs.folder import Run, is_run
from referee.jobs.unfinished import CORPUS, PARTS, PLAN, Unfinished


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFiles:
    """The files of a run as it is now; parts of an unfinished run begin with a line of counts."""

    folder: Path
    finished: bool
    trials: Path
    outputs: tuple[Path, ...]
    responses: Path
    items: Path
    counted_first: bool = False

    @property
    def state(self) -> str:
        """A text that changes whenever something is added or replaced."""
        stamps = [(p.name, p.stat().st_size, p.stat().st_mtime_ns) for p in self._list_files() if p.is_file()]
        return json.dumps([str(self.folder), self.finished, stamps])

    def _list_files(self) -> tuple[Path, ...]:
        return (self.trials, *self.outputs, self.responses, self.items, self.folder / "scores.jsonl")

    @property
    def size(self) -> int:
        return sum(p.stat().st_size for p in (self.trials, *self.outputs) if p.is_file())


def find_run(path: Path) -> RunFiles:
    """Return the files of the run of this name; raise InputError if there is none."""
    if is_run(path):
        Run(path).manifest  # noqa: B018 (raises an error for a damaged folder or one of a newer version)
        return RunFiles(
            folder=path,
            finished=True,
            trials=path / "trials.jsonl",
            outputs=(path / "outputs.jsonl",),
            responses=path / "responses.jsonl",
            items=path / "items.parquet",
        )
    hidden = Unfinished(path).folder
    if (hidden / PLAN).is_file():
        return RunFiles(
            folder=hidden,
            finished=False,
            trials=hidden / CORPUS,
            outputs=tuple(sorted((hidden / PARTS).glob("*.jsonl"))),
            responses=hidden / "responses.jsonl",
            items=hidden / "items.parquet",
            counted_first=True,
        )
    raise InputError(
        "there is no run here, finished or under way",
        where=path,
        remedy="make one with `referee run … --out RUN` or `referee score … --out RUN`",
    )
