"""Makes a study from a table of items.

One row per item and condition, with the material, the target and the levels of the factors.

Columns: ``item``, ``family``, one for each factor, ``kind`` (trial, practice, check, filler), ``target`` (the number of
the option or image that is the target), ``option1`` … (texts) or ``image1`` … (files), or ``image``, ``sound``,
``film``, ``text``, ``question`` (asked beside the options), ``correct``, ``list``, ``block``. Others are named by
--map. With a plug-in of one's own, all columns but the structural ones and the factors are its parameters.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from math import lcm
from pathlib import Path
from random import Random
from typing import Any

from referee.catalogue import check_choice
from referee.corpora.reading.lines import make_natural_sort_key
from referee.errors import InputError, find_similar_names
from referee.geometry import ScenePicture
from referee.grounding.pictures import check_whole
from referee.records import NOTHING, Description, Entity, Property, Scene, Trial
from referee_lab.study.design.conditions import COMPARED, list_conditions
from referee_lab.study.design.designs import DesignLayout
from referee_lab.study.design.wishes import Wishes, apply_settings, choose_title, fill_study_fields
from referee_lab.study.folder.draft import Draft, Extra
from referee_lab.study.folder.media import can_play
from referee_lab.study.folder.study import FEWEST_RANKED, FILLER, LEVELS, VERSUS, StudyList
from referee_lab.study.protocols.contract import ROOM_PLUGINS
from referee_lab.study.protocols.own_plugin import CELLS, CORRECT, HEARD_IN, OWN, create_protocol, is_own
from referee_lab.study.protocols.scene import OPTION
from referee_lab.study.texts import LANGUAGES

TABLES = (".csv", ".tsv", ".xlsx", ".jsonl")
KINDS = ("trial", "practice", "check", "filler")
ENDS = ("lowest", "highest")
PLAIN = ("item", "family", "kind", "target", "image", "sound", "film", "text", "question", "correct", "list", "block")
# Columns that are no parameters of a plug-in.
STRUCTURAL = ("item", "family", "kind", "correct", "list", "block")
NUMBERED = ("option", "image")
# One of these at least tells or shows something to participants.
SHOWN = ("text", "question", "sound", "film", "image", "image1", "option1")
NUMBERED_NAME = re.compile(f"({'|'.join(NUMBERED)})[1-9][0-9]*")
NUMBERED_LIKE = re.compile(f"({'|'.join(NUMBERED)})s?0*([1-9][0-9]*)")
# How alike a name has to be to be taken for a slip, and how short the beginning of one may be.
SLIP, SHORTEST_NAME = 0.75, 3
# Files that are looked through for one of a similar name.
MOST_FILES = 10_000
# The condition of a described item where there are no factors.
ONLY = "items"


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """One row of the table; `line` counts from 1 with the header, `options` are texts or images in their order."""

    line: int
    item: str
    kind: str
    levels: tuple[str, ...]
    family: str = ""
    text: str = ""
    question: str = ""
    media: str = ""
    media_column: str = "sound"
    images: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    target: int | None = None
    correct: str = ""
    list: str = ""
    block: str = ""
    cells: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    image_names: tuple[str, ...] = ()

    @property
    def condition(self) -> str:
        """The cell of the design: the levels of all factors, or a fixed name without factors."""
        if self.kind == "filler":
            return FILLER
        return LEVELS.join(self.levels) or (ONLY if self.text or self.media or self.question else "")


def is_table(path: Path) -> bool:
    """Return whether a path names a table of items, and not a run folder."""
    return path.suffix.lower() in TABLES and not path.is_dir()


# -- reading -----------------------------------------------------------------------------------------------------------------


def read_items(
    path: Path, factors: Sequence[str], names: Mapping[str, str], *, own: bool = False
) -> tuple[list[ItemRow], list[str]]:
    """Return the rows of a table and the columns that are not read.

    Raises InputError with the first line that is invalid.

    `names` maps the columns of this module to those of the file (``{"item": "Item-Nr"}``). With `own`, columns that are
    not structural are parameters of a plug-in.
    """
    records = _read_records(path)
    if not records:
        raise InputError("the table has no rows", where=path, remedy="write one row for each item and condition")
    columns = list(dict.fromkeys(name for _, record in records for name in record))
    _check_columns(path, columns, factors, names, own)
    read_row = _read_plugin_row if own else _read_row
    rows = [read_row(path, line, record, factors, names) for line, record in records]
    return rows, [] if own else _list_unread(columns, factors, names)


def _read_records(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a CSV, TSV, XLSX or JSONL file with their line numbers."""
    if not path.is_file():
        raise InputError("there is no such file", where=path, remedy="name a table of items (CSV, TSV, XLSX or JSONL)")
    ending = path.suffix.lower()
    if ending == ".jsonl":
        return list(_read_jsonl(path))
    lines = _read_sheet(path) if ending == ".xlsx" else list(_read_csv(path, "\t" if ending == ".tsv" else ""))
    if not lines:
        return []
    (line, header), *rows = lines
    for number, name in enumerate(header):
        if name in header[:number] or not name:
            problem = f"two columns are called {name!r}" if name else f"column {number + 1} has no name"
            raise InputError(problem, where=path, line=line, remedy="give every column a different name")
    return [(line, dict(zip(header, row, strict=False))) for line, row in rows if any(row)]


