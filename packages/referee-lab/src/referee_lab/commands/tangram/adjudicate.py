"""`referee tangram adjudicate`: decide where two annotators differ."""

from __future__ import annotations

from pathlib import Path

from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.annotate import serve_desk
from referee_lab.commands.tangram.recordings import find_recordings

app = options.make_app()


@app.command(
    epilog="""
Example:

  referee tangram adjudicate sessions/ --annotators ann,bob

Marks on which both agree are accepted; the others are shown side by side. Decisions go to SESSION.adjudicated.annotations.jsonl, which all commands use.
"""
)
def adjudicate(
    recordings: options.Recordings,
    annotators: options.Annotators = None,
    port: options.LocalPort = 8020,
) -> int:
    """Both annotations side by side: take the first, the second, or mark something else."""
    from referee_lab.server.web.built_pages import require_pages
    from referee_lab.tangram.desk.annotation_desk import Desk

    require_pages("annotator")
    sessions = find_recordings(recordings)
    serve_desk(Desk.adjudicate(sessions, choose_two_annotators(sessions, annotators)), port)
    return 0


def choose_two_annotators(recordings: list[Path], annotators: str | None) -> tuple[str, str]:
    """Return the two named annotators, or the only two that exist."""
    from referee_lab.tangram.tiers.annotations import ADJUDICATED, find_annotation_files

    # Adjudicated marks are no third annotator.
    annotator_names = sorted({name for path in recordings for name in find_annotation_files(path)} - {ADJUDICATED})
    names = annotator_names if annotators is None else [name.strip() for name in annotators.split(",")]
    if len(names) != 2 or not set(names) <= set(annotator_names):
        raise InputError(
            "two annotators are needed",
            remedy=f"--annotators with two of {', '.join(annotator_names) or '(no annotator yet)'}",
        )
    return names[0], names[1]
