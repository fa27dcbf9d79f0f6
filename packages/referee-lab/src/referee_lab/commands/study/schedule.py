"""`referee study schedule`: new people may come in between two times; a running server follows at once."""

from __future__ import annotations

from typing import Annotated

import typer

from referee_lab.commands import options
from referee_lab.commands.study.open_doors import set_and_say

app = options.make_app()


@app.command(
    epilog=options.examples(
        "  referee study schedule STUDY --opens 2026-11-20T09:00+01:00 --closes 2026-11-27T18:00+01:00"
    )
)
def schedule(
    study: options.StudyFolder,
    opens: Annotated[str | None, typer.Option(help="Start of enrolment.", show_default="now")] = None,
    closes: Annotated[str | None, typer.Option(help="End of enrolment.", show_default="never")] = None,
) -> int:
    """Let people in between two times, however long the server runs."""
    from referee_lab.server.sessions.doors import parse_time

    times = {"opens": opens, "closes": closes}
    return set_and_say(study, **{name: parse_time(time) for name, time in times.items() if time is not None})