def _read_sheet(path: Path) -> list[tuple[int, list[str]]]:
    """Return the rows of the first sheet of a workbook, without columns and rows that are empty."""
    import polars as pl

    try:
        from fastexcel import FastExcelError  # the engine of polars
    except ModuleNotFoundError as error:
        raise InputError(
            f"XLSX needs {error.name}", where=path, remedy='pip install "referee[excel]", or save it as CSV'
        ) from None
    try:
        frame = pl.read_excel(path, has_header=False, infer_schema_length=0, drop_empty_rows=False)
    except pl.exceptions.NoDataError:
        return []
    except (pl.exceptions.PolarsError, FastExcelError, ValueError) as error:
        first = str(error).splitlines()[0]
        raise InputError(
            f"not readable as a workbook ({first})", where=path, remedy="save it as CSV in UTF-8"
        ) from None
    frame = frame.select(column for column in frame if column.drop_nulls().len())
    return [(line, [_strip_cell(cell) for cell in row]) for line, row in enumerate(frame.cast(pl.String).rows(), 1)]


def _read_csv(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a CSV file with their lines.

    Raises InputError for a row that is longer or shorter than the header.
    """
    width = 0
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator or _detect_separator(path), strict=True)
        try:
            for row in rows:
                width = width or len(row)
                if row and len(row) != width:
                    raise InputError(
                        f"the row has {len(row)} fields, the header {width}",
                        where=path,
                        line=rows.line_num,
                        remedy="write every cell, and texts with separators in quotation marks",
                    )
                if row:
                    yield rows.line_num, [_strip_cell(cell) for cell in row]
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(
                f"not readable as a table ({error})",
                where=path,
                line=rows.line_num + 1,
                remedy="save it as CSV in UTF-8",
            ) from None


def _strip_cell(cell: str | None) -> str:
    return (cell or "").strip().lstrip("\ufeff")


def _detect_separator(path: Path) -> str:
    """Return the separator of a CSV file: the semicolon if the header has more of them than commas."""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        header = file.readline()
    return ";" if header.count(";") > header.count(",") else "\t" if header.count("\t") > header.count(",") else ","


def _read_jsonl(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a JSONL file with their line numbers."""
    records = []
    for line, text in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), 1):
        if not text.strip():
            continue
        try:
            data = json.loads(text)
        except json.JSONDecodeError as error:
            raise InputError(f"not JSON ({error.msg})", where=path, line=line, remedy="one object a line") from None
        if not isinstance(data, dict) or "entities" in data:
            raise InputError(
                "this is a corpus of trials and no table of items" if isinstance(data, dict) else "no object",
                where=path,
                line=line,
                remedy='make a run of a corpus first (`referee run --corpus FILE --out RUN`), or write rows such as {"item": "1", "text": "…"}',
            )
        records.append((line, {str(n): "" if v is None else str(v).strip() for n, v in data.items()}))
    return records


def _check_columns(
    path: Path, columns: Sequence[str], factors: Sequence[str], names: Mapping[str, str], own: bool
) -> None:
    """Raise InputError for a missing column, and for an unread column with a similar name."""
    for column in names:
        if column not in PLAIN and column.rstrip("0123456789") not in NUMBERED:
            raise InputError(
                f"--map: there is no column {column!r} to map", remedy=f"one of {', '.join(PLAIN)}, option1 …, image1 …"
            )
    for column in (*factors, *names.values(), names.get("item", "item")):
        if column not in columns:
            meant = "".join(f"did you mean {c!r}? " for c in find_similar_names(column, columns, 1))
            raise InputError(
                f"the table has no column {column!r}",
                where=path,
                line=1,
                remedy=f"{meant}it has {', '.join(columns)}; name others with --map",
            )
    unread = [] if own else _list_unread(columns, factors, names)
    for column in unread:
        if meant := _find_similar_column(column):
            raise InputError(
                f"the column {column!r} would not be read; did you mean {meant!r}?",
                where=path,
                line=1,
                remedy=f"call it {meant}, say --map {meant}={column}, or give it a name unlike those of columns that are read",
            )
    if unread and not any(names.get(c, c) in columns for c in SHOWN):
        raise InputError(
            "no column holds what participants read, hear or see: text, question, sound, film, image1 … or option1 …",
            where=path,
            line=1,
            remedy=f"name them with --map, such as text={unread[0]},image1=COLUMN (columns that are not read: {', '.join(unread)})",
        )
    for stem in NUMBERED:
        numbers = [n for n in range(1, len(columns) + 100) if names.get(f"{stem}{n}", f"{stem}{n}") in columns]
        if numbers != list(range(1, len(numbers) + 1)):
            gap = next(n for n in range(1, numbers[-1]) if n not in numbers)
            raise InputError(
                f"there is {stem}{numbers[-1]} and no {stem}{gap}",
                where=path,
                line=1,
                remedy=f"number them from {stem}1 without a gap",
            )


