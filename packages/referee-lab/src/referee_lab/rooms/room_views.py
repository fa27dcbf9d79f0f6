"""Views that all kinds of rooms share: a line without its private fields, and the full state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee_lab.rooms.any_room import AnyRoom, RoomLine, get_seat_number


def format_line(room: AnyRoom, line: RoomLine, actor: str, shown: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Return a line as sent to an actor, with the client number if they sent it.

    `shown` lists the fields to send of kinds that are sent in part.
    """
    names = shown.get(line.kind)
    event = {
        "server_seq": line.seq,
        "t_server": line.t_server,
        "seat": get_seat_number(room, line.actor),
        "kind": line.kind,
        "data": line.data if names is None else {name: line.data[name] for name in names if name in line.data},
    }
    return {**event, "seq": line.client_seq} if line.client_seq is not None and line.actor == actor else event


def format_status(room: AnyRoom, actor: str, now_ms: float, seq: int, chat: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the fields of an actor's status that all kinds of rooms share."""
    seat_index = get_seat_number(room, actor)
    seat = room.seats[seat_index] if seat_index >= 0 else None
    return {
        "room": room.id,
        "seat": seat_index,
        "phase": room.phase,
        "outcome": room.outcome,
        "role": seat.role if seat else "",
        "ready": bool(seat and seat.ready),
        "puzzle": room.puzzle,
        "began_ms": room.began_ms,
        "now_ms": now_ms,
        "grace_ms": 1000 * room.settings["grace_seconds"],
        "wait_ms": 60_000 * room.settings["wait_minutes"],
        "seq": seq,
        "chat": list(chat),
    }
