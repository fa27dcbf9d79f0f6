"""`referee tangram repair`: cuts the sounds of several puzzles out of the file of the first one, at the logged times."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from referee.errors import CannotWrite, InputError
from referee_lab.commands import options

app = options.make_app()


@app.command(
    epilog=options.examples("""
  referee tangram export STUDY --all --as jsonl --out sessions

  referee tangram repair sessions --out repaired

For studies with --voice and several puzzles that earlier versions recorded: the speech of all puzzles is in the file of the first.
""")
)
def repair(
    recordings: Annotated[Path, typer.Argument(help="The folder of exported recordings and voices.", show_default=False)],
    out: Annotated[Path, typer.Option(help="The folder for the repaired recordings and voices; the old ones stay.", show_default=False)],
) -> int:  # fmt: skip
    """Cut the sound of a whole session at the start and end of each of its puzzles."""
    from referee.files import write_bytes
    from referee_lab.commands.tangram.recordings import open_recording
    from referee_lab.tangram.game.dialogue_sessions import is_recording
    from referee_lab.tangram.game.log import write_recording
    from referee_lab.tangram.game.sound_repair import repair_voices

    if not recordings.is_dir():
        raise InputError("this is not a folder", where=recordings, remedy="name the folder of `referee tangram export`")
    if out.resolve() == recordings.resolve():
        raise CannotWrite("the repaired files would replace the old ones", where=out, remedy="choose another --out")
    files = [path for path in sorted(recordings.glob("*.jsonl")) if is_recording(path)]
    if not files:
        raise InputError(
            "the folder has no recordings", where=recordings, remedy="name the folder of `referee tangram export`"
        )
    sessions: dict[str, list[Path]] = {}
    for path in files:
        sessions.setdefault(path.stem.rpartition("-")[0] or path.stem, []).append(path)
    out.mkdir(parents=True, exist_ok=True)
    changed = 0
    for paths in sessions.values():
        puzzles = [open_recording(path) for path in sorted(paths, key=_make_puzzle_sort_key)]
        for puzzle in repair_voices(puzzles, recordings):
            session = puzzle.recording.header.session
            write_recording(out / f"{session}.jsonl", puzzle.recording)
            for name, content in puzzle.sounds.items():
                write_bytes(out / name, [content])
            changed += 1
            print(f"{out / session}.jsonl  {', '.join(sorted(puzzle.sounds))}")
    print(f"{changed} of {len(files)} recordings repaired; the others needed no repair")
    return 0


def _make_puzzle_sort_key(path: Path) -> tuple[int, str]:
    """Return the sort key of a file: its puzzle number (0 without one), then its name."""
    number = path.stem.rpartition("-")[2]
    return (int(number) if number.isdecimal() else 0), path.stem
