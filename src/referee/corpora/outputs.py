"""What systems said: an outputs file, JSONL (one object a line), a table (`output_tables`) or the challenges' peer-output XML.

``{"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"}``: either of the last two may be left out, which means "not given";
an empty list or an empty text means "said nothing", which is an answer. ``system`` defaults to the file's name.

Whoever finds rather than describes gives places instead: ``{"trial": ID, "box": [1, 2, 3, 4], "in": "pixels xyxy"}``, ``"point"``, several as
``"places": [{"box": …, "in": …}, …]``, another outcome as ``"outcome": "none"``, or a model's own words as ``"answer": "…", "form": "molmo"``
(`referee.sight.answer_forms`).
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from referee.corpora.jsonl import DESCRIPTION, description_from_json, description_to_json
from referee.corpora.output_tables import ENDINGS, given, read_parquet, read_table_rows
from referee.corpora.place_records import FIELDS as PLACES
from referee.corpora.place_records import convention_from_json, place_from_json, place_to_json
from referee.corpora.reading.lines import (
    PlainReader,
    WrongShape,
    expect,
    open_binary,
    optional,
    parse_object,
    read_records,
)
from referee.errors import InputError, MalformedInput, UnknownName, near
from referee.records import Description, Outcome, Response
from referee.sight.answer_forms import SeenAnswer, read_answer, seen

if TYPE_CHECKING:
    import polars as pl

__all__ = [
    "Output",
    "OutputsOfSystem",
    "Problem",
    "Remark",
    "output_from",
    "output_to_json",
    "read_outputs",
    "rows_as_outputs",
]


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
FIELDS = ("trial", "system", "properties", "text", "distribution", "spans", "speaker", "media", *FOUND)
_COLUMNS = "a table of outputs has the columns trial, system, text and properties (docs/score.md)"
_ROWS = 'give rows like {"trial": …, "system": …, "text": …}'
# Rows of a table that are taken out of its columns at a time, and different answers that are kept.
_SLICE = 20_000
_REMEDY = 'one {"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"} a line'


_NO_LINE = -1


class OutputsOfSystem(MutableMapping[str, Output]):
    """Outputs of one system by trial, in the order they were read; an `Output` is made when one is asked for.

    `descriptions` is what measures ask for, trial by trial. What a system found rather than said (`Response`) is kept beside it.
    """

    __slots__ = ("_files", "_lines", "_places", "_responses", "descriptions", "system")

    def __init__(self, system: str) -> None:
        self.system = system
        self.descriptions: dict[str, Description] = {}
        self._responses: dict[str, Response] = {}
        self._lines = array("q")
        # Where each file begins among the lines.
        self._files: list[tuple[int, str]] = []
        self._places: dict[str, int] = {}

    def add(self, output: Output) -> bool:
        """Take one output; False, and nothing taken, where the trial was answered already."""
        descriptions = self.descriptions
        before = len(descriptions)
        descriptions.setdefault(output.trial, output.description)
        if len(descriptions) == before:
            return False
        if self._places:
            self._places = {}
        if not self._files or self._files[-1][1] != output.where:
            self._files.append((before, output.where))
        self._lines.append(_NO_LINE if output.line is None else output.line)
        if output.response is not None:
            self._responses[output.trial] = output.response
        return True

    def response(self, trial: str) -> Response | None:
        """What the system found there; None where it describes, or gave nothing."""
        return self._responses.get(trial) if self._responses else None

    @property
    def finds(self) -> bool:
        """Whether the system found something on any trial."""
        return bool(self._responses)

    def without(self, trials: Container[str]) -> OutputsOfSystem:
        """The same but for what is said of some trials."""
        rest = OutputsOfSystem(self.system)
        for trial, output in self.items():
            if trial not in trials:
                rest.add(output)
        return rest

    def __getitem__(self, trial: str) -> Output:
        if trial not in self.descriptions:
            raise KeyError(trial)
        if not self._places:
            self._places = {name: i for i, name in enumerate(self.descriptions)}
        return self._output(trial, self._places[trial])

    def __setitem__(self, trial: str, output: Output) -> None:
        if trial not in self.descriptions:
            self.add(output)
            return
        # Only what is said changes, never where.
        self.descriptions[trial] = output.description
        if output.response is not None:
            self._responses[trial] = output.response

    def __delitem__(self, trial: str) -> None:
        raise TypeError("what was said stays said; see `without`")

    def __contains__(self, trial: object) -> bool:
        return trial in self.descriptions

    def __iter__(self) -> Iterator[str]:
        return iter(self.descriptions)

    def __len__(self) -> int:
        return len(self.descriptions)

    def _output(self, trial: str, place: int) -> Output:
        line = self._lines[place]
        where = self._files[bisect_right(self._files, place, key=lambda file: file[0]) - 1][1]
        return Output(
            trial,
            self.system,
            self.descriptions[trial],
            where,
            None if line == _NO_LINE else line,
            self._responses.get(trial),
        )


def _raise(error: InputError) -> None:
    raise error


def _say_nothing(remark: str) -> None:
    """Whoever does not ask is not told."""


def read_outputs(path: str | Path, on_problem: Problem = _raise, on_remark: Remark = _say_nothing) -> Iterator[Output]:
    """Outputs of a file; what cannot be read goes to `on_problem`, which raises unless told otherwise, fields that nobody reads to `on_remark`."""
    if str(path).lower().endswith(ENDINGS):
        return _read_table(path, on_problem, on_remark)
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
    strange, where, own = _Strangers(str(path), on_remark), str(path), _own_name(path)

    def carefully(text: str, line: int) -> Output | None:
        try:
            data = parse_object(text)
            strange.look_at(data, line)
            return output_from(data, own, where, line)
        except WrongShape as wrong:
            on_problem(
                MalformedInput(str(wrong), where=path, line=line, remedy=strange.remedy(wrong.remedy or _REMEDY))
            )
            return None

    return read_records(path, lambda: _plain_outputs(own, where), carefully, on_problem)


def _plain_outputs(own: str, where: str) -> PlainReader[Output]:
    from referee.corpora.plain_lines import OutputLines

    return OutputLines(own, where).read


def _read_table(path: str | Path, on_problem: Problem, on_remark: Remark) -> Iterator[Output]:
    strange, where, own = _Strangers(str(path), on_remark), str(path), _own_name(path)

    def carefully(row: Mapping[str, Any], line: int) -> Output | None:
        try:
            strange.look_at(row, line)
            return output_from(given(row), own, where, line)
        except WrongShape as wrong:
            on_problem(
                MalformedInput(str(wrong), where=path, line=line, remedy=strange.remedy(wrong.remedy or _COLUMNS))
            )
            return None

    if str(path).lower().endswith(".parquet"):
        frame = read_parquet(Path(path))
        if _is_plain(frame):
            yield from _plain_rows(frame, own, where, carefully)
            return
    for line, row in read_table_rows(path):
        output = carefully(row, line)
        if output is not None:
            yield output


def _is_plain(frame: pl.DataFrame) -> bool:
    """Whether a table has nothing but names, words and properties, as text or as lists."""
    kinds = {name: str(kind) for name, kind in frame.schema.items()}
    properties = kinds.pop("properties", "Null")
    return (
        kinds.get("trial") == "String"
        and kinds.keys() <= {"trial", "system", "text"}
        and set(kinds.values()) <= {"String", "Null"}
        and properties.startswith(("String", "Null", "List("))
    )


def _plain_rows(
    frame: pl.DataFrame, own: str, where: str, carefully: Callable[[Mapping[str, Any], int], Output | None]
) -> Iterator[Output]:
    """Rows with nothing but names, words and properties: what was said in the same way before is not read again."""
    known: dict[tuple[Any, Any], Description] = {}
    line = 0
    for part in frame.iter_slices(_SLICE):
        trials, systems, texts, properties = (
            part[name].to_list() if name in frame.columns else [None] * len(part)
            for name in ("trial", "system", "text", "properties")
        )
        # Lists have no hash; how they are written tells them apart.
        listed = map(repr, properties) if str(frame.schema.get("properties")).startswith("List(") else properties
        for place, (trial, system, text, pairs) in enumerate(zip(trials, systems, texts, listed, strict=True)):
            line += 1
            description = None if trial is None else known.get((text, pairs))
            if description is not None:
                yield Output(trial, system or own, description, where, line)
                continue
            row = {"trial": trial, "system": system, "text": text, "properties": properties[place]}
            output = carefully({name: row[name] for name in frame.columns}, line)
            if output is not None:
                if len(known) > _SLICE:
                    known.clear()
                known[text, pairs] = output.description
                yield output


def rows_as_outputs(rows: Iterable[Any], on_remark: Remark = _say_nothing) -> Iterator[Any]:
    """Outputs from rows in memory (dicts, or what a data frame has); whatever is no row is passed on as it is."""
    strange = _Strangers("rows", on_remark)
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            yield row
            continue
        strange.look_at(row, i)
        try:
            output = output_from(given(row), "system", "rows", i)
        except WrongShape as wrong:
            raise MalformedInput(
                str(wrong), where="rows", line=i, remedy=strange.remedy(wrong.remedy or _ROWS)
            ) from None
        yield output


def _own_name(path: str | Path) -> str:
    """What a system is called that its file does not name."""
    return "stdin" if str(path) == "-" else Path(path).name.split(".")[0]


class _Strangers:
    """Fields that nobody reads, told once for a file and not once for every line."""

    def __init__(self, where: str, on_remark: Remark) -> None:
        self.where, self.on_remark, self.known = where, on_remark, set(FIELDS)
        self.meant: dict[str, str] = {}

    def look_at(self, data: Mapping[str, Any], line: int) -> None:
        for name in sorted(map(str, data.keys() - self.known)):
            self.known.add(name)
            meant = near(name.strip().lower(), FIELDS, 1, 0.6)
            self.meant.update((name, found) for found in meant)
            told = f"did you mean {meant[0]}?" if meant else f"fields are {', '.join(FIELDS)}"
            self.on_remark(f"{self.where}:{line}: the field {name!r} is not read ({told})")

    def remedy(self, otherwise: str) -> str:
        """What is missing may stand there under a name that is almost right."""
        return "".join(f"did you mean {meant!r}, not {name!r}? " for name, meant in self.meant.items()) + otherwise


def output_from(data: Mapping[str, Any], default: str, where: str, line: int) -> Output:
    """One output from its fields; `default` is the system where none is named."""
    if any(name in data for name in FOUND):
        own = optional(data, "system", str) or default
        trial = expect(data, "trial", str)
        return Output(trial, own, Description(), where, line, _found(data, trial, own))
    description = description_from_json({name: data[name] for name in DESCRIPTION if name in data})
    said = (description.properties, description.text, description.distribution, description.media)
    if all(part is None for part in said):
        raise WrongShape("neither properties nor text are given")
    system = optional(data, "system", str) or default
    return Output(expect(data, "trial", str), system, description, where, line)


def _found(data: Mapping[str, Any], trial: str, system: str) -> Response:
    """What a system found, by itself or in the words of a model."""
    if "answer" in data:
        read = _in_words(data)
    elif any(name in data for name in PLACES):
        read = seen([place_from_json({k: v for k, v in data.items() if k in (*PLACES, "in")})])
    else:
        read = _spelled_out(data)
    entity = optional(data, "entity", str)
    return Response(trial=trial, hearer=system, outcome=read.outcome, places=read.places, entity=entity)


def _in_words(data: Mapping[str, Any]) -> SeenAnswer:
    try:
        convention = convention_from_json(data) if "in" in data else None
        return read_answer(expect(data, "answer", str), expect(data, "form", str), convention)
    except UnknownName as unknown:
        raise WrongShape(str(unknown).replace("\n  → ", "; ")) from None


def _spelled_out(data: Mapping[str, Any]) -> SeenAnswer:
    places = [place_from_json(place) for place in optional(data, "places", list) or ()]
    given = optional(data, "outcome", str)
    if given is not None and given not in list(Outcome):
        raise WrongShape(f"the outcome {given!r} is not known", f"one of {', '.join(Outcome)}")
    if given is None and "entity" in data:
        return SeenAnswer(Outcome.ENTITY)
    if given is None and not places:
        raise WrongShape("there is neither a place nor an outcome", 'give "box", "point", "places" or "outcome"')
    found = seen(places)
    return found if given is None else SeenAnswer(Outcome(given), found.places)


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
        **{k: data[k] for k in ("properties", "text", "distribution", "media") if k in data},
    }
