"""A table of a report: described once, written as HTML, LaTeX (booktabs) and CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from referee.show.reports.score_tables import as_csv, escape_tex


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


def format_csv(sheet: Sheet) -> str:
    """Return a table as CSV."""
    heads = _join_heads(sheet)
    rows = sheet.tidy or [dict(zip(heads, map(_format_csv_cell, row), strict=True)) for row in sheet.rows]
    return as_csv([{"corpus": sheet.corpus, **row} for row in rows]) if rows else ",".join(["corpus", *heads])


def _join_heads(sheet: Sheet) -> list[str]:
    """Return column heads with their upper headings, so that all are different."""
    above = [text for text, width in sheet.spans for _ in range(width)] or [""] * len(sheet.header)
    heads = [" ".join(part for part in pair if part) for pair in zip(above, sheet.header, strict=True)]
    return [head or "row" for head in heads]


def _format_csv_cell(cell: Cell) -> str:
    return cell.text + cell.letters if cell.order is None else f"{cell.order:.10g}"


def format_latex(sheet: Sheet) -> str:
    """Return a booktabs tabular, with its title and notes as comments; it needs no other package."""
    columns = "l" * sheet.left + "r" * (len(sheet.header) - sheet.left)
    lines = [f"% {_format_comment(sheet.title)}", rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    if sheet.spans:
        lines += _format_latex_spans(sheet.spans)
    lines += [_format_latex_row(escape_tex(h) for h in sheet.header), r"\midrule"]
    lines += [_format_latex_row(map(_format_latex_cell, row)) for row in sheet.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*lines, *(f"% {_format_comment(note)}" for note in sheet.notes)])


def _format_comment(text: str) -> str:
    return " ".join(text.split())


def _format_latex_row(cells: Iterable[str]) -> str:
    """Return one row of a LaTeX table."""
    line = " & ".join(cells)
    return (
        ("{}" if line.startswith("[") else "") + line + r" \\"
    )  # a bracket would be read as an option of the line before


def _format_latex_spans(spans: Sequence[tuple[str, int]]) -> list[str]:
    """Return the upper row of headings, with a rule under each heading that is not empty."""
    heads, rules, place = [], [], 1
    for text, width in spans:
        heads.append(rf"\multicolumn{{{width}}}{{c}}{{{escape_tex(text)}}}")
        if text:
            rules.append(rf"\cmidrule(lr){{{place}-{place + width - 1}}}")
        place += width
    return [_format_latex_row(heads), " ".join(rules)]


def _format_latex_cell(cell: Cell) -> str:
    """Return a cell as LaTeX."""
    text = escape_tex(cell.text)
    if cell.best:
        text = rf"\textbf{{{text}}}"
    if cell.letters:
        text += rf"$^{{\mathrm{{{escape_tex(cell.letters)}}}}}$"
    extra = [escape_tex(f"({cell.badge})")] if cell.badge else []
    return " ".join([text, *extra, *([escape_tex(cell.small)] if cell.small else [])])
