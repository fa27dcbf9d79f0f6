"""Makes a study from a table of items.

One row per item and condition, with the material, the target and the levels of the factors.

Columns: ``item``, ``family``, one for each factor, ``kind`` (trial, practice, check, filler), ``target`` (the number of
the option or image that is the target), ``option1`` … (texts) or ``image1`` … (files), or ``image``, ``sound``,
``film``, ``text``, ``question`` (asked beside the options), ``correct``, ``list``, ``block``. Others are named by
--map. With a plug-in of one's own, all columns but the structural ones and the factors are its parameters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import lcm
from pathlib import Path
from random import Random
from typing import Any

from referee.catalogue import check_choice
from referee.corpora.reading.lines import make_natural_sort_key
from referee.corpora.reading.tables import read_sheets, read_table
from referee.errors import InputError, find_similar_names
from referee.geometry import ScenePicture
from referee.grounding.pictures import check_whole
from referee.records import NOTHING, Description, Entity, Property, Scene, Trial
from referee_lab.study.design.conditions import COMPARED, list_conditions
from referee_lab.study.design.designs import DesignLayout, name_lists, require_equal_lists
from referee_lab.study.design.wishes import Wishes, apply_settings, fill_study_fields, register_factors, start_draft
from referee_lab.study.folder.draft import Draft, Extra
from referee_lab.study.folder.media import can_play
from referee_lab.study.folder.study import FEWEST_RANKED, FILLER, LEVELS, VERSUS
from referee_lab.study.protocols.contract import ROOM_PLUGINS
from referee_lab.study.protocols.own_plugin import CELLS, CORRECT, HEARD_IN, OWN, create_protocol
from referee_lab.study.protocols.scene import OPTION, fold_text
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

    path: Path
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

    @property
    def shown(self) -> int:
        """The number of options or images."""
        return max(len(self.images), len(self.options))

    def make_error(self, problem: str, remedy: str) -> InputError:
        """Return the error for a problem of this row."""
        return InputError(f"item {self.item}: {problem}", where=self.path, line=self.line, remedy=remedy)


def is_table(path: Path) -> bool:
    """Return whether a path names a table of items, and not a run folder."""
    return path.suffix.lower() in TABLES and not path.is_dir()


# -- reading -----------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTable:
    """A table of items: its file, its factors, and the names that its columns have.

    `names` maps the columns of this module to those of the file (``{"item": "Item-Nr"}``). With `own`, columns that are
    not structural are parameters of a plug-in.
    """

    path: Path
    factors: Sequence[str] = ()
    between: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=lambda: NOTHING)
    own: bool = False

    def make_error(self, problem: str, remedy: str, line: int | None = None) -> InputError:
        """Return the error for a problem of the table."""
        return InputError(problem, where=self.path, line=line, remedy=remedy)

    def get_cell(self, record: Mapping[str, str], column: str) -> str:
        """Return a cell by the name that its column has here; empty if the row or the table lacks it."""
        return record.get(self.names.get(column, column)) or ""

    def list_unread(self, columns: Sequence[str]) -> list[str]:
        """Return the columns that are not read: neither named above, nor a factor, nor mapped."""
        if self.own:
            return []
        read = {self.names.get(name, name) for name in PLAIN} | {*self.names.values()} | {*self.factors}
        return [c for c in columns if c not in read and not (NUMBERED_NAME.fullmatch(c) and c not in self.names)]


def read_items(table: ItemTable) -> tuple[list[ItemRow], list[str]]:
    """Return the rows of a table and the columns that are not read.

    Raises InputError with the first line that is invalid.
    """
    records = _read_records(table)
    if not records:
        raise table.make_error("the table has no rows", "write one row for each item and condition")
    columns = list(dict.fromkeys(name for _, record in records for name in record))
    _check_columns(table, columns)
    read_row = _read_plugin_row if table.own else _read_row
    return [read_row(table, line, record) for line, record in records], table.list_unread(columns)


def _read_records(table: ItemTable) -> list[tuple[int, dict[str, str]]]:
    """Return the rows of a CSV, TSV, XLSX or JSONL file with their line numbers."""
    path = table.path
    if not path.is_file():
        raise table.make_error("there is no such file", "name a table of items (CSV, TSV, XLSX or JSONL)")
    if path.suffix.lower() == ".xlsx":
        # The first sheet holds the items, others anything else.
        rows: Sequence[tuple[int, Mapping[str, Any]]] = next(iter(read_sheets(path).values()), [])
    else:
        opened = read_table(path)
        rows = list(zip(opened.lines, opened.rows, strict=True))
    records = []
    for line, row in rows:
        if "entities" in row:
            raise table.make_error(
                "this is a corpus of trials and no table of items",
                "make a run of a corpus first (`referee run --corpus FILE --out RUN`), or write rows such as "
                '{"item": "1", "text": "…"}',
                line,
            )
        records.append((line, {str(name): _strip_cell(cell) for name, cell in row.items()}))
    return records


def _strip_cell(cell: Any) -> str:
    return "" if cell is None else str(cell).strip().lstrip("\ufeff")


def _check_columns(table: ItemTable, columns: Sequence[str]) -> None:
    """Raise InputError for a missing column, and for an unread column with a similar name."""
    names = table.names
    for column in names:
        if column not in PLAIN and column.rstrip("0123456789") not in NUMBERED:
            raise InputError(
                f"--map: there is no column {column!r} to map", remedy=f"one of {', '.join(PLAIN)}, option1 …, image1 …"
            )
    for column in (*table.factors, *names.values(), names.get("item", "item")):
        if column not in columns:
            meant = "".join(f"did you mean {c!r}? " for c in find_similar_names(column, columns, 1))
            remedy = f"{meant}it has {', '.join(columns)}; name others with --map"
            raise table.make_error(f"the table has no column {column!r}", remedy, 1)
    unread = table.list_unread(columns)
    for column in unread:
        if meant := _find_similar_column(column):
            raise table.make_error(
                f"the column {column!r} would not be read; did you mean {meant!r}?",
                f"call it {meant}, say --map {meant}={column}, or give it a name that differs more from the columns that are read",
                1,
            )
    if unread and not any(names.get(c, c) in columns for c in SHOWN):
        raise table.make_error(
            "no column holds what participants read, hear or see: text, question, sound, film, image1 … or option1 …",
            f"name them with --map, such as text={unread[0]},image1=COLUMN (columns that are not read: {', '.join(unread)})",
            1,
        )
    for stem in NUMBERED:
        numbers = [n for n in range(1, len(columns) + 100) if names.get(f"{stem}{n}", f"{stem}{n}") in columns]
        if numbers != list(range(1, len(numbers) + 1)):
            gap = next(n for n in range(1, numbers[-1]) if n not in numbers)
            raise table.make_error(
                f"there is {stem}{numbers[-1]} and no {stem}{gap}", f"number them from {stem}1 without a gap", 1
            )


def _find_similar_column(column: str) -> str:
    """Return the column name that `column` resembles (case, marks, a slip, an abbreviation); empty without one."""
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


def _read_structure(table: ItemTable, line: int, record: Mapping[str, str]) -> ItemRow:
    """Return the structural columns and the sound or film of one line. Raises InputError for an invalid field."""
    cells = {name: table.get_cell(record, name) for name in (*STRUCTURAL, "sound", "film")}
    item, kind = cells["item"], cells["kind"].lower() or "trial"
    if kind not in KINDS:
        raise table.make_error(f"kind {kind!r} is none of {', '.join(KINDS)}", "correct the column kind", line)
    if not item:
        raise table.make_error("the item has no name", "fill in the column item", line)
    levels = tuple(record[f] for f in table.factors) if kind == "trial" else ()
    for name in (item, *levels):
        if any(mark in name for mark in ("|", LEVELS, VERSUS)):
            problem = f"{name!r} has {LEVELS!r}, '|' or {VERSUS!r} in it"
            raise table.make_error(problem, "give items and levels other names", line)
    if not all(levels):
        empty = next(f for f, level in zip(table.factors, levels, strict=True) if not level)
        problem = f"the factor {empty!r} has no level"
        raise table.make_error(problem, "fill it in, or give the row another kind", line)
    if cells["sound"] and cells["film"]:
        raise table.make_error("a row has a sound and a film", "leave one of them", line)
    return ItemRow(
        path=table.path,
        line=line,
        item=item,
        kind=kind,
        levels=levels,
        media=cells["sound"] or cells["film"],
        media_column="film" if cells["film"] else "sound",
        family=cells["family"],
        correct=cells["correct"],
        list=cells["list"],
        block=cells["block"],
    )


def _read_plugin_row(table: ItemTable, line: int, record: Mapping[str, str]) -> ItemRow:
    """Return one line as an item row; its other columns are parameters of the plug-in.

    Empty cells are left out.
    """
    row = _read_structure(table, line, record)
    apart = {*table.factors, *(table.names.get(name, name) for name in STRUCTURAL)}
    files = {
        column: table.names.get(column, column)
        for column in ("sound", "film", "image", *(f"image{n}" for n in range(1, len(record) + 1)))
    }
    images = {column: record[c] for column, c in files.items() if column.startswith("image") and record.get(c)}
    return replace(
        row,
        media_column=files[row.media_column],
        images=tuple(images.values()),
        image_names=tuple(files[column] for column in images),
        cells={c: v for c, v in record.items() if v and c not in apart and c not in files.values()},
    )


def _read_row(table: ItemTable, line: int, record: Mapping[str, str]) -> ItemRow:
    """Return one line as an item row. Raises InputError for an invalid field."""
    row = _read_structure(table, line, record)
    for stem in NUMBERED:
        if "" in (cells := _get_numbered(table, record, stem)):
            problem = f"{stem}{cells.index('') + 1} is empty and a later one is not"
            raise row.make_error(problem, "fill them in without a gap")
    images, options = (_get_numbered(table, record, stem) for stem in ("image", "option"))
    alone = table.get_cell(record, "image")
    if images and alone:
        raise row.make_error("a row has image and image1", "leave one of them")
    row = replace(
        row,
        text=table.get_cell(record, "text"),
        question=table.get_cell(record, "question"),
        images=images or ((alone,) if alone else ()),
        options=options,
    )
    # As a browser shows them: spaces side by side are one.
    texts = Counter(" ".join(text.split()) for text in options)
    if doubled := next((text for text, number in texts.items() if number > 1), None):
        raise row.make_error(f"two options are {doubled!r}", "give every option a different text")
    if len(row.images) > 1 and options and len(row.images) != len(options):
        raise row.make_error(
            f"{len(row.images)} images and {len(options)} options",
            "give as many images as options, one image for all options, or only one kind",
        )
    named = _find_option(row.correct, options or row.images)
    target = table.get_cell(record, "target") or named
    if target and not (target.isdecimal() and 1 <= int(target) <= row.shown):
        problem = f"target is {target!r}, and there are {row.shown} options"
        raise row.make_error(problem, "write the number of the option that is meant, from 1")
    if row.correct and row.shown > 1 and named != target:
        raise row.make_error(
            f"correct is {row.correct!r}, which is {'not the target' if named else 'no option'}",
            "write the number or the text of the option, or leave one of the columns target and correct",
        )
    return replace(row, target=int(target) if target else None)


def _find_option(answer: str, shown: Sequence[str]) -> str:
    """Return the number of the option or image that a cell names by number or text; empty if it names none."""
    if answer.isdigit():
        return answer if 1 <= int(answer) <= len(shown) else ""
    return (
        next((str(n) for n, text in enumerate(shown, 1) if text.casefold() == answer.casefold()), "") if answer else ""
    )


def _get_numbered(table: ItemTable, record: Mapping[str, str], stem: str) -> tuple[str, ...]:
    """Return the cells of option1, option2 …, or of image1 …, up to the last that is not empty."""
    cells = [table.get_cell(record, f"{stem}{number}") for number in range(1, len(record) + 1)]
    return tuple(cells[: max((n for n, cell in enumerate(cells, 1) if cell), default=0)])


# -- the study ---------------------------------------------------------------------------------------------------------------


def prepare_table(table: ItemTable, wishes: Wishes) -> tuple[Draft, list[str]]:
    """Return a draft of the study that a table describes, and remarks on it."""
    check_choice("--design", wishes.design, ("latin", "within"))
    rows, unread = read_items(table)
    protocol = Path(wishes.protocol).name if table.own else wishes.protocol or _choose_protocol(rows)
    if wishes.items is not None:
        rows = _draw_items(rows, wishes.items, wishes.seed)
    systems: list[str] = []
    if protocol in COMPARED:
        if table.factors:
            rows, systems = _merge_rows(rows)
            table = replace(table, factors=())
        width = _count_options([row for row in rows if row.kind == "trial"])
        systems = systems or [table.names.get(f"option{n}", f"option{n}") for n in range(1, width + 1)]
    info = create_protocol(protocol).info
    if info.plugin in (*ROOM_PLUGINS, "locate", "replay-identify"):
        raise InputError(
            f"{protocol} cannot be made from a table of items",
            remedy="take asgre2007, tuna2008, self-paced-reading, open-choice, production, judgement, judgement-pairwise or ranking",
        )
    if unknown := [name for name in table.between if name not in table.factors]:
        remedy = f"--factors {','.join([*table.factors, unknown[0]])}"
        raise InputError(f"--between {unknown[0]}: not among the factors", remedy=remedy)
    files = (wishes.pictures or table.path.parent, wishes.media or table.path.parent)
    whole: set[Path] = set()
    for row in rows:
        _check_files(table, row, *files, whole)
        _check_row(row, info.plugin, protocol, can_play(info))
    experimental = [row for row in rows if row.kind in ("trial", "filler")]
    if not any(row.kind == "trial" for row in rows):
        raise table.make_error("the table has no trial", "give some rows the kind trial, or leave the column out")
    language = wishes.language or "en"
    cells = _index_cells(experimental)
    layout = _lay_out(table, cells, wishes, experimental)
    if systems:
        layout = _lay_out_comparisons(layout, protocol, systems, wishes.participants)
    conditions = sorted({c for entry in layout.lists for _, c in entry.trials if c and c != FILLER})
    trials, outputs = _make_trials(cells, language, systems)
    practice, checks = (
        [_make_extra(row, language, systems) for row in rows if row.kind == kind] for kind in ("practice", "check")
    )
    draft = start_draft(
        wishes,
        protocol=protocol,
        language=language,
        layout=layout,
        conditions=conditions,
        trials=trials,
        outputs=outputs,
        source=f"table {table.path.name}",
        practice=practice,
        checks=checks,
        fields=_fill_fields(wishes, protocol, table, len(checks)),
        pictures=files[0],
        media=files[1],
        plugin=Path(wishes.protocol) if table.own else None,
    )
    return draft, _write_remarks(rows, wishes.language, unread)


def _draw_items(rows: Sequence[ItemRow], number: int, seed: int) -> list[ItemRow]:
    """Return the rows of a random sample of the items, and all rows of other kinds."""
    items = list(dict.fromkeys(row.item for row in rows if row.kind == "trial"))
    if number > len(items):
        raise InputError(f"--items {number}: the table has only {len(items)}", remedy="ask for fewer")
    drawn = {*Random(f"items|{seed}").sample(items, number)}
    return [row for row in rows if row.kind != "trial" or row.item in drawn]


def _count_options(rows: Sequence[ItemRow]) -> int:
    """Return the number of options. Raises InputError where trials of a comparison differ in it."""
    width = max((len(row.options) for row in rows), default=0)
    for row in rows:
        if len(row.options) < width:
            raise row.make_error(
                f"{len(row.options)} options, and other items have {width}",
                "every system needs a description of every item: fill it in, or leave the item out",
            )
    return width


def _check_files(table: ItemTable, row: ItemRow, pictures: Path, media: Path, whole: set[Path]) -> None:
    """Raise InputError, with the column, for a missing file or a broken picture.

    Decoded pictures are added to `whole`.
    """
    stem = "image" if len(row.images) == 1 else "image{}"
    columns = row.image_names or [stem.format(n) for n in range(1, len(row.images) + 1)]
    named = [(column, image, pictures, "--pictures") for column, image in zip(columns, row.images, strict=True)]
    if row.media:
        named.append((row.media_column, row.media, media, "--media"))
    for column, name, folder, option in named:
        where, file = f"column {table.names.get(column, column)}", folder / name
        if not file.is_file():
            present = [str(f.relative_to(folder)) for f in sorted(folder.rglob("*"))[:MOST_FILES] if f.is_file()]
            meant = "".join(f"did you mean {similar}? " for similar in find_similar_names(name, present, 1, SLIP))
            remedy = f"{meant}put it there, or name its folder with {option}"
            raise row.make_error(f"{where}: there is no file {name!r} in {folder}", remedy)
        if option == "--pictures" and file not in whole:
            try:
                check_whole(file)
            except InputError as error:
                raise row.make_error(f"{where}: {file}: {error.problem}", error.remedy) from None
            whole.add(file)


def _check_conditions(rows: Sequence[ItemRow]) -> None:
    """Raise InputError where items share some conditions and not all: a misspelt level or a missing row.

    Also where trials of one condition have texts to choose from, and others have images.
    """
    shapes: dict[str, ItemRow] = {}
    of_item: dict[str, dict[str, ItemRow]] = defaultdict(dict)
    for row in (row for row in rows if row.kind == "trial"):
        of_item[row.item].setdefault(row.condition, row)
        if row.target is None:
            continue
        before = shapes.setdefault(row.condition, row)
        if (before.images and not row.images and not before.options) or (
            row.images and not before.images and not row.options
        ):
            kinds = ("images", "texts") if row.images else ("texts", "images")
            raise row.make_error(
                f"it has {kinds[0]} to choose from, item {before.item} has {kinds[1]}",
                "give all trials of a condition the same columns, or make a factor of them",
            )
    sets = Counter(frozenset(conditions) for conditions in of_item.values())
    usual = sorted(sets, key=lambda conditions: (-sets[conditions], -len(conditions)))
    for conditions in of_item.values():
        whole = next(s for s in usual if s & conditions.keys())
        if whole == conditions.keys():
            continue
        lacking, other = sorted(whole - conditions.keys()), sorted(conditions.keys() - whole)
        row = conditions[other[0]] if other else min(conditions.values(), key=lambda row: row.line)
        raise row.make_error(
            f"there is no row in the condition {lacking[0]!r}, and there is one in other items"
            if lacking
            else f"there is a row in the condition {other[0]!r}, and there is none in other items",
            (f"it has {other[0]!r}: correct the level, or " if other and lacking else "")
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


def _merge_rows(rows: Sequence[ItemRow]) -> tuple[list[ItemRow], list[str]]:
    """Return one row per item from rows with one description each, and the compared conditions."""
    systems = list(dict.fromkeys(row.condition for row in rows if row.kind == "trial"))
    texts: dict[str, dict[str, ItemRow]] = defaultdict(dict)
    for row in rows:
        if row.kind == "trial":
            texts[row.item][row.condition] = row
    gathered = []
    for described in texts.values():
        first = next(iter(described.values()))
        if missing := [system for system in systems if not (system in described and described[system].text)]:
            problem = f"there is no text of {missing[0]!r}"
            raise first.make_error(problem, "write one row for each item and condition, each with its text")
        options = tuple(described[system].text for system in systems)
        gathered.append(replace(first, levels=(), text="", options=options))
    return [*gathered, *(row for row in rows if row.kind != "trial")], systems


def _check_row(row: ItemRow, plugin: str, protocol: str, plays: bool) -> None:
    """Raise InputError if a row lacks material of its protocol, or has material that it would ignore."""
    if row.media and not plays:
        remedy = "take another --protocol, or leave the column out"
        raise row.make_error(f"{protocol} plays no sounds and films", remedy)
    for is_wrong, problem, remedy in _list_row_problems(row, plugin, protocol):
        if is_wrong:
            raise row.make_error(problem, remedy)


def _list_row_problems(row: ItemRow, plugin: str, protocol: str) -> Iterator[tuple[bool, str, str]]:
    """Yield what a row of a protocol may lack or have too much: whether it does, the problem and the remedy."""
    is_check, has_words = row.kind == "check", bool(row.text or row.media or row.question)
    if plugin == OWN:
        yield (
            is_check and not row.correct,
            "a check does not say which response is right",
            "write it into the column correct",
        )
    elif plugin == "identify":
        only_read = protocol == "self-paced-reading" and not row.shown and not is_check
        yield (
            row.shown < 2 and not only_read,
            "there are fewer than two options to choose from",
            "fill in option1, option2 … or image1, image2 …",
        )
        yield (
            row.target is None and not only_read,
            "no option is the target",
            "write the number of the option that is meant into the column target",
        )
        yield not has_words, "there is nothing to read or to hear", "fill in text, sound or film"
        yield (
            len({fold_text(text) for text in row.options}) < len(row.options) and len(row.images) < 2,
            "two options differ only in capital letters or in the form of their characters",
            "give them texts that people can tell apart",
        )
    elif plugin == "produce":
        yield (
            not row.images or bool(row.options),
            "production shows images, and no words that people should produce",
            "fill in image or image1 …, without options",
        )
        yield (
            row.target is None and len(row.images) > 1,
            "no image is the target",
            "write the number of the image to be described into the column target",
        )
        yield has_words, "production shows no text and plays no sound", "leave the column out"
        yield is_check, "descriptions are neither right nor wrong", "give the row another kind"
    elif protocol in COMPARED:
        fewest = FEWEST_RANKED if protocol == "ranking" else 2
        yield (
            len(row.options) < fewest,
            f"fewer than {fewest} options to compare",
            "fill in option1, option2 …, or take --factors",
        )
        yield (
            row.kind == "filler" or bool(row.list),
            f"{protocol} has no fillers and no lists of its own",
            "leave the row and the column list out",
        )
        yield (
            is_check and row.target is None,
            "a check does not say which option is best",
            "write its number into the column target",
        )
    else:
        yield not (row.text or row.media), "there is nothing to judge", "fill in text, sound or film"
        yield (
            bool(row.options),
            f"{protocol} shows no options",
            "leave the columns option1 … out, or take another --protocol",
        )
        yield (
            is_check and not (row.correct in ENDS or row.correct.isdigit()),
            f"the right answer of a check is {row.correct!r}",
            f"write {', '.join(ENDS)} or a number into the column correct",
        )


def _index_cells(rows: Sequence[ItemRow]) -> dict[tuple[str, str], ItemRow]:
    """Return the rows by item and condition. Raises InputError for two rows of one cell."""
    cells: dict[tuple[str, str], ItemRow] = {}
    for row in rows:
        if (before := cells.get((row.item, row.condition))) is not None and before.list == row.list:
            raise row.make_error(
                f"it has two rows in {f'the condition {row.condition!r}' if row.levels else 'one condition'}",
                f"line {before.line} is the other one; name the columns that tell them apart with --factors",
            )
        cells[row.item, row.condition] = row
    return cells


def _lay_out(
    table: ItemTable, cells: Mapping[tuple[str, str], ItemRow], wishes: Wishes, rows: Sequence[ItemRow]
) -> DesignLayout:
    """Return the lists: from the table, with all cells for each participant, or as a Latin square."""
    lists: list[list[tuple[str, str]]] = []
    if any(row.list for row in rows):
        kind, lists = "given", _read_lists(table, rows)
    else:
        _check_conditions(rows)
        for members in _split_between_groups(cells, table):
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
        is_single = len(lists) == 1 and not table.factors
        kind = "all" if is_single else "within" if wishes.design == "within" else "counterbalanced"
    require_equal_lists(wishes.participants, len(lists))
    named = name_lists([(1, *_order_blocks(entries, cells)) for entries in lists])
    return DesignLayout(kind=kind, lists=named, order="blocks" if any(r.block for r in rows) else "random")


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


def _split_between_groups(cells: Mapping[tuple[str, str], ItemRow], table: ItemTable) -> list[list[tuple[str, str]]]:
    """Return the cells that each group of people sees, for every level of the between factors."""
    where = [table.factors.index(name) for name in table.between]
    levels = sorted({tuple(row.levels[i] for i in where) for row in cells.values() if row.levels}) or [()]
    return [
        [cell for cell, row in cells.items() if not row.levels or tuple(row.levels[i] for i in where) == level]
        for level in levels
    ]


def _read_lists(table: ItemTable, rows: Sequence[ItemRow]) -> list[list[tuple[str, str]]]:
    """Return lists as in the column `list`; a row without a list is on all of them."""
    names = sorted({row.list for row in rows if row.list})
    lists = [[(r.item, r.condition) for r in rows if r.list in ("", name)] for name in names]
    for name, entries in zip(names, lists, strict=True):
        if len(set(entries)) < len(entries):
            raise table.make_error(f"list {name!r} has an item twice in one condition", "leave one of the rows")
    return lists


def _order_blocks(
    entries: Sequence[tuple[str, str]], cells: Mapping[tuple[str, str], ItemRow]
) -> tuple[list[tuple[str, str]], tuple[int, ...]]:
    """Return the trials of a list ordered by block, and the sizes of its blocks; none for a single block."""
    sizes = Counter(cells[entry].block for entry in entries)
    # Sorting is stable, so entries keep their order within a block.
    ordered = sorted(entries, key=lambda entry: make_natural_sort_key(cells[entry].block))
    return ordered, tuple(sizes[b] for b in sorted(sizes, key=make_natural_sort_key)) if len(sizes) > 1 else ()


def _lay_out_comparisons(
    layout: DesignLayout, protocol: str, systems: Sequence[str], participants: int
) -> DesignLayout:
    """Return lists in which every item shows every comparison in turn; a ranking has one list."""
    conditions = list_conditions(protocol, systems)
    k = len(conditions)
    require_equal_lists(participants, k)
    items = [item for item, _ in layout.lists[0].trials]
    lists = name_lists([(1, [(item, conditions[(i + n) % k]) for i, item in enumerate(items)], ()) for n in range(k)])
    return replace(layout, kind="balanced" if k > 1 else "all", lists=lists)


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


def _fill_fields(wishes: Wishes, protocol: str, table: ItemTable, checks: int) -> dict[str, dict[str, Any]]:
    """Return values for study.toml: factors, registered analysis, exclusion rules on whole sessions."""
    fields = register_factors(fill_study_fields(wishes, protocol), table.factors)
    # Families are kept apart, and not targets that look alike: a table may mean the same picture in every trial.
    design = {"between": list(table.between), "family_apart": True}
    fields["design"] = {**fields.get("design", {}), **design}
    if checks:
        # Of a single check none may be failed, or the rule would exclude no session.
        fields["session"] = {**fields.get("session", {}), "checks_failed_at_most": min(1, checks - 1)}
    fields["exclusion"] = {"failed_checks": "exclude", "constant": "exclude", **fields.get("exclusion", {})}
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
        notes.append("there is no practice; rows of the kind practice add it")
    return notes
