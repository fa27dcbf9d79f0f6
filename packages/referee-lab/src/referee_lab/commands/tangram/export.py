"""`referee tangram export`: people's games out of a study; a recording as tiers or a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from referee.catalogue import check_choice
from referee.errors import InputError
from referee.files import FOR_OWNER, write_bytes
from referee.options import command, option
from referee_lab.commands import options
from referee_lab.commands.tangram.recordings import CorpusOptions, open_session, put_dialogues, read_tiers

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from referee_lab.rooms.room_files import RoomSummary
    from referee_lab.study.folder.study import Study
    from referee_lab.tangram.game.log import Recording
    from referee_lab.tangram.tiers.dialogue import Dialogue


app = options.make_app()
TIERS = ("eaf", "csv", "jsonl")
GAMES = ("games", "jsonl")
EPILOG = options.examples("""
  referee tangram export STUDY                                            which rooms there are, and who was in them

  referee tangram export STUDY --all --as jsonl --out sessions            every game as a recording

  referee tangram export STUDY --room ID --as eaf --out sessions          one room, for ELAN

  referee tangram export STUDY --all --as games --out GAMES               a reference game (`referee tangram choose`), for `referee play --played GAMES`

  referee tangram export session.jsonl --as eaf                           tiers for ELAN

  referee tangram export session.jsonl --as csv --annotator ann           one row per event, with ann's expressions

  referee tangram export session.jsonl --as svg --at 42.5 --numbers       one moment as a picture

  referee tangram export --corpus pento-cv --as eaf --out pento           the dialogues of a corpus