def _list_unread(columns: Sequence[str], factors: Sequence[str], names: Mapping[str, str]) -> list[str]:
    """Return the columns of a table that are not read: neither named above, nor a factor, nor mapped."""
    read = {names.get(name, name) for name in PLAIN} | {*names.values()} | {*factors}
    return [c for c in columns if c not in read and not (NUMBERED_NAME.fullmatch(c) and c not in names)]


def _find_similar_column(column: str) -> str:
    """Return the column name that `column` resembles (case, marks, a slip, an abbreviation), or ''.

    Empty without one.
    """
    plain = "".join(c for c in column.casefold() if c.isalnum())
    if match := NUMBERED_LIKE.fullmatch(plain):
        return f"{match[1]}{int(match[2])}"
    letters, digits = plain.rstrip("0123456789"), plain[len(plain.rstrip("0123456789")) :]
    candidates = NUMBERED if digits else PLAIN
    if plain in candidates:
        return plain
    for name in candidates:
        if len(letters) >= SHORTEST_NAME and name.startswith(letters) and name != letters:
            return f"{name}{digits}"
    return next((f"{name}{digits}" for name in find_similar_names(letters, candidates, 1, SLIP)), "")


def _read_structure(
    path: Path, line: int, record: Mapping[str, str], factors: Sequence[str], names: Mapping[str, str]
) -> ItemRow:
    """Return the structural columns of one line as an item row. Raises InputError for an invalid field."""

    def get_cell(name: str) -> str:
        return record.get(names.get(name, name)) or ""

    def make_error(problem: str, remedy: str) -> InputError:
        return InputError(problem, where=path, line=line, remedy=remedy)

    kind = get_cell("kind").lower() or "trial"
    if kind not in KINDS:
        raise make_error(f"kind {kind!r} is none of {', '.join(KINDS)}", "mend the column kind")
    if not get_cell("item"):
        raise make_error("the item has no name", "fill in the column item")
    levels = tuple(record[f] for f in factors) if kind == "trial" else ()
    for name in (get_cell("item"), *levels):
        if any(mark in name for mark in ("|", LEVELS, VERSUS)):
            raise make_error(f"{name!r} has {LEVELS!r}, '|' or {VERSUS!r} in it", "give items and levels other names")
    if kind == "trial" and not all(levels):
        empty = next(f for f, level in zip(factors, levels, strict=True) if not level)
        raise make_error(f"the factor {empty!r} has no level", "fill it in, or give the row another kind")
    return ItemRow(
        line=line,
        item=get_cell("item"),
        kind=kind,
        levels=levels,
        family=get_cell("family"),
        correct=get_cell("correct"),
        list=get_cell("list"),
        block=get_cell("block"),
    )


def _read_plugin_row(
    path: Path, line: int, record: Mapping[str, str], factors: Sequence[str], names: Mapping[str, str]
) -> ItemRow:
    """Return one line as an item row; its other columns are parameters of the plug-in.

    Empty cells are left out.
    """
    row = _read_structure(path, line, record, factors, names)
    apart = {*factors, *(names.get(name, name) for name in STRUCTURAL)}
    files = {
        column: names.get(column, column)
        for column in ("sound", "film", "image", *(f"image{n}" for n in range(1, len(record) + 1)))
    }
    cells = {c: v for c, v in record.items() if v and c not in apart and c not in files.values()}
    images = {column: record[c] for column, c in files.items() if column.startswith("image") and record.get(c)}
    media = [column for column in ("sound", "film") if record.get(files[column])]
    if len(media) > 1:
        raise InputError("a row has a sound and a film", where=path, line=line, remedy="leave one of them")
    return replace(
        row,
        media=record[files[media[0]]] if media else "",
        media_column=files[media[0]] if media else "",
        images=tuple(images.values()),
        image_names=tuple(files[column] for column in images),
        cells=cells,
    )


