"""Rooms in the store: their rows, how a room is restored after a crash, and each puzzle as a recording.

A line is stored before it is acknowledged, and a recording is exported whole or not at all.

Every line of a room is one row of `event`, numbered by the room. `client_seq` marks rows that a page sent and detects
repeats. `session` is the person, `actor` the server or a bot. The row of `room` has the fields that lines lack:
settings, seed, seats, phase.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from referee import __version__
from referee.errors import InputError
from referee_lab.rooms.any_room import OVER, PLAYING, WAITING, AnyRoom, RoomLine, Seat, SomeRoom, is_bot, is_person
from referee_lab.rooms.room_state import SOLO, Room, convert_settings
from referee_lab.server.store import schema
from referee_lab.study.data.collection import SIMULATED
from referee_lab.tangram.game.board import Board
from referee_lab.tangram.game.goals import find_goal
from referee_lab.tangram.game.log import HANDLING, KINDS, STATES, Header, LogEntry, Recording, apply_entry
from referee_lab.tangram.game.rules import Game

_COLUMNS = ("room", "session", "actor", "seq", "client_seq", "t_client", "t_server", "kind", "data")
_MOST_ROWS = 64  # in one statement; fewer have a statement of their own, and the driver keeps 128 prepared


# -- writing ---------------------------------------------------------------------------------------------------------------


def store_lines(connection: Connection, lines: Sequence[tuple[str, RoomLine]]) -> None:
    """Store lines, each with its room's id; board states also go into `snapshot`, with the version of the program."""
    if not lines:
        return
    if connection.dialect.name == "sqlite":
        # This way around SQLAlchemy's types, so the JSON is written here. Many rows a statement: SQLite's driver lets
        # other threads run between statements, so separate statements would wait for each other.
        rows = [(*_convert_to_columns(room, line), schema.to_canonical_json(line.data)) for room, line in lines]
        for first in range(0, len(rows), _MOST_ROWS):
            some = rows[first : first + _MOST_ROWS]
            connection.exec_driver_sql(_build_insert(len(some)), tuple(chain.from_iterable(some)))
    else:
        values = [(*_convert_to_columns(room, line), line.data) for room, line in lines]
        connection.execute(insert(schema.event), [dict(zip(_COLUMNS, value, strict=True)) for value in values])
    shots = [
        {"room": room, "version": __version__, "seq": r.seq, "at": r.t_server / 1000, "state": r.data["state"]}
        for room, r in lines
        if r.kind in STATES
    ]
    if shots:
        connection.execute(insert(schema.snapshot), shots)


def _convert_to_columns(room: str, line: RoomLine) -> tuple[Any, ...]:
    """Return a line as the columns of a row of `event`."""
    session, actor = (line.actor, None) if is_person(line.actor) else (None, line.actor)
    # Never both: whose data a line is decides about its deletion.
    return room, session, actor, line.seq, line.client_seq, line.t_client, line.t_server, line.kind


@cache
def _build_insert(rows: int) -> str:
    """Return the SQL statement that inserts a number of rows."""
    marks = f"({', '.join('?' * len(_COLUMNS))})"
    return f"INSERT INTO event ({', '.join(_COLUMNS)}) VALUES {', '.join([marks] * rows)}"


def store_room(connection: Connection, room: AnyRoom, study: str, mode: str, step: int, now: float) -> None:
    """Store the row of a room: the fields that its lines do not contain."""
    data = {"step": step, **{name: getattr(room, name) for name in ("seed", "puzzle", "began_ms", "outcome")}}
    data |= {"settings": dict(room.settings), "seats": [seat.to_data() for seat in room.seats]}
    values = {"state": room.phase, "data": data, "updated": now}
    # Most writes update an existing room; with one writer, no other insert can intervene.
    changed = connection.execute(update(schema.room).where(schema.room.c.id == room.id).values(values))
    if changed.rowcount == 0:
        first = {"id": room.id, "study": study, "mode": mode, "created": now}
        connection.execute(insert(schema.room).values(**first, **values))


# -- coming back -----------------------------------------------------------------------------------------------------------