""")


@dataclass
class ExportOptions(CorpusOptions):
    """Options of `referee tangram export`."""

    recording: Path | None = option(None, "A recording (.jsonl), or a study folder.", is_argument=True)
    room: str | None = option(None, "With a study: id of the room.")
    every: bool = option(False, "With a study: export every room.", "--all")
    mode: str | None = option(None, "Mode of the study: debug, pilot or live (default: the study's own).")
    database: str | None = option(None, "Address of the database, if the data are in one: postgresql://…")
    kind: str | None = option(
        None,
        f"{', '.join((*TIERS, 'svg'))}; of a reference game {' or '.join(GAMES)} (default: eaf, or games).",
        "--as",
    )
    out: Path | None = option(None, "The file to write (of a study: the folder); default: beside it.")
    annotator: str | None = option(None, "The annotator of the expressions (default: adjudicated).")
    at: float = option(0.0, "Time of the SVG picture, in seconds since the start.", minimum=0)
    cursor: bool = option(True, "Show the cursor.", "--cursor/--no-cursor")
    numbers: bool = option(False, "Number the pieces.", "--numbers/--no-numbers")


@command(app, ExportOptions, EPILOG)
def export(chosen: ExportOptions) -> int:
    """Tiers for ELAN and tables, or a picture of one moment, drawn from the stored states.

    Of a study folder: its rooms are listed, and with --room or --all written as recordings (--as jsonl) or tiers (eaf, csv), one file for each puzzle.
    Of a reference game every room is one game: --as games for `referee play --played`, --as jsonl for all that happened, line by line.
    """
    if chosen.recording is None or chosen.corpus is not None:
        return _export_corpus(chosen)
    if chosen.recording.is_dir():
        return _export_study(chosen, chosen.recording)
    if chosen.room is not None or chosen.every:
        raise InputError("--room and --all are for study folders", where=chosen.recording, remedy="leave them out")
    path, kind = chosen.recording, chosen.kind or TIERS[0]
    check_choice("--as", kind, (*TIERS, "svg"))
    session = open_session(path)
    # A recording is .jsonl itself and must not be overwritten by its tiers.
    target = chosen.out or path.with_name(f"{path.stem}.{'tiers.' if kind == 'jsonl' else ''}{kind}")
    if kind in TIERS:
        dialogue = read_tiers(session, path, chosen.annotator)
        write_bytes(target, [format_tiers(dialogue, kind, session.recording, target.parent)])
    elif session.recording is None:
        raise InputError(
            "the positions of pieces were not recorded in this dialogue",
            where=path,
            remedy="`referee tangram replay` draws it from its events",
        )
    else:
        write_bytes(target, [f"{_draw_board(session.recording, chosen)}\n".encode()])
    print(f"wrote {target}")
    return 0


def _export_corpus(chosen: ExportOptions) -> int:
    """Write the dialogues of a corpus, one file for each."""
    from referee_lab.commands.tangram.sources import read_corpus_dialogues

    corpus, kind = chosen.corpus, chosen.kind or TIERS[0]
    if chosen.recording is not None or corpus is None:
        raise InputError(
            "both a recording and a corpus are named" if chosen.recording else "nothing is named",
            remedy="name a recording or a study folder, or --corpus NAME",
        )
    if kind not in TIERS:
        raise InputError(f"--as {kind} exports a single recording", remedy=f"--as {' or '.join(TIERS)}")
    target = chosen.out or Path(corpus)
    dialogues = read_corpus_dialogues(corpus, chosen.data, chosen.only)
    if kind == "jsonl":
        put_dialogues(dialogues, target)
    else:
        target.mkdir(parents=True, exist_ok=True)
        for dialogue in dialogues:
            write_bytes(target / f"{dialogue.id}.{kind}", [format_tiers(dialogue, kind)])
    print(f"wrote {len(dialogues)} dialogues into {target}")
    return 0


def _export_study(chosen: ExportOptions, folder: Path) -> int:
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
    room, every = chosen.room, chosen.every
    if room is not None and every:
        raise InputError("give either --room or --all", remedy="give --room or --all")
    choosing, mode = is_reference_game(study), chosen.mode or study.mode
    possible = GAMES if choosing else TIERS
    kind = chosen.kind or possible[0]
    if chosen.annotator is not None or kind not in possible:
        raise InputError(
            f"these rooms cannot be exported with --as {kind}"
            if chosen.annotator is None
            else "--annotator needs a single recording",
            where=folder,
            remedy=f"export with --as {' or '.join(possible)}{'' if choosing else ' first, then name the recording'}",
        )
    with open_for_reading(study, chosen.database) as connection:
        rooms = list_rooms(connection, study, mode)
        if room is None and not every:
            print("\n".join(_format_rooms(rooms, study.title, mode)))
            return 0
        selected = [r for r in rooms if (r.why_not is None if every else r.id == room)]
        if not selected:
            room_ids = ", ".join(r.id for r in rooms) or "none yet"
            raise InputError(
                f"there is no room {room!r}" if room else "there is no room to export",
                where=folder,
                remedy=f"rooms in mode {mode}: {room_ids}",
            )
        target = chosen.out or folder.resolve().with_name(f"{folder.resolve().name}-rooms")
        target.mkdir(parents=True, exist_ok=True)
        if choosing:
            written = _write_games(connection, study, selected, target, kind)
        else:
            written = [
                _write_one(puzzle_recording, target, kind, folder)
                for puzzle_recording in iterate_recordings(connection, study, selected)
            ]
    print(f"wrote {len(written)} {'games' if choosing else 'recorded puzzles'} of {len(selected)} rooms into {target}")
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
            write_bytes(folder / name, [content])
            written.append(folder / name)
    if kind == "games":
        write_bytes(folder / ABOUT, [f"{build_games_file(study)}\n".encode()])
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
    from referee_lab.rooms.sound import join_sounds
    from referee_lab.tangram.game.dialogue_sessions import DialogueSession
    from referee_lab.tangram.game.log import format_recording
    from referee_lab.tangram.tiers.rex_tiers import convert_to_dialogue

    for name, sound in join_sounds(study, recording).items():
        write_bytes(folder / name, [sound], FOR_OWNER)
    target = folder / f"{recording.header.session}.{kind}"
    if kind == "jsonl":
        write_bytes(target, [format_recording(recording).encode()])
    else:
        tiers = read_tiers(DialogueSession(recording, convert_to_dialogue(recording)), target)
        write_bytes(target, [format_tiers(tiers, kind, recording, folder)])
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


def _draw_board(recording: Recording, chosen: ExportOptions) -> str:
    """Return the board at a time as SVG."""
    from referee_lab.tangram.game.board_pictures import draw_board
    from referee_lab.tangram.game.log import find_state

    moment = find_state(recording, 1000 * chosen.at)
    if moment is None:
        raise InputError(f"the board was empty {chosen.at:g} s after the start", remedy="choose a later --at")
    return draw_board(moment.board, cursor=moment.cursor if chosen.cursor else None, numbers=chosen.numbers)
