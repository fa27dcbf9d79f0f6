"""Outputs of systems.

JSONL (one object per line), a table (CSV, TSV, Parquet, rows of a data frame) or the challenges' peer-output XML.

``{"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…", "meaning": […]}``: each of the last three
may be omitted ("not given"); an empty list or an empty text means "said nothing", which is an answer. ``system``
defaults to the file's name. In a table an empty cell means "not given", and properties may be text: JSON (``[["colour",
"red"]]``) or ``colour:red; type:chair``.

Systems that locate objects give places instead: ``{"trial": ID, "box": [1, 2, 3, 4], "in": "pixels xyxy"}``,
``"point"``, several as ``"places": [{"box": …, "in": …}, …]``, another outcome as ``"outcome": "none"``, or a model's
raw words as ``"answer": "…", "form": "molmo"`` (`referee.models.answers.place_forms`).
"""

from __future__ import annotations

import json
import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, MutableMapping
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import MsgspecError

from referee.corpora.jsonl import record_to_json
from referee.corpora.place_records import FIELDS as PLACES
from referee.corpora.place_records import convention_from_json, place_from_json, place_to_json
from referee.corpora.reading.decoding import Form, KeyCheck, get_field_names
from referee.corpora.reading.lines import (
    FileLines,
    LineRange,
    WrongShape,
    get_field,
    get_optional_field,
    iterate_lines,
    open_binary,
    parse_object,
)
from referee.corpora.reading.parquet_rows import is_parquet, read_rows
from referee.corpora.reading.tables import is_missing, read_separated
from referee.errors import InputError, MalformedInput, UnknownName, find_similar_names
from referee.files import drop_endings
from referee.models.answers.place_outcomes import PlaceAnswer, parse_place_answer, place_answer_of
from referee.records import Description, Outcome, Response

if TYPE_CHECKING:
    pass


class Output(NamedTuple):
    """One output of one system with its line: a description, or a response with a place in the picture."""

    trial: str
    system: str
    description: Description
    where: str
    line: int | None
    response: Response | None = None


Problem = Callable[[InputError], None]
Remark = Callable[[str], None]
ENDINGS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")
PAIRS = 'write [["colour", "red"], ["type", "chair"]], or colour:red; type:chair'
_COLUMNS = "a table of outputs has the columns trial, system, text, properties and meaning (`referee docs score`)"
SYNONYMS = {
    **dict.fromkeys(
        ("description", "utterance", "expression", "referring_expression", "caption", "sentence", "output"), "text"
    ),
    **dict.fromkeys(("id", "item", "item_id", "trial_id"), "trial"),
    **dict.fromkeys(("model", "speaker"), "system"),
    "attributes": "properties",
}
"""Names that other programs use for the fields of an output."""
_ROWS = 'give rows like {"trial": …, "system": …, "text": …}'
# Names of files that are parts of one table.
_PART = re.compile(r"(part|data)?[-_.]?\d")
_REMEDY = 'one {"trial": ID, "system": NAME, "properties": [[NAME, VALUE], …], "text": "…"} a line'


class OutputForm(Description, frozen=True, kw_only=True):
    """The fields of an output in a file: those of a description, and those of a place."""

    trial: str
    system: str | None = None
    point: Any = None
    box: Any = None
    polygon: Any = None
    mask: Any = None
    places: Any = None
    outcome: str | None = None
    entity: str | None = None
    answer: str | None = None
    form: str | None = None
    convention: str | None = msgspec.field(default=None, name="in")


OUTPUT = Form(OutputForm, "an output")
FIELDS = ("trial", "system", *(name for name in get_field_names(OutputForm) if name not in ("trial", "system")))
_SAID = get_field_names(Description)
_FOUND = tuple(name for name in get_field_names(OutputForm) if name not in (*_SAID, "trial", "system"))
_description_fields = attrgetter(*_SAID)
_place_fields = attrgetter(*(name if name != "in" else "convention" for name in _FOUND))
_NOTHING_FOUND = (None,) * len(_FOUND)


_NO_LINE = -1
UNREAD = Description()
"""Placeholder of a description that has not been read yet; its position in the file is known."""


