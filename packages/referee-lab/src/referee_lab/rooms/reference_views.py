"""Each person's view of a reference game: only the speaker sees the target, and choices are shown only after the round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from referee_lab.rooms.any_room import BETWEEN, OVER, PLAYING, WAITING, RoomLine, get_seat_number, is_bot
from referee_lab.rooms.reference_state import (
    LISTENER,
    SPEAKER,
    SPEAKER_LEFT,
    ReferenceRoom,
    get_display_order,
    get_repetition,
    get_targets,
)
from referee_lab.rooms.room_views import format_line, format_status

# Lines after which everyone receives the full state: nearly all, because pages draw the state.
TELLING = frozenset({"round", "choose", "feedback", "gone", "join", "left", "ready", "disconnect", "reconnect", "over"})
_PASSED_ON = frozenset({"say", "typing"})
# The ending names the player who left, and chat lines contain the sender's keystrokes: other players receive neither.
_SHOWN = {"say": ("text",), "over": ("outcome",)}


def view_reference_line(room: ReferenceRoom, line: RoomLine, actor: str) -> dict[str, Any] | None:
    """Return a line as sent to an actor; None for lines that are not sent to them.

    Rounds, choices and feedback reach pages by the status alone.
    """
    if line.kind not in (*_PASSED_ON, "over") or (line.kind == "typing" and line.actor == actor):
        return None
    return format_line(room, line, actor, _SHOWN)


def build_reference_status(
    room: ReferenceRoom, actor: str, now_ms: float, seq: int, chat: Sequence[dict[str, Any]], solved: int
) -> dict[str, Any]:
    """Return the full state for one person, which a page needs when it opens."""
    seat = get_seat_number(room, actor)
    status: dict[str, Any] = {
        **format_status(room, actor, now_ms, seq, chat),
        "partner": [_describe_player(room, n) for n in range(len(room.seats)) if n != seat],
        "puzzles": len(get_targets(room)),
        "limit_ms": 1000 * room.settings["limit_seconds"],
        "pause_ms": 1000 * room.settings["feedback_seconds"],
        "solved": room.right.get(actor, 0),
        "places": room.places,
    }
    if seat >= 0 and room.phase != WAITING:
        status["game"] = _describe_round(room, seat, actor)
    return status


def _describe_player(room: ReferenceRoom, n: int) -> dict[str, Any]:
    """Return the public state of player `n`: presence, role, readiness, and whether they have chosen."""
    seat = room.seats[n]
    chosen = seat.actor in room.chosen and room.phase in (PLAYING, BETWEEN)
    about = {"seat": n, "present": seat.present, "bot": is_bot(seat.actor), "ready": seat.ready, "gone": seat.gone}
    return {**about, "role": seat.role, "chosen": chosen}


def _describe_round(room: ReferenceRoom, seat_index: int, actor: str) -> dict[str, Any]:
    """Return the current round as one person may see it."""
    speaks = room.seats[seat_index].role == SPEAKER
    game = {
        "order": get_display_order(room, seat_index),
        "repetition": get_repetition(room),
        "repetitions": room.settings["repetitions"],
        "spoken": room.spoken,
        "chosen": room.chosen.get(actor),
        # The only code that sends the target before a round has ended.
        "target": room.target if speaks and room.phase == PLAYING else None,
        "feedback": None,
    }
    return {**game, "feedback": _describe_feedback(room, seat_index, speaks)} if room.phase in (BETWEEN, OVER) else game


def _describe_feedback(room: ReferenceRoom, seat: int, speaks: bool) -> dict[str, Any]:
    """Return the feedback of a round for one seat.

    The speaker always learns who was right. A listener learns the others' results and the target only where the study
    shows them.
    """
    if room.ended is None or room.ended == SPEAKER_LEFT:
        return {"ended": room.ended, "target": None, "choices": []}
    full = room.settings["feedback"] == "full" or speaks
    shown = [n for n, s in enumerate(room.seats) if s.role == LISTENER and (full or n == seat)]
    rows = []
    for n in shown:
        chosen = room.chosen.get(room.seats[n].actor)
        if chosen is not None or not room.seats[n].gone:
            right = None if chosen is None else chosen == room.target
            rows.append({"seat": n, "object": chosen, "right": right})
    return {"ended": room.ended, "target": room.target if full else None, "choices": rows}
