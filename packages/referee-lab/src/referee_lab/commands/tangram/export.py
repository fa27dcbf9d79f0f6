"""`referee tangram export`: people's games out of a study; a recording as tiers or a picture."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from referee.catalogue import check_choice
from referee.errors import InputError
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import make_recording_tiers, open_session, put_dialogues, read_tiers

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from referee_lab.rooms.room_files import RoomSummary
    from referee_lab.study.folder.study import Study
    from referee_lab.tangram.game.log import Recording
    from referee_lab.tangram.tiers.dialogue import Dialogue


app = options.make_app()
TIERS = ("eaf", "csv", "jsonl")
GAMES = ("games", "jsonl")


@app.command(
    epilog=options.examples("""
  referee tangram export STUDY                                            which rooms there are, and who was in them

  referee tangram export STUDY --all --as jsonl --out sessions            every game as a recording

  referee tangram export STUDY --room ID --as eaf --out sessions          one room, for ELAN

  referee tangram export STUDY --all --as games --out GAMES               a reference game (`referee tangram choose`), for `referee play --played GAMES`

  referee tangram export session.jsonl --as eaf                           tiers for ELAN

  referee tangram export session.jsonl --as csv --annotator ann           one row per event, with ann's expressions

  referee tangram export session.jsonl --as svg --at 42.5 --numbers       one moment as a picture

  referee tangram export --corpus pento-cv --as eaf --out pento           the dialogues of a corpus
