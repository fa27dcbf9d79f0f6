"""What systems said: an outputs file, JSONL (one object a line) or the challenges' peer-output XML.

``{"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"}``: either of the last two may be left out, which means "not given";
an empty list or an empty text means "said nothing", which is an answer. ``system`` defaults to the file's name.

Whoever finds rather than describes gives places instead: ``{"trial": ID, "box": [1, 2, 3, 4], "in": "pixels xyxy"}``, ``"point"``, several as
``"places": [{"box": …, "in": …}, …]``, another outcome as ``"outcome": "none"``, or a model's own words as ``"answer": "…", "form": "molmo"``
(`referee.sight.answer_forms`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from referee.corpora.jsonl import description_from_json, description_to_json
from referee.corpora.place_records import FIELDS as PLACES
from referee.corpora.place_records import convention_from_json, place_from_json, place_to_json
from referee.corpora.reading.lines import WrongShape, expect, open_binary, optional, parse_object, read_lines
from referee.errors import InputError, MalformedInput, UnknownName
from referee.records import Description, Outcome, Response
from referee.sight.answer_forms import Seen, read_answer, seen

__all__ = ["Output", "Problem", "Remark", "output_to_json", "read_outputs", "read_row"]


class Output(NamedTuple):
    """One answer of one system, and where it stands: a description, or (`response`) what a system that was given one found."""

    trial: str
    system: str
    description: Description
    where: str
    line: int | None
    response: Response | None = None


Problem = Callable[[InputError], None]
Remark = Callable[[str], None]
FOUND = (*PLACES, "places", "outcome", "entity", "answer", "form", "in")
FIELDS = ("trial", "system", "properties", "text", "distribution", "spans", "speaker", *FOUND)
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
    system = optional(data, "system", str) or default
    if any(name in data for name in FOUND):
        trial = expect(data, "trial", str)
        return Output(trial, system, Description(), where, line, _found(data, trial, system))
    description = description_from_json(data)
    if description.properties is None and description.text is None and description.distribution is None:
        raise WrongShape("neither properties nor text are given", _REMEDY)
    return Output(expect(data, "trial", str), system, description, where, line)


def read_row(row: Mapping[str, Any], number: int) -> Output:
    """An output from a row of a table in memory; KeyError where it names no trial."""
    trial, system = str(row["trial"]), str(row.get("system", "system"))
    if any(name in row for name in FOUND):
        return Output(trial, system, Description(), "rows", number, _found(dict(row), trial, system))
    return Output(trial, system, description_from_json(row), "rows", number)


def _found(data: dict[str, Any], trial: str, system: str) -> Response:
    """What a system found, by itself or in the words of a model."""
    if "answer" in data:
        read = _in_words(data)
    elif any(name in data for name in PLACES):
        read = seen([place_from_json({k: v for k, v in data.items() if k in (*PLACES, "in")})])
    else:
        read = _spelled_out(data)
    entity = optional(data, "entity", str)
    return Response(trial=trial, hearer=system, outcome=read.outcome, places=read.places, entity=entity)


def _in_words(data: dict[str, Any]) -> Seen:
    try:
        convention = convention_from_json(data) if "in" in data else None
        return read_answer(expect(data, "answer", str), expect(data, "form", str), convention)
    except UnknownName as unknown:
        raise WrongShape(str(unknown).replace("\n  → ", "; ")) from None


def _spelled_out(data: dict[str, Any]) -> Seen:
    places = [place_from_json(place) for place in optional(data, "places", list) or ()]
    given = optional(data, "outcome", str)
    if given is not None and given not in list(Outcome):
        raise WrongShape(f"the outcome {given!r} is not known", f"one of {', '.join(Outcome)}")
    if given is None and "entity" in data:
        return Seen(Outcome.ENTITY)
    if given is None and not places:
        raise WrongShape("there is neither a place nor an outcome", 'give "box", "point", "places" or "outcome"')
    found = seen(places)
    return found if given is None else Seen(Outcome(given), found.places)


def output_to_json(
    trial: str, system: str, description: Description, response: Response | None = None
) -> dict[str, Any]:
    """The JSON form of one output."""
    if response is not None:
        found = {"outcome": str(response.outcome), "entity": response.entity}
        places = [place_to_json(place) for place in response.places]
        kept = {key: value for key, value in {**found, "places": places or None}.items() if value is not None}
        return {"trial": trial, "system": system, **kept}
    data = description_to_json(description)
    return {
        "trial": trial,
        "system": system,
        **{k: data[k] for k in ("properties", "text", "distribution") if k in data},
    }
