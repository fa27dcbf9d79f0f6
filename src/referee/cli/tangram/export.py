"""`referee tangram export`: a recording as tiers, pictures or a film."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.cli import options
from referee.cli.tangram.recordings import open_recording, tiers_of
from referee.errors import InputError

if TYPE_CHECKING:
    from referee.situated.game.log import Recording
    from referee.situated.tiers.dialogue import Dialogue

__all__ = ["TIERS", "app", "tiers_as"]

app = options.new_app()
TIERS = ("eaf", "csv", "jsonl")
FILMS = ("gif", "webp", "mp4")


@app.command(
    epilog=options.examples("""
  referee tangram export session.jsonl --as eaf                           tiers for ELAN

  referee tangram export session.jsonl --as csv --annotator ann           one row per event, with ann's expressions

  referee tangram export session.jsonl --as svg --at 42.5 --numbers       one moment as a picture

  referee tangram export session.jsonl --as gif --from 30 --to 45 --speed 2
""")
)
def export(
    recording: options.Recording,
    kind: Annotated[str, typer.Option("--as", help=f"{', '.join((*TIERS, 'svg', *FILMS))}.")] = "eaf",
    out: Annotated[Path | None, typer.Option(help="The file to write (default: beside the recording).")] = None,
    annotator: options.Annotator = None,
    at: Annotated[float, typer.Option(help="The moment of an SVG, in seconds.", min=0)] = 0.0,
    begin: Annotated[float, typer.Option("--from", help="Start of a film, in seconds.", min=0)] = 0.0,
    end: Annotated[float | None, typer.Option("--to", help="End of a film, in seconds.")] = None,
    speed: Annotated[float, typer.Option(help="Speed of a film.", min=0.01)] = 1.0,
    fps: Annotated[float, typer.Option(help="Frames per second of a film.", min=0.1)] = 10.0,
    cursor: Annotated[bool, typer.Option(help="Show the cursor.")] = True,
    numbers: Annotated[bool, typer.Option(help="Number the pieces.")] = False,
) -> int:
    """Tiers for ELAN and tables, a picture of one moment, or a film for a talk; always drawn from the stored states."""
    found = open_recording(recording)
    # A recording is .jsonl itself and must not be overwritten by its tiers.
    target = out or recording.with_name(f"{recording.stem}.{'tiers.' if kind == 'jsonl' else ''}{kind}")
    if kind in TIERS:
        _write(target, tiers_as(tiers_of(found, recording, annotator), kind))
    elif kind == "svg":
        _write(target, _picture(found, at, cursor, numbers).encode())
    elif kind in FILMS:
        from referee.situated.game.animation import save_animation

        film = {"fps": fps, "speed": speed, "start_ms": 1000 * begin, "cursor": cursor, "numbers": numbers}
        save_animation(found, target.with_suffix(f".{kind}"), **film, end_ms=None if end is None else 1000 * end)
    else:
        raise InputError(f"--as {kind} is not known", remedy=f"one of {', '.join((*TIERS, 'svg', *FILMS))}")
    print(f"wrote {target}")
    return 0


def tiers_as(dialogue: Dialogue, kind: str) -> bytes:
    """A dialogue in one of the formats for tiers."""
    from referee.situated.tiers import elan, tier_tables

    if kind == "eaf":
        return elan.to_eaf(dialogue)
    return (tier_tables.to_csv if kind == "csv" else tier_tables.to_jsonl)(dialogue).encode()


def _picture(recording: Recording, at: float, cursor: bool, numbers: bool) -> str:
    from referee.situated.game.board_pictures import draw_board
    from referee.situated.game.log import state_at

    moment = state_at(recording, 1000 * at)
    if moment is None:
        raise InputError(f"nothing was on the board {at:g} s after the start", remedy="choose a later --at")
    return draw_board(moment.board, cursor=moment.cursor if cursor else None, numbers=numbers)


def _write(target: Path, content: bytes) -> None:
    from referee.files import write_atomically

    write_atomically(
        target, content.decode().split("\n") if not content.endswith(b"\n") else content.decode()[:-1].split("\n")
    )
