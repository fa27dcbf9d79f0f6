"""Exports people's games from the store: a list of rooms, and the games played in them, by aliases and never in part.

Each Tangram puzzle is a recording file that every situated command reads. A room of a reference game is one game, as
`referee play` writes and scores it, with its whole log.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from referee.errors import InputError
from referee_lab.rooms.any_room import RoomLine, is_person
from referee_lab.rooms.reference_store import iterate_log, load_game
from referee_lab.rooms.room_store import load_lines_after, read_recordings, select_withdrawn
from referee_lab.rooms.sound import join_sounds
from referee_lab.server.store import schema
from referee_lab.study.folder.study import Study
from referee_lab.study.protocols.contract import ROOM_PLUGINS
from referee_lab.tangram.game.log import Recording, format_recording
from referee_lab.tangram.players.reference_game import PlayedGame, convert_game_to_json

ROOMS_TABLE = "rooms.csv"
# Tells `referee play` the kind of the games in a folder.
ABOUT = "game.json"
COLUMNS = ("room", "mode", "state", "outcome", "people", "puzzle", "goal", "result", "seconds", "utterances", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSummary:
    """A room as organisers see it: its people by alias, its outcome and its games.

    `why_not` is why it cannot be exported.
    """

    id: str
    mode: str
    state: str
    outcome: str | None
    people: tuple[str, ...]
    created: float
    puzzles: tuple[dict[str, Any], ...] = ()
    why_not: str | None = None


def has_rooms(study: Study) -> bool:
    """Return whether a study's participants play in rooms."""
    return study.kind.info.plugin in ROOM_PLUGINS


def is_reference_game(study: Study) -> bool:
    """Return whether rooms are reference games, in which each listener chooses alone."""
    return study.kind.info.plugin == "reference-game"


def list_rooms(connection: Connection, study: Study, mode: str | None = None) -> list[RoomSummary]:
    """Return the rooms of a study in which a puzzle was begun, oldest first (default: the study's mode)."""
    r = schema.room.c
    conditions = (r.study == study.id, r.mode == (mode or study.mode))
    rows = connection.execute(select(schema.room).where(*conditions).order_by(r.created, r.id)).all()
    return [summary for row in rows if (summary := _summarise_room(connection, row, study)).puzzles or summary.why_not]


def _summarise_room(connection: Connection, row: Any, study: Study) -> RoomSummary:
    """Return the summary of a room from its database row."""
    seats = row.data["seats"]
    gone = select_withdrawn(connection, [seat["who"] for seat in seats if is_person(seat["who"])])
    about: dict[str, Any] = {
        "id": row.id,
        "mode": row.mode,
        "state": row.state,
        "outcome": row.data["outcome"],
        # People who have withdrawn are not named.
        "people": tuple(seat["name"] for seat in seats if seat["who"] not in gone),
        "created": row.created,
    }
    if gone:
        return RoomSummary(**about, why_not="a participant has withdrawn")
    try:
        if is_reference_game(study):
            game = load_game(connection, row.id)
            lines = load_lines_after(connection, row.id, -1)
            return RoomSummary(**about, puzzles=(_summarise_game(game, lines),) if game.rounds else ())
        recordings = read_recordings(connection, row.id, study.language)
    except InputError as error:
        return RoomSummary(**about, why_not=error.problem)
    return RoomSummary(**about, puzzles=tuple(_summarise_puzzle(recording) for recording in recordings))


def _summarise_game(game: PlayedGame, lines: Sequence[RoomLine]) -> dict[str, Any]:
    """Return the summary of a reference game as a row of the table of rooms."""
    choices = [c for done in game.rounds for c in done.choices if c.right is not None]
    return {
        "goal": f"{len(game.rounds)} rounds",
        "result": f"{sum(bool(c.right) for c in choices)} of {len(choices)} choices right, {game.outcome}",
        "seconds": round((lines[-1].t_server - lines[0].t_server) / 1000, 1),
        "utterances": sum(len(done.talk) for done in game.rounds),
        "file": f"{game.game}.json",
    }


def _summarise_puzzle(recording: Recording) -> dict[str, Any]:
    """Return the summary of a Tangram puzzle as a row of the table of rooms."""
    kinds = [entry.kind for entry in recording.entries]
    result = next(
        (kind for kind in ("solved", "timeout") if kind in kinds), "broken off" if "end" in kinds else "running"
    )
    return {
        "goal": recording.header.goal,
        "result": result,
        # Pieces of sound arrive after the end of the puzzle.
        "seconds": round(max(e.t_server_ms for e in recording.entries if e.kind != "voice") / 1000, 1),
        "utterances": kinds.count("say"),
        "file": f"{recording.header.session}.jsonl",
    }


def iterate_recordings(connection: Connection, study: Study, rooms: Sequence[RoomSummary]) -> Iterator[Recording]:
    """Yield the recordings of rooms. Raises InputError for a room that cannot be exported."""
    for room in rooms:
        if room.why_not is not None:
            raise InputError(f"{room.why_not} in the room {room.id}", remedy="leave this room out")
        yield from read_recordings(connection, room.id, study.language)


def build_room_files(connection: Connection, study: Study, mode: str | None = None) -> dict[str, bytes]:
    """Return all files of an export: a table of the rooms, and the recordings that may be exported."""
    rooms = list_rooms(connection, study, mode)
    if not rooms:
        return {}
    available = [room for room in rooms if room.why_not is None]
    files = {ROOMS_TABLE: write_rooms_table(rooms).encode()}
    if is_reference_game(study):
        files[ABOUT] = build_games_file(study).encode()
        for room in available:
            files |= build_reference_files(connection, room.id, ("games", "jsonl"))
    else:
        for recording in iterate_recordings(connection, study, available):
            files[f"{recording.header.session}.jsonl"] = format_recording(recording).encode()
            files |= join_sounds(study.folder, recording)
    return {f"rooms/{name}": content for name, content in files.items()}


def build_reference_files(connection: Connection, room: str, kinds: Sequence[str]) -> dict[str, bytes]:
    """Return the files of a reference game: `games` for `referee play`, `jsonl` for its log, or both."""
    files = {}
    if "games" in kinds:
        files[f"{room}.json"] = convert_game_to_json(load_game(connection, room)).encode()
    if "jsonl" in kinds:
        files[f"{room}.jsonl"] = "".join(f"{line}\n" for line in iterate_log(connection, room)).encode()
    return files


def build_games_file(study: Study) -> str:
    """Return the file that tells `referee play` the kind of these games."""
    settings = study.settings
    named = ("bot_speaker", "bot_listener")
    speaker, hearer = (f"people and {settings[name]}" if settings["bots"] else "people" for name in named)
    about = {"corpus": study.design.source, "speaker": speaker, "hearer": hearer, "study": study.id}
    names = ("group", "bots", "repetitions", "objects", "speaker", "shuffle", "feedback", "limit_seconds")
    return json.dumps({**about, "settings": {name: settings[name] for name in names}}, ensure_ascii=False)


def write_rooms_table(rooms: Sequence[RoomSummary]) -> str:
    """Return a CSV table with a row per puzzle.

    A room that cannot be exported has one row with the reason.
    """
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS, lineterminator="\n")
    table.writeheader()
    for room in rooms:
        about = {"room": room.id, "mode": room.mode, "state": room.state, "outcome": room.outcome or ""}
        about["people"] = " ".join(room.people)
        if room.why_not is not None:
            table.writerow({**about, "result": f"not given out: {room.why_not}"})
        table.writerows({**about, "puzzle": n, **puzzle} for n, puzzle in enumerate(room.puzzles, 1))
    return out.getvalue()
