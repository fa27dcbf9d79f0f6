"""The run folder: manifest, trials, outputs, responses and scores.

Reports, court and statistics read nothing else.

``manifest.json`` (versions, signatures, seeds, corpus checksum, command), ``trials.jsonl``, ``outputs.jsonl``,
``responses.jsonl``, ``scores.jsonl`` (tidy aggregates), ``items.parquet`` (one row per system, item and metric) and
``passports/`` (the cards of simulated hearers). A folder appears complete or not at all: it is written under a
temporary name and renamed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Required, TypedDict

from referee import __version__
from referee.corpora.jsonl import read_responses, read_trials, trials_to_json, write_json_line
from referee.corpora.outputs import Output, output_to_json, read_outputs
from referee.corpora.reading.decoding import Form
from referee.corpora.reading.lines import WrongShape, read_lines
from referee.errors import InputError, MalformedInput
from referee.files import write_atomically, writing_folder
from referee.records import Description, Response, Trial

# Increased when earlier releases cannot read the format; runs with a lower number stay readable.
FORMAT = 1
OCCUPIED = "choose another name, or add --overwrite to replace this run folder"


def is_run(path: str | Path) -> bool:
    """Return whether a path is a run folder."""
    # Every kind of run has a manifest; whether it is readable is checked on reading.
    return (Path(path) / "manifest.json").is_file()


class ScoreRow(TypedDict, total=False):
    """The fields of a score that every reader relies on; a row may have others."""

    system: Required[str]
    metric: Required[str]
    value: Required[float | None]
    n: Required[int]
    group: str | None
    low: float | None
    high: float | None


class PairRow(TypedDict):
    """The comparison of two systems on a measure of whole sets, without correction."""

    metric: str
    system_a: str
    system_b: str
    difference: float
    low: float | None
    high: float | None
    df: float | None
    p: float | None
    n: int


SCORE, PAIR = Form(ScoreRow, "a score"), Form(PairRow, "a comparison")


class Run:
    """A finished run folder; its files are read when their contents are asked for.

    Args:
        folder: its path. Files are read when first needed; an unreadable one raises an `InputError` with its name.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as place:
    ...     write_manifest(Path(place), kind="outputs")
    ...     Run(place).manifest["kind"]
    'outputs'
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest; raises InputError if it is damaged, missing, or of a newer version."""
        path = self.folder / "manifest.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                "this is not a run folder (no manifest.json)"
                if self.folder.is_dir()
                else "there is no such run folder",
                where=self.folder,
                remedy="make one with `referee score … --out RUN`",
            ) from None
        except NotADirectoryError:
            raise InputError(
                "this is a file, not a run folder",
                where=self.folder,
                remedy=f"make a run folder of it: `referee score {self.folder} --corpus CORPUS --out RUN`",
            ) from None
        # Without a traceback: the user needs the file's name and the remedy.
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise MalformedInput(
                f"the manifest is damaged ({error})", where=path, remedy="make the run again"
            ) from None
        if not isinstance(data, dict) or not isinstance(data.get("format"), int):
            raise MalformedInput(
                "the manifest lacks the version of its format", where=path, remedy="make the run again"
            )
        if data["format"] > FORMAT:
            raise InputError(
                f"this run was made by a newer version ({data.get('version')})",
                where=self.folder,
                remedy=f"update referee (this is {__version__})",
            )
        return data

    def trials(self) -> Iterator[Trial]:
        return read_trials(self.folder / "trials.jsonl")

    def outputs(self) -> Iterator[Output]:
        return read_outputs(self.folder / "outputs.jsonl")

    def responses(self) -> Iterator[Response]:
        path = self.folder / "responses.jsonl"
        return read_responses(path) if path.exists() else iter(())

    def scores(self) -> list[dict[str, Any]]:
        """Return the tidy rows of the last scoring; none if the run was not scored."""
        return _read_rows(self.folder / "scores.jsonl", SCORE)

    def comparisons(self) -> list[dict[str, Any]]:
        """Return the pairs of systems on measures of whole sets; none if the run was not scored."""
        return _read_rows(self.folder / "comparisons.jsonl", PAIR)


def _read_rows(path: Path, form: Form[Any]) -> list[dict[str, Any]]:
    """Return the rows of a file of results; none without the file. Raises MalformedInput for damaged ones."""
    if not path.exists():
        return []
    rows, remedy = [], "make the run again with `referee score … --out RUN`"
    for line, text in read_lines(path):
        try:
            rows.append(json.loads(text))
            form.convert(rows[-1])
        except (json.JSONDecodeError, WrongShape) as error:
            raise MalformedInput(f"the score is damaged ({error})", where=path, line=line, remedy=remedy) from None
    return rows


def writing_run(target: str | Path, overwrite: bool = False) -> AbstractContextManager[Path]:
    """Yield a temporary folder that becomes the run `target` when complete.

    Only another run is ever replaced.
    """
    return writing_folder(target, overwrite, is_run, OCCUPIED)


def write_trials(folder: Path, trials: Iterable[Trial]) -> None:
    write_atomically(folder / "trials.jsonl", map(write_json_line, trials_to_json(trials)))


def write_outputs(
    folder: Path, outputs: Iterable[tuple[str, str, Description] | tuple[str, str, Description, Response | None]]
) -> None:
    """Write trial, system and description of all outputs to outputs.jsonl."""
    write_atomically(folder / "outputs.jsonl", (write_json_line(output_to_json(*o)) for o in outputs))


def write_manifest(folder: Path, **fields: Any) -> None:
    data = {"format": FORMAT, "version": __version__, **fields}
    write_atomically(folder / "manifest.json", [json.dumps(data, ensure_ascii=False, indent=1)])
