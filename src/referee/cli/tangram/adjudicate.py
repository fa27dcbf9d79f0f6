"""`referee tangram adjudicate`: decide where two annotators differ."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.cli.tangram.annotate import serve_desk
from referee.cli.tangram.recordings import find_recordings
from referee.errors import InputError

__all__ = ["app", "two_names"]

app = typer.Typer(add_completion=False, rich_markup_mode="rich")


@app.command(
    epilog="""
[bold]Example[/bold]

  referee tangram adjudicate sessions/ --annotators ann,bob

What both marked alike is taken over; the rest is shown side by side. Decisions go to SESSION.adjudicated.annotations.jsonl, which all commands use.
"""
)
def adjudicate(
    recordings: Annotated[
        list[Path], typer.Argument(help="A folder of recordings, or recordings.", show_default=False)
    ],
    annotators: Annotated[
        str | None, typer.Option(help="The two, with a comma (default: if there are just two).")
    ] = None,
    port: Annotated[int, typer.Option(help="Port to listen on (this machine only).", min=1, max=65535)] = 8020,
) -> int:
    """Both annotations side by side: take the first, the second, or mark something else."""
    from referee.studies.dialogue.annotation_desk import Desk

    found = find_recordings(recordings)
    serve_desk(Desk.adjudicate(found, two_names(found, annotators)), port)
    return 0


def two_names(recordings: list[Path], annotators: str | None) -> tuple[str, str]:
    """The two annotators named, or the only two there are."""
    from referee.situated.tiers.annotations import ADJUDICATED, annotation_files

    # What was decided is no third opinion.
    there = sorted({name for path in recordings for name in annotation_files(path)} - {ADJUDICATED})
    names = there if annotators is None else [name.strip() for name in annotators.split(",")]
    if len(names) != 2 or not set(names) <= set(there):
        raise InputError(
            "two annotators are needed",
            remedy=f"--annotators with two of {', '.join(there) or '(nobody has annotated)'}",
        )
    return names[0], names[1]