class OutputsOfSystem(MutableMapping[str, Output]):
    """Outputs of one system by trial, in reading order; `Output` objects are made on request.

    `description` is for measures, trial by trial. Places (`Response`) are stored beside it. An output may be known by
    its byte range alone (`add_unread`); its description is `UNREAD` then, and `part` returns the range.
    """

    __slots__ = ("_descriptions", "_ends", "_files", "_lines", "_places", "_responses", "_starts", "system")

    def __init__(self, system: str) -> None:
        self.system = system
        # The position of each trial in the lists.
        self._places: dict[str, int] = {}
        self._descriptions: list[Description] = []
        self._responses: dict[str, Response] = {}
        self._lines, self._starts, self._ends = array("q"), array("q"), array("q")
        # Where each file begins among the lines.
        self._files: list[tuple[int, str]] = []

    def add(self, output: Output) -> bool:
        """Add one output; return False, without adding, if the trial already has one."""
        trial, _, description, where, line, response = output
        is_new = self._add(trial, description, where, _NO_LINE if line is None else line)
        if is_new and response is not None:
            self._responses[trial] = response
        return is_new

    def add_unread(self, trial: str, where: str, line: int, start: int, end: int) -> bool:
        """Add the byte range of an output; return False, without adding, if the trial already has one."""
        return self._add(trial, UNREAD, where, line, start, end)

    def _add(self, trial: str, description: Description, where: str, line: int, start: int = 0, end: int = 0) -> bool:
        """Add a description with its line and byte range; return False if the trial already has one."""
        place = len(self._descriptions)
        if self._places.setdefault(trial, place) != place:
            return False
        self._descriptions.append(description)
        if not self._files or self._files[-1][1] != where:
            self._files.append((place, where))
        self._lines.append(line)
        self._starts.append(start)
        self._ends.append(end)
        return True

    def description(self, trial: str) -> Description | None:
        """Return the system's description of a trial; None if there is none."""
        place = self._places.get(trial)
        return None if place is None else self._descriptions[place]

    def response(self, trial: str) -> Response | None:
        """Return the object or place that the system chose in a trial; None if it gave a description, or nothing."""
        return self._responses.get(trial) if self._responses else None

    @property
    def finds(self) -> bool:
        """Whether the system found something on any trial."""
        return bool(self._responses)

    def part(self, trials: Iterable[str]) -> tuple[list[Output], dict[str, list[LineRange]]]:
        """Return the outputs for some trials: those that were read, and by file the line ranges of unread ones."""
        read: list[Output] = []
        unread: dict[str, list[LineRange]] = {}
        for trial in trials:
            place = self._places.get(trial)
            if place is None:
                continue
            if self._descriptions[place] is not UNREAD:
                read.append(self._make_output(trial, place))
                continue
            line = LineRange(self._starts[place], self._ends[place], self._lines[place])
            unread.setdefault(self._get_file(place), []).append(line)
        return read, unread

    def without(self, trials: Container[str]) -> OutputsOfSystem:
        """Return the outputs without those for some trials."""
        rest = OutputsOfSystem(self.system)
        for place, (trial, output) in enumerate(self.items()):
            if trial not in trials:
                line = self._lines[place]
                rest._add(trial, output.description, output.where, line, self._starts[place], self._ends[place])
                if output.response is not None:
                    rest._responses[trial] = output.response
        return rest

    def __getitem__(self, trial: str) -> Output:
        return self._make_output(trial, self._places[trial])

    def __setitem__(self, trial: str, output: Output) -> None:
        if self.add(output):
            return
        # Only the description changes, never its line.
        self._descriptions[self._places[trial]] = output.description
        if output.response is not None:
            self._responses[trial] = output.response

    def __delitem__(self, trial: str) -> None:
        raise TypeError("descriptions cannot be deleted; use `without`")

    def __contains__(self, trial: object) -> bool:
        return trial in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _make_output(self, trial: str, place: int) -> Output:
        """Return the output at an index."""
        line = self._lines[place]
        return Output(
            trial,
            self.system,
            self._descriptions[place],
            self._get_file(place),
            None if line == _NO_LINE else line,
            self._responses.get(trial),
        )

    def _get_file(self, place: int) -> str:
        """Return the file of the output at an index."""
        if len(self._files) == 1:
            return self._files[0][1]
        return self._files[bisect_right(self._files, place, key=lambda file: file[0]) - 1][1]


