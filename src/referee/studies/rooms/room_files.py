"""People's games out of the store: which rooms there are, and each puzzle as a recording file that every situated command reads (rules 12, 13 and 15)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, select

from referee.errors import InputError
from referee.situated.game.log import Recording, write_recording
from referee.studies.folder.study import Study
from referee.studies.rooms.room_line import BOT
from referee.studies.rooms.room_store import recordings_in, withdrawn
from referee.studies.rooms.sound import whole_sounds
from referee.studies.store import schema

__all__ = ["ROOMS_TABLE", "RoomSummary", "has_rooms", "list_rooms", "room_files", "room_recordings", "rooms_table"]

ROOMS_TABLE = "rooms.csv"
COLUMNS = ("room", "mode", "state", "outcome", "people", "puzzle", "goal", "result", "seconds", "utterances", "file")


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomSummary:
    """A room as organisers see it: who was in it by alias, how it ended, and what was played. `why_not` tells why it cannot be given out."""

    id: str
    mode: str
    state: str
    outcome: str | None
    people: tuple[str, ...]
    created: float
    puzzles: tuple[dict[str, Any], ...] = ()
    why_not: str | None = None


def has_rooms(study: Study) -> bool:
    """Whether people play in rooms in this study."""
    return study.protocol == "tangram"


def list_rooms(connection: Connection, study: Study, mode: str | None = None) -> list[RoomSummary]:
    """The rooms of a study in one mode (its own by default) in which a puzzle was begun, oldest first."""
    r = schema.room.c
    wanted = (r.study == study.id, r.mode == (mode or study.mode))
    rows = connection.execute(select(schema.room).where(*wanted).order_by(r.created, r.id)).all()
    return [found for row in rows if (found := _summary(connection, row, study)).puzzles or found.why_not]


def _summary(connection: Connection, row: Any, study: Study) -> RoomSummary:
    seats = row.data["seats"]
    gone = withdrawn(connection, [seat["who"] for seat in seats if seat["who"] != BOT])
    about: dict[str, Any] = {
        "id": row.id,
        "mode": row.mode,
        "state": row.state,
        "outcome": row.data["outcome"],
        # Whoever withdrew is not named any more.
        "people": tuple(seat["name"] for seat in seats if seat["who"] not in gone),
        "created": row.created,
    }
    if gone:
        return RoomSummary(**about, why_not="somebody has withdrawn")
    try:
        found = recordings_in(connection, row.id, study.language)
    except InputError as error:
        return RoomSummary(**about, why_not=error.problem)
    return RoomSummary(**about, puzzles=tuple(_puzzle(one) for one in found))


def _puzzle(recording: Recording) -> dict[str, Any]:
    kinds = [entry.kind for entry in recording.entries]
    result = next(
        (kind for kind in ("solved", "timeout") if kind in kinds), "broken off" if "end" in kinds else "running"
    )
    return {
        "goal": recording.header.goal,
        "result": result,
        "seconds": round(max(entry.t_server_ms for entry in recording.entries) / 1000, 1),
        "utterances": kinds.count("say"),
        "file": f"{recording.header.session}.jsonl",
    }


def room_recordings(connection: Connection, study: Study, rooms: Sequence[RoomSummary]) -> Iterator[Recording]:
    """The recordings of some rooms; one that cannot be given out is an error here."""
    for room in rooms:
        if room.why_not is not None:
            raise InputError(f"{room.why_not} in the room {room.id}", remedy="leave this room out")
        yield from recordings_in(connection, room.id, study.language)


def room_files(connection: Connection, study: Study, mode: str | None = None) -> dict[str, bytes]:
    """Everything for an export: a table of the rooms, and the recordings of those that may be given out."""
    rooms = list_rooms(connection, study, mode)
    if not rooms:
        return {}
    given = [room for room in rooms if room.why_not is None]
    files: dict[str, bytes] = {}
    for found in room_recordings(connection, study, given):
        files[f"{found.header.session}.jsonl"] = write_recording(found).encode()
        files |= whole_sounds(study.folder, found)
    return {f"rooms/{name}": content for name, content in {ROOMS_TABLE: rooms_table(rooms).encode(), **files}.items()}


def rooms_table(rooms: Sequence[RoomSummary]) -> str:
    """One row for each puzzle; a room that cannot be given out has one row that says why."""
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
