"""`referee study restore`: replaces a lost or damaged store by a backup; the old store is kept beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee_lab.commands import options

app = options.make_app()


@app.command(epilog=options.examples("  referee study restore STUDY --backup STUDY/data/backups/2026-11-20.sqlite"))
def restore(
    study: options.StudyFolder,
    backup: Annotated[Path, typer.Option(help="A file that `referee study backup` wrote.")],
) -> int:
    """Replace the store by a backup; the server must be stopped. The old store is kept under another name."""
    from referee_lab.server.store.store import put_back
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    answers, set_aside = put_back(backup, study / "data" / "study.sqlite", opened.id)
    print(f"restored {answers:,} answers from {backup}")
    if set_aside is not None:
        print(f"the old store is now {set_aside}; answers given after the backup are only there")
    return 0