def _raise(error: InputError) -> None:
    raise error


def _say_nothing(remark: str) -> None:
    """Ignore a remark."""


def read_outputs(
    path: str | Path | FileLines, on_problem: Problem = _raise, on_remark: Remark = _say_nothing
) -> Iterator[Output]:
    """Yield the outputs of a file or of some of its lines.

    Errors go to `on_problem`, unknown fields to `on_remark`.
    """
    if isinstance(path, FileLines):
        return (_read_table if is_parquet(path) else _read_jsonl)(path, on_problem, on_remark)
    if str(path).lower().endswith(ENDINGS):
        return _read_table(path, on_problem, on_remark)
    if _is_xml(path):
        return _read_xml(path, on_problem)
    return _read_jsonl(path, on_problem, on_remark)


def _is_xml(path: str | Path) -> bool:
    """Return whether outputs are XML, by name or first character."""
    if Path(path).is_dir() or str(path).endswith((".xml", ".zip")):
        return True
    # Standard input can be read only once, so it is not looked into.
    if str(path) == "-" or str(path).endswith(".gz"):
        return False
    with open_binary(path) as file:
        # By the first character that counts: peer outputs need not be called .xml.
        return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _read_xml(path: str | Path, on_problem: Problem) -> Iterator[Output]:
    """Yield the outputs of an XML file."""
    from referee.corpora import challenge_xml

    system = Path(path).stem
    try:
        for trial, description, where in challenge_xml.read_outputs(path):
            yield Output(trial, system, description, str(where), None)
    except InputError as error:
        on_problem(error)


def _read_jsonl(path: str | Path | FileLines, on_problem: Problem, on_remark: Remark) -> Iterator[Output]:
    """Yield the outputs of a JSONL file."""
    reader = _OutputReader(path, on_remark, _REMEDY)
    for number, line in iterate_lines(path):
        try:
            output = reader.decode(line, number)
        except WrongShape as wrong:
            on_problem(reader.problem(wrong, number))
        else:
            yield output


def _read_table(path: str | Path | FileLines, on_problem: Problem, on_remark: Remark) -> Iterator[Output]:
    """Yield the outputs of a table."""
    reader = _OutputReader(path, on_remark, _COLUMNS)
    for number, row in read_rows(path) if is_parquet(path) else read_separated(Path(str(path))):
        try:
            output = reader.convert(row, number)
        except WrongShape as wrong:
            on_problem(reader.problem(wrong, number))
        else:
            yield output


def iterate_row_outputs(rows: Iterable[Any], on_remark: Remark = _say_nothing) -> Iterator[Any]:
    """Yield outputs from rows in memory (dicts, or rows of a data frame).

    Other objects are passed on unchanged.
    """
    reader = _OutputReader("rows", on_remark, _ROWS, default="system")
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            yield row
            continue
        try:
            output = reader.convert(row, i)
        except WrongShape as wrong:
            raise reader.problem(wrong, i) from None
        yield output


def make_default_name(path: str | Path | FileLines) -> str:
    """Return the default name of a system: the file's name, or the folder's for a part of a table (`part-0.parquet`).

    >>> make_default_name("mine.jsonl"), make_default_name("tables/mine/part-0.parquet"), make_default_name("tables/system=mine/0.parquet")
    ('mine', 'mine', 'mine')
    """
    if str(path) == "-":
        return "stdin"
    name, folder = Path(str(path)).name, Path(str(path)).parent.name
    is_part = is_parquet(path) and _PART.match(name) and folder
    return folder.removeprefix("system=") if is_part or folder.startswith("system=") else drop_endings(name)


