"""A room for a reference game, pure: one speaks, everybody else chooses alone, all write in one chat, and after each round all are told (Boyce et al. 2024).

As with the other rooms, every function takes a room and a server time in milliseconds and gives the room afterwards with the lines to log. What is meant, and
the order in which each person sees the objects, follow from the room's seed and are logged when a round begins.

Who is lost for longer than the time of grace, or withdraws, has left, and the game goes on without them: a listener's place stays empty, and a round whose
speaker has left counts for nobody. It ends when fewer than two players or no person is left, when a fixed speaker has left, or at the first loss where the
study says `leaving = "end"`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Any

from referee_lab.rooms import any_room
from referee_lab.rooms.any_room import BETWEEN, OVER, PLAYING, WAITING, AnyRoom, Seat, change_seat, leave
from referee_lab.rooms.room_line import BOT, SERVER, RoomLine, is_bot

__all__ = [
    "CHOSEN",
    "LISTENER",
    "SPEAKER",
    "SPEAKER_LEFT",
    "TIMEOUT",
    "ReferenceRoom",
    "act",
    "after_lines",
    "join",
    "leave",
    "order_of",
    "pass_time",
    "quit_room",
    "repetition_of",
    "rounds_of",
]

SPEAKER, LISTENER = "speaker", "listener"
# How a round ends.
CHOSEN, TIMEOUT, SPEAKER_LEFT = "chosen", "timeout", "speaker-left"


@dataclass(frozen=True, slots=True)
class ReferenceRoom(AnyRoom):
    """`settings` are those of the protocol, with `labels`: the object behind each public label. `puzzle` counts rounds from 0.

    `chosen` holds what each listener has chosen in this round, `spoken` whether the speaker has said anything in it, `ended` how it ended, and `right` how
    many right choices each person has made so far.
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
        return rounds_of(self)[self.puzzle]

    @property
    def speaker(self) -> str | None:
        return next((seat.actor for seat in self.seats if seat.role == SPEAKER), None)

    @property
    def listeners(self) -> tuple[Seat, ...]:
        """Those who choose in this round and have not left."""
        return tuple(seat for seat in self.seats if seat.role == LISTENER and not seat.gone)


Happened = tuple[ReferenceRoom, list[RoomLine]]


# -- what follows from the seed ------------------------------------------------------------------------------------------------


def rounds_of(room: ReferenceRoom) -> tuple[str, ...]:
    """What is meant, round by round: every object that comes round once in each repetition, in a new order."""
    settings = room.settings
    return _rounds(_labels(room), settings["objects"], settings["repetitions"], room.seed)


def _labels(room: ReferenceRoom) -> tuple[str, ...]:
    # Sorted, for a room that comes back from the store has them in another order, and chance must draw the same.
    return tuple(sorted(room.settings["labels"]))


@lru_cache(maxsize=512)
def _rounds(labels: tuple[str, ...], objects: int, repetitions: int, seed: int) -> tuple[str, ...]:
    rng = Random(f"{seed}|rounds")
    coming = rng.sample(labels, min(objects, len(labels)) if objects else len(labels))
    return tuple(label for _ in range(repetitions) for label in rng.sample(coming, len(coming)))


def repetition_of(room: ReferenceRoom) -> int:
    """Which repetition the round belongs to, from 1."""
    return 1 + room.puzzle * int(room.settings["repetitions"]) // len(rounds_of(room))


def order_of(room: ReferenceRoom, seat: int) -> list[str]:
    """The order in which the person in a seat sees the objects: their own, for the whole game or for every round."""
    each = f"|{room.puzzle}" if room.settings["shuffle"] == "round" else ""
    labels = _labels(room)
    return Random(f"{room.seed}|order|{seat}{each}").sample(labels, len(labels))


def _first_speaker(room: ReferenceRoom) -> int:
    first = room.settings["begins"]
    fitting = [n for n, s in enumerate(room.seats) if first == "any" or is_bot(s.actor) == (first == "bot")]
    return fitting[room.seed % len(fitting)]


def _next_speaker(room: ReferenceRoom) -> int | None:
    """The seat that speaks in this round; None where it was a fixed speaker's, who has left."""
    changes = room.settings["speaker"]
    turn = 0 if changes == "fixed" else room.puzzle if changes == "round" else repetition_of(room) - 1
    first = _first_speaker(room) + turn
    order = [(first + n) % len(room.seats) for n in range(len(room.seats))]
    present = [n for n in order if not room.seats[n].gone]
    if not present or (changes == "fixed" and present[0] != order[0]):
        return None
    return present[0]


# -- coming and going ----------------------------------------------------------------------------------------------------------


def join(room: ReferenceRoom, actor: str, name: str, t_ms: float) -> Happened:
    """Somebody comes in, for the first time or again; the first round starts when all people are there, and bots take the other places."""
    is_back = room.has(actor)
    room, lines = any_room.take_seat(room, actor, name, t_ms)
    if is_back or len(room.seats) < room.people:
        return room, lines
    names = [BOT if n == 1 else f"{BOT}-{n}" for n in range(1, room.settings["bots"] + 1)]
    started, more = _start(replace(room, seats=(*room.seats, *(Seat(n, n) for n in names))), t_ms)
    return started, lines + more


def quit_room(room: ReferenceRoom, actor: str, t_ms: float) -> Happened:
    """Somebody leaves for good: from a waiting room after the time that the study asks for, from a game at any time."""
    if room.phase == OVER or (room.phase != WAITING and room.seat(actor).gone):
        return room, []
    if room.phase == WAITING:
        any_room.must_have_waited(room, t_ms)
        return _over(room, "no-partner", actor)
    return _without(room, actor, t_ms)