""")
)
def export(
    recording: Annotated[
        Path | None, typer.Argument(help="A recording (.jsonl), or a study folder.", show_default=False)
    ] = None,
    corpus: options.DialogueCorpus = None,
    only: options.OnlyDialogues = None,
    data: options.Data = None,
    room: Annotated[str | None, typer.Option(help="With a study: id of the room.")] = None,
    every: Annotated[bool, typer.Option("--all", help="With a study: export every room.")] = False,
    mode: options.OwnMode = None,
    database: options.Database = None,
    kind: Annotated[
        str | None,
        typer.Option(
            "--as",
            help=f"{', '.join((*TIERS, 'svg'))}; of a reference game {' or '.join(GAMES)}.",
            show_default="eaf, or games",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="The file to write (of a study: the folder); default: beside it.")
    ] = None,
    annotator: options.Annotator = None,
    at: Annotated[float, typer.Option(help="Time of the SVG picture, in seconds since the start.", min=0)] = 0.0,
    cursor: Annotated[bool, typer.Option(help="Show the cursor.")] = True,
    numbers: Annotated[bool, typer.Option(help="Number the pieces.")] = False,
) -> int:
    """Tiers for ELAN and tables, or a picture of one moment, drawn from the stored states.

    Of a study folder: its rooms are listed, and with --room or --all written as recordings (--as jsonl) or tiers (eaf, csv), one file for each puzzle.
    Of a reference game every room is one game: --as games for `referee play --played`, --as jsonl for all that happened, line by line.
    """
    if recording is None or corpus is not None:
        return _export_corpus(recording, corpus, data, only, kind or TIERS[0], out)
    if recording.is_dir():
        return _export_study(recording, room, every, mode, database, kind, out, annotator)
    if room is not None or every:
        raise InputError("--room and --all are for study folders", where=recording, remedy="leave them out")
    kind = kind or TIERS[0]
    session = open_session(recording)
    session_recording = session.recording
    # A recording is .jsonl itself and must not be overwritten by its tiers.
    target = out or recording.with_name(f"{recording.stem}.{'tiers.' if kind == 'jsonl' else ''}{kind}")
    if kind in TIERS:
        _write_file(
            target, format_tiers(read_tiers(session, recording, annotator), kind, session_recording, target.parent)
        )
    elif session_recording is None and kind == "svg":
        raise InputError(
            "the positions of pieces were not recorded in this dialogue",
            where=recording,
            remedy="`referee tangram replay` draws it from its events",
        )
    elif kind == "svg":
        assert session_recording is not None
        _write_file(target, _draw_board(session_recording, at, cursor, numbers).encode())
    else:
        check_choice("--as", kind, (*TIERS, "svg"))
    print(f"wrote {target}")
    return 0


def _export_corpus(
    recording: Path | None, corpus: str | None, data: Path | None, only: str | None, kind: str, out: Path | None
) -> int:
    """Write the dialogues of a corpus, one file for each."""
    from referee_lab.commands.tangram.sources import read_corpus_dialogues

    if recording is not None or corpus is None:
        raise InputError(
            "both a recording and a corpus are named" if recording else "nothing is named",
            remedy="name a recording or a study folder, or --corpus NAME",
        )
    if kind not in TIERS:
        raise InputError(f"--as {kind} exports a single recording", remedy=f"--as {' or '.join(TIERS)}")
    target = out or Path(corpus)
    dialogues = read_corpus_dialogues(corpus, data, only)
    if kind == "jsonl":
        put_dialogues(dialogues, target)
    else:
        target.mkdir(parents=True, exist_ok=True)
        for dialogue in dialogues:
            _write_file(target / f"{dialogue.id}.{kind}", format_tiers(dialogue, kind))
    print(f"wrote {len(dialogues)} dialogues into {target}")
    return 0


def _export_study(
    folder: Path,
    room: str | None,
    every: bool,
    mode: str | None,
    database: str | None,
    kind: str | None,
    out: Path | None,
    annotator: str | None,
) -> int:
    """Print the list of a study's rooms, or write them."""
    from referee_lab.rooms.room_files import has_rooms, is_reference_game, iterate_recordings, list_rooms
    from referee_lab.study.data.collection import open_for_reading
    from referee_lab.study.folder.study import open_study

    study = open_study(folder)
    if not has_rooms(study):
        raise InputError(
            "this study has no rooms",
            where=folder,
            remedy="name a study of `referee tangram serve` or `referee tangram choose`",
        )
    if room is not None and every:
        raise InputError("give either --room or --all", remedy="give --room or --all")
    choosing = is_reference_game(study)
    possible = GAMES if choosing else TIERS
    kind = kind or possible[0]
    if annotator is not None or kind not in possible:
        raise InputError(
            f"these rooms cannot be exported with --as {kind}"
            if annotator is None
            else "--annotator needs a single recording",
            where=folder,
            remedy=f"export with --as {' or '.join(possible)}{'' if choosing else ' first, then name the recording'}",
        )
    with open_for_reading(study, database) as connection:
        rooms = list_rooms(connection, study, mode)
        if room is None and not every:
            print("\n".join(_format_rooms(rooms, study.title, mode or study.mode)))
            return 0
        chosen = [r for r in rooms if (r.why_not is None if every else r.id == room)]
        if not chosen:
            room_ids = ", ".join(r.id for r in rooms) or "none yet"
            raise InputError(
                f"there is no room {room!r}" if room else "there is no room to export",
                where=folder,
                remedy=f"rooms in mode {mode or study.mode}: {room_ids}",
            )
        target = out or folder.resolve().with_name(f"{folder.resolve().name}-rooms")
        target.mkdir(parents=True, exist_ok=True)
        if choosing:
            written = _write_games(connection, study, chosen, target, kind)
        else:
            written = [
                _write_one(puzzle_recording, target, kind, folder)
                for puzzle_recording in iterate_recordings(connection, study, chosen)
            ]
    print(f"wrote {len(written)} {'games' if choosing else 'recorded puzzles'} of {len(chosen)} rooms into {target}")
    left = [r for r in rooms if r.why_not is not None]
    if every and left:
        print("not given out: " + "; ".join(f"{r.id} ({r.why_not})" for r in left))
    return 0


def _write_games(
    connection: Connection, study: Study, rooms: Sequence[RoomSummary], folder: Path, kind: str
) -> list[Path]:
    """Write reference games as files, with the settings that `referee play` needs."""
    from referee_lab.rooms.room_files import ABOUT, build_games_file, build_reference_files

    written = []
    for room in rooms:
        if room.why_not is not None:
            raise InputError(f"{room.why_not} in the room {room.id}", remedy="leave this room out")
        for name, content in build_reference_files(connection, room.id, (kind,)).items():
            _write_file(folder / name, content)
            written.append(folder / name)
    if kind == "games":
        _write_file(folder / ABOUT, build_games_file(study).encode())
    return written


