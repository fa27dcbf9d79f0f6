"""A room for a reference game, without I/O.

One player speaks, the others choose alone, and feedback follows each round (Boyce et al. 2024).

Every function takes a room and a server time in milliseconds and returns the next room and the lines to log. Targets
and the display order of each person follow from the room's seed and are logged at the start of a round.

A player who is lost for longer than the grace period, or withdraws, has left. The game continues without them: a
listener's seat stays empty, and a round whose speaker has left is not scored. The game ends when fewer than two players
or no person is left, when a fixed speaker has left, or at the first loss where the study has `leaving = "end"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
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
    is_bot,
)

# Leaving has the same rule in every kind of room.
leave = any_room.leave
SPEAKER, LISTENER = "speaker", "listener"
# How a round ends.
CHOSEN, TIMEOUT, SPEAKER_LEFT = "chosen", "timeout", "speaker-left"


@dataclass(frozen=True, slots=True)
class ReferenceRoom(AnyRoom):
    """The state of a room with a reference game.

    `settings` are those of the protocol, with `labels`: the object behind each public label. `puzzle` counts rounds
    from 0. `chosen` maps listeners to their choices in this round, `spoken` is whether the speaker has written in it,
    `ended` how it ended, and `right` the number of correct choices of each person so far.
    """

    spoken: bool = False
    chosen: Mapping[str, str] = field(default_factory=dict)
    right: Mapping[str, int] = field(default_factory=dict)
    ended: str | None = None

    @property
    def places(self) -> int:
        return int(self.settings["group"])

    @property
    def people(self) -> int:
        return self.places - int(self.settings["bots"])

    @property
    def target(self) -> str:
        return get_targets(self)[self.puzzle]

    @property
    def speaker(self) -> str | None:
        return next((seat.actor for seat in self.seats if seat.role == SPEAKER), None)

    @property
    def listeners(self) -> tuple[Seat, ...]:
        """Return the seats of the listeners of this round who have not left."""
        return tuple(seat for seat in self.seats if seat.role == LISTENER and not seat.gone)


Happened = tuple[ReferenceRoom, list[RoomLine]]


# -- derived from the seed ---------------------------------------------------------------------------------------------


def get_targets(room: ReferenceRoom) -> tuple[str, ...]:
    """Return the target of every round: each repetition has all objects in a new order."""
    settings = room.settings
    return _draw_targets(_list_labels(room), settings["objects"], settings["repetitions"], room.seed)


def _list_labels(room: ReferenceRoom) -> tuple[str, ...]:
    # Sorted, for a room that comes back from the store has them in another order, and chance must draw the same.
    return tuple(sorted(room.settings["labels"]))


@lru_cache(maxsize=512)
def _draw_targets(labels: tuple[str, ...], objects: int, repetitions: int, seed: int) -> tuple[str, ...]:
    """Draw the objects that are targets, and shuffle them anew for each repetition."""
    rng = Random(f"{seed}|rounds")
    coming = rng.sample(labels, min(objects, len(labels)) if objects else len(labels))
    return tuple(label for _ in range(repetitions) for label in rng.sample(coming, len(coming)))


def get_repetition(room: ReferenceRoom) -> int:
    """Return the repetition that the current round belongs to, counted from 1."""
    return 1 + room.puzzle * int(room.settings["repetitions"]) // len(get_targets(room))


def get_display_order(room: ReferenceRoom, seat: int) -> list[str]:
    """Return the display order for the person in a seat, fixed for the game or new in every round."""
    each = f"|{room.puzzle}" if room.settings["shuffle"] == "round" else ""
    labels = _list_labels(room)
    return Random(f"{room.seed}|order|{seat}{each}").sample(labels, len(labels))


def _find_speaker(room: ReferenceRoom) -> int | None:
    """Return the seat that speaks in this round; None if the only permitted speaker has left."""
    changes = room.settings["speaker"]
    turn = 0 if changes == "fixed" else room.puzzle if changes == "round" else get_repetition(room) - 1
    begins = room.settings["begins"]
    fitting = [n for n, s in enumerate(room.seats) if begins == "any" or is_bot(s.actor) == (begins == "bot")]
    first = fitting[room.seed % len(fitting)] + turn
    order = [(first + n) % len(room.seats) for n in range(len(room.seats))]
    present = [n for n in order if not room.seats[n].gone]
    if not present or (changes == "fixed" and present[0] != order[0]):
        return None
    return present[0]


# -- coming and going ----------------------------------------------------------------------------------------------------------


def join(room: ReferenceRoom, actor: str, name: str, t_ms: float) -> Happened:
    """Seat a player who joins or rejoins.

    The first round starts when all people are present, with bots in the other seats.
    """
    is_back = room.has(actor)
    room, lines = any_room.take_seat(room, actor, name, t_ms)
    if is_back or len(room.seats) < room.people:
        return room, lines
    names = [BOT if n == 1 else f"{BOT}-{n}" for n in range(1, room.settings["bots"] + 1)]
    started, more = _start_round(replace(room, seats=(*room.seats, *(Seat(n, n) for n in names))), t_ms)
    return started, lines + more


def quit_room(room: ReferenceRoom, actor: str, t_ms: float) -> Happened:
    """Remove a player who quits: from a waiting room after the study's minimum waiting time, from a game at any time."""
    if room.phase == OVER or (room.phase != WAITING and room.get_seat(actor).gone):
        return room, []
    if room.phase == WAITING:
        any_room.require_minimum_wait(room, t_ms)
        return _end_game(room, "no-partner", actor)
    return _remove_player(room, actor, t_ms)


