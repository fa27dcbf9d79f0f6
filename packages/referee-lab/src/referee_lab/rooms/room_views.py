"""What people are told in rooms of every kind: a line without what is not for them, and how things stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from referee_lab.rooms.any_room import AnyRoom, seat_number
from referee_lab.rooms.room_line import RoomLine

__all__ = ["told_line", "told_status"]


def told_line(room: AnyRoom, line: RoomLine, who: str, shown: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """A line as somebody gets it, with their own number where they sent it; `shown` names the data of those kinds of which not everything is passed on."""
    names = shown.get(line.kind)
    event = {
        "server_seq": line.seq,
        "t_server": line.t_server,
        "seat": seat_number(room, line.who),
        "kind": line.kind,
        "data": line.data if names is None else {name: line.data[name] for name in names if name in line.data},
    }
    return {**event, "seq": line.client_seq} if line.client_seq is not None and line.who == who else event


def told_status(room: AnyRoom, who: str, now_ms: float, seq: int, chat: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How things stand for somebody, as far as it is the same in every room."""
    mine = seat_number(room, who)
    seat = room.seats[mine] if mine >= 0 else None
    return {
        "room": room.id,
        "seat": mine,
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
