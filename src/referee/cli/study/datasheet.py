"""`referee study datasheet`: the datasheet of a human evaluation, filled in as far as folder and data know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

__all__ = ["app"]

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command(
    epilog="""
[bold]Examples[/bold]

  referee study datasheet STUDY > DATASHEET.md

Before the first participant it describes the plan, afterwards also who took part. What stands in bold only the authors know.
"""
)
def datasheet(
    study: Annotated[Path, typer.Argument(help="The study folder.", show_default=False)],
    mode: Annotated[str | None, typer.Option(help="debug, pilot or live.", show_default="the study's own")] = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="A file; - for the screen.")] = Path("-"),
    database: Annotated[str | None, typer.Option(help="postgresql://… when the data are there.")] = None,
) -> int:
    """Write the study's datasheet in Markdown (after HEDS)."""
    from referee.files import write_atomically
    from referee.studies.data.collection import collect_from
    from referee.studies.data.datasheet import datasheet as fill_in
    from referee.studies.folder.study import open_study

    opened = open_study(study)
    # Without data it describes the plan, which is when it is wanted first.
    served = database is not None or (study / "data" / "study.sqlite").is_file()
    collected = collect_from(opened, database, mode) if served else None
    write_atomically(out, fill_in(opened, collected).splitlines())
    if str(out) != "-":
        print(f"{out}: what stands in bold is for the authors")
    return 0