def _read_row(
    path: Path, line: int, record: Mapping[str, str], factors: Sequence[str], names: Mapping[str, str]
) -> ItemRow:
    """Return one line as an item row. Raises InputError for an invalid field."""

    row = _read_structure(path, line, record, factors, names)

    def get_cell(name: str) -> str:
        return record.get(names.get(name, name)) or ""

    def make_error(problem: str, remedy: str) -> InputError:
        return InputError(problem, where=path, line=line, remedy=remedy)

    numbered = {stem: _get_numbered(record, stem, names) for stem in NUMBERED}
    for stem, cells in numbered.items():
        if "" in cells:
            raise make_error(
                f"{stem}{cells.index('') + 1} is empty and a later one is not", "fill them in without a gap"
            )
    images, options = numbered["image"], numbered["option"]
    if images and get_cell("image"):
        raise make_error("a row has image and image1", "leave one of them")
    images = images or tuple(filter(None, [get_cell("image")]))
    # As a browser shows them: spaces side by side are one.
    texts = Counter(" ".join(text.split()) for text in options)
    if doubled := next((text for text, number in texts.items() if number > 1), None):
        raise make_error(f"two options are {doubled!r}", "give every option a different text")
    media = [get_cell(n) for n in ("sound", "film") if get_cell(n)]
    if len(media) > 1:
        raise make_error("a row has a sound and a film", "leave one of them")
    if len(images) > 1 and options and len(images) != len(options):
        raise make_error(
            f"{len(images)} images and {len(options)} options",
            "give as many images as options, one image for all options, or only one kind",
        )
    shown = max(len(images), len(options))
    named = _find_option(get_cell("correct"), options or images)
    target = get_cell("target") or named
    if target and not (target.isdecimal() and 1 <= int(target) <= shown):
        raise make_error(
            f"target is {target!r}, and there are {shown} options",
            "write the number of the option that is meant, from 1",
        )
    if get_cell("correct") and shown > 1 and named != target:
        raise make_error(
            f"correct is {get_cell('correct')!r}, which is {'not the target' if named else 'no option'}",
            "write the number or the text of the option, or leave one of the columns target and correct",
        )
    return replace(
        row,
        text=get_cell("text"),
        question=get_cell("question"),
        media=media[0] if media else "",
        media_column="film" if get_cell("film") else "sound",
        images=images,
        options=options,
        target=int(target) if target else None,
    )


def _find_option(answer: str, shown: Sequence[str]) -> str:
    """Return the number of the option or image that a cell names by number or text; empty if none fits.

    Empty where it names none.
    """
    if answer.isdigit():
        return answer if 1 <= int(answer) <= len(shown) else ""
    return (
        next((str(n) for n, text in enumerate(shown, 1) if text.casefold() == answer.casefold()), "") if answer else ""
    )


def _get_numbered(record: Mapping[str, str], stem: str, names: Mapping[str, str]) -> tuple[str, ...]:
    """Return the cells of option1, option2 …, or of image1 …, up to the last that is not empty."""
    columns = [names.get(f"{stem}{number}", f"{stem}{number}") for number in range(1, len(record) + 1)]
    cells = [record.get(column) or "" for column in columns]
    return tuple(cells[: max((n for n, cell in enumerate(cells, 1) if cell), default=0)])


# -- the study ---------------------------------------------------------------------------------------------------------------


def prepare_table(
    path: Path, wishes: Wishes, factors: Sequence[str], between: Sequence[str], names: Mapping[str, str]
) -> tuple[Draft, list[str]]:
    """Return a draft of the study that a table describes, and remarks on it."""
    check_choice("--design", wishes.design, ("latin", "within"))
    own = is_own(wishes.protocol)
    rows, unread = read_items(path, factors, names, own=own)
    protocol = Path(wishes.protocol).name if own else wishes.protocol or _choose_protocol(rows)
    if wishes.items is not None:
        rows = _draw_items(rows, wishes.items, wishes.seed)
    systems: list[str] = []
    if protocol in COMPARED:
        if factors:
            rows, systems = _merge_rows(path, rows)
            factors = ()
        width = _count_options(path, [row for row in rows if row.kind == "trial"])
        systems = systems or [names.get(f"option{n}", f"option{n}") for n in range(1, width + 1)]
    info = create_protocol(protocol).info
    if info.plugin in (*ROOM_PLUGINS, "locate", "replay-identify"):
        raise InputError(
            f"{protocol} cannot be made from a table of items",
            remedy="take asgre2007, tuna2008, self-paced-reading, open-choice, production, judgement, judgement-pairwise or ranking",
        )
    if unknown := [name for name in between if name not in factors]:
        raise InputError(
            f"--between {unknown[0]}: not among the factors", remedy=f"--factors {','.join([*factors, unknown[0]])}"
        )
    files = (wishes.pictures or path.parent, wishes.media or path.parent)
    whole: set[Path] = set()
    for row in rows:
        _check_files(path, row, *files, names, whole)
        _check_row(path, row, info.plugin, protocol, can_play(info))
    experimental = [row for row in rows if row.kind in ("trial", "filler")]
    if not any(row.kind == "trial" for row in rows):
        raise InputError(
            "the table has no trial", where=path, remedy="give some rows the kind trial, or leave the column out"
        )
    language = wishes.language or "en"
    cells = _index_cells(path, experimental)
    layout = _lay_out(path, cells, wishes, factors, between, experimental)
    if systems:
        layout = _lay_out_comparisons(layout, protocol, systems, wishes.participants)
    conditions = sorted({c for entry in layout.lists for _, c in entry.trials if c and c != FILLER})
    trials, outputs = _make_trials(cells, language, systems)
    practice, checks = (
        [_make_extra(row, language, systems) for row in rows if row.kind == kind] for kind in ("practice", "check")
    )
    draft = Draft(
        id=wishes.id,
        title=choose_title(wishes, language),
        protocol=protocol,
        participants=wishes.participants,
        layout=layout,
        conditions=conditions,
        trials=trials,
        outputs=outputs,
        language=language,
        mode=wishes.mode,
        seed=wishes.seed,
        source=f"table {path.name}",
        practice=practice,
        checks=checks,
        fields=_fill_fields(wishes, protocol, factors, between, len(checks)),
        pictures=files[0],
        media=files[1],
        plugin=Path(wishes.protocol) if own else None,
    )
    return draft, _write_remarks(rows, wishes.language, unread)