def load_lines_after(connection: Connection, room: str, seq: int) -> list[RoomLine]:
    """Return the lines of a room with numbers above `seq`, in order."""
    e = schema.event.c
    columns = (func.coalesce(e.session, e.actor), e.kind, e.data, e.client_seq, e.t_client, e.seq, e.t_server)
    rows = connection.execute(select(*columns).where(e.room == room, e.seq > seq).order_by(e.seq))
    return [RoomLine(*values) for values in rows]


def load_client_numbers(connection: Connection, room: str) -> dict[str, int]:
    """Return the highest client number that is stored, by session."""
    e = schema.event.c
    rows = connection.execute(
        select(e.session, func.max(e.client_seq)).where(e.room == room, e.client_seq.is_not(None)).group_by(e.session)
    )
    return {actor: number for actor, number in rows if number is not None}


def load_unfinished_rooms(connection: Connection, study: str) -> list[Any]:
    """Return the rows of rooms that were running when the server stopped."""
    r = schema.room.c
    # A waiting room has no grace period: it is abandoned, and a person who returns gets a new one.
    return list(connection.execute(select(schema.room).where(r.study == study, r.state.not_in((WAITING, OVER)))))


def load_finished_rooms(connection: Connection, session: str) -> list[Any]:
    """Return the rows of the finished rooms of a session."""
    # By their lines, which have an index; seats are inside the room's JSON.
    been = select(schema.event.c.room).where(schema.event.c.session == session).distinct()
    conditions = (schema.room.c.id.in_(been), schema.room.c.state == OVER)
    return list(connection.execute(select(schema.room).where(*conditions)))


def select_withdrawn(connection: Connection, sessions: Sequence[str]) -> set[str]:
    """Return the sessions among these that were withdrawn or deleted."""
    s = schema.session.c
    present = connection.scalars(select(s.id).where(s.id.in_(sessions), s.state != "withdrawn"))
    # By the sessions that are left, so that a deleted session counts as well.
    return set(sessions).difference(present)


def load_room(connection: Connection, row: Any) -> tuple[Room, int]:
    """Return a Tangram room as stored after its last line, and the number of that line."""
    room, last = restore_room(Room, connection, row)
    e = schema.event.c
    # Only the running puzzle has to be known; earlier ones are over.
    start = connection.scalar(select(func.max(e.seq)).where(e.room == row.id, e.kind == "start"))
    if room.phase == PLAYING and start is not None:
        room = _restore_game(room, load_lines_after(connection, row.id, start - 1))
    return room, last


def restore_room(kind: type[SomeRoom], connection: Connection, row: Any) -> tuple[SomeRoom, int]:
    """Return a room from its row, and the number of its last stored line."""
    data = row.data
    seats = tuple(Seat.from_data(seat) for seat in data["seats"])
    named = {name: data[name] for name in ("seed", "puzzle", "began_ms", "outcome")}
    room = kind(id=row.id, settings=data["settings"], seats=seats, phase=row.state, **named)
    last = connection.scalar(select(func.max(schema.event.c.seq)).where(schema.event.c.room == row.id))
    return room, -1 if last is None else last


def _restore_game(room: Room, lines: Sequence[RoomLine]) -> Room:
    """Return the room with its game as stored.

    The rules are not run again, because a newer release might decide otherwise.
    """
    board: Board | None = None
    held, grabbed = None, None
    for line in lines:
        board = apply_entry(board, LogEntry(line.seq, line.t_server, line.t_client, line.actor, line.kind, line.data))
        if line.kind == "grab":
            held, grabbed = str(line.data["piece"]), board
        elif line.kind == "release":
            held, grabbed = None, None
    assert board is not None
    goal = find_goal(room.settings["puzzles"][room.puzzle], room.settings.get("goals", ()))
    hints = sum(line.kind == "hint" for line in lines)
    snapshots = [line.data for line in lines if line.kind == "snapshot"]
    nearly = bool(snapshots and snapshots[-1].get("nearly"))
    game = Game(goal, convert_settings(room.settings), board, held=held, grabbed=grabbed, hints=hints, nearly=nearly)
    return replace(room, game=game, snapshot_ms=max(line.t_server for line in lines if line.kind in STATES))


# -- recordings ------------------------------------------------------------------------------------------------------------


