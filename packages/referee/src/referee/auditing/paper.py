"""A paper is a folder: CSV files with the printed tables, and `paper.toml` with the checks between them.

Shipped papers have the same format as a user's.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from referee.auditing.claims import Subject
from referee.auditing.printed import Number, PrintedTable, read_table
from referee.errors import MalformedInput, UnknownName

DESCRIPTION = "paper.toml"
TABLES = Path(__file__).with_name("tables")
CELL = re.compile(r"^(?P<table>[^\[\]]+)\[(?P<row>.+)\]\.(?P<column>.+)$")
TABLE_OPTIONS: dict[str, tuple[type, ...]] = {
    "file": (str,),
    "name": (str,),
    "key": (str, list),
    "zeros": (str,),
    "exact": (list,),
    "digits": (dict,),
    "shares": (dict,),
    "scale": (int, float),
}


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper's tables and the checks it is held to."""

    name: str
    title: str
    citation: str
    path: Path
    tables: dict[str, PrintedTable]
    checks: tuple[CheckSection, ...]

    def table(self, id: str, section: CheckSection) -> PrintedTable:
        """Return a table of the paper. Raises MalformedInput, at the check, for an unknown one."""
        if id not in self.tables:
            raise section.make_mistake(f"no table is called {id!r}", f"tables: {', '.join(self.tables)}")
        return self.tables[id]

    def cell(self, reference: str, section: CheckSection) -> tuple[PrintedTable, str, str]:
        """Return table, row and column of a cell written as ``table[row].column``."""
        match = CELL.match(reference)
        if match is None:
            raise section.make_mistake(f"{reference!r} is not a cell", 'write "table[row label].column"')
        return self.table(match["table"], section), match["row"], match["column"]

    def number(self, reference: str, section: CheckSection) -> Number | None:
        table, row, column = self.cell(reference, section)
        return table.number(row, column)


@dataclass(frozen=True)
class CheckSection:
    """One `[[checks]]` of a description.

    It records which keys were read, so that a mistyped key is an error.
    """

    values: dict[str, Any]
    path: Path
    line: int
    number: int
    asked: set[str] = field(default_factory=set)

    def make_mistake(self, problem: str, remedy: str) -> MalformedInput:
        return MalformedInput(problem, where=self.path, line=self.line, remedy=remedy)

    def get(self, key: str, default: Any = None, kind: type | tuple[type, ...] = object) -> Any:
        """Return the value of a key. Raises MalformedInput for a wrong type."""
        self.asked.add(key)
        value = self.values.get(key, default)
        if key in self.values and not isinstance(value, kind):
            names = " or ".join(k.__name__ for k in (kind if isinstance(kind, tuple) else (kind,)))
            raise self.make_mistake(
                f"{key} = {value!r} is not a {names}", "see the list of checks in `referee docs audit`"
            )
        return value

    def get_required(self, key: str, kind: type | tuple[type, ...] = object) -> Any:
        """Return the value of a required key. Raises MalformedInput if it is missing."""
        if key not in self.values:
            raise self.make_mistake(f"a check of kind {self.values.get('kind')!r} needs {key!r}", f"add `{key} = …`")
        return self.get(key, kind=kind)

    def subject(self, paper: Paper, table: PrintedTable, item: str) -> Subject:
        """Return the subject of a claim of this check."""
        return Subject(paper.name, table.name, item, self.number)

    def scale(self) -> float:
        """Return the scale of shares: 1, or 100 for per cent."""
        scale = float(self.get("scale", 1, (int, float)))
        if not 0 < scale < float("inf"):
            raise self.make_mistake(f"scale = {scale}", "write scale = 100 for per cent, or leave it out")
        return scale

    def names(self, key: str) -> list[str]:
        """Return a list of names; a single name counts as a list of one."""
        value = self.get_required(key, (str, list))
        return [value] if isinstance(value, str) else [str(v) for v in value]

    def finish(self) -> None:
        """Raise MalformedInput for keys that were never read."""
        for key in self.values:
            # Text for readers, which checks ignore.
            if key not in self.asked | {"kind", "about", "assumes"}:
                raise self.make_mistake(
                    f"a check of kind {self.values['kind']!r} has no key {key!r}",
                    f"it knows {', '.join(sorted(self.asked))}",
                )


def list_shipped_papers() -> list[str]:
    """Return the names of the papers that come with the package."""
    return sorted(p.parent.name for p in TABLES.glob(f"*/{DESCRIPTION}"))


def read_shipped_paper(name: str) -> Paper:
    """Return a shipped paper. Raises UnknownName for an unknown one."""
    if name not in list_shipped_papers():
        raise UnknownName(
            "paper", name, list_shipped_papers(), hint=f"one of {', '.join(list_shipped_papers())}, or a folder"
        )
    return read_paper(TABLES / name)


