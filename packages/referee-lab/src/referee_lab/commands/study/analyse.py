"""`referee study analyse`: the results, by the analyses that the study registered."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

from referee.catalogue import one_of
from referee.cli import options
from referee.cli.progress import waiting

if TYPE_CHECKING:
    from referee.show.reports.sheets import Cell, Sheet
    from referee_lab.study.analysis.registered_tests import Analysis

app = options.new_app()

FORMATS = ("text", "json", "latex")
EPILOG = options.examples("""
  referee study analyse STUDY                                     the tests named in [analysis] of study.toml

  referee study analyse STUDY --style tuna2008                    Tables 11 and 12 of the challenge in their shape

  referee study analyse STUDY --style mixed-model --format json   every pair of systems, with intervals

Reads the data on a connection that cannot write. Rules of [exclusion] are heeded and counted; `referee docs study-data` explains every table.
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

    one_of("--format", format, FORMATS)
    with waiting("models and tests"):
        analysis = compute(collect_from(open_study(study), database, mode), style)
    if format == "json":
        # NaN is no JSON: better an error here than a file that others cannot read.
        print(json.dumps(analysis.as_json(), ensure_ascii=False, indent=1, allow_nan=False))
    elif format == "latex":
        from referee.show.reports.sheets import sheet_as_latex

        print("\n\n".join([*(f"% {remark}" for remark in analysis.remarks), *map(sheet_as_latex, analysis.sheets)]))
    else:
        _show(analysis)
    return 0


def _show(analysis: Analysis) -> None:
    """Print remarks and tables."""
    for remark in analysis.remarks:
        print(remark)
    for sheet in analysis.sheets:
        print(f"\n{sheet.title}")
        print("\n".join([*_lines(sheet), *(f"  {note}" for note in sheet.notes)]))


def _lines(sheet: Sheet) -> list[str]:
    """Return a table as lines; columns keep the width that they need, because a cut number is worse than a long line."""
    if not sheet.rows:
        return []
    above = [text for text, width in sheet.spans for _ in range(width)] or [""] * len(sheet.header)
    heads = [f"{upper} {head}".strip() for upper, head in zip(above, sheet.header, strict=True)]
    cells = [heads, *([_cell(cell) for cell in row] for row in sheet.rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for row in cells:
        placed = [
            text.ljust(width) if i < sheet.left else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append(f"  {'  '.join(placed)}".rstrip())
    return [lines[0], f"  {'-' * (sum(widths) + 2 * len(widths) - 2)}", *lines[1:]]


def _cell(cell: Cell) -> str:
    return f"{cell.text} [{cell.small}]" if cell.small else cell.text
