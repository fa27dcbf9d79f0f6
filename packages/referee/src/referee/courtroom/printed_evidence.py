"""One value per system from tables.

The shipped papers (each with a `court.toml`), or a CSV file of the user (`referee court`).
"""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, isfinite
from pathlib import Path
from typing import Any

from referee import catalogue
from referee.auditing.corrections import Correction, correct_paper, read_register
from referee.auditing.paper import TABLES, Paper, read_paper
from referee.courtroom.evidence import SystemScores
from referee.errors import MalformedInput, UnknownName

COURT = "court.toml"
SIDES = ("automatic", "hearer")
# where in an interval the court looks, beside the midpoint
FRACTIONS = (0.0, 0.25, 0.75, 1.0)
LAYOUT = (
    "columns system, automatic:NAME, hearer:NAME (add :lower where less is better), and if wanted domain, human, family"
)
YES, NO = ("1", "yes", "true"), ("", "0", "no", "false")


def list_published_papers() -> list[str]:
    """Return the names of the shipped papers that the court can test, sorted."""
    return sorted(p.parent.name for p in TABLES.glob(f"*/{COURT}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedSheets:
    """A shipped paper as the court tries it: as printed, and as the register of corrections would have it.

    A correction that is an interval counts with its midpoint; `elsewhere` are the sheets at other values of all intervals, from their
    lower to their upper ends.
    """

    printed: Sequence[SystemScores]
    corrected: Sequence[SystemScores]
    elsewhere: Sequence[Sequence[SystemScores]]
    corrections: Sequence[Correction]
    notes: Sequence[str]


def read_paper_sheets(name: str) -> tuple[list[SystemScores], list[str]]:
    """Return the tables of a shipped paper as printed, and notes on them.

    Hyphens in the name do not matter (tuna2008 is tuna-2008).
    """
    sheets = read_published_sheets(name)
    return list(sheets.printed), list(sheets.notes)


def read_published_sheets(name: str) -> PublishedSheets:
    """Return the tables of a shipped paper, as printed and as corrected."""
    paper, written = _read_published(name)
    corrections = [
        c for c in read_register() if c.paper == paper.name and (c.table, c.column) in _list_tested_columns(written)
    ]
    open_ones = any(not c.exact for c in corrections)
    places = [partial(Correction.between, fraction=f) for f in FRACTIONS] if open_ones else []
    return PublishedSheets(
        printed=_make_sheets(paper, written),
        corrected=_make_sheets(correct_paper(paper, corrections), written),
        elsewhere=[_make_sheets(correct_paper(paper, corrections, value), written) for value in places],
        corrections=corrections,
        notes=written.get("notes", ()),
    )


def _read_published(name: str) -> tuple[Paper, dict[str, Any]]:
    """Return a shipped paper and its court.toml. Raises UnknownName for an unknown one."""
    paper_name = {n.replace("-", ""): n for n in list_published_papers()}.get(name.replace("-", ""))
    if paper_name is None:
        raise UnknownName(
            "tried paper", name, list_published_papers(), hint=f"one of {', '.join(list_published_papers())}"
        )
    return read_paper(TABLES / paper_name), tomllib.loads((TABLES / paper_name / COURT).read_text("utf-8"))


def _list_tested_columns(written: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Return table and column of everything that a paper's court.toml tests."""
    cells = (cell for sheet in written["sheets"] for side in SIDES for cell in sheet[side].values())
    return {(table, column) for table, column, *_ in (cell.split(":") for cell in cells)}


def _make_sheets(paper: Paper, written: Mapping[str, Any]) -> list[SystemScores]:
    """Return all sheets that a paper's court.toml describes."""
    same: dict[str, str] = written.get("rows", {})
    return [_make_sheet(paper, sheet, written, same) for sheet in written["sheets"]]


def _make_sheet(
    paper: Paper, sheet: Mapping[str, Any], written: Mapping[str, Any], same: Mapping[str, str]
) -> SystemScores:
    """Return one sheet of a paper from its printed columns."""
    columns = {side: {name: _read_column(paper, cell, same) for name, cell in sheet[side].items()} for side in SIDES}
    systems = tuple(dict.fromkeys(row for side in columns.values() for values in side.values() for row in values))
    return SystemScores(
        systems=systems,
        automatic={n: [v.get(s) for s in systems] for n, v in columns["automatic"].items()},
        hearer={n: [v.get(s) for s in systems] for n, v in columns["hearer"].items()},
        better={n: _parse_direction(cell) for side in SIDES for n, cell in sheet[side].items()},
        people=frozenset(written.get("people", ())),
        families=_read_families(paper, written),
        domain=sheet.get("domain"),
    )


def _read_column(paper: Paper, cell: str, same: Mapping[str, str]) -> dict[str, float]:
    """Return the values of a printed column by system."""
    table, column, *_ = cell.split(":")
    numbers = paper.tables[table].column(column)
    return {same.get(row, row): number.value for row, number in numbers if number is not None}


def _parse_direction(cell: str) -> str:
    """Return the better direction in ``table:column[:direction]``; "higher" by default."""
    return cell.split(":")[2] if cell.count(":") == 2 else "higher"


def _read_families(paper: Paper, written: Mapping[str, Any]) -> dict[str, str]:
    """Return the family of each system, from a column (``family``) or from lists of members (``families``)."""
    if "family" in written:
        table, column = written["family"].split(":")
        return {row: paper.tables[table].text(row, column) for row in paper.tables[table].labels}
    return {member: name for name, members in written.get("families", {}).items() for member in members}


def read_csv_sheets(path: Path) -> list[SystemScores]:
    """Read a CSV file with one row per system (and domain) as sheets; without a domain it is the overall sheet."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, strict=True)
            rows = [(reader.line_num, row) for row in reader]
            header = [name or "" for name in reader.fieldnames or ()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise MalformedInput(
            f"the table cannot be read ({error})", where=path, remedy=f"give a CSV file in UTF-8: {LAYOUT}"
        ) from None
    measures = {name: _parse_header(name, path) for name in header if name.partition(":")[0] in ("automatic", "hearer")}
    if "system" not in header or {side for side, _, _ in measures.values()} != {"automatic", "hearer"} or not rows:
        raise MalformedInput("this is not a table of systems and measures", where=path, line=1, remedy=LAYOUT)
    # Simulations draw by place: in one order, whatever the order in the file.
    rows.sort(key=lambda numbered: (numbered[1]["system"] or "").strip())
    domains = dict.fromkeys((row.get("domain") or "").strip() or None for _, row in rows)
    return [
        _make_csv_sheet(path, measures, [r for r in rows if ((r[1].get("domain") or "").strip() or None) == d], d)
        for d in domains
    ]


def _parse_header(name: str, path: Path) -> tuple[str, str, str]:
    """Return side ("automatic" or "hearer"), name and better direction of a column header."""
    side, _, rest = name.partition(":")
    for way in ("lower", "higher", "none"):
        if rest.endswith(f":{way}"):
            return side, rest.removesuffix(f":{way}"), way
    if not rest:
        raise MalformedInput(f"the column {name!r} names no measure after the colon", where=path, line=1, remedy=LAYOUT)
    return side, rest, find_direction(rest)


def find_direction(metric: str) -> str:
    """Return the better direction of a measure from the catalogue; "higher" for an unknown name."""
    in_catalogue = metric.partition("|")[0] in catalogue.names("metric")
    return str(catalogue.configure("metric", metric).direction) if in_catalogue else "higher"


def _make_csv_sheet(
    path: Path, measures: Mapping[str, tuple[str, str, str]], rows: list[tuple[int, dict[str, str]]], domain: str | None
) -> SystemScores:
    """Return the rows of one domain of a CSV file as a sheet. Raises MalformedInput for repeated systems."""
    systems = [(row["system"] or "").strip() for _, row in rows]
    seen: dict[str, int] = {}
    for (line, _), system in zip(rows, systems, strict=True):
        if not system or system in seen:
            problem = (
                f"the system {system!r} has a second row (the first is line {seen[system]})"
                if system
                else "the row has no system"
            )
            raise MalformedInput(problem, where=path, line=line, remedy="give each system one row in each domain")
        seen[system] = line
    sides: dict[str, dict[str, list[float | None]]] = {"automatic": {}, "hearer": {}}
    for column, (side, name, _) in measures.items():
        sides[side][name] = [_parse_cell(row[column], column, path, line) for line, row in rows]
    families = {s: f for s, (_, row) in zip(systems, rows, strict=True) if (f := (row.get("family") or "").strip())}
    return SystemScores(
        systems=tuple(systems),
        automatic=sides["automatic"],
        hearer=sides["hearer"],
        better={name: way for _, name, way in measures.values()},
        people=frozenset(s for s, (line, row) in zip(systems, rows, strict=True) if _is_human(s, row, path, line)),
        families=families,
        domain=domain,
    )


def _is_human(system: str, row: Mapping[str, str], path: Path, line: int) -> bool:
    """Return whether a row is a human speaker: by the column `human`, else by a name that begins with "human"."""
    if "human" not in row:
        return system.lower().startswith("human")
    answer = (row["human"] or "").strip().lower()
    if answer not in (*YES, *NO):
        raise MalformedInput(f"column 'human' contains {answer!r}", where=path, line=line, remedy="write yes or no")
    return answer in YES


def _parse_cell(text: str | None, column: str, path: Path, line: int) -> float | None:
    """Return the number in a cell; None for an empty one. Raises MalformedInput for other text."""
    plain = (text or "").strip()
    if plain.lower() in ("", "-", "–", "na", "nan"):
        return None
    try:
        number = float(plain)
    except ValueError:
        number = inf
    if not isfinite(number):
        raise MalformedInput(
            f"column {column!r} contains {plain!r}, which is not a number",
            where=path,
            line=line,
            remedy="write a number with a decimal point, or leave the cell empty",
        )
    return number