def read_paper(folder: Path) -> Paper:
    """Return the paper in a folder. Raises MalformedInput with file and line for an invalid description."""
    path = folder / DESCRIPTION
    text = _read_paper_toml(path)
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        # The error tells its line in words only.
        place = re.search(r"line (\d+)", str(error))
        line = int(place[1]) if place else text.count("\n") + 1
        raise MalformedInput(f"broken TOML ({error})", where=path, line=line, remedy="correct this line") from error
    _check_keys(content, {"title", "citation", "tables", "checks"}, path, 1, "the description")
    tables = content.get("tables")
    if not isinstance(tables, dict) or not tables:
        raise MalformedInput(
            "no tables are named", where=path, line=1, remedy='add [tables.name] with file = "name.csv"'
        )
    read = {
        id: _parse_table(id, entry, path, _find_header_line(text, rf"\[tables\.{re.escape(id)}\]"))
        for id, entry in tables.items()
    }
    return Paper(
        name=folder.resolve().name,
        title=str(content.get("title", folder.resolve().name)),
        citation=str(content.get("citation", "")),
        path=path,
        tables=read,
        checks=tuple(_iterate_sections(content.get("checks", []), text, path)),
    )


def _read_paper_toml(path: Path) -> str:
    """Return the text of paper.toml. Raises MalformedInput if it cannot be read."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise MalformedInput(
            "not found", where=path, remedy="a paper is a folder of CSV files with a paper.toml (`referee docs audit`)"
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise MalformedInput(f"cannot be read ({error})", where=path, remedy="save it as UTF-8 text") from error


def _find_header_line(text: str, pattern: str, nth: int = 0) -> int:
    """Return the line of the nth header of a kind; 1 if it is written in another way."""
    headers = list(re.finditer(rf"^\s*{pattern}", text, re.MULTILINE))
    return text.count("\n", 0, headers[nth].end()) + 1 if nth < len(headers) else 1


def _check_keys(entry: dict[str, Any], allowed: Iterable[str], path: Path, line: int, what: str) -> None:
    """Raise MalformedInput for an unknown key."""
    for key in entry:
        if key not in set(allowed):
            raise MalformedInput(
                f"{what} has no key {key!r}", where=path, line=line, remedy=f"its keys are {', '.join(sorted(allowed))}"
            )


def _parse_table(id: str, entry: Any, path: Path, line: int) -> PrintedTable:
    """Return a printed table from its entry in paper.toml. Raises MalformedInput for an invalid one."""
    if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
        raise MalformedInput(f"table {id!r} names no file", where=path, line=line, remedy='add file = "name.csv"')
    _check_keys(entry, TABLE_OPTIONS, path, line, "a table")
    _check_options(entry, path, line)
    key = entry.get("key")
    csv = path.parent / entry["file"]
    if not csv.is_file():
        raise MalformedInput(
            f"{entry['file']} is not there", where=path, line=line, remedy=f"put it into {path.parent}"
        )
    keys = [key] if isinstance(key, str) else list(key or [_get_first_column(csv)])
    options = {k: v for k, v in entry.items() if k not in ("file", "name", "key")}
    if "exact" in options:
        options["exact"] = tuple(options["exact"])
    table = read_table(csv, id=id, name=str(entry.get("name", id)), key=keys, **options)
    table.require(*table.exact, *(table.digits or {}), *(table.shares or {}))
    return table


def _check_options(entry: dict[str, Any], path: Path, line: int) -> None:
    """Raise MalformedInput for an option of the wrong type."""
    for key, kinds in TABLE_OPTIONS.items():
        value = entry.get(key)
        wrong = value is not None and not isinstance(value, kinds)
        if isinstance(value, list):
            wrong = not all(isinstance(v, str) for v in value)
        elif isinstance(value, dict):
            # By exact type, since isinstance takes true for a whole number.
            wrong = not all(type(v) is int and v >= 0 for v in value.values())
        elif key == "zeros" and value is not None:
            wrong = value not in ("printed", "dropped")
        elif key == "scale" and value is not None and not wrong:
            wrong = not 0 < value < float("inf")
        if wrong:
            raise MalformedInput(
                f"{key} = {value!r} is not a valid setting", where=path, line=line, remedy="see `referee docs audit`"
            )


def _get_first_column(csv: Path) -> str:
    with csv.open(encoding="utf-8-sig", errors="replace") as file:  # the table itself is read, and refused, later
        return file.readline().split(",")[0].strip().strip('"')


def _iterate_sections(checks: Any, text: str, path: Path) -> Iterable[CheckSection]:
    """Yield the checks of paper.toml. Raises MalformedInput for invalid ones."""
    if not isinstance(checks, list) or not all(isinstance(c, dict) for c in checks):
        raise MalformedInput("checks must be written as [[checks]]", where=path, line=1, remedy="use double brackets")
    for i, values in enumerate(checks):
        section = CheckSection(values, path, _find_header_line(text, r"\[\[checks\]\]", i), i)
        section.get_required("kind", str)
        yield section
