"""What each person in a room is told: the operator never hears of the goal or of hints, nobody hears of clocks, and nobody gets their own cursor back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee_lab.rooms.any_room import seat_number
from referee_lab.rooms.room_line import BOT, RoomLine
from referee_lab.rooms.room_state import SOLO, Room, deal_roles
from referee_lab.rooms.room_views import told_line, told_status
from referee_lab.tangram.game.goals import hint, outline_path
from referee_lab.tangram.tiers.dialogue import SOLVER

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
    return told_line(room, line, who, _SHOWN)


def status(
    room: Room, who: str, now_ms: float, seq: int, chat: Sequence[dict[str, Any]], solved: int
) -> dict[str, Any]:
    """How things stand for somebody: everything a page needs that has just been opened."""
    mine = seat_number(room, who)
    seat = room.seats[mine] if mine >= 0 else None
    others = [s for s in room.seats if s.who != who]
    shown: dict[str, Any] = {
        **told_status(room, who, now_ms, seq, chat),
        "partner": [{"present": s.present, "bot": s.who == BOT, "ready": s.ready} for s in others],
        "puzzles": len(room.settings["puzzles"]),
        "swaps": _swaps_next(room),
        "next_role": deal_roles(room)[mine] if seat is not None and len(room.seats) == room.places else "",
        "limit_ms": 60_000 * room.settings["limit_minutes"],
        "pause_ms": 1000 * room.settings["pause_seconds"],
        "solved": solved,
    }
    if room.settings["voice"]:
        shown["ice"] = ice_servers(room.settings["ice_servers"])
    if room.game is not None:
        shown |= {"board": room.game.board.to_data(), "held": room.game.held, "result": room.game.outcome}
        shown["nearly"] = room.game.nearly
        # The one place where a goal leaves the server.
        if seat is not None and seat.role in (SOLVER, SOLO):
            shown |= {"goal": outline_path(room.game.goal), "hint": _hint(room)}
    return shown


def ice_servers(written: Sequence[str]) -> list[dict[str, str]]:
    """Servers that help two pages to find each other, as browsers want them: `stun:HOST:PORT`, or `turn:HOST:PORT|USER|PASSWORD`."""
    servers = []
    for line in written:
        url, *rest = line.split("|")
        named = dict(zip(("username", "credential"), rest, strict=False))
        servers.append({"urls": url, **named})
    return servers


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
