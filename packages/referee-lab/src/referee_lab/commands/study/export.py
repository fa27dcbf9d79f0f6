"""`referee study export`: the data of a study as tidy tables that explain themselves."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee_lab.commands import options

if TYPE_CHECKING:
    from referee_lab.study.folder.study import Study

app = options.make_app()

EPILOG = options.examples("""
  referee study export STUDY --out data-2026 && (cd data-2026 && sha256sum -c SHA256SUMS)

  referee study export STUDY --format csv,parquet,jsonl --mode live

Names and platform ids are not in it; --include-identities writes the list that links them to aliases into a file of its own beside the folder. The same data
give the same bytes. Participants who withdrew are not in it; those excluded by the study's rules are, with the reason.
""")


@app.command(epilog=EPILOG)
def export(
    study: options.StudyFolder,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="The folder to write.", show_default="STUDY-export")
    ] = None,
    format: Annotated[str, typer.Option(help="csv, parquet, jsonl, with commas.")] = "csv",
    mode: options.OwnMode = None,
    include_identities: Annotated[
        bool,
        typer.Option(
            "--include-identities",
            help="Also write the participants' identities to OUT.identities.csv, beside the folder.",
        ),
    ] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an export.")] = False,
    database: options.Database = None,
) -> int:
    """Write all answers, sessions, exclusions with reasons, codebook, row counts and checksums."""
    from referee_lab.rooms.room_files import build_room_files, has_rooms
    from referee_lab.study.data.collection import collect, open_for_reading
    from referee_lab.study.data.export import build_export, list_identities, write_export, write_identities
    from referee_lab.study.folder.study import open_study

    opened = open_study(study)
    # Beside the study: files inside its folder change its hash.
    target = out or study.resolve().with_name(f"{study.resolve().name}-export")
    # One connection for tables and identities, which cannot write.
    with open_for_reading(opened, database) as connection:
        collected = collect(opened, connection, mode)
        games = build_room_files(connection, opened, mode) if has_rooms(opened) else {}
        formats = [f.strip() for f in format.split(",") if f.strip()]
        write_export(target, build_export(collected, formats, games), overwrite)
        names = list_identities(connection, opened, mode) if include_identities else None
    left_out = sum(bool(a.marks) for a in collected.trials)
    print(
        f"{target}: {len(collected.answers):,} answers of {len(collected.sittings)} sessions in mode {collected.mode}; "
        f"{left_out:,} are marked as left out of an analysis, with reasons"
    )
    if games:
        print(f"{target / 'rooms'}: {_summarise_games(opened, games)}")
    if collected.simulated:
        print(f"{collected.simulated} of the sessions are simulated participants")
    if collected.counts["withdrawn"] or collected.counts["purged"]:
        gone = collected.counts["withdrawn"] + collected.counts["purged"]
        print(f"{gone} withdrawn sessions are not in it; delete earlier exports")
    if names is not None:
        # Beside the folder, so that a copy of the folder has no names.
        path = target.with_name(f"{target.name}.identities.csv")
        write_identities(path, names)
        print(f"{path}: {len(names) - 1} identities; store it separately from the data")
    print(f"Before you pass it on, go through {target / 'CHECKLIST.md'}")
    return 0


def _summarise_games(study: Study, games: Mapping[str, bytes]) -> str:
    """Return a sentence on the exported games."""
    from referee_lab.rooms.room_files import ABOUT, is_reference_game

    if is_reference_game(study):
        played = sum(name.endswith(".json") and not name.endswith(ABOUT) for name in games)
        return f"{played} games, with a table of the rooms; `referee play --played` scores them"
    return f"{len(games) - 1} recorded puzzles, with a table of the rooms; `referee tangram` reads them"