def read_recordings(connection: Connection, room: str, language: str = "en") -> list[Recording]:
    """Return the recording of every puzzle that was begun in a room; `language` is that of the study.

    Raises InputError if one of its people has withdrawn, or if lines are missing.
    """
    row, seats, lines = load_stored_room(connection, room)
    # With a bot, a model or a simulated participant the data are not people's alone.
    invented = any(is_bot(seat.actor) for seat in seats) or has_simulated(connection, seats)
    return [_build_recording(row, seats, n, part, language, invented) for n, part in enumerate(_split_puzzles(lines))]


def load_stored_room(connection: Connection, room: str) -> tuple[Any, list[Seat], list[RoomLine]]:
    """Return the row, the seats and all lines of a room.

    Raises InputError if one of its people has withdrawn, or if lines are missing.
    """
    row = connection.execute(select(schema.room).where(schema.room.c.id == room)).one_or_none()
    if row is None:
        raise InputError(f"there is no room {room!r}", remedy="`referee tangram export STUDY` lists them")
    seats = [Seat.from_data(seat) for seat in row.data["seats"]]
    if select_withdrawn(connection, [seat.actor for seat in seats if is_person(seat.actor)]):
        raise InputError(f"a participant in the room {room!r} has withdrawn", remedy="leave this room out")
    lines = load_lines_after(connection, room, -1)
    # Numbers have gaps only after a deletion or damage to the file: an incomplete dialogue is no recording.
    if [line.seq for line in lines] != list(range(len(lines))):
        raise InputError(f"lines of the room {room!r} are missing", remedy="restore the store from a backup")
    return row, seats, lines


def has_simulated(connection: Connection, seats: Sequence[Seat]) -> bool:
    """Return whether simulated participants took seats that are meant for people, as in a rehearsal."""
    people = [seat.actor for seat in seats if is_person(seat.actor)]
    clients = connection.scalars(select(schema.session.c.client).where(schema.session.c.id.in_(people)))
    return any((client or {}).get(SIMULATED) for client in clients)


def _split_puzzles(lines: Iterable[RoomLine]) -> list[list[RoomLine]]:
    """Return the lines of each puzzle, from its start to its end or to the last stored line."""
    parts: list[list[RoomLine]] = []
    playing = False
    for line in lines:
        if line.kind == "start":
            parts.append([])
            playing = True
        # A piece of sound arrives after it was spoken, the last one of a puzzle after its end.
        if line.kind == "voice" and "puzzle" in line.data:
            if line.data["puzzle"] < len(parts):
                parts[line.data["puzzle"]].append(line)
            continue
        # Events of the room and not of the game (joining, readiness) are not part of a recording.
        if playing and line.kind in KINDS:
            parts[-1].append(line)
        playing = playing and line.kind != "end"
    return parts


def _build_recording(
    row: Any, seats: Sequence[Seat], number: int, part: Sequence[RoomLine], language: str, invented: bool
) -> Recording:
    """Return a puzzle as a recording: times count from its start, and people have their aliases."""
    names = {seat.actor: seat.name for seat in seats}
    zero = part[0].t_server
    roles = {names[r.actor]: r.data["role"] for r in part if r.kind == "role"}
    header = Header(
        session=f"{row.id}-{number + 1}",
        pair=row.id,
        goal=row.data["settings"]["puzzles"][number],
        # Recordings know the two roles of the game; who plays alone has the pieces.
        players={name: "operator" if role == SOLO else role for name, role in roles.items()},
        settings={**row.data["settings"], "study": row.study, "mode": row.mode},
        code=__version__,
        synthetic=invented,
        language=language,
    )
    return Recording(header, tuple(convert_to_entry(n, r, names, zero) for n, r in enumerate(part)))


def convert_to_entry(seq: int, line: RoomLine, names: Mapping[str, str], zero: float) -> LogEntry:
    """Return a line as an entry of a recording, with times from its start."""
    data = dict(line.data)
    if line.kind == "clock":
        # The only time inside a line's data that is on the server's clock.
        data["server_ms"] = round(data["server_ms"] - zero, 3)
    if line.kind == "over":
        # The one line that says in its data who it was.
        data["by"] = names.get(data["by"], data["by"])
    if line.kind in HANDLING:
        data = {name: data[name] for name in ("piece", "x", "y", "rotation", "flipped")}
    t_ms, by = round(line.t_server - zero, 3), names.get(line.actor, line.actor)
    return LogEntry(seq, t_ms, line.t_client, by, line.kind, data)
