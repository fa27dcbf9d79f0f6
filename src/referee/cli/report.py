"""`referee report`: run folders in, one page and its tables and figures out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.api.report import STYLES
from referee.api.report import report as write_report
from referee.cli import options, told
from referee.cli.progress import counting
from referee.reports.report_figures import NO_FILES, can_save
from referee.reports.sections import ITEMS

app = options.new_app()

EPILOG = options.examples("""
  referee score --demo --by domain,condition --out demo-run && referee report demo-run --out report

  referee report RUN --out report --style tuna2008        with Tables 3 to 12 of the challenge overview in their printed shape

  referee report RUN-A RUN-B --out report                 runs over the same trials share their tables, others get parts of their own

  referee report RUN --audit --out report                 with the audit of printed tables

  referee report RUN --pictures shared/data/osworld-g     boxes and points on their pictures

Open report/index.html: it needs no network. Tables lie beside it as CSV and LaTeX, figures as SVG, PNG and PDF.
""")


@app.command(epilog=EPILOG)
def report(
    runs: Annotated[list[Path] | None, typer.Argument(help="Run folders, scored or not.", show_default=False)] = None,
    out: Annotated[Path, typer.Option(help="The folder to write.")] = Path("report"),
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    style: Annotated[
        str | None, typer.Option(help=f"Also tables in the shape of a paper: {', '.join(STYLES)}.")
    ] = None,
    audit: Annotated[bool, typer.Option("--audit", help="Also the audit of printed tables.")] = False,
    court: Annotated[
        bool, typer.Option("--court", help="Hold the court also over very many answers, which takes minutes.")
    ] = False,
    items: Annotated[int, typer.Option(help="Items in the browser at most, the worst first.", min=1)] = ITEMS,
    pictures: Annotated[
        Path | None,
        typer.Option(help="Where the pictures of the trials are, for boxes and points on them.", show_default=False),
    ] = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing report.")] = False,
) -> int:
    """One page with everything a paper and its readers need: scores, panels, spread, agreement of measures, every item, methods and data."""
    made = write_report(
        runs or (),
        out,
        title=title,
        style=style,
        audit=audit,
        court=court,
        items=items,
        pictures=pictures,
        overwrite=overwrite,
        progress=counting,
    )
    if not can_save():
        told(f"{out}: {NO_FILES}")
    print(f"{made.page}")
    return 0
