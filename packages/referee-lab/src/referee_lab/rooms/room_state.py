"""A room in which people play Tangram, without I/O.

Waiting, roles, grace periods, puzzles in sequence, endings (Tokunaga et al. 2010).

Every function takes a room and a server time in milliseconds and returns the next room and the lines to log and send,
in order. Sockets, stores and clocks are the caller's. Roles are assigned when a puzzle starts, not when a player
arrives. A lost player has a grace period; after it the room is over for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from referee_lab.rooms import any_room
from referee_lab.rooms.any_room import (
    BETWEEN,
    BOT,
    OVER,
    PLAYING,
    SERVER,
    WAITING,
    AnyRoom,
    RoomLine,
    Seat,
    change_seat,
)
from referee_lab.tangram.game import rules
from referee_lab.tangram.game.board import CHANGES, Change
from referee_lab.tangram.game.goals import find_goal
from referee_lab.tangram.game.rules import Game, Note
from referee_lab.tangram.tiers.dialogue import OPERATOR, SOLVER

SOLO = "solo"
_BY_HAND = frozenset({*CHANGES, "cursor"})
# Replays start from the nearest state; every change that settles brings one, this is for long silences.
SNAPSHOT_MS = 5_000.0


@dataclass(frozen=True, slots=True)
class Room(AnyRoom):
    """A room with a board. `holder` is the player with a piece in the hand; unknown after a restart."""

    game: Game | None = None
    snapshot_ms: float = 0.0
    holder: str | None = None

    @property
    def places(self) -> int:
        """Return the number of seats, including a bot's."""
        if self.settings["partner"] == "person":
            return int(self.settings.get("group", 2))
        return 1 if self.settings["partner"] == "none" else 2

    @property
    def people(self) -> int:
        return self.places if self.settings["partner"] == "person" else 1

    @property
    def handlers(self) -> tuple[str, ...]:
        """Return the actors who may move pieces now: the operator of a pair, or all but the solver of a group."""
        return tuple(seat.actor for seat in self.seats if seat.role in (OPERATOR, SOLO))

    @property
    def handler(self) -> str | None:
        """Return the first actor who may move pieces; None without one."""
        return next(iter(self.handlers), None)


Happened = tuple[Room, list[RoomLine]]


def convert_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the protocol's settings as the rules of the game expect them, with snapshots after changes.

    Every change that settles is followed by a snapshot.
    """
    return {
        **{name: settings[name] for name in ("tolerance", "snap", "step")},
        "hints_ms": tuple(60_000 * minutes for minutes in settings["hints_minutes"]),
        "limit_ms": 60_000 * settings["limit_minutes"],
        "snapshot_ms": 0,
    }


def join(room: Room, actor: str, name: str, t_ms: float) -> Happened:
    """Seat a player who joins or rejoins; the first puzzle starts when every seat is taken."""
    is_back = room.has(actor)
    room, lines = any_room.take_seat(room, actor, name, t_ms)
    if is_back:
        return room, lines
    if room.settings["partner"] == "bot":
        # Seated after the person, who therefore has the first role (`deal_roles`).
        room = replace(room, seats=(*room.seats, Seat(BOT, BOT)))
    if len(room.seats) < room.places:
        return room, lines
    started, more = _start_puzzle(room, t_ms)
    return started, lines + more


def leave(room: Room, actor: str, t_ms: float) -> Happened:
    """Mark a connection as lost: its player drops a held piece, and the grace period starts.

    A waiting room has none.
    """
    room, lines = any_room.leave(room, actor, t_ms)
    if not lines or room.phase != PLAYING or room.game is None:
        return room, lines
    if actor in room.handlers and room.holder in (actor, None):
        room, fallen = _apply_notes(room, *rules.release_piece(room.game, t_ms - room.began_ms), actor=actor, t_ms=t_ms)
        room = replace(room, holder=None)
        lines += fallen
    return room, lines


def quit_room(room: Room, actor: str, t_ms: float) -> Happened:
    """Remove a player who quits: from a waiting room after the study's minimum waiting time, from a game at any time."""
    if room.phase == OVER:
        return room, []
    if room.phase == WAITING:
        any_room.require_minimum_wait(room, t_ms)
        return _end_room(room, "no-partner", actor)
    return _end_room(room, "completed" if room.places == 1 else "partner-left", actor)


def act(room: Room, actor: str, kind: str, data: Mapping[str, Any], t_ms: float) -> Happened:
    """Apply an action of a player; the first line is theirs.

    Raises ValueError for an action that their role never allows.
    """
    if kind in _BY_HAND:
        return _apply_board_action(room, actor, kind, data, t_ms)
    if kind == "ready":
        return _mark_ready(room, actor, t_ms)
    if kind == "choose":
        raise ValueError("this room has no choices")
    if kind in ("say", "typing") and not room.settings["chat"]:
        raise ValueError("there is no chat in this room")
    return room, [RoomLine(actor, kind, data)]


