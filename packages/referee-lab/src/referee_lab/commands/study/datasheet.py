"""`referee study datasheet`: the datasheet of a human evaluation, filled in as far as folder and data know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee_lab.commands import options

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee study datasheet STUDY > DATASHEET.md

Before the first participant it describes the plan, afterwards also who took part. The authors fill in the parts in bold.
""")
)
def datasheet(
    study: options.StudyFolder,
    mode: options.OwnMode = None,
    out: Annotated[Path, typer.Option("--out", "-o", help="File to write; - for the terminal.")] = Path("-"),
    database: options.Database = None,
) -> int:
    """Write the study's datasheet in Markdown (after HEDS)."""
    from referee.files import write_atomically
    from referee_lab.study.data.collection import collect_from
    from referee_lab.study.data.datasheet import write_datasheet as fill_in
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    # Without data it describes the plan, which is when it is wanted first.
    served = database is not None or (study / "data" / "study.sqlite").is_file()
    collected = collect_from(opened, database, mode) if served else None
    write_atomically(out, fill_in(opened, collected).splitlines())
    if str(out) != "-":
        print(f"{out}: the authors fill in the parts in bold")
    return 0