def _draw_items(rows: Sequence[ItemRow], number: int, seed: int) -> list[ItemRow]:
    """Return the rows of a random sample of the items, and all rows of other kinds."""
    items = list(dict.fromkeys(row.item for row in rows if row.kind == "trial"))
    if number > len(items):
        raise InputError(f"--items {number}: the table has {len(items)}", remedy="ask for fewer")
    drawn = {*Random(f"items|{seed}").sample(items, number)}
    return [row for row in rows if row.kind != "trial" or row.item in drawn]


def _count_options(path: Path, rows: Sequence[ItemRow]) -> int:
    """Return the number of options. Raises InputError where trials of a comparison differ in it."""
    width = max((len(row.options) for row in rows), default=0)
    for row in rows:
        if len(row.options) < width:
            raise InputError(
                f"item {row.item}: {len(row.options)} options, and other items have {width}",
                where=path,
                line=row.line,
                remedy="every system has to say something of every item: fill it in, or leave the item out",
            )
    return width


def _check_files(
    path: Path, row: ItemRow, pictures: Path, media: Path, names: Mapping[str, str], whole: set[Path]
) -> None:
    """Raise InputError, with the column, for a missing file or a broken picture.

    Decoded pictures are added to `whole`.
    """
    stem = "image" if len(row.images) == 1 else "image{}"
    columns = row.image_names or [stem.format(n) for n in range(1, len(row.images) + 1)]
    named = [(column, image, pictures, "--pictures") for column, image in zip(columns, row.images, strict=True)]
    if row.media:
        named.append((row.media_column, row.media, media, "--media"))
    for column, name, folder, option in named:
        if name and not (folder / name).is_file():
            present = [
                str(file.relative_to(folder)) for file in sorted(folder.rglob("*"))[:MOST_FILES] if file.is_file()
            ]
            meant = "".join(f"did you mean {file}? " for file in find_similar_names(name, present, 1, SLIP))
            raise InputError(
                f"item {row.item}, column {names.get(column, column)}: there is no file {name!r} in {folder}",
                where=path,
                line=row.line,
                remedy=f"{meant}put it there, or name its folder with {option}",
            )
        if name and option == "--pictures" and (file := folder / name) not in whole:
            try:
                check_whole(file)
            except InputError as error:
                raise InputError(
                    f"item {row.item}, column {names.get(column, column)}: {file}: {error.problem}",
                    where=path,
                    line=row.line,
                    remedy=error.remedy,
                ) from None
            whole.add(file)


def _check_conditions(path: Path, rows: Sequence[ItemRow]) -> None:
    """Raise InputError where items share some conditions and not all: a misspelt level or a missing row.

    Also where trials of one condition have texts to choose from, and others have images.
    """
    shapes: dict[str, ItemRow] = {}
    for row in rows:
        if row.kind == "trial" and row.target is not None:
            before = shapes.setdefault(row.condition, row)
            if (before.images and not row.images and not before.options) or (
                row.images and not before.images and not row.options
            ):
                raise InputError(
                    f"item {row.item} has {'images' if row.images else 'texts'} to choose from, item {before.item} has {'texts' if row.images else 'images'}",
                    where=path,
                    line=row.line,
                    remedy="give all trials of a condition the same columns, or make a factor of them",
                )
    of_item: dict[str, dict[str, int]] = defaultdict(dict)
    for row in rows:
        if row.kind == "trial":
            of_item[row.item].setdefault(row.condition, row.line)
    sets = Counter(frozenset(conditions) for conditions in of_item.values())
    usual = sorted(sets, key=lambda conditions: (-sets[conditions], -len(conditions)))
    for item, conditions in of_item.items():
        whole = next(s for s in usual if s & conditions.keys())
        if whole == conditions.keys():
            continue
        lacking, other = sorted(whole - conditions.keys()), sorted(conditions.keys() - whole)
        raise InputError(
            f"item {item}: there is no row in the condition {lacking[0]!r}, and there is one in other items"
            if lacking
            else f"item {item}: there is a row in the condition {other[0]!r}, and there is none in other items",
            where=path,
            line=conditions[other[0]] if other else min(conditions.values()),
            remedy=(f"it has {other[0]!r}: correct the level, or " if other and lacking else "")
            + "write one row for each item and condition, or give the rows lists of their own (column list)",
        )


def _choose_protocol(rows: Sequence[ItemRow]) -> str:
    """Return the protocol that fits the rows: choice, production, judgement or ranking."""
    row = next((r for r in rows if r.kind == "trial"), rows[0])
    described = bool(row.text or row.media or row.question)
    if described and max(len(row.images), len(row.options)) > 1 and (row.target is not None or row.images):
        return "asgre2007"
    if len(row.options) >= FEWEST_RANKED:
        return "ranking"
    if row.images and not described:
        return "production"
    return "judgement" if described and not row.options else "judgement-pairwise"