def pass_time(room: Room, t_ms: float) -> Happened:
    """Advance the time of a room.

    Checks grace periods, hints, the puzzle's time limit, snapshots, and the pause between puzzles.
    """
    # Before anything else: a game without one of its players must not go on to its next puzzle.
    if lost := any_room.list_expired_actors(room, t_ms):
        return _end_room(room, "partner-left", lost[0])
    if room.phase == BETWEEN:
        waited = t_ms - room.began_ms >= 1000 * room.settings["pause_seconds"]
        # Roles are bound at the start, and to people who are there.
        return _start_puzzle(room, t_ms) if waited and all(s.present for s in room.seats) else (room, [])
    if room.phase != PLAYING or room.game is None:
        return room, []
    room, lines = _apply_notes(room, *rules.pass_time(room.game, t_ms - room.began_ms), actor=SERVER, t_ms=t_ms)
    if room.phase == PLAYING and t_ms - room.snapshot_ms >= SNAPSHOT_MS:
        lines.append(RoomLine(SERVER, "snapshot", _export_board(room)))
        room = replace(room, snapshot_ms=t_ms)
    return room, lines


def _apply_board_action(room: Room, actor: str, kind: str, data: Mapping[str, Any], t_ms: float) -> Happened:
    """Apply an action on the board.

    Actions when no puzzle is running are logged as late and change nothing.
    """
    if room.phase != PLAYING or room.game is None:
        # A hand that moved while the puzzle ended broke no rule, so this is no error.
        return room, [RoomLine(actor, "late", {"kind": kind})]
    if actor not in room.handlers:
        raise ValueError("only the operator touches the pieces")
    if kind == "cursor":
        return room, [RoomLine(actor, kind, data)]
    change = Change.from_data(kind, data)
    if room.game.held is not None and room.holder not in (actor, None):
        # Only one player moves a piece at a time: the second has to wait until it is released.
        return room, [RoomLine(actor, "late", {"kind": kind})]
    after, lines = _apply_notes(
        room, *rules.apply_change(room.game, change, t_ms - room.began_ms), actor=actor, t_ms=t_ms
    )
    return replace(after, holder=actor if after.game is not None and after.game.held else None), lines


def _mark_ready(room: Room, actor: str, t_ms: float) -> Happened:
    """Mark a player as ready; the next puzzle starts once all are."""
    if room.phase != BETWEEN:
        return room, [RoomLine(actor, "late", {"kind": "ready"})]
    room = change_seat(room, actor, ready=True)
    lines = [RoomLine(actor, "ready", {})]
    if all(s.present and (s.ready or s.actor == BOT) for s in room.seats):
        room, more = _start_puzzle(room, t_ms)
        lines += more
    return room, lines


def _start_puzzle(room: Room, t_ms: float) -> Happened:
    """Start the next puzzle: shuffle the pieces and assign roles."""
    goal = find_goal(room.settings["puzzles"][room.puzzle], room.settings.get("goals", ()))
    # Another shuffle for each puzzle, the same one whenever the room is loaded again.
    game, notes = rules.start_game(goal, room.seed + room.puzzle, convert_settings(room.settings))
    roles = deal_roles(room)
    seats = tuple(replace(s, role=role, ready=False) for s, role in zip(room.seats, roles, strict=True))
    room = replace(room, seats=seats, phase=PLAYING, game=game, began_ms=t_ms, snapshot_ms=t_ms, holder=None)
    lines = [RoomLine(SERVER, note.kind, note.data) for note in notes]
    return room, [*lines, *(RoomLine(s.actor, "role", {"role": s.role}) for s in seats)]


def deal_roles(room: Room) -> Sequence[str]:
    """Return the role of each seat in this puzzle.

    Roles are random in the first puzzle and then swap after every `swap` puzzles. With a bot the person begins as the
    operator. In a group one player speaks and all others have the pieces; everyone speaks in turn (Boyce et al. 2024).
    """
    if room.places == 1:
        return (SOLO,)
    swaps = room.puzzle // room.settings["swap_after"] if room.settings["swap_after"] else 0
    if room.places > 2:
        speaker = (room.seed + swaps) % room.places
        return tuple(SOLVER if n == speaker else OPERATOR for n in range(room.places))
    first = 0 if room.settings["partner"] == "bot" else room.seed
    return (OPERATOR, SOLVER) if (first + swaps) % 2 == 0 else (SOLVER, OPERATOR)


def _apply_notes(room: Room, game: Game, notes: Sequence[Note], *, actor: str, t_ms: float) -> Happened:
    """Return the room after a step of the game; a finished puzzle leads to the next one or to the end."""
    lines = [RoomLine(SERVER if by_server else actor, kind, data) for kind, data, by_server in notes]
    shot = any(note.kind == "snapshot" for note in notes)
    room = replace(room, game=game, snapshot_ms=t_ms if shot else room.snapshot_ms)
    if game.outcome is None:
        return room, lines
    if room.puzzle + 1 < len(room.settings["puzzles"]):
        return replace(room, phase=BETWEEN, puzzle=room.puzzle + 1, began_ms=t_ms), lines
    room, last = _end_room(room, "completed", SERVER)
    return room, lines + last


def _end_room(room: Room, outcome: str, actor: str) -> Happened:
    """End the room with an outcome, and the running puzzle with it; `actor` caused the end."""
    lines = []
    if room.phase == PLAYING and room.game is not None and room.game.outcome is None:
        # First the state: a recording ends with the final board.
        lines = [RoomLine(SERVER, "snapshot", _export_board(room)), RoomLine(SERVER, "end", {"reason": outcome})]
    return replace(room, phase=OVER, outcome=outcome), [
        *lines,
        RoomLine(SERVER, "over", {"outcome": outcome, "by": actor}),
    ]


def _export_board(room: Room) -> dict[str, Any]:
    assert room.game is not None
    return rules.export_state(room.game)
