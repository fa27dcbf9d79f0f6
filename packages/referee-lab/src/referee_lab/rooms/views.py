"""Each person's view of a Tangram room: the operator never sees goal or hints.

Clock lines and a person's own cursor are not sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee_lab.rooms.any_room import BOT, RoomLine, get_seat_number
from referee_lab.rooms.room_state import SOLO, Room, deal_roles
from referee_lab.rooms.room_views import format_line, format_status
from referee_lab.tangram.game.goals import format_outline, get_hint
from referee_lab.tangram.tiers.dialogue import SOLVER

# Lines after which everyone receives the full state.
TELLING = frozenset({"start", "hint", "end", "join", "left", "ready", "disconnect", "reconnect", "over"})
# Hints reach those who may see them by the status.
_PRIVATE = frozenset({"clock", "voice", "call", "hint", "left"})
# The ending names the player who left, and chat lines contain the sender's keystrokes: the partner receives neither.
_SHOWN = {"snapshot": ("hash", "nearly"), "say": ("text",), "over": ("outcome",)}
_OTHERS = frozenset({"cursor", "typing"})


def view_line(room: Room, line: RoomLine, actor: str) -> dict[str, Any] | None:
    """Return a line as sent to an actor; None for lines that are not sent to them.

    A snapshot is sent as its hash: the state they should have.
    """
    if line.kind in _PRIVATE or (line.kind in _OTHERS and line.actor == actor):
        return None
    # Only the sender of a late line has something to take back.
    if line.kind == "late" and line.actor != actor:
        return None
    return format_line(room, line, actor, _SHOWN)


def build_status(
    room: Room, actor: str, now_ms: float, seq: int, chat: Sequence[dict[str, Any]], solved: int
) -> dict[str, Any]:
    """Return the full state for one person, which a page needs when it opens."""
    seat_index = get_seat_number(room, actor)
    seat = room.seats[seat_index] if seat_index >= 0 else None
    others, swap_after = [s for s in room.seats if s.actor != actor], room.settings["swap_after"]
    shown: dict[str, Any] = {
        **format_status(room, actor, now_ms, seq, chat),
        "partner": [{"present": s.present, "bot": s.actor == BOT, "ready": s.ready} for s in others],
        "puzzles": len(room.settings["puzzles"]),
        # Whether roles change before the next puzzle.
        "swaps": bool(swap_after) and room.puzzle > 0 and room.puzzle % swap_after == 0 and room.places >= 2,
        "next_role": deal_roles(room)[seat_index] if seat is not None and len(room.seats) == room.places else "",
        "limit_ms": 60_000 * room.settings["limit_minutes"],
        "pause_ms": 1000 * room.settings["pause_seconds"],
        "solved": solved,
    }
    if room.settings["voice"]:
        shown["ice"] = parse_ice_servers(room.settings["ice_servers"])
    if room.game is not None:
        shown |= {"board": room.game.board.to_data(), "held": room.game.held, "result": room.game.outcome}
        shown["nearly"] = room.game.nearly
        # The one place where a goal leaves the server.
        if seat is not None and seat.role in (SOLVER, SOLO):
            hint = None
            if room.game.hints:
                # Each replaces the previous one.
                piece, place = get_hint(room.game.goal, room.game.hints - 1)
                hint = {"piece": piece, **place._asdict()}
            shown |= {"goal": format_outline(room.game.goal), "hint": hint}
    return shown


def parse_ice_servers(written: Sequence[str]) -> list[dict[str, str]]:
    """Return the servers for connections between pages, in the form that browsers expect.

    Each is written as `stun:HOST:PORT` or as `turn:HOST:PORT|USER|PASSWORD`.
    """
    servers = []
    for line in written:
        url, *rest = line.split("|")
        named = dict(zip(("username", "credential"), rest, strict=False))
        servers.append({"urls": url, **named})
    return servers
