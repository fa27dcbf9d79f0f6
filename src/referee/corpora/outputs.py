"""What systems said: an outputs file, JSONL (one object a line) or the challenges' peer-output XML.

``{"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"}``: either of the last two may be left out, which means "not given";
an empty list or an empty text means "said nothing", which is an answer. ``system`` defaults to the file's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from referee.corpora.jsonl import description_from_json, description_to_json
from referee.corpora.lines import WrongShape, expect, open_binary, optional, parse_object, read_lines
from referee.errors import InputError, MalformedInput
from referee.records import Description

__all__ = ["Output", "Problem", "output_to_json", "read_outputs"]


class Output(NamedTuple):
    """One answer of one system, and where it stands."""

    trial: str
    system: str
    description: Description
    where: str
    line: int | None


Problem = Callable[[InputError], None]
_REMEDY = 'one {"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"} a line'


def _raise(error: InputError) -> None:
    raise error


def read_outputs(path: str | Path, on_problem: Problem = _raise) -> Iterator[Output]:
    """Outputs of a file; what cannot be read goes to `on_problem`, which raises unless told otherwise."""
    if _is_xml(path):
        return _read_xml(path, on_problem)
    return _read_jsonl(path, on_problem)


def _is_xml(path: str | Path) -> bool:
    if Path(path).is_dir() or str(path).endswith((".xml", ".zip")):
        return True
    if str(path) == "-" or str(path).endswith(".gz"):
        return False
    with open_binary(path) as file:
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _read_xml(path: str | Path, on_problem: Problem) -> Iterator[Output]:
    from referee.corpora import challenge_xml

    system = Path(path).stem
    try:
        for trial, description, where in challenge_xml.read_outputs(path):
            yield Output(trial, system, description, str(where), None)
    except InputError as error:
        on_problem(error)


def _read_jsonl(path: str | Path, on_problem: Problem) -> Iterator[Output]:
    default = "stdin" if str(path) == "-" else Path(path).name.split(".")[0]
    for line, text in read_lines(path, on_problem):
        try:
            yield _output(parse_object(text), default, str(path), line)
        except WrongShape as wrong:
            on_problem(MalformedInput(str(wrong), where=path, line=line, remedy=wrong.remedy or _REMEDY))


def _output(data: dict[str, Any], default: str, where: str, line: int) -> Output:
    description = description_from_json(data)
    if description.properties is None and description.text is None and description.distribution is None:
        raise WrongShape("neither properties nor text are given", _REMEDY)
    system = optional(data, "system", str) or default
    return Output(expect(data, "trial", str), system, description, where, line)


def output_to_json(trial: str, system: str, description: Description) -> dict[str, Any]:
    """The JSON form of one output."""
    data = description_to_json(description)
    return {
        "trial": trial,
        "system": system,
        **{k: data[k] for k in ("properties", "text", "distribution") if k in data},
    }
