"""The state that every room shares, without I/O.

Seats, phases, joining, lost connections with a grace period, and rejoining.

Every function takes a room (and a server time in milliseconds where it matters). It returns the next room and the lines
to log and send.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, NamedTuple, TypeVar

WAITING, PLAYING, BETWEEN, OVER = "waiting", "playing", "between", "over"


@dataclass(frozen=True, slots=True)
class Seat:
    """One seat of a room: its player, role and state.

    `actor` is the player (a session or a bot), with their alias, their role in this puzzle, the time of disconnection,
    and whether they have left a room that continues without them.
    """

    actor: str
    name: str
    role: str = ""
    present: bool = True
    left_ms: float | None = None
    ready: bool = False
    gone: bool = False

    def to_data(self) -> dict[str, Any]:
        """Return the seat as a JSON object for the store."""
        data = asdict(self)
        return {"who": data.pop("actor"), **data}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Seat:
        """Return a seat from the store."""
        return cls(data["who"], **{name: value for name, value in data.items() if name != "who"})


@dataclass(frozen=True, slots=True)
class AnyRoom(ABC):
    """The state of a room of any kind.

    `settings` are those of the protocol. `puzzle` is the index of the current puzzle or round. `began_ms` is when it,
    or the pause after it, began. `outcome` is set once the room is over.
    """

    id: str
    settings: Mapping[str, Any]
    seed: int
    seats: tuple[Seat, ...] = ()
    phase: str = WAITING
    puzzle: int = 0
    began_ms: float = 0.0
    outcome: str | None = None

    @property
    @abstractmethod
    def places(self) -> int:
        """Return the number of players that the game needs, with bots."""

    @property
    @abstractmethod
    def people(self) -> int:
        """Return the number of players that are people; bots take the other seats."""

    def get_seat(self, actor: str) -> Seat:
        """Return the seat of an actor of this room."""
        return next(seat for seat in self.seats if seat.actor == actor)

    def has(self, actor: str) -> bool:
        """Return whether an actor has a seat in this room."""
        return any(seat.actor == actor for seat in self.seats)


SomeRoom = TypeVar("SomeRoom", bound=AnyRoom)


def get_seat_number(room: AnyRoom, actor: str) -> int:
    """Return the index of an actor's seat, from 0; -1 for the server and for actors without a seat."""
    return next((n for n, seat in enumerate(room.seats) if seat.actor == actor), -1)


def change_seat(room: SomeRoom, actor: str, **fields: Any) -> SomeRoom:
    """Return the room with some fields of an actor's seat replaced."""
    return replace(room, seats=tuple(replace(s, **fields) if s.actor == actor else s for s in room.seats))


def take_seat(room: SomeRoom, actor: str, name: str, t_ms: float) -> tuple[SomeRoom, list[RoomLine]]:
    """Return the room with an actor in a seat, and the log lines; an actor who was lost returns to theirs."""
    if room.has(actor):
        back = change_seat(room, actor, present=True, left_ms=None)
        return back, [RoomLine(actor, "reconnect", {})] if room.phase in (PLAYING, BETWEEN) else []
    if room.phase != WAITING or len(room.seats) >= room.people:
        raise ValueError("the room is taken")
    # The waiting time counts from the first one who came.
    began = room.began_ms or t_ms
    return replace(room, seats=(*room.seats, Seat(actor, name)), began_ms=began), [
        RoomLine(actor, "join", {"name": name})
    ]


def leave(room: SomeRoom, actor: str, t_ms: float) -> tuple[SomeRoom, list[RoomLine]]:
    """Mark a connection as lost and start its grace period; a waiting room has none."""
    # Being lost again changes nothing: the time of grace runs from the first loss.
    if room.phase == OVER or not room.get_seat(actor).present or room.get_seat(actor).gone:
        return room, []
    if room.phase == WAITING:
        return replace(room, seats=tuple(s for s in room.seats if s.actor != actor)), [RoomLine(actor, "left", {})]
    return change_seat(room, actor, present=False, left_ms=t_ms, ready=False), [RoomLine(actor, "disconnect", {})]


def list_expired_actors(room: AnyRoom, t_ms: float) -> list[str]:
    """Return the actors who did not reconnect within the grace period of a running game."""
    grace = 1000 * room.settings["grace_seconds"]
    lost = [s.actor for s in room.seats if s.left_ms is not None and t_ms - s.left_ms >= grace]
    return lost if room.phase in (PLAYING, BETWEEN) else []


def require_minimum_wait(room: AnyRoom, t_ms: float) -> None:
    """Raise ValueError if the room's minimum waiting time (minutes, a setting) is not over."""
    if t_ms - room.began_ms < 60_000 * room.settings["wait_minutes"]:
        raise ValueError("the waiting time is not over")


SERVER, BOT = "server", "bot"


def is_bot(actor: str) -> bool:
    """Return whether an actor is a program: named `bot`, or `bot-2`, `bot-3` … in a group."""
    return actor == BOT or actor.startswith(f"{BOT}-")


def is_person(actor: str) -> bool:
    """Return whether an actor is a person, named by their session."""
    return actor != SERVER and not is_bot(actor)


class RoomLine(NamedTuple):
    """One line: its actor (`SERVER`, `BOT` or a session), its kind, and its data as in `referee_lab.tangram.game.log`.

    `client_seq` and `t_client` are the number and the clock time of the sending page, None for other lines. The room
    manager assigns `seq` and `t_server` in the order of events; until then they are 0.
    """

    actor: str
    kind: str
    data: Mapping[str, Any]
    client_seq: int | None = None
    t_client: float | None = None
    seq: int = -1
    t_server: float = 0.0


def number_lines(lines: Iterable[RoomLine], first: int, now_ms: float, sent: RoomLine | None = None) -> list[RoomLine]:
    """Return the lines with consecutive numbers from `first` on.

    The first line takes the number and the clock time of the page's line `sent`. The number detects lines that are sent
    twice; recordings use the time.
    """
    client = (None, None) if sent is None else (sent.client_seq, sent.t_client)
    # built anew rather than by `_replace`, which takes twice as long, and this runs for every point of every cursor
    return [
        RoomLine(line.actor, line.kind, line.data, *(client if n == first else (None, None)), n, now_ms)
        for n, line in enumerate(lines, first)
    ]
