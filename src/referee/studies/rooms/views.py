"""What each person in a room is told: the operator never hears of the goal or of hints, nobody hears of clocks, and nobody gets their own cursor back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee.situated.game.goals import hint, outline_path
from referee.situated.tiers.dialogue import SOLVER
from referee.studies.rooms.any_room import seat_number
from referee.studies.rooms.room_line import BOT, RoomLine
from referee.studies.rooms.room_state import SOLO, Room, deal_roles

__all__ = ["TELLING", "ice_servers", "status", "told"]

# Lines after which everybody is told anew how things stand.
TELLING = frozenset({"start", "hint", "end", "join", "left", "ready", "disconnect", "reconnect", "over"})
# Hints reach those who may see them by the status.
_PRIVATE = frozenset({"clock", "voice", "call", "hint", "left"})
# The end names who left and what was said holds the sender's keystrokes: the partner gets neither.
_SHOWN = {"snapshot": ("hash", "nearly"), "say": ("text",), "over": ("outcome",)}
_OTHERS = frozenset({"cursor", "typing"})


def told(room: Room, line: RoomLine, who: str) -> dict[str, Any] | None:
    """A line as somebody gets it; None where it is not for them. Of a snapshot they get the hash: the state they should have."""
    if line.kind in _PRIVATE or (line.kind in _OTHERS and line.who == who):
        return None
    # Only whoever came too late has something to take back.
    if line.kind == "late" and line.who != who:
        return None
    shown = _SHOWN.get(line.kind)
    found = {
        "server_seq": line.seq,
        "t_server": line.t_server,
        "seat": seat_number(room, line.who),
        "kind": line.kind,
        "data": line.data if shown is None else {name: line.data[name] for name in shown if name in line.data},
    }
    if line.client_seq is not None and line.who == who:
        found["seq"] = line.client_seq
    return found


def status(
    room: Room, who: str, now_ms: float, seq: int, chat: Sequence[dict[str, Any]], solved: int
) -> dict[str, Any]:
    """How things stand for somebody: everything a page needs that has just been opened."""
    mine = seat_number(room, who)
    seat = room.seats[mine] if mine >= 0 else None
    others = [s for s in room.seats if s.who != who]
    found: dict[str, Any] = {
        "room": room.id,
        "seat": mine,
        "phase": room.phase,
        "outcome": room.outcome,
        "role": seat.role if seat else "",
        "ready": bool(seat and seat.ready),
        "partner": [{"present": s.present, "bot": s.who == BOT, "ready": s.ready} for s in others],
        "puzzle": room.puzzle,
        "puzzles": len(room.settings["puzzles"]),
        "swaps": _swaps_next(room),
        "next_role": deal_roles(room)[mine] if seat is not None and len(room.seats) == room.places else "",
        "began_ms": room.began_ms,
        "now_ms": now_ms,
        "limit_ms": 60_000 * room.settings["limit_minutes"],
        "grace_ms": 1000 * room.settings["grace_seconds"],
        "wait_ms": 60_000 * room.settings["wait_minutes"],
        "pause_ms": 1000 * room.settings["pause_seconds"],
        "seq": seq,
        "chat": list(chat),
        "solved": solved,
    }
    if room.settings["voice"]:
        found["ice"] = ice_servers(room.settings["ice_servers"])
    if room.game is not None:
        found |= {"board": room.game.board.to_data(), "held": room.game.held, "result": room.game.outcome}
        found["nearly"] = room.game.nearly
        # The one place where a goal leaves the server.
        if seat is not None and seat.role in (SOLVER, SOLO):
            found |= {"goal": outline_path(room.game.goal), "hint": _hint(room)}
    return found


def ice_servers(written: Sequence[str]) -> list[dict[str, str]]:
    """Servers that help two pages to find each other, as browsers want them: `stun:HOST:PORT`, or `turn:HOST:PORT|USER|PASSWORD`."""
    found = []
    for one in written:
        url, *rest = one.split("|")
        named = dict(zip(("username", "credential"), rest, strict=False))
        found.append({"urls": url, **named})
    return found


def _hint(room: Room) -> dict[str, Any] | None:
    """The hint that is shown now; each replaces the one before."""
    game = room.game
    if game is None or not game.hints:
        return None
    piece, place = hint(game.goal, game.hints - 1)
    return {"piece": piece, **place._asdict()}


def _swaps_next(room: Room) -> bool:
    """Whether roles change before the puzzle that comes next."""
    after = room.settings["swap_after"]
    return bool(after) and room.puzzle > 0 and room.puzzle % after == 0 and room.places >= 2