class _OutputReader:
    """Converts the lines or rows of one file to outputs.

    Fields that an output does not have are remarked on once.
    """

    def __init__(
        self, path: str | Path | FileLines, on_remark: Remark, remedy: str, default: str | None = None
    ) -> None:
        self.where, self.on_remark, self._remedy = str(path), on_remark, remedy
        self.default = make_default_name(path) if default is None else default
        self._decode: Callable[[bytes], Any] = msgspec.json.Decoder(OutputForm).decode
        self._check_keys = KeyCheck().check
        self._fields: dict[str, str] | None = None
        self._unread: dict[str, str | None] = {}
        """Fields that are not read, each with the field that was probably meant."""

    def decode(self, line: bytes, number: int) -> Output:
        """Return the output of a line of JSON."""
        try:
            form = self._decode(line)
            self._check_keys(line.decode())
        except (MsgspecError, ValueError, RecursionError, WrongShape):
            return self._read(parse_object(line), number)
        return self._make_output(form, number)

    def convert(self, row: Mapping[str, Any], number: int) -> Output:
        """Return the output of a row of a table, whose columns may have other usual names."""
        if self._fields is None:
            self._fields = self._infer_fields(row, number)
        if self._fields:
            row = {self._fields.get(name, name): value for name, value in row.items()}
        return self._read(drop_empty_cells(row), number, row)

    def _infer_fields(self, row: Mapping[str, Any], number: int) -> dict[str, str]:
        """Return the field for each column of a table without a column `trial`, inferred as `referee evaluate` does."""
        if "trial" in row:
            return {}
        # Imported here: that module reads outputs, too.
        from referee.corpora.natives.columns import infer_fields

        fields = infer_fields([str(name) for name in row])
        if fields:
            self.on_remark(f"{self.where}: read as {', '.join(f'{field} = {name}' for name, field in fields.items())}")
        return fields

    def _read(self, data: Mapping[str, Any], number: int, names: Iterable[Any] | None = None) -> Output:
        """Return a row of output data as an output, and report its unknown fields."""
        self._report_unknown(data if names is None else names, number)
        return self._make_output(OUTPUT.convert({name: data[name] for name in FIELDS if name in data}), number)

    def _make_output(self, form: OutputForm, number: int) -> Output:
        """Return an output from its fields. Raises WrongShape if it has no description and no place."""
        system = form.system or self.default
        values = _place_fields(form)
        if values != _NOTHING_FOUND:
            data = {name: part for name, part in zip(_FOUND, values, strict=True) if part is not None}
            return Output(form.trial, system, Description(), self.where, number, _parse_place(data, form.trial, system))
        if form.text is None and form.properties is None and form.distribution is None and form.media is None:
            raise WrongShape("neither properties nor text are given")
        return Output(form.trial, system, _share_description(_description_fields(form)), self.where, number)

    def _report_unknown(self, names: Iterable[Any], number: int) -> None:
        """Report unknown fields once, with a suggestion."""
        unread = sorted({str(name) for name in names} - set(FIELDS) - self._unread.keys())
        for name in unread:
            synonym = SYNONYMS.get(name.strip().lower())
            meant = [synonym] if synonym else find_similar_names(name.strip().lower(), FIELDS, 1, 0.6)
            self._unread[name] = meant[0] if meant else None
            hint = f"did you mean {meant[0]}?" if meant else f"fields are {', '.join(FIELDS)}"
            self.on_remark(f"{self.where}:{number}: the field {name!r} is not read ({hint})")
        if unread:
            # The strict decoder now knows these fields, so that later rows with them are decoded and not reported again.
            extra = {f"unread_{i}": name for i, name in enumerate(self._unread)}
            fields = [(name, Any, None) for name in extra]
            kind = msgspec.defstruct("OutputForm", fields, bases=(OutputForm,), rename=extra, frozen=True, kw_only=True)
            self._decode = msgspec.json.Decoder(kind).decode

    def problem(self, wrong: WrongShape, number: int) -> MalformedInput:
        """Return the error for a line; a missing field may be present under a misspelt name."""
        hints = "".join(f"did you mean {meant!r}, not {name!r}? " for name, meant in self._unread.items() if meant)
        return MalformedInput(str(wrong), where=self.where, line=number, remedy=hints + (wrong.remedy or self._remedy))


@lru_cache(maxsize=1 << 14)
def _share_description(parts: tuple[Any, ...]) -> Description:
    """Return one object for equal descriptions, because a million outputs have few different ones."""
    return Description(**dict(zip(_SAID, parts, strict=True)))


