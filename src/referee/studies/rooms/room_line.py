"""One line of a room: what a person sent, what the rules made of it, what is stored and what is passed on are all the same thing with more filled in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

__all__ = ["BOT", "SERVER", "RoomLine", "number_lines"]

SERVER, BOT = "server", "bot"


class RoomLine(NamedTuple):
    """Who did it (`SERVER`, `BOT`, or a person's session), its kind and its data as in `referee.situated.game.log`.

    `client_seq` and `t_client` are the number and the clock of the person who sent it, None for whatever nobody sent. `seq` and `t_server` are given by the
    hall, in the order in which things happened there; until then a line has no number.
    """

    who: str
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
    numbered = [line._replace(seq=n, t_server=now_ms) for n, line in enumerate(lines, first)]
    if sent is not None and numbered:
        numbered[0] = numbered[0]._replace(client_seq=sent.client_seq, t_client=sent.t_client)
    return numbered
