"""`referee study open`: new people may come in from now on; a running server follows at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from referee_lab.commands import options

app = options.make_app()


@app.command(epilog=options.examples("  referee study open STUDY"))
def open_doors(study: options.StudyFolder) -> int:
    """Let people in from now on, without any limit in time."""
    return set_and_say(study)


def set_and_say(study: Path, **doors: Any) -> int:
    """Store the opening state and print it."""
    from referee_lab.server.sessions.doors import Doors, set_doors
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    stand = Doors(**doors)
    set_doors(opened.folder, stand)
    print(f"{opened.id}: {stand.said()}")
    return 0
