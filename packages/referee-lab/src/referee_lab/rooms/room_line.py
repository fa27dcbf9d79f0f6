"""One line of a room: what a person sent, what the rules made of it, what is stored and what is passed on are all the same thing with more filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

__all__ = ["BOT", "SERVER", "RoomLine", "is_bot", "is_person", "number_lines"]

SERVER, BOT = "server", "bot"


def is_bot(actor: str) -> bool:
    """Return whether an actor is a program: `bot`, and where there are several `bot-2`, `bot-3` …"""
    return actor == BOT or actor.startswith(f"{BOT}-")


def is_person(actor: str) -> bool:
    """Return whether an actor is a person, named by their session."""
    return actor != SERVER and not is_bot(actor)


class RoomLine(NamedTuple):
    """The actor (`SERVER`, `BOT`, or a person's session), its kind and its data as in `referee_lab.tangram.game.log`.

    `client_seq` and `t_client` are the number and the clock of the person who sent it, None for other lines. `seq` and `t_server` are given by the
    hall, in the order in which things happened there; until then a line has no number.
    """

    actor: str
    kind: str
    data: Mapping[str, Any]
    client_seq: int | None = None
    t_client: float | None = None
    seq: int = -1
    t_server: float = 0.0


def number_lines(lines: Iterable[RoomLine], first: int, now_ms: float, sent: RoomLine | None = None) -> list[RoomLine]:
    """The lines with their numbers in the room, from `first` on; the first one is what a person `sent`, and keeps their own number and clock.

    By that number nothing is taken twice when it is sent again, and by that clock recordings place it in time.
    """
    client = (None, None) if sent is None else (sent.client_seq, sent.t_client)
    # built anew rather than by `_replace`, which takes twice as long, and this runs for every point of every cursor
    return [
        RoomLine(line.actor, line.kind, line.data, *(client if n == first else (None, None)), n, now_ms)
        for n, line in enumerate(lines, first)
    ]
