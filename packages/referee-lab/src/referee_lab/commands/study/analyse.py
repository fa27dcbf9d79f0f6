"""`referee study analyse`: the results, by the analyses that the study registered."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from referee.catalogue import check_choice
from referee.cli import find_page_width
from referee.cli.help_page import print_wrapped
from referee.cli.progress import show_clock
from referee_lab.commands import options

if TYPE_CHECKING:
    from referee.show.reports.sheets import Cell, Sheet
    from referee_lab.study.analysis.registered_tests import Analysis

app = options.make_app()

FORMATS = ("text", "json", "latex")
EPILOG = options.examples("""
  referee study analyse STUDY                                     the tests named in [analysis] of study.toml

  referee study analyse STUDY --style tuna2008                    Tables 11 and 12 of the challenge in their shape

  referee study analyse STUDY --style mixed-model --format json   every pair of systems, with intervals

Reads the data on a connection that cannot write. Rules of [exclusion] are applied and counted; `referee docs study-data` explains every table.
""")


@app.command(epilog=EPILOG)
def analyse(
    study: options.StudyFolder,
    style: Annotated[
        str | None, typer.Option(help="tuna2008 or mixed-model.", show_default="what the study registered")
    ] = None,
    format: Annotated[str, typer.Option(help="text, json or latex.")] = "text",
    mode: options.OwnMode = None,
    database: options.Database = None,
) -> int:
    """Analyse a study's data."""
    from referee_lab.study.analysis.registered_tests import analyse as compute
    from referee_lab.study.data.collection import collect_from
    from referee_lab.study.folder.study import open_study

    check_choice("--format", format, FORMATS)
    with show_clock("models and tests"):
        analysis = compute(collect_from(open_study(study), database, mode), style)
    if format == "json":
        # NaN is no JSON: better an error here than a file that others cannot read.
        print(json.dumps(analysis.as_json(), ensure_ascii=False, indent=1, allow_nan=False))
    elif format == "latex":
        from referee.show.reports.sheets import format_latex

        print("\n\n".join([*(f"% {remark}" for remark in analysis.remarks), *map(format_latex, analysis.sheets)]))
    else:
        _print_analysis(analysis)
    return 0


def _print_analysis(analysis: Analysis) -> None:
    """Print remarks and tables, in the width of the terminal."""
    page = find_page_width()
    for remark in analysis.remarks:
        print_wrapped(remark, page)
    for sheet in analysis.sheets:
        print_wrapped(f"\n{sheet.title}", page)
        print("\n".join(_format_table(sheet, page)))
        for note in sheet.notes:
            print_wrapped(f"  {note}", page)


def _format_table(sheet: Sheet, page: int | None) -> list[str]:
    """Return a table as lines. One that is too wide goes on below with its other columns, each part with the first ones."""
    if not sheet.rows:
        return []
    above = [text for text, width in sheet.spans for _ in range(width)] or [""] * len(sheet.header)
    heads = [f"{upper} {head}".strip() for upper, head in zip(above, sheet.header, strict=True)]
    cells = [heads, *([_format_cell(cell) for cell in row] for row in sheet.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    first = list(range(sheet.left))
    parts = [first]
    for column in range(sheet.left, len(widths)):
        taken = 2 + sum(widths[i] + 2 for i in parts[-1])
        if page is not None and len(parts[-1]) > len(first) and taken + widths[column] > page:
            parts.append(first)
        parts[-1] = [*parts[-1], column]
    return [line for part in parts for line in _format_columns(cells, widths, part, sheet.left)]


def _format_columns(
    cells: Sequence[Sequence[str]], widths: Sequence[int], columns: Sequence[int], left: int
) -> list[str]:
    """Return some columns of a table as lines; names are aligned left, numbers right."""
    lines = []
    for row in cells:
        padded = [row[i].ljust(widths[i]) if i < left else row[i].rjust(widths[i]) for i in columns]
        lines.append(f"  {'  '.join(padded)}".rstrip())
    return [lines[0], f"  {'-' * (sum(widths[i] + 2 for i in columns) - 2)}", *lines[1:]]


def _format_cell(cell: Cell) -> str:
    return f"{cell.text} [{cell.small}]" if cell.small else cell.text