def _without(room: ReferenceRoom, actor: str, t_ms: float) -> Happened:
    """The room after somebody has left it for good: it goes on with the others, or is over."""
    was_speaking = room.phase == PLAYING and room.speaker == actor
    room = change_seat(room, actor, present=False, gone=True, ready=False, left_ms=None)
    lines = [RoomLine(actor, "gone", {})]
    left = [seat for seat in room.seats if not seat.gone]
    alone = len(left) < 2 or all(is_bot(seat.actor) for seat in left)
    if alone or room.settings["leaving"] == "end" or _next_speaker(room) is None:
        room, more = _over(room, "partner-left", actor)
    elif was_speaking:
        room, more = _end_round(room, SPEAKER_LEFT, t_ms)
    else:
        room, more = _if_all_have_chosen(room, t_ms)
    return room, lines + more


# -- playing -------------------------------------------------------------------------------------------------------------------


def act(room: ReferenceRoom, actor: str, kind: str, data: Mapping[str, Any], t_ms: float) -> Happened:
    """Somebody does something; the first line is theirs, whatever comes of it. ValueError for what their role may never do."""
    if kind == "choose":
        return _choose(room, actor, data, t_ms)
    if kind == "ready":
        return _ready(room, actor, t_ms)
    if kind not in ("say", "typing", "clock"):
        raise ValueError(f"nobody does {kind!r} in this room")
    is_description = kind == "say" and room.phase == PLAYING and actor == room.speaker
    return replace(room, spoken=room.spoken or is_description), [RoomLine(actor, kind, data)]


def _choose(room: ReferenceRoom, actor: str, data: Mapping[str, Any], t_ms: float) -> Happened:
    """A choice counts once, for the round it was made in, and after the speaker has said something; anything else is noted and changes nothing."""
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
    room, more = _if_all_have_chosen(room, t_ms)
    return room, [RoomLine(actor, "choose", data), *more]


def _if_all_have_chosen(room: ReferenceRoom, t_ms: float) -> Happened:
    waiting = room.phase == PLAYING and not all(seat.actor in room.chosen for seat in room.listeners)
    return (room, []) if waiting or room.phase != PLAYING else _end_round(room, CHOSEN, t_ms)


def _ready(room: ReferenceRoom, actor: str, t_ms: float) -> Happened:
    """The next round, as soon as everybody has seen how this one went."""
    if room.phase != BETWEEN:
        return room, [RoomLine(actor, "late", {"kind": "ready"})]
    room = change_seat(room, actor, ready=True)
    lines = [RoomLine(actor, "ready", {})]
    if all(seat.gone or seat.ready or is_bot(seat.actor) for seat in room.seats):
        room, more = _go_on(room, t_ms)
        lines += more
    return room, lines


def pass_time(room: ReferenceRoom, t_ms: float) -> Happened:
    """Time goes by: grace that runs out, the limit of a round, the pause after it."""
    if lost := any_room.lost_for_good(room, t_ms):
        return _without(room, lost[0], t_ms)
    passed = t_ms - room.began_ms
    if room.phase == PLAYING and passed >= 1000 * room.settings["limit_seconds"]:
        return _end_round(room, TIMEOUT, t_ms)
    if room.phase == BETWEEN and passed >= 1000 * room.settings["feedback_seconds"]:
        return _go_on(room, t_ms)
    return room, []


def _go_on(room: ReferenceRoom, t_ms: float) -> Happened:
    if room.puzzle + 1 < len(rounds_of(room)):
        return _start(replace(room, puzzle=room.puzzle + 1), t_ms)
    return _over(room, "completed", SERVER)


def _start(room: ReferenceRoom, t_ms: float) -> Happened:
    speaker = _next_speaker(room)
    assert speaker is not None  # whoever left last has ended the room otherwise
    seats = tuple(replace(s, role=SPEAKER if n == speaker else LISTENER, ready=False) for n, s in enumerate(room.seats))
    room = replace(room, seats=seats, phase=PLAYING, began_ms=t_ms, spoken=False, chosen={}, ended=None)
    about = {"round": room.puzzle, "repetition": repetition_of(room), "target": room.target, "speaker": speaker}
    orders = {str(n): order_of(room, n) for n, seat in enumerate(seats) if not seat.gone}
    return room, [RoomLine(SERVER, "round", {**about, "orders": orders})]


def _end_round(room: ReferenceRoom, ended: str, t_ms: float) -> Happened:
    """Everybody may be told now. A round without its speaker counts for nobody."""
    room = replace(room, phase=BETWEEN, began_ms=t_ms, ended=ended, right=_counted(room, ended))
    seats = {seat.actor: str(n) for n, seat in enumerate(room.seats)}
    chosen = {seats[actor]: label for actor, label in room.chosen.items()}
    return room, [RoomLine(SERVER, "feedback", {"ended": ended, "target": room.target, "chosen": chosen})]


def _counted(room: ReferenceRoom, ended: str) -> Mapping[str, int]:
    if ended == SPEAKER_LEFT:
        return room.right
    right = [actor for actor, label in room.chosen.items() if label == room.target]
    return {**room.right, **{actor: room.right.get(actor, 0) + 1 for actor in right}}


def _over(room: ReferenceRoom, outcome: str, actor: str) -> Happened:
    return replace(room, phase=OVER, outcome=outcome), [RoomLine(SERVER, "over", {"outcome": outcome, "by": actor})]


# -- coming back ---------------------------------------------------------------------------------------------------------------


def after_lines(room: ReferenceRoom, lines: Sequence[RoomLine]) -> ReferenceRoom:
    """A room whose row is known, with what only its lines tell: who has chosen what in this round, and how many were right before it."""
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
            room = replace(room, ended=ended, right=_counted(replace(room, puzzle=number), ended))
    return room