def _parse_place(data: Mapping[str, Any], trial: str, system: str) -> Response:
    """Return the place in an output, from its coordinate fields or from the words of a model."""
    if "answer" in data:
        read = _parse_words(data)
    elif any(name in data for name in PLACES):
        read = place_answer_of([place_from_json({k: v for k, v in data.items() if k in (*PLACES, "in")})])
    else:
        read = _parse_fields(data)
    entity = get_optional_field(data, "entity", str)
    return Response(trial=trial, hearer=system, outcome=read.outcome, places=read.places, entity=entity)


def _parse_words(data: Mapping[str, Any]) -> PlaceAnswer:
    """Return the place in a model's words."""
    try:
        convention = convention_from_json(data) if "in" in data else None
        return parse_place_answer(get_field(data, "answer", str), get_field(data, "form", str), convention)
    except UnknownName as unknown:
        raise WrongShape(str(unknown).replace("\n  → ", "; ")) from None


def _parse_fields(data: Mapping[str, Any]) -> PlaceAnswer:
    """Return the places in the fields of an output. Raises WrongShape for invalid ones."""
    places = [place_from_json(place) for place in get_optional_field(data, "places", list) or ()]
    outcome = get_optional_field(data, "outcome", str)
    if outcome is not None and outcome not in list(Outcome):
        raise WrongShape(f"the outcome {outcome!r} is not known", f"one of {', '.join(Outcome)}")
    if outcome is None and "entity" in data:
        return PlaceAnswer(Outcome.ENTITY)
    if outcome is None and not places:
        raise WrongShape("there is neither a place nor an outcome", 'give "box", "point", "places" or "outcome"')
    return place_answer_of(places) if outcome is None else PlaceAnswer(Outcome(outcome), tuple(places))


def output_to_json(
    trial: str, system: str, description: Description, response: Response | None = None
) -> dict[str, Any]:
    """Return the JSON form of one output."""
    if response is not None:
        values = {"outcome": str(response.outcome), "entity": response.entity}
        places = [place_to_json(place) for place in response.places]
        filled = {key: value for key, value in {**values, "places": places or None}.items() if value is not None}
        return {"trial": trial, "system": system, **filled}
    data = record_to_json(description)
    return {
        "trial": trial,
        "system": system,
        **{k: part for k, part in data.items() if k not in ("spans", "speaker")},
    }


# -- tables ----------------------------------------------------------------------------------------------------------------

LISTS = ("properties", "distribution", "spans", "meaning")


def drop_empty_cells(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cells of a row that are not empty.

    Lists that were written as text are read, numbers become names.
    """
    cells = {name: value for name, value in row.items() if not is_missing(value)}
    for name in ("trial", "system", "speaker"):
        if isinstance(cells.get(name), int):
            cells[name] = str(cells[name])
    return {name: _parse_list(name, value) if name in LISTS else value for name, value in cells.items()}


def _parse_list(name: str, value: Any) -> Any:
    """Return the value of a cell as a list."""
    if isinstance(value, str):
        return _parse_text(name, value.strip())
    values = value.tolist() if hasattr(value, "tolist") else value
    # Parquet keeps pairs as records where their parts have names.
    if (
        isinstance(values, list)
        and values
        and all(isinstance(p, Mapping) and p.keys() == {"name", "value"} for p in values)
    ):
        return [[p["name"], p["value"]] for p in values]
    return values


def _parse_text(name: str, text: str) -> Any:
    """Return the value of a text cell. Raises WrongShape for invalid JSON."""
    if text.startswith(("[", "{")):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            remedy = PAIRS if name == "properties" else "write it as in a line of JSON"
            raise WrongShape(f"the cell {name!r} is not JSON: {text[:40]}", remedy) from None
    if name != "properties":
        raise WrongShape(
            f"the cell {name!r} should be a list as JSON, not {text[:40]!r}", "write […] as in a line of JSON"
        )
    pairs = [part.partition(":") for part in text.split(";") if part.strip()]
    if any(not colon or not key.strip() or not value.strip() for key, colon, value in pairs):
        raise WrongShape(f"the cell 'properties' cannot be read: {text[:40]!r}", PAIRS)
    return [[key.strip(), value.strip()] for key, _, value in pairs]
