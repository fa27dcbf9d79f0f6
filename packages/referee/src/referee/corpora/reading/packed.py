"""Corpora stored as JSON lines, tables or one JSON document; every error names file and line."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from referee.corpora.reading.folder import locate
from referee.corpora.reading.lines import WrongShape, parse_object, read_lines
from referee.errors import DataNotFound, MalformedInput
from referee.records import Response, Scene

Thing = TypeVar("Thing")
REMEDY = "compare the file with the corpus's README, or copy it again"


class Unheard:
    """The base of corpora of descriptions to which no hearers answered."""

    def __init__(self, data: str | Path | None = None) -> None:
        self.data = data

    def responses(self) -> Iterator[Response]:
        return iter(())


def find_files(data: str | Path | None, folder: str, *files: str, corpus: str = "") -> tuple[Path, ...]:
    """Return the files of a corpus, compressed or, under the same name without ``.gz``, uncompressed.

    `corpus` is its name where the folder has another.
    """
    try:
        return _find_in_folder(data, folder, files, corpus)
    except DataNotFound as missing:
        try:
            return _find_in_folder(data, folder, tuple(f.removesuffix(".gz") for f in files), corpus)
        except DataNotFound:
            # In the packed names, which are those of the README.
            raise missing from None


def _find_in_folder(data: str | Path | None, folder: str, files: tuple[str, ...], corpus: str) -> tuple[Path, ...]:
    place = locate(data, folder, files, corpus)
    return tuple(place / f for f in files)


@contextmanager
def add_location(path: Path, line: int | None = None) -> Iterator[None]:
    """Convert errors of shape in a block to errors with file and line."""
    try:
        yield
    except WrongShape as wrong:
        raise MalformedInput(str(wrong), where=path, line=line, remedy=wrong.remedy or REMEDY) from None
    # Readers index and convert without checks: their exceptions are errors of the file and reported with its place.
    except KeyError as error:
        raise MalformedInput(f"{error} is missing", where=path, line=line, remedy=REMEDY) from error
    except (AttributeError, IndexError, TypeError, ValueError, OverflowError) as error:
        raise MalformedInput(f"not of the expected form ({error})", where=path, line=line, remedy=REMEDY) from error


def read_rows(path: Path, make: Callable[[dict[str, Any]], Thing]) -> Iterator[Thing]:
    """Yield the result of `make` for every line of JSON."""
    for line, text in read_lines(path):
        with add_location(path, line):
            thing = make(parse_object(text))
        yield thing


def read_table(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows of a tab-separated table as dicts by column."""
    names: list[str] = []
    for line, text in read_lines(path):
        cells = text.split("\t")
        names = names or cells
        if len(cells) != len(names):
            problem = f"{len(cells)} cells under {len(names)} column names"
            raise MalformedInput(problem, where=path, line=line, remedy=REMEDY)
        if cells is not names:
            yield dict(zip(names, cells, strict=True))


def read_document(path: Path, make: Callable[[dict[str, Any]], Thing]) -> Thing:
    """Return the result of `make` for a file with one JSON object."""
    text = "\n".join(text for _, text in read_lines(path))
    with add_location(path):
        return make(parse_object(text))


def read_scenes(path: Path, make: Callable[[str, Any], Scene]) -> dict[str, Scene]:
    """Return the scenes in a file with one JSON object, by their keys."""
    return read_document(path, lambda document: {key: make(key, value) for key, value in document.items()})


def check_member(scene: Scene, entity_id: str) -> str:
    """Return an entity's id. Raises WrongShape if the scene has no such entity."""
    if not any(e.id == entity_id for e in scene.entities):
        raise WrongShape(
            f"{entity_id!r} is not an entity of the scene {scene.id or ''}".rstrip(), "name an entity of the scene"
        )
    return entity_id


def collect_unused_fields(row: Mapping[str, Any], *used: str) -> dict[str, Any]:
    """Return the unused fields of a row, which become a trial's meta."""
    return {key: value for key, value in row.items() if key not in used}


def read_list(path: Path, make: Callable[[dict[str, Any]], Thing]) -> Iterator[Thing]:
    """Yield the result of `make` for every object of a file with one JSON list."""
    text = "\n".join(text for _, text in read_lines(path))
    with add_location(path):
        # As the value of a field, so that all checks of objects apply here too.
        items = parse_object(f'{{"items": {text}}}')["items"]
        if not isinstance(items, list):
            raise WrongShape(f"expected a list, found {type(items).__name__}", REMEDY)
    for number, item in enumerate(items):
        with add_location(path):
            if not isinstance(item, dict):
                raise WrongShape(f"entry {number} is not an object", REMEDY)
            thing = make(item)
        yield thing
