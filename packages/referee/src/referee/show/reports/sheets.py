"""A table of a report: described once, written as HTML, LaTeX (booktabs) and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.show.reports.score_tables import as_csv, tex


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: text, small print, superscript letters, badge, best mark, and sort key."""

    text: str
    small: str = ""
    letters: str = ""
    badge: str = ""
    best: bool = False
    order: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A table with a file name; `spans` is an upper row of headings with their numbers of columns.

    The CSV file has the rows of `tidy` (full precision, one observation per row), or the cells if that is empty, with
    `corpus` in every row.
    """

    name: str
    corpus: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    spans: tuple[tuple[str, int], ...] = ()
    notes: tuple[str, ...] = ()
    tidy: tuple[Mapping[str, Any], ...] = ()
    left: int = 1


def sheet_as_csv(sheet: Sheet) -> str:
    """Return a table as CSV."""
    heads = _full_heads(sheet)
    rows = sheet.tidy or [dict(zip(heads, map(_csv_cell, row), strict=True)) for row in sheet.rows]
    return as_csv([{"corpus": sheet.corpus, **row} for row in rows]) if rows else ",".join(["corpus", *heads])


def _full_heads(sheet: Sheet) -> list[str]:
    """Return column heads with their upper headings, so that all are different."""
    above = [text for text, width in sheet.spans for _ in range(width)] or [""] * len(sheet.header)
    heads = [" ".join(part for part in pair if part) for pair in zip(above, sheet.header, strict=True)]
    return [head or "row" for head in heads]


def _csv_cell(cell: Cell) -> str:
    return cell.text + cell.letters if cell.order is None else f"{cell.order:.10g}"


def sheet_as_latex(sheet: Sheet) -> str:
    """A booktabs tabular with its title and notes as comments; it needs no other package."""
    columns = "l" * sheet.left + "r" * (len(sheet.header) - sheet.left)
    lines = [f"% {_comment(sheet.title)}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    if sheet.spans:
        lines += _latex_spans(sheet.spans)
    lines += [_latex_line(tex(h) for h in sheet.header), r"\midrule"]
    lines += [_latex_line(map(_latex_cell, row)) for row in sheet.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *(f"% {_comment(note)}" for note in sheet.notes)])


def _comment(text: str) -> str:
    return " ".join(text.split())


def _latex_line(cells: Iterable[str]) -> str:
    """Return one row of a LaTeX table."""
    line = " & ".join(cells)
    return (
        ("{}" if line.startswith("[") else "") + line + r" \\"
    )  # a bracket would be read as an option of the line before


def _latex_spans(spans: Sequence[tuple[str, int]]) -> list[str]:
    """The upper line of headings, and a thin rule under each that is not empty."""
    heads, rules, place = [], [], 1
    for text, width in spans:
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{tex(text)}}}")
        if text:
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    return [_latex_line(heads), " ".join(rules)]


def _latex_cell(cell: Cell) -> str:
    """Return a cell as LaTeX."""
    text = tex(cell.text)
    if cell.best:
        text = rf"\textbf{{{text}}}"
    if cell.letters:
        text += rf"$^{{\mathrm{{{tex(cell.letters)}}}}}$"
    extra = [tex(f"({cell.badge})")] if cell.badge else []
    return " ".join([text, *extra, *([tex(cell.small)] if cell.small else [])])
