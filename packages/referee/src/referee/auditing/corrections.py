"""The register of corrections: a cell as printed, its correct value, the reason, and the check that found it.

One file is shipped (`corrections.toml`), made by `referee audit --corrections` from the findings of the audit, and read
wherever the printed tables are used. A correction is a value, or an interval if the print determines no more.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from referee.auditing.paper import Paper
from referee.auditing.printed import PrintedTable
from referee.errors import MalformedInput

REGISTER = Path(__file__).with_name("corrections.toml")
REMEDY = "make it again: referee audit --corrections > packages/referee/src/referee/auditing/corrections.toml"
HEAD = """# The register of corrections: made by `referee audit --corrections`, read by the court and the report. Do not edit by hand.
# from: as printed; to: a value, or [lowest, highest] where the print determines no more.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """The correction of one cell: `table` is its name in `paper.toml`.

    `low` and `high` bound the correct value.
    """

    paper: str
    table: str
    row: str
    column: str
    printed: str
    low: float
    high: float
    why: str
    check: str

    @property
    def exact(self) -> bool:
        return self.low == self.high

    def between(self, fraction: float = 0.5) -> float:
        """Return a value of the interval, by default the midpoint."""
        return self.low + fraction * (self.high - self.low)

    def as_json(self) -> dict[str, Any]:
        """Return plain data: `to` is a number or a pair, `used` the value that the court takes."""
        return {
            "paper": self.paper,
            "table": self.table,
            "row": self.row,
            "column": self.column,
            "from": self.printed,
            "to": self.low if self.exact else [self.low, self.high],
            "used": float(f"{self.between():.10g}"),
            "why": self.why,
            "check": self.check,
        }


def format_toml(corrections: Iterable[Correction]) -> str:
    """Return the register as a file, with the cells of one finding together."""
    parts = [HEAD]
    # Only neighbours are joined, which is enough: corrections come finding by finding.
    for (paper, check, why), cells in groupby(corrections, key=lambda c: (c.paper, c.check, c.why)):
        parts += [
            "",
            "[[corrections]]",
            f"paper = {_quote_text(paper)}",
            f"check = {_quote_text(check)}",
            f"why = {_quote_text(why)}",
        ]
        parts += ["cells = [", *(f"  {_format_cell(c)}," for c in cells), "]"]
    return "\n".join(parts) + "\n"


def _format_cell(c: Correction) -> str:
    """Return one corrected cell as TOML."""
    to = f"{c.low:.10g}" if c.exact else f"[{c.low:.10g}, {c.high:.10g}]"
    place = f"table = {_quote_text(c.table)}, row = {_quote_text(c.row)}, column = {_quote_text(c.column)}"
    return f"{{ {place}, from = {_quote_text(c.printed)}, to = {to} }}"


def _quote_text(text: str) -> str:
    """Return a basic string of TOML, which every JSON string is."""
    return json.dumps(text, ensure_ascii=False)


def read_register(path: Path = REGISTER) -> tuple[Correction, ...]:
    """Return all corrections of a register. Raises MalformedInput, naming the place, for an invalid file."""
    try:
        entries = tomllib.loads(path.read_text("utf-8"))["corrections"]
        return tuple(_parse_correction(entry, cell) for entry in entries for cell in entry["cells"])
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise MalformedInput(f"cannot be read ({error})", where=path, remedy=REMEDY) from error
    except (KeyError, TypeError, ValueError) as error:
        raise MalformedInput(
            f"a field of this entry is missing or invalid: {error}", where=path, remedy=REMEDY
        ) from error


def _parse_correction(entry: Mapping[str, Any], cell: Mapping[str, Any]) -> Correction:
    """Return one correction from its TOML entry."""
    low, high = cell["to"] if isinstance(cell["to"], list) else (cell["to"], cell["to"])
    return Correction(
        paper=entry["paper"],
        check=entry["check"],
        why=entry["why"],
        table=cell["table"],
        row=cell["row"],
        column=cell["column"],
        printed=cell["from"],
        low=float(low),
        high=float(high),
    )


def correct_paper(
    paper: Paper, corrections: Sequence[Correction], value: Callable[[Correction], float] = Correction.between
) -> Paper:
    """Return the paper with corrected cells: midpoints of intervals, or values by `value`."""
    tables = dict(paper.tables)
    for correction in corrections:
        table = tables.get(correction.table)
        # The register is about one state of the tables; a cell that reads otherwise means that one of the two is stale.
        if table is None or table.text(correction.row, correction.column) != correction.printed:
            what = f"{correction.table}, {correction.row}, {correction.column} of {paper.name}"
            raise MalformedInput(f"{what} does not contain {correction.printed!r}", where=REGISTER, remedy=REMEDY)
        tables[correction.table] = _correct_cell(table, correction, value(correction))
    return replace(paper, tables=tables)


def _correct_cell(table: PrintedTable, correction: Correction, value: float) -> PrintedTable:
    """Return a table with one cell corrected."""
    at = table.labels.index(correction.row)
    row = {**table.cells[at], correction.column: f"{value:.10g}"}
    return replace(table, cells=(*table.cells[:at], row, *table.cells[at + 1 :]))
