"""One line of a room. The same record is sent by a page, completed by the rules, stored and broadcast."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

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
