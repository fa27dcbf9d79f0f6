"""Events of sessions and rooms: in the order the server gives them, once each, with both clocks; and states to show them again from.

For studies in which people meet (rooms mount a router with `create_app(routers=[…])`). These functions run inside a write: `served.store.awrite(…)`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from referee.studies.served import Served
from referee.studies.tables import event, room, snapshot

__all__ = ["Happened", "events_after", "keep_snapshot", "last_snapshot", "open_room", "record_event", "set_room"]


@dataclass(frozen=True, slots=True)
class Happened:
    """An event as stored: its number in the room (or in the session, where there is no room) and the server's time; `new` False when it was there already."""

    seq: int
    t_server: float
    new: bool


def open_room(connection: Connection, served: Served, room_id: str, mode: str, data: dict[str, Any]) -> None:
    now = served.clock()
    values = {"id": room_id, "study": served.id, "mode": mode, "state": "open", "data": data}
    connection.execute(insert(room).values(**values, created=now, updated=now))


def set_room(
    connection: Connection, served: Served, room_id: str, state: str, data: dict[str, Any] | None = None
) -> None:
    """The state of a room may change; what happened in it may not."""
    values: dict[str, Any] = {"state": state, "updated": served.clock(), **({} if data is None else {"data": data})}
    connection.execute(update(room).where(room.c.id == room_id).values(values))


def record_event(
    connection: Connection,
    served: Served,
    kind: str,
    data: Any,
    *,
    session: str | None,
    room: str | None = None,
    client_seq: int | None = None,
    t_client: float | None = None,
) -> Happened:
    """Add an event; one that a client sends again (same `client_seq`) is answered with the number it has."""
    place = event.c.room == room if room is not None else (event.c.session == session) & event.c.room.is_(None)
    if client_seq is not None:
        again = select(event.c.seq, event.c.t_server).where(
            place, event.c.session == session, event.c.client_seq == client_seq
        )
        known = connection.execute(again).one_or_none()
        if known is not None:
            return Happened(seq=known.seq, t_server=known.t_server, new=False)
    last = connection.scalar(select(func.max(event.c.seq)).where(place)) or 0
    now = served.clock()
    connection.execute(
        insert(event).values(
            session=session,
            room=room,
            seq=last + 1,
            client_seq=client_seq,
            t_client=t_client,
            t_server=now,
            kind=kind,
            data=data,
        )
    )
    return Happened(seq=last + 1, t_server=now, new=True)


def events_after(connection: Connection, room_id: str, seq: int) -> list[Any]:
    """What someone who was away has missed, in order."""
    wanted = (event.c.seq, event.c.session, event.c.kind, event.c.data, event.c.t_client, event.c.t_server)
    found = select(*wanted).where(event.c.room == room_id, event.c.seq > seq).order_by(event.c.seq)
    return list(connection.execute(found))


def keep_snapshot(connection: Connection, served: Served, room_id: str, seq: int, version: str, state: Any) -> None:
    """The whole state after event `seq`, with the version of the code that made it: replay shows states, it does not play again."""
    values = {"room": room_id, "seq": seq, "version": version, "state": state}
    connection.execute(insert(snapshot).values(**values, at=served.clock()))


def last_snapshot(connection: Connection, room_id: str, seq: int | None = None) -> Any | None:
    """The newest state, or the newest one not after `seq`."""
    found = select(snapshot).where(snapshot.c.room == room_id)
    if seq is not None:
        found = found.where(snapshot.c.seq <= seq)
    return connection.execute(found.order_by(snapshot.c.seq.desc()).limit(1)).one_or_none()