def _merge_rows(path: Path, rows: Sequence[ItemRow]) -> tuple[list[ItemRow], list[str]]:
    """Return one row per item from rows with one description each, and the compared conditions."""
    systems = list(dict.fromkeys(row.condition for row in rows if row.kind == "trial"))
    texts: dict[str, dict[str, ItemRow]] = defaultdict(dict)
    for row in rows:
        if row.kind == "trial":
            texts[row.item][row.condition] = row
    gathered = []
    for item, described in texts.items():
        first = next(iter(described.values()))
        if missing := [system for system in systems if not (system in described and described[system].text)]:
            raise InputError(
                f"item {item}: there is no text of {missing[0]!r}",
                where=path,
                line=first.line,
                remedy="write one row for each item and condition, each with its text",
            )
        options = tuple(described[system].text for system in systems)
        gathered.append(replace(first, levels=(), text="", options=options))
    return [*gathered, *(row for row in rows if row.kind != "trial")], systems


def _check_row(path: Path, row: ItemRow, plugin: str, protocol: str, plays: bool) -> None:
    """Raise InputError if a row lacks material of its protocol, or has material that it would ignore."""

    def make_error(problem: str, remedy: str) -> InputError:
        return InputError(f"item {row.item}: {problem}", where=path, line=row.line, remedy=remedy)

    if plugin == OWN:
        if row.kind == "check" and not row.correct:
            raise make_error("a check does not say which response is right", "write it into the column correct")
        return
    shown = max(len(row.images), len(row.options))
    if row.media and not plays:
        raise make_error(f"{protocol} plays no sounds and films", "take another --protocol, or leave the column out")
    if plugin == "identify":
        only_read = protocol == "self-paced-reading" and not shown and row.kind != "check"
        if shown < 2 and not only_read:
            raise make_error(
                "there are fewer than two options to choose from", "fill in option1, option2 … or image1, image2 …"
            )
        if row.target is None and not only_read:
            raise make_error(
                "no option is the target", "write the number of the option that is meant into the column target"
            )
        if not (row.text or row.media or row.question):
            raise make_error("there is nothing to read or to hear", "fill in text, sound or film")
    elif plugin == "produce":
        if not row.images or row.options:
            raise make_error(
                "production shows images, and no words that people should produce",
                "fill in image or image1 …, without options",
            )
        if row.target is None and len(row.images) > 1:
            raise make_error(
                "no image is the target", "write the number of the image to be described into the column target"
            )
        if row.text or row.media or row.question:
            raise make_error("production shows no text and plays no sound", "leave the column out")
        if row.kind == "check":
            raise make_error("descriptions are neither right nor wrong", "give the row another kind")
    elif protocol in COMPARED:
        fewest = FEWEST_RANKED if protocol == "ranking" else 2
        if len(row.options) < fewest:
            raise make_error(f"fewer than {fewest} options to compare", "fill in option1, option2 …, or take --factors")
        if row.kind == "filler" or row.list:
            raise make_error(
                f"{protocol} has no fillers and no lists of its own", "leave the row and the column list out"
            )
        if row.kind == "check" and row.target is None:
            raise make_error("a check does not say which option is best", "write its number into the column target")
    else:
        if not (row.text or row.media):
            raise make_error("there is nothing to judge", "fill in text, sound or film")
        if row.options:
            raise make_error(
                f"{protocol} shows no options", "leave the columns option1 … out, or take another --protocol"
            )
        if row.kind == "check" and not (row.correct in ENDS or row.correct.isdigit()):
            raise make_error(
                f"the right answer of a check is {row.correct!r}",
                f"write {', '.join(ENDS)} or a number into the column correct",
            )


def _index_cells(path: Path, rows: Sequence[ItemRow]) -> dict[tuple[str, str], ItemRow]:
    """Return the rows by item and condition. Raises InputError for two rows of one cell."""
    cells: dict[tuple[str, str], ItemRow] = {}
    for row in rows:
        if (before := cells.get((row.item, row.condition))) is not None and before.list == row.list:
            raise InputError(
                f"the item {row.item!r} has two rows in {f'the condition {row.condition!r}' if row.levels else 'one condition'}",
                where=path,
                line=row.line,
                remedy=f"line {before.line} is the other one; name the columns that tell them apart with --factors",
            )
        cells[row.item, row.condition] = row
    return cells


def _lay_out(
    path: Path,
    cells: Mapping[tuple[str, str], ItemRow],
    wishes: Wishes,
    factors: Sequence[str],
    between: Sequence[str],
    rows: Sequence[ItemRow],
) -> DesignLayout:
    """Return the lists: from the table, with all cells for each participant, or as a Latin square."""
    if any(row.list for row in rows):
        return _read_lists(path, rows, wishes)
    _check_conditions(path, rows)
    groups = _split_between_groups(cells, factors, between)
    lists: list[list[tuple[str, str]]] = []
    for members in groups:
        of_item: dict[str, list[str]] = defaultdict(list)
        for item, condition in members:
            of_item[item].append(condition)
        if wishes.design == "within":
            lists.append([(item, c) for item, conditions in of_item.items() for c in conditions])
            continue
        turns = lcm(*(len(conditions) for conditions in of_item.values()))
        ordered = _shuffle_items(of_item, wishes.seed)
        for turn in range(turns):
            lists.append([(item, of_item[item][(place + turn) % len(of_item[item])]) for item, place in ordered])
    _check_participants(wishes.participants, len(lists))
    kind = "all" if len(lists) == 1 and not factors else "within" if wishes.design == "within" else "counterbalanced"
    return DesignLayout(
        kind=kind, lists=_name_lists(lists, cells), order="blocks" if any(r.block for r in rows) else "random"
    )