def _remove_player(room: ReferenceRoom, actor: str, t_ms: float) -> Happened:
    """Remove a player who has left; the game continues with the others, or ends."""
    was_speaking = room.phase == PLAYING and room.speaker == actor
    room = change_seat(room, actor, present=False, gone=True, ready=False, left_ms=None)
    lines = [RoomLine(actor, "gone", {})]
    left = [seat for seat in room.seats if not seat.gone]
    alone = len(left) < 2 or all(is_bot(seat.actor) for seat in left)
    if alone or room.settings["leaving"] == "end" or _find_speaker(room) is None:
        room, more = _end_game(room, "partner-left", actor)
    elif was_speaking:
        room, more = _end_round(room, SPEAKER_LEFT, t_ms)
    else:
        room, more = _end_if_complete(room, t_ms)
    return room, lines + more


# -- playing -------------------------------------------------------------------------------------------------------------------


def act(room: ReferenceRoom, actor: str, kind: str, data: Mapping[str, Any], t_ms: float) -> Happened:
    """Apply an action of a player; the first line is theirs.

    Raises ValueError for an action that their role never allows.
    """
    if kind == "choose":
        return _record_choice(room, actor, data, t_ms)
    if kind == "ready":
        return _mark_ready(room, actor, t_ms)
    if kind not in ("say", "typing", "clock"):
        raise ValueError(f"{kind!r} is not possible in this room")
    is_description = kind == "say" and room.phase == PLAYING and actor == room.speaker
    return replace(room, spoken=room.spoken or is_description), [RoomLine(actor, kind, data)]


def _record_choice(room: ReferenceRoom, actor: str, data: Mapping[str, Any], t_ms: float) -> Happened:
    """Record a listener's choice.

    A choice counts once, in its own round, and after the speaker has written something. Any other choice is logged as
    late and changes nothing.
    """
    if data["object"] not in room.settings["labels"]:
        raise ValueError("there is no such object")
    late = [RoomLine(actor, "late", {"kind": "choose", **data})]
    if room.phase != PLAYING or data["round"] != room.puzzle:
        return room, late
    if actor == room.speaker:
        raise ValueError("the speaker does not choose")
    if actor in room.chosen or not room.spoken:
        return room, late
    room = replace(room, chosen={**room.chosen, actor: data["object"]})
    room, more = _end_if_complete(room, t_ms)
    return room, [RoomLine(actor, "choose", data), *more]


def _end_if_complete(room: ReferenceRoom, t_ms: float) -> Happened:
    """End the round if every listener has chosen."""
    is_complete = room.phase == PLAYING and all(seat.actor in room.chosen for seat in room.listeners)
    return _end_round(room, CHOSEN, t_ms) if is_complete else (room, [])


