"""`referee study backup`: a whole copy of the data, also while the study runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.options import make_app
from referee_lab.commands import options

app = make_app()


@app.command(epilog=options.examples("  referee study backup STUDY --to backup.sqlite"))
def backup(
    study: options.StudyFolder,
    to: Annotated[Path, typer.Option(help="File to write; it must not exist yet.")],
) -> None:
    """Copy data/study.sqlite with SQLite's own backup (never by copying the file, which may be in the middle of a write)."""
    from referee_lab.server.store.store import back_up

    # A PostgreSQL store is backed up with its own tools.
    trials = back_up(study / "data" / "study.sqlite", to)
    print(f"{to}: {trials} answers in {to.stat().st_size / 1024:.0f} kB, checked")