def _shuffle_items(of_item: Mapping[str, Sequence[str]], seed: int) -> list[tuple[str, int]]:
    """Return items in a random order, each with its index among items that have the same conditions."""
    rng = Random(f"table|{seed}")
    places: Counter[tuple[str, ...]] = Counter()
    ordered = []
    for item in rng.sample(list(of_item), len(of_item)):
        key = tuple(of_item[item])
        ordered.append((item, places[key]))
        places[key] += 1
    return ordered


def _split_between_groups(
    cells: Mapping[tuple[str, str], ItemRow], factors: Sequence[str], between: Sequence[str]
) -> list[list[tuple[str, str]]]:
    """Return the cells that each group of people sees, for every level of the between factors."""
    if not between:
        return [list(cells)]
    where = [factors.index(name) for name in between]
    levels = sorted({tuple(row.levels[i] for i in where) for row in cells.values() if row.levels})
    return [
        [cell for cell, row in cells.items() if not row.levels or tuple(row.levels[i] for i in where) == level]
        for level in levels
    ]


def _check_participants(participants: int, lists: int) -> None:
    """Raise InputError if participants cannot be divided evenly among lists."""
    if participants % lists:
        low = participants // lists * lists
        fitting = f"{low} or {low + lists}" if low else str(lists)
        raise InputError(
            f"{participants} participants cannot be divided evenly among {lists} lists",
            remedy=f"plan {fitting} participants",
        )


def _read_lists(path: Path, rows: Sequence[ItemRow], wishes: Wishes) -> DesignLayout:
    """Return lists as in the column `list`; a row without a list is on all of them."""
    names = sorted({row.list for row in rows if row.list})
    lists = [[(r.item, r.condition) for r in rows if r.list in ("", name)] for name in names]
    for name, entries in zip(names, lists, strict=True):
        if len(set(entries)) < len(entries):
            raise InputError(
                f"list {name!r} has an item twice in one condition", where=path, remedy="leave one of the rows"
            )
    _check_participants(wishes.participants, len(lists))
    cells = {(r.item, r.condition): r for r in rows}
    order = "blocks" if any(r.block for r in rows) else "random"
    return DesignLayout(kind="given", lists=_name_lists(lists, cells), order=order)


def _name_lists(
    lists: Sequence[list[tuple[str, str]]], cells: Mapping[tuple[str, str], ItemRow]
) -> tuple[StudyList, ...]:
    """Return lists with ids, with their trials ordered by block."""
    width = max(2, len(str(len(lists))))
    named = []
    for number, entries in enumerate(lists, 1):
        sizes = Counter(cells[entry].block for entry in entries)
        # Sorting is stable, so entries keep their order within a block.
        ordered = sorted(entries, key=lambda entry: make_natural_sort_key(cells[entry].block))
        blocks = tuple(sizes[b] for b in sorted(sizes, key=make_natural_sort_key)) if len(sizes) > 1 else ()
        named.append(StudyList(id=f"L{number:0{width}d}", group=1, trials=tuple(ordered), blocks=blocks))
    return tuple(named)


def _lay_out_comparisons(
    layout: DesignLayout, protocol: str, systems: Sequence[str], participants: int
) -> DesignLayout:
    """Return lists in which every item shows every comparison in turn; a ranking has one list."""
    conditions = list_conditions(protocol, systems)
    _check_participants(participants, len(conditions))
    items = [item for item, _ in layout.lists[0].trials]
    lists = [
        StudyList(
            id=f"L{n + 1:02d}",
            group=1,
            trials=tuple((item, conditions[(i + n) % len(conditions)]) for i, item in enumerate(items)),
        )
        for n in range(len(conditions))
    ]
    return replace(layout, kind="balanced" if len(lists) > 1 else "all", lists=tuple(lists))


# -- stimuli -----------------------------------------------------------------------------------------------------------------


def _make_trials(
    cells: Mapping[tuple[str, str], ItemRow], language: str, systems: Sequence[str]
) -> tuple[list[Trial], list[tuple[str, str, Description]]]:
    """Return the trials (one per item, or per condition if these look different) and descriptions."""
    by_item: dict[str, dict[str, ItemRow]] = defaultdict(dict)
    for (item, condition), row in cells.items():
        by_item[item][condition] = row
    trials, outputs = [], []
    for item, conditions in by_item.items():
        made = {condition: _make_trial(item, row, language, systems) for condition, row in conditions.items()}
        first = next(iter(made.values()))
        same = all((t.scene, t.targets, t.meta) == (first.scene, first.targets, first.meta) for t in made.values())
        trials += [first] if same else [replace(t, id=f"{item}|{c}") for c, t in made.items()]
        for condition, row in conditions.items():
            if systems:
                outputs += [
                    (item, name, Description(text=text)) for name, text in zip(systems, row.options, strict=False)
                ]
            elif row.text or row.media or row.question:
                outputs.append((item, condition, _make_description(row)))
    return trials, outputs