def _mark_ready(room: ReferenceRoom, actor: str, t_ms: float) -> Happened:
    """Mark a player as ready; the next round starts once all are."""
    if room.phase != BETWEEN:
        return room, [RoomLine(actor, "late", {"kind": "ready"})]
    room = change_seat(room, actor, ready=True)
    lines = [RoomLine(actor, "ready", {})]
    if all(seat.gone or seat.ready or is_bot(seat.actor) for seat in room.seats):
        room, more = _start_next(room, t_ms)
        lines += more
    return room, lines


def pass_time(room: ReferenceRoom, t_ms: float) -> Happened:
    """Advance the time: grace periods that run out, the round's time limit, the pause after a round."""
    if lost := any_room.list_expired_actors(room, t_ms):
        return _remove_player(room, lost[0], t_ms)
    passed = t_ms - room.began_ms
    if room.phase == PLAYING and passed >= 1000 * room.settings["limit_seconds"]:
        return _end_round(room, TIMEOUT, t_ms)
    if room.phase == BETWEEN and passed >= 1000 * room.settings["feedback_seconds"]:
        return _start_next(room, t_ms)
    return room, []


def _start_next(room: ReferenceRoom, t_ms: float) -> Happened:
    """Start the next round, or end a game that is complete."""
    if room.puzzle + 1 < len(get_targets(room)):
        return _start_round(replace(room, puzzle=room.puzzle + 1), t_ms)
    return _end_game(room, "completed", SERVER)


def _start_round(room: ReferenceRoom, t_ms: float) -> Happened:
    """Start a round: assign roles and log the target and every person's display order."""
    speaker = _find_speaker(room)
    assert speaker is not None  # the last player who left has ended the room otherwise
    seats = tuple(replace(s, role=SPEAKER if n == speaker else LISTENER, ready=False) for n, s in enumerate(room.seats))
    room = replace(room, seats=seats, phase=PLAYING, began_ms=t_ms, spoken=False, chosen={}, ended=None)
    about = {"round": room.puzzle, "repetition": get_repetition(room), "target": room.target, "speaker": speaker}
    orders = {str(n): get_display_order(room, n) for n, seat in enumerate(seats) if not seat.gone}
    return room, [RoomLine(SERVER, "round", {**about, "orders": orders})]


def _end_round(room: ReferenceRoom, ended: str, t_ms: float) -> Happened:
    """End a round and give feedback. A round without its speaker is not scored."""
    room = replace(room, phase=BETWEEN, began_ms=t_ms, ended=ended, right=_count_correct(room, ended))
    seats = {seat.actor: str(n) for n, seat in enumerate(room.seats)}
    chosen = {seats[actor]: label for actor, label in room.chosen.items()}
    return room, [RoomLine(SERVER, "feedback", {"ended": ended, "target": room.target, "chosen": chosen})]


def _count_correct(room: ReferenceRoom, ended: str) -> Mapping[str, int]:
    """Return the number of correct choices of each player after this round."""
    if ended == SPEAKER_LEFT:
        return room.right
    right = [actor for actor, label in room.chosen.items() if label == room.target]
    return {**room.right, **{actor: room.right.get(actor, 0) + 1 for actor in right}}


def _end_game(room: ReferenceRoom, outcome: str, actor: str) -> Happened:
    """End the game with an outcome; `actor` caused the end."""
    return replace(room, phase=OVER, outcome=outcome), [RoomLine(SERVER, "over", {"outcome": outcome, "by": actor})]


# -- coming back ---------------------------------------------------------------------------------------------------------------


def replay_lines(room: ReferenceRoom, lines: Sequence[RoomLine]) -> ReferenceRoom:
    """Return a stored room with the choices and scores that only its lines contain."""
    speaker, number = None, 0
    for line in lines:
        if line.kind == "round":
            speaker, number = room.seats[line.data["speaker"]].actor, line.data["round"]
            room = replace(room, spoken=False, chosen={}, ended=None)
        elif line.kind == "say" and line.actor == speaker and room.ended is None:
            room = replace(room, spoken=True)
        elif line.kind == "choose":
            room = replace(room, chosen={**room.chosen, line.actor: line.data["object"]})
        elif line.kind == "feedback":
            ended = line.data["ended"]
            room = replace(room, ended=ended, right=_count_correct(replace(room, puzzle=number), ended))
    return room