def _format_rooms(rooms: Sequence[RoomSummary], title: str, mode: str) -> list[str]:
    """Return the rooms as lines of a table."""
    from referee_lab.commands.tangram.sources import align_columns

    if not rooms:
        return [f"{title}: no games in mode {mode} yet"]
    table = [("room", "people", "state", "puzzle", "result", "minutes", "messages")]
    for room in rooms:
        about = (room.id, " ".join(room.people), room.outcome or room.state)
        if room.why_not is not None:
            table.append((*about, "–", f"not exported: {room.why_not}", "–", "–"))
        for puzzle in room.puzzles:
            cells = (puzzle["goal"], puzzle["result"], f"{puzzle['seconds'] / 60:.1f}", str(puzzle["utterances"]))
            table.append((*about, *cells))
    return [f"{title}: {len(rooms)} rooms in mode {mode}", "", *align_columns(table)]


def _write_one(recording: Recording, folder: Path, kind: str, study: Path) -> Path:
    """Write a recording or its tiers, with its sounds; return the path."""
    from referee.files import FOR_OWNER, write_bytes
    from referee_lab.rooms.sound import join_sounds

    for name, sound in join_sounds(study, recording).items():
        write_bytes(folder / name, [sound], FOR_OWNER)
    target = folder / f"{recording.header.session}.{kind}"
    if kind == "jsonl":
        from referee_lab.tangram.game.log import format_recording

        _write_file(target, format_recording(recording).encode())
    else:
        _write_file(target, format_tiers(make_recording_tiers(recording, target), kind, recording, folder))
    return target


def format_tiers(
    dialogue: Dialogue, kind: str, recording: Recording | None = None, folder: Path | None = None
) -> bytes:
    """Return a dialogue in a format for tiers.

    ELAN files link the sounds of the recording in the folder, with their start times.
    """
    from referee_lab.tangram.tiers import dialogue_form, elan, tier_tables

    if kind == "eaf":
        media = {} if recording is None or folder is None else _list_media(recording, folder)
        return elan.convert_to_eaf(dialogue, media=media)
    return (tier_tables.convert_to_csv if kind == "csv" else dialogue_form.write_dialogue)(dialogue).encode()


def _list_media(recording: Recording, folder: Path) -> dict[str, float]:
    """Return the sounds for ELAN with their offsets.

    ELAN can start inside a file and not before it: a sound that began late is padded with silence, as another file.
    """
    from referee.files import FOR_OWNER, write_bytes
    from referee_lab.tangram.game.sound_files import delay_sound, find_sounds

    media = {}
    for sound, file in find_sounds(recording, folder):
        if sound.start_ms > 0:
            late = file.with_name(f"{file.stem}.from-start{file.suffix}")
            write_bytes(late, [delay_sound(file.read_bytes(), sound.start_ms, str(file))], FOR_OWNER)
            media[late.name] = 0.0
        else:
            media[file.name] = sound.start_ms
    return media


def _draw_board(recording: Recording, at: float, cursor: bool, numbers: bool) -> str:
    """Return the board at a time as SVG."""
    from referee_lab.tangram.game.board_pictures import draw_board
    from referee_lab.tangram.game.log import find_state

    moment = find_state(recording, 1000 * at)
    if moment is None:
        raise InputError(f"the board was empty {at:g} s after the start", remedy="choose a later --at")
    return draw_board(moment.board, cursor=moment.cursor if cursor else None, numbers=numbers)


def _write_file(target: Path, content: bytes) -> None:
    """Write content to a file atomically."""
    from referee.files import write_atomically

    write_atomically(
        target, content.decode().split("\n") if not content.endswith(b"\n") else content.decode()[:-1].split("\n")
    )
