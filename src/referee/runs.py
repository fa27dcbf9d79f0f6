"""The run folder: what was asked, on which trials, what was said, what was answered, what came out. Reports, court and statistics read only this.

``manifest.json`` (versions, signatures, seeds, corpus checksum, command), ``trials.jsonl``, ``outputs.jsonl``, ``responses.jsonl``, ``scores.jsonl`` (tidy
aggregates), ``items.parquet`` (one row per system, item and metric) and ``passports/`` (the cards of simulated hearers). A folder appears whole or not
at all: it is written beside its place and renamed.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from referee import __version__
from referee.corpora.jsonl import json_line, read_responses, read_trials, trials_to_json
from referee.corpora.lines import read_lines
from referee.corpora.outputs import Output, output_to_json, read_outputs
from referee.errors import CannotWrite, InputError, MalformedInput
from referee.records import Description, Response, Trial

__all__ = ["FORMAT", "Run", "is_run", "write_atomically", "writing_folder"]

FORMAT = 1


def is_run(path: str | Path) -> bool:
    """Whether a path is a run folder."""
    return (Path(path) / "manifest.json").is_file()


class Run:
    """A finished run folder, read lazily."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    @property
    def manifest(self) -> dict[str, Any]:
        """The manifest; a folder from a newer version or a damaged one is an error that says so."""
        path = self.folder / "manifest.json"
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise InputError(
                "this is not a run folder (no manifest.json)",
                where=self.folder,
                remedy="make one with `referee score … --out RUN`",
            ) from None
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise MalformedInput(
                f"the manifest is damaged ({error})", where=path, remedy="make the run again"
            ) from None
        if not isinstance(data, dict) or not isinstance(data.get("format"), int):
            raise MalformedInput("the manifest does not say its format", where=path, remedy="make the run again")
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
        """The tidy rows of the last scoring; empty when the run was not scored."""
        path = self.folder / "scores.jsonl"
        if not path.exists():
            return []
        try:
            return [json.loads(text) for _, text in read_lines(path)]
        except json.JSONDecodeError as error:
            problem = f"the scores are damaged ({error})"
            raise MalformedInput(problem, where=path, remedy="score the run again") from None


@contextlib.contextmanager
def writing_folder(target: str | Path, overwrite: bool = False) -> Iterator[Path]:
    """A temporary neighbour that becomes `target` when the block ends well and vanishes when it does not."""
    target = Path(target)
    if target.exists() and not (overwrite and is_run(target)):
        raise CannotWrite(
            "something is there already",
            where=target,
            remedy="choose another name, or remove it (--overwrite replaces a run folder)",
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    except OSError as error:
        raise CannotWrite(
            f"cannot make the folder ({error.strerror})", where=target, remedy="choose a place you may write to"
        ) from None
    try:
        yield partial
        partial.chmod(0o755)
        _put_in_place(partial, target, overwrite)
    except OSError as error:
        raise CannotWrite(
            f"cannot be written ({error.strerror})",
            where=target,
            remedy="free some space, or choose a place where nothing is yet",
        ) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _put_in_place(partial: Path, target: Path, overwrite: bool) -> None:
    """Rename, with the old folder kept beside until the new one stands; a folder that came meanwhile is not touched."""
    old = partial.with_name(f"{partial.name}.old")
    if overwrite and target.exists():
        target.rename(old)
    try:
        partial.rename(target)
    except OSError:
        if old.exists():
            old.rename(target)
        raise
    shutil.rmtree(old, ignore_errors=True)


def write_atomically(path: str | Path, lines: Iterable[str]) -> None:
    """A text file that appears whole or not at all; ``-`` writes to standard output."""
    if str(path) == "-":
        for line in lines:
            print(line)
        return
    path = Path(path)
    if path.exists() and not path.is_file():
        raise CannotWrite(
            "this is not a file that can be replaced", where=path, remedy="name a new or an ordinary file"
        )
    partial: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            partial = Path(file.name)
            file.writelines(f"{line}\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())
        partial.chmod(0o644)
        partial.replace(path)
    except OSError as error:
        raise CannotWrite(
            f"cannot be written ({error.strerror})",
            where=path,
            remedy="check the place, its permissions and free space",
        ) from None
    finally:
        if partial is not None:
            partial.unlink(missing_ok=True)


def write_trials(folder: Path, trials: Iterable[Trial]) -> None:
    write_atomically(folder / "trials.jsonl", map(json_line, trials_to_json(trials)))


def write_outputs(folder: Path, outputs: Iterable[tuple[str, str, Description]]) -> None:
    write_atomically(folder / "outputs.jsonl", (json_line(output_to_json(*o)) for o in outputs))


def write_manifest(folder: Path, **fields: Any) -> None:
    data = {"format": FORMAT, "version": __version__, **fields}
    write_atomically(folder / "manifest.json", [json.dumps(data, ensure_ascii=False, indent=1)])
