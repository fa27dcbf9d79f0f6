"""Write a scored run folder: everything needed to read, check and repeat a table of scores."""

from __future__ import annotations

import datetime
import platform
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from referee.corpora.jsonl import write_json_line
from referee.files import write_atomically
from referee.jobs.folder import Run, is_run, write_manifest, write_outputs, write_trials, writing_run
from referee.jobs.open import Answers, Opened
from referee.jobs.score import ScoreTable
from referee.records import Description, Response
from referee.signature import digest


def save_scored(
    out: Path,
    answers: Answers,
    opened: Opened,
    table: ScoreTable,
    rows: list[dict[str, Any]],
    command: list[str],
    overwrite: bool = False,
) -> None:
    """Write the whole run folder, or nothing."""
    import polars as pl

    with writing_run(out, overwrite) as folder:
        write_trials(folder, opened.trials())
        write_outputs(folder, _iterate_outputs(answers))
        heard = _copy_hearing(opened, folder)
        write_atomically(folder / "scores.jsonl", map(write_json_line, rows))
        write_atomically(folder / "comparisons.jsonl", map(write_json_line, table.comparisons()))
        # The schema is given, since nothing can be inferred where nothing was measured.
        pl.DataFrame(table.items(), schema={"system": str, "trial": str, "metric": str, "value": float}).write_parquet(
            folder / "items.parquet"
        )
        write_manifest(
            folder,
            kind="scores",
            created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            command=["referee", *command],
            corpus={
                "name": opened.name,
                **opened.parameters,
                "trials": len(table.trials),
                "checksum": digest((folder / "trials.jsonl").read_text("utf-8")),
            },
            systems=table.systems,
            clusters=dict(zip(table.clusters.names, table.clusters.sizes(), strict=True)),
            settings=asdict(table.settings),
            signatures={name: table.signature(name) for name in table.settings.metrics},
            counts=table.counts,
            **heard,
            versions={
                "python": platform.python_version(),
                # The versions that numbers may depend on.
                **{p: version(p) for p in ("numpy", "scipy", "polars", "rapidfuzz")},
            },
        )


def _iterate_outputs(answers: Answers) -> Iterator[tuple[str, str, Description, Response | None]]:
    """Yield all outputs as (trial, system, description, response)."""
    for system, outputs in answers.by_system.items():
        for trial, output in outputs.items():
            yield trial, system, output.description, output.response


def _copy_hearing(opened: Opened, folder: Path) -> dict[str, Any]:
    """Copy hearers' answers, signatures and passports from a run that is scored again."""
    source = Path(str(opened.parameters.get("run", "")))
    # Bound methods of one run are equal; a part of it is a function of its own, and its answers would be about other
    # trials, too.
    if not is_run(source) or opened.trials != opened.everyone:
        return {}
    if (source / "responses.jsonl").is_file():
        shutil.copyfile(source / "responses.jsonl", folder / "responses.jsonl")
    if (source / "passports").is_dir():
        shutil.copytree(source / "passports", folder / "passports")
    manifest = Run(source).manifest
    return {key: manifest[key] for key in ("hearers", "people") if key in manifest}
