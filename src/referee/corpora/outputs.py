"""What systems said: an outputs file, JSONL (one object a line) or the challenges' peer-output XML.

``{"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"}``: either of the last two may be left out, which means "not given";
an empty list or an empty text means "said nothing", which is an answer. ``system`` defaults to the file's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from referee.corpora.jsonl import description_from_json, description_to_json
from referee.corpora.reading.lines import WrongShape, expect, open_binary, optional, parse_object, read_lines
from referee.errors import InputError, MalformedInput
from referee.records import Description

__all__ = ["Output", "Problem", "Remark", "output_to_json", "read_outputs"]


class Output(NamedTuple):
    """One answer of one system, and where it stands."""

    trial: str
    system: str
    description: Description
    where: str
    line: int | None


Problem = Callable[[InputError], None]
Remark = Callable[[str], None]
FIELDS = ("trial", "system", "properties", "text", "distribution", "spans", "speaker")
_REMEDY = 'one {"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"} a line'


def _raise(error: InputError) -> None:
    raise error


def _say_nothing(remark: str) -> None:
    """Whoever does not ask is not told."""


def read_outputs(path: str | Path, on_problem: Problem = _raise, on_remark: Remark = _say_nothing) -> Iterator[Output]:
    """Outputs of a file; what cannot be read goes to `on_problem`, which raises unless told otherwise, fields that nobody reads to `on_remark`."""
    if _is_xml(path):
        return _read_xml(path, on_problem)
    return _read_jsonl(path, on_problem, on_remark)


def _is_xml(path: str | Path) -> bool:
    if Path(path).is_dir() or str(path).endswith((".xml", ".zip")):
        return True
    # Standard input can be read only once, so it is not looked into.
    if str(path) == "-" or str(path).endswith(".gz"):
        return False
    with open_binary(path) as file:
        # By the first character that counts: peer outputs need not be called .xml.
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _read_xml(path: str | Path, on_problem: Problem) -> Iterator[Output]:
    from referee.corpora import challenge_xml

    system = Path(path).stem
    try:
        for trial, description, where in challenge_xml.read_outputs(path):
            yield Output(trial, system, description, str(where), None)
    except InputError as error:
        on_problem(error)


def _read_jsonl(path: str | Path, on_problem: Problem, on_remark: Remark) -> Iterator[Output]:
    default = "stdin" if str(path) == "-" else Path(path).name.split(".")[0]
    strange: set[str] = set()
    for line, text in read_lines(path, on_problem):
        try:
            data = parse_object(text)
            # Told once for a file, not once for every line.
            for name in sorted(data.keys() - strange.union(FIELDS)):
                strange.add(name)
                on_remark(f"{path}:{line}: the field {name!r} is not read{_meant(name)}")
            yield _output(data, default, str(path), line)
        except WrongShape as wrong:
            on_problem(MalformedInput(str(wrong), where=path, line=line, remedy=wrong.remedy or _REMEDY))


def _meant(name: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name.lower(), FIELDS, n=1)
    return f" (did you mean {near[0]}?)" if near else f" (fields are {', '.join(FIELDS)})"


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