def _make_trial(name: str, row: ItemRow, language: str, systems: Sequence[str] = ()) -> Trial:
    """Return a row as a trial: its entities are the images, else the options, else one object without attributes.

    With `systems`, whose outputs are rated or ranked, options are not entities. Text and question go into meta.
    """
    options = () if systems else row.options
    above = ScenePicture(path=row.images[0]) if len(row.images) == 1 and options else None
    if row.image_names:
        entities = tuple(Entity(id=name, image=i) for name, i in zip(row.image_names, row.images, strict=True))
    elif row.images and above is None:
        labels = options or ("",) * len(row.images)
        entities = tuple(
            Entity(id=str(n), image=image, attributes=(Property(OPTION, label),) if label else ())
            for n, (image, label) in enumerate(zip(row.images, labels, strict=True), 1)
        )
    elif options and row.target is not None:
        entities = tuple(Entity(id=str(n), attributes=(Property(OPTION, text),)) for n, text in enumerate(options, 1))
    else:
        entities = (Entity(id="1"),)
    scene = Scene(id=row.family or None, entities=entities, picture=above)
    beside: dict[str, Any] = {"text": row.text if systems else "", "question": row.question}
    if row.cells or row.image_names:
        beside = {CELLS: dict(row.cells), HEARD_IN: row.media_column, CORRECT: row.correct}
    # A ranking has no target; in a check `row.target` is the number of the best option.
    target = str(row.target or 1) if not systems or len(row.images) > 1 else "1"
    target = row.image_names[0] if row.image_names else target
    return Trial(
        id=name, scene=scene, targets=(target,), language=language, meta={n: t for n, t in beside.items() if t}
    )


def _make_description(row: ItemRow) -> Description:
    return Description(text=row.text or None, media=row.media or None)


def _make_extra(row: ItemRow, language: str, systems: Sequence[str]) -> Extra:
    """Return a practice or check row with its expected answer."""
    trial = _make_trial(row.item, row, language, systems)
    if not systems:
        # The right option of identification is its target; a rating has to be written down.
        rated = row.kind == "check" and row.correct and not (row.options or row.cells)
        expect = {"ratings": row.correct} if rated else None
        return Extra(trial=trial, description=_make_description(row), expect=expect if row.target is None else None)
    described = [Description(text=text) for text in row.options]
    best = (row.target or 1) - 1
    ranked = len(systems) >= FEWEST_RANKED and len(described) >= FEWEST_RANKED
    expect = {"ranking": f"option{best + 1}"} if ranked else {"choice": ("first", "rival")[min(best, 1)]}
    return Extra(
        trial=trial,
        description=described[0],
        rival=described[1],
        more=tuple(described[2:]) if ranked else (),
        expect=expect if row.kind == "check" else None,
    )


def _fill_fields(
    wishes: Wishes, protocol: str, factors: Sequence[str], between: Sequence[str], checks: int
) -> dict[str, dict[str, Any]]:
    """Return values for study.toml: factors, registered analysis, exclusion rules on whole sessions."""
    fields = fill_study_fields(wishes, protocol)
    # Families are kept apart, and not targets that look alike: a table may mean the same picture in every trial.
    design = {"factors": list(factors), "between": list(between), "family_apart": True}
    fields["design"] = {**fields.get("design", {}), **design}
    if checks:
        # Of a single check none may be failed, or the rule would exclude no session.
        fields["session"] = {**fields.get("session", {}), "checks_failed_at_most": min(1, checks - 1)}
    fields["exclusion"] = {"failed_checks": "exclude", "constant": "exclude", **fields.get("exclusion", {})}
    if factors and protocol not in COMPARED:
        effects = [":".join(some) for size in range(1, len(factors) + 1) for some in combinations(factors, size)]
        fields["analysis"] = {"tests": ["mixed-model", "factorial"], "contrasts": effects}
    return apply_settings(fields, wishes)


def _write_remarks(rows: Sequence[ItemRow], language: str | None, unread: Sequence[str]) -> list[str]:
    """Return remarks on the table: kinds of rows, columns that are not read, language, missing practice."""
    kinds = Counter(row.kind for row in rows)
    notes = [f"the table has {', '.join(f'{kinds[k]} rows of kind {k}' for k in KINDS if kinds[k])}"]
    if unread:
        notes.append(f"these columns are not read: {', '.join(unread)} (name them with --map, factors with --factors)")
    if language is None:
        notes.append("the pages are in English; --language de … for items in another language")
    elif language.partition("-")[0] not in LANGUAGES:
        notes.append(f"there are no pages in {language!r} yet: the English ones are included for translation")
    if not kinds["practice"]:
        notes.append("there is no practice: rows of kind practice make one")
    return notes
